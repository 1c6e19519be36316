#pragma once
// Where the firmware spends its cycles, by function: who is called how often, cycles of the function itself
// and of what it calls.
//
// Calls and returns are told by the link registers, as the calling convention has it (RISC-V ISA manual,
// "return-address stack" hints): a jump that writes ra or t0 calls, a jump through one of them that writes
// neither returns. A jump to another function that does neither is a tail call. Entering a handler is a call,
// mret its return.

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/command_processor/riscv/elf_image.h"
#include "modules/command_processor/riscv/instruction_observer.h"

namespace warpvp::riscv {

class FunctionProfile : public InstructionObserver {
 public:
  /// Figures of one function.
  struct Function {
    std::string name;
    std::uint64_t calls = 0;
    std::uint64_t instructions = 0;
    std::uint64_t self = 0;       ///< cycles of its own instructions
    std::uint64_t inclusive = 0;  ///< cycles from call to return; of nested activations the outermost counts
    std::uint64_t waited_fs = 0;  ///< its own instructions waited for devices so long, beyond their cycles
  };

  /// `image` names the functions and must live as long; `period_fs`: of the core's clock.
  FunctionProfile(const ElfImage& image, std::uint64_t period_fs) : image_(image), period_fs_(period_fs) {}

  void executed(const Step& step) override;
  void trapped(const TrapEntry& trap) override;

  /// Ends the profile at `end_fs`; nothing may be observed afterwards. Functions that were executed, by
  /// falling self cycles, then by name.
  std::vector<Function> finish(std::uint64_t end_fs);
  std::uint64_t cycles() const { return cycles_; }
  /// Simulated time asleep in wfi.
  std::uint64_t asleep_fs() const { return asleep_fs_; }

 private:
  struct Activity {
    unsigned active = 0;
    std::uint64_t entered = 0;
  };
  struct Frame {
    unsigned function;
    std::uint32_t return_pc;
    bool handler;
  };
  unsigned function_of(std::uint32_t pc);
  void enter(unsigned function, std::uint32_t return_pc, bool handler);
  void leave();
  void replace_top(unsigned function);
  void return_to(std::uint32_t pc);
  void leave_handler();
  void settle(std::uint64_t time_fs);

  const ElfImage& image_;
  const std::uint64_t period_fs_;
  std::vector<Function> functions_;
  std::vector<Activity> activity_;
  std::unordered_map<std::uint32_t, unsigned> by_address_, by_pc_;
  std::vector<Frame> stack_;
  std::uint64_t cycles_ = 0, asleep_fs_ = 0;
  // The last instruction: whether its time has been used up shows when the next one starts.
  bool pending_ = false, pending_sleep_ = false;
  unsigned pending_function_ = 0;
  std::uint64_t pending_until_fs_ = 0;
};

/// The profile as a text file has it.
std::string profile_text(FunctionProfile& profile, std::uint64_t end_fs);

}  // namespace warpvp::riscv
