#include "modules/sm_profile/cta_groups.h"

#include <algorithm>
#include <cmath>

namespace warpvp {

namespace {

constexpr double kDemandUnit = 4294967296.0;  // of demands
constexpr double kMostDemand = 4194304.0;  // of one CTA, in a cycle: 1024 of them do not overflow
constexpr double kLongest = 9.0e15;        // cycles, exact in a double

std::uint64_t demand_of(double amount, double cycles) {
  return static_cast<std::uint64_t>(std::min(amount / cycles, kMostDemand) * kDemandUnit);
}

}  // namespace

unsigned CtaGroups::open_group() {
  if (free_.empty()) {
    free_.push_back(static_cast<unsigned>(groups_.size()));
    groups_.emplace_back();
  }
  const unsigned number = free_.back();
  free_.pop_back();
  groups_[number].time = 0;
  running_.push_back(number);
  return number;
}

void CtaGroups::start(unsigned number, std::uint32_t token, const CtaWork& work) {
  Group& group = groups_[number];
  const End end{group.time + work.cycles, token, demand_of(work.sm_cycles, work.cycles),
                demand_of(work.memory_bytes, work.cycles)};
  group.sm += end.sm;
  group.memory += end.memory;
  group.ends.push_back(end);
  std::push_heap(group.ends.begin(), group.ends.end());
  changed_ = true;
}

void CtaGroups::advance(Cycle now) {
  const auto cycles = static_cast<double>(now - now_);
  now_ = now;
  for (const unsigned number : running_) groups_[number].time += groups_[number].rate * cycles;
}

std::uint32_t CtaGroups::pop(Group& group) {
  std::pop_heap(group.ends.begin(), group.ends.end());
  const End end = group.ends.back();
  group.ends.pop_back();
  leave(group, end);
  return end.token;
}

void CtaGroups::leave(Group& group, const End& end) {
  group.sm -= end.sm;
  group.memory -= end.memory;
  changed_ = true;
}

void CtaGroups::close(std::size_t position) {
  free_.push_back(running_[position]);
  running_.erase(running_.begin() + static_cast<long>(position));
}

void CtaGroups::recompute() {
  changed_ = false;
  Demand sm = 0;
  for (const unsigned number : running_) sm += groups_[number].sm;
  const double wanted = static_cast<double>(sm) / kDemandUnit;
  const double by_sm = wanted > 1 ? 1 / wanted : 1;

  claims_.clear();
  demand_ = 0;
  for (const unsigned number : running_) {
    Group& group = groups_[number];
    group.rate = by_sm;
    if (group.memory == 0) continue;
    const double bytes = static_cast<double>(group.memory) / kDemandUnit * by_sm;
    const auto ctas = static_cast<double>(group.ends.size());
    demand_ += bytes;
    claims_.push_back({bytes / ctas, ctas});
  }
  if (demand_ <= level_) return;
  const double each = max_min_level(claims_, level_);
  if (each == kNoLevel) return;
  for (const unsigned number : running_) {
    Group& group = groups_[number];
    if (group.memory == 0) continue;
    const double bytes =
        static_cast<double>(group.memory) / kDemandUnit * by_sm / static_cast<double>(group.ends.size());
    if (bytes > each) group.rate = by_sm * (each / bytes);
  }
}

Cycle CtaGroups::next_end() const {
  Cycle next = kNever;
  for (const unsigned number : running_) {
    const Group& group = groups_[number];
    const double left = std::ceil((group.ends.front().at - group.reached()) / group.rate);
    next = std::min(next, now_ + static_cast<Cycle>(std::clamp(left, 1.0, kLongest)));
  }
  return next;
}

double CtaGroups::remaining(unsigned number, std::uint32_t token) const {
  const Group& group = groups_[number];
  for (const End& end : group.ends)
    if (end.token == token) return std::max(end.at - group.time, 0.0);
  return 0;
}

double CtaGroups::take_away(unsigned number, std::uint32_t token) {
  Group& group = groups_[number];
  const double left = remaining(number, token);
  const auto at =
      std::find_if(group.ends.begin(), group.ends.end(), [&](const End& end) { return end.token == token; });
  leave(group, *at);
  group.ends.erase(at);
  std::make_heap(group.ends.begin(), group.ends.end());
  if (group.ends.empty())
    close(static_cast<std::size_t>(std::find(running_.begin(), running_.end(), number) - running_.begin()));
  return left;
}

}  // namespace warpvp
