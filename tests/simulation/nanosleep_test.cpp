// nanosleep takes the time that it is told, of the lane that sleeps longest, and the warp issues nothing
// meanwhile.
#include <gtest/gtest.h>

#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

/// Cycles of the SM's clock that a warp's `code` takes; %r1 is the lane.
std::uint64_t cycles_of(rt::Runtime& device, const std::string& code) {
  const rt::ModuleHandle module = device.load_module_text(
      "sleep.ptx",
      ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry sleep(.param .u64 p)\n{\n"
      ".reg .u64 %a, %b, %e;\n.reg .u32 %r1, %r2;\n.reg .pred %q;\nld.param.u64 %a, [p];\n"
      "mov.u32 %r1, %laneid;\nmov.u64 %b, %clock64;\n" +
          code +
          "\nmov.u64 %e, %clock64;\nsub.u64 %e, %e, %b;\nsetp.eq.u32 %q, %r1, 0;\n@%q st.global.u64 [%a], "
          "%e;\nret;\n}\n");
  const rt::DevicePtr to = device.malloc(8);
  device.launch(device.kernel(module, ""), rt::Dim3(1), rt::Dim3(32), rt::Args::of(to));
  std::uint64_t cycles = 0;
  device.copy_to_host(&cycles, to, 8);
  return cycles;
}

TEST(Nanosleep, TakesTheLongestTimeOfItsLanes) {
  Simulation simulation = Simulation::from_text("platform: small\n");  // 1200 MHz
  simulation.attach_program("sleeps", [](rt::Runtime& device) {
    const std::uint64_t nothing = cycles_of(device, "");
    const auto slept = [&](const std::string& code) {
      const double cycles = static_cast<double>(cycles_of(device, code) - nothing);
      return cycles / 1.2;  // ns
    };
    EXPECT_NEAR(slept("nanosleep.u32 500;"), 500, 30);
    EXPECT_NEAR(slept("nanosleep.u32 20000;"), 20000,
                30);  // longer than what a warp's wake-up can be set to at once
    EXPECT_NEAR(slept("nanosleep.u32 0;"), 0, 30);
    EXPECT_NEAR(slept("mul.lo.u32 %r2, %r1, 100;\nnanosleep.u32 %r2;"), 3100, 40);
    EXPECT_NEAR(slept("nanosleep.u32 4000000;"), 1e6, 30);                           // the longest there is
    EXPECT_NEAR(slept("setp.eq.u32 %q, %r1, 77;\n@%q nanosleep.u32 9000;"), 0, 40);  // no lane sleeps
  });
  run_at_once(simulation);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk) << simulation.outcome().message;
}

}  // namespace
}  // namespace warpvp::test
