// What a report says of a run, against figures worked out by hand from the result.

#include "study/report/run_page.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "study/report/roofline.h"
#include "tests/report/sample_run.h"

namespace warpvp::report::test {
namespace {

using Json = nlohmann::ordered_json;

class RunPage : public testing::Test {
 protected:
  Page page() const { return run_page(view()); }
  RunView view() const {
    RunView run = view_of(result_, "result.json");
    run.name = "first";
    return run;
  }

  Json result_ = sample_result();
};

std::string fact(const Page& page, const std::string& name) {
  for (const auto& [key, value] : page.facts)
    if (key == name) return value;
  return "none";
}

TEST_F(RunPage, SaysWhatWasRunAndHowItCameOut) {
  result_["provenance"] = {{"command", "warpvp run x"}, {"build_type", "Release"}, {"modified", false}};
  const Page good = page();
  EXPECT_EQ(good.title, "first");
  EXPECT_EQ(good.subtitle, "A run of sample");
  EXPECT_EQ(good.verdict, Verdict::kGood);
  EXPECT_EQ(fact(good, "seed"), "42");
  EXPECT_EQ(fact(good, "version"), "9.8.7");
  EXPECT_EQ(fact(good, "SMs"), "2 at 1000 MHz");
  EXPECT_EQ(fact(good, "warp scheduler"), "gto");
  EXPECT_EQ(fact(good, "parameters"), "count = 12");
  EXPECT_EQ(fact(good, "command"), "warpvp run x");
  EXPECT_EQ(fact(good, "build type"), "Release");
  EXPECT_EQ(fact(good, "modified"), "no");

  result_["exit_code"] = 3;
  result_["message"] = "deadlock";
  EXPECT_EQ(page().verdict, Verdict::kBad);
  EXPECT_EQ(page().verdict_text, "exit status 3: deadlock");
  result_["exit_code"] = 0;
  result_["verified"] = false;
  EXPECT_EQ(page().verdict, Verdict::kUnknown);
}

TEST_F(RunPage, SaysWhatRunAndKernelsCost) {
  EXPECT_EQ(find_section(page(), "energy"), nullptr);
  result_["energy"] =
      Json::parse(R"json({"table": "e.yaml", "total": 9000, "total_low": 8000, "total_high": 20000,
      "dynamic": 6000, "dynamic_low": 5000, "dynamic_high": 17000, "static": 3000, "static_low": 3000,
      "static_high": 3000, "time_us": 40, "average_power": 0.225, "without_source": 900, "uncounted": "dram.activates",
      "components": {"front": 6000, "board": 3000}, "components_low": {"front": 5000, "board": 3000},
      "components_high": {"front": 17000, "board": 3000},
      "kernel_time": {"time_us": 20, "total": 7500, "average_power": 0.375}})json");
  for (int k = 0; k < 3; ++k)
    result_["kernels"][k]["energy"] = {{"total", 1000 * k},
                                       {"total_low", 500 * k},
                                       {"total_high", 4000 * k},
                                       {"components", {{"front", 1000 * k}, {"board", 0}}},
                                       {"components_high", {{"front", 4000 * k}, {"board", 0}}}};
  const Page shown = page();
  const Section* section = find_section(shown, "energy");
  ASSERT_NE(section, nullptr);
  EXPECT_NE(section->text[0].find("e.yaml"), std::string::npos);
  EXPECT_NE(section->text[1].find("7.5"), std::string::npos);
  EXPECT_NE(section->text[2].find("10.0 %"), std::string::npos) << section->text[2];
  EXPECT_NE(section->text[3].find("dram.activates"), std::string::npos);
  ASSERT_EQ(section->tables.size(), 2u);
  EXPECT_EQ(section->tables[0].rows[0][3].number, 17.0);
  EXPECT_EQ(section->tables[0].foot[2][1].number, 9.0);
  // Of the board there is nothing to show by kernel.
  EXPECT_EQ(section->tables[1].columns.size(), 6u);
  EXPECT_EQ(section->tables[1].rows[2][5].number, 2.0);
  const Chart* chart = find_chart(*section, "energy-by-kernel");
  ASSERT_NE(chart, nullptr);
  EXPECT_EQ(chart->categories.size(), 2u);
  EXPECT_EQ(chart->series[0].y[0].number, 1.0) << "both launches of add";
}

/// What a tile, a cell by its row's first text, or a bar says.
std::string tile(const Page& page, const std::string& name) {
  for (const auto& [key, value] : page.figures)
    if (key == name) return value;
  return "none";
}

std::string cell_of(const Table& table, const std::string& row, const std::string& column) {
  const auto search = [&](const std::vector<std::vector<Cell>>& rows) -> std::string {
    for (const auto& cells : rows)
      for (const Cell& name : cells)
        if (name.text == row)
          for (std::size_t c = 0; c < cells.size(); ++c)
            if (table.columns[c].title == column) return percent(cells[c].number.value_or(-1), 100);
    return "none";
  };
  const std::string in_foot = search(table.foot);
  return in_foot != "none" ? in_foot : search(table.rows);
}

TEST_F(RunPage, TilesAreEqualToTheTablesAndSayWhoseTheyAre) {
  // Copies and commands hit less often than kernels.
  result_["l2"] = {{"accesses", 400}, {"hits", 100}};
  const auto traffic = [](double accesses, double hits) {
    return Json{{"noc", {{"request", {{"flits", 1}}}, {"reply", {{"flits", 1}}}}},
                {"l2", {{"accesses", accesses}, {"hits", hits}}},
                {"dram", {{"read_bytes", 8000}, {"written_bytes", 4000}}}};
  };
  result_["traffic"] = {
      {"kernels", traffic(100, 80)}, {"copies", traffic(280, 20)}, {"commands", traffic(20, 0)}};
  const Page all = page();
  EXPECT_EQ(tile(all, "L2 hits"), "none") << "whose?";
  EXPECT_EQ(tile(all, "L1 hits"), "none") << "whose?";
  const Table& kernels = find_section(all, "kernels")->tables.at(0);
  const Section* const memory = find_section(all, "memory");
  const Table& whose = memory->tables.at(0);
  EXPECT_EQ(tile(all, "L1 hits of kernels"), "50.0 %");
  EXPECT_EQ(tile(all, "L1 hits of kernels"), cell_of(kernels, "all kernels", "L1 hits"));
  EXPECT_EQ(tile(all, "L2 hits of kernels"), "80.0 %");
  EXPECT_EQ(tile(all, "L2 hits of kernels"), cell_of(kernels, "all kernels", "L2 hits"));
  EXPECT_EQ(tile(all, "L2 hits of kernels"), cell_of(whose, "kernels", "L2 hits"));
  EXPECT_EQ(tile(all, "L2 hits, copies and commands included"), "25.0 %");
  EXPECT_EQ(tile(all, "L2 hits, copies and commands included"), cell_of(whose, "all", "L2 hits"));
  // 2,000 warp instructions of three launches, in 20,000 cycles.
  const auto number_of = [&](const std::string& column) {
    for (std::size_t c = 0; c < kernels.columns.size(); ++c)
      if (kernels.columns[c].title == column) return kernels.foot.at(0).at(c).number.value_or(-1);
    return -1.0;
  };
  EXPECT_EQ(tile(all, "warp instructions of kernels"), "2,000");
  EXPECT_EQ(tile(all, "warp instructions of kernels"), readable(number_of("warp instructions")));
  EXPECT_EQ(tile(all, "instructions per cycle with kernels"), "0.10");
  EXPECT_EQ(tile(all, "instructions per cycle with kernels"), fmt::format("{:.2f}", number_of("IPC")));
  const Table& dram = memory->tables.at(1);
  EXPECT_EQ(dram.caption, "DRAM, all traffic");
  EXPECT_EQ(tile(all, "of DRAM bandwidth while kernels ran, all traffic"),
            percent(dram.rows.at(0).at(3).number.value(), 100));

  // With one kernel the bar, the line and the tile are the same.
  result_["kernels"].erase(2);
  result_["kernels"].erase(1);
  result_["kernels"][0]["l2"] = {{"accesses", 100}, {"hits", 80}};
  const Page one = page();
  EXPECT_EQ(tile(one, "L2 hits of kernels"),
            cell_of(find_section(one, "kernels")->tables.at(0), "add", "L2 hits"));
  const Chart* const hits = find_chart(*find_section(one, "memory"), "cache-hits");
  ASSERT_NE(hits, nullptr);
  EXPECT_EQ(tile(one, "L2 hits of kernels"), percent(find_series(*hits, "L2")->y.at(0).number.value(), 100));
  EXPECT_EQ(tile(one, "L1 hits of kernels"), percent(find_series(*hits, "L1")->y.at(0).number.value(), 100));
}

TEST_F(RunPage, DrawsWhenKernelsWaitAndRun) {
  const Page all = page();
  const Section* const section = find_section(all, "timeline");
  ASSERT_NE(section, nullptr);
  const Chart& chart = section->charts.at(0);
  EXPECT_EQ(chart.kind, ChartKind::kSpans);
  EXPECT_TRUE(chart.over_time);
  EXPECT_EQ(chart.categories, (std::vector<std::string>{"a", "b"}));
  std::vector<std::string> spans;
  for (const Span& s : chart.spans)
    spans.push_back(s.label + " " + chart.categories[s.row] + " " + std::to_string(s.series) + " " +
                    std::to_string(static_cast<int>(s.from)) + "-" + std::to_string(static_cast<int>(s.to)));
  // The last one never starts: it waits until the run's end. What takes no time is not drawn.
  EXPECT_EQ(spans, (std::vector<std::string>{"add a 0 1-2", "add a 1 2-4", "add a 2 4-14", "add b 0 1-15",
                                             "add b 2 15-25", "look a 0 20-26", "look a 1 26-40"}));
}

TEST_F(RunPage, ListsEveryLaunch) {
  const Page all = page();
  const Section* const section = find_section(all, "kernels");
  ASSERT_NE(section, nullptr);
  const Table& table = section->tables.at(0);
  ASSERT_EQ(table.rows.size(), 3u);
  const auto cell = [&](std::size_t row, const std::string& column) {
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      if (table.columns[c].title == column) return table.rows[row].at(c);
    ADD_FAILURE() << "no column " << column;
    return Cell();
  };
  EXPECT_EQ(cell(0, "grid").text, "4");
  EXPECT_EQ(cell(0, "block").text, "64 x 2");
  EXPECT_EQ(cell(0, "L1 hits").number, 25.0);
  EXPECT_EQ(cell(0, "L2 hits").number, 80.0);
  // 1000 issued and 3000 stalled warp-cycles in 10000 cycles on 2 SMs.
  EXPECT_EQ(cell(0, "warps per SM").number, 0.2);
  EXPECT_FALSE(cell(2, "execution").number);
}

TEST_F(RunPage, SaysWhichKernelsWereSampled) {
  result_["kernels"][0]["sampled"] = {{"ctas_detailed", 3}, {"half_width_95", 120.4}, {"samples", 5}};
  result_["kernels"][1]["sampled"] = {{"why_not", "too short"}};
  const Page all = page();
  const Section* const section = find_section(all, "kernels");
  ASSERT_NE(section, nullptr);
  EXPECT_THAT(
      section->text,
      testing::Contains("add: sampled: 3 of 4 CTAs in cycle detail, 10000 cycles +- 120 (95 %, 5 samples)"));
  EXPECT_THAT(section->text, testing::Contains("add: not sampled: too short"));
}

TEST_F(RunPage, DividesWarpCyclesByReasonKernelAndScheduler) {
  const Page all = page();
  const Section* const section = find_section(all, "stalls");
  ASSERT_NE(section, nullptr);
  const Chart* const kernels = find_chart(*section, "stalls-by-kernel");
  ASSERT_NE(kernels, nullptr);
  EXPECT_EQ(kernels->categories, (std::vector<std::string>{"add (2 launches)"}));
  // Of 6000 warp-cycles: 2000 issued, 1500 without an instruction, 2500 for operands.
  EXPECT_NEAR(find_series(*kernels, "issued")->y.at(0).number.value(), 100.0 * 2000 / 6000, 1e-9);
  EXPECT_NEAR(find_series(*kernels, "no instruction")->y.at(0).number.value(), 25, 1e-9);
  EXPECT_NEAR(find_series(*kernels, "operand from beyond the L1")->y.at(0).number.value(),
              100.0 * 2500 / 6000, 1e-9);
  EXPECT_EQ(find_series(*kernels, "barrier"), nullptr) << "nobody waited at one";
  const Chart* const schedulers = find_chart(*section, "stalls-by-scheduler");
  ASSERT_NE(schedulers, nullptr);
  EXPECT_EQ(schedulers->categories, (std::vector<std::string>{"add / 0", "add / 1"}));
  EXPECT_EQ(find_series(*schedulers, "operand from beyond the L1")->y.at(1).number, 100.0);
}

TEST_F(RunPage, PlacesKernelsBelowTheRoofs) {
  const Peaks peaks = peaks_of(view());
  EXPECT_EQ(peaks.fp32, 2 * 4 * 16.0 * 2 * 1e9);
  EXPECT_EQ(peaks.fp64, 2 * 4 * 8.0 * 2 * 1e9);
  EXPECT_EQ(peaks.dram, 4 * 2 * 500e6);
  const Page all = page();
  const Section* const section = find_section(all, "roofline");
  ASSERT_NE(section, nullptr);
  const Chart& chart = section->charts.at(0);
  const Series* const points = find_series(chart, "kernels");
  ASSERT_NE(points, nullptr);
  // 1.2 million operations in twice 10 us, for 12000 bytes.
  ASSERT_EQ(points->x.size(), 1u);
  EXPECT_NEAR(points->x[0].value(), 100, 1e-9);
  EXPECT_NEAR(points->y[0].number.value(), 60, 1e-9);
  EXPECT_EQ(points->labels[0], "add (2 launches)");
  // The roof rises to 256 Gop/s at 64 operations a byte.
  const Series& roof = chart.series.at(0);
  ASSERT_EQ(roof.x.size(), 3u);
  EXPECT_NEAR(roof.x[1].value(), 64, 1e-9);
  EXPECT_NEAR(roof.y[1].number.value(), 256, 1e-9);
  EXPECT_NEAR(roof.y[0].number.value(), 0.1 * 4, 1e-9);
  EXPECT_NEAR(section->tables.at(0).rows.at(0).at(6).number.value(), 100.0 * 60 / 256, 1e-9);
}

TEST_F(RunPage, HasNoMemoryRoofForAMemoryWithoutABandwidth) {
  result_["config"]["platform"]["dram"] = {{"type", "fixed_latency"}};
  EXPECT_FALSE(peaks_of(view()).dram);
  const Page all = page();
  EXPECT_EQ(find_section(all, "roofline")->charts.at(0).series.at(0).x.size(), 2u);
}

TEST_F(RunPage, NamesTheHottestLinesFirst) {
  RunView run = view();
  // Line 7 is two machine instructions.
  run.instructions = parse_csv(
      "kernel,file,line,pc,text,issued,threads,divergent,fetch,raw_long\n"
      "add,k/add.ptx,5,0,\"ld.global.f32 %f1, [%rd1]\",10,320,0,5,0\n"
      "add,k/add.ptx,7,1,MUFU of div.f32,10,320,0,0,20\n"
      "add,k/add.ptx,7,2,div.f32,10,120,4,0,60\n"
      "add,k/add.ptx,9,3,never,0,0,0,0,0\n"
      "look,k/look.ptx,3,0,exit,900,28800,0,0,0\n",
      "instructions.csv");
  const Page all = run_page(run);
  const Section* const section = find_section(all, "hot-lines");
  ASSERT_NE(section, nullptr);
  ASSERT_EQ(section->tables.size(), 2u);
  EXPECT_EQ(section->tables[0].caption, "Hot lines of look (look.ptx)");
  const Table& add = section->tables[1];
  ASSERT_EQ(add.rows.size(), 2u);
  EXPECT_EQ(add.rows[0][0].number, 7.0);
  EXPECT_EQ(add.rows[0][1].text, "div.f32");
  EXPECT_EQ(add.rows[0][2].number, 20.0);
  EXPECT_EQ(add.rows[0][3].number, 22.0);  // 440 lanes in 20 issues
  EXPECT_EQ(add.rows[0][4].number, 20.0);  // 4 of 20 divergent
  EXPECT_EQ(add.rows[0][5].number, 80.0);
  EXPECT_NEAR(add.rows[0][6].number.value(), 100.0 * 100 / 115, 1e-9);
  EXPECT_EQ(add.rows[0][7].text, "operand from beyond the L1");
  EXPECT_EQ(add.rows[1][0].number, 5.0);
}

TEST_F(RunPage, HasTheFirmwaresProfile) {
  RunView run = view();
  run.firmware_profile =
      "100 instructions in 200 cycles; asleep 1.000 of 2.000 us\n\n"
      "     calls  instructions          self   self%     inclusive   incl%      waits us  function\n"
      "         2            60           150   75.00           200  100.00         0.500  fw_step\n"
      "         1            40            50   25.00            50   25.00         0.000  pick\n";
  const Page all = run_page(run);
  const Section* const section = find_section(all, "firmware");
  ASSERT_NE(section, nullptr);
  const Table& table = section->tables.at(0);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0][0].text, "fw_step");
  EXPECT_EQ(table.rows[0][3].number, 150.0);
  EXPECT_EQ(table.rows[0][7].number, 0.5);
  EXPECT_EQ(section->charts.at(0).categories, (std::vector<std::string>{"fw_step", "pick"}));
}

TEST_F(RunPage, LeavesOutWhatTheRunDoesNotHave) {
  result_ = Json::parse(R"({"simulation": {}, "kernels": [{}], "config": {}})");
  const Page little = page();
  for (const char* id : {"timeline", "stalls", "over-time", "roofline", "hot-lines", "firmware", "sms"})
    EXPECT_EQ(find_section(little, id), nullptr) << id;
  EXPECT_NE(find_section(little, "kernels"), nullptr);
  EXPECT_EQ(find_section(little, "more")->text.size(), 2u);
}

TEST_F(RunPage, RefusesWhatIsNoResult) {
  const auto message = [](const std::string& text) {
    try {
      view_of(Json::parse(text), "d/result.json");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string end = "; allowed: what `warpvp run` wrote";
  EXPECT_EQ(message("[]"), "d/result.json: no result of a run: it is no JSON object" + end);
  EXPECT_EQ(message("{}"), "d/result.json: no result of a run: no object 'simulation'" + end);
  EXPECT_EQ(message(R"({"simulation": {}, "config": {}, "kernels": {}})"),
            "d/result.json: no result of a run: no list 'kernels'" + end);
  EXPECT_EQ(message(R"({"simulation": {}, "config": {}, "kernels": [1]})"),
            "d/result.json: no result of a run: an item of 'kernels' is no object" + end);
}

}  // namespace
}  // namespace warpvp::report::test
