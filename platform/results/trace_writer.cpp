#include "platform/results/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace warpvp {

namespace {

std::string json_string(const std::string& text) {
  const bool plain = std::all_of(
      text.begin(), text.end(), [](unsigned char c) { return c >= ' ' && c < 127 && c != '"' && c != '\\'; });
  if (plain) return '"' + text + '"';
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Trace events count microseconds; picoseconds are kept as exact decimals.
std::string microseconds(std::uint64_t ps) { return fmt::format("{}.{:06}", ps / 1'000'000, ps % 1'000'000); }

/// A length, less 0.4 ps: viewers add it to the start in doubles, and one that comes out too late by rounding
/// makes them draw the next slice inside this one.
std::string length(std::uint64_t ps) {
  const std::uint64_t tenths = ps == 0 ? 0 : 10 * ps - 4;
  return fmt::format("{}.{:07}", tenths / 10'000'000, tenths % 10'000'000);
}

}  // namespace

void TraceWriter::open(const std::string& file) {
  file_ = file;
  errno = 0;
  out_.open(file, std::ios::binary);
  if (!out_) throw InputError(fmt::format("cannot write the trace {}: {}", file, std::strerror(errno)));
  out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  on_ = true;
  written_ = 0;
}

TraceWriter::Track TraceWriter::track(const std::string& group, const std::string& name) {
  return track(group, name, static_cast<std::uint32_t>(groups_.size() + 1),
               static_cast<std::uint32_t>(tracks_.size() + 1));
}

TraceWriter::Track TraceWriter::track(const std::string& group, const std::string& name,
                                      std::uint32_t group_order, std::uint32_t order) {
  Track track;
  const auto [g, new_group] = groups_.emplace(group, static_cast<std::uint32_t>(groups_.size() + 1));
  track.process = g->second;
  const auto [t, new_track] =
      tracks_.emplace(std::pair{track.process, name}, static_cast<std::uint32_t>(tracks_.size() + 1));
  track.thread = t->second;
  if (on_ && new_group) name_row("process", track, group, group_order);
  if (on_ && new_track) name_row("thread", track, name, order);
  return track;
}

void TraceWriter::begin_event(char phase, Track track, const std::string& name) {
  event_ = fmt::format("{}{{\"ph\":\"{}\",\"pid\":{},\"tid\":{}", written_ == 0 ? "\n" : ",\n", phase,
                       track.process, track.thread);
  if (!name.empty()) event_ += ",\"name\":" + json_string(name);
}

void TraceWriter::end_event(std::uint64_t at_ps) {
  event_ += '}';
  out_ << event_;
  written_ += event_.size();
  latest_ = std::max(latest_, at_ps);
  if (written_ >= limit_ && stopped_at_ == kForEver) stop(at_ps);
}

void TraceWriter::add_args(const Args& args) {
  if (args.empty()) return;
  event_ += ",\"args\":{";
  for (std::size_t i = 0; i < args.size(); ++i)
    event_ += (i > 0 ? "," : "") + json_string(args[i].first) + ":" + json_string(args[i].second);
  event_ += '}';
}

void TraceWriter::name_row(const char* what, Track track, const std::string& name, std::uint32_t order) {
  begin_event('M', track, fmt::format("{}_name", what));
  event_ += ",\"args\":{\"name\":" + json_string(name) + "}";
  end_event(0);
  if (!on_) return;
  begin_event('M', track, fmt::format("{}_sort_index", what));
  event_ += fmt::format(",\"args\":{{\"sort_index\":{}}}", order);
  end_event(0);
}

/// The time lies within the window. The first that does brings the counters with it that were set before.
bool TraceWriter::in_window(std::uint64_t at_ps) {
  if (at_ps < window_start_ || at_ps > window_end_) return false;
  const auto before = std::move(before_window_);
  before_window_.clear();
  for (const auto& [key, value] : before)
    counter({key.first.first, key.first.second}, key.second, window_start_, value);
  return on_;
}

void TraceWriter::write_slice(Track track, const std::string& name, std::uint64_t start_ps,
                              std::uint64_t end_ps, const Args& args) {
  start_ps = std::max(start_ps, window_start_);
  if (end_ps != kForEver) end_ps = std::max(start_ps, std::min(end_ps, window_end_));
  if (start_ps == end_ps && start_ps == window_start_ && window_start_ != 0) return;  // all of it was before
  if (!in_window(start_ps)) return;
  write_open(track);
  if (!on_) return;
  begin_event('X', track, name);
  event_ += fmt::format(",\"ts\":{},\"dur\":{}", microseconds(start_ps), length(end_ps - start_ps));
  add_args(args);
  end_event(end_ps);
}

void TraceWriter::write_begin(Track track, const std::string& name, std::uint64_t start_ps,
                              const Args& args) {
  open_[{track.process, track.thread}].push_back({name, start_ps, args});
  if (start_ps >= window_start_) write_open(track);
}

void TraceWriter::write_open(Track track) {
  const auto found = open_.find({track.process, track.thread});
  if (found == open_.end()) return;
  for (Open& open : found->second) {
    const std::uint64_t start = std::max(open.start_ps, window_start_);
    if (open.written || !in_window(start)) continue;
    open.written = true;
    begin_event('B', track, open.name);
    event_ += fmt::format(",\"ts\":{}", microseconds(start));
    add_args(open.args);
    end_event(start);
    if (!on_) return;
  }
}

void TraceWriter::write_end(Track track, std::uint64_t end_ps) {
  auto& open = open_[{track.process, track.thread}];
  if (open.empty()) return;
  if (end_ps > window_start_) write_open(track);
  if (!on_ || open.empty()) return;
  const bool written = open.back().written;
  open.pop_back();
  if (!written) return;
  end_ps = std::min(std::max(end_ps, window_start_), window_end_);
  begin_event('E', track, "");
  event_ += fmt::format(",\"ts\":{}", microseconds(end_ps));
  end_event(end_ps);
}

void TraceWriter::write_instant(Track track, const std::string& name, std::uint64_t at_ps, const Args& args) {
  if (!in_window(at_ps)) return;
  begin_event('i', track, name);
  event_ += fmt::format(",\"ts\":{},\"s\":\"t\"", microseconds(at_ps));
  add_args(args);
  end_event(at_ps);
}

void TraceWriter::write_counter(Track track, const std::string& name, std::uint64_t at_ps, double value) {
  if (at_ps < window_start_) {
    before_window_[{{track.process, track.thread}, name}] = value;
    return;
  }
  if (!in_window(at_ps)) return;
  begin_event('C', track, name);
  event_ += fmt::format(",\"ts\":{},\"args\":{{\"value\":{}}}", microseconds(at_ps),
                        std::isfinite(value) ? fmt::format("{}", value) : "null");
  end_event(at_ps);
}

/// The limit is reached: what is open ends here, and one line says why there is no more.
void TraceWriter::stop(std::uint64_t at_ps) {
  stopped_at_ = std::max(at_ps, latest_);
  for (auto& [row, open] : open_) {
    open.erase(std::remove_if(open.begin(), open.end(), [](const Open& o) { return !o.written; }),
               open.end());
    while (!open.empty()) write_end({row.first, row.second}, stopped_at_);
  }
  instant(track("Recording", "end", 0, 0),
          fmt::format("recording ended: the file has reached its limit of {} bytes", limit_), stopped_at_);
  end_file();
}

void TraceWriter::end_file() {
  out_ << "\n]}\n";
  out_.close();
  on_ = false;
}

void TraceWriter::close() {
  if (on_) end_file();
}

void TraceWriter::finish() {
  if (file_.empty()) return;
  errno = 0;
  close();
  if (!out_) throw InputError(fmt::format("cannot write the trace {}: {}", file_, std::strerror(errno)));
}

}  // namespace warpvp
