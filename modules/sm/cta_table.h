#pragma once
// CTA slots of an SM: which CTAs are resident, which warps they own, which launches they belong to.

#include <memory>
#include <vector>

#include "interconnect/launch.h"
#include "modules/sm/instruction_profile.h"
#include "modules/sm/policies.h"
#include "modules/sm/sm_events.h"
#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

/// A launch with CTAs resident on the SM.
struct ResidentLaunch {
  CtaLaunch record;  ///< of the first CTA that came here
  std::shared_ptr<const ptx::Program> program;
  SmLaunchCounters* counters = nullptr;
  ExecutionCounts* profile = nullptr;  ///< by program counter; nullptr: nobody wants them
  bool counted = false;                ///< with a profile, or with counters->executed
  std::vector<WarpMask> warps;         ///< by scheduler
  unsigned ctas = 0;                   ///< resident now

  KernelHere here() const { return {record.launch_id, record.kernel_slot, record.context, record.priority}; }
};

struct CtaSlot {
  static constexpr std::uint16_t kNoWarp = 0xffff;  ///< of a warp that has drained

  bool used = false;
  CtaLaunch record;
  ResidentLaunch* launch = nullptr;
  std::vector<std::uint16_t> warps;  ///< warp slots, by index in the CTA
  unsigned running = 0;              ///< warps that have not drained
  std::uint32_t shared_bytes = 0;    ///< taken from the SM's shared memory
  std::uint64_t number = 0;          ///< of the CTAs that came to the SM
  bool throttled = false;            ///< issues nothing
};

class CtaTable {
 public:
  explicit CtaTable(unsigned slots, unsigned schedulers) : slots_(slots), schedulers_(schedulers) {}

  /// A free slot for a CTA of `record`, with its launch entered; -1 when all slots are taken.
  int open(const CtaLaunch& record, std::shared_ptr<const ptx::Program> program);
  void close(unsigned slot);

  CtaSlot& operator[](unsigned i) { return slots_[i]; }
  unsigned size() const { return static_cast<unsigned>(slots_.size()); }
  unsigned resident() const { return resident_; }
  const std::vector<std::unique_ptr<ResidentLaunch>>& launches() const { return launches_; }
  /// Counters of a launch, kept for the whole run; nullptr if it never ran here.
  const SmLaunchCounters* counters(std::uint32_t launch_id) const {
    return launch_id < counters_.size() ? counters_[launch_id].get() : nullptr;
  }

  /// Launches that come from now on count by instruction.
  void profile_instructions() { profiled_ = true; }
  /// Launches that come from now on count what they execute, in SmLaunchCounters::executed.
  void count_executed() { executed_ = true; }
  /// By program, in the order in which they came.
  const std::vector<std::unique_ptr<ProgramProfile>>& profiles() const { return profiles_; }

 private:
  ExecutionCounts* profile_of(const ResidentLaunch& launch);

  std::vector<CtaSlot> slots_;
  unsigned schedulers_;
  std::uint64_t opened_ = 0;
  unsigned resident_ = 0;
  std::vector<std::unique_ptr<ResidentLaunch>> launches_;    // resident ones
  std::vector<std::unique_ptr<SmLaunchCounters>> counters_;  // by launch id
  bool profiled_ = false, executed_ = false;
  std::vector<std::unique_ptr<ProgramProfile>> profiles_;
};

}  // namespace warpvp
