// Wrong run files: each is refused with one line that has the place, what is wrong and what is allowed.

#include <gtest/gtest.h>

#include "base/error.h"
#include "platform/config/run_config.h"
#include "tests/config/folder.h"
#include "tests/config/sample_config.h"

namespace warpvp {
namespace {

struct BadCase {
  const char* name;
  const char* yaml;
  std::vector<std::string> sets;
  const char* message;
};

void PrintTo(const BadCase& c, std::ostream* os) { *os << c.name; }

class BadInput : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadInput, IsRefusedWithPlaceAndRemedy) {
  const Folder folder;
  const auto file = folder.write("run.yaml", GetParam().yaml);
  folder.write("odd.bin", "abc");
  folder.write("k.ptx", ".version 7.0\n");
  folder.write("configs/platforms/small.yaml", "sms: 1\n");
  folder.write("configs/platforms/loop.yaml", "extends: loop\n");
  try {
    RunConfig run;
    sample::PlatformConfig platform;
    RunFile::load(file, GetParam().sets, ConfigSearch({folder / "configs"})).read(run, [&](FieldVisitor& v) {
      platform.fields(v);
    });
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_EQ(folder.shorten(e.what()), GetParam().message);
  }
}

const char* const kApp = "workload: {app: add}\n";

const BadCase kCases[] = {
    {"NotYaml", "a: [1, 2\n", {}, "@run.yaml:2:1: not valid YAML: end of sequence flow not found"},
    {"NotAMapping", "- 1\n", {}, "@run.yaml:1:1: found a list; allowed: a mapping of keys to values"},
    {"KeyTwice",
     "seed: 1\nseed: 2\n",
     {},
     "@run.yaml:2:1: key 'seed' is written twice; first at @run.yaml:1:1"},
    {"SecondDocument",
     "seed: 1\n---\nseed: 2\n",
     {},
     "@run.yaml:2:1: a second document starts here; allowed: one document a file"},
    // yaml-cpp would make documents of it without end.
    {"BeginsWithAComma", ",\n", {}, "@run.yaml:1:1: not valid YAML: a value cannot begin here"},
    {"CommaAfterAComment",
     "# a\n, seed: 1\n",
     {},
     "@run.yaml:2:1: not valid YAML: a value cannot begin here"},
    {"UnknownTopKey",
     "sed: 1\nworkload: {app: add}\n",
     {},
     "@run.yaml:1:1: unknown key 'sed'; nearest: 'seed'; allowed: platform, plugins, seed, limits, trace, "
     "output, energy, monitors, profile, workload"},
    {"UnknownKey",
     "platform:\n  sm:\n    wraps: 32\n",
     {},
     "@run.yaml:3:5: unknown key 'wraps' in 'platform.sm'; nearest: 'warps'; allowed: warps, registers, "
     "trace, clock_mhz, "
     "offset, write_policy, latencies, chooser, l1"},
    {"UnknownKeyFarFromAll",
     "platform:\n  sm:\n    l1: {zzzzzzzz: 1}\n",
     {},
     "@run.yaml:3:10: unknown key 'zzzzzzzz' in 'platform.sm.l1'; allowed: bytes, ways"},
    {"NumberIsWord",
     "platform: {sm: {warps: many}}\n",
     {},
     "@run.yaml:1:24: 'platform.sm.warps' is 'many'; allowed: a whole number from 1 to 64"},
    {"NumberIsList",
     "platform: {sm: {warps: [1]}}\n",
     {},
     "@run.yaml:1:24: 'platform.sm.warps' is a list; allowed: a whole number from 1 to 64"},
    {"NumberIsFraction",
     "platform: {sms: 1.5}\n",
     {},
     "@run.yaml:1:17: 'platform.sms' is '1.5'; allowed: a whole number from 1 to 128"},
    {"TooGreat",
     "platform: {sm: {warps: 65}}\n",
     {},
     "@run.yaml:1:24: 'platform.sm.warps' is 65; allowed: a whole number from 1 to 64"},
    {"Negative",
     "platform: {sm: {registers: -1}}\n",
     {},
     "@run.yaml:1:28: 'platform.sm.registers' is -1; allowed: a whole number, at least 256"},
    {"PastThirtyTwoBits",
     "platform: {sm: {registers: 4294967296}}\n",
     {},
     "@run.yaml:1:28: 'platform.sm.registers' is '4294967296'; allowed: a whole number from 0 to 4294967295"},
    {"NegativeLong", "seed: -3\n", {}, "@run.yaml:1:7: 'seed' is -3; allowed: a whole number, at least 0"},
    {"PastSixtyFourBits",
     "seed: 18446744073709551616\n",
     {},
     "@run.yaml:1:7: 'seed' is '18446744073709551616'; allowed: a whole number, at least 0"},
    {"SignedTooLow",
     "platform: {sm: {offset: -11}}\n",
     {},
     "@run.yaml:1:25: 'platform.sm.offset' is -11; allowed: a whole number from -10 to 10"},
    {"NotPowerOfTwo",
     "platform:\n  sm:\n    l1:\n      bytes: 3000\n",
     {},
     "@run.yaml:4:14: 'platform.sm.l1.bytes' is 3000; allowed: a power of two from 1024 to 1048576"},
    {"RealOutOfRange",
     "platform: {sm: {clock_mhz: 0.5}}\n",
     {},
     "@run.yaml:1:28: 'platform.sm.clock_mhz' is 0.5; allowed: a number from 1 to 5000"},
    {"RealIsNan",
     "platform: {sm: {clock_mhz: .nan}}\n",
     {},
     "@run.yaml:1:28: 'platform.sm.clock_mhz' is .nan; allowed: a number from 1 to 5000"},
    {"NotABool",
     "platform: {sm: {trace: 2}}\n",
     {},
     "@run.yaml:1:24: 'platform.sm.trace' is '2'; allowed: true or false"},
    {"NotOneOfTheWords",
     "platform: {sm: {write_policy: bacc}}\n",
     {},
     "@run.yaml:1:31: 'platform.sm.write_policy' is 'bacc'; allowed: one of: through, back; did you mean "
     "'back'?"},
    {"ListItem",
     "platform: {sm: {latencies: [4, 0]}}\n",
     {},
     "@run.yaml:1:32: 'platform.sm.latencies.1' is 0; allowed: a whole number from 1 to 100"},
    {"GroupIsScalar",
     "platform: {sm: 3}\n",
     {},
     "@run.yaml:1:16: 'platform.sm' is '3'; allowed: a mapping of keys to values"},
    {"NoValue",
     "platform: {sm: {warps: }}\n",
     {},
     "@run.yaml:1:24: 'platform.sm.warps' has no value; write one or remove the key"},
    {"RequireOverFields",
     "platform:\n  sm: {warps: 64, registers: 8192}\n",
     {},
     "@run.yaml:2:15: 'platform.sm.warps': more warps than the registers hold; allowed: registers / 256 "
     "(warps is 64, registers is 8192)"},
    {"RequireOfADefault",
     "platform:\n  sm: {registers: 8192}\n",
     {},
     "@run.yaml:2:7: 'platform.sm.warps': more warps than the registers hold; allowed: registers / 256 "
     "(warps is 64, registers is 8192)"},
    {"UnknownPolicy",
     "platform: {sm: {chooser: grouper}}\n",
     {},
     "@run.yaml:1:26: 'platform.sm.chooser' is 'grouper', an unknown chooser; allowed: first, grouped; did "
     "you mean "
     "'grouped'?"},
    {"PolicyParameterUnknown",
     "platform: {sm: {chooser: {name: grouped, size: 2}}}\n",
     {},
     "@run.yaml:1:42: unknown key 'size' in 'platform.sm.chooser'; allowed: group_size"},
    {"PolicyParameterOutOfRange",
     "platform: {sm: {chooser: {name: grouped, group_size: 33}}}\n",
     {},
     "@run.yaml:1:54: 'platform.sm.chooser.group_size' is 33; allowed: a whole number from 1 to 32"},
    {"PolicyWithoutParameters",
     "platform: {sm: {chooser: {name: first, x: 1}}}\n",
     {},
     "@run.yaml:1:40: unknown key 'x' in 'platform.sm.chooser'; allowed: none"},
    {"PolicyIsList",
     "platform: {sm: {chooser: [first]}}\n",
     {},
     "@run.yaml:1:26: 'platform.sm.chooser' is a list; allowed: the name of a chooser, or a mapping of name "
     "and "
     "parameters"},
    {"PlatformUnknown",
     "platform: smal\n",
     {},
     "@run.yaml:1:11: no file 'smal', and no such name in platforms; allowed: a path or one of: loop, small; "
     "did you mean "
     "'small'?"},
    {"ExtendsItself", "platform: loop\n", {}, "@configs/platforms/loop.yaml: extends itself"},
    {"SetWithoutValue", kApp, {"seed"}, "--set seed: not an assignment; write --set a.b.c=value"},
    {"SetEmpty", kApp, {"seed="}, "--set seed=: no value after '='"},
    {"SetUnknown",
     kApp,
     {"platform.sm.wraps=3"},
     "--set platform.sm.wraps=3: unknown key 'wraps' in 'platform.sm'; nearest: 'warps'; allowed: warps, "
     "registers, "
     "trace, clock_mhz, offset, write_policy, latencies, chooser, l1"},
    {"SetOutOfRange",
     kApp,
     {"platform.sm.warps=0"},
     "--set platform.sm.warps=0: 'platform.sm.warps' is 0; allowed: a whole number from 1 to 64"},
    {"SetNotYaml", kApp, {"seed=[1"}, "--set seed=[1: not valid YAML: end of sequence flow not found"},
    {"SetPastTheList",
     "workload: {launches: [{ptx: k.ptx}]}\n",
     {"workload.launches.1.entry=a"},
     "--set workload.launches.1.entry=a: 'workload.launches' is a list of 1 items; allowed: an index below "
     "1, not '1'"},
    {"SetEmptyName",
     kApp,
     {"platform..sm=1"},
     "--set platform..sm=1: empty name in 'platform..sm'; write a.b.c"},
    {"NothingToRun",
     "seed: 1\n",
     {},
     "@run.yaml:1:1: nothing to run; give 'workload.app', 'workload.launches', 'workload.jobs', "
     "'workload.job_stream.benchmarks', 'workload.steps' or 'workload.processes'"},
    {"UnknownApp",
     "workload: {app: ad}\n",
     {},
     "@run.yaml:1:17: 'workload.app' is 'ad', an unknown app; allowed: add; did you mean 'add'?"},
    {"AppParameter",
     "workload: {app: add, params: {m: 4}}\n",
     {},
     "@run.yaml:1:31: unknown key 'm' in 'workload.params'; nearest: 'n'; allowed: n"},
    {"AppParameterType",
     "workload: {app: add, params: {n: x}}\n",
     {},
     "@run.yaml:1:34: 'workload.params.n' is 'x'; allowed: a whole number, at least 1"},
    {"ParamsWithoutApp",
     "workload: {params: {n: 4}}\n",
     {},
     "@run.yaml:1:20: 'workload.params' without 'workload.app'; name the app they belong to"},
    {"AppAndLaunches",
     "workload: {app: add, launches: [{ptx: k.ptx}]}\n",
     {},
     "@run.yaml:1:17: 'workload.app': either a host program or a launch list, not both"},
    {"LaunchesNotAList",
     "workload: {launches: {ptx: k.ptx}}\n",
     {},
     "@run.yaml:1:22: 'workload.launches' is a mapping; allowed: a list, one '- ' an item"},
    {"NoPtx",
     "workload:\n  launches:\n    - entry: a\n",
     {},
     "@run.yaml:3:7: 'workload.launches.0.ptx' is missing; give the path of a PTX file"},
    {"PtxMissing",
     "workload:\n  launches:\n    - ptx: none.ptx\n",
     {},
     "@run.yaml:3:12: 'workload.launches.0.ptx': no file @none.ptx"},
    {"PtxIsFolder",
     "workload: {launches: [{ptx: configs}]}\n",
     {},
     "@run.yaml:1:29: 'workload.launches.0.ptx': cannot read @configs: it is a folder"},
    {"BlockTooGreat",
     "workload: {launches: [{ptx: k.ptx, block: [32, 33]}]}\n",
     {},
     "@run.yaml:1:43: 'workload.launches.0.block': 1056 threads in a CTA; allowed: at most 1024"},
    {"GridOfFour",
     "workload: {launches: [{ptx: k.ptx, grid: [1, 1, 1, 1]}]}\n",
     {},
     "@run.yaml:1:42: 'workload.launches.0.grid': 4 sizes; allowed: 1 to 3"},
    {"GridZero",
     "workload: {launches: [{ptx: k.ptx, grid: [0]}]}\n",
     {},
     "@run.yaml:1:43: 'workload.launches.0.grid.0' is 0; allowed: a whole number, at least 1"},
    {"GridTooGreatInY",
     "workload: {launches: [{ptx: k.ptx, grid: [1, 65536]}]}\n",
     {},
     "@run.yaml:1:42: 'workload.launches.0.grid': allowed: at most 65535 CTAs in y and in z"},
    {"ArgumentType",
     "workload: {launches: [{ptx: k.ptx, args: [{u33: 1}]}]}\n",
     {},
     "@run.yaml:1:44: 'workload.launches.0.args.0' has the unknown type 'u33'; allowed: buffer, symbol, "
     "struct, texture, "
     "surface, u8, s8, u16, "
     "s16, u32, "
     "s32, u64, s64, f32, f64, bytes; did you mean 'u32'?"},
    {"ArgumentValue",
     "workload: {launches: [{ptx: k.ptx, args: [{u8: 256}]}]}\n",
     {},
     "@run.yaml:1:48: 'workload.launches.0.args.0': '256' is not a value of type u8"},
    {"ArgumentBytes",
     "workload: {launches: [{ptx: k.ptx, args: [{bytes: 0a1}]}]}\n",
     {},
     "@run.yaml:1:51: 'workload.launches.0.args.0.bytes' is '0a1'; allowed: an even number of hexadecimal "
     "digits"},
    {"ArgumentBare",
     "workload: {launches: [{ptx: k.ptx, args: [7]}]}\n",
     {},
     "@run.yaml:1:43: 'workload.launches.0.args.0' is a single value; allowed: one type and its value, as "
     "{buffer: NAME} "
     "or {u32: 7}"},
    {"ArgumentBuffer",
     "workload: {launches: [{ptx: k.ptx, args: [{buffer: x}]}], buffers: {xs: {count: 1}}}\n",
     {},
     "@run.yaml:1:52: 'workload.launches.0.args.0': no buffer 'x'; allowed: xs; did you mean 'xs'?"},
    {"BufferCount",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {init: iota}}}\n",
     {},
     "@run.yaml:1:51: 'workload.buffers.a.count' is missing or 0; allowed: a whole number, at least 1"},
    {"BufferCountDiffers",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 3, init: {values: [1, 2]}}}}\n",
     {},
     "@run.yaml:1:68: 'workload.buffers.a.init' has 2 elements, but 'count' is 3"},
    {"BufferType",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {type: f16, count: 3}}}\n",
     {},
     "@run.yaml:1:58: 'workload.buffers.a.type' is 'f16'; allowed: one of: u8, s8, u16, s16, u32, s32, u64, "
     "s64, f32, "
     "f64; did you mean 'u16'?"},
    {"BufferInit",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 3, init: ones}}}\n",
     {},
     "@run.yaml:1:68: 'workload.buffers.a.init' is 'ones'; allowed: zero, iota, random, {fill: V}, {values: "
     "[V, ...]}, {file: PATH} or {struct: [MEMBER, ...]}"},
    {"BufferValue",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {type: u32, init: {values: [1, -2]}}}}\n",
     {},
     "@run.yaml:1:69: 'workload.buffers.a.init': '-2' is not a value of type u32"},
    {"BufferRange",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 3, init: random, min: 2}}}\n",
     {},
     "@run.yaml:1:81: 'workload.buffers.a.min': 2 is greater than max, 1"},
    {"BufferFileMissing",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {init: {file: x.bin}}}}\n",
     {},
     "@run.yaml:1:65: 'workload.buffers.a.init.file': no file @x.bin"},
    {"BufferFileSize",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {type: u16, init: {file: odd.bin}}}}\n",
     {},
     "@run.yaml:1:76: 'workload.buffers.a.init.file': 3 bytes are not a whole number of u16 elements"},
    {"CheckBuffer",
     "workload: {launches: [{ptx: k.ptx}], checks: [{buffer: a, equals: zero}]}\n",
     {},
     "@run.yaml:1:56: 'workload.checks.0.buffer': no buffer 'a'; allowed: none, as 'workload.buffers' is "
     "empty"},
    {"CheckEquals",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 1}}, checks: [{buffer: a}]}\n",
     {},
     "@run.yaml:1:73: 'workload.checks.0.equals' is missing; allowed: zero, iota, random, {fill: V}, "
     "{values: [V, ...]}, {file: PATH} or {struct: [MEMBER, ...]}"},
    {"DumpOverTheResult",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 1}}, dumps: [{buffer: a, file: "
     "result.json}]}\n",
     {},
     "@run.yaml:1:90: 'workload.dumps.0.file' is 'result.json', which the run writes; allowed: a name of its "
     "own"},
    {"DumpOverADump",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 1}},\n"
     "  dumps: [{buffer: a, file: x}, {buffer: a, file: x}]}\n",
     {},
     "@run.yaml:2:51: 'workload.dumps.1.file' is 'x', which another dump writes; allowed: a name of its own"},
    {"DumpOverTheTrace",
     "trace: {enabled: true}\n"
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 1}}, dumps: [{buffer: a, file: "
     "trace.json}]}\n",
     {},
     "@run.yaml:2:90: 'workload.dumps.0.file' is 'trace.json', which the trace writes; allowed: a name of "
     "its own"},
    {"TraceOverTheResult",
     "trace: {file: result.json}\nworkload: {app: add}\n",
     {},
     "@run.yaml:1:15: 'trace.file': allowed: a file name without folders, and neither result.json nor "
     "intervals.csv"},
    {"TooManyCtas",
     "workload: {launches: [{ptx: k.ptx, grid: [65535, 65535, 65535]}]}\n",
     {},
     "@run.yaml:1:42: 'workload.launches.0.grid': 281462092005375 CTAs in all; allowed: at most "
     "1099511627776"},
    {"DumpFile",
     "workload: {launches: [{ptx: k.ptx}], buffers: {a: {count: 1}}, dumps: [{buffer: a, file: ../x}]}\n",
     {},
     "@run.yaml:1:90: 'workload.dumps.0.file' is '../x'; allowed: a file name without folders"},
    {"TraceFile",
     "trace: {file: a/b}\n",
     {},
     "@run.yaml:1:15: 'trace.file': allowed: a file name without folders, and neither result.json nor "
     "intervals.csv"},
};

INSTANTIATE_TEST_SUITE_P(RunFile, BadInput, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(BadInputFile, MissingOrAFolder) {
  const Folder folder;
  const ConfigSearch search({folder / "configs"});
  EXPECT_THROW(RunFile::load(folder / "none.yaml", {}, search), InputError);
  try {
    RunFile::load(folder.path(), {}, search);
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()), "cannot read " + folder.path().string() + ": it is a folder");
  }
}

std::string message_of(const std::string& text) {
  try {
    parse_yaml(text, "text", ".");
  } catch (const InputError& e) {
    return e.what();
  }
  return "accepted";
}

TEST(BadInputFile, NestingHasALimit) {
  const auto lists = [](std::size_t n) { return "a: " + std::string(n, '[') + std::string(n, ']'); };
  EXPECT_EQ(message_of(lists(64)), "accepted");
  EXPECT_EQ(message_of(lists(65)), "text:1:68: nested more than 64 deep");
  std::string mappings;
  for (int i = 0; i < 65; ++i) mappings += "{a: ";
  EXPECT_EQ(message_of(mappings + "1" + std::string(65, '}')), "text:1:261: nested more than 64 deep");
}

TEST(BadInputFile, WhatAliasesExpandToIsCounted) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 9; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int k = 0; k < 9; ++k) bomb += ", " + before;
    bomb += "]\n";
  }
  const std::string message = message_of(bomb);
  EXPECT_NE(message.find(": aliases repeat more than 200000 values"), std::string::npos) << message;
  EXPECT_NE(message_of("a: &a [1, *a]").find("an alias within what it stands for"), std::string::npos);
}

TEST(BadInputFile, AliasesCountWhereTheyStand) {
  const auto lists = [](std::size_t n, const std::string& inside) {
    return std::string(n, '[') + inside + std::string(n, ']');
  };
  const std::string forty = "a: &a " + lists(40, "x") + "\n";
  EXPECT_EQ(message_of(forty + "b: " + lists(23, "*a")), "accepted");
  EXPECT_EQ(message_of(forty + "b: " + lists(24, "*a")), "text:2:28: nested more than 64 deep");
}

TEST(BadInputFile, WhatAnchorsNameIsCounted) {
  std::string words;
  for (int i = 0; i < 70'000; ++i) words += "x,";
  std::string nested;
  for (int i = 0; i < 60; ++i) nested += "&a" + std::to_string(i) + " [";
  EXPECT_EQ(message_of("a: &a [" + words + "]"), "accepted");
  const std::string message = message_of("a: " + nested + words + std::string(60, ']'));
  EXPECT_NE(message.find(": anchors name more than 4000000 values"), std::string::npos) << message;
}

TEST(BadInputFile, WhatIsNoYamlIsSaidBeforeWrongKeys) {
  EXPECT_EQ(message_of("a: 1\na: 2\nb: [1"), "text:3:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(message_of("? [a]\n: 1\nb: 1\nb: 2"), "text:1:3: a key must be a word");
}

TEST(YamlDocument, AliasesAreWhatTheyStandFor) {
  const Setting tree = parse_yaml("&k a: &a {b: [1, '2']}\nc: *a\nd: *k\n", "text", ".");
  EXPECT_EQ(to_yaml(*tree.find("c")), to_yaml(*tree.find("a")));
  EXPECT_EQ(tree.find("c")->find("b")->items[1].place, "text:1:18");
  EXPECT_TRUE(tree.find("c")->find("b")->items[1].quoted);
  EXPECT_EQ(tree.find("d")->text, "a");
}

TEST(BadInputFile, WordsHaveALimit) {
  const std::string most(65536, 'x'), more(65537, 'x');
  EXPECT_EQ(message_of("a: " + most), "accepted");
  EXPECT_EQ(message_of(std::string(1000, 'x') + ": 1"), "accepted");
  const std::string refusal = "a word of 65537 bytes or more; allowed: at most 65536";
  EXPECT_EQ(message_of("a:\n  b: " + more + more), "text:2:6: " + refusal);
  EXPECT_EQ(message_of(more + ": 1"), "text:1:1: " + refusal);
  EXPECT_EQ(message_of("a: \"" + std::string(40000, ' ') + std::string(40000, 'x') + "\""),
            "text:1:4: a word of 80000 bytes or more; allowed: at most 65536");
}

// A buffer that does not fit with those before it is named, before any contents are made.
TEST(Buffers, MustFitTogether) {
  const auto message = [](const std::vector<std::uint64_t>& kib) {
    WorkloadConfig workload;
    for (std::size_t i = 0; i < kib.size(); ++i) {
      BufferConfig buffer;
      buffer.type = "u64";
      buffer.count = kib[i] * 128;
      buffer.place = "run.yaml:" + std::to_string(i + 1) + ":1";
      workload.buffers.emplace_back("b" + std::to_string(i), buffer);
    }
    try {
      check_buffers_fit(workload, 100 * 1024);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("fits");
  };
  EXPECT_EQ(message({}), "fits");
  EXPECT_EQ(message({100}), "fits");
  EXPECT_EQ(message({60, 30, 10}), "fits");
  EXPECT_EQ(
      message({101}),
      "run.yaml:1:1: 'workload.buffers.b0' has 103424 bytes, and 102400 of the 102400 bytes of device memory "
      "are left; raise platform.memory.capacity_mib");
  EXPECT_EQ(
      message({60, 30, 11, 1}),
      "run.yaml:3:1: 'workload.buffers.b2' has 11264 bytes, and 10240 of the 102400 bytes of device memory "
      "are left; raise platform.memory.capacity_mib");
}

}  // namespace
}  // namespace warpvp
