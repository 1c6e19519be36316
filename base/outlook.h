#pragma once
// What a block will do if nobody calls it any more. The watchdog (platform/guard/watchdog.h) asks: only where
// all around the warps is at rest can warps be proven to go round for ever.

#include <algorithm>
#include <cstdint>

namespace warpvp {

/// In the order of what weighs more.
enum class Outlook : std::uint8_t {
  kRests,   ///< nothing, until it is called
  kAwaits,  ///< it has asked somebody else, and goes on with the answer
  kActs     ///< something, at a time that is settled
};

/// For blocks that can tell. Of one that does not implement it nothing is proven, but for memory channels,
/// which hold no values.
class Foreseeing {
 public:
  virtual ~Foreseeing() = default;
  /// Asked between two edges.
  virtual Outlook outlook() const = 0;
};

}  // namespace warpvp
