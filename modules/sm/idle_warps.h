#pragma once
// Warps and CTAs that no SM has: registers, local and shared memory of the host. Those given back last are
// taken first, as the host's near caches still have them. For SMs that execute one after the other.

#include <memory>
#include <utility>
#include <vector>

#include "ptx/exec/warp.h"

namespace warpvp {

template <class T>
class Idle {
 public:
  std::unique_ptr<T> take() {
    std::unique_ptr<T> last = take_if_any();
    return last != nullptr ? std::move(last) : std::make_unique<T>();
  }
  /// Makes none: nullptr where there is none.
  std::unique_ptr<T> take_if_any() {
    if (idle_.empty()) return nullptr;
    std::unique_ptr<T> last = std::move(idle_.back());
    idle_.pop_back();
    return last;
  }
  void give_back(std::unique_ptr<T> one) { idle_.push_back(std::move(one)); }

 private:
  std::vector<std::unique_ptr<T>> idle_;
};

struct IdleWarps {
  Idle<ptx::Warp> warps;
  Idle<ptx::Cta> ctas;
};

}  // namespace warpvp
