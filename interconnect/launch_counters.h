#pragma once
// Counters kept per kernel launch, keyed by MemExtension::launch. Launch ids count up from zero, so a vector
// serves; traffic that belongs to no launch (copies, packets) is counted apart.

#include <cstdint>
#include <vector>

namespace warpvp {

template <class Counters>
class PerLaunch {
 public:
  Counters& of(std::uint32_t launch) {
    if (launch >= kLimit) return other_;
    if (launch >= launches_.size()) launches_.resize(std::size_t{launch} + 1);
    return launches_[launch];
  }
  /// Zeros when the launch caused no traffic.
  Counters at(std::uint32_t launch) const {
    return launch < launches_.size() ? launches_[launch] : Counters{};
  }
  /// Traffic without a launch.
  const Counters& other() const { return other_; }
  /// One more than the greatest launch id seen.
  std::uint32_t size() const { return static_cast<std::uint32_t>(launches_.size()); }

 private:
  static constexpr std::uint32_t kLimit = 1u
                                          << 26;  // ids beyond are "no launch" (0xffffffff is the usual one)
  std::vector<Counters> launches_;
  Counters other_;
};

}  // namespace warpvp
