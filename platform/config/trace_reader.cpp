#include "platform/config/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/record_file.h"
#include "platform/config/yaml_document.h"

namespace warpvp {

namespace fs = std::filesystem;

using apps::TraceLaunch;
using apps::TraceStep;
using TraceKind = TraceStep::Kind;

[[noreturn]] void refuse(const std::string& place, const std::string& what, const std::string& allowed) {
  throw InputError(fmt::format("{}: {}; allowed: {}", place, what, allowed));
}

std::string shown(const Setting& value) {
  return value.is_scalar() ? "'" + value.text + "'" : kind_name(value);
}

double number_of(const Setting& value, const std::string& path, double least) {
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
const std::vector<StepWord>& step_words() {
  static const std::vector<StepWord> words = {{"cpu_us", TraceKind::kCpu, {}},
                                              {"cpu", TraceKind::kCpu, {}},
                                              {"copy_to_device", TraceKind::kCopyToDevice, {"stream"}},
                                              {"copy_to_host", TraceKind::kCopyToHost, {"stream"}},
                                              {"copy_on_device", TraceKind::kCopyOnDevice, {"stream"}},
                                              {"fill", TraceKind::kFill, {"stream"}},
                                              {"launch", TraceKind::kLaunch, {"stream"}},
                                              {"synchronize", TraceKind::kSynchronize, {}},
                                              {"record", TraceKind::kRecord, {"stream"}},
                                              {"wait", TraceKind::kWait, {"stream"}},
                                              {"repeat", TraceKind::kRepeat, {"steps"}}};
  return words;
}

namespace {

constexpr int kMaxRepeatDepth = 16;
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint64_t kMostCtas = std::uint64_t{1} << 31;

/// Names of kernels, without the shapes of launches.
std::vector<std::string> names_of(const KernelProfiles& profiles) {
  std::set<std::string> names;
  for (const auto& [name, profile] : profiles.by_name) names.insert(name.substr(0, name.find('@')));
  return {names.begin(), names.end()};
}

std::vector<std::string> all_words() {
  std::vector<std::string> words;
  for (const StepWord& word : step_words()) words.emplace_back(word.word);
  return words;
}
class TraceReader {
 public:
  /// nullptr: the trace names no profiles, or no rates. `of_job`: see read_job_steps().
  TraceReader(const KernelProfiles* profiles, const CpuRates* rates, bool of_job)
      : profiles_(profiles), rates_(rates), of_job_(of_job) {}

  std::vector<TraceStep> steps(const Setting& setting, const std::string& path, int depth = 0) {
    if (!setting.is_sequence())
      refuse(setting.place, fmt::format("'{}' is {}", path, shown(setting)), "a list of steps");
    if (depth > kMaxRepeatDepth)
      refuse(setting.place, "repeats within each other", fmt::format("at most {}", kMaxRepeatDepth));
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

    if (of_job_ &&
        ((word->kind != TraceKind::kLaunch && word->kind != TraceKind::kRepeat) || item.find("stream")))
      refuse(item.place, fmt::format("'{}' is no kernel of a job's one stream", path),
             "launch and repeat, without 'stream'");
    TraceStep out;
    out.kind = word->kind;
    out.place = item.place;
    const Setting& value = *item.find(word->word);
    const std::string key = path + "." + word->word;
    if (const Setting* stream = item.find("stream"))
      out.stream = static_cast<unsigned>(whole_of(*stream, path + ".stream", 0, 1023));
    switch (out.kind) {
      case TraceKind::kCpu:
        if (word->word == std::string("cpu")) {
          work(value, key, out);
        } else {
          out.us = number_of(value, key);
        }
        break;
      case TraceKind::kCopyToDevice:
      case TraceKind::kCopyToHost:
      case TraceKind::kCopyOnDevice:
      case TraceKind::kFill:
        out.bytes = bytes_of(value, key);
        break;
      case TraceKind::kLaunch:
        out.launch = launch(value, key);
        break;
      case TraceKind::kSynchronize:
        synchronize(value, key, out);
        break;
      case TraceKind::kRecord:
      case TraceKind::kWait:
        out.event = event_of(value, key);
        if (out.kind == TraceKind::kRecord) recorded_.insert(out.event);
        require_recorded(out.event, value.place, key);
        break;
      case TraceKind::kRepeat:
        out.times = of_job_ && value.is_scalar() && value.text == "length"
                        ? 0
                        : whole_of(value, key, 1, 1'000'000'000);
        if (!item.find("steps"))
          refuse(item.place, fmt::format("'{}.steps' is missing", path), "a list of steps");
        out.body = steps(*item.find("steps"), path + ".steps", depth + 1);
        break;
      case TraceKind::kSynchronizeEvent:
        break;
    }
    return out;
  }

  /// `{RATE: AMOUNT, ..}`
  void work(const Setting& value, const std::string& key, TraceStep& out) const {
    if (!rates_)
      refuse(value.place, fmt::format("'{}' counts work, and the trace names no 'rates'", key),
             "cpu_us, or a file of rates");
    if (!value.is_mapping() || value.entries.empty())
      refuse(value.place, fmt::format("'{}' is {}", key, shown(value)), "{RATE: AMOUNT, ..}");
    std::vector<std::string> names;
    for (const auto& [name, rate] : rates_->by_name) names.push_back(name);
    require_keys(value, key, names);
    for (const SettingEntry& entry : value.entries) {
      const double amount = number_of(entry.value, key + "." + entry.key);
      out.work.emplace_back(entry.key, amount);
      out.us += amount * rates_->by_name.at(entry.key).ns / 1000;
    }
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
      out.kind = TraceKind::kSynchronizeEvent;
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
  const CpuRates* const rates_;
  const bool of_job_;
  std::set<unsigned> recorded_;
};
}  // namespace

std::vector<TraceStep> read_trace_steps(const Setting& setting, const std::string& path,
                                        const KernelProfiles* profiles, const CpuRates* rates) {
  return TraceReader(profiles, rates, false).steps(setting, path);
}

std::vector<TraceStep> read_job_steps(const Setting& setting, const std::string& path,
                                      const KernelProfiles* profiles) {
  return TraceReader(profiles, nullptr, true).steps(setting, path);
}

}  // namespace warpvp
