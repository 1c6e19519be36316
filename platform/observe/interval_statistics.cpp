#include "platform/observe/interval_statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/error.h"
#include "platform/build/platform.h"

namespace warpvp {

using sc_core::sc_time;

namespace {

constexpr std::uint64_t kFsPerUs = 1'000'000'000;

/// Simulated time is a whole number of femtoseconds.
std::uint64_t femtoseconds(const sc_time& t) {
  static const std::uint64_t unit = sc_time(1, sc_core::SC_FS).value();
  return t.value() / unit;
}

/// Most of what is written, so it should cost little.
void append_whole(std::string& text, std::int64_t number) {
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

}  // namespace

IntervalStatistics::IntervalStatistics(Platform& platform, const IntervalConfig& config,
                                       const std::filesystem::path& folder)
    : platform_(platform),
      length_(config.cycles),
      counters_(platform, config.counters),
      path_((folder / kIntervalFile).string()),
      due_(platform.sm_clock().time_of(length_)),
      due_cycle_(length_),
      last_(counters_.columns().size(), 0) {
  errno = 0;
  out_.open(path_, std::ios::binary);
  if (!out_) throw InputError(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
  line_ = "time_us,cycle";
  for (const IntervalColumn& column : counters_.columns()) line_ += "," + column.name;
  line_ += "\n";
  out_ << line_ << std::flush;
}

IntervalStatistics::~IntervalStatistics() {
  listener_ = nullptr;
  if (holds_) write_held();
}

/// From totals to what came since the last call; levels stay.
void IntervalStatistics::difference(std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (counters_.columns()[i].level) continue;
    const double total = values[i];
    values[i] -= last_[i];
    last_[i] = total;
  }
}

void IntervalStatistics::take(const sc_time& next_event) {
  const ClockDomain& clock = platform_.sm_clock();
  Row row{held_.to, due_, due_cycle_, {}};
  counters_.read(due_cycle_, row.values);
  difference(row.values);
  hold(std::move(row));
  // Nothing happens before the next event, so an interval that ends at the last multiple before it will do.
  const Cycle quiet_until = next_event / clock.period();
  due_cycle_ = std::max(due_cycle_ + length_, quiet_until / length_ * length_);
  due_ = clock.time_of(due_cycle_);
}

void IntervalStatistics::finish() {
  if (finished_) return;
  finished_ = true;
  Row row{held_.to, sc_core::sc_time_stamp(), platform_.sm_clock().now(), {}};
  counters_.read_final(row.values);
  difference(row.values);
  if (holds_ && row.cycle <= held_.cycle) {
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      double& value = held_.values[i];
      value = row.values[i] + (counters_.columns()[i].level ? 0 : value);
    }
  } else {
    hold(std::move(row));
  }
  if (holds_) write_held();
  errno = 0;
  out_.close();
  if (error_ == 0 && !out_) error_ = errno;
  if (error_ != 0) throw InputError(fmt::format("cannot write {}: {}", path_, std::strerror(error_)));
}

void IntervalStatistics::hold(Row row) {
  if (holds_) write_held();
  held_ = std::move(row);
  holds_ = true;
}

void IntervalStatistics::write_held() {
  holds_ = false;
  const std::uint64_t fs = femtoseconds(held_.to);
  line_.clear();
  fmt::format_to(std::back_inserter(line_), "{}.{:09},{}", fs / kFsPerUs, fs % kFsPerUs, held_.cycle);
  for (std::size_t i = 0; i < held_.values.size(); ++i) {
    line_ += ',';
    if (counters_.columns()[i].whole) {
      append_whole(line_, static_cast<std::int64_t>(held_.values[i]));
    } else {
      fmt::format_to(std::back_inserter(line_), "{}", held_.values[i]);
    }
  }
  line_ += '\n';
  errno = 0;
  // Row by row, so that whoever looks on, or ends the program, has all but the last one.
  out_ << line_ << std::flush;
  if (!out_ && error_ == 0) error_ = errno != 0 ? errno : EIO;
  if (listener_) listener_(held_);
}

}  // namespace warpvp
