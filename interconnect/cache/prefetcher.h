#pragma once
// The interface of prefetchers (registry kind "prefetcher"), for the L1 data caches and the banks of the L2:
// which lines to fetch before they are asked for. A prefetcher sees loads as they look the cache up, and
// proposes lines; prefetching.h says what becomes of a proposal.

#include <cstdint>
#include <vector>

#include "base/stats.h"
#include "base/tag_replacement.h"
#include "interconnect/policy_context.h"

namespace warpvp {

class Prefetcher {
 public:
  static constexpr const char* kKind = "prefetcher";
  using Context = PolicyContext;
  static constexpr std::uint64_t kUnknownPc = ~std::uint64_t{0};
  /// Lines that one access may propose.
  static constexpr unsigned kMostProposals = 64;

  /// The cache that the prefetcher works for.
  struct Cache {
    std::uint32_t line_bytes = 128;
    bool knows_pc = false;  ///< Access::pc is known: an L1
  };
  /// A load that looks the cache up and was taken. Of a warp instruction each line is an access.
  struct Access {
    /// Its line. In a bank of the L2 addresses are the bank's own, in which its lines follow each other
    /// without gaps (AddressMap::bank_local).
    std::uint64_t line = 0;
    std::uint64_t pc = kUnknownPc;  ///< of the program in device memory
    std::uint16_t sm = 0xffff;
    CacheUser by;
    bool first = true;       ///< of its warp instruction; in the L2 each is
    bool hit = false;        ///< all that it wants is here
    bool first_use = false;  ///< of a line that was prefetched
  };
  /// Addresses of lines, the one that is wanted first before the others. Any address in a line stands for it.
  using Proposals = std::vector<std::uint64_t>;

  virtual ~Prefetcher() = default;
  /// True: it never proposes anything. Nothing else is called then.
  virtual bool never() const { return false; }
  /// Called once, before all else but the above.
  virtual void configure(const Cache& cache) = 0;
  /// Appends at most kMostProposals to `proposals`, which is empty. Addresses that are not in the page of the
  /// access, or of lines that are here, do no harm.
  virtual void access(const Access& access, Proposals& proposals) = 0;
  /// Visits what the prefetcher counts, beside what the cache counts for each. Nothing by default.
  virtual void stats(StatVisitor&) const {}
};
inline constexpr const char kPrefetcherSentence[] = "What the prefetcher counts.";

}  // namespace warpvp
