#pragma once
// Instructions as a core would report them, made from their encoding.

#include "modules/command_processor/riscv/instruction_observer.h"

namespace warpvp::riscv {

/// A step of the instruction with these bits at `pc`; it goes on behind itself, in `cycles`.
inline Step step_of(std::uint32_t bits, std::uint32_t pc, std::uint64_t cycles = 1) {
  Step step;
  step.pc = pc;
  step.instruction = decode(bits);
  step.next_pc = pc + step.instruction.length;
  step.cycles = cycles;
  return step;
}

// Encodings, as assembled by the GNU assembler.
constexpr std::uint32_t kNop = 0x00000013, kWfi = 0x10500073, kMret = 0x30200073;
constexpr std::uint32_t kRet = 0x00008067;            // jalr zero,0(ra)
constexpr std::uint32_t kJrT0 = 0x00028067;           // jalr zero,0(t0)
constexpr std::uint32_t kJrA0 = 0x00050067;           // jalr zero,0(a0)
constexpr std::uint32_t kJalrRaA0 = 0x000500e7;       // jalr ra,0(a0)
constexpr std::uint32_t kJalRa = 0x000000ef;          // jal ra,.
constexpr std::uint32_t kJalT0 = 0x000002ef;          // jal t0,.
constexpr std::uint32_t kJ = 0x0000006f;              // jal zero,.
constexpr std::uint32_t kAddiSpMinus16 = 0xff010113;  // addi sp,sp,-16
constexpr std::uint32_t kAddiSp16 = 0x01010113;       // addi sp,sp,16
constexpr std::uint32_t kLwA5S0 = 0x00842783;         // lw a5,8(s0)
constexpr std::uint32_t kSwA5S0 = 0x00f42423;         // sw a5,8(s0)
constexpr std::uint32_t kSbA5S0 = 0x00f40423;         // sb a5,8(s0)
constexpr std::uint32_t kAmoaddW = 0x00b6252f;        // amoadd.w a0,a1,(a2)

}  // namespace warpvp::riscv
