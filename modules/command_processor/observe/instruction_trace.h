#pragma once
// A line of text for every instruction that the core executes, and for every trap.

#include <fstream>
#include <string>

#include "modules/command_processor/riscv/elf_image.h"
#include "modules/command_processor/riscv/instruction_observer.h"

namespace warpvp::riscv {

/// Columns: simulated time in ns, pc, function and offset, disassembly, what it changed: `a0=00000004` for a
/// register, `[80000ff0]=00000004` for memory stored to; `[80000ff0]` alone is memory loaded from.
class InstructionTrace : public InstructionObserver {
 public:
  /// `image` names the functions and must live as long.
  InstructionTrace(const std::string& path, const ElfImage& image) : file_(path), image_(image) {}

  /// The file could be opened, and written so far.
  bool good() const { return file_.good(); }

  void executed(const Step& step) override;
  void trapped(const TrapEntry& trap) override;
  /// Everything is in the file when this returns true; false: it could not be written whole.
  bool finish();

 private:
  std::ofstream file_;
  const ElfImage& image_;
};

/// The line for one instruction, without an end of line.
std::string trace_line(const Step& step, const ElfImage& image);
std::string trace_line(const TrapEntry& trap);

}  // namespace warpvp::riscv
