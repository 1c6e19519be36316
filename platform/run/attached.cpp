#include "platform/run/attached.h"

#include <fmt/format.h>

#include <cstdio>

#include "interconnect/register_map.h"
#include "platform/platform_config.h"
#include "platform/run/workload.h"
#include "ptx/image/ptx_loader.h"
#include "sw/runtime/device_transport.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp {

namespace {

std::uint32_t device_register(rt::DeviceTransport& device, std::uint64_t address) {
  std::uint32_t value = 0;
  device.read_untimed(address, &value, sizeof value);
  return value;
}

/// What another platform would do wrong without a word.
void check_same(const PlatformConfig& config, std::uint32_t sms, std::uint32_t queues) {
  if (sms == config.sms && queues == config.command_processor.queues) return;
  throw InputError(
      fmt::format("the served device has {} SMs and {} queues, the file's platform {} and {}; allowed: the "
                  "platform that is served",
                  sms, queues, config.sms, config.command_processor.queues));
}

}  // namespace

ExitCode run_attached(const RunFile& file, const std::string& socket) {
  RunConfig run;
  PlatformConfig config;
  file.read(run, [&](FieldVisitor& v) { config.fields(v); });
  if (run.workload.has_processes())
    throw InputError("processes cannot be attached; allowed: an app, a launch list or a job stream each");
  const std::unique_ptr<apps::App> app = make_workload(run, "", config.sm_clock_mhz);
  rt::DeviceTransport device(rt::open_device("vfio-user:" + socket));
  check_same(config, device_register(device, regmap::wd::kBase + regmap::wd::kSmCount),
             device_register(device, regmap::cp::kBase + regmap::cp::kQueueCount));
  FaultSink faults;
  faults.on_fault = [&] { throw rt::TransportError(faults.fault()->summary()); };
  rt::LaunchDirectory launches;
  rt::JobDirectory jobs;
  const auto loader = ptx::make_ptx_loader(config.code_options());
  rt::RuntimeServices services{faults, launches, jobs, config.sm.resources};
  services.sm_count = config.sms;
  services.queues = config.command_processor.queues;
  services.copy_engines = config.dma.engines;
  services.config = config.runtime;
  services.loader = loader.get();
  services.local_bytes = std::uint64_t{config.memory.local_mib} << 20;
  services.sm_clock_mhz = config.sm_clock_mhz;
  try {
    rt::RuntimeImpl runtime(device, services);
    const apps::AppResult result = app->run(runtime, app_context(run));
    if (!result.message.empty()) fmt::print(result.verified ? stdout : stderr, "{}\n", result.message);
    fmt::print("{}, at {:.3f} us of simulated time\n",
               !result.checked   ? "results not checked"
               : result.verified ? "results verified"
                                 : "results differ",
               device.now().to_us());
    return result.checked && !result.verified ? ExitCode::kResultDiffers : ExitCode::kOk;
  } catch (const rt::TransportError& error) {
    fmt::print(stderr, "warpvp: {}\n", error.what());
    return ExitCode::kDeviceFault;
  }
}

}  // namespace warpvp
