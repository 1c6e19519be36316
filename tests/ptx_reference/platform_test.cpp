// The same random programs on the whole platform: launched by a host program, timed by the cycle-accurate SM.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/ptx_reference/on_platform.h"

namespace warpvp::reference {
namespace {

std::vector<GeneratedProgram> programs(std::uint64_t first, unsigned count) {
  std::vector<GeneratedProgram> all;
  for (unsigned i = 0; i < count; ++i) all.push_back(generate(first + i));
  return all;
}

struct Setting {
  const char *name, *platform, *limits;
};
class OnThePlatform : public testing::TestWithParam<Setting> {};

TEST_P(OnThePlatform, RandomProgramsAgreeWithTheReference) {
  PlatformRun run{WARPVP_PROGRAM, fmt::format("{{extends: small, {}}}", GetParam().platform)};
  run.limits = GetParam().limits;
  EXPECT_EQ(difference_on_platform(programs(2'000'000, 12), run), "");
}
// The watchdog looks every 2 us: with the slow clock, every four cycles, at warps in all their states.
INSTANTIATE_TEST_SUITE_P(
    Schedulers, OnThePlatform,
    testing::Values(Setting{"darsie", "sm: {frontend: {mode: {name: darsie, check: true}}}", ""},
                    Setting{"darsie_and_machine_code",
                            "sm: {frontend: {mode: {name: darsie, check: true, by_xy: true}}}, "
                            "ptx: {code: machine}",
                            ""},
                    Setting{"lrr", "sm: {warp_scheduler: lrr}", ""},
                    Setting{"gto", "sm: {warp_scheduler: gto}", ""},
                    Setting{"impatient_watchdog", "sm_clock_mhz: 2", "progress_us: 400"},
                    Setting{"impatient_watchdog_and_machine_code", "sm_clock_mhz: 2, ptx: {code: machine}",
                            "progress_us: 400"}),
    [](const auto& info) { return std::string(info.param.name); });

struct Taken {
  const char *name, *code, *front_end;
};
class Preempted : public testing::TestWithParam<Taken> {};

// Each takes SMs from those before it, in the middle of their CTAs, and translates through tables of its own.
TEST_P(Preempted, RandomProgramsAgreeWithTheReference) {
  PlatformRun run{WARPVP_PROGRAM, preempting_platform(1, GetParam().code, GetParam().front_end)};
  run.preempting = true;
  std::uint64_t saved = 0;
  for (run.seed = 1; run.seed <= 3; ++run.seed)
    EXPECT_EQ(difference_on_platform(programs(3'000'000 + 8 * run.seed, 8), run, &saved), "");
  EXPECT_GT(saved, 0u);
}
INSTANTIATE_TEST_SUITE_P(Code, Preempted,
                         testing::Values(Taken{"ptx", "ptx", "separate"},
                                         Taken{"machine", "machine", "separate"},
                                         Taken{"darsie", "machine", "{name: darsie, check: true}"}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace warpvp::reference
