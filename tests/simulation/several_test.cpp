// Simulations of one process, one after the other, and two GPUs in one elaboration: each gives what it gives
// alone.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <systemc>

#include "base/data_folder.h"
#include "interconnect/systemc_context.h"
#include "platform/build/platform.h"
#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

std::string run_text(const std::string& yaml) {
  Simulation simulation = Simulation::from_text(yaml);
  simulation.attach_workload();
  return run_at_once(simulation);
}

const char* const kVectors = "platform: small\nworkload: {app: vector_add, params: {count: 3000}}\n";
const char* const kMatrices =
    "platform: {extends: small, sms: 3, dram: {type: fixed_latency}}\nseed: 5\n"
    "workload: {app: matmul, params: {m: 48, n: 32, k: 16}}\n";

TEST(OneAfterTheOther, EachGivesWhatItGivesAlone) {
  const std::string vectors = in_child([] { return run_text(kVectors); });
  const std::string matrices = in_child([] { return run_text(kMatrices); });
  EXPECT_EQ(difference(run_text(kVectors), vectors), "[]");
  EXPECT_EQ(difference(run_text(kMatrices), matrices), "[]");
  EXPECT_EQ(difference(run_text(kVectors), vectors), "[]");
}

// What the one before left behind: a program that waits for ever, a fault, nothing at all.
class After : public ::testing::TestWithParam<const char*> {};
TEST_P(After, TheNextOneIsNotTouched) {
  const std::string alone = in_child([] { return run_text(kVectors); });
  {
    Simulation simulation = Simulation::from_text(std::string(kPatient) + GetParam());
    if (std::string(GetParam()) != "workload: hello\n") {
      simulation.attach_workload();
      try {
        simulation.run_until(us(60));
      } catch (const std::exception& fault) {
        EXPECT_THAT(fault.what(), HasSubstr("")) << "a fault comes out of run_until()";
      }
    }
  }
  EXPECT_EQ(difference(run_text(kVectors), alone), "[]");
}
INSTANTIATE_TEST_SUITE_P(One, After,
                         ::testing::Values("workload: {app: fault, params: {kind: endless}}\n",
                                           "workload: {app: fault, params: {kind: out_of_bounds}}\n",
                                           "workload: {app: vector_add, params: {count: 100000}}\n",
                                           "workload: hello\n"));

TEST(OneAfterTheOther, NotBesideModulesThatShareItsContext) {
  struct Own : sc_core::sc_module {
    explicit Own(sc_core::sc_module_name name) : sc_module(name) {}
  };
  std::unique_ptr<Own> own;
  {
    Simulation first = Simulation::from_text("platform: small\n");
    own = std::make_unique<Own>("own");
  }
  EXPECT_THROW(Simulation::from_text("platform: small\n"), SimulationMisuse);
}

/// A platform with a host program that adds vectors; `done` when it has.
struct Gpu {
  Gpu(const char* name, unsigned sms, std::uint32_t count)
      : platform(name, config(sms), [](const std::string&) {}), count_(count) {
    platform.add_program("adds", [this](rt::Runtime& device) {
      std::vector<float> a(count_, 1.5f), b(count_, 2.25f), c(count_);
      const rt::DevicePtr x = device.malloc(4 * count_), y = device.malloc(4 * count_),
                          z = device.malloc(4 * count_);
      device.copy_to_device(x, a.data(), 4 * count_);
      device.copy_to_device(y, b.data(), 4 * count_);
      const rt::Kernel kernel =
          device.kernel(device.load_module(data_folder("sw/kernels") / "vector_add.ptx"), "vector_add");
      device.launch(kernel, rt::Dim3((count_ + 127) / 128), rt::Dim3(128), rt::Args::of(x, y, z, count_));
      device.copy_to_host(c.data(), z, 4 * count_);
      right = c == std::vector<float>(count_, 3.75f);
      done = true;
    });
  }
  static PlatformConfig config(unsigned sms) {
    PlatformConfig config;
    config.sms = sms;
    return config;
  }
  /// Begin and end of its kernel, and what was issued.
  std::string record() const {
    const KernelRecord& kernel = const_cast<Platform&>(platform).distributor().records().at(0);
    std::uint64_t issued = 0;
    for (const auto& sm : platform.sms()) issued += sm->counters().issued;
    return std::to_string(kernel.first_cta) + " " + std::to_string(kernel.ended) + " " +
           std::to_string(issued);
  }
  Platform platform;
  const std::uint32_t count_;
  bool right = false, done = false;
};

std::string run_gpus(std::vector<std::unique_ptr<Gpu>> gpus) {
  for (unsigned i = 0; i < 10000; ++i) {
    sc_core::sc_start(1, sc_core::SC_US);
    bool all = true;
    for (const auto& gpu : gpus) all &= gpu->done;
    if (all) break;
  }
  std::string text;
  for (const auto& gpu : gpus) {
    EXPECT_TRUE(gpu->right);
    EXPECT_FALSE(gpu->platform.faults().faulted());
    text += (text.empty() ? "" : ", ") + gpu->record();
  }
  return text;
}

TEST(TwoGpus, InOneElaborationEachGivesWhatItGivesAlone) {
  configure_time();
  const auto alone = [](const char* name, unsigned sms, std::uint32_t count) {
    return in_child([=] {
      std::vector<std::unique_ptr<Gpu>> one;
      one.push_back(std::make_unique<Gpu>(name, sms, count));
      return run_gpus(std::move(one));
    });
  };
  const std::string first = alone("gpu_a", 2, 3000), second = alone("gpu_b", 3, 5000);
  std::vector<std::unique_ptr<Gpu>> both;
  both.push_back(std::make_unique<Gpu>("gpu_a", 2, 3000));
  both.push_back(std::make_unique<Gpu>("gpu_b", 3, 5000));
  EXPECT_EQ(run_gpus(std::move(both)), first + ", " + second);
}

}  // namespace
}  // namespace warpvp::test
