#pragma once
// RV32IMAC_Zicsr_Zifencei in machine mode: what instructions there are. `encodings()` is the one table; the
// decoder and the disassembler both come from it.

#include <cstdint>
#include <string>
#include <vector>

namespace warpvp::riscv {

/// What an instruction does. A compressed instruction does what the instruction does that it abbreviates.
enum class Op : std::uint8_t {
  kIllegal,
  kLui,
  kAuipc,
  kJal,
  kJalr,
  kBeq,
  kBne,
  kBlt,
  kBge,
  kBltu,
  kBgeu,
  kLb,
  kLh,
  kLw,
  kLbu,
  kLhu,
  kSb,
  kSh,
  kSw,
  kAddi,
  kSlti,
  kSltiu,
  kXori,
  kOri,
  kAndi,
  kSlli,
  kSrli,
  kSrai,
  kAdd,
  kSub,
  kSll,
  kSlt,
  kSltu,
  kXor,
  kSrl,
  kSra,
  kOr,
  kAnd,
  kFence,
  kFenceI,
  kEcall,
  kEbreak,
  kMret,
  kWfi,
  kCsrrw,
  kCsrrs,
  kCsrrc,
  kCsrrwi,
  kCsrrsi,
  kCsrrci,
  kMul,
  kMulh,
  kMulhsu,
  kMulhu,
  kDiv,
  kDivu,
  kRem,
  kRemu,
  kLr,
  kSc,
  kAmoswap,
  kAmoadd,
  kAmoxor,
  kAmoand,
  kAmoor,
  kAmomin,
  kAmomax,
  kAmominu,
  kAmomaxu,
};

/// Classes of instructions that cost the same number of cycles.
enum class CostClass : std::uint8_t {
  kAlu,
  kMultiply,
  kDivide,
  kLoad,
  kStore,
  kBranch,
  kJump,
  kSystem,
  kAtomic
};

/// Where an instruction keeps its operands, and how they are written in assembler.
enum class Format : std::uint8_t {
  kR,
  kI,
  kShift,
  kLoad,
  kStore,
  kBranch,
  kUpper,
  kJump,
  kJumpRegister,
  kCsr,
  kCsrImmediate,
  kFence,
  kNone,
  kAtomic,
  kLoadReserved,
  // Compressed; "short" registers are x8 to x15.
  kCAddi4spn,
  kCLoad,
  kCStore,
  kCNop,
  kCImmediate,
  kCLoadImmediate,
  kCAddi16sp,
  kCLui,
  kCShiftShort,
  kCAndi,
  kCShort,
  kCJump,
  kCJumpAndLink,
  kCBranch,
  kCShift,
  kCLoadSp,
  kCStoreSp,
  kCJumpRegister,
  kCJumpAndLinkRegister,
  kCMove,
  kCAdd,
  kCNone,
};

struct Encoding {
  const char* name;
  std::uint32_t match,
      mask;  ///< it is this instruction when (bits & mask) == match and its fields are allowed
  Format format;
  Op op;
  CostClass cost;
};

/// Every instruction, compressed ones too. Of two that match the same bits the first one counts.
const std::vector<Encoding>& encodings();

/// An instruction taken apart.
struct Instruction {
  static constexpr std::uint16_t kNoEncoding = 0xffff;
  Op op = Op::kIllegal;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0;
  std::uint8_t length = 4;               ///< bytes: 2 or 4
  std::uint16_t encoding = kNoEncoding;  ///< index in encodings()
  std::int32_t immediate = 0;            ///< offset, value, shift amount, CSR number or the fence's sets
  std::uint32_t raw = 0;                 ///< its bits; the upper half is 0 when it has 2 bytes
};

/// Takes apart the instruction whose first bytes are `bits` (little endian). Never fails: what no entry
/// matches comes back as Op::kIllegal.
Instruction decode(std::uint32_t bits);

/// True when an instruction that begins with these 16 bits has only them.
constexpr bool is_compressed(std::uint32_t bits) { return (bits & 3u) != 3u; }

/// ABI name of a register: "zero", "ra", "sp", ..., "t6".
const char* register_name(unsigned index);

/// Assembler syntax, as `objdump -M no-aliases` writes it, one space after the name: "addi a0,sp,-16".
/// Targets of jumps and branches are absolute and in hexadecimal. What is not an instruction is shown as
/// data.
std::string disassemble(const Instruction& instruction, std::uint32_t pc);

}  // namespace warpvp::riscv
