// Launch lists as settings: variables and repetition, structs as the device lays them out, steps.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "platform/config/run_config.h"
#include "platform/config/variables.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string expanded(const std::string& yaml) {
  Setting workload = parse_yaml(yaml, "w", ".");
  expand_variables(workload);
  return to_yaml(workload);
}

std::string refusal(const std::string& yaml) {
  try {
    return "accepted: " + expanded(yaml);
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Variables, StandForNumbersWordsAndPartsOfWords) {
  EXPECT_EQ(expanded("variables: {n: 8, half: $(n / 2), name: out}\na: $n\nb: [$half, x]\nc: $name.bin\n"
                     "d: row_$(half - 1).bin\n"),
            "a: 8\nb: [4, x]\nc: out.bin\nd: row_3.bin\n");
}

TEST(Variables, Arithmetic) {
  const auto value = [](const std::string& expression) {
    return expanded("variables: {a: 7, b: 2, f: 1.5}\nv: $(" + expression + ")\n");
  };
  EXPECT_EQ(value("a + b * 3"), "v: 13\n");
  EXPECT_EQ(value("(a + b) * -3"), "v: -27\n");
  EXPECT_EQ(value("a / b"), "v: 3.5\n");
  EXPECT_EQ(value("ceil(a / b) - floor(a / b)"), "v: 1\n");
  EXPECT_EQ(value("a % b + min(a, b) + max($a, 0x10)"), "v: 19\n");
  EXPECT_EQ(value("f * 2"), "v: 3\n");
}

TEST(Variables, RepetitionUnrollsWithItsCounter) {
  EXPECT_EQ(
      expanded("launches:\n- repeat: 2\n  as: i\n  do:\n  - {name: first_$i}\n"
               "  - repeat: $(i + 1)\n    as: k\n    do: [{name: inner_$i$k}]\n- {name: $$last}\n"),
      "launches: [{name: first_0}, {name: inner_00}, {name: first_1}, {name: inner_10}, {name: inner_11}, "
      "{name: \"$last\"}]\n");
  EXPECT_EQ(expanded("launches: [{repeat: 0, do: [{name: x}]}]\n"), "launches: []\n");
}

TEST(Variables, WithoutThemNothingChanges) {
  EXPECT_EQ(expanded("entry: a$b\nother: $(x\n"), "entry: \"a$b\"\nother: \"$(x\"\n");
}

TEST(Variables, MistakesHaveTheirPlace) {
  EXPECT_EQ(refusal("variables: {n: 1}\nv: $m\n"),
            "w:2:4: no variable 'm'; did you mean 'n'?; allowed: n; a dollar sign itself is '$$'");
  EXPECT_THAT(refusal("variables: {n: 1}\nv: $(n / 0)\n"), HasSubstr("w:2:4: '$(n / 0)' divides by zero"));
  EXPECT_THAT(refusal("variables: {n: 1}\nv: $(n + )\n"), HasSubstr("w:2:4: '$(n + )' is wrong at ''"));
  EXPECT_THAT(refusal("variables: {n: word}\nv: $(n + 1)\n"), HasSubstr("'word', which is no number"));
  EXPECT_THAT(refusal("variables: {1n: 2}\nv: 1\n"), HasSubstr("w:1:13: '1n' cannot be a variable"));
  EXPECT_THAT(refusal("variables: [1]\nv: 1\n"), HasSubstr("w:1:12: 'workload.variables' needs a mapping"));
  EXPECT_THAT(refusal("steps: [{repeat: x, do: [1]}]\n"), HasSubstr("w:1:18: 'repeat' is 'x'"));
  EXPECT_THAT(refusal("steps: [{repeat: 2, do: [1], at: i}]\n"),
              HasSubstr("unknown key 'at' beside 'repeat'"));
  EXPECT_THAT(refusal("steps: [{repeat: 1000, do: [{repeat: 1001, do: [1]}]}]\n"),
              HasSubstr("more than 1000000 items"));
}

ArgumentConfig argument(const std::string& yaml) {
  return ArgumentConfig::load(parse_yaml(yaml, "a", "."), "args.0", false);
}

TEST(Structs, AreLaidOutAsOnTheDevice) {
  // struct { char c; struct { short s; double d; } inner; float* p; char t[3]; };
  const ArgumentConfig arg = argument(
      "{struct: [{s8: -1}, {struct: [{u16: 0x1234}, {f64: 1}]}, {buffer: b, offset: 4}, {u8: [1, 2, 3]}]}");
  EXPECT_EQ(arg.alignment(), 8u);
  EXPECT_THAT(arg.bytes(), ElementsAre(0xff, 0, 0, 0, 0, 0, 0, 0,     // c
                                       0x34, 0x12, 0, 0, 0, 0, 0, 0,  // s
                                       0, 0, 0, 0, 0, 0, 0xf0, 0x3f,  // d
                                       0, 0, 0, 0, 0, 0, 0, 0,        // p
                                       1, 2, 3, 0, 0, 0, 0, 0));      // t, and the end of the struct
  const auto addresses = arg.addresses();
  ASSERT_EQ(addresses.size(), 1u);
  EXPECT_EQ(addresses[0].at, 24u);
  EXPECT_EQ(addresses[0].target.buffer, "b");
  EXPECT_EQ(addresses[0].target.offset, 4u);
}

TEST(Structs, PrintedTheyReadBackTheSame) {
  for (const char* yaml : {"{buffer: b, offset: 8}", "{symbol: \"ns::s\", offset: 8, context: 1}",
                           "{bytes: \"00ff\"}", "{struct: [{f32: [1, 2]}, {struct: [{buffer: b}]}]}"}) {
    const ArgumentConfig first = argument(yaml);
    const ArgumentConfig again = argument(to_yaml(first.print({})));
    EXPECT_EQ(to_yaml(first.print({})), to_yaml(again.print({})));
    EXPECT_EQ(first.bytes(), again.bytes());
    EXPECT_EQ(first.addresses().size(), again.addresses().size());
  }
}

}  // namespace
}  // namespace warpvp
