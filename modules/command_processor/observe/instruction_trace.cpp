#include "modules/command_processor/observe/instruction_trace.h"

#include <fmt/format.h>

#include "modules/command_processor/riscv/csr.h"

namespace warpvp::riscv {

namespace {

constexpr std::uint64_t kFsPerPs = 1000, kPsPerNs = 1000;

std::string time_column(std::uint64_t fs) {
  const std::uint64_t ps = fs / kFsPerPs;
  return fmt::format("{:>10}.{:03}", ps / kPsPerNs, ps % kPsPerNs);
}

}  // namespace

std::string trace_line(const Step& step, const ElfImage& image) {
  std::string changes;
  if (step.instruction.rd != 0)
    changes = fmt::format("{}={:08x}", register_name(step.instruction.rd), step.rd_value);
  if (step.stores) {
    const std::uint32_t mask = step.bytes >= 4 ? ~0u : (1u << 8 * step.bytes) - 1;
    changes += fmt::format("{}[{:08x}]={:0{}x}", changes.empty() ? "" : " ", step.address, step.stored & mask,
                           2 * step.bytes);
  } else if (step.loads) {
    changes += fmt::format("{}[{:08x}]", changes.empty() ? "" : " ", step.address);
  }
  std::string line = fmt::format("{}  {:08x}  {:<28}  {:<30}  {}", time_column(step.time_fs), step.pc,
                                 image.describe(step.pc), disassemble(step.instruction, step.pc), changes);
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string trace_line(const TrapEntry& trap) {
  constexpr std::uint32_t kInterrupt = 1u << 31;
  const std::string what =
      trap.cause & kInterrupt
          ? fmt::format("interrupt {}", trap.cause & ~kInterrupt)
          : fmt::format("{}, mtval {:08x}", cause_text(static_cast<Cause>(trap.cause)), trap.value);
  return fmt::format("{}  {:08x}  trap: {}, handled at {:08x}", time_column(trap.time_fs), trap.pc, what,
                     trap.handler);
}

void InstructionTrace::executed(const Step& step) { file_ << trace_line(step, image_) << '\n'; }

void InstructionTrace::trapped(const TrapEntry& trap) { file_ << trace_line(trap) << '\n'; }

bool InstructionTrace::finish() {
  file_.close();
  return static_cast<bool>(file_);
}

}  // namespace warpvp::riscv
