#pragma once
// A replacement policy in its place at a tag array: calls it, and checks what it answers.

#include <string>

#include "base/error.h"
#include "base/tag_array.h"
#include "interconnect/cache/replacement_policy.h"
#include "interconnect/policy_slot.h"

namespace warpvp {

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
  /// Has the policy decide for `tags`, an empty array that outlives no use of this. `context`: where the
  /// cache stands; its place heads messages.
  Replacement(const PolicyChoice& choice, const PolicyContext& context, TagArray& tags);
  Replacement(const Replacement&) = delete;

  /// What the policy counts, as group `key`, if it counts anything.
  void stats(StatVisitor& v, const char* key) const;

 private:
  std::uint32_t victim(const Full& full) override;
  void placed(std::uint32_t set, std::uint32_t way, std::uint64_t address) override;
  bool allocated(std::uint32_t set, std::uint32_t way, const CacheUser& by) override;
  void touched(std::uint32_t set, std::uint32_t way, const CacheUser& by) override;
  void removed(std::uint32_t set, std::uint32_t way) override;
  void opened(std::uint32_t ways) override;

  PolicySlot<ReplacementPolicy> policy_;
  const std::string title_;
};

}  // namespace warpvp
