// A row policy of the DRAM controller: a row is closed once it has served so many accesses in a row, so that
// no stream keeps a bank for ever; until then it stays open.
#include <vector>

#include "base/registry.h"
#include "modules/dram/page_policy.h"

namespace {

using warpvp::Cycle;

struct RowLimitParams {
  std::uint32_t accesses = 16;

  void fields(warpvp::FieldVisitor& v) {
    v.field("accesses", accesses, "accesses", "Served by a row before it is closed.",
            warpvp::Constraint::range(1, 1000000));
  }
};

class RowLimit : public warpvp::DramPagePolicy {
 public:
  explicit RowLimit(const RowLimitParams& params) : params_(params) {}

  void configure(const warpvp::DramTiming& timing) override { served_.assign(timing.banks(), 0); }
  Cycle close_at(const Access& access, Cycle now) override {
    std::uint32_t& served = served_[access.bank];
    served = access.found == Found::kOpen ? served + 1 : 1;
    return served >= params_.accesses ? now : warpvp::kNever;
  }

 private:
  RowLimitParams params_;
  std::vector<std::uint32_t> served_;  // by bank: accesses to the row that is open
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(warpvp::DramPagePolicy, RowLimit, RowLimitParams, "row_limit",
                                   "A row is closed once it has served a number of accesses.");

}  // namespace
