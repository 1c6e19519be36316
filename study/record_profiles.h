#pragma once
// `warpvp profile`: profiles of kernels (base/kernel_profile.h) from runs at cycle grain.

#include <atomic>
#include <filesystem>
#include <iosfwd>
#include <string>

#include "base/error.h"
#include "platform/config/run_config.h"

namespace warpvp {

struct ProfileRequest {
  RunFile file;
  std::filesystem::path profiles;  ///< the file to write
  std::filesystem::path runs;      ///< folder of the runs that it takes
  std::string command;             ///< what the file says it was written by
  bool quiet = false;
  const std::atomic<bool>* interrupted = nullptr;
  std::ostream* output = nullptr;
};

/// Runs the file three times, each in a process of its own: on one SM with one CTA at a time (what a CTA
/// takes alone), on one SM as full as it gets (what the SM's throughput is), and as it is (DRAM traffic); and
/// writes a profile for each kernel, or for each shape of its launches where there are several. Launches that
/// depend on the number of SMs are run alone on all of them at once. InputError for what is wrong with the
/// input; what a run ends with, if not well, is returned.
ExitCode record_profiles(const ProfileRequest& request);

}  // namespace warpvp
