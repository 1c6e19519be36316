// Kernels that go wrong: exit status 3 and a message that says what, where and who.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct FaultCase {
  std::string kind;
  std::vector<std::string> settings;
  std::vector<std::string> message_has;
};

void PrintTo(const FaultCase& c, std::ostream* os) { *os << c.kind; }

class EveryFault : public testing::TestWithParam<FaultCase> {};

TEST_P(EveryFault, EndsTheRunWithItsPlace) {
  const ScratchFolder scratch;
  std::vector<std::string> settings{"workload.params.kind=" + GetParam().kind};
  settings.insert(settings.end(), GetParam().settings.begin(), GetParam().settings.end());
  const Finished run = run_app("small", "fault", scratch / "run", settings);
  EXPECT_EQ(run.status, 3) << run.err;
  for (const std::string& part : GetParam().message_has) EXPECT_THAT(run.err, HasSubstr(part));
  // What is known so far is kept.
  const auto result = read_json(scratch / "run/result.json");
  EXPECT_FALSE(result["verified"]);
  EXPECT_EQ(result["exit_code"], 3);
  EXPECT_EQ(result["kernels"].size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Shipped, EveryFault,
    testing::Values(
        FaultCase{"out_of_bounds",
                  {},
                  {"out-of-bounds", "kernel out_of_bounds", "CTA (", "warp ", "lane ",
                   "faults.ptx:", "address 0x"}},
        FaultCase{"misaligned", {}, {"misaligned", "lane ", "faults.ptx:"}},
        FaultCase{"trapped", {}, {"trap", "kernel trapped", "faults.ptx:"}},
        FaultCase{"failed_assertion", {}, {"ssert", "kernel failed_assertion"}},
        FaultCase{"deadlocked", {}, {"deadlock", "waits at a barrier", "faults.ptx:"}},
        FaultCase{"endless", {"limits.cycles=200000"}, {"limit of 200000 SM cycles", "kernel endless"}}),
    [](const auto& info) { return info.param.kind; });

TEST(Fault, ATextureThatIsNotBoundIsNamed) {
  const ScratchFolder scratch;
  const std::string file = scratch.file(
      "run.yaml", "platform: small\nworkload:\n  launches:\n    - {ptx: " + std::string(WARPVP_SOURCE) +
                      "/sw/kernels/texture.ptx, entry: texture_gather, block: [64], args: [{buffer: a}, "
                      "{buffer: a}, {u32: 64}]}\n"
                      "  buffers:\n    a: {type: f32, count: 64, init: zero}\n");
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 3) << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("read of a texture that is not bound, kernel texture_gather"),
                             HasSubstr("[line, {%r6}]")));
}

}  // namespace
}  // namespace warpvp::test
