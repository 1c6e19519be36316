#include "study/experiment/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/yaml_field_loader.h"
#include "platform/results/results_db.h"
#include "study/experiment/comparison_reader.h"
#include "study/experiment/table_reader.h"

namespace warpvp {

namespace {

/// Reads the parts of an experiment whose shape is not that of a struct of fields.
class Reader : private SettingReader {
 public:
  Reader(Experiment& experiment, const ConfigSearch& search, const Setting* seeds)
      : e_(experiment), tables_(experiment), search_(search), seeds_(seeds) {}

  void read(const Setting& root) {
    check_keys(root, "",
               {"experiment", "description", "experiments", "base", "matrix", "seeds", "exclude", "figures",
                "table", "tables", "joined", "comparisons", "page"});
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
      for (const Setting& item : list(*s, "exclude"))
        e_.exclude.push_back(tables_.selection(item, "exclude"));
    }
    if (const Setting* s = root.find("figures")) read_figures(*s);
    if (root.find("table") && root.find("tables"))
      fail(*root.find("tables"), "'table' and 'tables'; allowed: one of them");
    if (const Setting* s = root.find("table")) tables_.read_table(*s, "table");
    if (const Setting* s = root.find("tables")) {
      for (const Setting& item : list(*s, "tables")) tables_.read_table(item, "tables");
    }
    if (!e_.base.is_null() && e_.tables.empty())
      fail(root, "no 'table'; say what the experiment is to print");
    if (const Setting* s = root.find("joined")) read_joined(*s);
    if (const Setting* s = root.find("comparisons")) ComparisonReader(e_).read(*s);
    if (const Setting* s = root.find("page")) read_page(*s);
  }

 private:
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
    for (std::size_t i = 0; i < matrix.entries.size(); ++i) {
      const Setting& axis = matrix.entries[i].value;
      const std::vector<Setting>& alternatives = (axis.is_mapping() ? *axis.find("values") : axis).items;
      for (std::size_t j = 0; j < alternatives.size(); ++j)
        read_also(alternatives[j], e_.matrix[i].name, e_.matrix[i].alternatives[j]);
    }
  }

  static bool sets_seed(const std::vector<Assignment>& sets) {
    return std::any_of(sets.begin(), sets.end(), [](const Assignment& set) { return set.path == "seed"; });
  }

  void read_seeds(const Setting& s) {
    Axis axis;
    axis.name = "seed";
    for (const Axis& other : e_.matrix) {
      bool sets = other.name == axis.name;
      for (const Alternative& a : other.alternatives)
        sets = sets || sets_seed(a.sets) ||
               std::any_of(a.also.begin(), a.also.end(),
                           [](const AlsoSets& also) { return sets_seed(also.sets); });
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
      check_keys(item, path, {"name", "set", "value", "also"});
      out.label = word(require(item, path, "name"), path + ".name");
      if (item.find("set") && item.find("value"))
        fail(item, fmt::format("'{}': 'set' and 'value'; allowed: one of them", path));
      if (const Setting* value = item.find("value")) {
        out.sets.push_back({setting, *value});
      } else {
        out.sets = sets_of(item, path);
      }
    } else {
      if (item.is_null()) fail(item, fmt::format("'{}' has an empty value", path));
      out.label = label_of(item);
      out.sets.push_back({setting, item});
    }
    return out;
  }

  static std::vector<Assignment> sets_of(const Setting& item, const std::string& path) {
    const Setting& sets = require(item, path, "set");
    if (!sets.is_mapping())
      fail(sets,
           fmt::format("'{}.set' is {}; allowed: a mapping of settings to values", path, kind_name(sets)));
    std::vector<Assignment> out;
    for (const SettingEntry& entry : sets.entries) out.push_back({entry.key, entry.value});
    return out;
  }

  /// What alternatives set in combinations with those of other axes, which have been read by then.
  void read_also(const Setting& alternative, const std::string& axis, Alternative& out) const {
    const Setting* also = alternative.is_mapping() ? alternative.find("also") : nullptr;
    if (!also) return;
    const std::string path = "matrix." + axis + ".also";
    for (const Setting& item : list(*also, path)) {
      check_keys(item, path, {"where", "set"});
      AlsoSets sets;
      sets.sets = sets_of(item, path);
      const Setting& where = require(item, path, "where");
      if (!where.is_mapping())
        fail(where, fmt::format("'{}.where' is {}; allowed: a mapping of axes to names or lists of names",
                                path, kind_name(where)));
      for (const SettingEntry& entry : where.entries) {
        const Axis& other = e_.matrix[tables_.axis_index(entry.key, entry.value, path + ".where")];
        std::vector<std::string> labels;
        const auto add = [&](const Setting& label) {
          labels.push_back(word(label, path + ".where." + entry.key));
          TableReader::check_label(other, labels.back(), label, path + ".where");
        };
        if (entry.value.is_sequence())
          for (const Setting& label : entry.value.items) add(label);
        else
          add(entry.value);
        sets.where.emplace_back(entry.key, std::move(labels));
      }
      out.also.push_back(std::move(sets));
    }
  }

  void read_figures(const Setting& s) {
    check_keys(s, "figures", {"file", "axis", "column"});
    const Setting& file = require(s, "figures", "file");
    const Setting& axis = require(s, "figures", "axis");
    FiguresSpec spec;
    spec.axis = word(axis, "figures.axis");
    const Axis& labels = e_.matrix[tables_.axis_index(spec.axis, axis, "figures.axis")];
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

  void read_joined(const Setting& s) {
    for (const Setting& item : list(s, "joined")) {
      const std::string path = "joined";
      check_keys(item, path, {"name", "title", "tables", "foot"});
      JoinedSpec spec;
      spec.place = item.place;
      spec.name = word(require(item, path, "name"), path + ".name");
      spec.title = word(require(item, path, "title"), path + ".title");
      if (e_.has_table(spec.name)) fail(item, fmt::format("two tables are called '{}'", spec.name));
      for (const Setting& table : list(require(item, path, "tables"), path + ".tables")) {
        spec.tables.push_back(word(table, path + ".tables"));
        if (!e_.table(spec.tables.back()).second)
          fail(table,
               fmt::format("no table is called '{}'; allowed: {}", spec.tables.back(), e_.table_names()));
      }
      if (spec.tables.empty())
        fail(item, fmt::format("'{}.tables' is an empty list; name at least one", path));
      if (const Setting* foot = item.find("foot"))
        spec.foot = TableReader::feet(*foot, path + ".foot", {FootKind::kMean, FootKind::kGeomean});
      e_.joined.push_back(std::move(spec));
    }
  }

  void read_page(const Setting& s) {
    check_keys(s, "page", {"file", "title", "blocks"});
    PageSpec page;
    const Setting& file = require(s, "page", "file");
    page.file = std::filesystem::path(file.directory) / word(file, "page.file");
    if (page.file.extension() != ".md")
      fail(file, fmt::format("'page.file' is '{}'; allowed: a name that ends in .md", file.text));
    page.title = word(require(s, "page", "title"), "page.title");
    for (const Setting& item : list(require(s, "page", "blocks"), "page.blocks"))
      page.blocks.push_back(read_block(item));
    e_.page = std::move(page);
  }

  PageBlock read_block(const Setting& item) const {
    check_keys(item, "page.blocks", {"text", "table", "plot", "comparison", "agreement"});
    if (item.entries.size() != 1)
      fail(item, "'page.blocks': allowed: one of text, table, plot, comparison, agreement");
    const auto& [key, value] = std::tie(item.entries[0].key, item.entries[0].value);
    PageBlock block;
    block.place = value.place;
    if (key == "agreement" && value.is_sequence()) {
      block.kind = PageBlock::Kind::kAgreement;
      for (const Setting& name : value.items) block.comparisons.push_back(comparison(name));
      return block;
    }
    const std::string content = word(value, "page.blocks." + key);
    if (key == "text") {
      block.text = content;
    } else if (key == "agreement") {
      block.kind = PageBlock::Kind::kAgreement;
      if (content != "all") fail(value, "'page.blocks.agreement': allowed: all, or a list of comparisons");
      for (const ComparisonSpec& one : e_.comparisons) block.comparisons.push_back(one.name);
    } else if (key == "comparison") {
      block.kind = PageBlock::Kind::kComparison;
      block.comparisons = {comparison(value)};
    } else {
      block.kind = key == "table" ? PageBlock::Kind::kTable : PageBlock::Kind::kPlot;
      block.table = content;
      if (!e_.has_table(content))
        fail(value, fmt::format("no table is called '{}'; allowed: {}", content, e_.table_names()));
    }
    return block;
  }

  std::string comparison(const Setting& s) const {
    std::vector<std::string> names;
    for (const ComparisonSpec& one : e_.comparisons) names.push_back(one.name);
    return one_of(s, "page.blocks", names);
  }

  Experiment& e_;
  TableReader tables_;
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
