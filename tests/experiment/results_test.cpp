// What a run leaves behind: JSON, tables, the database, the timeline.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cmath>

#include "base/error.h"
#include "base/markup.h"
#include "base/summed_stats.h"
#include "platform/results/json_stats.h"
#include "platform/results/result_checksum.h"
#include "platform/results/result_writer.h"
#include "platform/results/results_db.h"
#include "platform/results/text_table.h"
#include "platform/results/trace_writer.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using Json = nlohmann::ordered_json;

struct Inner {
  std::uint64_t hits = 18446744073709551615ull;
  void stats(StatVisitor& v) const { v.value("hits", hits, "", "Hits."); }
};
struct Outer {
  Inner zeta;
  Inner alpha;
  void stats(StatVisitor& v) const {
    v.value("rate", 0.1, "1/cycle", "Rate.");
    v.value("undefined", std::nan(""), "", "0/0.");
    v.group("zeta", zeta, "First.");
    v.group("alpha", alpha, "Second.");
  }
};

TEST(JsonStats, KeepsOrderAndPrecision) {
  EXPECT_EQ(
      stats_to_json(Outer{}).dump(),
      R"({"rate":0.1,"undefined":null,"zeta":{"hits":18446744073709551615},"alpha":{"hits":18446744073709551615}})");
}

struct Whole {
  std::vector<Inner> items{1};
  std::vector<Inner> none;
  void stats(ResultVisitor& v) const {
    v.text("name", "K1", "Name.");
    v.flag("verified", true, "Compared.");
    v.number("priority", -2, "Priority.");
    v.value("end", std::optional<std::uint64_t>{}, "cycles", "End.");
    v.value("start", std::optional<std::uint64_t>{5}, "cycles", "Start.");
    v.values("grid", {4, 1, 1}, "CTAs", "Grid.");
    v.when(false, "never", [&] { v.value("absent", std::uint64_t{1}, "", "Absent."); });
    v.list("items", items, "Items.");
    v.list("none", none, "None.");
    v.named("shares", {{"l2", 0.5}}, "PART", "share", "Shares.", "Share.");
    v.apart("config", "Settings.");
  }
};

TEST(JsonStats, WritesTextsListsAndWhatIsNotKnownYet) {
  EXPECT_EQ(stats_to_json(Whole{}).dump(),
            R"({"name":"K1","verified":true,"priority":-2,"end":null,"start":5,"grid":[4,1,1],)"
            R"("items":[{"hits":18446744073709551615}],"none":[],"shares":{"l2":0.5}})");
}

TEST(SummedStats, AddsWhatIsAlikeAndLeavesRatiosOut) {
  struct Bank {
    std::uint64_t hits;
    bool has_sectors;
    void stats(StatVisitor& v) const {
      v.value("hits", hits, "requests", "Hits.");
      v.value("rate", 0.5, "share", "Rate.");
      v.amount("busy_us", 0.25, "us", "Time.");
      struct Stalls {
        std::uint64_t cycles;
        void stats(StatVisitor& v) const { v.value("mshr", cycles, "cycles", "Waited."); }
      };
      v.group("stalls", Stalls{hits * 10}, "Stalls.");
      v.when(has_sectors, "with sectors", [&] { v.value("sectors", hits, "sectors", "Sectors."); });
    }
  };
  SummedStats sum;
  Bank{1, false}.stats(sum);
  Bank{2, true}.stats(sum);
  EXPECT_EQ(stats_to_json(sum).dump(), R"({"hits":3,"busy_us":0.5,"stalls":{"mshr":30},"sectors":2})");
}

TEST(JsonStats, FindsByPathIndexAndMember) {
  const Json r = Json::parse(
      R"({"simulation":{"cycles":12},"kernels":[{"name":"K1","end_us":1},{"name":"K2","slot":3,"end_us":2}]})");
  const auto text = [&](const char* path) {
    const Json* found = find_value(r, path);
    return found ? found->dump() : "none";
  };
  EXPECT_EQ(text("simulation.cycles"), "12");
  EXPECT_EQ(text("kernels.1.end_us"), "2");
  EXPECT_EQ(text("kernels[name=K2].end_us"), "2");
  EXPECT_EQ(text("kernels[slot=3].name"), "\"K2\"");
  for (const char* path :
       {"", "simulation.cycle", "kernels.2.end_us", "kernels[name=K3].end_us", "kernels[name].end_us",
        "kernels[name=K2", "simulation[a=b]", "simulation.cycles.x"})
    EXPECT_EQ(text(path), "none") << path;
}

TEST(JsonStats, Flattens) {
  const auto flat = flatten(Json::parse(R"({"a":{"b":[1,{"c":"x"}]},"d":null})"));
  ASSERT_EQ(flat.size(), 3u);
  EXPECT_EQ(flat[0].first, "a.b.0");
  EXPECT_EQ(flat[1].first, "a.b.1.c");
  EXPECT_EQ(flat[1].second, "x");
  EXPECT_EQ(flat[2].first, "d");
}

TEST(ResultWriter, WritesWholeFilesAndNothingElse) {
  const Folder folder;
  folder.write("run/result.json", "old");
  ResultWriter writer(folder / "run");
  EXPECT_FALSE(folder.has("run/result.json")) << "an old result stays while a new run is under way";
  Json result = stats_to_json(ResultHeader{ExitCode::kResultDiffers, "c[0] differs", false, 7});
  result["simulation"]["cycles"] = 3;
  writer.write_result(result_text(result));
  EXPECT_EQ(folder.read("run/result.json"), std::string("{\n  \"version\": \"") + version() +
                                                "\",\n  \"exit_code\": 1,\n  \"message\": \"c[0] "
                                                "differs\",\n  \"verified\": false,\n  \"seed\": 7,\n"
                                                "  \"simulation\": {\n    \"cycles\": 3\n  }\n}\n");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "run")) {
    ++files;
    EXPECT_EQ(entry.path().filename(), "result.json");
  }
  EXPECT_EQ(files, 1u);
}

TEST(ResultChecksum, NoticesEveryChangedCharacter) {
  Json result = stats_to_json(ResultHeader{});
  result["simulation"]["cycles"] = 3;
  EXPECT_EQ(check_checksum(result_text(result)), Checksum::kNone);
  result["measured"]["checksum"] = 5;  // an app's own figure
  result["provenance"] = {{"date", "today"}, {"checksum", kNoChecksum}};
  result["config"]["checksum"] = "abcdefabcdefabcd";
  const std::string text = result_text(result);
  EXPECT_EQ(text.find(kNoChecksum), std::string::npos);
  EXPECT_EQ(check_checksum(text), Checksum::kHolds);
  EXPECT_EQ(with_checksum(text), text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(check_checksum(changed), Checksum::kBroken) << i;
    EXPECT_EQ(check_checksum(text.substr(0, i)) == Checksum::kHolds, false) << i;
  }
  EXPECT_EQ(check_checksum(Json::parse(text).dump()), Checksum::kBroken) << "written anew by another program";
}

TEST(ResultWriter, AFolderInWhichNothingWasWrittenGoesAgain) {
  const Folder folder;
  { ResultWriter writer(folder / "a"); }
  EXPECT_FALSE(folder.has("a"));
  std::filesystem::create_directory(folder / "b");
  { ResultWriter writer(folder / "b"); }
  EXPECT_TRUE(folder.has("b")) << "it was there before";
}

TEST(ResultWriter, RefusesAFolderThatCannotBeMade) {
  const Folder folder;
  folder.write("file", "");
  for (const char* name : {"file", "file/below"}) {
    try {
      ResultWriter writer(folder / name);
      FAIL() << name;
    } catch (const InputError& e) {
      const std::string text = folder.shorten(e.what());
      EXPECT_EQ(text.rfind(std::string("cannot make the output folder @") + name + ": ", 0), 0u) << text;
      EXPECT_NE(text.find("; give another with --out"), std::string::npos) << text;
    }
  }
  EXPECT_THROW(ResultWriter("/proc/warpvp"), InputError);
}

TextTable sample_table() {
  TextTable table;
  table.add_column("kernel", TextTable::Align::kLeft);
  table.add_column("IPC");
  table.add_column("µs");
  table.add_row({"pc", "1.5", "12"});
  table.add_row({"path|finder", "10.25"});
  table.add_foot({"geomean", "3.9", "-"});
  return table;
}

TEST(TextTable, AlignsColumns) {
  EXPECT_EQ(sample_table().text(),
            "kernel         IPC  µs\n"
            "----------------------\n"
            "pc             1.5  12\n"
            "path|finder  10.25\n"
            "----------------------\n"
            "geomean        3.9   -\n");
}

TEST(TextTable, MarkdownAndCsv) {
  EXPECT_EQ(sample_table().markdown(),
            "| kernel | IPC | µs |\n|---|---:|---:|\n| pc | 1.5 | 12 |\n| path\\|finder | 10.25 |  |\n| "
            "geomean | 3.9 | - |\n");
  TextTable table;
  table.add_column("a,b");
  table.add_column("c");
  table.add_row({"say \"hi\"", "<&>"});
  EXPECT_EQ(table.csv(), "\"a,b\",c\n\"say \"\"hi\"\"\",<&>\n");
  EXPECT_EQ(markup_escaped("say \"hi\" <&>"), "say &quot;hi&quot; &lt;&amp;&gt;");
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

/// All rows of a query, cells joined by "|".
std::vector<std::string> query(const std::filesystem::path& file, const char* sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  std::vector<std::string> rows;
  const auto add = [](void* out, int columns, char** cells, char**) {
    std::string row;
    for (int i = 0; i < columns; ++i) row += std::string(i > 0 ? "|" : "") + (cells[i] ? cells[i] : "NULL");
    static_cast<std::vector<std::string>*>(out)->push_back(row);
    return 0;
  };
  char* error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql, add, &rows, &error), SQLITE_OK) << error;
  sqlite3_close(db);
  return rows;
}

TEST(ResultsDb, OneRowARunAndOneAStatistic) {
  const Folder folder;
  folder.write("results.db", "an older file");
  ResultsDb db(folder / "results.db", {{"scheduler"}, {"odd \"name\""}});
  db.add_run("r1", 0, "", {"gto", "x"}, Json::parse(R"({"a":{"n":3,"f":0.5},"s":"it's","b":true,"z":null})"));
  db.add_run("r2", 3, "fault; DROP TABLE runs", {"lrr", "y"}, nullptr);
  EXPECT_EQ(folder.read("results.db"), "an older file") << "seen before it is finished";
  db.finish();
  EXPECT_EQ(query(folder / "results.db", "SELECT * FROM runs ORDER BY run_id"),
            (std::vector<std::string>{"1|r1|0||gto|x", "2|r2|3|fault; DROP TABLE runs|lrr|y"}));
  EXPECT_EQ(query(folder / "results.db", "SELECT run_id, key, value, typeof(value) FROM stats ORDER BY key"),
            (std::vector<std::string>{"1|a.f|0.5|real", "1|a.n|3|integer", "1|b|1|integer", "1|s|it's|text",
                                      "1|z|NULL|null"}));
}

TEST(ResultsDb, NumericAxesAreNumbers) {
  using Kind = ResultsDb::Kind;
  EXPECT_EQ(ResultsDb::kind_of({"2", "10", "-3"}), Kind::kInteger);
  EXPECT_EQ(ResultsDb::kind_of({"0x10"}), Kind::kInteger);
  EXPECT_EQ(ResultsDb::kind_of({"2", "0.5"}), Kind::kReal);
  EXPECT_EQ(ResultsDb::kind_of({"2", "18446744073709551615"}), Kind::kText) << "past SQLite's integers";
  for (const char* word : {"gto", "1x2", "inf", "nan", ""})
    EXPECT_EQ(ResultsDb::kind_of({"2", word}), Kind::kText) << word;
  EXPECT_EQ(ResultsDb::kind_of({}), Kind::kText);
  const Folder folder;
  ResultsDb db(folder / "results.db", {{"size", Kind::kInteger}, {"share", Kind::kReal}, {"policy"}});
  db.add_run("a", 0, "", {"10", "0.5", "lrr"}, nullptr);
  db.add_run("b", 0, "", {"2", "2", "1"}, nullptr);
  db.finish();
  EXPECT_EQ(query(folder / "results.db", "SELECT run, typeof(size), typeof(share), typeof(policy) FROM runs"),
            (std::vector<std::string>{"a|integer|real|text", "b|integer|real|text"}));
  EXPECT_EQ(query(folder / "results.db", "SELECT size FROM runs ORDER BY size"),
            (std::vector<std::string>{"2", "10"}))
      << "in the order of numbers, not of words";
}

TEST(ResultsDb, UnwritableIsAnInputError) {
  EXPECT_THROW(ResultsDb("/proc/none/results.db", {}), InputError);
}

TEST(Trace, OffWritesNothing) {
  TraceWriter trace;
  const auto track = trace.track("SMs", "SM 0");
  trace.slice(track, "x", 0, 1);
  trace.instant(track, "x", 0);
  trace.counter(track, "x", 0, 1);
  trace.finish();
  EXPECT_FALSE(trace.on());
}

TEST(Trace, IsValidJsonWithExactTimes) {
  const Folder folder;
  {
    TraceWriter trace;
    trace.open((folder / "trace.json").string());
    const auto sm0 = trace.track("SMs", "SM 0");
    const auto sm1 = trace.track("SMs", "SM \"1\"\n");
    const auto queue = trace.track("queues", "queue 0");
    EXPECT_EQ(trace.track("SMs", "SM 0").thread, sm0.thread);
    EXPECT_EQ(sm0.process, sm1.process);
    EXPECT_NE(sm0.process, queue.process);
    trace.slice(sm0, "cta 0", 1'234'567'890'123, 1'234'567'891'124, {{"kernel", "pc"}});
    trace.instant(sm1, "launch", 5);
    trace.counter(queue, "depth", 1'000'000, 2.5);
    trace.finish();
  }
  const Json json = Json::parse(folder.read("trace.json"));
  std::vector<Json> events;
  std::vector<std::string> names;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] != "M") events.push_back(event);
    if (event["name"] == "thread_name" || event["name"] == "process_name")
      names.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"SMs", "SM 0", "SM \"1\"\n", "queues", "queue 0"}));
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["ph"], "X");
  EXPECT_NE(folder.read("trace.json").find("\"ts\":1234567.890123,\"dur\":0.0010006"), std::string::npos);
  EXPECT_EQ(events[0]["args"]["kernel"], "pc");
  EXPECT_EQ(events[1]["ph"], "i");
  EXPECT_EQ(events[2]["args"]["value"], 2.5);
}

/// Events that are no names: kind, name, time and duration.
std::vector<std::string> events_of(const Json& json) {
  std::vector<std::string> events;
  for (const Json& e : json["traceEvents"])
    if (e["ph"] != "M")
      events.push_back(e["ph"].get<std::string>() + " " + e.value("name", "") + " " + e["ts"].dump() +
                       (e.contains("dur") ? fmt::format(" {:.6f}", e["dur"].get<double>()) : "") +
                       (e["ph"] == "C" ? " = " + e["args"]["value"].dump() : ""));
  return events;
}

TEST(Trace, LeavesOutWhatLiesOutsideOfTheWindow) {
  constexpr std::uint64_t kUs = 1'000'000;
  const Folder folder;
  TraceWriter trace;
  trace.open((folder / "trace.json").string());
  trace.set_window(10 * kUs, 20 * kUs);
  const auto row = trace.track("a", "row"), other = trace.track("a", "other");
  trace.counter(row, "depth", 1 * kUs, 1);
  trace.counter(row, "depth", 9 * kUs, 2);
  trace.slice(row, "before", 2 * kUs, 8 * kUs);
  trace.begin(other, "holds nothing", 1 * kUs);
  trace.end(other, 5 * kUs);
  trace.begin(row, "outer", 3 * kUs);
  trace.slice(row, "inner before", 3 * kUs, 4 * kUs);
  trace.instant(row, "early", 9 * kUs);
  trace.slice(row, "cut at the start", 8 * kUs, 12 * kUs);
  trace.slice(row, "whole", 12 * kUs, 13 * kUs);
  trace.instant(row, "within", 13 * kUs);
  trace.counter(row, "depth", 14 * kUs, 3);
  trace.slice(row, "cut at the end", 15 * kUs, 25 * kUs);
  trace.end(row, 26 * kUs);
  trace.begin(other, "late", 21 * kUs);
  trace.slice(other, "later", 22 * kUs, 23 * kUs);
  trace.end(other, 24 * kUs);
  trace.instant(row, "late", 21 * kUs);
  trace.finish();
  EXPECT_EQ(events_of(Json::parse(folder.read("trace.json"))),
            (std::vector<std::string>{"C depth 10.0 = 2", "B outer 10.0", "X cut at the start 10.0 2.000000",
                                      "X whole 12.0 1.000000", "i within 13.0", "C depth 14.0 = 3",
                                      "X cut at the end 15.0 5.000000", "E  20.0"}));
}

TEST(Trace, EndsAtItsLimit) {
  const Folder folder;
  TraceWriter trace;
  trace.open((folder / "trace.json").string());
  trace.set_limit(1000);
  const auto row = trace.track("a", "row");
  trace.begin(row, "outer", 0);
  unsigned written = 0;
  for (std::uint64_t i = 0; i < 100; ++i) {
    written += trace.on();
    trace.slice(row, "inner", i * 1'000'000, (i + 1) * 1'000'000);
  }
  trace.end(row, 100'000'000);
  EXPECT_FALSE(trace.on());
  EXPECT_EQ(trace.stopped_at(), written * 1'000'000ull);
  trace.finish();
  const std::string text = folder.read("trace.json");
  EXPECT_LT(text.size(), 1800u);
  const auto events = events_of(Json::parse(text));
  ASSERT_EQ(events.size(), written + 3);
  const std::string end = std::to_string(written) + ".0";
  EXPECT_EQ(events[written + 1], "E  " + end);
  EXPECT_EQ(events[written + 2], "i recording ended: the file has reached its limit of 1000 bytes " + end);
}

TEST(Trace, UnwritableIsAnInputError) {
  TraceWriter trace;
  EXPECT_THROW(trace.open("/proc/none/trace.json"), InputError);
}

TEST(Trace, AFullDiskIsReported) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  TraceWriter trace;
  trace.open("/dev/full");
  for (int i = 0; i < 10000; ++i) trace.instant(trace.track("a", "b"), "x", 1);
  EXPECT_THROW(trace.finish(), InputError);
}

}  // namespace
}  // namespace warpvp
