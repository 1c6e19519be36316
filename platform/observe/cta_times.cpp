#include "platform/observe/cta_times.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "base/error.h"
#include "modules/sm/issue/issue_observer.h"
#include "platform/build/platform.h"

namespace warpvp {

class CtaWatch::Observer : public PassingObserver {
 public:
  Observer(IssueObserver* next, unsigned sm, CtaTimes& times)
      : PassingObserver(next), sm_(sm), times_(times) {}

  void cta_started(Cycle now, const CtaLaunch& cta, const ptx::Program& program,
                   const std::vector<std::uint16_t>& slots) override {
    starts_[key(cta)] = now;
    PassingObserver::cta_started(now, cta, program, slots);
  }
  void cta_finished(Cycle now, const CtaLaunch& cta) override {
    const auto start = starts_.find(key(cta));
    times_.push_back({cta.launch_id, sm_, start->second, now});
    starts_.erase(start);
    PassingObserver::cta_finished(now, cta);
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
  static Key key(const CtaLaunch& cta) { return {cta.launch_id, cta.cta[0], cta.cta[1], cta.cta[2]}; }

  unsigned sm_;
  CtaTimes& times_;
  std::map<Key, Cycle> starts_;
};

CtaWatch::CtaWatch(Platform& platform, CtaTimes& times) {
  for (unsigned i = 0; i < platform.sms().size(); ++i) {
    WarpView* const warps = platform.sms()[i]->warps();
    if (warps == nullptr)
      throw InputError(fmt::format("platform.sm.type: SMs of type {} show no CTAs; allowed: cycle",
                                   platform.config().sm.type.name));
    observers_.push_back(std::make_unique<Observer>(warps->issue_observer(), i, times));
    warps->observe_issue(observers_.back().get());
  }
}

CtaWatch::~CtaWatch() = default;

}  // namespace warpvp
