#pragma once
// The predictor's own implementations of the warp schedulers: small, slow, written from the papers and
// sharing no code with modules/sm/policies. A fault in a policy of the SM then shows as a schedule that
// departs from its prediction; with shared code, both sides would make the same mistake.

#include <memory>

#include "base/fields.h"
#include "modules/sm/policies.h"

namespace warpvp::predict {

class ReferencePolicy {
 public:
  virtual ~ReferencePolicy() = default;
  virtual void warp_started(unsigned warp, const WarpInfo& info) = 0;
  virtual void warp_finished(unsigned warp) = 0;
  /// Contract of WarpSchedulerPolicy::pick.
  virtual unsigned pick(const IssueView& view) = 0;
};

/// The reference of the chosen warp scheduler with its parameters, or nullptr if there is none: a policy that
/// is not the project's.
std::unique_ptr<ReferencePolicy> make_reference(const PolicyChoice& choice);
/// As make_reference; where there is none, the SM's policy itself, which cannot show its own faults.
std::unique_ptr<ReferencePolicy> make_reference_or_own(const PolicyChoice& choice);

}  // namespace warpvp::predict
