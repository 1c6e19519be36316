#pragma once
// What more ways of a cache would be worth to one of its users, and how ways are given out by that: the
// utility monitor with dynamic set sampling and the lookahead algorithm of UCP (Qureshi and Patt,
// "Utility-based cache partitioning", MICRO 2006, sections 3.2, 3.3 and 4). Plain C++, no cache around it.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpvp {

/// The tags that a user would have in a cache of its own with all ways, of some of the sets, and its hits
/// there by place in the order of use. As least recently used replacement is a stack, the hits of places 0 to
/// n - 1 are those that n ways would have had.
class UtilityMonitor {
 public:
  UtilityMonitor(std::uint32_t sampled_sets, std::uint32_t ways)
      : ways_(ways), lines_(std::size_t{sampled_sets} * ways), held_(sampled_sets, 0), hits_(ways, 0) {}

  /// The user has accessed a line of the sampled set number `set`.
  void access(std::uint32_t set, std::uint64_t line) {
    std::uint64_t* const newest = &lines_[std::size_t{set} * ways_];
    std::uint64_t* const end = newest + held_[set];
    std::uint64_t* const found = std::find(newest, end, line);
    if (found != end) {
      ++hits_[static_cast<std::size_t>(found - newest)];
      std::rotate(newest, found, found + 1);
    } else {
      if (held_[set] < ways_) ++held_[set];
      std::rotate(newest, newest + held_[set] - 1, newest + held_[set]);
      *newest = line;
    }
    ++accesses_;
  }
  /// Hits that 0, 1, ... all ways would have had.
  std::vector<std::uint64_t> curve() const {
    std::vector<std::uint64_t> sums{0};
    for (const std::uint64_t count : hits_) sums.push_back(sums.back() + count);
    return sums;
  }
  /// Since begin_period().
  std::uint64_t accesses() const { return accesses_; }
  /// What was counted before counts half (section 3.2.4 of the paper: old behaviour is kept, but fades).
  void begin_period() {
    for (std::uint64_t& count : hits_) count /= 2;
    accesses_ = 0;
  }

 private:
  const std::uint32_t ways_;
  std::vector<std::uint64_t> lines_;  // [set][place], newest first
  std::vector<std::uint32_t> held_;   // by set
  std::vector<std::uint64_t> hits_;   // by place
  std::uint64_t accesses_ = 0;
};

/// The lookahead algorithm (Algorithm 1 of the paper): ways go, one or several at a time, to the user with
/// the highest marginal utility, hits gained for each way that it takes to gain them. Every user has one way
/// to begin with; there are no more users than `ways`. `curves`: of each user, hits with 0, 1, ... ways, up
/// to `ways` at least. Among equals the user with fewer ways gains, then the first: the paper leaves this
/// open.
inline std::vector<std::uint32_t> lookahead(const std::vector<std::vector<std::uint64_t>>& curves,
                                            std::uint32_t ways) {
  const auto users = static_cast<std::uint32_t>(curves.size());
  std::vector<std::uint32_t> given(users, 1);
  for (std::uint32_t left = users == 0 ? 0 : ways - users; left > 0;) {
    std::uint32_t winner = 0, winner_takes = 0;
    std::uint64_t best_gain = 0;
    for (std::uint32_t user = 0; user < users; ++user) {
      const std::uint64_t* const hits = &curves[user][given[user]];
      std::uint32_t takes = 1;
      std::uint64_t gain = hits[1] - hits[0];
      for (std::uint32_t n = 2; n <= left; ++n) {
        const std::uint64_t more = hits[n] - hits[0];
        if (more * takes > gain * n) {
          gain = more;
          takes = n;
        }
      }
      const std::uint64_t mine = gain * winner_takes, his = best_gain * takes;
      if (winner_takes != 0 && (mine < his || (mine == his && given[user] >= given[winner]))) continue;
      winner = user;
      winner_takes = takes;
      best_gain = gain;
    }
    given[winner] += winner_takes;
    left -= winner_takes;
  }
  return given;
}

}  // namespace warpvp
