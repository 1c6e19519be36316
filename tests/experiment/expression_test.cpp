// Arithmetic over values of a result.

#include "study/experiment/expression.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace warpvp {
namespace {

std::optional<double> value_of(const std::string& text) {
  return Expression::parse(text).evaluate([](const std::string& name) -> std::optional<double> {
    if (name == "a.b") return 6;
    if (name == "list.0.x") return 2;
    if (name == "k[name=K 2+].n") return 7;
    if (name == "list.*.x") return 10;
    if (name == "$axis") return 4;
    if (name == "@s=two words:a.b") return 5;
    if (name == "#l2 hits") return 40;
    return std::nullopt;
  });
}

TEST(Expression, Arithmetic) {
  EXPECT_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_EQ(value_of("8 / 2 / 2 - 3 - 1"), -2);
  EXPECT_EQ(value_of("-2 * -(3)"), 6);
  EXPECT_EQ(value_of("min(4, max(1, 2.5)) + 1e2"), 102.5);
  EXPECT_EQ(value_of("a.b/list.0.x+$axis"), 7);
  EXPECT_EQ(value_of("k[name=K 2+].n * 2"), 14);
  EXPECT_EQ(value_of("list.*.x*2"), 20);
  EXPECT_EQ(value_of("a.b - @s=two words:a.b/2"), 3.5);
  EXPECT_EQ(value_of("abs(1 - a.b) + abs(3)"), 8);
  EXPECT_DOUBLE_EQ(*value_of("log(100) / log(10)"), 2);
  EXPECT_EQ(value_of("a.b / figure(l2 hits)"), 0.15);
}

TEST(Expression, NoNumberNoValue) {
  EXPECT_FALSE(value_of("a.c + 1"));
  EXPECT_FALSE(value_of("1 / (2 - 2)"));
  EXPECT_FALSE(value_of("log(0)"));
  EXPECT_FALSE(value_of("figure(nothing)"));
}

TEST(Expression, KnowsItsNames) {
  const Expression e = Expression::parse("a.b / (a.b + $n)");
  EXPECT_EQ(e.names(), (std::vector<std::string>{"a.b", "$n"}));
  EXPECT_FALSE(e.is_key());
  EXPECT_TRUE(Expression::parse("kernels[name=a b].end_us").is_key());
  EXPECT_FALSE(Expression::parse("$n").is_key());
  EXPECT_FALSE(Expression::parse("figure(x)").is_key());
  EXPECT_EQ(Expression::parse("figure(x) + y").names(), (std::vector<std::string>{"#x", "y"}));
  EXPECT_FALSE(Expression::parse("list.*.x").is_key());
}

TEST(Expression, SaysWhatItDoesNotUnderstand) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "'': the end instead of a number, a key or '('"},
      {"a +", "'a +': the end instead of a number, a key or '('"},
      {"(a", "'(a': the end instead of ')'"},
      {"a b", "'a b': 'b' instead of an operator"},
      {"min(a)", "'min(a)': ')' instead of ','"},
      {"abs(1, 2)", "'abs(1, 2)': ', 2)' instead of ')'"},
      {"figure()", "'figure()': ')' instead of 'HEADING)'"},
      {"1.2.3", "'1.2.3': '1.2.3' instead of a number"},
      {"@s:a", "'@s:a': '@s:a' instead of '@AXIS=LABEL:KEY'"},
      {"a ? b", "'a ? b': '? b' instead of an operator"},
  };
  for (const auto& [text, message] : wrong) {
    try {
      Expression::parse(text);
      ADD_FAILURE() << text << " was accepted";
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), message);
    }
  }
}

}  // namespace
}  // namespace warpvp
