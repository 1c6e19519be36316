// The resolved configuration loads back to itself; JSON; the generated reference.

#include <gtest/gtest.h>

#include "base/error.h"
#include "platform/config/config_printer.h"
#include "platform/config/config_reference.h"
#include "platform/config/run_config.h"
#include "tests/config/folder.h"
#include "tests/config/sample_config.h"

namespace warpvp {
namespace {

void visit_sample(FieldVisitor& v) {
  sample::PlatformConfig platform;
  platform.fields(v);
}

const char* const kRun = R"(seed: 9
limits: {cycles: 1000}
platform:
  sms: 3
  sm:
    chooser: {name: grouped, group_size: 5}
    clock_mhz: 1234.5
    offset: -4
    write_policy: back
    l1: {ways: 16}
workload:
  buffers:
    a: {type: f32, count: 4, init: random, seed: 3, min: -1.5}
    b: {type: s64, init: {values: [1, -2, 9223372036854775807]}}
    c: {type: u8, count: 2, init: {fill: 0x1f}}
    true: {count: 1}
  launches:
    - ptx: k.ptx
      entry: "123"
      grid: [2, 2]
      block: 64
      start_us: 0.25
      args: [{buffer: a}, {buffer: "true"}, {u32: 7}, {f32: -1.5}, {bytes: "00ff"}]
    - {ptx: k.ptx, priority: -1, budget: 3, deadline_us: 10}
  checks: [{buffer: c, equals: {fill: 31}, tolerance: 1.0e-5}]
  dumps: [{buffer: a, file: "out: a.bin"}]
)";

TEST(Print, ResolvedTextLoadsBackToItself) {
  const Folder folder;
  folder.write("k.ptx", "");
  const auto file = folder.write("run.yaml", kRun);
  const std::string once = to_yaml(RunFile::load(file, {}, {}).resolved(visit_sample, PrintStyle{true}));
  const auto copy = folder.write("elsewhere/copy.yaml", once);
  const std::string twice = to_yaml(RunFile::load(copy, {}, {}).resolved(visit_sample, PrintStyle{true}));
  EXPECT_EQ(once, twice);
  RunConfig run;
  sample::PlatformConfig platform;
  RunFile::load(copy, {}, {}).read(run, [&](FieldVisitor& v) { platform.fields(v); });
  EXPECT_EQ(platform.sm.clock_mhz, 1234.5);
  EXPECT_EQ(platform.sm.offset, -4);
  EXPECT_EQ(platform.sm.l1.ways, 16u);
  EXPECT_EQ(platform.sm.l1.bytes, 32768u);
  EXPECT_EQ(Registry<sample::Chooser>::instance().make(platform.sm.chooser)->group_size(), 5u);
  EXPECT_EQ(run.workload.launches[0].entry, "123");
  EXPECT_EQ(run.workload.launches[0].args.items[4].bytes(), (std::vector<std::uint8_t>{0x00, 0xff}));
  EXPECT_EQ(run.workload.launches[1].budget, 3u);
  EXPECT_EQ(run.workload.launches[0].ptx.resolved, (folder / "k.ptx").string());
  EXPECT_EQ(run.workload.dumps[0].file, "out: a.bin");
  EXPECT_EQ(run.workload.buffer("b")->count, 3u);
  ASSERT_NE(run.workload.buffer("true"), nullptr);
}

TEST(Print, WholeText) {
  const Folder folder;
  const auto file =
      folder.write("run.yaml", "workload: {app: add, params: {n: 5}}\nplatform: {sm: {chooser: grouped}}\n");
  EXPECT_EQ(to_yaml(RunFile::load(file, {}, {}).resolved(visit_sample, {})),
            "platform:\n"
            "  sms: 2\n"
            "  sm:\n"
            "    warps: 64\n"
            "    registers: 65536\n"
            "    trace: false\n"
            "    clock_mhz: 1200\n"
            "    offset: 0\n"
            "    write_policy: through\n"
            "    latencies: [4, 8]\n"
            "    chooser:\n"
            "      name: grouped\n"
            "      group_size: 8\n"
            "    l1:\n"
            "      bytes: 32768\n"
            "      ways: 4\n"
            "plugins: []\n"
            "seed: 1\n"
            "limits:\n"
            "  cycles: 0\n"
            "  progress_us: 10000\n"
            "  wall_seconds: 0\n"
            "trace:\n"
            "  enabled: false\n"
            "  file: trace.json\n"
            "  ctas: auto\n"
            "  warps: []\n"
            "  start_us: 0\n"
            "  end_us: 0\n"
            "  limit_mib: 256\n"
            "output:\n"
            "  intervals:\n"
            "    cycles: 0\n"
            "    counters: default\n"
            "  instructions: false\n"
            "  redundancy: false\n"
            "  applications: false\n"
            "  kernels: true\n"
            "  most_kernels: 20000\n"
            "energy: {}\n"
            "monitors: []\n"
            "profile: false\n"
            "workload:\n"
            "  app: add\n"
            "  params:\n"
            "    n: 5\n"
            "  buffers: {}\n"
            "  launches: []\n"
            "  jobs: []\n"
            "  steps: []\n"
            "  pad_bytes: 0\n"
            "  checks: []\n"
            "  dumps: []\n"
            "  job_stream:\n"
            "    rate: high\n"
            "    jobs: 128\n"
            "    arrivals: exponential\n"
            "    burst: 1\n"
            "    told_deadline: 1\n"
            "    told_deadline_spread: 0\n"
            "    told_time: 1\n"
            "    told_time_spread: 0\n"
            "    queues: 128\n"
            "  processes: []\n"
            "  mix:\n"
            "    size: 0\n"
            "    kind: short_long\n"
            "    by: cta\n"
            "    number: 1\n"
            "    applications: parboil\n"
            "    urgent: 0\n"
            "  replay: once\n"
            "  alone: none\n"
            "  cpu_scale: 1\n");
}

TEST(Print, PlatformAlone) {
  const Folder folder;
  const auto file = folder.write("run.yaml", "platform: {sms: 4, sm: {warps: 2}}\n");
  const RunFile run = RunFile::load(file, {}, {});
  const Setting tree = run.resolved_platform(visit_sample, {});
  EXPECT_EQ(tree.find("platform")->find("sms")->text, "4");
  EXPECT_EQ(tree.entries.size(), 1u);
  sample::PlatformConfig platform;
  run.read_platform([&](FieldVisitor& v) { platform.fields(v); });
  EXPECT_EQ(platform.sm.warps, 2u);
}

TEST(Print, JsonHasTypes) {
  const Setting tree = parse_yaml(
      "a: 1\nb: -2\nc: 1.5\nd: true\ne: word\nf: '12'\ng: [0x10, x]\nh: {}\ni: 18446744073709551615\n", "t",
      ".");
  EXPECT_EQ(
      to_json(tree).dump(),
      R"({"a":1,"b":-2,"c":1.5,"d":true,"e":"word","f":"12","g":[16,"x"],"h":{},"i":18446744073709551615})");
}

TEST(Print, StringsThatLookLikeOthersAreQuoted) {
  Setting list = Setting::sequence();
  for (const char* word : {"", "1", "true", "null", "a b", "x: y", "#c", "-", "- a", "plain-word", "0x1f",
                           "quote\"d", "tab\there", "~", "1e5", ".5", "*a", "é", "trailing "})
    list.items.push_back(Setting::string(word));
  const Setting back = parse_yaml(to_yaml(list), "t", ".");
  ASSERT_EQ(back.items.size(), list.items.size());
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    EXPECT_EQ(back.items[i].text, list.items[i].text);
    EXPECT_TRUE(to_json(back.items[i]).is_string()) << list.items[i].text;
  }
}

TEST(Numbers, Parsing) {
  std::uint64_t u = 0;
  std::int64_t s = 0;
  double d = 0;
  EXPECT_TRUE(parse_unsigned("18446744073709551615", u));
  EXPECT_EQ(u, 18446744073709551615ull);
  EXPECT_TRUE(parse_unsigned("0xFF", u));
  EXPECT_EQ(u, 255u);
  for (const char* bad : {"", "-1", "0x", "1 ", " 1", "1.0", "18446744073709551616", "a"})
    EXPECT_FALSE(parse_unsigned(bad, u)) << bad;
  EXPECT_TRUE(parse_signed("-9223372036854775808", s));
  EXPECT_EQ(s, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(parse_signed("-0x10", s));
  EXPECT_EQ(s, -16);
  for (const char* bad : {"", "-", "-9223372036854775809", "9223372036854775808", "--1", "-+1"})
    EXPECT_FALSE(parse_signed(bad, s)) << bad;
  EXPECT_TRUE(parse_double("1e3", d));
  EXPECT_EQ(d, 1000);
  EXPECT_TRUE(parse_double("-.inf", d));
  EXPECT_EQ(d, -std::numeric_limits<double>::infinity());
  for (const char* bad : {"", "-", "e3", "1.0f", "infinity", "0x1", "1,5"})
    EXPECT_FALSE(parse_double(bad, d)) << bad;
  EXPECT_EQ(print_double(0.1), "0.1");
  EXPECT_EQ(print_double(3), "3");
}

TEST(Reference, ShowsDefaultsUnitsAndWhatIsAllowed) {
  ConfigReference reference("Platform", 2);
  visit_sample(reference);
  const std::string text = reference.markdown();
  for (const char* line : {
           "## Platform\n",
           "### `sm`\n\nStreaming multiprocessor.\n",
           "### `sm.l1`\n\nFirst-level cache.\n",
           "| `warps` | `64` | warps | a whole number from 1 to 64 | Warps resident. |\n",
           "| `bytes` | `32768` | bytes | a power of two from 1024 to 1048576 | Capacity. |\n",
           "| `chooser` | `first` |  | a chooser: first, grouped | Who goes first. |\n",
           "| `latencies` | `[4, 8]` | cycles | a list; each a whole number from 1 to 100 | Of units. |\n",
           "| `write_policy` | `through` |  | one of: through, back | What stores do. |\n",
       })
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nnot in\n" << text;
  EXPECT_EQ(part_reference(*find_registry_entry("chooser", "grouped"), 1),
            "# `grouped`\n\nTakes groups in turn.\n\n| key | default | unit | allowed | meaning "
            "|\n|---|---|---|---|---|\n"
            "| `group_size` | `8` | warps | a whole number from 1 to 32 | Warps of a group. |\n\n");
}

TEST(Reference, CoversTheRunFile) {
  ConfigReference reference("Run file", 1);
  RunConfig run;
  run.fields(reference);
  const std::string text = reference.markdown();
  for (const char* heading :
       {"## `limits`", "## `workload`", "## `workload.launches[]`", "## `workload.buffers.NAME`",
        "## `workload.checks[]`", "| `app` |", "| `args` |"})
    EXPECT_NE(text.find(heading), std::string::npos) << heading;
}

}  // namespace
}  // namespace warpvp
