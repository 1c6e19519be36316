// Timeout: a row that no access has used for some time is closed. Memory controllers offer it as a fixed idle
// timer; Jacob, Ng and Wang, "Memory Systems: Cache, DRAM, Disk", 2008, discuss it as a hybrid of open and
// closed page.

#include "base/registry.h"
#include "modules/dram/page_policy.h"

namespace warpvp {
namespace {

struct TimeoutParams {
  std::uint32_t cycles = 100;

  void fields(FieldVisitor& v) {
    v.field("cycles", cycles, "CK", "From the last access to a row to its precharge.",
            Constraint::range(1, 1 << 30));
  }
};

class TimeoutPage : public DramPagePolicy {
 public:
  explicit TimeoutPage(const TimeoutParams& params) : cycles_(params.cycles) {}
  Cycle close_at(const Access&, Cycle now) override { return now + cycles_; }

 private:
  const Cycle cycles_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramPagePolicy, TimeoutPage, TimeoutParams, "timeout",
                                   "A row that was not used for some time is closed.");

}  // namespace
}  // namespace warpvp
