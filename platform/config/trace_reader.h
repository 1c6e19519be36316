#pragma once
// Reads the steps of application traces and of jobs (sw/apps/application_trace.h) from YAML, and what they
// need: checks of settings, and profiles of kernels.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/kernel_profile.h"
#include "platform/config/cpu_rates.h"
#include "platform/config/setting.h"
#include "sw/apps/application_trace.h"

namespace warpvp {

/// InputError "place: what; allowed: ...".
[[noreturn]] void refuse(const std::string& place, const std::string& what, const std::string& allowed);
/// The value as messages show it.
std::string shown(const Setting& value);
/// InputError for what is no number in the range; `path` is the dotted key.
double number_of(const Setting& value, const std::string& path, double least = 0);
std::uint64_t whole_of(const Setting& value, const std::string& path, std::uint64_t least,
                       std::uint64_t most);
/// InputError for a key that is not allowed.
void require_keys(const Setting& mapping, const std::string& path, const std::vector<std::string>& allowed);

/// The file that `profiles: PATH` names, read.
KernelProfiles read_profiles(const Setting& path);
/// The profile of a launch; nullptr: none. `threads` is 0 where they are left to the profile, which then is
/// the kernel's, or the only one of launches with so many CTAs.
const KernelProfile* profile_of(const KernelProfiles& profiles, const std::string& kernel, std::uint64_t ctas,
                                std::uint64_t threads);

inline std::uint64_t product(const std::uint32_t (&of)[3]) { return std::uint64_t{of[0]} * of[1] * of[2]; }

/// The keys of a step that say what it does, and those that may stand beside.
struct StepWord {
  const char* word;
  apps::TraceStep::Kind kind;
  std::vector<std::string> beside;
};
const std::vector<StepWord>& step_words();

/// Steps of an application. `profiles` and `rates` may be nullptr: the trace names none. Times of the CPU are
/// as stated. InputError for whatever is wrong.
std::vector<apps::TraceStep> read_trace_steps(const Setting& setting, const std::string& path,
                                              const KernelProfiles* profiles,
                                              const CpuRates* rates = nullptr);
/// Steps of a job: launches and repeats alone, none in a stream of its own; `repeat: length` has `times` 0.
std::vector<apps::TraceStep> read_job_steps(const Setting& setting, const std::string& path,
                                            const KernelProfiles* profiles);

}  // namespace warpvp
