#include "modules/sm/darsie/dac_tables.h"

#include <algorithm>
#include <stdexcept>

#include "modules/sm/darsie/ways.h"

namespace warpvp::darsie {

void DacCounters::stats(StatVisitor& v) const {
  v.value("executed", executed, "instructions", "Affine instructions that a warp executed for its CTA.");
  v.value("skipped", skipped, "instructions",
          "Affine instructions that warps skipped before they were fetched.");
  v.value(
      "again", again, "instructions",
      "Affine instructions that a warp executed though another had, as it had fetched them when some of its "
      "lanes were inactive.");
}

AffineInstances::AffineInstances(Warps full) : live_(full), missing_(full) {
  ways_[OwnWay::kFirst].awaited = full;
  gathered_.push_back(OwnWay::kFirst);
}

void AffineInstances::started(unsigned warp) {
  missing_ &= ~bit(warp);
  Way& way = ways_[OwnWay::kFirst];
  ++way.warps;
  way.awaited &= ~bit(warp);
}

void AffineInstances::ended(unsigned warp, std::uint64_t way) {
  live_ &= ~bit(warp);
  --ways_.at(way).warps;
  end_if_over(way);
  for (const std::uint64_t gathered : std::vector<std::uint64_t>(gathered_)) {
    ways_.at(gathered).awaited &= ~bit(warp);
    end_if_over(gathered);
  }
}

void AffineInstances::moved(unsigned warp, std::uint64_t from, std::uint64_t to, bool gathers) {
  Way& before = ways_.at(from);
  if (!gathers && ways_.count(to) == 0) {
    ways_[to].reachable = true;
    before.next.push_back(to);
  }
  Way& way = begun(to);
  ++way.warps;
  way.awaited &= ~bit(warp);
  --before.warps;
  end_if_over(from);
}

void AffineInstances::end_if_over(std::uint64_t name) {
  std::vector<std::uint64_t> candidates{name};
  while (!candidates.empty()) {
    const auto at = ways_.find(candidates.back());
    candidates.pop_back();
    if (at == ways_.end()) continue;
    const Way& way = at->second;
    if (way.warps != 0 || way.awaited != 0 || way.reachable) continue;
    for (const std::uint64_t next : way.next) {
      ways_.at(next).reachable = false;
      candidates.push_back(next);
    }
    gathered_.erase(std::remove(gathered_.begin(), gathered_.end(), at->first), gathered_.end());
    ways_.erase(at);
  }
}

AffineInstances::Way& AffineInstances::begun(std::uint64_t name) {
  const auto [at, made] = ways_.try_emplace(name);
  if (made) {
    at->second.awaited = live_;
    gathered_.push_back(name);
  }
  return at->second;
}

bool AffineInstances::executed(std::uint64_t name, ptx::Pc pc) const {
  const auto way = ways_.find(name);
  if (way == ways_.end()) return false;
  const auto& all = way->second.executed;
  const auto at = std::lower_bound(all.begin(), all.end(), pc,
                                   [](const Executed& e, ptx::Pc sought) { return e.pc < sought; });
  return at != all.end() && at->pc == pc;
}

bool AffineInstances::execute(unsigned warp, std::uint64_t name, ptx::Pc pc) {
  auto& all = begun(name).executed;
  const auto at = std::lower_bound(all.begin(), all.end(), pc,
                                   [](const Executed& e, ptx::Pc sought) { return e.pc < sought; });
  if (at != all.end() && at->pc == pc) return at->warp == warp;
  all.insert(at, {pc, warp});
  return true;
}

DacTables::DacTables(const SmContext& place, const DacParams& params) : params_(params) {
  place.listen(*this, {SmEvent::kCtas});
}

AffineInstances& DacTables::of(const WarpInfo& info) {
  return ctas_.try_emplace(info.cta, full_warps(info)).first->second;
}

void DacTables::cta_ended(const CtaHere& cta, Cycle) {
  const auto at = ctas_.find(cta.slot);
  if (at == ctas_.end()) return;
  if (!at->second.over() && !cta.preempted)
    throw std::logic_error("dac_ideal: ways are left of a CTA that has ended");
  ctas_.erase(at);
}

}  // namespace warpvp::darsie
