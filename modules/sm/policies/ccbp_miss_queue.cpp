// Miss queue "ccbp": the issue-rate controller of CCBP (TACO 2019, section 6). Each kernel with CTAs on the
// SM has a virtual queue, an equal share of the sub-queues that the miss queue is divided into. It may send
// as many requests in an interval as it has credits, which its quota renews; of kernels with credits those
// that are sensitive to latency go first. Quotas, types and what is counted of each kernel are registers:
// whoever writes them (modules/bandwidth) decides who gets which bandwidth.
//
// Without quotas (reset) nobody is limited, and the private queues alone differ from "fifo".

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "interconnect/register_map.h"
#include "interconnect/ring.h"
#include "interconnect/transaction.h"
#include "modules/sm/memory/miss_queue.h"

namespace warpvp {
namespace {

namespace rate = regmap::sm::miss_queue;

struct CcbpParams {
  std::uint32_t sub_queues = 8, interval_cycles = 200, arbiter_cycles = 1;
  std::string admission = "with_room";
  void fields(FieldVisitor& v) {
    v.field("sub_queues", sub_queues, "",
            "Equal parts of the miss queue, dealt to the kernels that have CTAs on the SM; the most kernels "
            "that an SM can have (CCBP, section 6.1).",
            Constraint::range(1, 64));
    v.field("interval_cycles", interval_cycles, "SM cycles",
            "Credits become the quotas again so often (CCBP, section 6.2).", Constraint::range(1, 100000));
    v.field(
        "arbiter_cycles", arbiter_cycles, "cycles",
        "From the cycle in which a request is queued to the first one in which it can leave (CCBP, section "
        "6.2: 1, and 1 to 4 tried).",
        Constraint::range(1, 64));
    v.field(
        "admission", admission,
        "Of which kernels the load/store unit takes memory instructions: with_room, of those whose virtual "
        "queue has room for what a warp can miss, so that a kernel short of credits does not stand in the "
        "others' way (CCBP, section 7.2); open, of all.",
        Constraint::words({"with_room", "open"}));
  }
};

class CcbpMissQueue : public MissQueue, private SmListener {
 public:
  CcbpMissQueue(const CcbpParams& params, const SmContext& context)
      : params_(params), place_(context.place), kernels_(context.kernel_slots) {
    declare(context.registers);
    context.listen(*this, {SmEvent::kKernels});
  }

  void configure(unsigned entries) override {
    entries_ = entries;
    share_out();
  }

  bool can_push(unsigned slot, unsigned count) const override {
    if (slot >= kernels_.size()) return fits(others_, count, entries_);
    const Kernel& kernel = kernels_[slot];
    return fits(kernel.queue, count, kernel.resident ? kernel.share : entries_ / params_.sub_queues);
  }

  bool limits_instructions() const override { return params_.admission == "with_room"; }
  // The unit serves instructions in order. Of a kernel whose queue is full the oldest would wait there for
  // credits, and everybody behind it. A warp's 32 lanes may miss 32 lines; in small queues half of the room
  // has to do.
  bool admits(unsigned slot) const override {
    if (slot >= kernels_.size() || !kernels_[slot].resident) return true;
    const Kernel& kernel = kernels_[slot];
    return kernel.queue.size() + std::min(kLanes, kernel.share / 2) <= kernel.share;
  }

  void push(Transaction& request, Cycle now) override {
    const Waiting waiting{&request, now + params_.arbiter_cycles};
    ++waiting_;
    peak_ = std::max(peak_, waiting_);
    if (request.ext.kernel_slot >= kernels_.size()) {
      others_.push(waiting);
      return;
    }
    renew(now);
    Kernel& kernel = kernels_[request.ext.kernel_slot];
    if (kernel.queue.empty()) busy_.push_back(request.ext.kernel_slot);
    kernel.queue.push(waiting);
    ++kernel.demand;
  }

  Transaction* pop(Cycle now) override {
    if (!others_.empty() && others_.front().from <= now) return take(others_);
    renew(now);
    const std::size_t none = busy_.size();
    std::size_t chosen = none;
    for (std::size_t i = 0; i < busy_.size(); ++i) {
      const Kernel& kernel = kernels_[busy_[i]];
      if (!kernel.has_credit() || kernel.queue.front().from > now) continue;
      if (chosen == none || (kernel.latency_sensitive && !kernels_[busy_[chosen]].latency_sensitive))
        chosen = i;
    }
    if (chosen == none) return nullptr;
    const std::uint16_t slot = busy_[chosen];
    Kernel& kernel = kernels_[slot];
    if (kernel.quota != rate::kNoQuota) --kernel.credits;
    Transaction* const request = take(kernel.queue);
    ++kernel.requests;
    kernel.reads += request->is_read();
    ++issued_;
    // Kernels of one type take turns: the one that has sent goes behind the others.
    busy_.erase(busy_.begin() + static_cast<std::ptrdiff_t>(chosen));
    if (!kernel.queue.empty()) busy_.push_back(slot);
    return request;
  }

  bool empty() const override { return waiting_ == 0; }

  Cycle next_issue(Cycle now) const override {
    Cycle next = others_.empty() ? kNever : std::max(now + 1, others_.front().from);
    for (const std::uint16_t slot : busy_) {
      const Kernel& kernel = kernels_[slot];
      Cycle at = std::max(now + 1, kernel.queue.front().from);
      if (!kernel.may_send_at(at / params_.interval_cycles, interval_)) {
        if (kernel.quota == 0) continue;  // until it has a quota
        at = std::max(at, (now / params_.interval_cycles + 1) * params_.interval_cycles);
      }
      next = std::min(next, at);
    }
    return next;
  }

  void response(const MemExtension& request, bool, Cycle) override {
    if (request.kernel_slot >= kernels_.size()) return;
    Kernel& kernel = kernels_[request.kernel_slot];
    ++kernel.answers;
    kernel.dram_accesses += std::min<std::uint32_t>(request.dram_accesses, 2);  // a field of two bits
  }

  Cycle credit_interval() const override { return params_.interval_cycles; }
  void stats(StatVisitor& v) const override {
    v.value("issued", issued_, "requests", "Requests of kernels that left the queue.");
    v.value("peak_waiting", std::uint64_t{peak_}, "requests", "Most requests that ever waited.");
    v.value("partitions", partitions_, "times", "The sub-queues were dealt out anew.");
    v.value("cost_bits", cost_bits(), "bits",
            "That partition vector, credits and the RF and DF monitors of an SM take (CCBP, section 6.4).");
    v.value("short_of_credit", short_of_credit_, "intervals",
            "Intervals in which a kernel used up its credits, summed over kernels.");
  }

 private:
  static constexpr unsigned kLanes = 32;  // of a warp
  struct Waiting {
    Transaction* request = nullptr;
    Cycle from = 0;  ///< can leave at this edge at the earliest
  };
  /// What the controller has for a kernel slot.
  struct Kernel {
    GrowingRing<Waiting> queue;  ///< its virtual queue
    unsigned share = 0;          ///< entries of it
    bool resident = false;       ///< has CTAs here
    bool latency_sensitive = false;
    std::uint32_t quota = rate::kNoQuota, credits = 0;
    std::uint32_t requests = 0, reads = 0;         ///< RF monitor
    std::uint32_t answers = 0, dram_accesses = 0;  ///< DF monitor
    std::uint32_t demand = 0;

    bool has_credit() const { return quota == rate::kNoQuota || credits != 0; }
    /// It will have credits in `interval`, as they are in interval `present`.
    bool may_send_at(Cycle interval, Cycle present) const {
      return interval > present ? quota != 0 : has_credit();
    }
  };

  /// An empty queue also takes what it could never hold, so that nobody waits for ever.
  static bool fits(const GrowingRing<Waiting>& queue, unsigned count, unsigned room) {
    return queue.size() + count <= room || (queue.empty() && count > room);
  }

  Transaction* take(GrowingRing<Waiting>& queue) {
    Transaction* const request = queue.front().request;
    queue.pop();
    --waiting_;
    return request;
  }

  /// Credits of the interval of `now`. What still waits when an interval begins is demand of that one too.
  void renew(Cycle now) {
    const Cycle interval = now / params_.interval_cycles;
    if (interval == interval_) return;
    const Cycle passed = interval - interval_;
    interval_ = interval;
    for (Kernel& kernel : kernels_) {
      if (kernel.quota != rate::kNoQuota) {
        short_of_credit_ += kernel.quota != 0 && kernel.credits == 0;
        kernel.credits = kernel.quota;
      }
      kernel.demand += static_cast<std::uint32_t>(kernel.queue.size() * passed);
    }
  }

  // The partition vector: sub-queues in order of kernel slots. What waits stays where it is, and leaves in
  // its order, also where a virtual queue has fewer entries now than requests.
  void share_out() {
    unsigned resident = 0;
    for (const Kernel& kernel : kernels_) resident += kernel.resident;
    if (resident > params_.sub_queues)
      throw InputError(
          fmt::format("{} has CTAs of {} kernels and {} sub-queues; allowed: at most one kernel a sub-queue "
                      "(sm.memory.l1.miss_queue: {{ccbp: {{sub_queues: N}}}}, or fewer kernels at once)",
                      place_, resident, params_.sub_queues));
    if (resident == 0) return;
    ++partitions_;
    unsigned extra = params_.sub_queues % resident;
    for (Kernel& kernel : kernels_) {
      if (!kernel.resident) continue;
      const unsigned sub_queues = params_.sub_queues / resident + (extra != 0);
      extra -= extra != 0;
      kernel.share = std::max(1u, entries_ / params_.sub_queues * sub_queues);
    }
  }
  void kernel_started(const KernelHere& kernel, Cycle) override { present(kernel.kernel_slot, true); }
  void kernel_ended(const KernelHere& kernel, Cycle) override { present(kernel.kernel_slot, false); }
  void present(unsigned slot, bool resident) {
    if (slot >= kernels_.size() || kernels_[slot].resident == resident) return;
    kernels_[slot].resident = resident;
    share_out();
  }

  // An entry of the partition vector names a sub-queue; credits go up to one request a cycle.
  std::uint64_t cost_bits() const {
    const auto bits_for = [](std::uint64_t values) {
      std::uint64_t bits = 0;
      while (std::uint64_t{1} << bits < values) ++bits;
      return bits;
    };
    constexpr std::uint64_t kMonitors = 4 * 32;
    return params_.sub_queues *
           (bits_for(params_.sub_queues) + bits_for(std::uint64_t{params_.interval_cycles} + 1) + kMonitors);
  }

  void declare(const PolicyRegisters& registers) {
    const auto slots = static_cast<unsigned>(kernels_.size());
    RegisterSpec quota{
        "QUOTA",
        rate::kQuota,
        4,
        slots,
        rate::kStride,
        RegisterAccess::kReadWrite,
        rate::kNoQuota,
        "Of the kernel in this slot: requests that it may send in an interval, in bits 15:0 (all ones: "
        "any number), from the next interval on; bit 16: it is sensitive to latency, and goes before "
        "kernels that are not (CCBP, section 6.2)."};
    quota.read = [this](unsigned slot) {
      return std::uint64_t{kernels_[slot].quota} |
             (kernels_[slot].latency_sensitive ? rate::kLatencySensitive : 0);
    };
    quota.write = [this](unsigned slot, std::uint64_t value) {
      Kernel& kernel = kernels_[slot];
      kernel.latency_sensitive = (value & rate::kLatencySensitive) != 0;
      kernel.quota = static_cast<std::uint32_t>(value & rate::kNoQuota);
      kernel.credits = std::min(kernel.credits, kernel.quota == rate::kNoQuota ? 0 : kernel.quota);
    };
    registers.add(std::move(quota));
    const auto count = [&](const char* name, std::uint64_t offset, std::uint32_t Kernel::*member,
                           const char* doc) {
      RegisterSpec spec{name, offset, 4, slots, rate::kStride, RegisterAccess::kReadOnly, 0, doc};
      spec.read = [this, member](unsigned slot) { return std::uint64_t{kernels_[slot].*member}; };
      registers.add(std::move(spec));
    };
    count("REQUESTS", rate::kRequests, &Kernel::requests, "Requests that it has sent (CCBP, equation 2).");
    count("READS", rate::kReads, &Kernel::reads, "Of these, reads.");
    count("ANSWERS", rate::kAnswers, &Kernel::answers, "Responses that have come back (CCBP, equation 4).");
    count("DRAM_ACCESSES", rate::kDramAccesses, &Kernel::dram_accesses,
          "DRAM accesses that they name, 0 to 2 each.");
    count("DEMAND", rate::kDemand, &Kernel::demand,
          "Requests that it wanted to send, summed over intervals: those that waited when the interval "
          "began, and those "
          "that came in it (CCBP, section 4.1).");
  }

  const CcbpParams params_;
  const std::string place_;
  std::vector<Kernel> kernels_;      // by kernel slot
  std::vector<std::uint16_t> busy_;  // slots with requests, in the order in which they take turns
  GrowingRing<Waiting> others_;      // of no kernel
  unsigned entries_ = 0, waiting_ = 0, peak_ = 0;
  Cycle interval_ = 0;
  std::uint64_t issued_ = 0, partitions_ = 0, short_of_credit_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MissQueue, CcbpMissQueue, CcbpParams, "ccbp",
                                   "CCBP's issue-rate controller: a queue a kernel, and credits.");

}  // namespace
}  // namespace warpvp
