#pragma once
// What a debugger's client asks of a stopped core, and the answers: one packet in, one answer out. Knows the
// protocol's commands and nothing of sockets.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "modules/command_processor/gdb/debug_target.h"
#include "modules/command_processor/gdb/run_control.h"

namespace warpvp::gdb {

/// A word that the user may type after GDB's `monitor`.
struct MonitorCommand {
  std::string name;
  std::string sentence;  ///< for `monitor help`
  std::function<std::string()> text;
};

/// What is to be done about a packet.
struct Answer {
  enum class Action : std::uint8_t { kStay, kContinue, kStep, kDetach, kKill };
  std::vector<std::string> payloads;  ///< to be sent first, each as a packet
  Action action = Action::kStay;
  bool stop_acknowledging = false;  ///< after the payloads
};

/// The conversation with one client, from its connection to its end.
class Session {
 public:
  Session(DebugTarget& target, RunControl& run, const std::vector<MonitorCommand>& monitor)
      : target_(target), run_(run), monitor_(monitor) {}

  /// Takes any payload whatever; commands that are not known get the empty answer, as the protocol wants it.
  Answer handle(std::string_view packet);
  /// The core stopped: from now on `?` answers with this.
  void stopped(const Stop& stop) { stop_ = stop; }
  /// The stop as a packet.
  std::string stop_reply() const;

 private:
  Answer resume(std::string_view packet, bool with_signal, bool step);
  Answer verbose(std::string_view packet);
  Answer query(std::string_view packet);
  std::string read_all() const;
  bool write_all(std::string_view hex);
  std::string read_register(std::uint64_t number) const;
  bool write_register(std::uint64_t number, std::uint32_t value);
  std::string read_memory(std::string_view arguments);
  std::string write_memory(std::string_view arguments, bool binary);
  std::string change_point(std::string_view packet);
  std::string transfer(std::string_view arguments);
  Answer monitor(std::string_view hex);
  std::string monitor_text(std::string_view word) const;

  DebugTarget& target_;
  RunControl& run_;
  const std::vector<MonitorCommand>& monitor_;
  Stop stop_;
  bool tells_breakpoints_[2] = {false, false};  // the client understands swbreak, hwbreak
};

}  // namespace warpvp::gdb
