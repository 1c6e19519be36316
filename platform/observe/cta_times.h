#pragma once
// Notes when each CTA of a run began and ended on its SM.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cycle.h"

namespace warpvp {

class Platform;

/// A CTA that has ended.
struct CtaTime {
  std::uint32_t launch;
  unsigned sm;
  Cycle start, end;  ///< SM cycles
};

/// In the order of their ends on each SM.
using CtaTimes = std::vector<CtaTime>;

/// Fills a CtaTimes, which outlives it, while the run goes on. Only of SMs that show their warps; on others
/// it is an InputError.
class CtaWatch {
 public:
  CtaWatch(Platform& platform, CtaTimes& times);
  ~CtaWatch();
  CtaWatch(const CtaWatch&) = delete;

 private:
  class Observer;
  std::vector<std::unique_ptr<Observer>> observers_;
};

}  // namespace warpvp
