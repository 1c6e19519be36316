// A program of its own with a GPU in it: it makes a platform from a run file, gives it a host program, runs
// it in slices of simulated time, and says how far it is.
//   embedding RUN.yaml KERNEL.ptx [a.b=value...]

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "platform/simulation.h"

namespace {

/// The host program: y = 2 x + y on the device, compared with the same on the host.
warpvp::apps::AppResult axpy(warpvp::rt::Runtime& device, const std::string& ptx) {
  constexpr std::uint32_t kCount = 20000, kBlock = 128, kBytes = kCount * sizeof(float);
  const float factor = 2;
  std::vector<float> x(kCount), y(kCount, 1), result(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) x[i] = static_cast<float>(i);
  const warpvp::rt::DevicePtr device_x = device.malloc(kBytes), device_y = device.malloc(kBytes);
  device.copy_to_device(device_x, x.data(), kBytes);
  device.copy_to_device(device_y, y.data(), kBytes);
  const warpvp::rt::Kernel kernel = device.kernel(device.load_module(ptx), "axpy");
  device.launch(kernel, (kCount + kBlock - 1) / kBlock, kBlock,
                warpvp::rt::Args::of(device_x, device_y, factor, kCount));
  device.copy_to_host(result.data(), device_y, kBytes);
  for (std::uint32_t i = 0; i < kCount; ++i)
    if (result[i] != factor * x[i] + y[i]) return {false, "y[" + std::to_string(i) + "] is wrong"};
  return {true, ""};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: embedding RUN.yaml KERNEL.ptx [a.b=value...]\n", stderr);
    return 2;
  }
  try {
    warpvp::SimulationOptions options;
    options.overrides.assign(argv + 3, argv + argc);
    warpvp::Simulation simulation = warpvp::Simulation::from_file(argv[1], options);
    const std::string ptx = argv[2];
    simulation.attach_program("axpy", [ptx](warpvp::rt::Runtime& device) { return axpy(device, ptx); });
    while (simulation.run_for(warpvp::SimTime::from_us(10)) == warpvp::Halt::kTime)
      for (const warpvp::KernelState& kernel : simulation.kernels())
        std::printf("%3.0f us: kernel %s has done %llu of %llu CTAs\n", simulation.now().to_seconds() * 1e6,
                    kernel.name.c_str(), static_cast<unsigned long long>(kernel.ctas_done),
                    static_cast<unsigned long long>(kernel.ctas));
    const warpvp::Outcome& outcome = simulation.end();
    std::printf("%s, %.0f cycles\n", outcome.verified ? "verified" : outcome.message.c_str(),
                simulation.statistic("simulation.kernel_cycles"));
    return static_cast<int>(outcome.code);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embedding: %s\n", error.what());
    return static_cast<int>(warpvp::exit_code_of(error));
  }
}
