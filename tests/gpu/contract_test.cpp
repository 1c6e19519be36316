// What a Gpu asks of the design around it, and what it says where that is not so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "interconnect/systemc_context.h"
#include "tests/gpu/design.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kOneSm = "platform: {extends: small, sms: 1}\n";

/// What making a Gpu in a process of its own throws, with its kind in front; "made" if nothing.
std::string making(const std::string& yaml, const std::function<void()>& before = configure_time) {
  return in_child([&]() -> std::string {
    before();
    try {
      const Gpu gpu("gpu", GpuSettings::from_text(yaml));
      return "made, " + sc_core::sc_get_time_resolution().to_string();
    } catch (const InputError& error) {
      return std::string("input: ") + error.what();
    } catch (const SimulationMisuse& error) {
      return std::string("misuse: ") + error.what();
    }
  });
}

TEST(GpuContract, NeedsFemtoseconds) {
  EXPECT_EQ(making(kOneSm, [] { sc_core::sc_set_time_resolution(1, sc_core::SC_FS); }), "made, 1 fs");
  const std::string picoseconds =
      "misuse: a Gpu's clocks need another time resolution than 1 ps; allowed: 1 fs, by "
      "sc_set_time_resolution(1, SC_FS) in sc_main(), before the first sc_time is made";
  EXPECT_EQ(making(kOneSm, [] {}), picoseconds);
  EXPECT_EQ(making(kOneSm, [] { sc_core::sc_set_time_resolution(1, sc_core::SC_PS); }), picoseconds);
  EXPECT_EQ(making(kOneSm, [] { sc_core::sc_set_time_resolution(10, sc_core::SC_FS); }),
            std::string(picoseconds).replace(picoseconds.find("1 ps"), 4, "10 fs"));
}

TEST(GpuContract, RefusesWhatOnlyASimulationDoes) {
  for (const char* more : {"workload: {app: vector_add}", "limits: {wall_seconds: 10}",
                           "trace: {enabled: true}", "output: {intervals: {cycles: 100}}", "profile: true"}) {
    const std::string key = std::string(more).substr(0, std::string(more).find(':'));
    EXPECT_THAT(making(std::string(kOneSm) + more + "\n"), StartsWith("input: ")) << more;
    EXPECT_THAT(making(std::string(kOneSm) + more + "\n"), HasSubstr("'" + key));
  }
  EXPECT_THAT(making("platform: {extends: small, sms: none}\n"), HasSubstr("'platform.sms' is 'none'"));
}

TEST(GpuContract, SharesNoProcessWithASimulation) {
  EXPECT_EQ(in_child([]() -> std::string {
              const Simulation simulation = Simulation::from_text(kOneSm);
              try {
                const Gpu gpu("gpu", GpuSettings::from_text(kOneSm));
                return "made";
              } catch (const SimulationMisuse& error) {
                return error.what();
              }
            }),
            "a Gpu is a module of somebody else's design: this process has a Simulation, whose context it "
            "cannot share");
  EXPECT_THAT(in_child([]() -> std::string {
                configure_time();
                const Gpu gpu("gpu", GpuSettings::from_text(kOneSm));
                try {
                  const Simulation simulation = Simulation::from_text(kOneSm);
                  return "made";
                } catch (const SimulationMisuse& error) {
                  return error.what();
                }
              }),
              StartsWith("a process has one simulation at a time"));
}

TEST(GpuContract, NativeFirmwareIsOneInAProcess) {
  EXPECT_THAT(
      in_child([]() -> std::string {
        configure_time();
        const GpuSettings settings =
            GpuSettings::from_text("platform: {extends: small, command_processor: native}\n");
        const Gpu one("one", settings);
        try {
          const Gpu other("other", settings);
          return "made";
        } catch (const std::exception& error) {
          return error.what();
        }
      }),
      HasSubstr(
          "other.platform.command_processor.firmware.core: the firmware runs natively once in a process"));
}

TEST(GpuContract, CanComeAfterASimulationThatIsGone) {
  EXPECT_EQ(making(kOneSm,
                   [] {
                     {
                       Simulation simulation = Simulation::from_text(kOneSm);
                       simulation.attach_program("nothing", [](rt::Runtime&) {});
                       simulation.run();
                     }
                     configure_time();
                   }),
            "made, 1 fs");
}

TEST(GpuContract, EachWritesItsOwnFolder) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "gpus";
  std::filesystem::remove_all(folder);
  const std::string same = in_child([&]() -> std::string {
    configure_time();
    SimulationOptions one, other;
    one.folder = (folder / "one").string();
    other.folder = (folder / "other").string();
    other.overrides = {"platform.sms=2", "seed=5"};
    std::vector<std::unique_ptr<RuntimeDesign>> designs;
    const auto program = [](rt::Runtime& device) { return device.sm_count() > 0; };
    designs.push_back(std::make_unique<RuntimeDesign>("one", kOneSm, program, one));
    designs.push_back(std::make_unique<RuntimeDesign>("other", kOneSm, program, other));
    run_all(designs);
    const std::string first = designs[0]->end(), second = designs[1]->end();
    return first == designs[0]->end() && second != first ? "once each" : "otherwise";
  });
  EXPECT_EQ(same, "once each");
  const auto read = [&](const char* name) {
    std::ifstream file(folder / name / "result.json");
    return nlohmann::json::parse(file);
  };
  EXPECT_EQ(read("one")["config"]["platform"]["sms"], 1);
  EXPECT_EQ(read("one")["seed"], 1);
  EXPECT_TRUE(read("one")["verified"]);
  EXPECT_EQ(read("other")["config"]["platform"]["sms"], 2);
  EXPECT_EQ(read("other")["seed"], 5);
}

}  // namespace
}  // namespace warpvp::test
