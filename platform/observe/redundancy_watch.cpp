#include "platform/observe/redundancy_watch.h"

#include <fmt/format.h>

#include "base/error.h"
#include "modules/sm/config.h"
#include "modules/sm/cta_table.h"
#include "modules/sm/issue/issue_observer.h"
#include "modules/sm/warp_slot.h"
#include "platform/build/platform.h"

namespace warpvp {

void check_redundancy_can_be_watched(const PlatformConfig& platform) {
  const auto require = [](const char* key, const PolicyChoice& choice,
                          const std::vector<std::string>& allowed) {
    std::string names;
    for (const std::string& name : allowed) {
      if (choice.name == name) return;
      names += (names.empty() ? "" : ", ") + name;
    }
    throw InputError(fmt::format(
        "{}{}'platform.sm.{}' is '{}', with which 'output.redundancy' cannot tell what each instruction "
        "yields; allowed: {}; or output.redundancy: false",
        choice.place, choice.place.empty() ? "" : ": ", key, choice.name, names));
  };
  require("type", platform.sm.type, {"cycle"});
  const auto config = fields_of<SmConfig>(platform.sm.type);
  require("instructions", config.instructions, {"ptx"});
  require("issue", config.issue, {"single"});
  require("frontend.mode", config.frontend.mode, {"separate", "coordinated"});
}

class RedundancyWatch::Sm : public PassingObserver {
 public:
  Sm(RedundancyWatch& watch, WarpView& warps)
      : PassingObserver(warps.issue_observer()), watch_(watch), warps_(warps), places_(warps.slots().size()) {
    warps.observe_issue(this);
  }
  ~Sm() override { warps_.observe_issue(next()); }

  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    PassingObserver::cta_started(now, cta, program, slots);
    Launch& launch = watch_.launch_of(cta, program);
    const std::uint64_t id = number_of(cta);
    const bool followed = launch.left.count(id) == 0;
    if (followed) launch.study->cta_started(id);
    for (const std::uint16_t slot : slots)
      if (slot != CtaSlot::kNoWarp) places_[slot] = {followed ? launch.study.get() : nullptr, id};
  }
  void executed(const WarpSlot& slot, ptx::Pc pc, ptx::LaneMask active) override {
    PassingObserver::executed(slot, pc, active);
    const Place& place = places_[slot.owner.warp];
    if (place.study) place.study->executed(place.cta, *slot.stream->as_ptx(), pc, active);
  }
  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    PassingObserver::cta_finished(now, cta);
    Launch& launch = watch_.launches_.at(cta.launch_id);
    launch.study->cta_finished(number_of(cta));
    if (--launch.to_end != 0) return;
    launch.ended = launch.study->counts();
    launch.study.reset();
  }
  void cta_preempted(Cycle now, const CtaLaunch& cta) override {
    if (next()) next()->cta_preempted(now, cta);
    Launch& launch = watch_.launches_.at(cta.launch_id);
    launch.study->cta_dropped(number_of(cta));
    launch.left.insert(number_of(cta));
  }

 private:
  struct Place {
    ptx::RedundancyStudy* study = nullptr;  // nullptr: it is not followed
    std::uint64_t cta = 0;
  };
  static std::uint64_t number_of(const CtaLaunch& cta) {
    return cta.cta[0] + std::uint64_t{cta.grid[0]} * (cta.cta[1] + std::uint64_t{cta.grid[1]} * cta.cta[2]);
  }

  RedundancyWatch& watch_;
  WarpView& warps_;
  std::vector<Place> places_;  // by warp slot
};

RedundancyWatch::RedundancyWatch(Platform& platform) : platform_(platform) {
  for (const auto& sm : platform.sms()) sms_.push_back(std::make_unique<Sm>(*this, *sm->warps()));
}

RedundancyWatch::~RedundancyWatch() = default;

RedundancyWatch::Launch& RedundancyWatch::launch_of(const CtaLaunch& cta, const ptx::Program& program) {
  const auto [at, is_new] = launches_.try_emplace(cta.launch_id);
  Launch& launch = at->second;
  if (!is_new) return launch;
  const std::array<std::uint32_t, 3> block = {cta.block[0], cta.block[1], cta.block[2]};
  auto& studied = programs_[{&program, block}];
  if (!studied) studied = std::make_shared<const ptx::StudiedProgram>(program, block);
  launch.study = std::make_unique<ptx::RedundancyStudy>(studied);
  launch.to_end = std::uint64_t{cta.grid[0]} * cta.grid[1] * cta.grid[2];
  return launch;
}

ptx::RedundancyCounts RedundancyWatch::of_launch(std::uint32_t launch) const {
  const auto at = launches_.find(launch);
  return at == launches_.end() ? ptx::RedundancyCounts() : at->second.counts();
}

ptx::RedundancyCounts RedundancyWatch::total() const {
  ptx::RedundancyCounts sum;
  for (const auto& [id, launch] : launches_) sum += launch.counts();
  return sum;
}

std::string RedundancyWatch::warning() const {
  const std::uint64_t all = total().unsound;
  for (const auto& [id, launch] : launches_) {
    const ptx::RedundancyCounts counts = launch.counts();
    if (counts.unsound == 0) continue;
    return fmt::format(
        "{} instructions that are marked redundant had another value in another warp (unsound), the first "
        "in launch {} ({}), {}: a data race of the program, or a wrong mark",
        all, id, platform_.launch(id).name, counts.first_unsound);
  }
  return {};
}

}  // namespace warpvp
