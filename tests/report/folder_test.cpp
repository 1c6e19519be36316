// From folders to pages: what is written, what is refused, and what the page cannot be talked into.

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "study/report/page_writer.h"
#include "study/report/report_folder.h"
#include "tests/report/sample_run.h"

namespace warpvp::report::test {
namespace {

namespace fs = std::filesystem;

class ReportFolder : public testing::Test {
 protected:
  ReportFolder() { file("library.js", "/*!\n * Chart.js v3.9.1\n */ var Chart = '</script>';"); }
  ~ReportFolder() override { fs::remove_all(folder_); }

  void file(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / name).rdbuf();
    return text.str();
  }
  ReportRequest request(const std::string& name) const {
    ReportRequest request;
    request.folder = folder_ / name;
    request.library = folder_ / "library.js";
    return request;
  }
  /// What a user is told, without this test's own folder.
  std::string message(const ReportRequest& request) const {
    try {
      write_reports(request);
    } catch (const InputError& error) {
      std::string text = error.what();
      for (std::size_t at; (at = text.find(folder_.string() + "/")) != std::string::npos;)
        text.erase(at, folder_.string().size() + 1);
      return text;
    }
    return "no error";
  }

  const fs::path folder_ = fs::temp_directory_path() / ("warpvp_report_test." + std::to_string(getpid()));
};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

TEST_F(ReportFolder, WritesOnePageWithEverythingInIt) {
  file("run/result.json", sample_result().dump());
  const auto files = write_reports(request("run"));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0], folder_ / "run/report.html");
  const std::string page = read("run/report.html");
  EXPECT_NE(page.find("<title>run</title>"), std::string::npos);
  EXPECT_NE(page.find("Chart.js v3.9.1"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  for (const char* outside : {" src=", "<link", "@import", "url(", "{{"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
}

TEST_F(ReportFolder, KeepsDataAndScriptsInTheirElements) {
  nlohmann::ordered_json result = sample_result();
  result["message"] = "</script><script>alert(1)</script><!-- {{data}}";
  result["exit_code"] = 1;
  file("<b>/result.json", result.dump());
  write_reports(request("<b>"));
  const std::string page = read("<b>/report.html");
  EXPECT_EQ(count(page, "</script"), 3u) << "data, library and the page's own";
  EXPECT_EQ(count(page, "<!--"), 0u);
  EXPECT_NE(page.find("\\u003c/script>\\u003cscript>alert(1)"), std::string::npos);
  EXPECT_NE(page.find("{{data}}"), std::string::npos) << "a mark in the data is data";
  EXPECT_NE(page.find("<title>&lt;b&gt;</title>"), std::string::npos);
}

TEST_F(ReportFolder, ReadsTheFilesBesideTheResult) {
  nlohmann::ordered_json result = sample_result();
  result["config"]["platform"]["command_processor"]["core"]["profile"] = "fw.txt";
  file("run/result.json", result.dump());
  file("run/fw.txt", "calls function\n");
  file("run/intervals.csv", "time_us,cycle,sm.issued\n1,10,5\n");
  file("run/instructions.csv",
       "kernel,file,line,pc,text,issued,threads,divergent,fetch\nk,f,1,0,exit,1,32,0,0\n");
  write_reports(request("run"));
  const std::string page = read("run/report.html");
  for (const char* id : {"\"over-time\"", "\"hot-lines\"", "\"firmware\""})
    EXPECT_NE(page.find(std::string("{\"id\":") + id), std::string::npos) << id;
}

TEST_F(ReportFolder, LinksTheRunsOfAnExperiment) {
  Page page;
  page.title = "e";
  page.sections.resize(1);
  page.sections[0].tables.resize(1);
  Table& table = page.sections[0].tables[0];
  table.columns = {{"run", "", false}};
  for (const char* name : {"good", "failed"})
    table.rows.push_back({Cell(name, std::string("runs/") + name + "/report.html")});
  fs::create_directories(folder_ / "e");
  write_page_data(page, folder_ / "e");
  file("e/runs/good/result.json", sample_result().dump());

  ReportRequest without = request("e");
  without.runs = false;
  EXPECT_EQ(write_reports(without).size(), 1u);
  EXPECT_NE(read("e/report.html").find("{\"text\":\"good\",\"link\":\"runs/good/result.json\"}"),
            std::string::npos);
  EXPECT_NE(read("e/report.html").find("[\"failed\"]"), std::string::npos)
      << "a link that would lead nowhere";

  const auto files = write_reports(request("e"));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0], folder_ / "e/runs/good/report.html");
  EXPECT_NE(read("e/report.html").find("\"link\":\"runs/good/report.html\""), std::string::npos);

  ReportRequest elsewhere = request("e");
  elsewhere.out = folder_ / "page.html";
  write_reports(elsewhere);
  EXPECT_NE(read("page.html").find("\"link\":\"e/runs/good/report.html\""), std::string::npos);
}

TEST_F(ReportFolder, SaysWhatIsWrongWithAFolder) {
  EXPECT_EQ(message(request("none")), "no folder none; allowed: the output folder of a run or an experiment");
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(
      message(request("empty")),
      "empty: neither result.json nor report.json; allowed: the output folder of `warpvp run` or `warpvp "
      "experiment`");
  file("cut/result.json", "{\"simulation\": {");
  EXPECT_EQ(message(request("cut")), "cut/result.json: not JSON; run again to have it written anew");
  file("other/result.json", "{\"a\": 1}");
  EXPECT_EQ(
      message(request("other")),
      "other/result.json: no result of a run: no object 'simulation'; allowed: what `warpvp run` wrote");
  const std::string shape =
      "/report.json: no data of an experiment's report; allowed: what `warpvp experiment` of this version "
      "wrote";
  for (const char* text :
       {"[]", "{}", R"({"format": 99, "page": {"sections": []}})", R"({"format": 1, "page": []})",
        R"({"format": 1, "page": {"sections": [{"tables": [{"rows": [1]}]}]}})"}) {
    file("old/report.json", text);
    EXPECT_EQ(message(request("old")), "old" + shape) << text;
  }
}

TEST_F(ReportFolder, SaysHowToGetTheChartingLibrary) {
  file("run/result.json", sample_result().dump());
  const std::string remedy =
      "install Debian's package libjs-chart.js, or give the file chart.min.js of Chart.js 3 or 4 with "
      "--chart-library";
  ReportRequest wrong = request("run");
  wrong.library = folder_ / "none.js";
  EXPECT_NE(message(wrong).find(remedy), std::string::npos) << message(wrong);
  file("old.js", "/* Chart.js v2.9.4 */");
  wrong.library = folder_ / "old.js";
  EXPECT_EQ(message(wrong), "old.js: not Chart.js 3 or 4 as one script; " + remedy);
  EXPECT_FALSE(fs::exists(folder_ / "run/report.html"));
}

TEST_F(ReportFolder, FindsTheLibraryThatTheProjectInstalls) {
  // packages.txt has it in the group that every build installs.
  EXPECT_NE(chart_library("").find("Chart.js v"), std::string::npos);
}

}  // namespace
}  // namespace warpvp::report::test
