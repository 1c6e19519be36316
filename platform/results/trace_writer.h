#pragma once
// A timeline in Chrome's trace-event JSON, which ui.perfetto.dev opens. Groups of tracks are shown as
// processes, tracks as threads. A writer that was never opened costs one test a call.

#include <cstdint>
#include <fstream>
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

  TraceWriter() = default;
  ~TraceWriter() { close(); }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  /// Starts recording. InputError if the file cannot be written.
  void open(const std::string& file);
  bool on() const { return on_; }

  /// The track of that name in that group, made on first use; shown in the order of making.
  Track track(const std::string& group, const std::string& name);

  /// Something that lasted from `start_ps` to `end_ps`. Slices of one track must not overlap unless one holds
  /// the other.
  void slice(Track track, const std::string& name, std::uint64_t start_ps, std::uint64_t end_ps,
             const Args& args = {}) {
    if (on_) write_slice(track, name, start_ps, end_ps, args);
  }
  void instant(Track track, const std::string& name, std::uint64_t at_ps) {
    if (on_) write_instant(track, name, at_ps);
  }
  /// A new value of a counter of the track's group.
  void counter(Track track, const std::string& name, std::uint64_t at_ps, double value) {
    if (on_) write_counter(track, name, at_ps, value);
  }

  /// Ends the file. InputError if something could not be written (a full disk); not from the destructor.
  void finish();

 private:
  void close();
  void begin_event(char phase, Track track, const std::string& name);
  void write_slice(Track track, const std::string& name, std::uint64_t start_ps, std::uint64_t end_ps,
                   const Args& args);
  void write_instant(Track track, const std::string& name, std::uint64_t at_ps);
  void write_counter(Track track, const std::string& name, std::uint64_t at_ps, double value);
  void name_row(const char* what, Track track, const std::string& name);

  bool on_ = false;
  bool first_ = true;
  std::string file_;
  std::ofstream out_;
  std::map<std::string, std::uint32_t> groups_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> tracks_;
};

}  // namespace warpvp
