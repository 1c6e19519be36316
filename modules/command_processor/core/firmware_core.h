#pragma once
// What executes the command processor's firmware: an instruction set simulator (riscv/) or the same sources
// compiled for the host (native/). Around it lie the devices of devices/ and the queue controller.

#include <functional>
#include <string>
#include <systemc>

#include "base/fault.h"
#include "base/stats.h"
#include "modules/command_processor/core/core_bus.h"
#include "modules/command_processor/gdb/debug_target.h"

namespace warpvp {

/// The three machine-level interrupts of the RISC-V privileged architecture, with their bits in mip and mie.
enum class Interrupt : unsigned { kSoftware = 3, kTimer = 7, kExternal = 11 };
constexpr std::uint32_t bit_of(Interrupt line) { return 1u << static_cast<unsigned>(line); }

/// What a core is told about the machine around it, for its fault messages.
struct CoreSurroundings {
  FaultSink* faults = nullptr;
  /// Packets are waiting or in flight in some queue.
  std::function<bool()> work_pending;
  /// State of every queue that is not empty, a line each.
  std::function<std::string()> describe_queues;
  /// Some source that `Interrupt::kExternal` would report is enabled in the interrupt controller.
  std::function<bool()> external_enabled;
  /// The timer will raise its interrupt at some time.
  std::function<bool()> timer_armed;
};

class FirmwareCore : public sc_core::sc_module {
 public:
  FirmwareCore(sc_core::sc_module_name name, CoreSurroundings surroundings)
      : sc_module(name), surroundings_(std::move(surroundings)) {}

  /// The core's way to everything but its local memory: the register bus, and through it device memory.
  CoreBus bus{"bus"};

  /// Level of an interrupt line, from the time of the call on. An instruction sees what happened strictly
  /// before its own time; a core asleep wakes at the time of the call.
  virtual void set_interrupt(Interrupt line, bool level) = 0;
  /// Work arrived: a core that sleeps with no interrupt enabled will never do it, and says so as a fault.
  virtual void work_arrived() {}
  /// The firmware gave up (system control, HALT). Raises the fault with the core's state.
  virtual void halt(std::uint32_t code) = 0;
  /// Where the firmware is, in one line, for messages about hangs.
  virtual std::string describe() const = 0;
  /// It sleeps, or has stopped, and no timer will wake it.
  virtual bool rests() const { return false; }
  /// Group "core" of the command processor's statistics.
  virtual void stats(StatVisitor& visitor) const = 0;
  /// The run is over, though simulated time may go on: settles its figures, and writes what is written at its
  /// end. Throws InputError for a file that cannot be. Nothing, the second time.
  virtual void finish() {}
  /// What a debugger sees of the core, from the end of elaboration on; nullptr: this kind cannot be debugged.
  virtual DebugTarget* debug_target() { return nullptr; }
  /// To be told of every instruction, from the next one on. Only for cores that have a debug_target().
  virtual void attach(Debugger*) {}

 protected:
  /// Thrown to end the core's thread from wherever it is when the firmware has stopped for good. Unwinding
  /// frees what lies on the thread's stack; a thread that waits for ever would keep it.
  struct Stopped {};

  /// A store there counts as progress (core.progress_limit).
  static bool counts_as_progress(std::uint32_t address);
  /// What HALT with this code means, for a fault message.
  static std::string gave_up(std::uint32_t code);
  /// The last accesses to device registers and the state of the queues, for a fault's detail.
  std::string describe_surroundings() const;

  CoreSurroundings surroundings_;
};

}  // namespace warpvp
