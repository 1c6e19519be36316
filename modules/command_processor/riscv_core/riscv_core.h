#pragma once
// The RISC-V core: a hart, its local memory and its way to the platform.
//
// It executes ahead of simulated time, up to `quantum` instructions that need nothing but local memory, and
// then lets that time pass. If an interrupt that can be taken arrives meanwhile, what was executed ahead is
// undone and repeated up to the first instruction that sees the interrupt. Everything else happens at its own
// time: the core waits until an access to a device is due, then one delta cycle, so that clocked blocks have
// seen the edge of that instant. So the results are the same for every quantum, to the instruction.

#include <tlm_utils/simple_initiator_socket.h>

#include <memory>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/command_processor/core/firmware_core.h"
#include "modules/command_processor/gdb/debug_target.h"
#include "modules/command_processor/observe/stack_use.h"
#include "modules/command_processor/riscv/elf_image.h"
#include "modules/command_processor/riscv/hart.h"
#include "modules/command_processor/riscv/instruction_observer.h"
#include "modules/command_processor/riscv/interrupt_lines.h"
#include "modules/command_processor/riscv/local_memory.h"
#include "modules/command_processor/riscv_core/config.h"

namespace warpvp {

class CoreObservation;

struct RiscvCoreStats {
  std::uint64_t instructions = 0, cycles = 0;
  double sleeping = 0;  ///< share of time
  std::uint64_t device_accesses = 0, interrupts = 0, exceptions = 0;
  std::optional<StackUse> stack;  ///< with memory checks
  void stats(StatVisitor& v) const;
};

class RiscvCore : public FirmwareCore, public DebugTarget {
 public:
  /// Loads `image` into local memory and starts at its entry point. Throws InputError if the image does not
  /// fit.
  RiscvCore(sc_core::sc_module_name name, const RiscvCoreConfig& config, CoreSurroundings surroundings,
            riscv::ElfImage image);
  ~RiscvCore() override;

  /// To local memory, which answers with direct access; what lies elsewhere goes through `bus`.
  tlm_utils::simple_initiator_socket<RiscvCore> instructions, data;

  void set_interrupt(Interrupt line, bool level) override;
  void work_arrived() override;
  void halt(std::uint32_t code) override;
  std::string describe() const override;
  bool rests() const override;
  void stats(StatVisitor& visitor) const override;
  void finish() override;

  DebugTarget* debug_target() override { return this; }
  void attach(Debugger* debugger) override { debugger_ = debugger; }
  void add_observer(riscv::InstructionObserver& observer) { observers_.push_back(&observer); }
  /// Lets exceptions be raised within handlers of exceptions, which is a device fault otherwise. For tests of
  /// the instruction set, which leave handlers by other ways than mret.
  void tolerate_nested_exceptions() { nested_exceptions_ = true; }

  const riscv::ElfImage& image() const { return image_; }
  std::uint64_t instructions_executed() const { return hart_ ? hart_->retired() : 0; }

  // ---- DebugTarget
  std::uint32_t read_register(unsigned index) const override { return hart_->x(index & 31); }
  void write_register(unsigned index, std::uint32_t value) override { hart_->set_x(index & 31, value); }
  std::uint32_t read_pc() const override { return hart_->pc(); }
  void write_pc(std::uint32_t value) override { hart_->set_pc(value); }
  std::vector<Csr> csrs() const override;
  std::optional<std::uint32_t> read_csr(std::uint16_t number) const override {
    return hart_->read_csr(number);
  }
  bool write_csr(std::uint16_t number, std::uint32_t value) override {
    return hart_->write_csr(number, value);
  }
  std::size_t read_memory(std::uint32_t address, void* data, std::size_t bytes) override;
  std::size_t write_memory(std::uint32_t address, const void* data, std::size_t bytes) override;
  bool reset() override;
  bool asleep() const override { return asleep_ || halted_; }

 private:
  using Hart = riscv::Hart;
  enum class After { kGoOn, kSleep };

  void end_of_elaboration() override;
  void load_image();
  void run();
  void execute_ahead();
  void execute_observed();
  bool observed() const { return debugger_ != nullptr || !observers_.empty(); }
  std::uint64_t instruction_allowance(std::uint64_t wanted) const;
  After carry_out(Hart::Stop stop);
  After access_device();
  After access_in_burst();
  void sleep();
  bool can_wake() const;
  bool take_interrupt();
  void raise_exception(const riscv::Hart::Exception& exception);
  void tell_trapped(std::uint32_t cause, std::uint32_t value, std::uint32_t pc);
  void check_progress();
  void wait_until_due(bool repeat_for_interrupts);
  void note_start();
  void take_back_what_is_ahead();

  // Time, in units of the simulation's resolution, which is 1 fs.
  std::uint64_t now() const { return sc_core::sc_time_stamp().value(); }
  std::uint64_t due() const { return origin_ + hart_->cycles() * period_; }
  void set_origin(std::uint64_t time) {
    origin_ = time;
    hart_->set_origin(time, period_);
  }
  std::uint64_t takeable_from() const;
  std::uint64_t cycles_until(std::uint64_t time) const;

  riscv::Step prepare_step() const;
  std::string place(std::uint32_t pc) const;
  [[noreturn]] void fail(const std::string& what, std::optional<std::uint32_t> address = {});
  void report(const std::string& what, std::optional<std::uint32_t> address);
  [[noreturn]] void stop_for_ever();
  bool write_register_of_device(std::uint32_t address, unsigned char* data, unsigned bytes);
  std::size_t debug_bus(bool write, std::uint32_t address, unsigned char* data, std::size_t bytes);

  RiscvCoreConfig config_;
  riscv::ElfImage image_;
  LocalMemory local_;
  std::optional<Hart> hart_;
  riscv::InterruptLines lines_;
  sc_core::sc_event interrupt_, work_;
  std::uint64_t period_, origin_ = 0;
  Hart::Stop stop_ = Hart::Stop::kLimit;
  Debugger* debugger_ = nullptr;
  std::vector<riscv::InstructionObserver*> observers_;
  std::unique_ptr<CoreObservation> observation_;
  bool finished_ = false;
  std::uint32_t loaded_ = 0;  // by the last access to a device
  std::uint64_t progress_mark_ = 0;
  // Traps entered and not left by mret, the innermost in the lowest bit: 1 for an exception.
  std::uint64_t handlers_ = 0;
  bool ahead_ = false;  // within execute_ahead: the hart is ahead of simulated time, and can go back
  std::uint64_t noted_at_ = ~std::uint64_t{0}, retired_before_ = 0;
  bool nested_exceptions_ = false;
  bool asleep_ = false, halted_ = false;
  std::uint64_t interrupts_ = 0, exceptions_ = 0;
  std::uint64_t slept_ = 0, asleep_since_ = 0;
};

}  // namespace warpvp
