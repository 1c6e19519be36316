#pragma once
// What a CTA dispatch policy decides on: the resident kernels and what is free on each SM. The work
// distributor keeps it; policies read it.

#include <cstdint>
#include <vector>

#include "base/sm_resources.h"

namespace warpvp {

/// A kernel that occupies a kernel status register.
struct ResidentKernel {
  unsigned slot = 0;
  std::uint32_t launch_id = 0;
  std::int32_t priority = 0;  ///< greater is more urgent
  std::uint64_t arrival = 0;  ///< counts kernels in the order in which they were written
  std::uint64_t ctas = 0;
  std::uint64_t issued = 0;
  std::uint64_t done = 0;
  CtaNeeds needs;
  std::vector<std::uint32_t> running;  ///< CTAs by SM
  std::vector<bool> started;           ///< by SM: has sent a CTA there

  bool waiting() const { return issued < ctas; }  ///< has CTAs to issue
  std::uint64_t in_flight() const { return issued - done; }
};

/// Free resources of one SM (the SM status register).
struct SmStatus {
  std::uint32_t free_ctas = 0, free_warps = 0, free_threads = 0, free_registers = 0, free_shared_bytes = 0,
                free_barriers = 0;
  std::uint32_t shared_bytes = 0;  ///< division in force; what is free may be more where it can change
  std::uint32_t running_ctas = 0;
  bool given_this_cycle = false;  ///< an SM takes one CTA a cycle
};

/// What an SM has to be told before a CTA comes.
struct SmSetup {
  bool kernel_start = false;  ///< it is the first CTA of its kernel there
  bool divide = false;        ///< the division of L1 and shared memory changes to shared_bytes
  std::uint32_t shared_bytes = 0;
};

class DispatchState {
 public:
  DispatchState(const SmResources& resources, unsigned sm_count);

  unsigned sm_count() const { return static_cast<unsigned>(sms_.size()); }
  const SmStatus& sm(unsigned index) const { return sms_[index]; }
  /// Resident kernels, most urgent first: by priority, then in order of arrival.
  const std::vector<ResidentKernel>& kernels() const { return kernels_; }

  /// Kernel `k` (index into kernels()) has a CTA to issue and SM `sm` could take it in this cycle.
  bool fits(unsigned k, unsigned sm) const;

  // The distributor's side.
  void begin_cycle();
  void add(ResidentKernel kernel);
  SmSetup issue(unsigned k, unsigned sm);
  /// A CTA of the kernel in `slot` is done on `sm`; returns the kernel.
  const ResidentKernel& complete(unsigned slot, unsigned sm);
  void remove(unsigned slot);
  const ResidentKernel* find(unsigned slot) const;

 private:
  std::uint32_t division(const ResidentKernel& next, unsigned sm) const;
  void update_free_shared(unsigned sm);

  SmResources resources_;
  std::vector<SmStatus> sms_;
  std::vector<std::uint32_t> shared_used_;  // by SM
  std::vector<ResidentKernel> kernels_;
  std::vector<unsigned> given_;
};

}  // namespace warpvp
