// Admission "bmi", balanced memory request issuing (Dai et al., "Accelerate GPU Concurrent Kernel Execution
// by Mitigating Memory Pipeline Stalls", HPCA 2018; CCBP paper, section 7.5): kernels that share an SM issue
// memory instructions so that their numbers of memory requests stay balanced. A kernel waits while it is
// `window` requests or more ahead of another kernel that has demand.
//
// Where we had no more than the papers' words, the rules are ours. Demand is seen in the questions: a kernel
// is asked about at each edge at which it has a memory instruction ready and the unit has room. It has demand
// for `demand_edges` edges with questions after that, so that one that computes holds nobody up, and one that
// only found the unit full still counts. A kernel whose demand comes back begins level with the least of
// those that have some: it has no credit for the time in which it asked for nothing, and no debt. So the
// kernel that is behind all others may always issue. What the oracles of `sm.oracle` ask counts as well.

#include <algorithm>
#include <vector>

#include "base/registry.h"
#include "modules/sm/memory/memory_admission.h"
#include "modules/sm/sm_context.h"

namespace warpvp {
namespace {

struct BmiParams {
  std::uint32_t window = 32;
  std::uint32_t demand_edges = 16;
  void fields(FieldVisitor& v) {
    v.field("window", window, "requests",
            "A kernel waits while it has issued so many more than another one with demand.",
            Constraint::range(1, 1 << 20));
    v.field("demand_edges", demand_edges, "edges",
            "A kernel has demand for so many edges at which any kernel has a memory instruction ready and "
            "the unit has room, since it had one itself.",
            Constraint::range(1, 1 << 20));
  }
};

class BalancedAdmission : public MemoryAdmission {
 public:
  BalancedAdmission(const BmiParams& params, const SmContext& context)
      : params_(params), context_(context), kernels_(context.kernel_slots) {}

  bool admits(unsigned slot) const override {
    note_demand(slot);
    for (const Kernel& other : kernels_) {
      if (!has_demand(other) || kernels_[slot].requests < other.requests + params_.window) continue;
      ++held_back_;
      return false;
    }
    return true;
  }
  void taken(const AdmittedAccess& access, Cycle) override {
    kernels_[access.owner.kernel_slot].requests += access.transactions;
  }
  void done(const AdmittedAccess&, Cycle) override {}
  void stats(StatVisitor& v) const override {
    v.value("held_back", held_back_, "questions",
            "Times that a kernel with a memory instruction ready had to wait for others, each sub-core and "
            "edge apart.");
  }

 private:
  struct Kernel {
    std::uint64_t requests = 0;    // issued; what counts are differences
    std::uint64_t last_asked = 0;  // number of the edge with questions; 0: never
  };

  bool has_demand(const Kernel& kernel) const {
    return kernel.last_asked != 0 && asked_edges_ - kernel.last_asked < params_.demand_edges;
  }
  // Being asked about is all that a kernel shows of its demand.
  void note_demand(unsigned slot) const {
    if (const Cycle now = context_.now(); now != asked_at_) {
      asked_at_ = now;
      ++asked_edges_;
    }
    Kernel& kernel = kernels_[slot];
    if (!has_demand(kernel)) {
      std::uint64_t least = ~std::uint64_t{0};
      for (const Kernel& other : kernels_)
        if (has_demand(other)) least = std::min(least, other.requests);
      if (least != ~std::uint64_t{0}) kernel.requests = least;
    }
    kernel.last_asked = asked_edges_;
  }

  const BmiParams params_;
  const SmContext context_;
  mutable std::vector<Kernel> kernels_;  // by slot
  mutable std::uint64_t asked_edges_ = 0;
  mutable Cycle asked_at_ = kNever;
  mutable std::uint64_t held_back_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryAdmission, BalancedAdmission, BmiParams, "bmi",
                                   "Kernels issue memory requests in balance (BMI): who is ahead of another "
                                   "one with demand waits.");

}  // namespace
}  // namespace warpvp
