// `steps:` of a launch list: launches, and what the host does between them.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/config_printer.h"
#include "platform/config/run_config.h"
#include "platform/config/yaml_field_loader.h"

namespace warpvp {

namespace {

using StepKind = StepConfig::Kind;

constexpr int kMaxStepDepth = 16;

struct KindWord {
  const char* word;
  StepKind kind;
  std::vector<std::string> keys;  ///< besides the word
};

const std::vector<KindWord>& kind_words() {
  static const std::vector<KindWord> words = {
      {"memset", StepKind::kMemset, {"value", "bytes", "stream", "context"}},
      {"copy", StepKind::kCopy, {"to", "bytes", "stream", "context"}},
      {"write", StepKind::kWrite, {"data"}},
      {"dump", StepKind::kDump, {"file", "bytes"}},
      {"check", StepKind::kCheck, {"equals", "type", "count", "seed", "tolerance"}},
      {"until", StepKind::kUntil, {"type", "equals", "differs", "at_most", "do"}}};
  return words;
}

/// Reads the keys of one step.
class StepReader {
 public:
  StepReader(const Setting& setting, const std::string& path) : setting_(setting), path_(path) {}

  void keys(const KindWord& word) const {
    for (const SettingEntry& entry : setting_.entries) {
      if (entry.key == word.word || std::count(word.keys.begin(), word.keys.end(), entry.key) != 0) continue;
      const std::string near = nearest_name(entry.key, word.keys);
      throw InputError(fmt::format("{}: unknown key '{}' in '{}'{}; allowed: {}, {}", entry.key_place,
                                   entry.key, path_, near.empty() ? "" : "; nearest: '" + near + "'",
                                   word.word, join_names(word.keys)));
    }
  }
  [[noreturn]] void wrong(const char* key, const std::string& allowed) const {
    const Setting* value = setting_.find(key);
    if (!value)
      throw InputError(
          fmt::format("{}: '{}.{}' is missing; allowed: {}", setting_.place, path_, key, allowed));
    throw InputError(fmt::format("{}: '{}.{}' is {}; allowed: {}", value->place, path_, key,
                                 value->is_scalar() ? "'" + value->text + "'" : kind_name(*value), allowed));
  }
  void target(const char* key, TargetConfig& out) const {
    const Setting* value = setting_.find(key);
    if (!value) wrong(key, TargetConfig::syntax());
    out.load(*value, path_ + "." + key);
  }
  std::uint64_t whole(const char* key, std::uint64_t least, std::uint64_t most,
                      std::uint64_t otherwise) const {
    const Setting* value = setting_.find(key);
    if (!value) return otherwise;
    std::uint64_t number = 0;
    if (!value->is_scalar() || !parse_unsigned(value->text, number) || number < least || number > most)
      wrong(key, fmt::format("a whole number from {} to {}", least, most));
    return number;
  }
  double number(const char* key, double otherwise) const {
    const Setting* value = setting_.find(key);
    if (!value) return otherwise;
    double parsed = 0;
    if (!value->is_scalar() || !parse_double(value->text, parsed) || !(parsed >= 0))
      wrong(key, "a number, at least 0");
    return parsed;
  }
  std::string word(const char* key, const std::string& allowed, bool needed) const {
    const Setting* value = setting_.find(key);
    if (!value && !needed) return "";
    if (!value || !value->is_scalar() || value->text.empty()) wrong(key, allowed);
    return value->text;
  }
  const Setting* find(const char* key) const { return setting_.find(key); }
  const std::string& path() const { return path_; }

 private:
  const Setting& setting_;
  const std::string path_;
};

std::vector<StepConfig> load_steps(const Setting& setting, const std::string& path, int depth);

void load_type(const StepReader& in, StepConfig& step) {
  const std::string allowed = "one of: " + join_names(element_type_names());
  step.type = in.word("type", allowed, !step.target.symbol.empty());
  if (!step.type.empty() && !parse_element_type(step.type)) in.wrong("type", allowed);
}

void load_until(const StepReader& in, StepConfig& step, int depth) {
  load_type(in, step);
  step.differs = in.find("differs") != nullptr;
  if (step.differs && in.find("equals")) in.wrong("differs", "one of 'equals' and 'differs'");
  step.wanted = in.word(step.differs ? "differs" : "equals", "a value", true);
  if (!in.find("at_most")) in.wrong("at_most", "the greatest number of turns");
  step.at_most = in.whole("at_most", 1, 1'000'000'000, 0);
  if (!in.find("do") || !in.find("do")->is_sequence()) in.wrong("do", "a list of steps");
  step.body = load_steps(*in.find("do"), in.path() + ".do", depth + 1);
}

StepConfig load_step(const Setting& setting, const std::string& path, int depth) {
  StepConfig step;
  step.place = setting.place;
  if (!setting.is_mapping())
    throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", setting.place, path, kind_name(setting),
                                 StepList().syntax()));
  const auto word = std::find_if(kind_words().begin(), kind_words().end(),
                                 [&](const KindWord& w) { return setting.find(w.word) != nullptr; });
  if (word == kind_words().end()) {
    YamlFieldLoader loader(setting, path);
    step.launch.fields(loader);
    loader.finish();
    return step;
  }
  step.kind = word->kind;
  const StepReader in(setting, path);
  in.keys(*word);
  in.target(word->word, step.target);
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  step.bytes = in.whole("bytes", 1, kMost, 0);
  step.stream = static_cast<std::uint32_t>(in.whole("stream", 0, 0xffffffffu, 0));
  step.context = static_cast<std::uint32_t>(in.whole("context", 0, 0xffffffffu, 0));
  switch (step.kind) {
    case StepKind::kMemset:
      if (!in.find("value")) in.wrong("value", "a byte: a whole number from 0 to 255");
      step.value = static_cast<std::uint32_t>(in.whole("value", 0, 255, 0));
      break;
    case StepKind::kCopy:
      in.target("to", step.to);
      break;
    case StepKind::kWrite: {
      const Setting* data = in.find("data");
      if (!data || !data->is_sequence() || data->items.empty())
        in.wrong("data", "a list of values as in a struct, at least one");
      Setting structure = Setting::mapping();
      structure.place = data->place;
      structure.put("struct", *data);
      step.data = ArgumentConfig::load(structure, path + ".data", true);
      break;
    }
    case StepKind::kDump:
      step.file = in.word("file", "a file name without folders", true);
      break;
    case StepKind::kCheck:
      load_type(in, step);
      if (!in.find("equals")) in.wrong("equals", step.equals.syntax());
      step.equals.load(*in.find("equals"), path + ".equals");
      step.count = in.whole("count", 1, kMost, 0);
      step.seed = in.whole("seed", 0, std::numeric_limits<std::uint64_t>::max(), 0);
      step.tolerance = in.number("tolerance", 0);
      break;
    case StepKind::kUntil:
      load_until(in, step, depth);
      break;
    case StepKind::kLaunch:
      break;
  }
  const bool needs_size =
      step.kind == StepKind::kMemset || step.kind == StepKind::kDump || step.kind == StepKind::kCopy;
  if (needs_size && !step.target.symbol.empty() && step.bytes == 0)
    in.wrong("bytes", "the number of bytes, as that of a symbol is not known here");
  if (step.kind == StepKind::kCheck && !step.target.symbol.empty() && step.count == 0 &&
      step.equals.kind != BufferContents::Kind::kValues && step.equals.kind != BufferContents::Kind::kStruct)
    in.wrong("count", "the number of elements, as that of a symbol is not known here");
  return step;
}

std::vector<StepConfig> load_steps(const Setting& setting, const std::string& path, int depth) {
  if (depth > kMaxStepDepth)
    throw InputError(fmt::format("{}: '{}': loops within each other; allowed: at most {}", setting.place,
                                 path, kMaxStepDepth));
  std::vector<StepConfig> steps;
  for (std::size_t i = 0; i < setting.items.size(); ++i)
    steps.push_back(load_step(setting.items[i], fmt::format("{}.{}", path, i), depth));
  return steps;
}

Setting print_step(const StepConfig& step, const PrintStyle& style);

Setting print_steps(const std::vector<StepConfig>& steps, const PrintStyle& style) {
  Setting list = Setting::sequence();
  for (const StepConfig& step : steps) list.items.push_back(print_step(step, style));
  return list;
}

Setting print_step(const StepConfig& step, const PrintStyle& style) {
  if (step.kind == StepKind::kLaunch) {
    ConfigPrinter printer(style);
    LaunchConfig launch = step.launch;
    launch.fields(printer);
    return printer.tree();
  }
  Setting out = Setting::mapping();
  const auto word = std::find_if(kind_words().begin(), kind_words().end(),
                                 [&](const KindWord& w) { return w.kind == step.kind; });
  out.put(word->word, step.target.print(style));
  const auto number = [&](const char* key, std::uint64_t value) {
    if (value != 0) out.put(key, Setting::scalar(std::to_string(value)));
  };
  if (step.kind == StepKind::kCopy) out.put("to", step.to.print(style));
  if (step.kind == StepKind::kMemset) out.put("value", Setting::scalar(std::to_string(step.value)));
  number("bytes", step.bytes);
  number("stream", step.stream);
  number("context", step.context);
  if (step.kind == StepKind::kWrite) out.put("data", *step.data.print(style).find("struct"));
  if (!step.file.empty()) out.put("file", Setting::string(step.file));
  if (!step.type.empty()) out.put("type", Setting::string(step.type));
  if (step.kind == StepKind::kCheck) {
    out.put("equals", step.equals.print(style));
    number("count", step.count);
    number("seed", step.seed);
    if (step.tolerance != 0) out.put("tolerance", Setting::scalar(print_double(step.tolerance)));
  }
  if (step.kind == StepKind::kUntil) {
    out.put(step.differs ? "differs" : "equals", Setting::scalar(step.wanted));
    number("at_most", step.at_most);
    out.put("do", print_steps(step.body, style));
  }
  return out;
}

}  // namespace

void StepList::load(const Setting& setting, const std::string& path) {
  if (!setting.is_sequence())
    throw InputError(
        fmt::format("{}: '{}' is {}; allowed: {}", setting.place, path, kind_name(setting), syntax()));
  items = load_steps(setting, path, 0);
}

Setting StepList::print(const PrintStyle& style) const { return print_steps(items, style); }

std::string StepList::syntax() const {
  return "a list of launches (keys as in `launches`), {memset: PLACE, value: BYTE, bytes: N}, {copy: PLACE, "
         "to: PLACE, bytes: N}, {write: PLACE, data: [MEMBER, ...]}, {dump: PLACE, file: NAME}, {check: "
         "PLACE, "
         "equals: CONTENTS}, {until: PLACE, equals: V, at_most: N, do: [STEP, ...]} and {repeat: N, as: "
         "NAME, "
         "do: [STEP, ...]}; a PLACE is " +
         TargetConfig::syntax();
}

void for_each_step(const std::vector<StepConfig>& steps,
                   const std::function<void(const StepConfig&)>& visit) {
  for (const StepConfig& step : steps) {
    visit(step);
    for_each_step(step.body, visit);
  }
}

void for_each_launch(const WorkloadConfig& workload, const std::function<void(const LaunchConfig&)>& visit) {
  for (const LaunchConfig& launch : workload.launches) visit(launch);
  for (const JobConfig& job : workload.jobs)
    for (const LaunchConfig& launch : job.launches) visit(launch);
  for_each_step(workload.steps.items, [&](const StepConfig& step) {
    if (step.kind == StepKind::kLaunch) visit(step.launch);
  });
}

void for_each_target(const WorkloadConfig& workload,
                     const std::function<void(const TargetConfig&, const std::string&)>& visit) {
  const auto within = [&](const ArgumentConfig& argument, const std::string& path) {
    if (argument.is_image()) return;
    for (const AddressConfig& address : argument.addresses()) visit(address.target, path);
  };
  for (const auto& [name, buffer] : workload.buffers)
    if (buffer.init.kind == BufferContents::Kind::kStruct)
      within(buffer.init.structure, "workload.buffers." + name + ".init");
  const auto of_launch = [&](const LaunchConfig& launch, const std::string& path) {
    for (std::size_t k = 0; k < launch.args.items.size(); ++k)
      within(launch.args.items[k], fmt::format("{}.args.{}", path, k));
  };
  for (std::size_t i = 0; i < workload.launches.size(); ++i)
    of_launch(workload.launches[i], fmt::format("workload.launches.{}", i));
  for (std::size_t i = 0; i < workload.jobs.size(); ++i)
    for (std::size_t k = 0; k < workload.jobs[i].launches.size(); ++k)
      of_launch(workload.jobs[i].launches[k], fmt::format("workload.jobs.{}.launches.{}", i, k));
  for_each_step(workload.steps.items, [&](const StepConfig& step) {
    if (step.kind == StepKind::kLaunch) return of_launch(step.launch, "workload.steps");
    visit(step.target, "workload.steps");
    if (step.kind == StepKind::kCopy) visit(step.to, "workload.steps.to");
    if (step.kind == StepKind::kWrite) within(step.data, "workload.steps.data");
  });
}

}  // namespace warpvp
