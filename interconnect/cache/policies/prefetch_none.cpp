// No prefetching.

#include "base/registry.h"
#include "interconnect/cache/prefetcher.h"

namespace warpvp {
namespace {

class NoPrefetcher : public Prefetcher {
 public:
  bool never() const override { return true; }
  void configure(const Cache&) override {}
  void access(const Access&, Proposals&) override {}
};

WARPVP_REGISTER_POLICY(Prefetcher, NoPrefetcher, "none", "Lines come when they are asked for.");

}  // namespace
}  // namespace warpvp
