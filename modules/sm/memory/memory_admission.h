#pragma once
// Which kernels may hand the load/store unit another memory instruction, as a policy. Where several kernels
// share an SM, one that misses much can fill the unit and its MSHRs, and all wait for it: limits on the
// instructions of a kernel in flight, or on its share of requests, are policies of this kind (Dai et al.,
// "Accelerate GPU Concurrent Kernel Execution by Mitigating Memory Pipeline Stalls", HPCA 2018).

#include <memory>

#include "base/cycle.h"
#include "base/stats.h"
#include "modules/sm/memory/access_owner.h"
#include "modules/sm/sm_context.h"

namespace warpvp {

/// A memory instruction that the load/store unit has taken.
struct AdmittedAccess {
  AccessOwner owner;
  unsigned transactions = 0;  ///< to global or local memory, coalesced; 0: none leaves for the caches
  bool store = false;
};

class MemoryAdmission {
 public:
  static constexpr const char* kKind = "memory_admission";
  using Context = SmContext;
  virtual ~MemoryAdmission() = default;

  /// False: everybody may, always; then nothing below is called.
  virtual bool limits() const { return true; }
  /// Whether a warp of the kernel in `kernel_slot` may issue a memory instruction at this edge. Asked at each
  /// edge at which one is ready to and the unit has room; no is counted as the stall LSU_full.
  virtual bool admits(unsigned kernel_slot) const = 0;
  /// The unit has taken one at edge `now`.
  virtual void taken(const AdmittedAccess& access, Cycle now) = 0;
  /// All of it has been answered: data is back, or stores are acknowledged.
  virtual void done(const AdmittedAccess& access, Cycle now) = 0;
  virtual void stats(StatVisitor&) const {}
};
/// Of the group of its statistics.
inline constexpr const char kAdmissionSentence[] = "What the admission policy of the load/store unit counts.";

}  // namespace warpvp
