// Write-back with allocation: a write stays in the bank, dirty, and its line takes room there (Jouppi, "Cache
// write policies and performance", ISCA 1993, section 2).

#include "base/registry.h"
#include "modules/l2/write_policy.h"

namespace warpvp {
namespace {

class WriteBackAllocate : public L2WritePolicy {
 public:
  Decision decide(const Write&) override { return {true, false}; }
};

WARPVP_REGISTER_POLICY(L2WritePolicy, WriteBackAllocate, "write_back_allocate",
                       "Writes stay, dirty; absent lines are taken in.");

}  // namespace
}  // namespace warpvp
