// Write-around: a write that finds its line stays there, dirty; one that does not passes the bank by and
// takes no room from what is read (Jouppi, "Cache write policies and performance", ISCA 1993, section 4).

#include "base/registry.h"
#include "modules/l2/write_policy.h"

namespace warpvp {
namespace {

class WriteAround : public L2WritePolicy {
 public:
  Decision decide(const Write&) override { return {false, false}; }
};

WARPVP_REGISTER_POLICY(L2WritePolicy, WriteAround, "write_around",
                       "Writes of lines that are here stay, dirty; others go to DRAM at once.");

}  // namespace
}  // namespace warpvp
