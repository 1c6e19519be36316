#include "modules/sm/memory/constant_cache.h"

namespace warpvp {

namespace {
ReadOnlyCacheConfig second_level(const ConstantCacheConfig& config) {
  ReadOnlyCacheConfig c;
  c.mshrs = config.mshrs;
  if (config.second.size_bytes == 0) return c;
  c.size_bytes = config.second.size_bytes;
  c.line_bytes = config.second.line_bytes;
  c.associativity = config.second.associativity;
  return c;
}
}  // namespace

ConstantCache::ConstantCache(const ConstantCacheConfig& config, MemoryPort& port)
    : port_(port),
      first_(config),
      has_second_(config.second.size_bytes != 0),
      second_(second_level(config)),
      line_bytes_(has_second_ ? config.second.line_bytes : config.line_bytes),
      latency_(config.second.latency),
      lookup_(config.second.lookup),
      misses_(config.mshrs) {}

ConstantCache::Outcome ConstantCache::access(std::uint64_t address, const AccessOwner& owner,
                                             Cycle issue_cycle, std::uint32_t id, Cycle now) {
  const ReadOnlyCache::Result found = first_.access(address, owner, now);
  if (found.outcome == ReadOnlyCache::Outcome::kHit) return Outcome::kHit;
  if (found.outcome == ReadOnlyCache::Outcome::kFull) return Outcome::kFull;
  first_.wait(found.index, id);
  if (found.outcome == ReadOnlyCache::Outcome::kPending) return Outcome::kWaits;
  if (!has_second_) {
    misses_[found.index] = {first_.line_address(address), owner, issue_cycle};
    request(found.index);
    return Outcome::kWaits;
  }
  const ReadOnlyCache::Result behind = second_.access(address, owner, now);
  if (behind.outcome == ReadOnlyCache::Outcome::kHit) {
    hits_.push({now + latency_, found.index});
    return Outcome::kWaits;
  }
  second_.wait(behind.index, found.index);
  if (behind.outcome == ReadOnlyCache::Outcome::kMiss) {
    misses_[behind.index] = {second_.line_address(address), owner, issue_cycle};
    requests_.push({now + lookup_, behind.index});
  }
  return Outcome::kWaits;
}

void ConstantCache::request(unsigned index) {
  const Miss& miss = misses_[index];
  port_.push_constant({false,
                       AccessKind::kConstant,
                       miss.line,
                       line_bytes_,
                       miss.owner,
                       miss.issue_cycle,
                       {ReplyKind::kConstant, index, 1}});
}

void ConstantCache::invalidate() {
  first_.invalidate();
  second_.invalidate();
}

}  // namespace warpvp
