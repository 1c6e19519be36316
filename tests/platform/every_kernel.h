#pragma once
// Every kernel of the tree, at the sizes of its app's tests.

#include <string>
#include <vector>

#include "tests/apps/app_cases.h"

namespace warpvp::test {

struct KernelCase {
  std::string label, app;
  std::vector<std::string> settings;
};

inline std::vector<KernelCase> every_kernel() {
  std::vector<KernelCase> cases;
  for (const AppCase& c : app_cases()) cases.push_back({c.label, c.app, settings_of(c)});
  const auto narrow = [&](const std::string& runtime, const std::string& workload) {
    cases.push_back({"narrow_tasks_" + runtime + "_" + workload,
                     "narrow_tasks",
                     {"workload.params.runtime=" + runtime, "workload.params.workload=" + workload,
                      "workload.params.tasks=2", "workload.params.threads=64"}});
  };
  for (const char* workload : {"beam_former", "convolution", "dct", "dct_shared", "filter_bank", "mandelbrot",
                               "matmul", "matmul_shared", "sparse_lu", "triple_des"})
    narrow("hyperq", workload);
  narrow("fusion", "filter_bank");
  narrow("gemtc", "beam_former");
  narrow("pagoda", "filter_bank");
  return cases;
}

}  // namespace warpvp::test
