#include "platform/energy/energy_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/registry.h"
#include "platform/config/record_file.h"

namespace warpvp {

namespace {

constexpr const char kKey[] = "energy.table";
constexpr const char kHeading[] = "energies";
constexpr const char kOfKernels[] = "kernels.";

bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

/// Groups of result.json that show again what other groups count.
constexpr std::array<const char*, 9> kRepeats = {"streams.",
                                                 "processes.",
                                                 "multiprogram.",
                                                 "jobs.",
                                                 "job_summary.",
                                                 "contexts.",
                                                 "traffic.kernels.",
                                                 "kernels.profiler.",
                                                 "kernels.stalls.by_scheduler."};

bool repeats(const std::string& path) {
  return std::any_of(kRepeats.begin(), kRepeats.end(), [&](const char* g) { return begins(path, g); });
}

/// Looks names up and keeps in mind what is charged.
class CounterNames {
 public:
  explicit CounterNames(const ResultReference& results) {
    for (const ResultKey& key : results.keys())
      if (key.adds_up && !repeats(key.path)) keys_.push_back(&key);
    for (const ResultKey& key : results.keys()) all_.push_back(key.path);
  }

  /// Empty: there is such a counter, of which a power wants the time. Else what is wrong.
  std::string fault(const std::string& path, bool time) const {
    const ResultKey* key = nullptr;
    for (const ResultKey* k : keys_)
      if (k->path == path) key = k;
    if (key && time && !is_time(*key))
      return fmt::format(
          "'{}' counts {}, and a power is for a time; allowed: counters in us or in cycles of the SM clock",
          path, key->unit);
    if (key) return "";
    const bool known = std::find(all_.begin(), all_.end(), path) != all_.end();
    std::string near;
    if (!known) near = nearest(path);
    return fmt::format(
        "'{}' {}{}; allowed: counters that add up and repeat no others, see 'warpvp describe "
        "result'",
        path,
        !known          ? "is no key of result.json"
        : repeats(path) ? "repeats what another group of result.json counts"
                        : "is no counter but a ratio, a text or a group",
        near.empty() ? "" : "; did you mean '" + near + "'?");
  }

  /// The entry that has charged these events already; empty: none. Charges them.
  std::string charged_by(const std::string& path, const EnergyEntry& entry) {
    std::string before;
    for (const auto& [other, name] : charged_)
      if (other == path || counter_of_whole(other) == path || other == counter_of_whole(path))
        before = fmt::format("'{}' is charged by '{}' already{}", path, name,
                             other == path ? "" : ", as a part or the whole of '" + other + "'");
    charged_.emplace_back(path, entry.name);
    return before;
  }

 private:
  static bool is_time(const ResultKey& key) {
    if (key.unit == "us") return true;
    if (key.unit != "cycles") return false;
    // Of other clocks.
    const std::string whole = counter_of_whole(key.path);
    return !begins(whole, "l2.") && !begins(whole, "noc.") && !begins(whole, "dram.");
  }

  std::string nearest(const std::string& path) const {
    std::vector<std::string> paths;
    for (const ResultKey* key : keys_) paths.push_back(key->path);
    std::string near = nearest_name(path, paths);
    // As good as the path in full: its last part, where that is a counter's.
    const std::string last = path.substr(path.rfind('.') + 1);
    for (const std::string& candidate : paths)
      if (near.empty() && candidate.substr(candidate.rfind('.') + 1) == last) near = candidate;
    return near;
  }

  std::vector<const ResultKey*> keys_;
  std::vector<std::string> all_;
  std::vector<std::pair<std::string, std::string>> charged_;  // counter and entry
};

void check_counters(const EnergyEntry& entry, CounterNames& names, FieldVisitor& v) {
  for (const std::string& path : entry.counters) {
    const std::string fault = names.fault(path, entry.is_power());
    v.require(fault.empty(), "counters", fault);
    // Several things may draw power at the same time.
    if (entry.is_power()) continue;
    const std::string before = names.charged_by(path, entry);
    v.require(before.empty() || entry.again, "counters",
              before + "; allowed: one entry a counter, or 'again: true'");
  }
  for (const std::string& path : entry.by) {
    const std::string fault = names.fault(kOfKernels + path, false);
    v.require(fault.empty(), "by", fault);
  }
  const bool of_kernels = std::any_of(entry.counters.begin(), entry.counters.end(),
                                      [](const std::string& path) { return begins(path, kOfKernels); });
  v.require(entry.by.empty() || !of_kernels, "by", "counters below 'kernels' are the kernels' own already");
  v.require(entry.by.empty() || !entry.is_power(), "by", "a power is not divided among kernels");
}

}  // namespace

std::string counter_of_whole(const std::string& path) {
  static const std::vector<std::pair<std::string, std::string>> parts = {
      {"kernels.l1.", "sms.memory."},
      {"kernels.frontend.", "sms."},
      {"kernels.noc.", "noc."},
      {"kernels.l2.", "l2."},
      {"kernels.dram.", "dram."},
      {"kernels.mmu.", "mmu."},
      {"kernels.warp_instructions", "simulation.warp_instructions"},
      {"kernels.ptx_instructions", "simulation.ptx_instructions"},
      {"kernels.thread_instructions", "simulation.thread_instructions"},
      {"sms.issued", "simulation.warp_instructions"},
      {"traffic.copies.", ""},
      {"traffic.commands.", ""}};
  for (const auto& [part, whole] : parts)
    if (begins(path, part)) return whole + path.substr(part.size());
  return path;
}

double EnergyEntry::scale() const {
  if (unit == "pJ" || unit == "mW") return 1e-3;
  if (unit == "uJ") return 1e3;
  return 1;
}

void EnergyEntry::fields(FieldVisitor& v) {
  const Constraint any = Constraint::range(0, 1e15);
  v.field("counters", counter_words_,
          "Counters of result.json by their paths, separated by blanks: what is charged.");
  v.field("component", component, "What the energy is added to: a name of your own.");
  v.field("value", value, "", "What one event costs, or the power.", any);
  v.field("unit", unit, "Of value, low and high.", Constraint::words({"pJ", "nJ", "uJ", "mW", "W"}));
  v.field("low", low, "", "The least that it may be; as value if left out.", any);
  v.field("high", high, "", "The most that it may be; as value if left out.", any);
  v.field("source", source, "Where the value comes from: a document and the place in it.");
  v.field("bounds", bounds, "In place of a source: that there is none, and why from low to high.");
  v.field("by", by_words_,
          "Counters below `kernels`, separated by blanks: divides the energy among kernels as these are.");
  v.field("again", again, "Other entries may charge the same counters.");
  counters = words_of(counter_words_);
  by = words_of(by_words_);
}

void EnergyEntry::settle(FieldVisitor& v) {
  v.require(words_of(component).size() == 1, "component", "is no single word");
  v.require(component.find('.') == std::string::npos, "component", "has a dot; allowed: a name without");
  v.require(source.empty() || bounds.empty(), "bounds", "there is a source; allowed: one of them");
  v.require(bounds.empty() || (low != kNone && high != kNone && low < high), "bounds",
            "needs low and high, one below the other");
  if (low == kNone) low = value;
  if (high == kNone) high = value;
  v.require(low <= value && value <= high, "value", "is not from 'low' to 'high'");
}

bool EnergyTable::charges(const std::string& group) const {
  return std::any_of(entries.begin(), entries.end(), [&](const EnergyEntry& entry) {
    return std::any_of(entry.counters.begin(), entry.counters.end(),
                       [&](const std::string& path) { return begins(path, group + "."); });
  });
}

EnergyTable read_energy_table(const PathValue& file, const ResultReference& results) {
  EnergyTable table;
  table.file = file;
  CounterNames names(results);
  // What is misspelt is told before what is missing for it.
  read_records(file, kKey, kHeading,
               [](const std::string&, const std::string&, FieldVisitor& v) { EnergyEntry().fields(v); });
  read_records(file, kKey, kHeading, [&](const std::string& name, const std::string& place, FieldVisitor& v) {
    if (name.find('.') != std::string::npos)
      throw InputError(fmt::format("{}: '{}.{}' has a dot; allowed: a name without", place, kHeading, name));
    EnergyEntry entry;
    entry.name = name;
    entry.fields(v);
    const std::pair<const char*, bool> missing[] = {{"counters", entry.counters.empty()},
                                                    {"component", entry.component.empty()},
                                                    {"value", entry.value == EnergyEntry::kNone},
                                                    {"source", entry.source.empty() && entry.bounds.empty()}};
    for (const auto& [key, lacks] : missing)
      if (lacks)
        throw InputError(
            fmt::format("{}: '{}.{}.{}' is missing; allowed: counters, component, value, and source "
                        "or bounds with low and high",
                        place, kHeading, name, key));
    entry.settle(v);
    check_counters(entry, names, v);
    table.entries.push_back(std::move(entry));
  });
  if (table.entries.empty())
    throw InputError(
        fmt::format("{}: '{}' is empty; allowed: a mapping of names to records", file.resolved, kHeading));
  return table;
}

}  // namespace warpvp
