#pragma once
// The interface of page policies (registry kind "dram_page_policy"): when an open row is closed although no
// access wants another row of its bank. Rows that stand in the way of an access are closed by the scheduler.

#include <cstdint>

#include "base/cycle.h"
#include "base/stats.h"
#include "interconnect/policy_context.h"
#include "modules/dram/timing.h"

namespace warpvp {

class DramPagePolicy {
 public:
  static constexpr const char* kKind = "dram_page_policy";
  using Context = PolicyContext;

  /// What an access met at its bank when it came up.
  enum class Found : std::uint8_t {
    kOpen,     ///< its row
    kClosed,   ///< no row
    kConflict  ///< another row, which was closed for it
  };
  /// A column access, as it is sent.
  struct Access {
    std::uint16_t bank = 0;
    bool write = false;
    bool row_waiting = false;  ///< other accesses to this row wait, reads or writes
    Found found = Found::kOpen;
    std::uint32_t row = 0;
    std::uint32_t column = 0;
  };

  virtual ~DramPagePolicy() = default;
  /// What the policy counts; shown summed over the channels.
  virtual void stats(StatVisitor&) const {}
  /// Called once, before all else. Throws InputError when the parameters do not fit the device.
  virtual void configure(const DramTiming&) {}
  /// When the row of an access sent at `now` is to be closed: `now` closes it with the access
  /// (auto-precharge), a later cycle sends a precharge at that cycle or at the first legal one after it,
  /// kNever leaves it open. A later cycle counts only if no access to the row waits, or comes before it.
  /// Asked once an access.
  virtual Cycle close_at(const Access& access, Cycle now) = 0;
};

/// Of the group of its statistics.
inline constexpr const char kDramPagePolicySentence[] = "What the page policy counts.";

}  // namespace warpvp
