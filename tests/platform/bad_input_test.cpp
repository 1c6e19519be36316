// Wrong input: exit status 2, one line that names place and remedy, nothing half-written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sstream>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

using testing::HasSubstr;

struct BadCase {
  std::string label;
  std::string yaml;
  std::vector<std::string> message_has;
};

const std::string kVectorAddPtx = std::string(WARPVP_SOURCE) + "/sw/kernels/vector_add.ptx";

std::string launch_list(const std::string& launch) {
  return "platform: small\nworkload:\n  launches:\n    - " + launch +
         "\n  buffers:\n    a: {type: f32, count: 1024, init: iota}\n    c: {type: f32, count: 1024, init: "
         "zero}\n";
}

int lines_of_the_program(const std::string& text) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  return count;
}

void PrintTo(const BadCase& c, std::ostream* os) { *os << c.label; }

class EveryMistake : public testing::TestWithParam<BadCase> {};

TEST_P(EveryMistake, IsRefusedWithOneLine) {
  const ScratchFolder scratch;
  scratch.file(
      "broken.ptx",
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  frobnicate.u32 %r1;\n}\n");
  scratch.file("half.ptx",
               ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  .reg .b64 %h<3>;\n  "
               "add.f32x2 %h1, "
               "%h2, %h2;\n  ret;\n}\n");
  scratch.file(
      "greedy.ptx",
      ".version 7.5\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n  .shared .align 4 .b8 "
      "s[200000];\n  st.shared.u32 [s], 1;\n  ret;\n}\n");
  const std::string file = scratch.file("run.yaml", GetParam().yaml);
  const Finished run = run_program({"run", file, "--out", (scratch / "out").string()});
  EXPECT_EQ(run.status, 2) << run.err << run.out;
  for (const std::string& part : GetParam().message_has) EXPECT_THAT(run.err, HasSubstr(part));
  EXPECT_EQ(lines_of_the_program(run.err), 1) << run.err;
  EXPECT_FALSE(std::filesystem::exists(scratch / "out/result.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Mistakes, EveryMistake,
    testing::Values(
        BadCase{"unknown_key",
                "platform: small\nworkload: {app: vector_add}\nplatfrom: x\n",
                {"run.yaml:3:1", "platfrom", "platform"}},
        BadCase{"unknown_app",
                "platform: small\nworkload: {app: vectoradd}\n",
                {"run.yaml:2:", "vectoradd", "vector_add"}},
        BadCase{"unknown_platform", "platform: smal\nworkload: {app: vector_add}\n", {"run.yaml:1:", "smal"}},
        BadCase{"wrong_type",
                "platform: {extends: small, sms: many}\nworkload: {app: vector_add}\n",
                {"run.yaml:1:", "many"}},
        BadCase{
            "impossible_cache",
            "platform: {extends: small, sm: {memory: {l1: {line_bytes: 96}}}}\nworkload: {app: vector_add}\n",
            {"line_bytes", "96", "power of"}},
        BadCase{"unknown_policy",
                "platform: {extends: small, sm: {warp_scheduler: gtoo}}\nworkload: {app: vector_add}\n",
                {"gtoo", "gto"}},
        BadCase{
            "buffer_too_short_for_coordinated_mode",
            "platform:\n  extends: vortex_sm\n  sm:\n    frontend: {mode: coordinated, ibuffer_entries: 3}\n"
            "workload: {app: vector_add}\n",
            {"run.yaml:4:52", "ibuffer_entries", "set ibuffer_entries: 4 or mode: separate"}},
        BadCase{"buffer_too_short_for_its_latencies",
                "platform:\n  extends: vortex_sm\n  sm:\n    frontend:\n      mode: coordinated\n"
                "      ibuffer_entries: 7\n      hit_latency: 6\n      decode_latency: 2\n"
                "workload: {app: vector_add}\n",
                {"run.yaml:6:24", "set ibuffer_entries: 8"}},
        BadCase{"wide_fetch_in_coordinated_mode",
                "platform:\n  extends: small\n  sm:\n    frontend: {mode: coordinated, fetch_width: 2}\n"
                "workload: {app: vector_add}\n",
                {"run.yaml:4:", "fetch_width", "set fetch_width: 1 or mode: separate"}},
        BadCase{"unknown_frontend_mode",
                "platform: {extends: small, sm: {frontend: {mode: swas}}}\nworkload: {app: vector_add}\n",
                {"swas", "coordinated, dac_ideal, darsie"}},
        BadCase{"broken_ptx",
                launch_list("{ptx: broken.ptx, entry: k, args: []}"),
                {"broken.ptx:6:3", "frobnicate"}},
        BadCase{
            "unsupported_ptx", launch_list("{ptx: half.ptx, entry: k, args: []}"), {"half.ptx:", "f32x2"}},
        BadCase{"missing_ptx", launch_list("{ptx: nowhere.ptx, entry: k, args: []}"), {"nowhere.ptx"}},
        BadCase{"unknown_entry",
                launch_list("{ptx: " + kVectorAddPtx + ", entry: vector_ad, args: []}"),
                {"vector_ad", "vector_add"}},
        BadCase{"argument_count",
                launch_list("{ptx: " + kVectorAddPtx +
                            ", entry: vector_add, grid: [4], block: [256], args: [{buffer: a}]}"),
                {"vector_add", "4", "1"}},
        BadCase{"argument_size",
                launch_list("{ptx: " + kVectorAddPtx +
                            ", entry: vector_add, grid: [4], block: [256], args: [{buffer: a}, {buffer: a}, "
                            "{buffer: c}, {u64: 1024}]}"),
                {"vector_add", "8", "4"}},
        BadCase{"block_too_large",
                launch_list("{ptx: " + kVectorAddPtx +
                            ", entry: vector_add, grid: [4], block: [2048], args: [{buffer: a}, {buffer: a}, "
                            "{buffer: c}, {u32: 1024}]}"),
                {"2048", "1024"}},
        BadCase{
            "never_fits", launch_list("{ptx: greedy.ptx, entry: k, args: []}"), {"shared memory", "200000"}},
        BadCase{"not_yaml", "platform: [small\n", {"run.yaml:"}},
        BadCase{"l2_line_below_l1_line",
                "platform:\n  extends: small\n  l2: {line_bytes: 64, sector_bytes: 32}\nworkload: {app: "
                "vector_add}\n",
                {"run.yaml:3:", "64 is less than the 128 bytes of sm.memory.l1.line_bytes"}},
        BadCase{"l1_line_above_l2_line",
                "platform: {extends: vortex_sm, sm: {memory: {l1: {line_bytes: 128}}}}\nworkload: {app: "
                "vector_add}\n",
                {"is less than the 128 bytes of sm.memory.l1.line_bytes"}},
        BadCase{"l2_line_below_the_line_of_an_l1_that_is_off",
                "platform:\n  extends: small\n  l2: {line_bytes: 64, sector_bytes: 32}\n  sm:\n    memory: "
                "{l1: {size_kib: "
                "0, unified_kib: 0}}\n    resources: {shared_options_kib: []}\nworkload: {app: vector_add}\n",
                {"run.yaml:3:", "64 is less than the 128 bytes of sm.memory.l1.line_bytes"}},
        BadCase{"l2_line_below_instruction_line",
                "platform:\n  extends: small\n  l2: {line_bytes: 64, sector_bytes: 32}\n  sm: {memory: {l1: "
                "{line_bytes: "
                "64}}}\nworkload: {app: vector_add}\n",
                {"run.yaml:3:", "64 is less than the 128 bytes of sm.memory.instruction_cache.line_bytes"}},
        BadCase{"l2_line_below_constant_line",
                "platform:\n  extends: small\n  l2: {line_bytes: 32, sector_bytes: 32, fetch_bytes: 0}\n  "
                "sm:\n    memory: {l1: "
                "{line_bytes: 32, sector_bytes: 32}, instruction_cache: {line_bytes: 32, l0: {line_bytes: "
                "32}}}\nworkload: {app: "
                "vector_add}\n",
                {"run.yaml:3:", "32 is less than the 64 bytes of sm.memory.constant_cache.line_bytes"}},
        BadCase{"too_many_banks_a_channel",
                "platform:\n  extends: small\n  address_map: {banks: 130, channels: 2}\nworkload: {app: "
                "vector_add}\n",
                {"run.yaml:3:", "130 banks on 2 channels; allowed: at most 64 L2 banks a channel"}},
        BadCase{
            "buffers_beyond_the_memory",
            "platform: {extends: small, memory: {capacity_mib: 128}}\nworkload:\n  launches: [{ptx: " +
                kVectorAddPtx +
                ", entry: vector_add}]\n  buffers:\n    a: {type: f32, count: 1000000}\n"
                "    b: {type: f64, count: 1000000000000, init: random}\n",
            {"run.yaml:6:", "'workload.buffers.b' has 8000000000000 bytes", "platform.memory.capacity_mib"}},
        BadCase{
            "buffers_in_place_of_local_memory",
            "platform: {extends: small, memory: {capacity_mib: 128, local_mib: 64}}\nworkload:\n  launches: "
            "[{ptx: " +
                kVectorAddPtx + ", entry: vector_add}]\n  buffers:\n    a: {type: u8, count: 68157440}\n",
            {"run.yaml:5:", "'workload.buffers.a' has 68157440 bytes, and 67108864 of the 67108864 bytes"}},
        BadCase{"app_beyond_the_memory",
                "platform: {extends: small, memory: {capacity_mib: 80}}\nworkload: {app: vector_add, params: "
                "{count: "
                "4000000}}\n",
                {"device memory exhausted", "platform.memory.capacity_mib"}}),
    [](const auto& info) { return info.param.label; });

TEST(BadInput, LinesOfL1AndL2NeedNotAgreeWithoutTheMemorySystem) {
  const ScratchFolder scratch;
  const Finished run =
      run_app("small", "vector_add", scratch / "out",
              {"platform.l2={line_bytes: 64, sector_bytes: 32}", "platform.sm.memory.model=isolated"});
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(BadInput, MissingFileIsNamed) {
  const Finished run = run_program({"run", "no_such_file.yaml"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("no_such_file.yaml"));
}

TEST(BadInput, AFullStandardOutputIsNoSuccess) {
  for (const char* words : {"list", "run hello --out ", "config qaws_quick", "describe --markdown"}) {
    const ScratchFolder scratch;
    const std::string command = std::string(WARPVP_PROGRAM) + " " + words +
                                (std::string(words).back() == ' ' ? (scratch / "out").string() : "") +
                                " > /dev/full 2> " + (scratch / "err").string();
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2) << words;
    EXPECT_THAT(read_text(scratch / "err"), HasSubstr("cannot write to the standard output")) << words;
  }
}

TEST(BadInput, NumbersOnTheCommandLineDoNotWrap) {
  for (const auto& [words, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"run", "qaws_quick", "--jobs", "-1"}, "--jobs is '-1'; allowed: a whole number from 1 to 4096"},
           {{"run", "qaws_quick", "--jobs", "0"}, "--jobs is '0'"},
           {{"run", "hello", "--seed", "-1"}, "--seed is '-1'; allowed: a whole number from 0 to "},
           {{"run", "hello", "--seed", "18446744073709551616"}, "--seed is '18446744073709551616'"},
           {{"run", "hello", "--gdb", "65536"}, "--gdb is '65536'; allowed: a whole number from 0 to 65535"},
           {{"predict", "hello", "--seed", "-7"}, "--seed is '-7'"},
           {{"ptx", kVectorAddPtx, "--block", "-32"},
            "--block is '-32'; allowed: X, X,Y or X,Y,Z, whole numbers from 1 on, 1024 threads at most"}}) {
    const Finished run = run_program(words);
    EXPECT_EQ(run.status, 2) << message;
    EXPECT_THAT(run.err, HasSubstr(message));
  }
}

TEST(BadInput, DescribeOfAPathThatIsNotThereNamesTheNearest) {
  const Finished run = run_program({"describe", "configs/platforms/smal.yaml"});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("'configs/platforms/smal.yaml'; did you mean the platform 'small'?"));
}

TEST(BadInput, AReadOnlyFileSystemIsNamed) {
  // /proc refuses to make folders, as a read-only file system does, and has its own words for it.
  const Finished run = run_app("small", "hello", "/proc/warpvp/run", {});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("cannot make the output folder /proc/warpvp/run: "));
  EXPECT_THAT(run.err, testing::Not(HasSubstr("something else of that name")));
}

TEST(BadInput, UnwritableFolderIsFoundBeforeTheRun) {
  if (geteuid() == 0) {
    // Root may write anywhere; a file in place of the folder stops it too.
    const ScratchFolder scratch;
    const std::string taken = scratch.file("taken", "");
    const Finished run = run_app("small", "vector_add", taken + "/run", {});
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr("taken"));
    return;
  }
  const Finished run = run_app("small", "vector_add", "/nowhere/run", {});
  EXPECT_EQ(run.status, 2);
  EXPECT_THAT(run.err, HasSubstr("/nowhere"));
}

// "Name of the kernel; may be left out when the file has only one" (docs/configuration.md).
TEST(LaunchWithoutEntry, TakesTheOnlyKernelOfTheFile) {
  const ScratchFolder scratch;
  const std::string kernel =
      "(.param .u64 p)\n{\n.reg .u64 %rd<2>;\nld.param.u64 %rd1, [p];\n"
      "st.global.u32 [%rd1], 7;\nret;\n}\n";
  const std::string head = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry one" + kernel;
  scratch.file("one.ptx", head);
  scratch.file("two.ptx", head + ".visible .entry two" + kernel);
  const auto run = [&](const std::string& ptx) {
    const std::string yaml = scratch.file(
        ptx + ".yaml", "platform: small\nworkload:\n  launches:\n    - {ptx: " + ptx +
                           ".ptx, args: [{buffer: c}]}\n  buffers: {c: {type: u32, count: 1, init: zero}}\n"
                           "  checks: [{buffer: c, equals: {fill: 7}}]\n");
    return run_program({"run", yaml, "--out", (scratch / ("out_" + ptx)).string()});
  };
  const Finished one = run("one"), two = run("two");
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(read_json(scratch / "out_one/result.json")["kernels"][0]["entry"], "one");
  EXPECT_EQ(two.status, 2);
  EXPECT_THAT(two.err, HasSubstr("It has: one, two"));
}

}  // namespace
}  // namespace warpvp::test
