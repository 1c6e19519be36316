#include "modules/sm_profile/memory_pool.h"

#include <algorithm>
#include <cmath>

namespace warpvp {

namespace {
constexpr double kByteUnit = 65536.0;
}  // namespace

MemoryPool::MemoryPool(ClockDomain& clock, double bytes_per_cycle, Cycle interval)
    : clock_(clock), clock_id_(clock.join(*this)), capacity_(bytes_per_cycle), interval_(interval) {}

unsigned MemoryPool::add(Claimant& claimant) {
  claimants_.push_back(&claimant);
  demands_.push_back(0);
  counted_.push_back(0);
  return static_cast<unsigned>(claimants_.size() - 1);
}

void MemoryPool::ask(unsigned claimant, double demand, Cycle now) {
  if (demand == demands_[claimant] || capacity_ == kNoLevel) return;
  demands_[claimant] = demand;
  const auto counted = static_cast<std::uint64_t>(std::llround(demand * kByteUnit));
  total_ = total_ - counted_[claimant] + counted;
  counted_[claimant] = counted;
  // As long as there is enough for all, nobody need know.
  if (due_ || (level_ == kNoLevel && static_cast<double>(total_) <= capacity_ * kByteUnit)) return;
  due_ = true;
  clock_.wake(clock_id_, ever_ ? std::max(now + 1, computed_ + interval_) : now + 1);
}

void MemoryPool::evaluate(Cycle now) {
  if (!due_) return;
  claims_.clear();
  for (const double demand : demands_)
    if (demand > 0) claims_.push_back({demand, 1});
  next_level_ = max_min_level(claims_, capacity_);
  computed_ = now;
  ever_ = true;
}

Cycle MemoryPool::commit(Cycle now) {
  if (!due_) return kNever;
  due_ = false;
  if (next_level_ == level_) return kNever;
  const double least = std::min(level_, next_level_);
  level_ = next_level_;
  for (std::size_t i = 0; i < claimants_.size(); ++i)
    claimants_[i]->memory_level(now, level_, demands_[i] > least);
  return kNever;
}

}  // namespace warpvp
