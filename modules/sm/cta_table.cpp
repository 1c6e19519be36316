#include "modules/sm/cta_table.h"

#include <algorithm>

namespace warpvp {

int CtaTable::open(const CtaLaunch& record, std::shared_ptr<const ptx::Program> program) {
  auto slot = std::find_if(slots_.begin(), slots_.end(), [](const CtaSlot& s) { return !s.used; });
  if (slot == slots_.end()) return -1;

  auto launch = std::find_if(launches_.begin(), launches_.end(),
                             [&](const auto& l) { return l->record.launch_id == record.launch_id; });
  if (launch == launches_.end()) {
    auto fresh = std::make_unique<ResidentLaunch>();
    fresh->record = record;
    fresh->program = program;
    fresh->warps.assign(schedulers_, 0);
    if (counters_.size() <= record.launch_id) counters_.resize(record.launch_id + 1);
    auto& counters = counters_[record.launch_id];
    if (!counters) {
      counters = std::make_unique<SmLaunchCounters>();
      counters->stalls.assign(schedulers_, {});
      if (executed_) counters->executed.enable();
    }
    fresh->counters = counters.get();
    if (profiled_) fresh->profile = profile_of(*fresh);
    fresh->counted = profiled_ || executed_;
    launches_.push_back(std::move(fresh));
    launch = launches_.end() - 1;
  }
  slot->used = true;
  slot->record = record;
  slot->launch = launch->get();
  slot->warps.clear();
  slot->running = 0;
  slot->number = opened_++;
  slot->throttled = false;
  ++(*launch)->ctas;
  ++resident_;
  return static_cast<int>(slot - slots_.begin());
}

ExecutionCounts* CtaTable::profile_of(const ResidentLaunch& launch) {
  auto profile = std::find_if(profiles_.begin(), profiles_.end(),
                              [&](const auto& p) { return p->program == launch.program; });
  if (profile == profiles_.end()) {
    auto fresh = std::make_unique<ProgramProfile>();
    fresh->program = launch.program;
    fresh->first_launch = launch.record.launch_id;
    fresh->counters.resize(launch.program->code.size());
    profile = profiles_.insert(profiles_.end(), std::move(fresh));
  }
  return (*profile)->counters.data();
}

void CtaTable::close(unsigned slot) {
  CtaSlot& s = slots_[slot];
  s.used = false;
  --resident_;
  if (--s.launch->ctas == 0) {
    launches_.erase(
        std::find_if(launches_.begin(), launches_.end(), [&](const auto& l) { return l.get() == s.launch; }));
  }
  s.launch = nullptr;
}

}  // namespace warpvp
