#pragma once
// A timeline in Chrome's trace-event JSON, which ui.perfetto.dev opens. Groups of tracks are shown as
// processes, tracks as threads. A writer that was never opened costs one test a call.

#include <cstdint>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpvp {

class TraceWriter {
 public:
  /// A row of the timeline.
  struct Track {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
  };
  using Args = std::vector<std::pair<std::string, std::string>>;
  static constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();

  TraceWriter() = default;
  ~TraceWriter() { close(); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Starts recording. InputError if the file cannot be written.
  void open(const std::string& file);
  /// Recording: it was opened, and has neither ended nor come to its limit.
  bool on() const { return on_; }

  /// What lies outside of this part of simulated time is left out, and slices are cut at its ends.
  void set_window(std::uint64_t start_ps, std::uint64_t end_ps) {
    window_start_ = start_ps;
    window_end_ = end_ps;
  }
  /// Once the file has so many bytes, recording ends with an instant that says so.
  void set_limit(std::uint64_t bytes) { limit_ = bytes; }
  /// The limit has been reached, at this time; kForEver: it has not.
  std::uint64_t stopped_at() const { return stopped_at_; }

  /// The track of that name in that group, made on first use; shown in the order of making.
  Track track(const std::string& group, const std::string& name);
  /// The same, in the order of these numbers: groups among each other, tracks within their group.
  Track track(const std::string& group, const std::string& name, std::uint32_t group_order,
              std::uint32_t order);

  /// Something that lasted from `start_ps` to `end_ps`. Slices of one track must not overlap unless one holds
  /// the other.
  void slice(Track track, const std::string& name, std::uint64_t start_ps, std::uint64_t end_ps,
             const Args& args = {}) {
    if (on_) write_slice(track, name, start_ps, end_ps, args);
  }
  /// The same in two calls, for slices that hold others: those are written in between. Every begin() has its
  /// end(), and those of a track nest.
  void begin(Track track, const std::string& name, std::uint64_t start_ps, const Args& args = {}) {
    if (on_) write_begin(track, name, start_ps, args);
  }
  void end(Track track, std::uint64_t end_ps) {
    if (on_) write_end(track, end_ps);
  }
  void instant(Track track, const std::string& name, std::uint64_t at_ps, const Args& args = {}) {
    if (on_) write_instant(track, name, at_ps, args);
  }
  /// A new value of a counter of the track's group.
  void counter(Track track, const std::string& name, std::uint64_t at_ps, double value) {
    if (on_) write_counter(track, name, at_ps, value);
  }

  /// Ends the file. InputError if something could not be written (a full disk); not from the destructor.
  void finish();

 private:
  /// begin() without end() so far. Written at once, or, if it was before the window, when something of it
  /// turns out to lie within.
  struct Open {
    std::string name;
    std::uint64_t start_ps;
    Args args;
    bool written = false;
  };
  using CounterKey = std::pair<std::pair<std::uint32_t, std::uint32_t>, std::string>;

  void close();
  void end_file();
  void begin_event(char phase, Track track, const std::string& name);
  void end_event(std::uint64_t at_ps);
  void add_args(const Args& args);
  bool in_window(std::uint64_t at_ps);
  void write_slice(Track track, const std::string& name, std::uint64_t start_ps, std::uint64_t end_ps,
                   const Args& args);
  void write_begin(Track track, const std::string& name, std::uint64_t start_ps, const Args& args);
  void write_end(Track track, std::uint64_t end_ps);
  void write_open(Track track);
  void write_instant(Track track, const std::string& name, std::uint64_t at_ps, const Args& args);
  void write_counter(Track track, const std::string& name, std::uint64_t at_ps, double value);
  void name_row(const char* what, Track track, const std::string& name, std::uint32_t order);
  void stop(std::uint64_t at_ps);

  bool on_ = false;
  std::string file_;
  std::ofstream out_;
  std::string event_;  // under way
  std::uint64_t written_ = 0, limit_ = kForEver, stopped_at_ = kForEver;
  std::uint64_t window_start_ = 0, window_end_ = kForEver;
  std::uint64_t latest_ = 0;  // time of what was written
  std::map<std::string, std::uint32_t> groups_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> tracks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Open>>
      open_;                                    // by track, the outermost first
  std::map<CounterKey, double> before_window_;  // last values
};

}  // namespace warpvp
