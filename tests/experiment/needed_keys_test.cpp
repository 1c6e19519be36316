// What is kept of a result is what tables look at.

#include "study/experiment/needed_keys.h"

#include <gtest/gtest.h>

#include "platform/results/json_stats.h"

namespace warpvp {
namespace {

using Json = nlohmann::ordered_json;

std::string picked(const std::vector<std::string>& keys, const char* result) {
  return NeededKeys(Experiment{}, keys).pick(Json::parse(result)).dump();
}

TEST(NeededKeys, LeaveTheRestOut) {
  EXPECT_EQ(picked({"a.b", "c"}, R"({"a":{"b":1,"x":2},"c":{"d":3},"e":4})"), R"({"a":{"b":1},"c":{"d":3}})");
  EXPECT_EQ(picked({"a.b"}, R"({"a":7})"), R"({"a":{}})");
  EXPECT_EQ(picked({}, R"({"a":7})"), "{}");
}

TEST(NeededKeys, ListsKeepTheirLengthAndWhatConditionsLookAt) {
  const char* const lists = R"({"k":[{"n":"K1","e":1,"x":0},{"n":"K2","e":2,"x":0}]})";
  EXPECT_EQ(picked({"k.1.e"}, lists), R"({"k":[{"e":1},{"e":2}]})");
  EXPECT_EQ(picked({"k.*.e"}, lists), R"({"k":[{"e":1},{"e":2}]})");
  EXPECT_EQ(picked({"k[n=K2].e"}, lists), R"({"k":[{"e":1,"n":"K1"},{"e":2,"n":"K2"}]})");
  EXPECT_EQ(picked({"k"}, lists), Json::parse(lists).dump());
  EXPECT_EQ(picked({"m.7.y"}, R"({"m":{"7":{"y":1,"z":2}}})"), R"({"m":{"7":{"y":1}}})");
}

TEST(NeededKeys, AreThoseOfAllExpressionsOfTheTables) {
  Experiment e;
  ValueSpec value;
  value.key = Expression::parse("a.x + @s=gto:b.x - $s");
  value.relative_key = Expression::parse("c.x");
  value.against = Expression::parse("d.x * 2");
  value.best = BestSpec{};
  value.best->by = Expression::parse("max(e.x, 1)");
  e.tables.emplace_back();
  e.tables[0].values.push_back(value);
  Json result;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) result[name] = {{"x", 1}, {"y", 2}};
  EXPECT_EQ(NeededKeys(e).pick(result).dump(),
            R"({"a":{"x":1},"b":{"x":1},"c":{"x":1},"d":{"x":1},"e":{"x":1}})");
}

}  // namespace
}  // namespace warpvp
