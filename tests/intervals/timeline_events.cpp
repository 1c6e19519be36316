#include "tests/intervals/timeline_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/platform/program.h"

namespace warpvp::test {

namespace {

/// As a viewer does it: by begin, and the longer one first.
void expect_nested(std::vector<TimelineEvents::Span> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return a.from != b.from ? a.from < b.from : a.to > b.to;
  });
  std::vector<TimelineEvents::Span> open;
  for (const auto& span : spans) {
    EXPECT_LE(span.from, span.to) << span.track << ": " << span.name;
    while (!open.empty() && open.back().to <= span.from) open.pop_back();
    if (!open.empty()) {
      EXPECT_LE(span.to, open.back().to)
          << span.group << ", " << span.track << ": " << span.name << " crosses " << open.back().name;
    }
    open.push_back(span);
  }
}

}  // namespace

std::int64_t ps_of(const nlohmann::json& us) { return std::llround(us.get<double>() * 1e6); }

std::vector<TimelineEvents::Span> TimelineEvents::of_group(const std::string& group) const {
  std::vector<Span> found;
  for (const Span& span : spans)
    if (span.group == group) found.push_back(span);
  return found;
}

TimelineEvents read_timeline(const std::filesystem::path& file) {
  TimelineEvents out;
  const nlohmann::json json = read_json(file);
  std::map<std::int64_t, std::string> groups;
  std::map<std::int64_t, std::string> tracks;
  for (const auto& e : json["traceEvents"]) {
    if (e["ph"] != "M") continue;
    const std::string what = e["name"];
    if (what == "process_name") groups[e["pid"]] = e["args"]["name"];
    if (what == "thread_name") tracks[e["tid"]] = e["args"]["name"];
    if (what == "process_sort_index") out.group_order[groups.at(e["pid"])] = e["args"]["sort_index"];
    if (what == "thread_sort_index")
      out.track_order[{groups.at(e["pid"]), tracks.at(e["tid"])}] = e["args"]["sort_index"];
  }
  std::map<std::int64_t, std::vector<TimelineEvents::Span>> open;  // by track
  for (const auto& e : json["traceEvents"]) {
    const std::string kind = e["ph"];
    if (kind == "M") continue;
    const std::string group = groups.at(e["pid"]), track = tracks.at(e["tid"]);
    const std::int64_t at = ps_of(e["ts"]);
    const auto args = e.contains("args") ? e["args"] : nlohmann::json::object();
    if (kind == "X") {
      const std::int64_t end = at + ps_of(e["dur"]);
      out.spans.push_back({group, track, e["name"], at, end, args});
      // What begins when this ends is not inside of it for a viewer that adds in doubles.
      EXPECT_LE(e["ts"].get<double>() + e["dur"].get<double>(), static_cast<double>(end) / 1e6) << e;
    } else if (kind == "B") {
      open[e["tid"]].push_back({group, track, e["name"], at, at, args});
    } else if (kind == "E") {
      auto& spans = open[e["tid"]];
      if (spans.empty()) {
        ADD_FAILURE() << track << ": an end without a begin";
        continue;
      }
      spans.back().to = at;
      out.spans.push_back(spans.back());
      spans.pop_back();
    } else if (kind == "i") {
      out.instants.push_back({group, track, e["name"], at, args});
    } else if (kind == "C") {
      out.counters.push_back({e["name"], at, args["value"]});
    } else {
      ADD_FAILURE() << "an event of kind " << kind;
    }
  }
  for (const auto& [track, spans] : open) EXPECT_TRUE(spans.empty()) << tracks.at(track) << ": not ended";
  std::map<std::string, std::vector<TimelineEvents::Span>> by_track;
  for (const auto& span : out.spans) by_track[span.group + "/" + span.track].push_back(span);
  for (auto& [track, spans] : by_track) expect_nested(spans);
  return out;
}

}  // namespace warpvp::test
