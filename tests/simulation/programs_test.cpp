// Host programs of a session: functions, apps, launch lists, several at once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/data_folder.h"
#include "interconnect/host_interface.h"
#include "tests/platform/program.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

/// Adds 1.5 and 2.25 on the device, `count` times; what came out of it against `expected`.
apps::AppResult add_on_device(rt::Runtime& device, float expected) {
  constexpr std::uint32_t kCount = 300;
  const std::vector<float> a(kCount, 1.5f), b(kCount, 2.25f);
  std::vector<float> c(kCount);
  const rt::DevicePtr x = device.malloc(4 * kCount), y = device.malloc(4 * kCount),
                      z = device.malloc(4 * kCount);
  device.copy_to_device(x, a.data(), 4 * kCount);
  device.copy_to_device(y, b.data(), 4 * kCount);
  const rt::Kernel kernel =
      device.kernel(device.load_module(data_folder("sw/kernels") / "vector_add.ptx"), "vector_add");
  device.launch(kernel, rt::Dim3(3), rt::Dim3(128), rt::Args::of(x, y, z, kCount));
  device.copy_to_host(c.data(), z, 4 * kCount);
  apps::AppResult result;
  result.verified = c == std::vector<float>(kCount, expected);
  result.message = result.verified ? "300 sums" : "a sum differs";
  return result;
}

TEST(Programs, OneThatReturnsAResultIsVerified) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("adds", [](rt::Runtime& device) { return add_on_device(device, 3.75f); });
  const auto result = nlohmann::json::parse(run_at_once(simulation));
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk);
  EXPECT_TRUE(simulation.outcome().verified);
  EXPECT_EQ(simulation.outcome().remark, "300 sums");
  EXPECT_TRUE(result["verified"]);
  EXPECT_EQ(result["kernels"][0]["name"], "vector_add");
}

TEST(Programs, AModuleInTextRuns) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("text", [](rt::Runtime& device) {
    const rt::DevicePtr to = device.malloc(4);
    const rt::ModuleHandle module = device.load_module_text(
        "seven.ptx",
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry seven(.param .u64 p)\n{\n"
        ".reg .u64 %a;\n.reg .u32 %v;\nld.param.u64 %a, [p];\nmov.u32 %v, 7;\nst.global.u32 [%a], "
        "%v;\nret;\n}\n");
    device.launch(device.kernel(module, ""), rt::Dim3(1), rt::Dim3(32), rt::Args::of(to));
    std::uint32_t got = 0;
    device.copy_to_host(&got, to, 4);
    apps::AppResult result;
    result.verified = got == 7;
    return result;
  });
  run_at_once(simulation);
  EXPECT_TRUE(simulation.outcome().verified);
}

TEST(Programs, OneWhoseResultDiffersIsNot) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("adds", [](rt::Runtime& device) { return add_on_device(device, 4.0f); });
  EXPECT_EQ(nlohmann::json::parse(run_at_once(simulation))["exit_code"], 1);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kResultDiffers);
  EXPECT_EQ(simulation.outcome().message, "a sum differs");
  EXPECT_FALSE(simulation.outcome().verified);
}

TEST(Programs, OneThatReturnsNothingChecksNothing) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("adds", [](rt::Runtime& device) { add_on_device(device, 3.75f); });
  run_at_once(simulation);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk);
  EXPECT_FALSE(simulation.outcome().verified);
}

TEST(Programs, SeveralRunAtTheSameTime) {
  const ScratchFolder scratch;
  SimulationOptions options;
  options.folder = (scratch / "out").string();
  Simulation simulation = Simulation::from_text("platform: small\n", options);
  SimTime added, slept;
  simulation.attach_program("function", [&](rt::Runtime& device) {
    const apps::AppResult result = add_on_device(device, 3.75f);
    added = device.host().now();
    return result;
  });
  simulation.attach_program("quiet", [&](rt::Runtime& device) {
    device.host().sleep(us(1));
    slept = device.host().now();
  });
  simulation.attach_workload("app", "{app: vector_add, params: {count: 500}}");
  simulation.attach_workload("list", "list_vector_add");
  const auto result = nlohmann::json::parse(run_at_once(simulation));
  EXPECT_EQ(simulation.outcome().code, ExitCode::kOk);
  EXPECT_TRUE(simulation.outcome().verified) << "all that check";
  EXPECT_EQ(simulation.outcome().remark, "function: 300 sums");
  EXPECT_EQ(result["kernels"].size(), 3u);
  EXPECT_LT(slept, added) << "though it was attached later";
  EXPECT_TRUE(std::filesystem::exists(scratch / "out/c.f32")) << "a dump of the launch list";
}

TEST(Programs, OneOfSeveralThatDiffersIsNamed) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("bad", [](rt::Runtime& device) { return add_on_device(device, 0.0f); });
  simulation.attach_program("good", [](rt::Runtime& device) { return add_on_device(device, 3.75f); });
  run_at_once(simulation);
  EXPECT_EQ(simulation.outcome().code, ExitCode::kResultDiffers);
  EXPECT_EQ(simulation.outcome().message, "bad: a sum differs");
  EXPECT_FALSE(simulation.outcome().verified);
}

TEST(Programs, WhatOneThrowsComesOutOfRun) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  simulation.attach_program("wrong", [](rt::Runtime& device) { device.load_module("/nowhere/k.ptx"); });
  EXPECT_THROW(simulation.run(), InputError);
  EXPECT_TRUE(simulation.ended());
  EXPECT_EQ(simulation.outcome().code, ExitCode::kBadInput);
  EXPECT_THAT(simulation.outcome().message, HasSubstr("/nowhere/k.ptx"));
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  EXPECT_EQ(simulation.end().code, ExitCode::kBadInput);
}

TEST(Programs, WorkloadsAreCheckedWhenTheyAreAttached) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  const auto refusal = [&](const std::string& yaml) {
    try {
      simulation.attach_workload("extra", yaml);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_THAT(refusal("{app: vector_ad}"), HasSubstr("workload extra:1:7: 'workload.app' is 'vector_ad'"));
  EXPECT_THAT(refusal("{app: vector_add, params: {count: 0}}"),
              HasSubstr("workload extra:1:35: 'workload.params.count' is 0; allowed: "));
  EXPECT_THAT(refusal("no_such_workload"), HasSubstr("no_such_workload"));
  EXPECT_THAT(refusal("{buffers: {a: {type: u8, count: 99999999999}}, launches: [{ptx: k.ptx}]}"),
              HasSubstr("k.ptx"));
  try {
    simulation.attach_workload();
    ADD_FAILURE() << "the settings have none";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("the settings have no 'workload'"));
  }
}

TEST(Programs, PrintedTextGoesWhereTheSessionSendsIt) {
  std::string text;
  Simulation simulation =
      Simulation::from_text("platform: small\nworkload: {app: hello, params: {ctas: 1}}\n",
                            {{}, {}, [&](const std::string& more) { text += more; }});
  simulation.attach_workload();
  run_at_once(simulation);
  EXPECT_THAT(text, HasSubstr("cta 0 warp 1: number -42, ratio 0.125, done\n"));
}

}  // namespace
}  // namespace warpvp::test
