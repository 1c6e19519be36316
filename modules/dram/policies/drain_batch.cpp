// Batches: when `size` writes wait, that many go, however many come meanwhile. The time that waiting reads
// lose to a drain is bounded, which watermarks do not promise: writes that arrive during their drain prolong
// it.

#include <fmt/format.h>

#include "base/error.h"
#include "base/registry.h"
#include "modules/dram/write_drain_policy.h"

namespace warpvp {
namespace {

struct BatchParams {
  std::uint32_t size = 16;

  void fields(FieldVisitor& v) {
    v.field("size", size, "requests", "Writes of a batch; at most the controller's write_queue.",
            Constraint::range(1, 4096));
  }
};

class Batch : public DramWriteDrainPolicy {
 public:
  explicit Batch(const BatchParams& params) : size_(params.size) {}

  void configure(const Queue& queue) override {
    if (size_ > queue.capacity)
      throw InputError(fmt::format("'size' is {}; allowed: at most write_queue, {}", size_, queue.capacity));
  }
  bool drain(const View& view) const override {
    return view.draining ? view.drained < size_ : view.writes >= size_;
  }

 private:
  const unsigned size_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramWriteDrainPolicy, Batch, BatchParams, "batch",
                                   "Writes go before reads in batches of a fixed size.");

}  // namespace
}  // namespace warpvp
