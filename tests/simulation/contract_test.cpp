// What a session refuses, and where its settings come from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <thread>

#include "platform/platform_config.h"
#include "tests/platform/program.h"
#include "tests/simulation/support.h"
#include "tests/support/set_fields.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

/// The message of the Error that `call` throws.
template <class Error, class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Settings, WrongOnesAreInputErrorsWithTheirPlace) {
  const ScratchFolder scratch;
  const std::string file = scratch.file("run.yaml", "platform: small\nworkload: hello\nsede: 1\n");
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_file(file); }),
              HasSubstr("run.yaml:3:1: unknown key 'sede'; nearest: 'seed'"));
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_text("platform: {extends: small, sms: 0}\n"); }),
              HasSubstr("settings:1:33: 'platform.sms' is 0; allowed: a whole number"));
  EXPECT_THAT(message_of<InputError>([&] {
                Simulation::from_text("platform: small\n", {{"platform.sms=x"}, {}, {}});
              }),
              HasSubstr("--set platform.sms=x: 'platform.sms' is 'x'; allowed: "));
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_file("no_such_run"); }),
              HasSubstr("no_such_run"));
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_file("qaws_quick"); }),
              HasSubstr("an experiment; allowed: a run file or a workload"));
  // None of these counts as the session of this process.
  EXPECT_NO_THROW(Simulation::from_text("platform: small\n"));
}

TEST(Settings, ErrorsHaveAnExitStatus) {
  EXPECT_EQ(exit_code_of(InputError("wrong")), ExitCode::kBadInput);
  EXPECT_EQ(exit_code_of(std::bad_alloc()), ExitCode::kBadInput);
  EXPECT_EQ(exit_code_of(SimulationMisuse("misuse")), ExitCode::kDeviceFault);
}

TEST(Settings, FromANamedWorkloadWithOverrides) {
  Simulation simulation =
      Simulation::from_file("list_vector_add", {{"platform=small", "platform.sms=3", "seed=7"}, {}, {}});
  const auto config = nlohmann::json::parse(simulation.statistics());
  EXPECT_EQ(config["seed"], 7);
  EXPECT_EQ(config["config"]["platform"]["sms"], 3);
  EXPECT_EQ(config["config"]["workload"]["launches"].size(), 1u);
}

TEST(Settings, FromTextThatExtendsAFile) {
  const ScratchFolder scratch;
  scratch.file("base.yaml", "platform: small\nseed: 5\nworkload: hello\n");
  std::filesystem::current_path(scratch / "");
  Simulation simulation = Simulation::from_text("extends: base.yaml\nlimits: {cycles: 77}\n");
  std::filesystem::current_path("/");
  const auto config = nlohmann::json::parse(simulation.statistics())["config"];
  EXPECT_EQ(config["seed"], 5);
  EXPECT_EQ(config["limits"]["cycles"], 77);
}

TEST(Settings, FromAStructWithOverridesForTheTypes) {
  PlatformConfig config;
  config.sms = 3;
  config.memory.capacity_mib = 128;
  config.l2.type = "perfect";
  config.check_protocol = true;
  Simulation simulation = Simulation::from_config(config, {{"platform.sm.warp_scheduler=gto"}, {}, {}});
  simulation.attach_workload("add", "{app: vector_add, params: {count: 2000}}");
  const auto result = nlohmann::json::parse(run_at_once(simulation));
  EXPECT_TRUE(simulation.outcome().verified);
  EXPECT_EQ(result["config"]["platform"]["sms"], 3);
  EXPECT_EQ(result["config"]["platform"]["l2"]["type"], "perfect");
  EXPECT_EQ(result["config"]["platform"]["sm"]["warp_scheduler"]["name"], "gto");
  EXPECT_EQ(result["sms"].size(), 3u);
}

TEST(Settings, AStructIsCheckedToo) {
  PlatformConfig config;
  config.sms = 0;
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_config(config); }),
              HasSubstr("PlatformConfig: 'platform.sms' is 0; allowed: "));
  config.sms = 1;
  config.l2.type = "no_such_l2";
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_config(config); }),
              HasSubstr("PlatformConfig: unknown l2 'no_such_l2'; allowed: cache, perfect"));
}

TEST(Settings, ParametersOfAPartInAStructMustComeFromYaml) {
  PlatformConfig config;
  config.dram = part_with("fixed_latency", {{"clock_mhz", 100}});
  EXPECT_THAT(message_of<InputError>([&] { Simulation::from_config(config); }),
              HasSubstr("PlatformConfig: parameters of a part that were not read from YAML; allowed: "));
}

TEST(Misuse, ASecondSessionIsRefused) {
  Simulation first = Simulation::from_text("platform: small\nworkload: hello\n");
  EXPECT_THAT(message_of<SimulationMisuse>([&] { Simulation::from_text("platform: small\n"); }),
              HasSubstr("a process has one simulation at a time"));
  first.attach_workload();
  EXPECT_EQ(first.run(), Halt::kEnded) << "the first one has not suffered";
}

TEST(Misuse, WhatABlockRefusesIsNoSession) {
  EXPECT_THAT(message_of<InputError>([&] {
                Simulation::from_text("platform: {extends: small, command_processor: {firmware: no_such}}\n");
              }),
              HasSubstr("no_such"));
  EXPECT_NO_THROW(Simulation::from_text("platform: small\n"));
}

TEST(Misuse, NothingToRun) {
  Simulation simulation = Simulation::from_text("platform: small\nworkload: hello\n");
  EXPECT_THAT(message_of<SimulationMisuse>([&] { simulation.run(); }),
              HasSubstr("no host program is attached"));
}

TEST(Misuse, ProgramsComeBeforeTheRun) {
  Simulation simulation =
      Simulation::from_text(std::string(kPatient) + "workload: {app: fault, params: {kind: endless}}\n");
  simulation.attach_workload();
  EXPECT_THAT(message_of<SimulationMisuse>([&] { simulation.attach_workload(); }), HasSubstr("twice"));
  simulation.run_until(us(5));
  const char* const after = "after the first run()";
  EXPECT_THAT(message_of<SimulationMisuse>([&] { simulation.attach_program("late", [](rt::Runtime&) {}); }),
              HasSubstr(after));
  EXPECT_THAT(message_of<SimulationMisuse>([&] { simulation.attach_workload("late", "hello"); }),
              HasSubstr(after));
}

TEST(Misuse, HostProgramsMayOnlyStop) {
  Simulation simulation = Simulation::from_text("platform: small\n");
  std::string messages;
  simulation.attach_program("nosy", [&](rt::Runtime&) {
    const auto note = [&](auto call) { messages += message_of<SimulationMisuse>(call) + "\n"; };
    note([&] { simulation.statistics(); });
    note([&] { simulation.kernels(); });
    note([&] { simulation.run(); });
    note([&] { simulation.end(); });
  });
  EXPECT_EQ(simulation.run(), Halt::kEnded);
  for (const char* call : {"statistics", "kernels", "run", "end"})
    EXPECT_THAT(messages,
                HasSubstr(std::string("Simulation::") + call + " was called while a step is under way"));
}

TEST(Misuse, OtherThreadsMayOnlyStop) {
  Simulation simulation = Simulation::from_text("platform: small\nworkload: hello\n");
  simulation.attach_workload();
  std::string message;
  std::thread other([&] { message = message_of<SimulationMisuse>([&] { simulation.run(); }); });
  other.join();
  EXPECT_THAT(message, HasSubstr("Simulation::run was called by another thread than the session's"));
}

}  // namespace
}  // namespace warpvp::test
