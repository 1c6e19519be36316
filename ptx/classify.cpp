// Which unit an instruction occupies and what it means to the pipeline.

#include "ptx/lowering.h"

namespace warpvp::ptx {
namespace {

struct Timing {
  Unit unit;
  OpClass op_class;
};

Timing by_type(Type t, OpClass integer, OpClass single, OpClass dual) {
  if (t == Type::f64) return {Unit::kFp64, dual};
  if (t == Type::f32 || is_half(t)) return {Unit::kFp32, single};
  return {Unit::kInt, integer};
}

OpClass tensor_class(Type elements) {
  switch (elements) {
    case Type::tf32:
      return OpClass::kTensorSingle;
    case Type::f64:
      return OpClass::kTensorDouble;
    case Type::s8:
    case Type::u8:
      return OpClass::kTensorByte;
    case Type::e4m3x2:
    case Type::e5m2x2:
      return OpClass::kTensorFloat8;
    case Type::s4:
    case Type::u4:
      return OpClass::kTensorNibble;
    case Type::b1:
      return OpClass::kTensorBit;
    default:
      return OpClass::kTensorHalf;
  }
}

Timing timing_of(const ir::Instruction& i) {
  const Modifiers& m = i.modifiers;
  const bool approximate = m.rounding == Rounding::approx;
  switch (i.opcode) {
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::min:
    case Opcode::max:
    case Opcode::add:
    case Opcode::add3:
    case Opcode::lea:
    case Opcode::sub:
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::sad:
    case Opcode::copysign:
      return by_type(m.type, OpClass::kIntAdd, OpClass::kFpAdd, OpClass::kDpAdd);
    case Opcode::video:
      return {Unit::kInt, m.video.op == VideoOp::mad ? OpClass::kIntMul : OpClass::kIntAdd};
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::dp2a:
    case Opcode::dp4a:
      return by_type(m.type, OpClass::kIntMul, OpClass::kFpMul, OpClass::kDpFma);
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::fma:
      return by_type(m.type, OpClass::kIntMul, OpClass::kFpFma, OpClass::kDpFma);
    case Opcode::div:
      if (m.type == Type::f32) return {Unit::kSfu, OpClass::kFpDiv};
      return by_type(m.type, OpClass::kIntDiv, OpClass::kFpDiv, OpClass::kDpDiv);
    case Opcode::rem:
      return {Unit::kInt, OpClass::kIntDiv};
    case Opcode::rcp:
    case Opcode::rsqrt:
    case Opcode::sqrt:
      if (m.type == Type::f64) return {Unit::kFp64, OpClass::kDpDiv};
      if (approximate) return {Unit::kSfu, OpClass::kSpecial};
      return {Unit::kSfu, i.opcode == Opcode::rcp ? OpClass::kFpDiv : OpClass::kFpSqrt};
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::tanh:
      return {Unit::kSfu, OpClass::kSpecial};
    case Opcode::set:
    case Opcode::setp:
    case Opcode::testp: {
      const Type compared = i.opcode == Opcode::set ? m.src_type : m.type;
      return by_type(compared, OpClass::kCompare, OpClass::kCompare, OpClass::kCompare);
    }
    case Opcode::selp:
    case Opcode::slct:
      return {Unit::kInt, OpClass::kCompare};
    case Opcode::cvt_pack:
      return {Unit::kInt, OpClass::kConvert};
    case Opcode::cvt:
      if (m.type == Type::f64 || m.src_type == Type::f64) return {Unit::kFp64, OpClass::kConvert};
      // From f16 the chip converts by adding, from bf16 by shifting.
      if (m.type == Type::f32 && is_half(m.src_type)) return {Unit::kFp32, OpClass::kConvert};
      if (is_float(m.type) || is_float(m.src_type)) return {Unit::kSfu, OpClass::kConvert};
      return {Unit::kInt, OpClass::kConvert};
    case Opcode::mov:
    case Opcode::createpolicy:
    case Opcode::alloca_:
    case Opcode::stacksave:
    case Opcode::stackrestore:
    case Opcode::cvta:
    case Opcode::isspacep:
    case Opcode::istypep:
    case Opcode::txq:
    case Opcode::suq:
    case Opcode::activemask:
      return {Unit::kInt, OpClass::kMove};
    case Opcode::vote:
    case Opcode::elect:
      return {Unit::kInt, OpClass::kVote};
    // On a GH100 both have the rate of the special-function unit.
    case Opcode::match:
      return {Unit::kSfu, OpClass::kMatch};
    case Opcode::redux:
      return {Unit::kSfu, OpClass::kRedux};
    case Opcode::shfl:
      return {Unit::kInt, OpClass::kShuffle};
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::cp_async:
    case Opcode::cp_bulk:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
      return {Unit::kLsu, OpClass::kMemory};
    case Opcode::mma:
      return {Unit::kTensor, tensor_class(m.matrix.a)};
    case Opcode::movmatrix:
      return {Unit::kInt, OpClass::kShuffle};
    case Opcode::bar:
    case Opcode::barrier:
      return {Unit::kControl, OpClass::kBarrier};
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::call:
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::brkpt:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::applypriority:
    case Opcode::discard:
    case Opcode::vprintf:
    case Opcode::heap_malloc:
    case Opcode::heap_free:
      return {Unit::kControl, OpClass::kControl};
    case Opcode::shl:
      return {Unit::kInt, OpClass::kShiftLeft};
    default:
      return {Unit::kInt, OpClass::kLogic};
  }
}

Effect effect_of(const ir::Instruction& i, bool in_entry) {
  switch (i.opcode) {
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::call:
      return Effect::kBranch;
    case Opcode::ret:
      return in_entry ? Effect::kExit : Effect::kBranch;
    case Opcode::exit:
      return Effect::kExit;
    case Opcode::bar:
    case Opcode::barrier:
      return i.modifiers.bar == BarOp::warp_sync ? Effect::kWarpSync : Effect::kBarrier;
    case Opcode::shfl:
    case Opcode::vote:
      return i.modifiers.sync ? Effect::kWarpSync : Effect::kNone;
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
      return Effect::kWarpSync;
    case Opcode::nanosleep:
      return Effect::kYield;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::prefetch:
    case Opcode::prefetchu:
    case Opcode::cp_bulk:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
      return Effect::kMemory;
    case Opcode::cp_async:
      switch (i.modifiers.async) {
        case AsyncOp::copy:
          return Effect::kMemory;
        case AsyncOp::commit_group:
          return Effect::kNone;
        case AsyncOp::bulk_wait:
          return Effect::kFence;  // of stores
        default:
          return Effect::kWaitAsync;
      }
    case Opcode::membar:
    case Opcode::fence:
      return Effect::kFence;
    case Opcode::trap:
    case Opcode::brkpt:
      return Effect::kTrap;
    default:
      return Effect::kNone;
  }
}

/// As Inst::flops says.
std::uint8_t flops_of(const ir::Instruction& i) {
  const Type type = i.modifiers.type;
  if (type != Type::f32 && type != Type::f64 && !is_half(type)) return 0;
  std::uint8_t operations = 0;
  switch (i.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
      operations = 1;
      break;
    case Opcode::fma:
    case Opcode::mad:
      operations = 2;
      break;
    default:
      break;
  }
  if (type == Type::f16x2 || type == Type::bf16x2) operations = static_cast<std::uint8_t>(2 * operations);
  return operations | (type == Type::f64 && operations != 0 ? kDoubleFlops : 0);
}

}  // namespace

void classify(const ir::Instruction& i, bool in_entry, Inst& inst) {
  const Timing t = timing_of(i);
  inst.flops = flops_of(i);
  inst.unit = t.unit;
  inst.op_class = t.op_class;
  inst.effect = effect_of(i, in_entry);
}

}  // namespace warpvp::ptx
