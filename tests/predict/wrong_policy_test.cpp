// A wrong policy in the SM must not be predicted: this program's `lrr` starts at the wrong warp, and the
// prediction is the right one all the same. (None of the project's policies is linked here.)

#include <gtest/gtest.h>

#include "base/registry.h"
#include "modules/sm/policies.h"
#include "tests/predict/support.h"

namespace warpvp {
namespace {

/// Round robin that goes downwards.
class WrongLrr : public WarpPolicy<WrongLrr> {
 public:
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView& view) override {
    do last_ = (last_ + 63) % 64;
    while (!(view.ready >> last_ & 1));
    return last_;
  }

 private:
  unsigned last_ = 0;
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, WrongLrr, "lrr", "Wrong.");
struct SomebodysPolicy : WrongLrr {};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, SomebodysPolicy, "somebodys", "Not the project's.");

const std::string kTrace = R"(program 0 address 0x1000
inst 0 int latency 1 writes 0
inst 1 control latency 1
launch 0 program 0
cta 0 0 0 0 sm 0 at 0
warp
run 0 1
warp
run 0 1
warp
run 0 1
)";

TEST(WrongPolicy, IsNotFollowedByThePrediction) {
  const std::string predicted = predict::text_of(predict::predict_on(predict::small_sm("lrr"), kTrace));
  EXPECT_EQ(predicted.substr(0, 14), "0:0N 1:1N 2:2N");
}

TEST(WrongPolicy, APolicyWithoutAReferenceIsFollowed) {
  const std::string predicted = predict::text_of(predict::predict_on(predict::small_sm("somebodys"), kTrace));
  EXPECT_EQ(predicted.substr(0, 14), "0:2N 1:1N 2:0N");
}

}  // namespace
}  // namespace warpvp
