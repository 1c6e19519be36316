#pragma once
// What happens on an SM, for those of its policies that ask to be told: kernels and CTAs that come and go,
// barriers and branches of warps, and what the L1 data cache does with accesses. An event that nobody asked
// for costs a test of a flag.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/memory/access_owner.h"
#include "modules/sm/memory/memory_counters.h"
#include "ptx/program.h"

namespace warpvp {

/// A kernel that has CTAs here.
struct KernelHere {
  std::uint32_t launch = 0;  ///< counts launches of the whole run
  std::uint16_t kernel_slot = 0;
  std::uint16_t context = 0;
  std::int32_t priority = 0;  ///< of its stream, greater is more urgent
};

struct CtaHere {
  KernelHere kernel;
  unsigned slot = 0;       ///< CTA slot of the SM
  unsigned warps = 0;      ///< that it started with here
  bool preempted = false;  ///< at its end: it left before it had finished
};

/// A warp, in this SM.
struct WarpHere {
  unsigned slot = 0;   ///< warp slot of the SM (AccessOwner::warp)
  unsigned cta = 0;    ///< CTA slot of the SM
  unsigned index = 0;  ///< within the CTA
};

/// Lanes of a warp have arrived at a barrier of their CTA. Those that diverged arrive apart.
struct BarrierArrived {
  WarpHere warp;
  bool waits = false;  ///< for others; not the last one to come, nor one that goes on by bar.arrive
};

/// A warp has executed a branch, a call or a return, taken or not.
struct WarpBranched {
  WarpHere warp;
  ptx::Pc from = 0, to = 0;                  ///< the branch, and what the warp executes next
  std::uint32_t lanes = 0, lanes_after = 0;  ///< on the warp's path, before and after
  /// Some of the lanes went another way.
  bool diverged() const { return lanes_after != lanes && (lanes_after & ~lanes) == 0; }
};

/// A coalesced access to one line that the L1 data cache looked up and took.
struct L1Access {
  enum class Result : std::uint8_t {
    kHit,
    kHitReserved,  ///< all that it lacks is on its way already
    kMiss,         ///< requests to L2 were needed
  };
  std::uint64_t line = 0;  ///< address
  AccessOwner owner;
  Result result = Result::kHit;
  bool store = false;
};

/// An access at the head of the load/store unit that was not taken.
struct L1Refusal {
  AccessOwner owner;
  Reservation why = Reservation::kWay;
  Cycle cycles = 0;  ///< so many more have been lost
};

/// A line made room for another one. Lines that are dropped all together (KERNEL_START, a new division) or by
/// stores and atomics are no evictions.
struct L1Eviction {
  std::uint64_t line = 0;  ///< address of what left
  AccessOwner filler;      ///< who had brought it here
  AccessOwner evictor;
};

/// Who is told. Called within the SM's evaluation, at the edge at which it happens.
class SmListener {
 public:
  virtual ~SmListener() = default;
  /// Its first CTA here has come.
  virtual void kernel_started(const KernelHere&, Cycle) {}
  /// It has no CTA here any more. Another one may still come.
  virtual void kernel_ended(const KernelHere&, Cycle) {}
  virtual void cta_started(const CtaHere&, Cycle) {}
  virtual void cta_ended(const CtaHere&, Cycle) {}
  virtual void barrier_arrived(const BarrierArrived&, Cycle) {}
  /// A warp that waited at a barrier may go on, from edge `from` on.
  virtual void barrier_released(const WarpHere&, Cycle /*from*/) {}
  virtual void branched(const WarpBranched&, Cycle) {}
  virtual void l1_accessed(const L1Access&, Cycle) {}
  virtual void l1_refused(const L1Refusal&, Cycle) {}
  virtual void l1_evicted(const L1Eviction&, Cycle) {}
};

enum class SmEvent : std::uint8_t {
  kKernels,
  kCtas,
  kBarriers,
  kBranches,
  kL1Accesses,
  kL1Refusals,
  kL1Evictions,
  kCount
};

class SmEvents {
 public:
  /// Tells `listener` of these from now on. `kind` and `name` are of the policy, for what it throws.
  void listen(SmListener& listener, std::initializer_list<SmEvent> events, const std::string& kind,
              const std::string& name);
  bool wanted(SmEvent event) const { return wanted_ >> static_cast<unsigned>(event) & 1; }

  void kernel_started(const KernelHere& kernel, Cycle now) const;
  void kernel_ended(const KernelHere& kernel, Cycle now) const;
  void cta_started(const CtaHere& cta, Cycle now) const;
  void cta_ended(const CtaHere& cta, Cycle now) const;
  void barrier_arrived(const BarrierArrived& arrival, Cycle now) const;
  void barrier_released(const WarpHere& warp, Cycle from) const;
  void branched(const WarpBranched& branch, Cycle now) const;
  void l1_accessed(const L1Access& access, Cycle now) const;
  void l1_refused(const L1Refusal& refusal, Cycle now) const;
  void l1_evicted(const L1Eviction& eviction, Cycle now) const;

 private:
  struct Told {
    SmListener* listener;
    std::string kind, name;
  };
  template <class Tell>
  void tell(SmEvent event, const Tell& tell) const;

  std::uint32_t wanted_ = 0;
  std::vector<Told> told_[static_cast<unsigned>(SmEvent::kCount)];
};

}  // namespace warpvp
