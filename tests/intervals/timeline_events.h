#pragma once
// trace.json as spans, instants and counters by the names of their groups and tracks.

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace warpvp::test {

/// Of a text such as "12".
inline std::uint64_t number(const nlohmann::json& text) { return std::stoull(text.get<std::string>()); }

struct TimelineEvents {
  struct Span {
    std::string group, track, name;
    std::int64_t from, to;  ///< ps
    nlohmann::json args;
    std::int64_t length() const { return to - from; }
  };
  struct Instant {
    std::string group, track, name;
    std::int64_t at;
    nlohmann::json args;
  };
  struct Counter {
    std::string name;
    std::int64_t at;
    double value;
  };
  std::vector<Span> spans;
  std::vector<Instant> instants;
  std::vector<Counter> counters;
  std::map<std::string, std::int64_t> group_order;  ///< sort index by group
  /// Sort index by group and track.
  std::map<std::pair<std::string, std::string>, std::int64_t> track_order;

  std::vector<Span> of_group(const std::string& group) const;
};

/// Reads a timeline; fails the test where spans of a track cross, or a begin has no end.
TimelineEvents read_timeline(const std::filesystem::path& file);

/// "12.000345" us in ps.
std::int64_t ps_of(const nlohmann::json& us);

}  // namespace warpvp::test
