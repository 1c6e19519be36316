#include "sw/apps/job_kernels.h"

#include <fmt/format.h>

namespace warpvp::apps {

void require_kernel(const std::string& name, const std::string& has, std::uint32_t threads,
                    std::uint64_t most) {
  if (name != has) throw InputError(fmt::format("no kernel '{}' for jobs; there is '{}'", name, has));
  if (threads > most)
    throw InputError(
        fmt::format("kernel '{}' with {} threads, and data for {}; launch fewer", name, threads, most));
}

}  // namespace warpvp::apps
