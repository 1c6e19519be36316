#pragma once
// What the host knows about each kernel launch of a run, by launch id: names for results and timelines. What
// the device knows (times, CTAs) is kept by the work distributor under the same id.

#include <cstdint>
#include <string>
#include <vector>

#include "base/sim_time.h"

namespace warpvp::rt {

struct LaunchInfo {
  std::string name;    ///< as the user named it, else the entry
  std::string entry;   ///< kernel
  std::string file;    ///< PTX file
  std::string stream;  ///< stream name
  unsigned stream_id = 0, queue = 0, context = 0;
  std::uint32_t job = 0;             ///< 0: of none, or of those in `batch`
  std::vector<std::uint32_t> batch;  ///< jobs that it serves together
  int priority = 0;
  unsigned budget = 1;
  std::uint64_t deadline_us = 0;  ///< from enqueue; 0: none
  unsigned registers_per_thread = 0, static_shared_bytes = 0, dynamic_shared_bytes = 0;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  SimTime enqueued;  ///< when the host called launch
};

/// Launch ids count from 0 in the order of the calls.
class LaunchDirectory {
 public:
  std::uint32_t add(LaunchInfo info) {
    launches_.push_back(std::move(info));
    return static_cast<std::uint32_t>(launches_.size() - 1);
  }
  const std::vector<LaunchInfo>& launches() const { return launches_; }

 private:
  std::vector<LaunchInfo> launches_;
};

}  // namespace warpvp::rt
