// Floating-point arithmetic rounded towards zero, minus or plus infinity (.rz, .rm, .rp).
//
// The host rounds: the loops below run with the host's rounding direction changed. They are kept out of line
// and opaque (noipa), so that no operation moves across the change. Compiled with -frounding-math.

#include <cfenv>

#include "ptx/exec/ops/float_ops.h"
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace warpvp::ptx::WARPVP_EXEC_LEVEL {
namespace {

#if defined(__GNUC__) && !defined(__clang__)
#define WARPVP_OPAQUE __attribute__((noipa))
#else
#define WARPVP_OPAQUE __attribute__((noinline))
#endif

/// Changes the host's rounding direction while it lives.
class HostRounding {
 public:
  explicit HostRounding(Rounding r) {
#if defined(__SSE2__)
    saved_ = _mm_getcsr();
    _mm_setcsr((saved_ & ~0x6000u) | (r == Rounding::rz ? 0x6000u : r == Rounding::rp ? 0x4000u : 0x2000u));
#else
    saved_ = static_cast<unsigned>(std::fegetround());
    std::fesetround(r == Rounding::rz ? FE_TOWARDZERO : r == Rounding::rp ? FE_UPWARD : FE_DOWNWARD);
#endif
  }
  ~HostRounding() {
#if defined(__SSE2__)
    _mm_setcsr(saved_);
#else
    std::fesetround(static_cast<int>(saved_));
#endif
  }
  HostRounding(const HostRounding&) = delete;

 private:
  unsigned saved_;
};

enum class Op { kAdd, kSub, kMul, kDiv, kRcp, kSqrt, kFma };

template <Op op, class T>
WARPVP_OPAQUE void loop(T* r, const T* a, const T* b, const T* c) {
  WARPVP_LANES {
    if constexpr (op == Op::kAdd) r[i] = a[i] + b[i];
    if constexpr (op == Op::kSub) r[i] = a[i] - b[i];
    if constexpr (op == Op::kMul) r[i] = a[i] * b[i];
    if constexpr (op == Op::kDiv) r[i] = a[i] / b[i];
    if constexpr (op == Op::kRcp) r[i] = T(1) / a[i];
    if constexpr (op == Op::kSqrt)
      r[i] = std::is_same_v<T, float> ? T(__builtin_sqrtf(a[i])) : T(__builtin_sqrt(a[i]));
    if constexpr (op == Op::kFma) r[i] = fused(a[i], b[i], c[i]);
  }
}
/// Second half of a single-precision fma: rounds the exact sum's round-to-odd form. An exact zero takes its
/// sign from the direction, so that case is added here again.
WARPVP_OPAQUE void round_fma(float* r, const double* odd, const float* a, const float* b, const float* c) {
  WARPVP_LANES {
    const double p = double(a[i]) * double(b[i]), z = double(c[i]);
    r[i] = static_cast<float>(p == -z ? p + z : odd[i]);
  }
}
WARPVP_OPAQUE void odd_sums(double* odd, const float* a, const float* b, const float* c) {
  WARPVP_LANES odd[i] = fma_to_odd(a[i], b[i], c[i]);
}

template <class T>
void load_lanes(T* to, const Inst& inst, const Warp& w, unsigned n, bool ftz) {
  const Cell<T>* from = source<T>(w, inst.src[n]);
  WARPVP_LANES to[i] = ftz ? flush<true>(get<T>(from[i])) : get<T>(from[i]);
}

/// aux: rounding in bits 0..7, ftz in bit 8, sat in bit 9.
template <Op op, class T>
void rounded(const Inst& inst, Warp& w, LaneMask active) {
  constexpr unsigned sources = op == Op::kFma ? 3 : op == Op::kRcp || op == Op::kSqrt ? 1 : 2;
  const auto rounding = static_cast<Rounding>(inst.aux & 0xff);
  const bool ftz = (inst.aux >> 8) & 1, sat = (inst.aux >> 9) & 1;
  alignas(64) T a[kWarpSize], b[kWarpSize], c[kWarpSize], r[kWarpSize];
  load_lanes(a, inst, w, 0, ftz);
  if constexpr (sources > 1) load_lanes(b, inst, w, 1, ftz);
  if constexpr (sources > 2) load_lanes(c, inst, w, 2, ftz);
  if constexpr (op == Op::kFma && std::is_same_v<T, float>) {
    alignas(64) double odd[kWarpSize];
    odd_sums(odd, a, b, c);
    const HostRounding direction(rounding);
    round_fma(r, odd, a, b, c);
  } else {
    const HostRounding direction(rounding);
    loop<op, T>(r, a, b, c);
  }
  with_destination<T, true>(inst, w, active, [&](Cell<T>* o) {
    WARPVP_LANES {
      T v = r[i];
      if constexpr (sources == 1) v = settled(v, a[i]);
      if constexpr (sources == 2) v = settled(v, a[i], b[i]);
      if constexpr (sources == 3) v = settled(v, a[i], b[i], c[i]);
      v = ftz ? finish<true, false>(v) : v;
      o[i] = put<T>(sat ? saturate<true>(v) : v);
    }
  });
}

WARPVP_OPAQUE void narrow(float* r, const double* a) { WARPVP_LANES r[i] = static_cast<float>(a[i]); }
/// cvt.f32.f64; aux as above.
void rounded_narrow(const Inst& inst, Warp& w, LaneMask active) {
  const bool ftz = (inst.aux >> 8) & 1, sat = (inst.aux >> 9) & 1;
  alignas(64) double a[kWarpSize];
  alignas(64) float r[kWarpSize];
  load_lanes(a, inst, w, 0, false);
  {
    const HostRounding direction(static_cast<Rounding>(inst.aux & 0xff));
    narrow(r, a);
  }
  with_destination<float, true>(inst, w, active, [&](Row32* o) {
    WARPVP_LANES {
      const float v = is_nan(a[i]) ? narrowed_nan(a[i]) : ftz ? flush<true>(r[i]) : r[i];
      o[i] = put<float>(sat ? saturate<true>(v) : v);
    }
  });
}

template <Op op>
ExecFn rounded_of(Inst& inst, const Modifiers& m) {
  if (m.type == Type::f64 && (m.ftz || m.sat)) return nullptr;
  inst.aux = static_cast<std::uint64_t>(m.rounding) | (m.ftz ? 0x100u : 0u) | (m.sat ? 0x200u : 0u);
  return m.type == Type::f32 ? &rounded<op, float> : m.type == Type::f64 ? &rounded<op, double> : nullptr;
}

}  // namespace

ExecFn select_rounded(Inst& inst, const Modifiers& m) {
  if (m.rounding != Rounding::rz && m.rounding != Rounding::rm && m.rounding != Rounding::rp) return nullptr;
  switch (inst.opcode) {
    case Opcode::add:
      return rounded_of<Op::kAdd>(inst, m);
    case Opcode::sub:
      return rounded_of<Op::kSub>(inst, m);
    case Opcode::mul:
      return rounded_of<Op::kMul>(inst, m);
    case Opcode::fma:
    case Opcode::mad:
      return m.relu ? nullptr : rounded_of<Op::kFma>(inst, m);
    case Opcode::div:
      return m.sat ? nullptr : rounded_of<Op::kDiv>(inst, m);
    case Opcode::rcp:
      return m.sat ? nullptr : rounded_of<Op::kRcp>(inst, m);
    case Opcode::sqrt:
      return m.sat ? nullptr : rounded_of<Op::kSqrt>(inst, m);
    case Opcode::cvt:
      if (m.type != Type::f32 || m.src_type != Type::f64 || dst_wide(inst) || !src_wide(inst, 0))
        return nullptr;
      inst.aux = static_cast<std::uint64_t>(m.rounding) | (m.ftz ? 0x100u : 0u) | (m.sat ? 0x200u : 0u);
      return &rounded_narrow;
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx::WARPVP_EXEC_LEVEL
