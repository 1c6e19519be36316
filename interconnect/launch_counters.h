#pragma once
// Counters kept per kernel launch, keyed by MemExtension::launch. Launch ids count up from zero, so a vector
// serves; traffic that belongs to no launch is counted apart: copies, commands, the rest.

#include <cstdint>
#include <vector>

namespace warpvp {

/// What stands in MemExtension::launch for traffic of no kernel: that of copy engines, that of host and
/// command processor (packets, arguments, signals), and that of which nothing is known.
inline constexpr std::uint32_t kCopyLaunch = 0xfffffffeu;
inline constexpr std::uint32_t kCommandLaunch = 0xfffffffdu;
inline constexpr std::uint32_t kNoLaunch = 0xffffffffu;

template <class Counters>
class PerLaunch {
 public:
  Counters& of(std::uint32_t launch) {
    if (launch >= kLimit)
      return launch == kCopyLaunch ? copies_ : launch == kCommandLaunch ? commands_ : other_;
    if (launch >= launches_.size()) launches_.resize(std::size_t{launch} + 1);
    return launches_[launch];
  }
  /// Zeros when the launch caused no traffic.
  Counters at(std::uint32_t launch) const {
    return launch < launches_.size() ? launches_[launch] : Counters{};
  }
  const Counters& copies() const { return copies_; }
  const Counters& commands() const { return commands_; }
  /// Traffic without a launch that is neither.
  const Counters& other() const { return other_; }
  /// Of all launches together.
  Counters kernels() const {
    Counters sum;
    for (const Counters& c : launches_) sum += c;
    return sum;
  }
  /// Of all traffic.
  Counters total() const {
    Counters sum = kernels();
    sum += copies_;
    sum += commands_;
    sum += other_;
    return sum;
  }
  /// One more than the greatest launch id seen.
  std::uint32_t size() const { return static_cast<std::uint32_t>(launches_.size()); }

 private:
  static constexpr std::uint32_t kLimit = 1u << 26;  // ids beyond are no launch
  std::vector<Counters> launches_;
  Counters copies_, commands_, other_;
};

}  // namespace warpvp
