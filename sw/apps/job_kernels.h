#pragma once
// Kernels that jobs of a stream may launch: real ones, with their data, by name. Jobs share the data and
// write the same results; whether they are right is a matter of the app of the same name.

#include <string>

#include "sw/apps/app.h"

namespace warpvp::apps {

struct JobLaunch {
  rt::Kernel kernel;
  rt::Args args;
};

class JobKernels {
 public:
  static constexpr const char* kKind = "job_kernels";
  virtual ~JobKernels() = default;
  /// Loads modules and puts data into device memory; returns when they are there. Before launch().
  virtual void prepare(rt::Runtime& device, const AppContext& context) = 0;
  /// What to launch as kernel `name` with that many threads in all. InputError for a name that it does not
  /// have and for more threads than there are data.
  virtual JobLaunch launch(const std::string& name, std::uint32_t threads) = 0;
};

/// InputError for what launch() refuses.
void require_kernel(const std::string& name, const std::string& has, std::uint32_t threads,
                    std::uint64_t most);

}  // namespace warpvp::apps

/// Registers an app that is a JobKernels too under one name for both.
#define WARPVP_REGISTER_JOB_APP(Class, Params, name, doc)                            \
  WARPVP_REGISTER_POLICY_WITH_PARAMS(::warpvp::apps::App, Class, Params, name, doc); \
  using Class##ForJobs = Class;                                                      \
  WARPVP_REGISTER_POLICY_WITH_PARAMS(::warpvp::apps::JobKernels, Class##ForJobs, Params, name, doc)
