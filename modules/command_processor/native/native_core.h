#pragma once
// Runs the firmware's own sources compiled for the host: quick, and open to the host's debugger and
// sanitizers.
//
// Only accesses to the platform take time, as on a RISC-V core whose instructions all cost nothing, and by
// the same rule: wait until the access is due (always now), then one delta cycle, perform it, wait as long as
// it takes. So both take the same decisions at the same times.
//
// Firmware that crashes, loops or exits is a device fault (firmware_guard.h).
//
// The firmware is C with state of its own, once in a process: a second core in one process is refused.

#include <cstdint>
#include <string>
#include <systemc>
#include <vector>

#include "modules/command_processor/core/firmware_core.h"
#include "modules/command_processor/native/firmware_guard.h"
#include "modules/command_processor/riscv/interrupt_lines.h"

struct fw_policy;

namespace warpvp {

struct NativeCoreStats {
  double sleeping = 0;  ///< share of time
  std::uint64_t device_accesses = 0;
  void stats(StatVisitor& v) const;
};

class NativeCore : public FirmwareCore {
 public:
  /// `policy`: one of policies(). A device fault comes after `progress_limit` accesses without progress, and
  /// after `native_limit` basic blocks without an access; 0: no limit. `assisted`: hardware starts packets.
  NativeCore(sc_core::sc_module_name name, CoreSurroundings surroundings, const std::string& policy,
             std::uint64_t progress_limit, std::uint64_t native_limit = 0, bool assisted = false);
  ~NativeCore() override;

  /// The policies compiled into this program: those of sw/firmware/policies.
  static std::vector<std::string> policies();

  void set_interrupt(Interrupt line, bool level) override;
  void work_arrived() override { work_.notify(); }
  void halt(std::uint32_t code) override;
  std::string describe() const override;
  bool rests() const override;
  void stats(StatVisitor& visitor) const override;

  // ---- What the firmware calls (the primitives of sw/firmware/hal/hal.h)
  std::uint32_t load(std::uint32_t address);
  void store(std::uint32_t address, std::uint32_t value);
  /// `words` words in one access.
  void burst(bool write, std::uint32_t address, std::uint32_t* data, unsigned words);
  void enable_wakeup();
  void sleep();
  bool timer_expired() const;
  /// The core that executes firmware in this process.
  static NativeCore& running();

 private:
  void run();
  void access(bool write, std::uint32_t address, void* data, unsigned bytes);
  bool can_wake() const;
  void report(const std::string& what);
  [[noreturn]] void fail(const std::string& what);
  [[noreturn]] void stop_for_ever();
  static std::uint64_t now() { return sc_core::sc_time_stamp().value(); }

  FirmwareGuard guard_;
  std::string policy_name_;
  const fw_policy* policy_ = nullptr;
  bool assisted_;
  std::uint64_t progress_limit_;
  std::uint64_t idle_accesses_ = 0;  // since the last progress
  std::uint32_t enabled_ = 0;        // interrupt lines that end sleep, as bits of mie
  riscv::InterruptLines lines_;
  sc_core::sc_event interrupt_, work_;
  bool asleep_ = false, halted_ = false;
  std::uint64_t slept_ = 0, asleep_since_ = 0;
};

}  // namespace warpvp
