#pragma once
// A replacement policy in its place at a tag array: calls it, and checks what it answers.

#include <string>

#include "base/error.h"
#include "base/tag_array.h"
#include "interconnect/cache/replacement_policy.h"
#include "interconnect/policy_slot.h"

namespace warpvp {

/// Which cache of the platform a replacement policy or a prefetcher works for.
struct CachePlace {
  std::string title;         ///< for messages: "L1 of SM 3", "platform.l2_0"
  std::uint32_t number = 0;  ///< of the SM or the bank
  std::uint64_t seed = 1;    ///< the run's
};

/// Calls `configure()`, of the policy that `choice` names. Wrong input among its parameters is thrown with
/// the place where it is named.
template <class Configure>
void configure_policy(const char* kind, const PolicyChoice& choice, Configure&& configure) {
  try {
    configure();
  } catch (const InputError& error) {
    throw InputError(choice.place + (choice.place.empty() ? "" : ": ") + kind + " '" + choice.name +
                     "': " + error.what());
  }
}

class Replacement : private TagReplacement {
 public:
  /// Has the policy decide for `tags`, an empty array that outlives no use of this.
  Replacement(const PolicyChoice& choice, const CachePlace& place, TagArray& tags);
  Replacement(const Replacement&) = delete;

  /// False, with nothing changed: the policy gives out no ways, or refuses these.
  bool set_quota(unsigned kernel_slot, std::uint32_t ways);
  /// 0 of a policy that gives out no ways, too.
  std::uint32_t quota(unsigned kernel_slot) const;

 private:
  std::uint32_t victim(const Full& full) override;
  bool allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) override;
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) override;
  void removed(std::uint32_t set, std::uint32_t way) override;
  void opened(std::uint32_t ways) override;

  PolicySlot<ReplacementPolicy> policy_;
  const std::string title_;
};

}  // namespace warpvp
