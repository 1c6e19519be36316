#include "ptx/exec/select.h"

#ifdef WARPVP_EXEC_X86_LEVELS
#include <cpuid.h>
#endif

#include <array>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/exec/barrier_ops.h"
#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/level.h"
#include "ptx/native/native_code.h"

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
  Selector integer, bits, floating, rounded, approx, compare, convert, move, memory, half, shuffle;
};
#define WARPVP_LEVEL(l)                                                                              \
  {                                                                                                  \
    &l::select_integer, &l::select_bits, &l::select_float, &l::select_rounded, &l::select_approx,    \
        &l::select_compare, &l::select_convert, &l::select_move, &l::select_memory, &l::select_half, \
        &l::select_shuffle                                                                           \
  }
#ifdef WARPVP_EXEC_X86_LEVELS
constexpr Level kLevels[] = {WARPVP_LEVEL(baseline), WARPVP_LEVEL(avx2), WARPVP_LEVEL(avx512),
                             WARPVP_LEVEL(avx512)};
#else
constexpr Level kLevels[] = {WARPVP_LEVEL(baseline)};
#endif

#ifdef WARPVP_EXEC_X86_LEVELS
/// Asks CPUID itself: GCC's __builtin_cpu_supports knows the word "lzcnt", clang's does not.
bool has_lzcnt() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_LZCNT) != 0;
}
#endif

bool available(IsaLevel level) {
#ifdef WARPVP_EXEC_X86_LEVELS
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi2") && has_lzcnt();
  switch (level) {
    case IsaLevel::kBaseline:
      return true;
    case IsaLevel::kAvx2:
      return avx2;
    case IsaLevel::kNative:
      return NativeCode::available() && available(IsaLevel::kAvx512);
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
    for (const IsaLevel l : {IsaLevel::kNative, IsaLevel::kAvx512, IsaLevel::kAvx2}) {
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
  } else if (wanted == "native") {
    level = IsaLevel::kNative;
  } else if (wanted != "baseline") {
    throw InputError("WARPVP_ISA=" + wanted +
                     ": unknown instruction-set level; allowed: baseline, avx2, avx512, native");
  }
  if (!available(level)) throw InputError("WARPVP_ISA=" + wanted + ": this machine does not have it");
  return level;
}

IsaLevel& current_level() {
  static IsaLevel level = first_level();
  return level;
}

bool floating(Type t) { return t == Type::f32 || t == Type::f64; }
/// Of half.cpp.
bool small(Type t) { return is_half(t) || (t >= Type::tf32 && t <= Type::e5m2x2); }

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

// ---- Groups of opcodes by who selects their functions

using Select = ExecFn (*)(const Level&, Inst&, const Modifiers&);

template <Selector Level::*selector>
ExecFn of_level(const Level& level, Inst& inst, const Modifiers& m) {
  return (level.*selector)(inst, m);
}
template <Selector selector>
ExecFn of_all_levels(const Level&, Inst& inst, const Modifiers& m) {
  return selector(inst, m);
}

ExecFn arithmetic(const Level& level, Inst& inst, const Modifiers& m) {
  return floating(m.type) ? select_floating(level, inst, m) : level.integer(inst, m);
}
ExecFn floating_arithmetic(const Level& level, Inst& inst, const Modifiers& m) {
  return floating(m.type) ? select_floating(level, inst, m) : nullptr;
}
ExecFn approximation(const Level& level, Inst& inst, const Modifiers& m) {
  return floating(m.type) && m.rounding == Rounding::approx ? level.approx(inst, m) : nullptr;
}
ExecFn conversion(const Level& level, Inst& inst, const Modifiers& m) {
  const bool directed =
      m.rounding == Rounding::rz || m.rounding == Rounding::rm || m.rounding == Rounding::rp;
  if (directed && floating(m.type) && floating(m.src_type)) return level.rounded(inst, m);
  return level.convert(inst, m);
}
ExecFn control_flow(const Level&, Inst&, const Modifiers&) { return &control; }

struct Group {
  Select select;
  std::vector<Opcode> opcodes;
};

std::vector<Group> groups() {
  using O = Opcode;
  return {
      {&arithmetic, {O::abs, O::add, O::div, O::mad, O::max, O::min, O::mul, O::neg, O::sub}},
      {&floating_arithmetic, {O::copysign, O::fma, O::rcp, O::sqrt, O::testp}},
      {&approximation, {O::cos, O::ex2, O::lg2, O::rsqrt, O::sin, O::tanh}},
      {&conversion, {O::cvt}},
      {&of_level<&Level::integer>,
       {O::add3, O::addc, O::lea, O::mad24, O::madc, O::mul24, O::rem, O::sad, O::subc}},
      {&of_level<&Level::bits>,
       {O::and_, O::bfe,  O::bfi, O::bfind, O::bmsk, O::brev, O::clz, O::cnot, O::dp2a,  O::dp4a, O::fns,
        O::lop3, O::not_, O::or_, O::popc,  O::prmt, O::shf,  O::shl, O::shr,  O::szext, O::xor_}},
      {&of_level<&Level::compare>, {O::selp, O::set, O::setp, O::slct}},
      {&of_level<&Level::convert>, {O::cvt_pack}},
      {&of_level<&Level::move>, {O::cvta, O::isspacep, O::mov}},
      {&of_level<&Level::memory>, {O::ld, O::ldu, O::st}},
      {&of_all_levels<&select_atomic>, {O::atom, O::red}},
      {&of_all_levels<&select_async>, {O::cp_async}},
      {&of_all_levels<&select_bulk>, {O::cp_bulk}},
      {&of_all_levels<&select_prefetch>, {O::prefetch, O::prefetchu}},
      {&of_level<&Level::shuffle>, {O::shfl}},
      {&of_all_levels<&select_warp>, {O::activemask, O::elect, O::match, O::redux, O::vote}},
      {&of_all_levels<&BarrierOps::select>, {O::bar, O::barrier}},
      {&control_flow, {O::bra, O::brx, O::call, O::exit, O::ret}},
      {&of_all_levels<&select_product>, {O::mma}},
      {&of_all_levels<&select_matrix_move>, {O::ldmatrix, O::movmatrix, O::stmatrix}},
      {&of_all_levels<&select_video>, {O::video}},
      {&of_all_levels<&select_stack>, {O::alloca_, O::stackrestore, O::stacksave}},
      {&of_all_levels<&select_policy>, {O::createpolicy}},
      {&of_all_levels<&select_system>,
       {O::applypriority, O::brkpt, O::discard, O::fence, O::membar, O::nanosleep, O::pmevent, O::trap,
        O::vprintf, O::heap_malloc, O::heap_free}},
      {&of_all_levels<&select_texture>, {O::tex, O::tld4}},
      {&of_all_levels<&select_surface>, {O::suld, O::sust}},
      {&of_all_levels<&select_image_query>, {O::istypep, O::suq, O::txq}},
  };
}

#define WARPVP_ONE(name) +1
constexpr std::size_t kOpcodes = 0 WARPVP_PTX_OPCODES(WARPVP_ONE);
#undef WARPVP_ONE

/// By opcode.
std::array<Select, kOpcodes> by_opcode() {
  std::array<Select, kOpcodes> selects{};
  for (const Group& group : groups())
    for (const Opcode opcode : group.opcodes) selects[static_cast<std::size_t>(opcode)] = group.select;
  return selects;
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
  static const std::array<Select, kOpcodes> selects = by_opcode();
  const bool of_half = inst.opcode == Opcode::set ? small(m.src_type) : small(m.type) || small(m.src_type);
  const bool elsewhere = inst.opcode == Opcode::atom || inst.opcode == Opcode::red ||
                         inst.opcode == Opcode::mma || inst.opcode == Opcode::cp_bulk;
  const Select select =
      of_half && !elsewhere ? &of_level<&Level::half> : selects[static_cast<std::size_t>(inst.opcode)];
  return select ? select(kLevels[static_cast<unsigned>(current_level())], inst, m) : nullptr;
}

}  // namespace warpvp::ptx
