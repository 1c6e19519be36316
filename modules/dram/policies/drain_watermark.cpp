// Watermarks: a drain begins when the queue holds `high` writes and ends at `low`. So do GPGPU-Sim
// (dram_write_queue_size CAPACITY:HIGH:LOW) and gem5; Chatterjee et al., HPCA 2012, section 2, describe it as
// what controllers do.

#include <fmt/format.h>

#include "base/error.h"
#include "base/registry.h"
#include "modules/dram/write_drain_policy.h"

namespace warpvp {
namespace {

struct WatermarkParams {
  std::int32_t high = -1;
  std::int32_t low = -1;

  void fields(FieldVisitor& v) {
    v.field("high", high, "requests",
            "Queued writes at which a drain begins; -1: the controller's write_high.",
            Constraint::range(-1, 4096));
    v.field("low", low, "requests", "Queued writes at which it ends; -1: the controller's write_low.",
            Constraint::range(-1, 4096));
  }
};

class Watermark : public DramWriteDrainPolicy {
 public:
  explicit Watermark(const WatermarkParams& params) : params_(params) {}

  void configure(const Queue& queue) override {
    high_ = params_.high < 0 ? queue.high : static_cast<unsigned>(params_.high);
    low_ = params_.low < 0 ? queue.low : static_cast<unsigned>(params_.low);
    if (high_ > queue.capacity)
      throw InputError(fmt::format("'high' is {}; allowed: at most write_queue, {}", high_, queue.capacity));
    if (low_ >= high_)
      throw InputError(fmt::format("'low' is {}; allowed: less than 'high', {}", low_, high_));
  }
  bool drain(const View& view) const override {
    return view.writes >= high_ || (view.draining && view.writes > low_);
  }

 private:
  const WatermarkParams params_;
  unsigned high_ = 0, low_ = 0;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(DramWriteDrainPolicy, Watermark, WatermarkParams, "watermark",
                                   "Writes are drained from a high watermark of their queue to a low one.");

}  // namespace
}  // namespace warpvp
