#pragma once
// Between a core that executes firmware and a debugger: what the debugger sees of the core (DebugTarget), and
// what the core tells the debugger (Debugger).
//
// There is one thread. A core that is debugged calls its Debugger before every instruction; to stop the core
// is not to return from that call. The process that executes the core then keeps the SystemC scheduler from
// going on, so simulated time stands still for the whole platform, and being stopped leaves no trace in the
// results. A core that is debugged executes with a quantum of one instruction, so its state is that between
// two instructions.
//
// While the core sleeps it makes no calls. Whoever drives the simulation then looks after the debugger
// between two calls of sc_start (GdbServer::poll), when the whole platform stands still as well.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpvp {

/// What a debugger reads and changes of a stopped core. Called within a call of Debugger, or between two
/// calls of sc_start while `asleep`; takes no simulated time.
class DebugTarget {
 public:
  struct Csr {
    std::string name;      ///< "mstatus"
    std::uint16_t number;  ///< as in the instruction: 0x300
  };

  virtual ~DebugTarget() = default;

  /// x0 to x31. Writing x0 does nothing.
  virtual std::uint32_t read_register(unsigned index) const = 0;
  virtual void write_register(unsigned index, std::uint32_t value) = 0;
  /// The next instruction to be executed. After writing it the core goes on there.
  virtual std::uint32_t read_pc() const = 0;
  virtual void write_pc(std::uint32_t value) = 0;

  /// Every CSR that the core has, by rising number.
  virtual std::vector<Csr> csrs() const = 0;
  /// Nothing: no such CSR. Without side effects.
  virtual std::optional<std::uint32_t> read_csr(std::uint16_t number) const = 0;
  /// As csrw does, with what is read-only left as it is; false: no such CSR, or it is read-only.
  virtual bool write_csr(std::uint16_t number, std::uint32_t value) = 0;

  /// Memory as the core addresses it: local memory; device memory and device registers through the debug path
  /// of the bus. Reading has no side effects; writing a device's register has, as if the core did it, in words. Returns
  /// how many bytes from `address` on were read or written before the first that could not be. Instructions that were written are the ones executed afterwards.
  virtual std::size_t read_memory(std::uint32_t address, void* data, std::size_t bytes) = 0;
  virtual std::size_t write_memory(std::uint32_t address, const void* data, std::size_t bytes) = 0;

  /// Starts the firmware anew, as after power-on: what was loaded lies in local memory again, registers are 0, and the
  /// core goes on at the entry point. The rest of the platform stays as it is. False: the core cannot.
  virtual bool reset() { return false; }

  /// The core waits in wfi, or will not execute again. Its pc is then the instruction after the wfi.
  virtual bool asleep() const = 0;
};

/// Whoever stops a core. A core without one pays nothing; a core that has one makes these calls.
class Debugger {
 public:
  virtual ~Debugger() = default;

  /// The core is about to execute the instruction at its pc, traps and interrupts before it having been
  /// taken. Returns when it may; the client may then have changed registers, pc, CSRs and memory, so the core
  /// goes by what they are now, whatever it had looked up before.
  virtual void before_instruction() = 0;
  /// An instruction loaded (`store` false) or stored `bytes` bytes at `address`, with its effect. An atomic
  /// operation is a load and a store. Fetches do not count.
  virtual void accessed(std::uint32_t address, unsigned bytes, bool store) = 0;
  /// The core is about to raise a device fault, `what`, with its pc at the instruction to blame. The client
  /// may look around; when the call returns the fault takes its course.
  virtual void faulted(const std::string& what) = 0;
};

}  // namespace warpvp
