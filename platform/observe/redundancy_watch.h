#pragma once
// `output.redundancy`: a limit study of the run (ptx/redundancy_study.h), for each launch, over all SMs.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/launch.h"
#include "platform/collect/redundancy_result.h"
#include "ptx/redundancy_study.h"

namespace warpvp {

class Platform;
struct PlatformConfig;

/// InputError at the place of a choice with which it is not known what each instruction has yielded: it is
/// read from the warp at the end of the edge, at which the warp must not have done anything else. Front ends
/// that skip instructions let several take effect at one edge.
void check_redundancy_can_be_watched(const PlatformConfig& config);

class RedundancyWatch : public RedundancySource {
 public:
  /// Watches all SMs from now on, beside observers that may be there. The platform outlives it.
  explicit RedundancyWatch(Platform& platform);
  ~RedundancyWatch() override;
  RedundancyWatch(const RedundancyWatch&) = delete;

  ptx::RedundancyCounts of_launch(std::uint32_t launch) const override;
  ptx::RedundancyCounts total() const override;
  /// One line about the first marked instruction that yielded another value in another warp; empty: none did.
  std::string warning() const;

 private:
  class Sm;
  struct Launch {
    std::unique_ptr<ptx::RedundancyStudy> study;  // until all CTAs have ended
    ptx::RedundancyCounts ended;                  // since then
    std::set<std::uint64_t> left;                 // CTAs that were taken off an SM, and are not followed
    std::uint64_t to_end = 0;                     // CTAs
    ptx::RedundancyCounts counts() const { return study ? study->counts() : ended; }
  };
  Launch& launch_of(const CtaLaunch& cta, const ptx::Program& program);

  Platform& platform_;
  std::map<std::uint32_t, Launch> launches_;
  std::map<std::pair<const ptx::Program*, std::array<std::uint32_t, 3>>,
           std::shared_ptr<const ptx::StudiedProgram>>
      programs_;  // of launches that came; looked up only, so that no order shows
  std::vector<std::unique_ptr<Sm>> sms_;
};

}  // namespace warpvp
