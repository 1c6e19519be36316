#include "platform/observe/interval_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "base/registry.h"
#include "base/wildcard.h"
#include "modules/sm/warp_slot.h"
#include "platform/build/platform.h"
#include "platform/collect/collect.h"

namespace warpvp {

namespace {

/// Notes which values a visit gives, in order: whole numbers and amounts. Ratios are no counters.
class Declarations : public StatVisitor {
 public:
  struct Value {
    std::string path, unit, doc;
    bool whole;
  };
  void value(const char* key, std::uint64_t, const char* unit, const char* doc) override {
    add(key, unit, doc, true);
  }
  void value(const char*, double, const char*, const char*) override {}
  void amount(const char* key, double, const char* unit, const char* doc) override {
    add(key, unit, doc, false);
  }
  const std::vector<Value>& values() const { return values_; }

 protected:
  void begin_group(const char* key, const char*) override { path_.push_back(prefix() + key + "."); }
  void end_group() override { path_.pop_back(); }
  bool collects_declarations() const override { return true; }

 private:
  std::string prefix() const { return path_.empty() ? "" : path_.back(); }
  void add(const char* key, const char* unit, const char* doc, bool whole) {
    values_.push_back({prefix() + key, unit, doc, whole});
  }
  std::vector<std::string> path_;
  std::vector<Value> values_;
};

void visit_sm_levels(StatVisitor& v, std::uint64_t warps, std::uint64_t ctas) {
  v.value("resident_warps", warps, "warps", "Warps on SMs at the end of the interval.");
  v.value("resident_ctas", ctas, "CTAs", "CTAs on SMs at the end of the interval.");
}
void visit_kernel_levels(StatVisitor& v, std::uint64_t kernels) {
  v.value("resident_kernels", kernels, "kernels",
          "Kernels in the work distributor at the end of the interval.");
}
void visit_copy_levels(StatVisitor& v, bool busy) {
  v.value("copies_under_way", std::uint64_t{busy}, "copies", "Copies under way at the end of the interval.");
}

constexpr const char kSms[] = "sms", kDistributor[] = "control.work_distributor", kDma[] = "control.dma";

}  // namespace

class IntervalCounters::Launches {
 public:
  Launches(Platform& platform, std::size_t schedulers) : platform_(platform), schedulers_(schedulers) {}

  /// Kernels of which the distributor has not seen the end.
  std::uint64_t resident() {
    take_new_ones();
    return live_.size();
  }
  /// All that came before is summed again: at the end of a run, when nothing may be missed.
  void start_afresh() {
    known_ = 0;
    live_.clear();
    ended_ = {};
  }

  /// The keys of one launch in result.json that count, summed over launches.
  void stats(StatVisitor& v) {
    const SmLaunchCounters sum = total();
    v.value("warp_instructions", sum.warp_instructions, "warp instructions", "Warp instructions issued.");
    v.value("ptx_instructions", sum.warp_instructions - sum.expansion_instructions, "warp instructions",
            "Of these, PTX instructions.");
    v.value("thread_instructions", sum.thread_instructions, "thread instructions",
            "Lanes that executed, summed over the warp instructions.");
    v.group("frontend", sum.fetch, "What fetching took.");
    v.group("stalls", Stalls{sum.stalls, schedulers_}, "Why warps did not issue.");
  }

 private:
  struct Stalls {
    const std::vector<StallCycles>& by_scheduler;
    std::size_t schedulers;

    struct One {
      const StallCycles& cycles;
      void stats(StatVisitor& v) const { visit_stalls(v, cycles); }
    };
    struct All {
      const Stalls& stalls;
      void stats(StatVisitor& v) const {
        static const StallCycles none{};
        for (std::size_t s = 0; s < stalls.schedulers; ++s)
          v.group(std::to_string(s).c_str(),
                  One{s < stalls.by_scheduler.size() ? stalls.by_scheduler[s] : none}, "Of one scheduler.");
      }
    };
    void stats(StatVisitor& v) const {
      StallCycles sum{};
      for (const StallCycles& cycles : by_scheduler)
        for (std::size_t r = 0; r < cycles.size(); ++r) sum[r] += cycles[r];
      visit_stalls(v, sum);
      v.group("by_scheduler", All{*this}, "The same for each scheduler.");
    }
  };

  const std::vector<KernelRecord>& records() const { return platform_.distributor().records(); }

  void take_new_ones() {
    for (; known_ < records().size(); ++known_) live_.push_back(known_);
    const auto ended = std::stable_partition(live_.begin(), live_.end(),
                                             [this](std::size_t i) { return !records()[i].finished(); });
    for (auto it = ended; it != live_.end(); ++it)
      ended_.add(counters_of_launch(platform_, records()[*it].launch_id));
    live_.erase(ended, live_.end());
  }

  SmLaunchCounters total() {
    take_new_ones();
    SmLaunchCounters sum = ended_;
    for (const std::size_t i : live_) sum.add(counters_of_launch(platform_, records()[i].launch_id));
    return sum;
  }

  Platform& platform_;
  std::size_t schedulers_;
  std::size_t known_ = 0;          // records looked at
  std::vector<std::size_t> live_;  // of these, by index, those whose kernels have not ended
  SmLaunchCounters ended_;
};

namespace {

std::size_t schedulers_of(const Platform& platform) {
  std::size_t count = 0;
  for (const auto& sm : platform.sms())
    if (WarpView* const warps = sm->warps())
      for (const WarpSlot* slot : warps->slots()) count = std::max(count, std::size_t{slot->sub_core} + 1);
  return count;
}

template <class Stats>
std::function<void(StatVisitor&)> stats_of(Stats get) {
  return [get](StatVisitor& v) { get().stats(v); };
}

}  // namespace

std::vector<IntervalCounters::Family> IntervalCounters::families(Platform& platform) {
  std::vector<Family> all;
  const MemorySystem& memory = platform.memory_system();
  launches_ = std::make_shared<Launches>(platform, schedulers_of(platform));
  Family policies{std::string(kSms) + ".policies", {}, true};
  Family counters{kSms, {}, true}, memories{std::string(kSms) + ".memory", {}, true},
      residents{kSms, {}, true, true};
  for (const auto& each : platform.sms()) {
    const Sm& sm = *each;
    const auto last_edge = [&sm] { return sm.last_edge(); };
    counters.parts.push_back({[&sm](StatVisitor& v) { sm.counters().stats(v); }, last_edge});
    memories.parts.push_back({[&sm](StatVisitor& v) { sm.memory_stats(v); }, last_edge});
    policies.parts.push_back({[&sm](StatVisitor& v) { sm.policy_stats(v); }, last_edge});
    residents.parts.push_back(
        {[&sm](StatVisitor& v) { visit_sm_levels(v, sm.resident_warps(), sm.resident_ctas()); }, last_edge});
  }
  all.insert(all.end(), {counters, memories, policies, residents});
  all.push_back({"kernels", {{[launches = launches_](StatVisitor& v) { launches->stats(v); }}}});
  all.push_back({"noc", {{[&memory](StatVisitor& v) { memory.crossbar().stats(v); }}}});
  Family l2{"l2", {}}, dram{"dram", {}};
  for (const auto& each : memory.banks())
    l2.parts.push_back({[&bank = *each](StatVisitor& v) { bank.stats(v); }});
  for (const auto& each : memory.channels())
    dram.parts.push_back({[&channel = *each](StatVisitor& v) { channel.stats(v); }});
  all.insert(all.end(), {l2, dram});
  all.push_back({"traffic.kernels", {{stats_of([&memory] { return memory.kernel_traffic(); })}}});
  all.push_back({"traffic.copies", {{stats_of([&memory] { return memory.copy_traffic(); })}}});
  all.push_back({"traffic.commands", {{stats_of([&memory] { return memory.command_traffic(); })}}});
  all.push_back({kDistributor, {{stats_of([&platform] { return platform.distributor().statistics(); })}}});
  all.push_back({kDistributor,
                 {{[launches = launches_](StatVisitor& v) { visit_kernel_levels(v, launches->resident()); }}},
                 false,
                 true});
  all.push_back({"control.command_processor",
                 {{[&platform](StatVisitor& v) { platform.command_processor().stats(v); }}}});
  all.push_back({"control.pcie", {{stats_of([&platform] { return platform.pcie().statistics(); })}}});
  all.push_back({"control.hub", {{stats_of([&platform] { return platform.hub().statistics(); })}}});
  Family dma{kDma, {}}, copies{kDma, {}, false, true};
  for (const auto& each : platform.dma()) {
    dma.parts.push_back({[&engine = *each](StatVisitor& v) { engine.statistics().stats(v); }});
    copies.parts.push_back({[&engine = *each](StatVisitor& v) { visit_copy_levels(v, engine.busy()); }});
  }
  all.insert(all.end(), {dma, copies});
  return all;
}

std::vector<IntervalCounters::Candidate> IntervalCounters::candidates(const std::vector<Family>& families,
                                                                      bool items) {
  std::vector<Candidate> all;
  for (std::size_t f = 0; f < families.size(); ++f) {
    const Family& family = families[f];
    if (family.parts.empty()) continue;
    Declarations declared;
    family.parts.front().visit(declared);
    const auto add = [&](const std::string& prefix, const std::string& below, int part) {
      for (std::size_t i = 0; i < declared.values().size(); ++i) {
        const auto& value = declared.values()[i];
        all.push_back({prefix + below + "." + value.path, f, i, part, value.whole});
      }
    };
    add(family.prefix, "", -1);
    if (!family.list || !items) continue;
    // The index stands behind the list's name: sms.3.memory.l1_hits.
    const std::size_t dot = std::min(family.prefix.find('.'), family.prefix.size());
    for (std::size_t part = 0; part < family.parts.size(); ++part)
      add(fmt::format("{}.{}", family.prefix.substr(0, dot), part), family.prefix.substr(dot),
          static_cast<int>(part));
  }
  return all;
}

void IntervalCounters::choose(const std::vector<Candidate>& candidates, const CounterList& chosen,
                              std::vector<const Candidate*>& picked) {
  const auto add = [&](const std::string& pattern) {
    bool found = false;
    std::string last;
    for (const Candidate& candidate : candidates) {
      if (!matches_pattern(pattern, candidate.name, '.')) continue;
      found = true;
      const auto same = [&](const Candidate* p) { return p->name == candidate.name; };
      const auto known = std::find_if(picked.begin(), picked.end(), same);
      // A name that a visit gives twice counts in one column.
      if (known == picked.end() || (*known)->position != candidate.position) picked.push_back(&candidate);
    }
    return found;
  };
  for (const CounterList::Name& name : chosen.names) {
    if (name.text == CounterList::kDefault) {
      for (const std::string& each : default_interval_counters()) add(each);
    } else if (!add(name.text)) {
      std::vector<std::string> names;
      for (const Candidate& candidate : candidates) names.push_back(candidate.name);
      const std::string near = nearest_name(name.text, names);
      throw InputError(fmt::format(
          "{}{}'output.intervals.counters': this platform counts nothing called '{}' by interval{}; "
          "`warpvp describe intervals` explains the names, `warpvp describe result` lists them",
          name.place, name.place.empty() ? "" : ": ", name.text,
          near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
  }
}

IntervalCounters::IntervalCounters(Platform& platform, const CounterList& chosen)
    : platform_(platform), families_(families(platform)) {
  // There are many names of single items, and hardly anybody asks for them.
  const bool items = std::any_of(chosen.names.begin(), chosen.names.end(), [](const CounterList::Name& name) {
    return name.text != CounterList::kDefault && name.text.find_first_of("0123456789*") != std::string::npos;
  });
  const std::vector<Candidate> all = candidates(families_, items);
  std::vector<const Candidate*> picked;
  choose(all, chosen, picked);
  std::map<std::string, std::size_t> column_of;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Reading::Target>> targets;  // by family and part
  for (const Candidate* candidate : picked) {
    const Family& family = families_[candidate->family];
    const auto [column, added] = column_of.emplace(candidate->name, columns_.size());
    if (added) columns_.push_back({candidate->name, family.level, candidate->whole});
    charges_ |= family.prefix == "kernels" || family.prefix == kSms;
    for (std::size_t part = 0; part < family.parts.size(); ++part)
      if (candidate->part < 0 || candidate->part == static_cast<int>(part))
        targets[{candidate->family, part}].push_back({candidate->position, column->second});
  }
  for (auto& [place, list] : targets)
    readings_.push_back({&families_[place.first].parts[place.second], std::move(list)});
  for (Reading& reading : readings_) {
    std::size_t visited = 0;
    for (const Reading::Target& target : reading.targets) visited = std::max(visited, target.position + 1);
    reading.values.resize(visited);
  }
}

namespace {

/// Notes the first values that are visited.
class Reader : public StatVisitor {
 public:
  explicit Reader(std::vector<double>& values) : next_(values.data()), end_(next_ + values.size()) {}
  void value(const char*, std::uint64_t value, const char*, const char*) override {
    if (next_ != end_) *next_++ = static_cast<double>(value);
  }
  void value(const char*, double, const char*, const char*) override {}
  void amount(const char*, double amount, const char*, const char*) override {
    if (next_ != end_) *next_++ = amount;
  }

 protected:
  void begin_group(const char*, const char*) override {}
  void end_group() override {}
  // So that the positions are always the same.
  bool collects_declarations() const override { return true; }

 private:
  double* next_;
  const double* const end_;
};

}  // namespace

void IntervalCounters::read_parts(std::vector<double>& values, bool afresh) {
  values.assign(columns_.size(), 0);
  for (Reading& reading : readings_) {
    const Cycle change = reading.part->last_change ? reading.part->last_change() : kNever;
    if (afresh || change == kNever || change != reading.seen) {
      Reader reader(reading.values);
      reading.part->visit(reader);
      reading.seen = change;
    }
    for (const Reading::Target& target : reading.targets)
      values[target.column] += reading.values[target.position];
  }
}

void IntervalCounters::read(Cycle cycle, std::vector<double>& values) {
  if (charges_)
    for (const auto& sm : platform_.sms()) sm->charge_stalls(cycle);
  read_parts(values, false);
}

void IntervalCounters::read_final(std::vector<double>& values) {
  launches_->start_afresh();
  read_parts(values, true);
}

std::vector<IntervalCounters::Level> IntervalCounters::levels() {
  std::vector<Level> all;
  const auto add = [&all](const char* prefix, const Visit& visit) {
    Declarations declared;
    visit(declared);
    for (const auto& value : declared.values())
      all.push_back({std::string(prefix) + "." + value.path, value.unit, value.doc});
  };
  add(kSms, [](StatVisitor& v) { visit_sm_levels(v, 0, 0); });
  add(kDistributor, [](StatVisitor& v) { visit_kernel_levels(v, 0); });
  add(kDma, [](StatVisitor& v) { visit_copy_levels(v, false); });
  return all;
}

}  // namespace warpvp
