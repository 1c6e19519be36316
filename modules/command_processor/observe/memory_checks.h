#pragma once
// Checks that firmware gets on request: accesses that no correct program makes, found at the instruction that
// makes them, and how deep the stack was.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "modules/command_processor/riscv/elf_image.h"
#include "modules/command_processor/riscv/instruction_observer.h"

namespace warpvp::riscv {

/// Objects to:
/// - accesses to the null page, and to addresses where there is neither memory nor bus;
/// - accesses to local memory that belongs to no section and not to the free memory from `__free_start` to
///   `__free_end`;
/// - stores to sections with code, and execution of anything else;
/// - a stack pointer that is moved below its stack: `__stack_limit` to `__stack_top`, and above it that of
/// trap
///   handlers up to `__trap_stack_top`. Without these symbols the stack is not checked;
/// - accesses and fetches that the hardware refuses or finds misaligned, even if the firmware has a handler.
class MemoryChecks : public InstructionObserver {
 public:
  /// `image` must live as long; local memory is `local_bytes` at `local_base`.
  MemoryChecks(const ElfImage& image, std::uint32_t local_base, std::uint32_t local_bytes);

  std::string objection(const Step& step) override;
  void executed(const Step& step) override;
  std::string objection(Cause cause, std::uint32_t value) override;

  /// Most bytes of the main stack in use at any time; nothing if the firmware does not say where it is, or
  /// never used it.
  std::optional<std::uint32_t> stack_high_water() const;
  /// Size of the main stack; 0: not known.
  std::uint32_t stack_bytes() const { return stacks_.empty() ? 0 : stacks_[0].top - stacks_[0].limit; }

 private:
  struct Range {
    std::uint32_t begin, end;
    bool contains(std::uint32_t address, std::uint32_t bytes) const {
      return address >= begin && address < end && bytes <= end - address;
    }
    bool touches(std::uint32_t address, std::uint32_t bytes) const {
      return address < end && begin - std::min(begin, address) < bytes;
    }
  };
  struct Stack {
    std::uint32_t limit, top;
    std::uint32_t lowest;
    const char* limit_name;
    bool holds(std::uint32_t sp) const { return sp > limit && sp <= top; }
  };
  std::string check_pc(const Step& step) const;
  std::string check_stack_pointer(const Step& step) const;
  std::string check_access(const Step& step) const;
  std::string owner(std::uint32_t address) const;

  const ElfImage& image_;
  const std::uint32_t local_base_, local_bytes_;
  std::vector<Range> memory_, code_;  // what may be accessed; what may not be stored to
  std::vector<Stack> stacks_;         // the main one first
  std::uint32_t sp_ = 0, last_pc_ = 0;
};

}  // namespace warpvp::riscv
