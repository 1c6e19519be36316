// The tables of an experiment, whose shape is not that of a struct of fields.
#include "study/experiment/table_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/config/yaml_field_loader.h"
#include "platform/results/results_db.h"

namespace warpvp {

namespace {

constexpr FootKind kFeet[] = {FootKind::kMean, FootKind::kGeomean, FootKind::kMape,
                              FootKind::kLogCorrelation};

}  // namespace

void TableReader::read_table(const Setting& s, const std::string& path) {
  check_keys(s, path, {"name", "title", "each", "rows", "across", "values", "foot", "reference", "plot"});
  TableSpec table;
  if (const Setting* n = s.find("name")) {
    table.name = word(*n, path + ".name");
    if (table.name.empty() || table.name.find_first_of("./{} ") != std::string::npos)
      fail(*n, fmt::format("'{}.name' is '{}'; allowed: a word without '.', '/', braces and blanks", path,
                           table.name));
    for (const TableSpec& other : e_.tables)
      if (other.name == table.name) fail(*n, fmt::format("two tables are called '{}'", table.name));
  }
  if (const Setting* t = s.find("title")) table.title = word(*t, path + ".title");
  if (const Setting* each_of = s.find("each")) {
    table.each = each(*each_of, path + ".each");
    for (const char* key : {"rows", "across", "reference"})
      if (const Setting* other = s.find(key))
        fail(*other, fmt::format("'{}' has '{}' and 'each'; allowed: one of them", path, key));
  }
  if (const Setting* a = s.find("across")) table.across = axes(*a, path + ".across");
  if (const Setting* r = s.find("rows")) {
    table.rows = axes(*r, path + ".rows");
  } else if (!table.each) {
    for (const Axis& axis : e_.matrix)
      if (std::find(table.across.begin(), table.across.end(), axis.name) == table.across.end() &&
          axis.alternatives.size() > 1 && !is_seeds(axis))
        table.rows.push_back(axis.name);
  }
  for (const std::string& name : table.across)
    if (std::find(table.rows.begin(), table.rows.end(), name) != table.rows.end())
      fail(s, fmt::format("axis '{}' is in both rows and across of '{}'", name, path));
  for (const Setting& item : list(require(s, path, "values"), path + ".values"))
    table.values.push_back(value(item, path + ".values", table));
  if (table.values.empty())
    fail(s, fmt::format("'{}.values' is empty; name at least one key of result.json", path));
  if (const Setting* f = s.find("foot"))
    table.foot = feet(*f, path + ".foot", {std::begin(kFeet), std::end(kFeet)});
  if (const Setting* r = s.find("reference")) {
    const std::vector<Setting> items =
        r->is_mapping() ? std::vector<Setting>{*r} : list(*r, path + ".reference");
    for (const Setting& item : items) table.references.push_back(reference(item, path + ".reference", table));
  }
  if (const Setting* p = s.find("plot")) table.plot = plot_kind(*p, path + ".plot");
  e_.tables.push_back(std::move(table));
}

std::vector<FootKind> TableReader::feet(const Setting& s, const std::string& path,
                                        const std::vector<FootKind>& allowed) {
  std::vector<std::string> names;
  for (const FootKind kind : allowed) names.emplace_back(foot_name(kind));
  std::vector<FootKind> out;
  for (const Setting& item : s.is_scalar() ? std::vector<Setting>{s} : list(s, path)) {
    const std::string name = one_of(item, path, names);
    out.push_back(allowed[std::find(names.begin(), names.end(), name) - names.begin()]);
  }
  return out;
}

Selection TableReader::selection(const Setting& s, const std::string& path) const {
  if (!s.is_mapping())
    fail(s, fmt::format("'{}' is {}; allowed: a mapping of axes to names", path, kind_name(s)));
  Selection out;
  for (const SettingEntry& entry : s.entries) {
    const Axis& axis = e_.matrix[axis_index(entry.key, entry.value, path)];
    const std::string label = word(entry.value, path + "." + entry.key);
    check_label(axis, label, entry.value, path);
    out.emplace_back(axis.name, label);
  }
  return out;
}

void TableReader::check_label(const Axis& axis, const std::string& label, const Setting& at,
                              const std::string& path) {
  std::vector<std::string> labels;
  for (const Alternative& a : axis.alternatives) labels.push_back(a.label);
  if (std::find(labels.begin(), labels.end(), label) == labels.end())
    fail(at, fmt::format("'{}.{}' is '{}'; allowed: {}", path, axis.name, label, join_names(labels)));
}

std::size_t TableReader::axis_index(const std::string& name, const Setting& at,
                                    const std::string& path) const {
  const std::size_t index = e_.axis(name);
  if (index < e_.matrix.size()) return index;
  std::vector<std::string> names;
  for (const Axis& axis : e_.matrix) names.push_back(axis.name);
  const std::string near = nearest_name(name, names);
  fail(at, fmt::format("'{}' names '{}', which is no axis of the matrix; allowed: {}{}", path, name,
                       names.empty() ? "none" : join_names(names),
                       near.empty() ? "" : "; did you mean '" + near + "'?"));
}

std::vector<std::string> TableReader::axes(const Setting& s, const std::string& path) const {
  std::vector<std::string> out;
  const std::vector<Setting> items = s.is_scalar() ? std::vector<Setting>{s} : list(s, path);
  for (const Setting& item : items) out.push_back(e_.matrix[axis_index(word(item, path), item, path)].name);
  return out;
}

Expression TableReader::expression(const Setting& s, const std::string& path,
                                   const std::optional<EachSpec>& each) {
  try {
    return each ? each->of(word(s, path), 0) : Expression::parse(word(s, path));
  } catch (const InputError& error) {
    fail(s, fmt::format("'{}' is {}", path, error.what()));
  }
}

PlotKind TableReader::plot_kind(const Setting& s, const std::string& path) {
  const std::string kind = one_of(s, path, {"bar", "stack", "line", "log-line", "scatter", "none"});
  return kind == "bar"       ? PlotKind::kBar
         : kind == "stack"   ? PlotKind::kStack
         : kind == "line"    ? PlotKind::kLine
         : kind == "none"    ? PlotKind::kNone
         : kind == "scatter" ? PlotKind::kScatter
                             : PlotKind::kLogLine;
}

BestSpec TableReader::best(const Setting& s, const std::string& path) const {
  check_keys(s, path, {"axis", "among", "lowest", "highest", "show"});
  BestSpec out;
  const Setting& axis = require(s, path, "axis");
  out.axis = word(axis, path + ".axis");
  std::vector<std::string> labels;
  for (const Alternative& a : e_.matrix[axis_index(out.axis, axis, path + ".axis")].alternatives)
    labels.push_back(a.label);
  if (const Setting* among = s.find("among")) {
    for (const Setting& item : list(*among, path + ".among"))
      out.among.push_back(one_of(item, path + ".among", labels));
  } else {
    out.among = labels;
  }
  const Setting* by = s.find("lowest");
  const Setting* highest = s.find("highest");
  if ((by == nullptr) == (highest == nullptr))
    fail(s, fmt::format("'{}': allowed: one of lowest, highest", path));
  out.highest = highest != nullptr;
  out.by = expression(by ? *by : *highest, path + (by ? ".lowest" : ".highest"));
  check_axes(out.by, by ? *by : *highest, path);
  if (const Setting* show = s.find("show"))
    out.show_name = one_of(*show, path + ".show", {"name", "value"}) == "name";
  return out;
}

std::vector<ClassSpec> TableReader::classes(const Setting& s, const std::string& path) const {
  std::vector<ClassSpec> out;
  for (const Setting& item : list(s, path)) {
    check_keys(item, path, {"below", "is"});
    ClassSpec one;
    if (const Setting* below = item.find("below")) one.below = number(*below, path + ".below");
    one.word = word(require(item, path, "is"), path + ".is");
    out.push_back(std::move(one));
  }
  return out;
}

void TableReader::check_axes(const Expression& e, const Setting& at, const std::string& path) const {
  for (const std::string& name : e.names()) {
    if (name[0] == '#') {
      if (!e_.figures) fail(at, fmt::format("'{}' names a figure, but there are no 'figures'", path));
      const std::vector<std::string>& headings = e_.figures->figures.headings();
      if (std::find(headings.begin(), headings.end(), name.substr(1)) == headings.end())
        fail(at, fmt::format("'{}' names the figure '{}'; allowed: {}", path, name.substr(1),
                             join_names(headings)));
    }
    if (name[0] == '$') axis_index(name.substr(1), at, path);
    if (name[0] != '@') continue;
    const Expression::Elsewhere there = Expression::elsewhere(name);
    std::vector<std::string> labels;
    for (const Alternative& a : e_.matrix[axis_index(there.axis, at, path)].alternatives)
      labels.push_back(a.label);
    if (std::find(labels.begin(), labels.end(), there.label) == labels.end())
      fail(at, fmt::format("'{}' has '{}'; allowed for {}: {}", path, name, there.axis, join_names(labels)));
  }
}

ReferenceSpec TableReader::reference(const Setting& s, const std::string& path,
                                     const TableSpec& table) const {
  check_keys(s, path, {"title", "source", "values"});
  ReferenceSpec out;
  out.title = word(require(s, path, "title"), path + ".title");
  if (const Setting* source = s.find("source")) out.source = word(*source, path + ".source");
  const Setting& values = require(s, path, "values");
  if (!values.is_mapping())
    fail(values,
         fmt::format("'{}.values' is {}; allowed: a mapping of rows to cells", path, kind_name(values)));
  std::vector<std::string> rows;
  for (const ExperimentRun& run : e_.runs()) {
    std::string row;
    for (const std::string& axis : table.rows) row += (row.empty() ? "" : " ") + e_.label(run, e_.axis(axis));
    if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  }
  for (const FootKind kind : table.foot) rows.push_back(foot_name(kind));
  for (const SettingEntry& entry : values.entries) {
    if (std::find(rows.begin(), rows.end(), entry.key) == rows.end())
      throw InputError(fmt::format("{}: '{}.values' has '{}', which is no row of the table; allowed: {}",
                                   entry.key_place, path, entry.key, join_names(rows)));
    out.values.emplace_back(entry.key, word(entry.value, path + ".values." + entry.key));
  }
  return out;
}

EachSpec TableReader::each(const Setting& s, const std::string& path) const {
  check_keys(s, path, {"list", "only", "label", "title", "from", "until", "where", "most"});
  EachSpec out;
  out.place = s.place;
  const Setting& items = require(s, path, "list");
  out.list = word(items, path + ".list");
  if (!expression(items, path + ".list").is_key())
    fail(items, fmt::format("'{}.list' is '{}'; allowed: the key of a list", path, out.list));
  if (const Setting* only = s.find("only")) {
    if (!only->is_mapping())
      fail(*only, fmt::format("'{}.only' is {}; allowed: a mapping of an item's members to values", path,
                              kind_name(*only)));
    for (const SettingEntry& entry : only->entries)
      out.only.emplace_back(entry.key, word(entry.value, path + ".only." + entry.key));
  }
  const Setting& label = require(s, path, "label");
  out.label = word(label, path + ".label");
  check_axes(expression(label, path + ".label", out), label, path + ".label");
  if (out.of(out.label, 0).text() == out.label)
    fail(label,
         fmt::format("'{}.label' is '{}'; allowed: an expression with a member 'each.KEY' of the items", path,
                     out.label));
  const Setting* title = s.find("title");
  out.title = title ? word(*title, path + ".title") : out.label;
  if (const Setting* from = s.find("from")) out.from = number(*from, path + ".from");
  if (const Setting* until = s.find("until")) out.until = number(*until, path + ".until");
  if (const Setting* w = s.find("where")) out.where = selection(*w, path + ".where");
  if (const Setting* m = s.find("most")) {
    std::uint64_t most = 0;
    if (!parse_unsigned(word(*m, path + ".most"), most) || most < 2 || most > 1'000'000)
      fail(*m, fmt::format("'{}.most' is '{}'; allowed: a whole number from 2 to 1000000", path, m->text));
    out.most = static_cast<std::uint32_t>(most);
  }
  for (const Axis& axis : e_.matrix)
    if (axis.alternatives.size() > 1 &&
        std::none_of(out.where.begin(), out.where.end(), [&](const auto& w) { return w.first == axis.name; }))
      fail(s,
           fmt::format("'{}' is of one run; pick one of axis '{}' with '{}.where'", path, axis.name, path));
  return out;
}

void TableReader::read_against(const Setting& s, const std::string& path, const std::optional<EachSpec>& each,
                               ValueSpec& v) const {
  const Setting* against = s.find("against");
  if (against) {
    v.against = expression(*against, path + ".against", each);
    v.each_against = against->text;
    check_axes(v.against, *against, path + ".against");
  }
  for (const char* key : {"least", "show"})
    if (const Setting* more = s.find(key); more && !against)
      fail(*more, fmt::format("'{}.{}' without 'against'", path, key));
  if (const Setting* least = s.find("least")) v.least = number(*least, path + ".least");
  if (const Setting* show = s.find("show"))
    v.show_ratio = one_of(*show, path + ".show", {"value", "ratio"}) == "ratio";
}

ValueSpec TableReader::value(const Setting& s, const std::string& path, const TableSpec& table) const {
  ValueSpec v;
  v.place = s.place;
  if (s.is_scalar()) {
    v.key = expression(s, path, table.each);
    v.each_key = s.text;
  } else {
    check_keys(s, path,
               {"key", "title", "where", "best", "relative_to", "relative_key", "invert", "against", "least",
                "show", "classes", "digits", "plot"});
    v.key = expression(require(s, path, "key"), path + ".key", table.each);
    v.each_key = require(s, path, "key").text;
    for (const char* key : {"where", "best", "relative_to"})
      if (const Setting* other = s.find(key); other && table.each)
        fail(*other, fmt::format("'{}.{}' in a table with 'each'; allowed: {}", path, key,
                                 "'each.where', which picks the run of the whole table"));
    if (const Setting* t = s.find("title")) v.title = word(*t, path + ".title");
    if (const Setting* w = s.find("where")) v.where = selection(*w, path + ".where");
    if (const Setting* r = s.find("relative_to")) v.relative_to = selection(*r, path + ".relative_to");
    if (const Setting* r = s.find("relative_key")) v.relative_key = expression(*r, path + ".relative_key");
    if (const Setting* b = s.find("best")) v.best = best(*b, path + ".best");
    if (const Setting* c = s.find("classes")) v.classes = classes(*c, path + ".classes");
    if (const Setting* i = s.find("invert")) v.invert = flag(*i, path + ".invert");
    read_against(s, path, table.each, v);
    if (const Setting* d = s.find("digits")) {
      std::uint64_t digits = 0;
      if (!parse_unsigned(word(*d, path + ".digits"), digits) || digits > 15)
        fail(*d, fmt::format("'{}.digits' is '{}'; allowed: a whole number from 0 to 15", path, d->text));
      v.digits = static_cast<std::uint32_t>(digits);
      v.digits_given = true;
    }
    if (const Setting* p = s.find("plot")) v.plot = plot_kind(*p, path + ".plot");
  }
  if (!v.relative_key.text().empty() && v.relative_to.empty())
    fail(s, fmt::format("'{}.relative_key' without 'relative_to'", path));
  if (v.invert && v.relative_to.empty()) fail(s, fmt::format("'{}.invert' without 'relative_to'", path));
  if (v.plot == PlotKind::kScatter && v.against.text().empty())
    fail(s, fmt::format("'{}.plot' is 'scatter' without 'against'", path));
  if (table.each) v.where = table.each->where;
  if (v.title.empty()) v.title = v.each_key;
  if (v.relative_key.text().empty()) v.relative_key = v.key;
  check_axes(v.key, s, path);
  check_axes(v.relative_key, s, path);
  for (const Axis& axis : e_.matrix) {
    const auto names = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), axis.name) != list.end();
    };
    const bool fixed =
        (v.best && v.best->axis == axis.name) ||
        std::any_of(v.where.begin(), v.where.end(), [&](const auto& w) { return w.first == axis.name; });
    const bool shown = names(table.rows) || names(table.across);
    if (axis.alternatives.size() > 1 && !shown && !fixed && !is_seeds(axis))
      fail(s, fmt::format("axis '{}' is neither in rows nor in across; add it, or pick one of its values "
                          "with 'where' or 'best'",
                          axis.name));
    if (shown && fixed)
      fail(s, fmt::format("axis '{}' is in rows or across and in 'where' or 'best'", axis.name));
  }
  return v;
}

}  // namespace warpvp
