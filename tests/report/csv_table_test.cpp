#include "platform/results/csv_table.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace warpvp {
namespace {

TEST(CsvTable, ReadsQuotesCommasAndBothLineBreaks) {
  const CsvTable table = parse_csv("a,b\r\n\"x, \"\"y\"\"\",2.5\n,\n", "f.csv");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0], "x, \"y\"");
  EXPECT_EQ(table.number(0, 1), 2.5);
  EXPECT_EQ(table.number(0, 0), 0);
  EXPECT_EQ(table.find("b"), std::optional<std::size_t>(1));
  EXPECT_FALSE(table.find("c"));
}

TEST(CsvTable, LeavesOutARowThatIsCutOff) {
  EXPECT_EQ(parse_csv("a,b\n1,2\n3,", "f.csv").rows.size(), 1u);
  EXPECT_EQ(parse_csv("a,b\n1,2\n3,\"4\n", "f.csv").rows.size(), 1u);
}

TEST(CsvTable, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) {
    try {
      parse_csv(text, "f.csv");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(""), "f.csv: no line of headings");
  EXPECT_EQ(message("a,b\n1,2\n1,2,3\n"), "f.csv: row 3 has 3 cells, and the headings are 2");
}

}  // namespace
}  // namespace warpvp
