#pragma once
// Notes what every SM issues: the schedule as it was simulated, and from it the trace of each warp in
// isolation.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "modules/sm/config.h"
#include "modules/sm/execute/issue_ports.h"
#include "modules/sm/issue/issue_observer.h"
#include "predict/schedule.h"
#include "predict/trace.h"

namespace warpvp {

struct PlatformConfig;

/// The configuration of `sm.type: cycle`, which schedules are recorded of and predicted for. InputError at
/// the place of another type.
SmConfig cycle_sm_config(const PlatformConfig& platform);

/// What a run left: traces that say nothing of when, and schedules that say nothing else.
struct Recording {
  predict::Trace trace;
  std::vector<predict::Schedule> schedules;  ///< by SM; CTAs are numbered as in `trace`
};

class ScheduleRecorder {
 public:
  ScheduleRecorder(const SmConfig& config, unsigned sms, Recording& recording);
  ~ScheduleRecorder();
  ScheduleRecorder(const ScheduleRecorder&) = delete;

  IssueObserver& observer(unsigned sm);

 private:
  class Sm;
  std::uint32_t program_of(const ptx::Program& program);
  std::uint32_t launch_of(const CtaLaunch& cta, const ptx::Program& program);

  const SmConfig config_;
  const ProductTimes products_;
  const IssuePorts ports_;
  Recording& recording_;
  std::vector<std::unique_ptr<Sm>> sms_;
  std::map<std::uint64_t, std::uint32_t> programs_;  // by code address
  std::map<std::uint32_t, std::uint32_t> launches_;  // by launch id
};

}  // namespace warpvp
