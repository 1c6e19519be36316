// No refresh: what refresh costs is what this saves. Real devices lose data without it.

#include "base/registry.h"
#include "modules/dram/refresh_policy.h"

namespace warpvp {
namespace {

class NoRefresh : public DramRefreshPolicy {
 public:
  void configure(const DramTiming&) override {}
  Cycle next() const override { return kNever; }
  Refresh take(Cycle, std::uint64_t) override { return {}; }
};

WARPVP_REGISTER_POLICY(DramRefreshPolicy, NoRefresh, "none", "No refresh, for comparison.");

}  // namespace
}  // namespace warpvp
