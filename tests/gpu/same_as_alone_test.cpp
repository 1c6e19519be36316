// A Gpu in somebody else's design gives what a Simulation gives with the same program: each cycle and each
// count; and so does each of several in one design.

#include <gtest/gtest.h>

#include <filesystem>

#include "base/data_folder.h"
#include "interconnect/systemc_context.h"
#include "tests/gpu/design.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

constexpr const char* kSmall = "platform: {extends: small, sms: 2}\nseed: 3\n";
constexpr const char* kOther =
    "platform: {extends: small, sms: 3, l2: perfect, command_processor: hardware, dma: burst}\n";

/// Copies, a kernel in two streams, a barrier in between, a fill, and what comes of it.
bool add_twice(rt::Runtime& device, std::uint32_t count) {
  std::vector<float> x(count);
  for (std::uint32_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
  const std::size_t bytes = count * sizeof(float);
  const rt::DevicePtr in = device.malloc(bytes), sum = device.malloc(bytes), last = device.malloc(bytes);
  device.copy_to_device(in, x.data(), bytes);
  const rt::Kernel kernel = device.kernel(
      device.load_module((data_folder("sw/kernels") / "vector_add.ptx").string()), "vector_add");
  const rt::Stream second = device.create_stream();
  device.memset_async(last, 0xff, bytes, second);
  device.launch(kernel, (count + 127) / 128, 128, rt::Args::of(in, in, sum, count));
  device.wait(second, device.record(rt::Stream{0}));
  device.launch(kernel, (count + 127) / 128, 128, rt::Args::of(in, sum, last, count), second);
  device.synchronize();
  std::vector<float> result(count);
  device.copy_to_host(result.data(), last, bytes);
  for (std::uint32_t i = 0; i < count; ++i)
    if (result[i] != 3 * x[i]) return false;
  return true;
}

std::function<bool(rt::Runtime&)> program(std::uint32_t count) {
  return [count](rt::Runtime& device) { return add_twice(device, count); };
}

std::string in_process(const char* yaml, std::uint32_t count) {
  return in_child([=] {
    Simulation simulation = Simulation::from_text(yaml);
    simulation.attach_program("program", [=](rt::Runtime& device) {
      return apps::AppResult{add_twice(device, count), {}};
    });
    simulation.run();
    simulation.end();
    return simulation.result();
  });
}

TEST(GpuInADesign, GivesWhatASimulationGives) {
  for (const char* yaml : {kSmall, kOther}) {
    const std::string here = in_child([=] {
      configure_time();
      std::vector<std::unique_ptr<RuntimeDesign>> designs;
      designs.push_back(std::make_unique<RuntimeDesign>("design", yaml, program(3000)));
      run_all(designs);
      return designs[0]->end();
    });
    const nlohmann::json result = nlohmann::json::parse(here);
    EXPECT_TRUE(result["verified"]);
    EXPECT_EQ(result["kernels"].size(), 2u);
    EXPECT_EQ(difference(here, in_process(yaml, 3000)), "[]") << yaml;
  }
}

TEST(GpuInADesign, TwoOfThemGiveWhatEachGivesAlone) {
  const std::string both = in_child([] {
    configure_time();
    std::vector<std::unique_ptr<RuntimeDesign>> designs;
    designs.push_back(std::make_unique<RuntimeDesign>("one", kSmall, program(3000)));
    designs.push_back(std::make_unique<RuntimeDesign>("other", kOther, program(5000)));
    run_all(designs);
    nlohmann::json results;
    for (const auto& design : designs) results.push_back(nlohmann::json::parse(design->end()));
    // Time has gone on for the one that ended first, and nothing else.
    designs.erase(designs.begin());
    return results.dump();
  });
  const nlohmann::json results = nlohmann::json::parse(both);
  const std::pair<const char*, std::uint32_t> alone[] = {{kSmall, 3000}, {kOther, 5000}};
  for (unsigned i = 0; i < 2; ++i) {
    const nlohmann::json reference = nlohmann::json::parse(in_process(alone[i].first, alone[i].second));
    EXPECT_TRUE(results[i]["verified"]);
    for (const char* part : {"kernels", "streams", "l2", "traffic", "control", "config"})
      EXPECT_EQ(nlohmann::json::diff(reference[part], results[i][part]).dump(), "[]") << part << " of " << i;
  }
}

}  // namespace
}  // namespace warpvp::test
