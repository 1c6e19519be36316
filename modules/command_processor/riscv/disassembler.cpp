#include <fmt/format.h>

#include "modules/command_processor/riscv/csr.h"
#include "modules/command_processor/riscv/instruction.h"

namespace warpvp::riscv {

const char* register_name(unsigned index) {
  static constexpr const char* kNames[32] = {
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  return kNames[index & 31];
}

namespace {

std::string fence_set(unsigned set) {
  if (set == 0) return "unknown";
  std::string out;
  for (unsigned bit = 0; bit < 4; ++bit)
    if (set & (8u >> bit)) out += "iorw"[bit];
  return out;
}

const char* order_suffix(std::uint32_t raw) {
  static constexpr const char* kSuffix[4] = {"", ".rl", ".aq", ".aqrl"};
  return kSuffix[raw >> 25 & 3];
}

std::string operands(const Instruction& i, Format format, std::uint32_t pc) {
  const char* rd = register_name(i.rd);
  const char* rs1 = register_name(i.rs1);
  const char* rs2 = register_name(i.rs2);
  const std::uint32_t target = pc + static_cast<std::uint32_t>(i.immediate);
  const std::uint32_t upper = static_cast<std::uint32_t>(i.immediate) >> 12;
  switch (format) {
    case Format::kR:
      return fmt::format("{},{},{}", rd, rs1, rs2);
    case Format::kI:
    case Format::kCAddi4spn:
      return fmt::format("{},{},{}", rd, rs1, i.immediate);
    case Format::kShift:
      return fmt::format("{},{},{:#x}", rd, rs1, i.immediate);
    case Format::kLoad:
    case Format::kJumpRegister:
    case Format::kCLoad:
    case Format::kCLoadSp:
      return fmt::format("{},{}({})", rd, i.immediate, rs1);
    case Format::kStore:
    case Format::kCStore:
    case Format::kCStoreSp:
      return fmt::format("{},{}({})", rs2, i.immediate, rs1);
    case Format::kBranch:
      return fmt::format("{},{},{:x}", rs1, rs2, target);
    case Format::kUpper:
    case Format::kCLui:
      return fmt::format("{},{:#x}", rd, upper);
    case Format::kJump:
      return fmt::format("{},{:x}", rd, target);
    case Format::kCsr:
      return fmt::format("{},{},{}", rd, csr_name(static_cast<std::uint16_t>(i.immediate)), rs1);
    case Format::kCsrImmediate:
      return fmt::format("{},{},{}", rd, csr_name(static_cast<std::uint16_t>(i.immediate)), i.rs1);
    case Format::kFence: {
      const auto sets = static_cast<unsigned>(i.immediate);
      return fmt::format("{},{}", fence_set(sets >> 4), fence_set(sets & 15));
    }
    case Format::kAtomic:
      return fmt::format("{},{},({})", rd, rs2, rs1);
    case Format::kLoadReserved:
      return fmt::format("{},({})", rd, rs1);
    case Format::kCImmediate:
    case Format::kCLoadImmediate:
    case Format::kCAndi:
    case Format::kCAddi16sp:
      return fmt::format("{},{}", rd, i.immediate);
    case Format::kCShiftShort:
    case Format::kCShift:
      return fmt::format("{},{:#x}", rd, i.immediate);
    case Format::kCShort:
    case Format::kCMove:
    case Format::kCAdd:
      return fmt::format("{},{}", rd, rs2);
    case Format::kCJump:
    case Format::kCJumpAndLink:
      return fmt::format("{:x}", target);
    case Format::kCBranch:
      return fmt::format("{},{:x}", rs1, target);
    case Format::kCJumpRegister:
    case Format::kCJumpAndLinkRegister:
      return rs1;
    case Format::kNone:
    case Format::kCNone:
    case Format::kCNop:
      return {};
  }
  return {};
}

}  // namespace

std::string disassemble(const Instruction& i, std::uint32_t pc) {
  if (i.encoding == Instruction::kNoEncoding)
    return i.length == 2 ? fmt::format(".2byte {:#06x}", i.raw) : fmt::format(".4byte {:#010x}", i.raw);
  const Encoding& encoding = encodings()[i.encoding];
  std::string text = encoding.name;
  if (encoding.format == Format::kAtomic || encoding.format == Format::kLoadReserved)
    text += order_suffix(i.raw);
  const std::string rest = operands(i, encoding.format, pc);
  return rest.empty() ? text : text + " " + rest;
}

}  // namespace warpvp::riscv
