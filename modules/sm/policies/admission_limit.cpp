// Admission "limit": each kernel has at most so many memory instructions in flight on the SM, the idea
// of memory instruction limiting (Dai et al., HPCA 2018). The limits are registers: whoever writes them
// decides who may have how much.

#include <algorithm>
#include <utility>
#include <vector>

#include "base/registry.h"
#include "modules/sm/memory/memory_admission.h"
#include "modules/sm/sm_context.h"

namespace warpvp {
namespace {

struct LimitParams {
  std::uint32_t in_flight = 64;
  void fields(FieldVisitor& v) {
    v.field("in_flight", in_flight, "warp instructions",
            "Memory instructions of a kernel that can be in flight on an SM, until LIMIT is written.",
            Constraint::range(1, 65535));
  }
};

class LimitAdmission : public MemoryAdmission {
 public:
  LimitAdmission(const LimitParams& params, const SmContext& context)
      : limits_(context.kernel_slots, params.in_flight), in_flight_(context.kernel_slots, 0) {
    RegisterSpec limit{"LIMIT",
                       0,
                       4,
                       context.kernel_slots,
                       4,
                       RegisterAccess::kReadWrite,
                       params.in_flight,
                       "Memory instructions that the kernel in this slot can have in flight; 0: none."};
    limit.read = [this](unsigned slot) { return std::uint64_t{limits_[slot]}; };
    limit.write = [this](unsigned slot, std::uint64_t value) {
      limits_[slot] = static_cast<std::uint32_t>(value);
    };
    context.registers.add(std::move(limit));
    RegisterSpec now{"IN_FLIGHT",         0x200, 4, context.kernel_slots, 4, RegisterAccess::kReadOnly, 0,
                     "Those that it has."};
    now.read = [this](unsigned slot) { return std::uint64_t{in_flight_[slot]}; };
    context.registers.add(std::move(now));
  }

  bool admits(unsigned slot) const override { return in_flight_[slot] < limits_[slot]; }
  void taken(const AdmittedAccess& access, Cycle) override {
    peak_ = std::max(peak_, ++in_flight_[access.owner.kernel_slot]);
  }
  void done(const AdmittedAccess& access, Cycle) override { --in_flight_[access.owner.kernel_slot]; }
  void stats(StatVisitor& v) const override {
    v.value("peak_in_flight", std::uint64_t{peak_}, "warp instructions",
            "Most memory instructions that a kernel ever had in flight.");
  }

 private:
  std::vector<std::uint32_t> limits_, in_flight_;  // by kernel slot
  std::uint32_t peak_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(MemoryAdmission, LimitAdmission, LimitParams, "limit",
                                   "Each kernel has at most so many memory instructions in flight.");

}  // namespace
}  // namespace warpvp
