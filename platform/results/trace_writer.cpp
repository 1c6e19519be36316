#include "platform/results/trace_writer.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace warpvp {

namespace {

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Trace events count microseconds; picoseconds are kept as exact decimals.
std::string microseconds(std::uint64_t ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

}  // namespace

void TraceWriter::open(const std::string& file) {
  file_ = file;
  errno = 0;
  out_.open(file, std::ios::binary);
  if (!out_) throw InputError(fmt::format("cannot write the trace {}: {}", file, std::strerror(errno)));
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  on_ = true;
  first_ = true;
}

TraceWriter::Track TraceWriter::track(const std::string& group, const std::string& name) {
  Track track;
  const auto [g, new_group] = groups_.emplace(group, static_cast<std::uint32_t>(groups_.size() + 1));
  track.process = g->second;
  const auto [t, new_track] =
      tracks_.emplace(std::pair{track.process, name}, static_cast<std::uint32_t>(tracks_.size() + 1));
  track.thread = t->second;
  if (on_ && new_group) name_row("process", track, group);
  if (on_ && new_track) name_row("thread", track, name);
  return track;
}

void TraceWriter::begin_event(char phase, Track track, const std::string& name) {
  out_ << (first_ ? "\n" : ",\n");
  first_ = false;
  out_ << "{\"ph\":\"" << phase << "\",\"pid\":" << track.process << ",\"tid\":" << track.thread
       << ",\"name\":" << json_string(name);
}

void TraceWriter::name_row(const char* what, Track track, const std::string& name) {
  begin_event('M', track, fmt::format("{}_name", what));
  out_ << ",\"args\":{\"name\":" << json_string(name) << "}}";
  begin_event('M', track, fmt::format("{}_sort_index", what));
  out_ << ",\"args\":{\"sort_index\":" << (what[0] == 'p' ? track.process : track.thread) << "}}";
}

void TraceWriter::write_slice(Track track, const std::string& name, std::uint64_t start_ps,
                              std::uint64_t end_ps, const Args& args) {
  begin_event('X', track, name);
  out_ << ",\"ts\":" << microseconds(start_ps)
       << ",\"dur\":" << microseconds(end_ps > start_ps ? end_ps - start_ps : 0);
  if (!args.empty()) {
    out_ << ",\"args\":{";
    for (std::size_t i = 0; i < args.size(); ++i)
      out_ << (i > 0 ? "," : "") << json_string(args[i].first) << ":" << json_string(args[i].second);
    out_ << "}";
  }
  out_ << "}";
}

void TraceWriter::write_instant(Track track, const std::string& name, std::uint64_t at_ps) {
  begin_event('i', track, name);
  out_ << ",\"ts\":" << microseconds(at_ps) << ",\"s\":\"t\"}";
}

void TraceWriter::write_counter(Track track, const std::string& name, std::uint64_t at_ps, double value) {
  begin_event('C', track, name);
  out_ << ",\"ts\":" << microseconds(at_ps)
       << ",\"args\":{\"value\":" << (std::isfinite(value) ? fmt::format("{}", value) : "null") << "}}";
}

void TraceWriter::close() {
  if (!on_) return;
  out_ << "\n]}\n";
  out_.close();
  on_ = false;
}

void TraceWriter::finish() {
  if (!on_) return;
  errno = 0;
  close();
  if (!out_) throw InputError(fmt::format("cannot write the trace {}: {}", file_, std::strerror(errno)));
}

}  // namespace warpvp
