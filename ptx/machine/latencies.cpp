#include "ptx/machine/latencies.h"

#include "ptx/lowering.h"

namespace warpvp::ptx::machine {
namespace {

// Measured on Volta where figures are published; an order is made with them, no time is computed from them.
//   [J] Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", arXiv 1804.06826: 4
//   cycles for
//       the common integer and single-precision instructions, 8 for double precision; L1 hit 28, shared
//       memory 19, L2 hit 193, and constant cache 27
//   [A] Arafa et al., "Low Overhead Instruction Latency Characterization for NVIDIA GPGPUs", HPEC 2019:
//   special
//       functions about 20, conversions through the same unit
//   expansion: instructions that the chip computes as several; about four cycles for each of the longest
//   chain
constexpr unsigned kCommon = 4;          // [J]
constexpr unsigned kMultiply = 5;        // [J]
constexpr unsigned kDouble = 8;          // [J]
constexpr unsigned kSpecial = 20;        // [A]
constexpr unsigned kDivide = 60;         // expansion
constexpr unsigned kDoubleDivide = 150;  // expansion
constexpr unsigned kShared = 24;         // [J] and the read of the result
constexpr unsigned kConstant = 27;       // [J]
constexpr unsigned kGlobal = 193;        // [J], an L2 hit: between L1 and DRAM
constexpr unsigned kShuffle = 23;        // [A]
constexpr unsigned kBarrier = 20;        // without waiting

unsigned memory_latency(const ir::Instruction& i) {
  switch (i.space) {
    case Space::kShared:
      return kShared;
    case Space::kParam:
    case Space::kConst:
      return kConstant;
    default:
      return kGlobal;
  }
}

}  // namespace

unsigned expected_latency(const ir::Instruction& i) {
  Inst inst;
  classify(i, true, inst);
  switch (inst.op_class) {
    case OpClass::kIntMul:
      return kMultiply;
    case OpClass::kIntDiv:
    case OpClass::kFpDiv:
    case OpClass::kFpSqrt:
      return kDivide;
    case OpClass::kDpDiv:
      return kDoubleDivide;
    case OpClass::kSpecial:
      return kSpecial;
    case OpClass::kDpAdd:
    case OpClass::kDpFma:
      return kDouble;
    case OpClass::kShuffle:
      return kShuffle;
    case OpClass::kMemory:
      return memory_latency(i);
    case OpClass::kBarrier:
      return kBarrier;
    case OpClass::kConvert:
    case OpClass::kMove:
      return inst.unit == Unit::kSfu || (i.opcode == Opcode::mov && i.operands.size() == 2 &&
                                         i.operands[1].kind == ir::Operand::Kind::kSpecial)
                 ? kSpecial
                 : kCommon;
    default:
      return inst.unit == Unit::kFp64 ? kDouble : kCommon;
  }
}

}  // namespace warpvp::ptx::machine
