// Open page: rows stay open until another row of the bank is wanted, or a refresh comes. Rixner et al., ISCA
// 2000; pays where accesses to a row come close together.

#include "base/registry.h"
#include "modules/dram/page_policy.h"

namespace warpvp {
namespace {

class OpenPage : public DramPagePolicy {
 public:
  Cycle close_at(const Access&, Cycle) override { return kNever; }
};

WARPVP_REGISTER_POLICY(DramPagePolicy, OpenPage, "open",
                       "Rows stay open until another one of their bank is wanted.");

}  // namespace
}  // namespace warpvp
