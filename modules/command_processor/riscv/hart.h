#pragma once
// One RV32IMAC_Zicsr_Zifencei hart in machine mode with its local memory. Plain C++: no SystemC, no clock.
//
// `run` executes what needs nothing but registers and local memory, and counts cycles. It returns *before* an
// instruction that has to happen at its very time: an access outside local memory, wfi, mret, an access to
// the CSRs through which interrupts act (mstatus, mie, mip), and an instruction that traps. The owner then
// lets time pass and carries it out with one of the calls below. Because such instructions end a run, whether
// an interrupt can be taken does not change within one.
//
// Running ahead can be taken back: `begin` marks a point, stores after it are logged, `undo` returns to it.
//
// Instructions are decoded once. A store, of the program or through `write_local`, makes what it overwrites
// be decoded anew, so fence.i has nothing left to do: caring for stores costs one test each and also serves
// debuggers and loaders, which know no fence.

#include <cstdint>
#include <optional>
#include <vector>

#include "modules/command_processor/riscv/costs.h"
#include "modules/command_processor/riscv/csr.h"
#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv {

class Hart {
 public:
  /// Why `run` came back.
  enum class Stop : std::uint8_t {
    kLimit,   ///< as many instructions or cycles as asked for
    kDevice,  ///< `pending_access` outside local memory: finish_access or enter_exception
    kSystem,  ///< wfi, mret, or an access to mstatus, mie or mip: execute_system
    kTrap,    ///< `pending_exception`: enter_exception
    kBurst,   ///< `pending_burst`: finish_burst or enter_exception
  };
  /// Words moved between local memory and elsewhere in one access, which an instruction starts that writes one of the
  /// CSRs mburstread and mburstwrite. Not checked.
  struct Burst {
    std::uint32_t address = 0;  ///< elsewhere
    std::uint32_t local = 0, words = 0;
    bool write = false;  ///< from local memory
  };
  static constexpr std::uint32_t kBurstWords = 64;
  struct Access {
    std::uint32_t address = 0;
    std::uint32_t value = 0;  ///< of a store
    std::uint8_t bytes = 0;
    bool store = false;
    bool atomic = false;
  };
  struct Exception {
    Cause cause = Cause::kIllegalInstruction;
    std::uint32_t value = 0;  ///< what mtval gets
  };

  /// `local`: `bytes` (a multiple of 64) of memory that the hart sees at `base`; it must live as long as the
  /// hart. Misaligned loads and stores trap, or local memory takes them (extension Zicclsm).
  Hart(std::uint8_t* local, std::uint32_t base, std::uint32_t bytes, const RiscvCosts& costs,
       bool misaligned_traps = true);

  /// As after reset, with the next instruction at `pc`. Local memory stays as it is.
  void reset(std::uint32_t pc);
  /// The same while time and the count of retired instructions go on.
  void restart(std::uint32_t pc);

  /// Runs until the first of: `instructions` retired, `cycles()` at least `cycle_limit`, something in Stop.
  Stop run(std::uint64_t instructions, std::uint64_t cycle_limit = ~std::uint64_t{0});
  const Access& pending_access() const { return access_; }
  const Exception& pending_exception() const { return exception_; }

  /// After Stop::kDevice: the access was done; `loaded` is what a load read, in its lowest bytes.
  void finish_access(std::uint32_t loaded);
  Burst pending_burst() const;
  /// After Stop::kBurst: it was done.
  void finish_burst();
  /// After Stop::kSystem.
  enum class System : std::uint8_t { kCsr, kReturn, kWait };
  System execute_system();
  /// Enters the trap handler with the pc at the instruction to blame, or at the first not executed.
  void enter_exception(const Exception& exception);
  void enter_interrupt(unsigned line);

  /// Marks the point to which `undo` goes back. At most `instructions` may be run from one mark.
  void begin(std::uint64_t instructions);
  void undo();

  // ---- Time: cycles since the instant `set_origin` named.
  std::uint64_t cycles() const { return s_.cycles; }
  /// `fs`: the simulated time at which cycles() is 0 from now on; `period_fs`: of the core's clock.
  void set_origin(std::uint64_t fs, std::uint64_t period_fs);
  /// Lets cycles pass without an instruction.
  void add_cycles(std::uint64_t cycles) { s_.cycles += cycles; }
  std::uint64_t retired() const { return s_.retired; }

  // ---- Interrupts
  /// Levels of the lines as the next instruction sees them, as bits of mip.
  void set_lines(std::uint32_t mip) { lines_ = mip; }
  std::uint32_t enabled_lines() const { return s_.mie; }
  bool interrupts_enabled() const { return s_.interrupts; }
  bool has_handler() const { return s_.handler_set; }

  // ---- State, for loaders, debuggers and messages
  std::uint32_t pc() const { return s_.pc; }
  void set_pc(std::uint32_t pc) { s_.pc = pc & ~1u; }
  std::uint32_t x(unsigned index) const { return s_.x[index]; }
  /// What the last instruction that wrote register `index` wrote, also if that is x0.
  std::uint32_t result(unsigned index) const { return s_.x[index == 0 ? kSink : index]; }
  void set_x(unsigned index, std::uint32_t value) {
    if (index != 0) s_.x[index] = value;
  }
  /// Nothing: there is no such CSR.
  std::optional<std::uint32_t> read_csr(std::uint16_t number) const;
  /// False: no such CSR, or a read-only one.
  bool write_csr(std::uint16_t number, std::uint32_t value) { return write_csr_after(number, value, 0, 0); }

  std::uint32_t local_base() const { return base_; }
  std::uint32_t local_bytes() const { return size_; }
  bool is_local(std::uint32_t address, std::uint32_t bytes) const {
    return address - base_ < size_ && bytes <= size_ - (address - base_);
  }
  /// Both need is_local.
  void read_local(std::uint32_t address, void* data, std::uint32_t bytes) const;
  void write_local(std::uint32_t address, const void* data, std::uint32_t bytes);
  /// Somebody else wrote local memory.
  void forget_code(std::uint32_t address, std::uint32_t bytes) { invalidate(address - base_, bytes); }
  /// The instruction at `pc`; nothing if it lies, or ends, outside local memory.
  std::optional<Instruction> instruction_at(std::uint32_t pc) const;

 private:
  static constexpr std::uint8_t kSink = 32;  // the register that takes what is written to x0
  struct Decoded {
    Op op = Op::kIllegal;  // also: not decoded yet
    std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
    std::int32_t immediate = 0;
    std::uint16_t cost = 0;
    std::uint8_t length = 0;
  };
  // Everything `undo` restores, but for local memory.
  struct State {
    std::uint32_t x[kSink + 1] = {};
    std::uint32_t pc = 0;
    std::uint64_t retired = 0;
    std::uint64_t cycles = 0;
    bool interrupts = false, previous_interrupts = false;  // mstatus.MIE and MPIE
    bool handler_set = false;                              // mtvec was written
    bool reserved = false;
    std::uint32_t reservation = 0;
    std::uint32_t mie = 0, mtvec = 0, mscratch = 0, mepc = 0, mcause = 0, mtval = 0, pmpaddr0 = 0;
    std::uint32_t burst_local = 0, burst_words = 0;
    // A counter that runs is its offset plus the clock or the retired instructions; one that is inhibited is
    // its offset.
    std::uint32_t mcountinhibit = 0;
    std::uint64_t cycle_offset = 0, instret_offset = 0;
  };
  struct Undo {
    std::uint32_t offset, word;
  };
  static constexpr std::size_t kUndoPerInstruction = 2;  // words that one store can change
  static constexpr unsigned kLineShift = 6;  // granularity at which code is known to have been decoded

  std::uint16_t cost_of(const Instruction& instruction) const;
  bool decode_at(std::uint32_t pc);
  void invalidate(std::uint32_t offset, std::uint32_t bytes);
  void log(std::uint32_t offset);
  template <class T>
  void store_local(std::uint32_t offset, T value);
  bool takes_misaligned(std::uint32_t offset, std::uint32_t bytes) const {
    return !misaligned_traps_ && offset < size_ && bytes <= size_ - offset;
  }
  Stop trap(Cause cause, std::uint32_t value) {
    exception_ = {cause, value};
    return Stop::kTrap;
  }
  // Parts of `run`. False: the instruction is not executed, and `why` says what ends the run.
  template <class T>
  bool load(const Decoded& d, Stop& why);
  template <class T>
  bool store(const Decoded& d, Stop& why);
  bool csr_in_run(const Decoded& d, Stop& why);
  // False, with the exception to raise, if it traps.
  bool csr_instruction(const Decoded& d);
  bool atomic_instruction(const Decoded& d);
  bool write_csr_after(std::uint16_t number, std::uint32_t value, std::uint64_t cycles,
                       std::uint64_t instructions);
  void enter_trap(std::uint32_t cause, std::uint32_t value, bool vectored);
  std::uint64_t clock() const { return origin_cycle_ + s_.cycles; }
  std::uint64_t counter(std::uint32_t inhibit_bit) const;
  void set_counter(std::uint32_t inhibit_bit, std::uint64_t value, std::uint64_t ahead);
  void set_inhibit(std::uint32_t value);
  const Decoded& current() const { return code_[(s_.pc - base_) >> 1]; }

  std::uint8_t* const local_;
  const std::uint32_t base_, size_;
  const RiscvCosts costs_;
  const bool misaligned_traps_;
  State s_, mark_;
  std::vector<Decoded> code_;           // by halfword
  std::vector<std::uint8_t> has_code_;  // by line: some instruction in it has been decoded
  std::vector<Undo> undo_;
  std::size_t undo_count_ = 0;
  std::uint64_t origin_fs_ = 0, period_fs_ = 1, origin_cycle_ = 0;
  std::uint32_t lines_ = 0;
  Access access_;
  Exception exception_;
};

}  // namespace warpvp::riscv
