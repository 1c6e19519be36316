#pragma once
// `--gdb`: a debugger for the firmware of the command processor as a client of the session, with what it may
// ask about the rest.

#include <atomic>
#include <string>

#include "base/error.h"
#include "modules/command_processor/core/core_bus.h"
#include "modules/command_processor/gdb/gdb_server.h"
#include "platform/run/run.h"
#include "platform/simulation.h"

namespace warpvp {

class FirmwareDebugger : public SimulationClient {
 public:
  /// Attaches itself to the session, and listens from now on. InputError if the port is taken, or if the
  /// platform has no core that can be debugged.
  FirmwareDebugger(Simulation& simulation, const DebugRequest& request, const std::atomic<bool>* interrupted);

  std::uint16_t port() const { return server_.port(); }
  /// The user had the debugger end the run, and the session has been stopped.
  bool killed() const { return killed_; }

  /// Serves a user who wants something while the core sleeps.
  void between_steps(Simulation&) override { server_.poll(); }
  /// Lets the user look around before the run ends.
  void stuck(Simulation&, const std::string& why) override { server_.faulted(why); }
  /// Tells the user how the run ended.
  void ended(const Outcome& outcome) override { server_.finish(static_cast<int>(outcome.code)); }
  /// The user stops the firmware for as long as he likes.
  bool device_may_wait() const override { return true; }

 private:
  bool killed_ = false;
  GdbServer server_;
};

// What `monitor` shows, read from the registers that firmware could read.
std::string queue_table(CoreBus& bus);
std::string distributor_table(CoreBus& bus);

}  // namespace warpvp
