#pragma once
// The instruction cache of an SM as the predictor sees it: sets and ways with least recently used
// replacement, and lines under way. A miss takes a fixed time; who misses on a line under way waits for the
// same fill.

#include <cstdint>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/memory/memory_side_config.h"

namespace warpvp::predict {

class FetchModel {
 public:
  FetchModel(const InstructionCacheConfig& config, Cycle miss_latency)
      : ideal_(config.ideal),
        line_bytes_(config.line_bytes),
        ways_(config.associativity),
        sets_(config.sets()),
        miss_latency_(miss_latency) {}

  /// Looks the line of `address` up. kNever on a hit; otherwise the edge at which it will be there.
  Cycle fetch(std::uint64_t address, Cycle now) {
    if (ideal_) return kNever;
    const std::uint64_t line = address / line_bytes_;
    std::vector<std::uint64_t>& set = sets_[line % sets_.size()];
    for (std::size_t i = 0; i < set.size(); ++i)
      if (set[i] == line) {
        set.erase(set.begin() + static_cast<std::ptrdiff_t>(i));
        set.push_back(line);
        return kNever;
      }
    for (const Fill& fill : fills_)
      if (fill.line == line) return fill.due;
    fills_.push_back({now + miss_latency_, line});
    return fills_.back().due;
  }
  /// Lines that arrive by `now` take their ways.
  void arrive(Cycle now) {
    std::size_t n = 0;
    for (; n < fills_.size() && fills_[n].due <= now; ++n) {
      std::vector<std::uint64_t>& set = sets_[fills_[n].line % sets_.size()];
      if (set.size() == ways_) set.erase(set.begin());
      set.push_back(fills_[n].line);
    }
    fills_.erase(fills_.begin(), fills_.begin() + static_cast<std::ptrdiff_t>(n));
  }

 private:
  struct Fill {
    Cycle due;
    std::uint64_t line;
  };
  bool ideal_;
  std::uint64_t line_bytes_;
  std::size_t ways_;
  std::vector<std::vector<std::uint64_t>> sets_;  // lines of each, least recently used first
  std::vector<Fill> fills_;                       // in order of their misses, so also of arrival
  Cycle miss_latency_;
};

}  // namespace warpvp::predict
