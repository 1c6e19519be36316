#pragma once
// The CTAs on one SM as fluids: each has an amount of work, in cycles, and the CTAs of one launch progress at
// a rate that they have in common, 1 when nothing slows them down. So a launch needs one virtual time, and
// the CTAs one number each, the virtual time at which they end: the arrangement of generalized processor
// sharing (Parekh and Gallager, IEEE/ACM ToN 1993). The rates follow from the bounds that Hong and Kim (ISCA
// 2009) give for a kernel, by how fast an SM issues and how fast memory delivers, applied to all that run
// together. docs/profile-grain.md has the rules. No SystemC.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cycle.h"
#include "modules/sm_profile/max_min.h"

namespace warpvp {

/// What a CTA has to do.
struct CtaWork {
  double cycles = 1;        ///< that it takes when nothing slows it down; more than 0
  double sm_cycles = 0;     ///< of the SM's throughput in that time: what it would take of a full SM's time
  double memory_bytes = 0;  ///< in that time
};

class CtaGroups {
 public:
  /// A group for the CTAs of a launch, to be started at this very edge. It is there as long as CTAs of it
  /// run.
  unsigned open_group();
  /// A CTA of it begins at the present time. `token` tells it apart from the others on this SM.
  void start(unsigned group, std::uint32_t token, const CtaWork& work);

  /// Time goes on to cycle `now`, at the present rates. Rates change afterwards: settle().
  void advance(Cycle now);
  /// Takes the CTAs that have ended by now, group by group in the order of their first CTAs here, and within
  /// one in the order of their ends, those that end together in the order of their tokens: calls
  /// `ended(group, token)`.
  template <class Ended>
  void take_ended(Ended&& ended) {
    for (std::size_t i = 0; i < running_.size();) {
      Group& group = groups_[running_[i]];
      while (!group.ends.empty() && group.ends.front().at <= group.reached()) ended(running_[i], pop(group));
      if (group.ends.empty()) {
        close(i);
      } else {
        ++i;
      }
    }
  }
  /// The most that this SM gets of the memory's bandwidth, in bytes a cycle.
  void set_memory_level(double level) {
    changed_ |= level != level_;
    level_ = level;
  }
  /// After starts, ends or another level: the rates from now on.
  void settle() {
    if (changed_) recompute();
  }

  /// The first cycle at which a CTA ends, if nothing changes; kNever: none is here. After settle().
  Cycle next_end() const;
  /// Bytes a cycle that the CTAs would move if memory did not slow them down.
  double memory_demand() const { return demand_; }
  bool empty() const { return running_.empty(); }

  /// Progress of the CTAs of a group: 1 when nothing slows them down.
  double rate(unsigned group) const { return groups_[group].rate; }
  /// What is left of a CTA, in cycles.
  double remaining(unsigned group, std::uint32_t token) const;
  /// Takes a CTA away before its end; returns what is left of it, in cycles. Rates change afterwards:
  /// settle().
  double take_away(unsigned group, std::uint32_t token);
  unsigned running(unsigned group) const { return static_cast<unsigned>(groups_[group].ends.size()); }

 private:
  // Demands are sums of whole numbers of 2^-32, so that what has come and gone leaves no trace.
  using Demand = std::uint64_t;
  struct End {
    double at;  // virtual time
    std::uint32_t token;
    Demand sm, memory;
    bool operator<(const End& other) const {  // of a heap whose front comes first
      return at != other.at ? at > other.at : token > other.token;
    }
  };
  struct Group {
    double time = 0;  // virtual
    double rate = 1;
    Demand sm = 0, memory = 0;
    std::vector<End> ends;  // heap
    /// What counts as reached: a CTA that is within a millionth of a cycle of its end has reached it.
    double reached() const { return time + 1e-6; }
  };

  std::uint32_t pop(Group& group);
  void leave(Group& group, const End& end);
  void close(std::size_t position);
  void recompute();

  double level_ = kNoLevel;
  std::vector<Group> groups_;
  std::vector<unsigned> running_;  // groups with CTAs here, in the order of their first ones
  std::vector<unsigned> free_;     // groups without
  Cycle now_ = 0;
  double demand_ = 0;
  bool changed_ = false;
  std::vector<Claim> claims_;  // kept for its memory
};

}  // namespace warpvp
