#pragma once
// `--gdb`: a debugger for the firmware of a platform's command processor, with what it may ask about the
// rest.

#include <atomic>
#include <string>

#include "base/error.h"
#include "modules/command_processor/core/core_bus.h"
#include "modules/command_processor/gdb/gdb_server.h"
#include "platform/platform.h"
#include "platform/run.h"

namespace warpvp {

class FirmwareDebugger {
 public:
  /// Listens from now on. InputError if the port is taken, or if the platform has no core that can be
  /// debugged.
  FirmwareDebugger(Platform& platform, const DebugRequest& request, const std::atomic<bool>* interrupted);

  std::uint16_t port() const { return server_.port(); }
  /// The user had the debugger end the run.
  bool killed() const { return killed_; }
  /// To be called between two calls of sc_start: serves a client that wants something while the core sleeps.
  void poll() { server_.poll(); }
  /// The run cannot go on, as `why` says: lets the client look around before it ends.
  void stop(const std::string& why) { server_.faulted(why); }
  /// Tells the client how the run ended.
  void finish(ExitCode code) { server_.finish(static_cast<int>(code)); }

 private:
  void kill();

  bool killed_ = false;
  GdbServer server_;
};

// What `monitor` shows, read from the registers that firmware could read.
std::string queue_table(CoreBus& bus);
std::string distributor_table(CoreBus& bus);

}  // namespace warpvp
