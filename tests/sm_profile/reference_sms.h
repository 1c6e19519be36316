#pragma once
// The rules of docs/profile-grain.md a second time, cycle by cycle and CTA by CTA, with nothing but the
// rules.

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/kernel_profile.h"

namespace warpvp::test {

/// A CTA that begins at `start` on `sm`.
struct ReferenceCta {
  std::uint64_t start = 0;
  unsigned sm = 0;
  std::uint32_t launch = 0, number = 0;
  KernelProfile profile;
};

struct ReferenceResult {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> ended;  ///< by launch and number
  double progress = 0;                                                     ///< of all CTAs, in cycles
  double work = 0;                                                         ///< that they had to do
  double most_bytes = 0;  ///< moved in one cycle, after the division has caught up
};

/// `issue`: warp instructions that an SM issues in a cycle.
ReferenceResult run_reference(std::vector<ReferenceCta> ctas, unsigned sms, double issue,
                              double bytes_per_cycle, std::uint64_t interval);

}  // namespace warpvp::test
