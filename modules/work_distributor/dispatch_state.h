#pragma once
// What a CTA dispatch policy decides on: the resident kernels, and of each SM whose it is and what is free.
// The work distributor keeps it; policies read it, and hand over SMs through SmVerbs (partition_policy.h).

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "base/sm_resources.h"
#include "interconnect/launch.h"

namespace warpvp {

/// A kernel that occupies a kernel status register.
struct ResidentKernel {
  unsigned slot = 0;
  std::uint32_t launch_id = 0;
  std::uint32_t context = 0;
  std::int32_t priority = 0;  ///< greater is more urgent
  std::uint64_t arrival = 0;  ///< counts kernels in the order in which they were written
  std::uint64_t ctas = 0;
  std::uint64_t issued = 0;
  std::uint64_t done = 0;
  CtaNeeds needs;
  std::vector<std::uint32_t> running;  ///< CTAs by SM
  std::vector<bool> started;           ///< by SM: has sent a CTA there
  /// By SM: most CTAs there that may issue instructions; empty: no limits. Where more are, the youngest wait.
  std::vector<std::uint32_t> limits;
  /// A CTA that was taken off its SM and is to be issued again, before new ones.
  struct SetAside {
    std::uint64_t cta;    ///< its number in the grid
    std::uint32_t state;  ///< it goes on from; 0: it runs from the start
  };
  std::vector<SetAside> set_aside;  ///< in the order in which they left

  static constexpr std::uint32_t kNoLimit = ~0u;
  std::uint32_t cta_limit(unsigned sm) const { return limits.empty() ? kNoLimit : limits[sm]; }
  /// It may have one more CTA on the SM, as far as its limit goes.
  bool under_limit(unsigned sm) const { return limits.empty() || running[sm] < limits[sm]; }

  bool held = false;    ///< sends no CTAs until it is released
  bool killed = false;  ///< its context has ended: sends none any more

  /// CTAs to issue.
  std::uint64_t to_issue() const { return ctas - issued + set_aside.size(); }
  /// It has some, and may send them.
  bool waiting() const { return !held && !killed && (issued < ctas || !set_aside.empty()); }
  /// All its CTAs have ended, or none is on an SM and none will be.
  bool over() const { return done == ctas || (killed && in_flight() == 0); }
  std::uint64_t in_flight() const { return issued - done - set_aside.size(); }
};

/// What an SM is doing for the distributor (CUsched section III.C).
enum class SmState : std::uint8_t {
  kIdle = 0,      ///< no CTA here, and nobody's
  kRunning = 1,   ///< takes CTAs
  kReserved = 2,  ///< gets no CTA until those here have ended; then it is the next kernel's
};

/// One SM (the SM status register).
struct SmStatus {
  static constexpr std::uint32_t kNobody = ~0u;

  std::uint32_t free_ctas = 0, free_warps = 0, free_threads = 0, free_registers = 0, free_shared_bytes = 0,
                free_barriers = 0;
  std::uint32_t shared_bytes = 0;  ///< division in force; what is free may be more where it can change
  std::uint32_t running_ctas = 0;
  SmState state = SmState::kIdle;
  std::uint32_t context = 0;      ///< it was last set up for; 0 at reset
  std::uint32_t owner = kNobody;  ///< slot of the kernel it was handed to; of partition policies only
  std::uint32_t next = kNobody;   ///< slot of the kernel that has reserved it
  /// How a reserved SM gets rid of its CTAs; kDrain also where it runs on.
  Preemption preemption = Preemption::kDrain;
  Cycle ready_at = 0;             ///< edge at which its set-up is over
  bool given_this_cycle = false;  ///< an SM takes one CTA a cycle
};

/// What an SM has to be told before a CTA comes.
struct SmSetup {
  std::uint64_t cta = 0;      ///< number of the CTA that was issued
  std::uint32_t state = 0;    ///< it goes on from; 0: it begins
  bool context = false;       ///< it has CTAs of another context so far
  bool kernel_start = false;  ///< it is the first CTA of its kernel there
  bool divide = false;        ///< the division of L1 and shared memory changes to shared_bytes
  std::uint32_t shared_bytes = 0;
};

class DispatchState {
 public:
  /// `setup_cycles`: from the moment an SM is set up for another context (with `partitioned`: for another
  /// kernel) until it takes CTAs. `partitioned`: an SM runs the kernel that it was handed to, and no other.
  DispatchState(const SmResources& resources, unsigned sm_count, Cycle setup_cycles = 0,
                bool partitioned = false);

  /// Of each SM.
  const SmResources& resources() const { return resources_; }
  unsigned sm_count() const { return static_cast<unsigned>(sms_.size()); }
  const SmStatus& sm(unsigned index) const { return sms_[index]; }
  /// Resident kernels, most urgent first: by priority, then in order of arrival.
  const std::vector<ResidentKernel>& kernels() const { return kernels_; }
  bool partitioned() const { return partitioned_; }

  /// Kernel `k` (index into kernels()) has a CTA to issue and SM `sm` could take it in this cycle. An SM that
  /// has CTAs of one context takes none of another.
  bool fits(unsigned k, unsigned sm) const;
  /// The SM must be set up before it takes a CTA of kernel `k`, and that takes time.
  bool needs_setup(unsigned k, unsigned sm) const {
    return setup_cycles_ > 0 && !partitioned_ && sms_[sm].context != kernels_[k].context;
  }
  /// Kernel `k` has more CTAs to issue than the SMs that it has, or has reserved, have room for.
  bool wants_sm(unsigned k) const;
  /// SMs that the kernel in `slot` has or has reserved, without those that are reserved from it.
  unsigned sms_of(unsigned slot) const;
  /// The index of the kernel in `slot`; kernels().size() if there is none.
  unsigned index_of(unsigned slot) const {
    return slot < index_.size() ? index_[slot] : static_cast<unsigned>(kernels_.size());
  }

  // The distributor's side.
  /// At edge `now`: SMs whose set-up is over take CTAs from now on.
  void begin_cycle(Cycle now);
  void add(ResidentKernel kernel);
  /// The kernel in `slot`, if there is one: its place among the others changes, its age does not.
  void set_priority(unsigned slot, std::int32_t priority);
  void set_held(unsigned slot, bool held);
  /// The same for its limit of CTAs on SM `sm`.
  void set_limit(unsigned slot, unsigned sm, std::uint32_t ctas);
  SmSetup issue(unsigned k, unsigned sm);
  /// So many CTAs follow the one of kernel `k` that was issued last, in its place.
  void issue_followers(unsigned k, std::uint32_t ctas) { kernels_[k].issued += ctas; }
  /// A CTA of the kernel in `slot`, and those `before` it that it has followed, are done on `sm`; returns the
  /// kernel.
  const ResidentKernel& complete(unsigned slot, unsigned sm, std::uint32_t before = 0);
  /// CTAs of kernel `k` up to number `next` are computed without an SM's resources: they count as issued.
  void skip_to(unsigned k, std::uint64_t next) { kernels_[k].issued = next; }
  /// One of them is done, or has been dropped with its context; returns the kernel.
  const ResidentKernel& complete_skipped(unsigned slot);
  const ResidentKernel& drop_skipped(unsigned slot, std::uint64_t cta);
  /// A CTA of it has left `sm` before its end, and those `before` it are done; returns the kernel.
  const ResidentKernel& set_aside(unsigned slot, unsigned sm, const ResidentKernel::SetAside& cta,
                                  std::uint32_t before = 0);
  /// CTAs in the grid from number `first` on that were issued as followers, and will not begin so.
  const ResidentKernel& take_back(unsigned slot, std::uint64_t first, std::uint32_t ctas);
  /// The kernel in `slot`, if there is one, sends no CTA any more.
  void kill(unsigned slot);
  void remove(unsigned slot);
  const ResidentKernel* find(unsigned slot) const;
  /// SM `sm`, which is empty, becomes one of kernel `k`, from `now` + setup_cycles on.
  void set_up(unsigned k, unsigned sm, Cycle now);
  void reserve(unsigned k, unsigned sm, Preemption way = Preemption::kDrain) {
    change(sm, SmState::kReserved, sms_[sm].owner, kernels_[k].slot);
    sms_[sm].preemption = way;
  }
  void release(unsigned sm) { change(sm, SmState::kRunning, sms_[sm].owner, SmStatus::kNobody); }
  void make_idle(unsigned sm) { change(sm, SmState::kIdle, SmStatus::kNobody, SmStatus::kNobody); }
  /// The next edge at which a set-up is over; kNever: none is under way.
  Cycle next_ready() const;

 private:
  ResidentKernel& gone(unsigned slot, unsigned sm);
  static std::uint64_t room_on(const ResidentKernel& kernel, unsigned sm, bool has_it);
  void insert(ResidentKernel kernel);
  void number_kernels();
  std::uint32_t division(const ResidentKernel& next, unsigned sm) const;
  void update_free_shared(unsigned sm);
  void change(unsigned sm, SmState state, std::uint32_t owner, std::uint32_t next) {
    sms_[sm].state = state;
    sms_[sm].owner = owner;
    sms_[sm].next = next;
    sms_[sm].preemption = Preemption::kDrain;
  }

  SmResources resources_;
  Cycle setup_cycles_;
  bool partitioned_;
  Cycle now_ = 0;
  std::vector<SmStatus> sms_;
  std::vector<std::uint32_t> shared_used_;  // by SM
  std::vector<ResidentKernel> kernels_;
  std::vector<unsigned> index_;  // by slot: into kernels_, its size for a slot without a kernel
  std::vector<unsigned> given_;
  std::vector<unsigned> in_setup_;
};

}  // namespace warpvp
