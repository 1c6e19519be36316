#pragma once
// The interface of the L2's inclusion policies (registry kind "l2_inclusion"): whether lines that leave the
// L2 leave the L1s too. Values live in DeviceMemory, so this is about time alone.
//
// A bank that recalls lines notes for each which SMs hold it: a bit for each SM and line (6 MiB of lines of
// 128 bytes and 80 SMs: 480 KiB of bits). A recall is a packet over the reply network to one SM; recalls.h
// says how it travels.

#include <cstdint>

#include "base/stats.h"
#include "base/tag_replacement.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class L2InclusionPolicy {
 public:
  static constexpr const char* kKind = "l2_inclusion";
  using Context = PolicyContext;

  /// A line leaves the bank while L1s may hold it.
  struct Departure {
    std::uint64_t address = 0;
    unsigned holders = 0;  ///< SMs; some may have dropped it since
    CacheUser by;          ///< whose line takes its place
  };

  virtual ~L2InclusionPolicy() = default;
  /// Recalls that may be on their way from each bank to each SM, at most 64; further ones wait in the bank.
  /// 0: lines are never recalled, and nothing is noted.
  virtual std::uint32_t recalls_at_once() const = 0;
  /// Whether its holders have to drop the line.
  virtual bool recall(const Departure& departure) = 0;
  /// Visits what the policy counts. Nothing by default.
  virtual void stats(StatVisitor&) const {}
};
inline constexpr const char kL2InclusionPolicySentence[] = "What the inclusion policy counts.";

}  // namespace warpvp
