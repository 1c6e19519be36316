#include "ptx/exec/select.h"

#include <cstdlib>
#include <string>

#include "base/error.h"
#include "ptx/exec/barrier_ops.h"
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/level.h"

WARPVP_DECLARE_SELECTORS(baseline)
#ifdef WARPVP_EXEC_X86_LEVELS
WARPVP_DECLARE_SELECTORS(avx2)
WARPVP_DECLARE_SELECTORS(avx512)
#endif

namespace warpvp::ptx {

namespace {

using Selector = ExecFn (*)(Inst&, const Modifiers&);

/// The selectors of one instruction-set level.
struct Level {
  Selector integer, bits, floating, rounded, approx, compare, convert, move, memory;
};
#define WARPVP_LEVEL(l)                                                                           \
  {                                                                                               \
    &l::select_integer, &l::select_bits, &l::select_float, &l::select_rounded, &l::select_approx, \
        &l::select_compare, &l::select_convert, &l::select_move, &l::select_memory                \
  }
#ifdef WARPVP_EXEC_X86_LEVELS
constexpr Level kLevels[] = {WARPVP_LEVEL(baseline), WARPVP_LEVEL(avx2), WARPVP_LEVEL(avx512)};
#else
constexpr Level kLevels[] = {WARPVP_LEVEL(baseline)};
#endif

bool available(IsaLevel level) {
#ifdef WARPVP_EXEC_X86_LEVELS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("lzcnt");
  switch (level) {
    case IsaLevel::kBaseline:
      return true;
    case IsaLevel::kAvx2:
      return avx2;
    case IsaLevel::kAvx512:
      return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd");
  }
  return false;
#else
  return level == IsaLevel::kBaseline;
#endif
}

IsaLevel first_level() {
  const char* name = std::getenv("WARPVP_ISA");
  if (name == nullptr || *name == '\0') {
    for (const IsaLevel l : {IsaLevel::kAvx512, IsaLevel::kAvx2}) {
      if (available(l)) return l;
    }
    return IsaLevel::kBaseline;
  }
  const std::string wanted = name;
  IsaLevel level = IsaLevel::kBaseline;
  if (wanted == "avx2") {
    level = IsaLevel::kAvx2;
  } else if (wanted == "avx512") {
    level = IsaLevel::kAvx512;
  } else if (wanted != "baseline") {
    throw InputError("WARPVP_ISA=" + wanted +
                     ": unknown instruction-set level; allowed: baseline, avx2, avx512");
  }
  if (!available(level)) throw InputError("WARPVP_ISA=" + wanted + ": this machine does not have it");
  return level;
}

IsaLevel& current_level() {
  static IsaLevel level = first_level();
  return level;
}

bool floating(Type t) { return t == Type::f32 || t == Type::f64; }
bool half(Type t) { return t == Type::f16 || t == Type::f16x2 || t == Type::bf16 || t == Type::bf16x2; }

void compute_nothing(const Inst&, Warp&, LaneMask) {}

/// Control flow is carried out by Warp::step, not by its execution function.
void control(const Inst&, Warp&, LaneMask) {}

ExecFn select_floating(const Level& level, Inst& inst, const Modifiers& m) {
  switch (m.rounding) {
    case Rounding::approx:
    case Rounding::full:
      return level.approx(inst, m);
    case Rounding::rz:
    case Rounding::rm:
    case Rounding::rp:
      return level.rounded(inst, m);
    default:
      return level.floating(inst, m);
  }
}

}  // namespace

IsaLevel isa_level() { return current_level(); }

bool set_isa_level(IsaLevel level) {
  if (!available(level)) return false;
  current_level() = level;
  return true;
}

ExecFn part_exec() { return &compute_nothing; }

ExecFn select_exec(Inst& inst, const Modifiers& m) {
  const Level& level = kLevels[static_cast<unsigned>(current_level())];
  if (half(m.type) || half(m.src_type)) return nullptr;
  switch (inst.opcode) {
    case Opcode::abs:
    case Opcode::add:
    case Opcode::div:
    case Opcode::mad:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mul:
    case Opcode::neg:
    case Opcode::sub:
      return floating(m.type) ? select_floating(level, inst, m) : level.integer(inst, m);
    case Opcode::copysign:
    case Opcode::fma:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::testp:
      return floating(m.type) ? select_floating(level, inst, m) : nullptr;
    case Opcode::cos:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::tanh:
      return floating(m.type) && m.rounding == Rounding::approx ? level.approx(inst, m) : nullptr;
    case Opcode::add3:
    case Opcode::addc:
    case Opcode::lea:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::mul24:
    case Opcode::rem:
    case Opcode::sad:
    case Opcode::subc:
      return level.integer(inst, m);
    case Opcode::and_:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::bmsk:
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::cnot:
    case Opcode::dp2a:
    case Opcode::dp4a:
    case Opcode::fns:
    case Opcode::lop3:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::popc:
    case Opcode::prmt:
    case Opcode::shf:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::szext:
    case Opcode::xor_:
      return level.bits(inst, m);
    case Opcode::selp:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::slct:
      return level.compare(inst, m);
    case Opcode::cvt: {
      const bool directed =
          m.rounding == Rounding::rz || m.rounding == Rounding::rm || m.rounding == Rounding::rp;
      if (directed && floating(m.type) && floating(m.src_type)) return level.rounded(inst, m);
      return level.convert(inst, m);
    }
    case Opcode::cvt_pack:
      return level.convert(inst, m);
    case Opcode::cvta:
    case Opcode::isspacep:
    case Opcode::mov:
      return level.move(inst, m);
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
      return level.memory(inst, m);
    case Opcode::atom:
    case Opcode::red:
      return select_atomic(inst, m);
    case Opcode::cp_async:
      return select_async(inst, m);
    case Opcode::prefetch:
    case Opcode::prefetchu:
      return select_prefetch(inst, m);
    case Opcode::activemask:
    case Opcode::elect:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::shfl:
    case Opcode::vote:
      return select_warp(inst, m);
    case Opcode::bar:
    case Opcode::barrier:
      return BarrierOps::select(inst, m);
    case Opcode::bra:
    case Opcode::brx:
    case Opcode::call:
    case Opcode::exit:
    case Opcode::ret:
      return &control;
    case Opcode::video:
      return select_video(inst, m);
    case Opcode::alloca_:
    case Opcode::stackrestore:
    case Opcode::stacksave:
      return select_stack(inst, m);
    case Opcode::createpolicy:
      return select_policy(inst, m);
    case Opcode::applypriority:
    case Opcode::brkpt:
    case Opcode::discard:
    case Opcode::fence:
    case Opcode::membar:
    case Opcode::nanosleep:
    case Opcode::pmevent:
    case Opcode::trap:
    case Opcode::vprintf:
    case Opcode::heap_malloc:
    case Opcode::heap_free:
      return select_system(inst, m);
    case Opcode::tex:
    case Opcode::tld4:
      return select_texture(inst, m);
    case Opcode::suld:
    case Opcode::sust:
      return select_surface(inst, m);
    case Opcode::istypep:
    case Opcode::suq:
    case Opcode::txq:
      return select_image_query(inst, m);
  }
  return nullptr;
}

}  // namespace warpvp::ptx
