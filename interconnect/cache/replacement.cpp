#include "interconnect/cache/replacement.h"

#include <fmt/format.h>

#include "interconnect/policy_contract.h"

namespace warpvp {

Replacement::Replacement(const PolicyChoice& choice, const PolicyContext& context, TagArray& tags)
    : policy_(choice, context), title_(context.place) {
  configure_policy(ReplacementPolicy::kKind, choice, [&] {
    policy_.call([&](ReplacementPolicy& policy) {
      // Neighbouring seeds and numbers give sequences that have nothing to do with each other: the policies'
      // generators mix them.
      const std::uint64_t seed = context.seed * 0x9e3779b97f4a7c15ull ^ context.index;
      policy.configure({tags.geometry().sets, tags.geometry().ways, context.index, seed});
      if (!policy.least_recently_used()) tags.replace_by(this);
    });
  });
}

void Replacement::stats(StatVisitor& v, const char* key) const {
  policy_.stats(v, kReplacementSentence, key);
}

std::uint32_t Replacement::victim(const Full& full) {
  const std::uint32_t way = policy_.call([&](ReplacementPolicy& policy) { return policy.victim(full); });
  if (!full.takeable.has(way)) {
    const char* const what = way >= full.takeable.ways() ? "which is not in use" : "which is under fill";
    report_broken_contract(
        ReplacementPolicy::kKind, policy_.name(),
        fmt::format(
            "victim() gave way {}, {}; allowed: one of the {} ways of the set that may be taken, such "
            "as {}",
            way, what, full.takeable.count(), full.oldest),
        fmt::format("{}, set {}", title_, full.set));
  }
  return way;
}

void Replacement::placed(std::uint32_t set, std::uint32_t way, std::uint64_t address) {
  policy_.call([&](ReplacementPolicy& policy) { policy.placed(set, way, address); });
}

bool Replacement::allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) {
  return policy_.call([&](ReplacementPolicy& policy) { return policy.allocated(set, way, by); }) ==
         ReplacementPolicy::Place::kOldest;
}

void Replacement::touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) {
  policy_.call([&](ReplacementPolicy& policy) { policy.touched(set, way, by); });
}

void Replacement::removed(std::uint32_t set, std::uint32_t way) {
  policy_.call([&](ReplacementPolicy& policy) { policy.removed(set, way); });
}

void Replacement::opened(std::uint32_t ways) {
  policy_.call([&](ReplacementPolicy& policy) { policy.opened(ways); });
}

}  // namespace warpvp
