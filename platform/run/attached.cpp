#include "platform/run/attached.h"

#include <fmt/format.h>

#include <cstdio>

#include "platform/platform_config.h"
#include "platform/run/workload.h"
#include "sw/runtime/c/remote_device.h"

namespace warpvp {

ExitCode run_attached(const RunFile& file, const std::string& socket) {
  RunConfig run;
  PlatformConfig config;
  file.read(run, [&](FieldVisitor& v) { config.fields(v); });
  if (run.workload.has_processes())
    throw InputError("processes cannot be attached; allowed: an app, a launch list or a job stream each");
  const std::unique_ptr<apps::App> app = make_workload(run, "", config.sm_clock_mhz);
  try {
    rt::RemoteDevice device("vfio-user:" + socket);
    const apps::AppResult result = app->run(device.runtime(), app_context(run));
    if (!result.message.empty()) fmt::print(result.verified ? stdout : stderr, "{}\n", result.message);
    fmt::print("{}, at {:.3f} us of simulated time\n",
               !result.checked   ? "results not checked"
               : result.verified ? "results verified"
                                 : "results differ",
               device.transport().now().to_us());
    return result.checked && !result.verified ? ExitCode::kResultDiffers : ExitCode::kOk;
  } catch (const rt::TransportError& error) {
    fmt::print(stderr, "warpvp: {}\n", error.what());
    return ExitCode::kDeviceFault;
  }
}

}  // namespace warpvp
