#include "platform/config/application_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/error.h"
#include "base/kernel_profile.h"
#include "base/registry.h"
#include "platform/config/record_file.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

namespace fs = std::filesystem;

namespace {

using apps::TraceLaunch;
using apps::TraceStep;
using Kind = TraceStep::Kind;

constexpr int kMaxDepth = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 31;
const char* const kFolder = "applications";

[[noreturn]] void refuse(const std::string& place, const std::string& what, const std::string& allowed) {
  throw InputError(fmt::format("{}: {}; allowed: {}", place, what, allowed));
}

std::string shown(const Setting& value) {
  return value.is_scalar() ? "'" + value.text + "'" : kind_name(value);
}

double number_of(const Setting& value, const std::string& path, double least = 0) {
  double parsed = 0;
  if (!value.is_scalar() || !parse_double(value.text, parsed) || !(parsed >= least) || !(parsed < 1e12))
    refuse(value.place, fmt::format("'{}' is {}", path, shown(value)),
           fmt::format("a number, at least {}", least));
  return parsed;
}

std::uint64_t whole_of(const Setting& value, const std::string& path, std::uint64_t least,
                       std::uint64_t most) {
  std::uint64_t parsed = 0;
  if (!value.is_scalar() || !parse_unsigned(value.text, parsed) || parsed < least || parsed > most)
    refuse(value.place, fmt::format("'{}' is {}", path, shown(value)),
           fmt::format("a whole number from {} to {}", least, most));
  return parsed;
}

void require_keys(const Setting& mapping, const std::string& path, const std::vector<std::string>& allowed) {
  for (const SettingEntry& entry : mapping.entries) {
    if (std::count(allowed.begin(), allowed.end(), entry.key) != 0) continue;
    const std::string near = nearest_name(entry.key, allowed);
    refuse(entry.key_place,
           fmt::format("unknown key '{}' in '{}'{}", entry.key, path,
                       near.empty() ? "" : "; nearest: '" + near + "'"),
           join_names(allowed));
  }
}

KernelProfiles read_profiles(const Setting& path) {
  if (!path.is_scalar()) refuse(path.place, "'profiles' is " + shown(path), "the path of a profile file");
  const fs::path file = (fs::path(path.directory) / path.text).lexically_normal();
  KernelProfiles profiles;
  profiles.files = {{path.text, file.string(), path.place}};
  profiles.read([&](const char* heading, const RecordReader& read) {
    read_records(profiles.files.front(), "profiles", heading, read);
  });
  return profiles;
}

/// Names of kernels, without the shapes of launches.
std::vector<std::string> names_of(const KernelProfiles& profiles) {
  std::set<std::string> names;
  for (const auto& [name, profile] : profiles.by_name) names.insert(name.substr(0, name.find('@')));
  return {names.begin(), names.end()};
}

/// Of launches with so many CTAs; `threads` is 0 where the trace leaves them to the profile, which then is
/// the kernel's, or the only one of launches with so many CTAs.
const KernelProfile* profile_of(const KernelProfiles& profiles, const std::string& kernel, std::uint64_t ctas,
                                std::uint64_t threads) {
  if (threads != 0) return profiles.find(kernel, ctas, static_cast<std::uint32_t>(threads));
  const auto plain = profiles.by_name.find(kernel);
  if (plain != profiles.by_name.end()) return &plain->second;
  const std::string prefix = fmt::format("{}@{}x", kernel, ctas);
  const KernelProfile* found = nullptr;
  for (auto it = profiles.by_name.lower_bound(prefix);
       it != profiles.by_name.end() && it->first.rfind(prefix, 0) == 0; ++it) {
    if (found) return nullptr;
    found = &it->second;
  }
  return found;
}

std::uint64_t product(const std::uint32_t (&of)[3]) { return std::uint64_t{of[0]} * of[1] * of[2]; }

/// The keys of a step that say what it does, and those that may stand beside.
struct StepWord {
  const char* word;
  Kind kind;
  std::vector<std::string> beside;
};

const std::vector<StepWord>& step_words() {
  static const std::vector<StepWord> words = {{"cpu_us", Kind::kCpu, {}},
                                              {"copy_to_device", Kind::kCopyToDevice, {"stream"}},
                                              {"copy_to_host", Kind::kCopyToHost, {"stream"}},
                                              {"copy_on_device", Kind::kCopyOnDevice, {"stream"}},
                                              {"fill", Kind::kFill, {"stream"}},
                                              {"launch", Kind::kLaunch, {"stream"}},
                                              {"synchronize", Kind::kSynchronize, {}},
                                              {"record", Kind::kRecord, {"stream"}},
                                              {"wait", Kind::kWait, {"stream"}},
                                              {"repeat", Kind::kRepeat, {"steps"}}};
  return words;
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const StepWord& word : step_words()) words.emplace_back(word.word);
  return words;
}

class TraceReader {
 public:
  /// nullptr: the trace names no profiles.
  explicit TraceReader(const KernelProfiles* profiles) : profiles_(profiles) {}

  std::vector<TraceStep> steps(const Setting& setting, const std::string& path, int depth = 0) {
    if (!setting.is_sequence())
      refuse(setting.place, fmt::format("'{}' is {}", path, shown(setting)), "a list of steps");
    if (depth > kMaxDepth)
      refuse(setting.place, "repeats within each other", fmt::format("at most {}", kMaxDepth));
    std::vector<TraceStep> out;
    double ended = 0;  // of the step before, where steps say when they were
    std::string before;
    for (std::size_t i = 0; i < setting.items.size(); ++i) {
      const std::string name = fmt::format("{}.{}", path, i);
      const Setting& item = setting.items[i];
      stamps(item, name, ended, before, out);
      out.push_back(step(item, name, depth));
    }
    return out;
  }

 private:
  /// `start_us` and `end_us` of a call, as tools that watch the API write them: the CPU works in between, and
  /// a thread makes one call at a time.
  void stamps(const Setting& item, const std::string& path, double& ended, std::string& before,
              std::vector<TraceStep>& out) {
    const Setting* start = item.find("start_us");
    const Setting* end = item.find("end_us");
    if (!start && !end) return;
    if (!start || !end)
      refuse(item.place, fmt::format("'{}' has one of start_us and end_us", path), "both, or neither");
    const double from = number_of(*start, path + ".start_us"), to = number_of(*end, path + ".end_us");
    if (to < from)
      refuse(end->place,
             fmt::format("'{}.end_us' is {}, before its start_us, {}", path, end->text, start->text),
             "an end that is not before the start");
    if (from < ended)
      refuse(start->place,
             fmt::format("'{}.start_us' is {}, before the end of the call before, {} us at {}: calls overlap",
                         path, start->text, ended, before),
             fmt::format("at least {}", ended));
    if (from > ended) {
      TraceStep cpu;
      cpu.us = from - ended;
      cpu.place = item.place;
      out.push_back(std::move(cpu));
    }
    ended = to;
    before = item.place;
  }

  TraceStep step(const Setting& item, const std::string& path, int depth) {
    const std::string allowed = "a mapping with one of: " + join_names(all_words());
    if (!item.is_mapping()) refuse(item.place, fmt::format("'{}' is {}", path, shown(item)), allowed);
    const StepWord* word = nullptr;
    for (const StepWord& candidate : step_words()) {
      if (!item.find(candidate.word)) continue;
      if (word)
        refuse(item.place, fmt::format("'{}' has both '{}' and '{}'", path, word->word, candidate.word),
               "one call a step");
      word = &candidate;
    }
    if (!word) {
      const std::string near =
          item.entries.empty() ? "" : nearest_name(item.entries.front().key, all_words());
      refuse(item.place,
             fmt::format("'{}' says no call{}", path, near.empty() ? "" : "; nearest: '" + near + "'"),
             allowed);
    }
    std::vector<std::string> keys = word->beside;
    keys.insert(keys.end(), {word->word, "start_us", "end_us"});
    require_keys(item, path, keys);

    TraceStep out;
    out.kind = word->kind;
    out.place = item.place;
    const Setting& value = *item.find(word->word);
    const std::string key = path + "." + word->word;
    if (const Setting* stream = item.find("stream"))
      out.stream = static_cast<unsigned>(whole_of(*stream, path + ".stream", 0, 1023));
    switch (out.kind) {
      case Kind::kCpu:
        out.us = number_of(value, key);
        break;
      case Kind::kCopyToDevice:
      case Kind::kCopyToHost:
      case Kind::kCopyOnDevice:
      case Kind::kFill:
        out.bytes = bytes_of(value, key);
        break;
      case Kind::kLaunch:
        out.launch = launch(value, key);
        break;
      case Kind::kSynchronize:
        synchronize(value, key, out);
        break;
      case Kind::kRecord:
      case Kind::kWait:
        out.event = event_of(value, key);
        if (out.kind == Kind::kRecord) recorded_.insert(out.event);
        require_recorded(out.event, value.place, key);
        break;
      case Kind::kRepeat:
        out.times = whole_of(value, key, 1, 1'000'000'000);
        if (!item.find("steps"))
          refuse(item.place, fmt::format("'{}.steps' is missing", path), "a list of steps");
        out.body = steps(*item.find("steps"), path + ".steps", depth + 1);
        break;
      case Kind::kSynchronizeEvent:
        break;
    }
    return out;
  }

  static unsigned event_of(const Setting& value, const std::string& key) {
    return static_cast<unsigned>(whole_of(value, key, 0, 0xffffffffu));
  }
  void require_recorded(unsigned event, const std::string& place, const std::string& key) const {
    if (recorded_.count(event) == 0)
      refuse(place, fmt::format("'{}': event {} is recorded nowhere before", key, event),
             "the number of an event that an earlier step records");
  }

  /// `true`, `{stream: N}` or `{event: N}`.
  void synchronize(const Setting& value, const std::string& key, TraceStep& out) {
    const std::string allowed = "true, {stream: N} or {event: N}";
    if (value.is_scalar() && value.text == "true") return;
    if (!value.is_mapping() || value.entries.size() != 1)
      refuse(value.place, fmt::format("'{}' is {}", key, shown(value)), allowed);
    require_keys(value, key, {"stream", "event"});
    const Setting& number = value.entries.front().value;
    if (value.find("stream")) {
      out.stream = static_cast<unsigned>(whole_of(number, key + ".stream", 0, 1023));
    } else {
      out.kind = Kind::kSynchronizeEvent;
      out.event = event_of(number, key + ".event");
      require_recorded(out.event, number.place, key + ".event");
    }
  }

  /// `{bytes: N}`, `{kib: N}` or `{mib: N}`.
  static std::uint64_t bytes_of(const Setting& value, const std::string& key) {
    if (!value.is_mapping() || value.entries.size() != 1)
      refuse(value.place, fmt::format("'{}' is {}", key, shown(value)), "{bytes: N}, {kib: N} or {mib: N}");
    require_keys(value, key, {"bytes", "kib", "mib"});
    const SettingEntry& size = value.entries.front();
    const std::string path = key + "." + size.key;
    if (size.key == "bytes") return whole_of(size.value, path, 1, kMostBytes);
    const double unit = size.key == "kib" ? 1024 : 1024.0 * 1024;
    const double bytes = number_of(size.value, path) * unit;
    if (!(bytes >= 1) || bytes > static_cast<double>(kMostBytes))
      refuse(size.value.place, fmt::format("'{}' is {}", path, size.value.text), "from 1 byte to 2^40 bytes");
    return static_cast<std::uint64_t>(bytes + 0.5);
  }

  static void three(const Setting& value, const std::string& path, std::uint64_t most,
                    std::uint32_t (&out)[3]) {
    if (value.is_sequence() && (value.items.empty() || value.items.size() > 3))
      refuse(value.place, fmt::format("'{}' has {} numbers", path, value.items.size()), "1 to 3");
    const std::size_t count = value.is_sequence() ? value.items.size() : 1;
    for (std::size_t i = 0; i < count; ++i)
      out[i] = static_cast<std::uint32_t>(
          whole_of(value.is_sequence() ? value.items[i] : value, path, 1, i == 0 ? most : 65535));
  }

  TraceLaunch launch(const Setting& value, const std::string& key) {
    TraceLaunch out;
    if (!value.is_mapping())
      refuse(value.place, fmt::format("'{}' is {}", key, shown(value)), "{kernel: NAME, ctas: N}");
    require_keys(value, key, {"kernel", "ctas", "threads", "registers", "shared_bytes"});
    const Setting* kernel = value.find("kernel");
    if (!kernel || !kernel->is_scalar() || kernel->text.empty())
      refuse(kernel ? kernel->place : value.place, fmt::format("'{}.kernel' is missing", key),
             "the name of a kernel");
    out.kernel = kernel->text;
    const bool identifier =
        std::all_of(out.kernel.begin(), out.kernel.end(),
                    [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '$'; }) &&
        !std::isdigit(static_cast<unsigned char>(out.kernel[0]));
    if (!identifier)
      refuse(kernel->place, fmt::format("'{}.kernel' is '{}'", key, out.kernel),
             "letters, digits, _ and $, no digit first");
    if (!value.find("ctas"))
      refuse(value.place, fmt::format("'{}.ctas' is missing", key), "the CTAs of the launch");
    three(*value.find("ctas"), key + ".ctas", kMostCtas - 1, out.grid);
    const Setting* const threads = value.find("threads");
    if (threads) three(*threads, key + ".threads", 4096, out.block);
    if (profiles_) {
      const KernelProfile* const profile =
          profile_of(*profiles_, out.kernel, product(out.grid), threads ? product(out.block) : 0);
      if (!profile) {
        const std::vector<std::string> names = names_of(*profiles_);
        const bool known = std::count(names.begin(), names.end(), out.kernel) != 0;
        const std::string near = known ? "" : nearest_name(out.kernel, names);
        refuse(kernel->place,
               fmt::format("'{}.kernel': no profile of kernel '{}'{}{}", key, out.kernel,
                           known ? fmt::format(" for launches of {} CTAs", product(out.grid)) : "",
                           near.empty() ? "" : "; did you mean '" + near + "'?"),
               known ? "those in the profiles; one without a shape is for all" : join_names(names));
      }
      if (!threads) out.block[0] = profile->threads;
      out.registers = profile->registers;
      out.shared_bytes = profile->shared_bytes;
    } else if (!threads) {
      refuse(value.place, fmt::format("'{}.threads' is missing, and the trace names no 'profiles'", key),
             "the threads of a CTA");
    }
    if (const Setting* registers = value.find("registers"))
      out.registers = static_cast<std::uint32_t>(whole_of(*registers, key + ".registers", 0, 65535));
    if (const Setting* shared = value.find("shared_bytes"))
      out.shared_bytes = static_cast<std::uint32_t>(whole_of(*shared, key + ".shared_bytes", 0, 1 << 24));
    return out;
  }

  const KernelProfiles* const profiles_;
  std::set<unsigned> recorded_;
};

/// Over all CTAs that the trace launches; 0 where a kernel's time is not known.
double mean_cta_us(const apps::ApplicationTrace& trace, const KernelProfiles& profiles) {
  double sum = 0, ctas = 0;
  bool known = true;
  for_each_trace_step(trace.steps, [&](const TraceStep& step, std::uint64_t times) {
    if (step.kind != Kind::kLaunch) return;
    const KernelProfile* const profile =
        profiles.find(step.launch.kernel, product(step.launch.grid),
                      static_cast<std::uint32_t>(product(step.launch.block)));
    known = known && profile != nullptr && profile->cta_us > 0;
    if (!known) return;
    const double n = static_cast<double>(times) * static_cast<double>(product(step.launch.grid));
    ctas += n;
    sum += n * profile->cta_us;
  });
  return known && ctas > 0 ? sum / ctas : 0;
}

}  // namespace

ApplicationFile load_application(const std::string& path) {
  const Setting tree = load_yaml_file(path);
  if (!tree.is_mapping())
    refuse(tree.place, "found " + std::string(kind_name(tree)), "a mapping with 'steps'");
  require_keys(tree, "the application", {"profiles", "streams", "steps"});
  ApplicationFile out;
  out.path = path;
  out.trace.name = fs::path(path).stem().string();
  KernelProfiles known;
  if (const Setting* profiles = tree.find("profiles")) {
    known = read_profiles(*profiles);
    out.profiles = known.files.front().resolved;
  }
  if (const Setting* streams = tree.find("streams")) {
    if (!streams->is_sequence())
      refuse(streams->place, "'streams' is " + shown(*streams),
             "the priorities of streams 1, 2, .. in a list");
    for (const Setting& item : streams->items) {
      std::int64_t priority = 0;
      if (!item.is_scalar() || !parse_signed(item.text, priority) || priority < -100 || priority > 100)
        refuse(item.place, "'streams' has " + shown(item), "whole numbers from -100 to 100");
      out.trace.stream_priorities.push_back(static_cast<int>(priority));
    }
  }
  if (!tree.find("steps")) refuse(tree.place, "'steps' is missing", "a list of steps");
  out.trace.steps = TraceReader(out.profiles.empty() ? nullptr : &known).steps(*tree.find("steps"), "steps");
  out.mean_cta_us = mean_cta_us(out.trace, known);
  return out;
}

std::string find_application(const std::string& name, const std::string& directory,
                             const std::string& place) {
  const ConfigSearch search = ConfigSearch::standard();
  const fs::path path(name);
  const std::string folder = (fs::path(kFolder) / path.parent_path()).string();
  if (path.has_parent_path() && path.extension() != ".yaml" && !search.names(folder).empty())
    return search.find(path.filename().string(), folder, directory, place).string();
  return search.find(name, kFolder, directory, place).string();
}

std::vector<std::string> applications_in(const std::string& folder, const std::string& place) {
  std::vector<std::string> names;
  for (const std::string& name :
       ConfigSearch::standard().names((fs::path(kFolder) / folder).lexically_normal().string()))
    names.push_back(folder.empty() ? name : folder + "/" + name);
  if (names.empty())
    refuse(place, fmt::format("no applications in '{}'", folder), "a folder of configs/applications");
  return names;
}

std::vector<std::string> all_applications() {
  const ConfigSearch search = ConfigSearch::standard();
  std::vector<std::string> names = search.names(kFolder);
  for (const std::string& folder : search.folders(kFolder))
    for (const std::string& name : applications_in(folder, "")) names.push_back(name);
  return names;
}

namespace {

Setting number(double value) { return Setting::scalar(print_double(value)); }
Setting number(std::uint64_t value) { return Setting::scalar(std::to_string(value)); }

Setting print_three(const std::uint32_t (&value)[3]) {
  if (value[1] == 1 && value[2] == 1) return number(std::uint64_t{value[0]});
  Setting list = Setting::sequence();
  for (const std::uint32_t v : value) list.items.push_back(number(std::uint64_t{v}));
  return list;
}

Setting print_steps(const std::vector<TraceStep>& steps) {
  Setting list = Setting::sequence();
  for (const TraceStep& step : steps) {
    Setting out = Setting::mapping();
    Setting value = Setting::mapping();
    const auto word = std::find_if(step_words().begin(), step_words().end(), [&](const StepWord& w) {
      return w.kind == (step.kind == Kind::kSynchronizeEvent ? Kind::kSynchronize : step.kind);
    });
    switch (step.kind) {
      case Kind::kCpu:
        value = number(step.us);
        break;
      case Kind::kLaunch:
        value.put("kernel", Setting::string(step.launch.kernel));
        value.put("ctas", print_three(step.launch.grid));
        value.put("threads", print_three(step.launch.block));
        value.put("registers", number(std::uint64_t{step.launch.registers}));
        value.put("shared_bytes", number(std::uint64_t{step.launch.shared_bytes}));
        break;
      case Kind::kSynchronize:
        if (step.stream) {
          value.put("stream", number(std::uint64_t{*step.stream}));
        } else {
          value = Setting::scalar("true");
        }
        break;
      case Kind::kSynchronizeEvent:
        value.put("event", number(std::uint64_t{step.event}));
        break;
      case Kind::kRecord:
      case Kind::kWait:
        value = number(std::uint64_t{step.event});
        break;
      case Kind::kRepeat:
        value = number(step.times);
        break;
      default:
        value.put("bytes", number(step.bytes));
    }
    out.put(word->word, value);
    if (step.kind == Kind::kRepeat) out.put("steps", print_steps(step.body));
    if (step.stream && step.kind != Kind::kSynchronize)
      out.put("stream", number(std::uint64_t{*step.stream}));
    list.items.push_back(std::move(out));
  }
  return list;
}

}  // namespace

std::string application_yaml(const apps::ApplicationTrace& trace, const std::string& comment) {
  Setting tree = Setting::mapping();
  if (!trace.stream_priorities.empty()) {
    Setting streams = Setting::sequence();
    for (const int priority : trace.stream_priorities)
      streams.items.push_back(Setting::scalar(std::to_string(priority)));
    tree.put("streams", std::move(streams));
  }
  tree.put("steps", print_steps(trace.steps));
  return (comment.empty() ? "" : "# " + comment + "\n") + to_yaml(tree);
}

void ApplicationRef::load(const Setting& setting, const std::string& path) {
  if (!setting.is_scalar() || setting.text.empty())
    refuse(setting.place, fmt::format("'{}' is {}", path, shown(setting)), syntax());
  file = {setting.text, find_application(setting.text, setting.directory, setting.place), setting.place};
  application = load_application(file.resolved);
}

Setting ApplicationRef::print(const PrintStyle& style) const {
  if (file.written.empty()) return {};
  return Setting::string(style.absolute_paths ? fs::absolute(file.resolved).lexically_normal().string()
                                              : file.written);
}

}  // namespace warpvp
