// Host programs on GPGPU-Sim (tools/gpgpu-sim), on a library that stands in for GPGPU-Sim's (fake_cudart.h).
#include "tools/gpgpu-sim/simulator_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "tests/gpgpu_sim/fake_cudart.h"

namespace warpvp::gpgpusim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string kKernels = std::string(WARPVP_SOURCE) + "/sw/kernels/";

TEST(LoweredVersion, IsSevenFiveAtMost) {
  EXPECT_EQ(lowered_version("// x\n.version 8.5\n.target sm_70\n"), "// x\n.version 7.5\n.target sm_70\n");
  EXPECT_EQ(lowered_version(".version 7.10\n"), ".version 7.5\n");
  EXPECT_EQ(lowered_version(".version 7.5\n"), ".version 7.5\n");
  EXPECT_EQ(lowered_version(".version 6.4\n"), ".version 6.4\n");
  EXPECT_EQ(lowered_version("no version"), "no version");
}

/// Modules are written into the working folder, which is one of the test's own.
class OnSimulator : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::create_directories(folder_);
    std::filesystem::current_path(folder_);
    take_calls();
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }
  std::filesystem::path before_, folder_;
};

TEST_F(OnSimulator, LaunchesAndCopiesGoToStreamZeroInTheirOrder) {
  {
    SimulatorRuntime device;
    EXPECT_EQ(device.sm_count(), 80u);
    const rt::Stream stream = device.create_stream();
    const auto kernel = device.kernel(device.load_module(kKernels + "vector_add.ptx"), "vector_add");
    const std::vector<float> a{1, 2, 3}, b{10, 20, 30};
    std::vector<float> c(3);
    const rt::DevicePtr on_a = device.malloc(12), on_b = device.malloc(12), on_c = device.malloc(12);
    device.copy_to_device_async(on_a, a.data(), 12, stream);
    device.copy_to_device_async(on_b, b.data(), 12, stream);
    rt::LaunchOptions options;
    options.dynamic_shared_bytes = 64;
    device.launch(kernel, {2, 3, 4}, {5, 6, 7}, rt::Args::of(on_a, on_b, on_c, std::uint32_t{3}), stream,
                  options);
    device.copy_to_host_async(c.data(), on_c, 12, stream);
    device.synchronize(stream);
    EXPECT_THAT(c, ElementsAre(11, 22, 33));
    EXPECT_EQ(device.occupancy(kernel, 256, 8), 264u);
    for (const rt::DevicePtr p : {on_a, on_b, on_c}) device.free(p);
  }
  EXPECT_THAT(take_calls(), ElementsAre("binary", "copy 12 kind 1 stream 0", "copy 12 kind 1 stream 0",
                                        "launch vector_add 2 3 4 of 5 6 7, 64 shared",
                                        "copy 12 kind 2 stream 0", "synchronize", "exit"));
  std::ifstream file("module.1.sm_70.ptx");
  const std::string written{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(written, HasSubstr(".version 7.5"));
  EXPECT_THAT(written, HasSubstr(".entry vector_add("));
}

TEST_F(OnSimulator, CopiesToVariablesNameThemAndTheirOffset) {
  SimulatorRuntime device;
  const auto module = device.load_module(kKernels + "mri_q.ptx");
  const rt::DevicePtr samples = device.symbol(module, "samples");
  const std::uint32_t value = 7;
  device.copy_to_device(samples + 16, &value, sizeof value);
  EXPECT_THAT(take_calls(),
              ElementsAre("binary", "variable samples const of 16384", "samples const at 16: 4 bytes, 7"));
  EXPECT_THAT([&] { device.symbol(module, "sample"); },
              ThrowsMessage<InputError>(HasSubstr("the module has no variable 'sample'")));
}

/// Works until this thread has had ten milliseconds more of a processor.
void work_ten_milliseconds() {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
  };
  for (const double begin = now(); now() < begin + 0.01;) {
  }
}

TEST_F(OnSimulator, CountsTheTimeOfTheProgramBetweenCalls) {
  SimulatorRuntime device;
  work_ten_milliseconds();
  device.free(device.malloc(4));
  work_ten_milliseconds();
  EXPECT_GE(device.outside().program, 0.02);
}

TEST_F(OnSimulator, RefusesWhatItHasNot) {
  SimulatorRuntime device;
  const auto kernel = device.kernel(device.load_module(kKernels + "vector_add.ptx"), "vector_add");
  EXPECT_THAT([&] { device.load_module(kKernels + "saxpy.ptx"); },
              ThrowsMessage<InputError>(HasSubstr("a second module is not to be had on GPGPU-Sim")));
  EXPECT_THAT([&] { device.launch(kernel, 1, 32, rt::Args::of(rt::DevicePtr{0})); },
              ThrowsMessage<InputError>(HasSubstr("kernel 'vector_add': 1 arguments given, 4 expected")));
  EXPECT_THAT([&] { device.launch(kernel, 1, 32, rt::Args::of(0ull, 0ull, 0u, 0u)); },
              ThrowsMessage<InputError>(HasSubstr("argument 2 does not fit its parameter")));
  EXPECT_THAT([&] { device.create_texture(0, {}); }, ThrowsMessage<InputError>(HasSubstr("texture objects")));
  EXPECT_THAT([&] { device.elapsed_us({}, {}); },
              ThrowsMessage<InputError>(HasSubstr("times between events")));
}

}  // namespace
}  // namespace warpvp::gpgpusim
