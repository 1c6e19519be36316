// Video instructions (PTX ISA 9.7.x, "Video Instructions"): arithmetic on selected bytes and half-words, with
// saturation, then a secondary operation or a merge.
//
// Current chips have no unit for most of them; their compilers expand them. Once for all instruction-set
// levels.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/video.h"

#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/lanes.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s64 = std::int64_t;

/// Inst::aux during execution: the selectors, and what the suffixes say.
struct VideoControl {
  u64 d : 8, a : 16, b : 16, negate_a : 1, negate_b : 1, negate_c : 1;
  u64 signed_d : 1, signed_a : 1, signed_b : 1, sat : 1, second : 2, wrap : 1, compare : 3, scale : 4,
      plus_one : 1;
  u64 unused : 6;
};
static_assert(sizeof(VideoControl) == 8);

constexpr u64 kAdd = 1, kMin = 2, kMax = 3;  // VideoControl::second

s64 extended(u32 v, unsigned bits, bool is_signed) {
  const u64 field = bits == 32 ? v : v & ((1u << bits) - 1);
  const bool negative = is_signed && ((field >> (bits - 1)) & 1) != 0;
  return static_cast<s64>(field) - (negative ? s64{1} << bits : 0);
}
/// Place and width of the part that a selector of a word names.
struct Part {
  unsigned shift, bits;
};
Part part_of(u64 code) {
  if (code == 0) return {0, 32};
  if (code < 5) return {8 * static_cast<unsigned>(code - 1), 8};
  return {16 * static_cast<unsigned>(code - 5), 16};
}
s64 selected(u32 v, u64 code, bool is_signed) {
  const Part p = part_of(code);
  return extended(v >> p.shift, p.bits, is_signed);
}
s64 clamped(s64 v, unsigned bits, bool is_signed) {
  const s64 high = is_signed ? (s64{1} << (bits - 1)) - 1 : (s64{1} << bits) - 1;
  const s64 low = is_signed ? -high - 1 : 0;
  return v < low ? low : v > high ? high : v;
}
/// `part` of `v` becomes the low bits of `t`.
u32 merged(u32 v, s64 t, Part part) {
  if (part.bits == 32) return static_cast<u32>(t);
  const u32 mask = ((1u << part.bits) - 1) << part.shift;
  return (v & ~mask) | ((static_cast<u32>(t) << part.shift) & mask);
}

bool holds(u64 compare, s64 a, s64 b) {
  switch (compare) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

template <VideoOp op>
s64 primary(const VideoControl& x, s64 a, s64 b) {
  switch (op) {
    case VideoOp::add:
      return a + b;
    case VideoOp::sub:
      return a - b;
    case VideoOp::absdiff:
      return a < b ? b - a : a - b;
    case VideoOp::avrg:
      return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
    case VideoOp::min:
      return a < b ? a : b;
    case VideoOp::max:
      return a < b ? b : a;
    case VideoOp::shl:
    case VideoOp::shr: {
      const unsigned n = static_cast<unsigned>(x.wrap ? b & 0x1f : b > 32 ? 32 : b);
      return op == VideoOp::shl ? static_cast<s64>(static_cast<u64>(a) << n) : a >> n;
    }
    case VideoOp::set:
      return holds(x.compare, a, b) ? 1 : 0;
    default:
      return 0;
  }
}

template <VideoOp op>
u32 scalar(const VideoControl& x, u32 a, u32 b, u32 c) {
  const s64 ta = selected(a, x.a, x.signed_a), tb = selected(b, x.b, x.signed_b);
  s64 t = primary<op>(x, ta, tb);
  const Part part = part_of(x.d);
  if (x.sat) t = clamped(t, part.bits, x.signed_d);
  const s64 third = extended(c, 32, x.signed_d);
  switch (x.second) {
    case kAdd:
      t = static_cast<s64>(static_cast<u64>(t) + static_cast<u64>(third));  // cut to 32 bits in the end
      break;
    case kMin:
      t = t < third ? t : third;
      break;
    case kMax:
      t = t < third ? third : t;
      break;
    default:
      break;
  }
  return merged(c, t, part);
}

template <VideoOp op>
u32 simd(const VideoControl& x, u32 a, u32 b, u32 c, unsigned lanes) {
  const unsigned bits = 32 / lanes;
  const u64 pair = (u64{b} << 32) | a;
  u32 d = c;
  for (unsigned i = 0; i < lanes; ++i) {
    if (((x.d >> i) & 1) == 0) continue;
    const auto element = [&](u64 code, bool is_signed) {
      return extended(static_cast<u32>(pair >> (bits * ((code >> (4 * i)) & 0xf))), bits, is_signed);
    };
    s64 t = primary<op>(x, element(x.a, x.signed_a), element(x.b, x.signed_b));
    if (x.sat) t = clamped(t, bits, x.signed_d);
    d = x.second == kAdd ? d + static_cast<u32>(t) : merged(d, t, {bits * i, bits});
  }
  return d;
}

/// (a * b) + c, one of them negated at most, scaled and saturated. Negating adds the complement and one.
u32 multiply_add(const VideoControl& x, u32 a, u32 b, u32 c) {
  using Wide = __int128;
  const bool product = x.negate_a != x.negate_b;
  const bool is_signed = x.signed_a || x.signed_b || product || x.negate_c;
  Wide t = static_cast<Wide>(selected(a, x.a, x.signed_a)) * selected(b, x.b, x.signed_b);
  unsigned carry = 0;
  if (x.plus_one) {
    carry = 1;
  } else if (product) {
    t = ~t;
    carry = 1;
  } else if (x.negate_c) {
    c = ~c;
    carry = 1;
  }
  t += static_cast<Wide>(extended(c, 32, is_signed)) + carry;
  const u64 result = static_cast<u64>(t >> x.scale);
  if (!x.sat) return static_cast<u32>(result);
  if (is_signed) return static_cast<u32>(clamped(static_cast<s64>(result), 32, true));
  return result > 0xffffffffu ? 0xffffffffu : static_cast<u32>(result);
}

template <VideoOp op, unsigned lanes>
void video(const Inst& inst, Warp& w, LaneMask active) {
  VideoControl x;
  std::memcpy(&x, &inst.aux, sizeof(x));
  const Row32 *a = source<u32>(w, inst.src[0]), *b = source<u32>(w, inst.src[1]);
  // Without a third source there is no secondary operation and no merge.
  const Row32* c = inst.src_count > 2 ? source<u32>(w, inst.src[2]) : a;
  with_destination<u32, true>(inst, w, active, [&](Row32* o) {
    for (unsigned i = 0; i < kWarpSize; ++i) {
      if constexpr (op == VideoOp::mad)
        o[i] = multiply_add(x, a[i], b[i], c[i]);
      else if constexpr (lanes == 1)
        o[i] = scalar<op>(x, a[i], b[i], c[i]);
      else
        o[i] = simd<op>(x, a[i], b[i], c[i], lanes);
    }
  });
}

template <unsigned lanes>
ExecFn of_lanes(VideoOp op) {
  switch (op) {
    case VideoOp::add:
      return &video<VideoOp::add, lanes>;
    case VideoOp::sub:
      return &video<VideoOp::sub, lanes>;
    case VideoOp::absdiff:
      return &video<VideoOp::absdiff, lanes>;
    case VideoOp::avrg:
      return lanes == 1 ? nullptr : &video<VideoOp::avrg, lanes>;
    case VideoOp::min:
      return &video<VideoOp::min, lanes>;
    case VideoOp::max:
      return &video<VideoOp::max, lanes>;
    case VideoOp::set:
      return &video<VideoOp::set, lanes>;
    case VideoOp::shl:
      return lanes == 1 ? &video<VideoOp::shl, 1> : nullptr;
    case VideoOp::shr:
      return lanes == 1 ? &video<VideoOp::shr, 1> : nullptr;
    case VideoOp::mad:
      return lanes == 1 ? &video<VideoOp::mad, 1> : nullptr;
    case VideoOp::kNone:
      break;
  }
  return nullptr;
}

}  // namespace
}  // namespace baseline

ExecFn select_video(Inst& inst, const Modifiers& m) {
  using namespace baseline;
  const VideoModifiers& v = m.video;
  VideoSelectors s;
  std::memcpy(&s, &inst.aux, sizeof(s));
  VideoControl x{};
  x.d = s.d;
  x.a = s.a;
  x.b = s.b;
  x.negate_a = s.negate_a;
  x.negate_b = s.negate_b;
  x.negate_c = s.negate_c;
  x.signed_d = v.signed_d;
  x.signed_a = v.signed_a;
  x.signed_b = v.signed_b;
  x.sat = m.sat;
  x.second = v.second == AtomOp::add   ? kAdd
             : v.second == AtomOp::min ? kMin
             : v.second == AtomOp::max ? kMax
                                       : 0;
  x.wrap = m.shift == ShiftMode::wrap;
  if (m.compare != Compare::kNone) x.compare = static_cast<u64>(m.compare) - static_cast<u64>(Compare::eq);
  x.scale = v.scale;
  x.plus_one = v.plus_one;
  std::memcpy(&inst.aux, &x, sizeof(x));
  switch (v.lanes) {
    case 1:
      return of_lanes<1>(v.op);
    case 2:
      return of_lanes<2>(v.op);
    case 4:
      return of_lanes<4>(v.op);
    default:
      return nullptr;
  }
}

}  // namespace warpvp::ptx
