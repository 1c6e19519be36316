#include "platform/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/yaml_field_loader.h"
#include "platform/results/results_db.h"

namespace warpvp {

namespace {

constexpr FootKind kFeet[] = {FootKind::kMean, FootKind::kGeomean, FootKind::kMape,
                              FootKind::kLogCorrelation};

/// Reads the parts of an experiment whose shape is not that of a struct of fields.
class Reader {
 public:
  Reader(Experiment& experiment, const ConfigSearch& search, const Setting* seeds)
      : e_(experiment), search_(search), seeds_(seeds) {}

  void read(const Setting& root) {
    check_keys(root, "",
               {"experiment", "description", "experiments", "base", "matrix", "seeds", "exclude", "figures",
                "table", "tables", "page"});
    e_.name = word(require(root, "", "experiment"), "experiment");
    if (e_.name.empty() || e_.name[0] == '.' || e_.name.find('/') != std::string::npos)
      fail(*root.find("experiment"),
           fmt::format("'experiment' is '{}'; allowed: a name that can be a folder's", e_.name));
    if (const Setting* s = root.find("description")) e_.description = word(*s, "description");
    if (const Setting* s = root.find("experiments")) read_parts(*s);
    if (e_.parts.empty() || root.find("base")) {
      e_.base = require(root, "", "base");
    } else {
      for (const char* key : {"matrix", "seeds", "exclude", "figures", "table", "tables"})
        if (const Setting* s = root.find(key)) fail(*s, fmt::format("'{}' without 'base'", key));
    }
    if (const Setting* s = root.find("matrix")) read_matrix(*s);
    if (const Setting* s = seeds_ ? seeds_ : root.find("seeds"); s && !e_.base.is_null()) read_seeds(*s);
    if (const Setting* s = root.find("exclude")) {
      for (const Setting& item : list(*s, "exclude")) e_.exclude.push_back(selection(item, "exclude"));
    }
    if (const Setting* s = root.find("figures")) read_figures(*s);
    if (root.find("table") && root.find("tables"))
      fail(*root.find("tables"), "'table' and 'tables'; allowed: one of them");
    if (const Setting* s = root.find("table")) read_table(*s, "table");
    if (const Setting* s = root.find("tables")) {
      for (const Setting& item : list(*s, "tables")) read_table(item, "tables");
    }
    if (!e_.base.is_null() && e_.tables.empty())
      fail(root, "no 'table'; say what the experiment is to print");
    if (const Setting* s = root.find("page")) read_page(*s);
  }

 private:
  [[noreturn]] static void fail(const Setting& at, const std::string& what) {
    throw InputError(fmt::format("{}: {}", at.place, what));
  }

  static const Setting& require(const Setting& mapping, const std::string& path, const char* key) {
    const Setting* s = mapping.find(key);
    const std::string full = path.empty() ? key : path + "." + key;
    if (!s) fail(mapping, fmt::format("'{}' is missing", full));
    if (s->is_null()) fail(*s, fmt::format("'{}' has no value; write one", full));
    return *s;
  }

  static std::string word(const Setting& s, const std::string& path) {
    if (!s.is_scalar()) fail(s, fmt::format("'{}' is {}; allowed: a word", path, kind_name(s)));
    return s.text;
  }

  static const std::vector<Setting>& list(const Setting& s, const std::string& path) {
    if (!s.is_sequence()) fail(s, fmt::format("'{}' is {}; allowed: a list", path, kind_name(s)));
    return s.items;
  }

  static void check_keys(const Setting& s, const std::string& path, const std::vector<std::string>& allowed) {
    if (!s.is_mapping())
      fail(s, fmt::format("'{}' is {}; allowed: a mapping of keys to values", path, kind_name(s)));
    for (const SettingEntry& entry : s.entries) {
      if (std::find(allowed.begin(), allowed.end(), entry.key) != allowed.end()) continue;
      const std::string near = nearest_name(entry.key, allowed);
      throw InputError(fmt::format("{}: unknown key '{}'{}{}; allowed: {}", entry.key_place, entry.key,
                                   path.empty() ? "" : " in '" + path + "'",
                                   near.empty() ? "" : "; nearest: '" + near + "'", join_names(allowed)));
    }
  }

  static std::string label_of(const Setting& value) {
    if (value.is_scalar()) return value.text;
    std::string text;
    for (const Setting& item : value.items) text += (text.empty() ? "" : "x") + label_of(item);
    return text;
  }

  void read_matrix(const Setting& matrix) {
    if (!matrix.is_mapping())
      fail(matrix, fmt::format("'matrix' is {}; allowed: a mapping of axes", kind_name(matrix)));
    std::set<std::string> names;
    for (const std::string& reserved : ResultsDb::reserved_columns()) names.insert(reserved);
    for (const SettingEntry& entry : matrix.entries) {
      const std::string path = "matrix." + entry.key;
      Axis axis;
      axis.name = entry.key;
      std::string lower = entry.key;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return std::tolower(c); });
      if (!names.insert(lower).second)
        throw InputError(fmt::format("{}: axis '{}' has a name that is taken; reserved: {}", entry.key_place,
                                     entry.key, join_names(ResultsDb::reserved_columns())));
      std::string setting = entry.key;
      const Setting* values = &entry.value;
      if (values->is_mapping()) {
        check_keys(*values, path, {"setting", "values"});
        if (const Setting* named = values->find("setting")) setting = word(*named, path + ".setting");
        values = &require(*values, path, "values");
      }
      if (list(*values, path).empty())
        fail(*values, fmt::format("'{}' is an empty list; give at least one value", path));
      for (const Setting& item : values->items) axis.alternatives.push_back(alternative(item, setting, path));
      for (std::size_t i = 0; i < axis.alternatives.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (axis.alternatives[i].label == axis.alternatives[j].label)
            fail(values->items[i], fmt::format("'{}' has '{}' twice; give each alternative its own name",
                                               path, axis.alternatives[i].label));
      e_.matrix.push_back(std::move(axis));
    }
  }

  void read_seeds(const Setting& s) {
    Axis axis;
    axis.name = "seed";
    for (const Axis& other : e_.matrix) {
      bool sets = other.name == axis.name;
      for (const Alternative& a : other.alternatives)
        for (const Assignment& set : a.sets) sets = sets || set.path == "seed";
      if (sets) fail(s, fmt::format("'seeds', and axis '{}' is about the seed too", other.name));
    }
    const auto add = [&](const Setting& item) {
      std::uint64_t seed = 0;
      if (!item.is_scalar() || !parse_unsigned(item.text, seed))
        fail(item, fmt::format("'seeds' has {}; allowed: whole numbers",
                               item.is_scalar() ? "'" + item.text + "'" : kind_name(item)));
      Alternative one;
      one.label = fmt::format("{}", seed);
      for (const Alternative& a : axis.alternatives)
        if (a.label == one.label) fail(item, fmt::format("'seeds' has {} twice", seed));
      one.sets.push_back({"seed", item});
      axis.alternatives.push_back(std::move(one));
    };
    if (s.is_sequence()) {
      if (s.items.empty()) fail(s, "'seeds' is an empty list; give at least one");
      for (const Setting& item : s.items) add(item);
    } else {
      std::uint64_t count = 0;
      if (!s.is_scalar() || !parse_unsigned(s.text, count) || count == 0 || count > 10'000)
        fail(s, fmt::format("'seeds' is {}; allowed: a list of seeds, or how many from 1 to 10000, which are "
                            "then 1, 2, 3 and so on",
                            s.is_scalar() ? "'" + s.text + "'" : kind_name(s)));
      for (std::uint64_t seed = 1; seed <= count; ++seed) {
        Setting item = s;
        item.text = fmt::format("{}", seed);
        add(item);
      }
    }
    e_.seed_axis = e_.matrix.size();
    e_.matrix.push_back(std::move(axis));
  }

  static Alternative alternative(const Setting& item, const std::string& setting, const std::string& path) {
    Alternative out;
    if (item.is_mapping()) {
      check_keys(item, path, {"name", "set", "value"});
      out.label = word(require(item, path, "name"), path + ".name");
      if (item.find("set") && item.find("value"))
        fail(item, fmt::format("'{}': 'set' and 'value'; allowed: one of them", path));
      if (const Setting* value = item.find("value")) {
        out.sets.push_back({setting, *value});
      } else {
        const Setting& sets = require(item, path, "set");
        if (!sets.is_mapping())
          fail(sets, fmt::format("'{}.set' is {}; allowed: a mapping of settings to values", path,
                                 kind_name(sets)));
        for (const SettingEntry& entry : sets.entries) out.sets.push_back({entry.key, entry.value});
      }
    } else {
      if (item.is_null()) fail(item, fmt::format("'{}' has an empty value", path));
      out.label = label_of(item);
      out.sets.push_back({setting, item});
    }
    return out;
  }

  std::size_t axis_index(const std::string& name, const Setting& at, const std::string& path) const {
    const std::size_t index = e_.axis(name);
    if (index < e_.matrix.size()) return index;
    std::vector<std::string> names;
    for (const Axis& axis : e_.matrix) names.push_back(axis.name);
    const std::string near = nearest_name(name, names);
    fail(at, fmt::format("'{}' names '{}', which is no axis of the matrix; allowed: {}{}", path, name,
                         names.empty() ? "none" : join_names(names),
                         near.empty() ? "" : "; did you mean '" + near + "'?"));
  }

  Selection selection(const Setting& s, const std::string& path) const {
    if (!s.is_mapping())
      fail(s, fmt::format("'{}' is {}; allowed: a mapping of axes to names", path, kind_name(s)));
    Selection out;
    for (const SettingEntry& entry : s.entries) {
      const Axis& axis = e_.matrix[axis_index(entry.key, entry.value, path)];
      const std::string label = word(entry.value, path + "." + entry.key);
      std::vector<std::string> labels;
      for (const Alternative& a : axis.alternatives) labels.push_back(a.label);
      if (std::find(labels.begin(), labels.end(), label) == labels.end())
        fail(entry.value,
             fmt::format("'{}.{}' is '{}'; allowed: {}", path, entry.key, label, join_names(labels)));
      out.emplace_back(axis.name, label);
    }
    return out;
  }

  std::vector<std::string> axes(const Setting& s, const std::string& path) const {
    std::vector<std::string> out;
    const std::vector<Setting> items = s.is_scalar() ? std::vector<Setting>{s} : list(s, path);
    for (const Setting& item : items) out.push_back(e_.matrix[axis_index(word(item, path), item, path)].name);
    return out;
  }

  static bool flag(const Setting& s, const std::string& path) {
    if (s.is_scalar() && (s.text == "true" || s.text == "false")) return s.text == "true";
    fail(s, fmt::format("'{}' is {}; allowed: true or false", path,
                        s.is_scalar() ? "'" + s.text + "'" : kind_name(s)));
  }

  static std::string one_of(const Setting& s, const std::string& path,
                            const std::vector<std::string>& allowed) {
    const std::string text = word(s, path);
    if (std::find(allowed.begin(), allowed.end(), text) == allowed.end())
      fail(s, fmt::format("'{}' is '{}'; allowed: {}", path, text, join_names(allowed)));
    return text;
  }

  static Expression expression(const Setting& s, const std::string& path,
                               const std::optional<EachSpec>& each = {}) {
    try {
      return each ? each->of(word(s, path), 0) : Expression::parse(word(s, path));
    } catch (const InputError& error) {
      fail(s, fmt::format("'{}' is {}", path, error.what()));
    }
  }

  static PlotKind plot_kind(const Setting& s, const std::string& path) {
    const std::string kind = one_of(s, path, {"bar", "line", "log-line", "scatter", "none"});
    return kind == "bar"       ? PlotKind::kBar
           : kind == "line"    ? PlotKind::kLine
           : kind == "none"    ? PlotKind::kNone
           : kind == "scatter" ? PlotKind::kScatter
                               : PlotKind::kLogLine;
  }

  static double number(const Setting& s, const std::string& path) {
    double value = 0;
    if (!parse_double(word(s, path), value))
      fail(s, fmt::format("'{}' is '{}'; allowed: a number", path, s.text));
    return value;
  }

  BestSpec best(const Setting& s, const std::string& path) const {
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

  std::vector<ClassSpec> classes(const Setting& s, const std::string& path) const {
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

  void read_figures(const Setting& s) {
    check_keys(s, "figures", {"file", "axis", "column"});
    const Setting& file = require(s, "figures", "file");
    const Setting& axis = require(s, "figures", "axis");
    FiguresSpec spec;
    spec.axis = word(axis, "figures.axis");
    const Axis& labels = e_.matrix[axis_index(spec.axis, axis, "figures.axis")];
    const Setting* column = s.find("column");
    const std::string key = column ? word(*column, "figures.column") : spec.axis;
    const std::filesystem::path path = std::filesystem::path(file.directory) / word(file, "figures.file");
    if (!std::filesystem::is_regular_file(path))
      fail(file, fmt::format("'figures.file' is '{}', which is no file", path.string()));
    try {
      spec.figures = Figures::load(path, key);
    } catch (const InputError& error) {
      fail(column ? *column : file, error.what());
    }
    const std::vector<std::string> lines = spec.figures.lines();
    for (const Alternative& a : labels.alternatives)
      if (std::find(lines.begin(), lines.end(), a.label) == lines.end())
        fail(file, fmt::format("'figures.file' has no line for '{}' of axis '{}'; it has: {}", a.label,
                               spec.axis, join_names(lines)));
    e_.figures = std::move(spec);
  }

  /// `$AXIS`, `@AXIS=LABEL:KEY` and figure(HEADING) must name what there is.
  void check_axes(const Expression& e, const Setting& at, const std::string& path) const {
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
        fail(at,
             fmt::format("'{}' has '{}'; allowed for {}: {}", path, name, there.axis, join_names(labels)));
    }
  }

  void read_parts(const Setting& s) {
    for (const Setting& item : list(s, "experiments")) {
      const std::string name = word(item, "experiments");
      Experiment part =
          Experiment::load(search_.find(name, "experiments", item.directory, item.place), search_, seeds_);
      if (!part.parts.empty())
        fail(item, fmt::format("'{}' has 'experiments' itself; allowed: an experiment without", name));
      for (const Experiment& other : e_.parts)
        if (other.name == part.name) fail(item, fmt::format("'experiments' has '{}' twice", part.name));
      if (part.name == e_.name)
        fail(item, fmt::format("'{}' has the name of this experiment; give one of them another", name));
      e_.parts.push_back(std::move(part));
    }
    if (e_.parts.empty()) fail(s, "'experiments' is an empty list; name at least one");
  }

  void read_page(const Setting& s) {
    check_keys(s, "page", {"file", "title", "blocks"});
    PageSpec page;
    const Setting& file = require(s, "page", "file");
    page.file = std::filesystem::path(file.directory) / word(file, "page.file");
    if (page.file.extension() != ".md")
      fail(file, fmt::format("'page.file' is '{}'; allowed: a name that ends in .md", file.text));
    page.title = word(require(s, "page", "title"), "page.title");
    for (const Setting& item : list(require(s, "page", "blocks"), "page.blocks")) {
      check_keys(item, "page.blocks", {"text", "table", "plot"});
      if (item.entries.size() != 1) fail(item, "'page.blocks': allowed: one of text, table, plot");
      const SettingEntry& entry = item.entries[0];
      PageBlock block;
      block.place = entry.value.place;
      const std::string content = word(entry.value, "page.blocks." + entry.key);
      if (entry.key == "text") {
        block.text = content;
      } else {
        block.kind = entry.key == "table" ? PageBlock::Kind::kTable : PageBlock::Kind::kPlot;
        block.table = content;
        if (!e_.table(content).second)
          fail(entry.value, fmt::format("no table is called '{}'; allowed: {}", content, table_names()));
      }
      page.blocks.push_back(std::move(block));
    }
    e_.page = std::move(page);
  }

  std::string table_names() const {
    std::vector<std::string> names;
    for (const TableSpec& table : e_.tables)
      if (!table.name.empty()) names.push_back(table.name);
    for (const Experiment& part : e_.parts)
      for (const TableSpec& table : part.tables)
        if (!table.name.empty()) names.push_back(part.name + "." + table.name);
    return names.empty() ? "none, as no table has a 'name'" : join_names(names);
  }

  /// Rows are the combinations of alternatives that occur, which is known before anything has run.
  ReferenceSpec reference(const Setting& s, const std::string& path, const TableSpec& table) const {
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
      for (const std::string& axis : table.rows)
        row += (row.empty() ? "" : " ") + e_.label(run, e_.axis(axis));
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

  EachSpec each(const Setting& s, const std::string& path) const {
    check_keys(s, path, {"list", "only", "label", "title", "where", "most"});
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
           fmt::format("'{}.label' is '{}'; allowed: an expression with a member 'each.KEY' of the items",
                       path, out.label));
    const Setting* title = s.find("title");
    out.title = title ? word(*title, path + ".title") : out.label;
    if (const Setting* w = s.find("where")) out.where = selection(*w, path + ".where");
    if (const Setting* m = s.find("most")) {
      std::uint64_t most = 0;
      if (!parse_unsigned(word(*m, path + ".most"), most) || most < 2 || most > 1'000'000)
        fail(*m, fmt::format("'{}.most' is '{}'; allowed: a whole number from 2 to 1000000", path, m->text));
      out.most = static_cast<std::uint32_t>(most);
    }
    for (const Axis& axis : e_.matrix)
      if (axis.alternatives.size() > 1 && std::none_of(out.where.begin(), out.where.end(),
                                                       [&](const auto& w) { return w.first == axis.name; }))
        fail(s,
             fmt::format("'{}' is of one run; pick one of axis '{}' with '{}.where'", path, axis.name, path));
    return out;
  }

  void read_table(const Setting& s, const std::string& path) {
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
    if (const Setting* f = s.find("foot")) {
      const std::vector<Setting> items = f->is_scalar() ? std::vector<Setting>{*f} : list(*f, path + ".foot");
      for (const Setting& item : items) {
        std::vector<std::string> names;
        for (const FootKind kind : kFeet) names.emplace_back(foot_name(kind));
        const std::string name = one_of(item, path + ".foot", names);
        table.foot.push_back(kFeet[std::find(names.begin(), names.end(), name) - names.begin()]);
      }
    }
    if (const Setting* r = s.find("reference")) {
      const std::vector<Setting> items =
          r->is_mapping() ? std::vector<Setting>{*r} : list(*r, path + ".reference");
      for (const Setting& item : items)
        table.references.push_back(reference(item, path + ".reference", table));
    }
    if (const Setting* p = s.find("plot")) table.plot = plot_kind(*p, path + ".plot");
    e_.tables.push_back(std::move(table));
  }

  void read_against(const Setting& s, const std::string& path, const std::optional<EachSpec>& each,
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

  bool is_seeds(const Axis& axis) const { return e_.seed_axis && &axis == &e_.matrix[*e_.seed_axis]; }

  ValueSpec value(const Setting& s, const std::string& path, const TableSpec& table) const {
    ValueSpec v;
    v.place = s.place;
    if (s.is_scalar()) {
      v.key = expression(s, path, table.each);
      v.each_key = s.text;
    } else {
      check_keys(s, path,
                 {"key", "title", "where", "best", "relative_to", "relative_key", "invert", "against",
                  "least", "show", "classes", "digits", "plot"});
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

  Experiment& e_;
  const ConfigSearch& search_;
  const Setting* seeds_;  ///< in place of the file's; null: none
};

}  // namespace

Experiment Experiment::load(const std::filesystem::path& file, const ConfigSearch& search,
                            const Setting* seeds) {
  Experiment experiment;
  const Setting root = search.load(file, "experiments");
  Reader(experiment, search, seeds).read(root);
  if (experiment.base.is_null()) return experiment;
  search.resolve(experiment.base, "experiments");
  if (!experiment.base.is_mapping())
    throw InputError(fmt::format("{}: 'base' is {}; allowed: the content or the path of a run file",
                                 experiment.base.place, kind_name(experiment.base)));
  if (const Setting* nested = experiment.base.find("experiment"))
    throw InputError(fmt::format("{}: 'base' is itself an experiment; allowed: a run file", nested->place));
  if (experiment.runs().empty())
    throw InputError(fmt::format("{}: 'exclude' leaves no run",
                                 root.find("exclude") ? root.find("exclude")->place : root.place));
  return experiment;
}

}  // namespace warpvp
