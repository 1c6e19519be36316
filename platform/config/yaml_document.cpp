#include "platform/config/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/data_folder.h"
#include "base/end_guard.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/registry.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

constexpr int kMaxYamlDepth = 64;
constexpr std::size_t kMaxNodes = 4'000'000;
constexpr std::size_t kMaxAliased = 200'000;      // values that aliases repeat: they expand without bound
constexpr std::size_t kMaxWordBytes = 64 * 1024;  // of a key or a value

std::string place_of_mark(const std::string& name, const YAML::Mark& mark) {
  // An override is its own place: one can see the whole of it.
  return mark.is_null() || name.rfind("--", 0) == 0
             ? name
             : fmt::format("{}:{}:{}", name, mark.line + 1, mark.column + 1);
}

[[noreturn]] void refuse_word(const std::string& place, std::size_t bytes) {
  throw InputError(
      fmt::format("{}: a word of {} bytes or more; allowed: at most {}", place, bytes, kMaxWordBytes));
}

/// Before yaml-cpp makes copies of it.
void check_words(const std::string& text, const std::string& name) {
  std::size_t begin = 0, line = 1, line_begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (std::strchr(" ,:\n\t\r[]{}#", c) == nullptr || c == '\0') {
      if (i - begin >= kMaxWordBytes) {
        YAML::Mark mark;
        mark.pos = static_cast<int>(begin);
        mark.line = static_cast<int>(line - 1);
        mark.column = static_cast<int>(begin - line_begin);
        refuse_word(place_of_mark(name, mark), kMaxWordBytes + 1);
      }
      continue;
    }
    begin = i + 1;
    if (c == '\n') {
      ++line;
      line_begin = begin;
    }
  }
}

/// Makes settings of what the parser reads, and counts it meanwhile: some wrong texts (one that begins with
/// ',') are documents without end to yaml-cpp, and aliases expand without bound.
class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& name, const std::string& directory) : name_(name) {
    result_.place = name;
    result_.directory = directory;
  }
  /// Once all is read; null where the text has no document.
  Setting take() {
    if (!wrong_key_.empty()) throw InputError(wrong_key_);
    return std::move(result_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) {
      first_ = mark;
    } else if (mark.pos == first_.pos) {
      throw InputError(
          fmt::format("{}: not valid YAML: a value cannot begin here", place_of_mark(name_, mark)));
    } else {
      throw InputError(fmt::format("{}: a second document starts here; allowed: one document a file",
                                   place_of_mark(name_, mark)));
    }
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark);
    add({node(mark), 1, 0}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count(mark);
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end())
      throw InputError(fmt::format("{}: an alias within what it stands for", place_of_mark(name_, mark)));
    aliased_ += named->second.values;
    if (aliased_ > kMaxAliased)
      throw InputError(
          fmt::format("{}: aliases repeat more than {} values", place_of_mark(name_, mark), kMaxAliased));
    if (open_.size() + named->second.height > kMaxYamlDepth) refuse_depth(place_of_mark(name_, mark));
    add(named->second, YAML::NullAnchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    if (text.size() > kMaxWordBytes) refuse_word(place_of_mark(name_, mark), text.size());
    count(mark);
    Built built{node(mark), 1, 0};
    built.setting.kind = Setting::Kind::kScalar;
    built.setting.text = text;
    built.setting.quoted = tag == "!";
    add(std::move(built), anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, Setting::Kind::kSequence);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, Setting::Kind::kMapping);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Built {
    Setting setting;
    std::size_t values;  // with what aliases repeat
    std::size_t height;  // of the tree: 0 for a word
  };
  struct Open {
    Built built;
    YAML::anchor_t anchor;
    bool has_key;  // of a mapping: `key` waits for its value
    std::string key, key_place;
  };

  Setting node(const YAML::Mark& mark) const {
    Setting setting;
    setting.place = place_of_mark(name_, mark);
    setting.directory = result_.directory;
    return setting;
  }
  void add(Built built, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) keep(built, anchor);
    if (open_.empty()) {
      result_ = std::move(built.setting);
      return;
    }
    Open& parent = open_.back();
    const bool is_value = parent.built.setting.is_sequence() || parent.has_key;
    if (is_value && open_.size() > kMaxYamlDepth) refuse_depth(built.setting.place);
    parent.built.values += built.values;
    parent.built.height = std::max(parent.built.height, built.height + 1);
    if (parent.built.setting.is_sequence()) {
      parent.built.setting.items.push_back(std::move(built.setting));
    } else if (parent.has_key) {
      parent.has_key = false;
      parent.built.setting.entries.push_back(
          {std::move(parent.key), std::move(parent.key_place), std::move(built.setting)});
    } else {
      take_key(parent, built.setting);
    }
  }
  void keep(const Built& built, YAML::anchor_t anchor) {
    kept_ += built.values;
    if (kept_ > kMaxNodes)
      throw InputError(fmt::format("{}: anchors name more than {} values", built.setting.place, kMaxNodes));
    anchors_.insert_or_assign(anchor, built);
  }
  static std::string what_is_wrong(const Open& mapping, const Setting& key) {
    if (!key.is_scalar()) return fmt::format("{}: a key must be a word", key.place);
    for (const SettingEntry& other : mapping.built.setting.entries)
      if (other.key == key.text)
        return fmt::format("{}: key '{}' is written twice; first at {}", key.place, key.text,
                           other.key_place);
    return {};
  }
  void take_key(Open& mapping, Setting& key) {
    // Where the text is no YAML, that is the better answer.
    if (wrong_key_.empty()) wrong_key_ = what_is_wrong(mapping, key);
    mapping.has_key = true;
    mapping.key = std::move(key.text);
    mapping.key_place = std::move(key.place);
  }
  void open(const YAML::Mark& mark, YAML::anchor_t anchor, Setting::Kind kind) {
    count(mark);
    if (open_.size() > kMaxYamlDepth) refuse_depth(place_of_mark(name_, mark));
    Built built{node(mark), 1, 0};
    built.setting.kind = kind;
    open_.push_back({std::move(built), anchor, false, {}, {}});
  }
  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed.built), closed.anchor);
  }
  void count(const YAML::Mark& mark) {
    if (++values_ > kMaxNodes)
      throw InputError(fmt::format("{}: more than {} values", place_of_mark(name_, mark), kMaxNodes));
  }
  [[noreturn]] static void refuse_depth(const std::string& place) {
    throw InputError(fmt::format("{}: nested more than {} deep", place, kMaxYamlDepth));
  }

  const std::string& name_;
  YAML::Mark first_;
  std::size_t documents_ = 0, values_ = 0, aliased_ = 0, kept_ = 0;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Built> anchors_;  // of what has been closed
  std::string wrong_key_;                    // the first
  Setting result_;
};

void set_layers(Setting& setting, int layer) {
  setting.layer = layer;
  for (Setting& item : setting.items) set_layers(item, layer);
  for (SettingEntry& entry : setting.entries) set_layers(entry.value, layer);
}

}  // namespace

Setting parse_yaml(const std::string& text, const std::string& name, const std::string& directory) {
  check_words(text, name);
  try {
    Builder builder(name, directory);
    std::istringstream in(text);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.take();
  } catch (const YAML::Exception& e) {
    throw InputError(fmt::format("{}: not valid YAML: {}", place_of_mark(name, e.mark), e.msg));
  }
}

// A run with many applications names the same file of profiles in each, the runs of an experiment the same
// platform; parsing is what costs.
Setting load_yaml_file(const fs::path& file) {
  struct Parsed {
    std::string text;
    Setting tree;
  };
  constexpr std::size_t kFiles = 64;
  thread_local std::map<std::string, Parsed> parsed;
  const Activity reading("reading", file.string());
  std::string text = read_input_file(file, input_limit::kYaml);
  const auto known = parsed.find(file.string());
  if (known != parsed.end() && known->second.text == text) return known->second.tree;
  Setting tree = parse_yaml(text, file.string(), file.has_parent_path() ? file.parent_path().string() : ".");
  if (parsed.size() >= kFiles) parsed.clear();
  parsed.insert_or_assign(file.string(), Parsed{std::move(text), tree});
  return tree;
}

ConfigSearch ConfigSearch::standard() {
  std::vector<fs::path> roots;
  if (const char* path = std::getenv("WARPVP_CONFIG_PATH")) {
    std::istringstream in(path);
    for (std::string part; std::getline(in, part, ':');)
      if (!part.empty()) roots.emplace_back(part);
  }
  roots.push_back(data_folder("configs"));
  return ConfigSearch(std::move(roots), "small");
}

std::vector<std::string> ConfigSearch::names(const std::string& kind) const {
  std::set<std::string> names;
  for (const fs::path& root : roots_) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / kind, error))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> ConfigSearch::folders(const std::string& kind) const {
  std::set<std::string> names;
  for (const fs::path& root : roots_) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(root / kind, error))
      if (entry.is_directory(error)) names.insert(entry.path().filename().string());
  }
  return {names.begin(), names.end()};
}

namespace {
/// For reading the comment at a file's head; what cannot be read has none.
std::ifstream open_comment(const fs::path& file) {
  return why_unreadable(file, input_limit::kYaml).empty() ? std::ifstream(file) : std::ifstream();
}
}  // namespace

std::string ConfigSearch::headline(const fs::path& file) {
  std::ifstream in = open_comment(file);
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    if (line[0] != '#') break;
    const std::size_t start = line.find_first_not_of("# ");
    if (start != std::string::npos) return line.substr(start);
  }
  return "";
}

std::string ConfigSearch::head_comment(const fs::path& file) {
  std::ifstream in = open_comment(file);
  std::string comment;
  for (std::string line; std::getline(in, line) && !line.empty() && line[0] == '#';)
    comment += line.substr(line.size() > 1 && line[1] == ' ' ? 2 : 1) + "\n";
  return comment;
}

fs::path ConfigSearch::find(const std::string& name, const std::string& kind, const std::string& directory,
                            const std::string& place) const {
  std::vector<fs::path> candidates;
  const fs::path path(name);
  // A bare word is a name before it is a file: a run file may be called like the workload it runs.
  if (!path.has_parent_path() && path.extension() != ".yaml")
    for (const fs::path& root : roots_) candidates.push_back(root / kind / (name + ".yaml"));
  const fs::path as_path = path.is_absolute() ? path : fs::path(directory) / path;
  candidates.push_back(as_path);
  candidates.push_back(as_path.string() + ".yaml");
  for (const fs::path& root : roots_) candidates.push_back(root / kind / name);
  std::error_code error;
  for (const fs::path& candidate : candidates)
    if (fs::is_regular_file(candidate, error)) return candidate.lexically_normal();
  // There is something of that name, but nothing to be read.
  if (fs::exists(as_path, error)) check_input_file(as_path, input_limit::kYaml, place);
  const std::vector<std::string> known = names(kind);
  const std::string near = nearest_name(name, known);
  throw InputError(fmt::format("{}no file '{}', and no such name in {}; allowed: a path{}{}{}",
                               place.empty() ? "" : place + ": ", name, kind,
                               known.empty() ? "" : " or one of: ", join_names(known),
                               near.empty() ? "" : "; did you mean '" + near + "'?"));
}

Setting ConfigSearch::load(const fs::path& file, const std::string& kind) const {
  std::vector<fs::path> chain;
  return load_chain(file, kind, chain);
}

void ConfigSearch::resolve(Setting& setting, const std::string& kind) const {
  std::vector<fs::path> chain;
  resolve_chain(setting, kind, chain);
}

Setting ConfigSearch::load_chain(const fs::path& file, const std::string& kind,
                                 std::vector<fs::path>& chain) const {
  const fs::path canonical = fs::weakly_canonical(file);
  if (std::find(chain.begin(), chain.end(), canonical) != chain.end())
    throw InputError(fmt::format("{}: extends itself", file.string()));
  chain.push_back(canonical);
  Setting setting = load_yaml_file(file);
  if (setting.is_null()) {
    setting.kind = Setting::Kind::kMapping;
  } else if (!setting.is_mapping()) {
    throw InputError(
        fmt::format("{}: found {}; allowed: a mapping of keys to values", setting.place, kind_name(setting)));
  }
  set_layers(setting, 0);
  if (setting.find("extends")) resolve_chain(setting, kind, chain);
  chain.pop_back();
  return setting;
}

void ConfigSearch::resolve_chain(Setting& setting, const std::string& kind,
                                 std::vector<fs::path>& chain) const {
  const Setting* extends = setting.is_scalar()    ? &setting
                           : setting.is_mapping() ? setting.find("extends")
                                                  : nullptr;
  if (!extends) return;
  if (!extends->is_scalar())
    throw InputError(fmt::format("{}: 'extends' is {}; allowed: the name or path of one file", extends->place,
                                 kind_name(*extends)));
  Setting base = load_chain(find(extends->text, kind, extends->directory, extends->place), kind, chain);
  if (setting.is_mapping()) {
    setting.remove("extends");
    // What is laid over the file counts as later than everything in it, however deep the file's own chain.
    struct Raise {
      static int highest(const Setting& s) {
        int top = s.layer;
        for (const Setting& item : s.items) top = std::max(top, highest(item));
        for (const SettingEntry& entry : s.entries) top = std::max(top, highest(entry.value));
        for (const SettingEntry& entry : s.below) top = std::max(top, highest(entry.value));
        return top;
      }
      static void by(Setting& s, int amount) {
        s.layer += amount;
        for (Setting& item : s.items) by(item, amount);
        for (SettingEntry& entry : s.entries) by(entry.value, amount);
        for (SettingEntry& entry : s.below) by(entry.value, amount);
      }
    };
    Raise::by(setting, Raise::highest(base) + 1);
    merge_settings(base, setting);
  }
  setting = std::move(base);
}

}  // namespace warpvp
