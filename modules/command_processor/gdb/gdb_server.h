#pragma once
// Serves GDB's remote protocol for one core, on a loopback port, out of the simulation's own thread.
//
// A client that connects stops the core with its first packet; until it lets the core go, no simulated time
// passes. A client may detach or vanish, and another one may connect: the simulation goes on in between. What
// is no packet is skipped, and a client that has sent none yet gives way to the next.

#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "modules/command_processor/gdb/loopback_socket.h"
#include "modules/command_processor/gdb/packet_codec.h"
#include "modules/command_processor/gdb/run_control.h"
#include "modules/command_processor/gdb/session.h"

namespace warpvp {

struct GdbServerOptions {
  std::uint16_t port = 0;  ///< 0: one that is free
  bool wait = false;       ///< the core does not execute its first instruction before a client lets it
  std::vector<gdb::MonitorCommand> monitor;
  std::function<void()> kill;  ///< the client wants the run to end
  /// Becomes true when the user interrupts the program; a stopped core is then let go.
  const std::atomic<bool>* interrupted = nullptr;
};

class GdbServer : public Debugger {
 public:
  /// Listens from now on. InputError if the port is taken.
  GdbServer(DebugTarget& target, GdbServerOptions options);

  std::uint16_t port() const { return socket_.port(); }

  // Debugger: called by the core.
  void before_instruction() override;
  void accessed(std::uint32_t address, unsigned bytes, bool store) override {
    run_.accessed(address, bytes, store);
  }
  void faulted(const std::string& what) override;

  /// Looks after the client while the core may be asleep. To be called between two calls of sc_start.
  void poll();
  /// The simulation is over: tells the client the exit status and lets it go.
  void finish(int exit_status);

 private:
  void look(std::chrono::milliseconds patience);
  void take_bytes(std::string_view bytes);
  void serve(gdb::Stop stop, bool executes_now);
  bool answer(const std::string& packet, bool executes_now);
  void send(const std::string& payload);
  void drop_client();
  void forget_client();
  bool interrupted() const { return options_.interrupted && options_.interrupted->load(); }

  DebugTarget& target_;
  GdbServerOptions options_;
  gdb::LoopbackSocket socket_;
  gdb::RunControl run_;
  gdb::PacketReader reader_;
  std::optional<gdb::Session> session_;  // since the client's first packet
  std::deque<gdb::PacketEvent> events_;  // packets and Ctrl-Cs that arrived and were not yet answered
  bool acknowledge_ = true;
  bool owes_stop_ = false;  // the client let the core go and waits for it to stop
  std::string last_sent_;
  unsigned until_look_ = 0;
};

}  // namespace warpvp
