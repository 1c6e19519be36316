#pragma once
// Simulated time as host programs and results see it, without SystemC: a point in time or a duration.
// interconnect/sim_time.h converts it.

#include <cstdint>

namespace warpvp {

/// A whole number of femtoseconds, the resolution of the simulation; below 2^64 fs, about five hours.
class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime from_fs(std::uint64_t femtoseconds) {
    SimTime time;
    time.fs_ = femtoseconds;
    return time;
  }
  /// Rounded to the nearest femtosecond, a half upwards, as SystemC's sc_time is. InputError for what is
  /// negative, no number, or not below 2^63 fs (9,223 s).
  static SimTime from_ns(double nanoseconds);
  static SimTime from_us(double microseconds);

  constexpr std::uint64_t fs() const { return fs_; }
  constexpr double to_seconds() const { return static_cast<double>(fs_) * 1e-15; }
  constexpr double to_us() const { return to_seconds() * 1e6; }

  friend constexpr SimTime operator+(SimTime a, SimTime b) { return from_fs(a.fs_ + b.fs_); }
  /// `a` is not before `b`.
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return from_fs(a.fs_ - b.fs_); }
  friend constexpr bool operator==(SimTime a, SimTime b) { return a.fs_ == b.fs_; }
  friend constexpr bool operator!=(SimTime a, SimTime b) { return a.fs_ != b.fs_; }
  friend constexpr bool operator<(SimTime a, SimTime b) { return a.fs_ < b.fs_; }
  friend constexpr bool operator<=(SimTime a, SimTime b) { return a.fs_ <= b.fs_; }
  friend constexpr bool operator>(SimTime a, SimTime b) { return a.fs_ > b.fs_; }
  friend constexpr bool operator>=(SimTime a, SimTime b) { return a.fs_ >= b.fs_; }

 private:
  std::uint64_t fs_ = 0;
};

}  // namespace warpvp
