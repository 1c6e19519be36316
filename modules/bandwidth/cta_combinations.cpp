#include "modules/bandwidth/cta_combinations.h"

#include "base/sm_room.h"

namespace warpvp {
namespace {

class Combinations {
 public:
  Combinations(const SmResources& sm, const std::vector<CtaNeeds>& kernels, bool together, std::size_t most)
      : sm_(sm), kernels_(kernels), together_(together), most_(most) {}

  std::vector<CtaNumbers> all() {
    if (!kernels_.empty()) add(SmRoom(sm_));
    return std::move(found_);
  }

 private:
  /// The kernels after those of `numbers_`, in the room that these leave.
  void add(SmRoom left) {
    const CtaNeeds& needs = kernels_[numbers_.size()];
    if (!together_) left = SmRoom(sm_);
    for (std::uint32_t ctas = 1; ctas <= needs.most_ctas && left.has(needs) && found_.size() <= most_;
         ++ctas) {
      left.take(needs);
      numbers_.push_back(ctas);
      if (numbers_.size() == kernels_.size())
        found_.push_back(numbers_);
      else
        add(left);
      numbers_.pop_back();
    }
  }

  const SmResources& sm_;
  const std::vector<CtaNeeds>& kernels_;
  const bool together_;
  const std::size_t most_;
  CtaNumbers numbers_;
  std::vector<CtaNumbers> found_;
};

}  // namespace

std::vector<CtaNumbers> cta_combinations(const SmResources& sm, const std::vector<CtaNeeds>& kernels,
                                         bool together, std::size_t most) {
  return Combinations(sm, kernels, together, most).all();
}

}  // namespace warpvp
