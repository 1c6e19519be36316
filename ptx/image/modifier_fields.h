#pragma once
// The fields of Modifiers, one byte each, with the values that they may have: the record of section
// kModifiers.

#include <cstdint>
#include <type_traits>

#include "ptx/opcodes.h"

namespace warpvp::ptx::image {

namespace detail {
template <class E>
constexpr std::uint8_t last(E e) {
  return static_cast<std::uint8_t>(e);
}
}  // namespace detail

/// Calls `visit(offset, greatest)` for each byte of a Modifiers in order: its place, and the greatest value
/// allowed.
template <class Visit>
void visit_modifier_bytes(Visit visit) {
  std::size_t at = 0;
  const auto next = [&](std::uint8_t greatest, unsigned times = 1) {
    for (; times != 0; --times) visit(at++, greatest);
  };
  using detail::last;
  next(last(Type::b1), 2);  // type, src_type
  next(last(Rounding::rna));
  next(1, 3);  // ftz, sat, cc
  next(last(Compare::nan));
  next(last(BoolOp::xor_));
  next(last(MulMode::wide));
  next(last(ShiftMode::wrap));
  next(last(Direction::right));
  next(last(ShuffleMode::idx));
  next(last(VoteMode::ballot));
  next(1, 2);  // sync, match_all
  next(last(AtomOp::mbarrier));
  next(last(PrmtMode::rc16));
  next(last(TestpMode::subnormal));
  next(last(BarOp::cluster));
  next(last(AsyncOp::bulk_wait_read));
  next(1, 7);  // xor_sign_abs, nan, shiftamt, to_space, relu, satfinite, cache_policy
  next(16);    // pack_bits
  next(1);     // pack_signed
  next(4, 2);  // priority
  next(1, 2);  // policy_range, policy_convert
  next(last(VideoOp::set));
  next(4);     // video.lanes
  next(1, 3);  // video.signed_d, signed_a, signed_b
  next(last(AtomOp::max));
  next(15);  // video.scale
  next(1);   // video.plus_one
  next(last(SpecialRegister::kCount) - 1);
  next(last(Geometry::acube));
  next(last(SurfaceClamp::zero));
  next(last(ImageQuery::surfref));
  next(3);  // gather
  next(last(MatrixShape::m16n8k256));
  next(last(Type::b1), 3);  // matrix.a, b, c
  next(1, 3);               // matrix.a_by_column, b_by_row, conjunction
  next(4);                  // matrix.count
  next(1, 2);               // matrix.transposed, sparse
  next(3);                  // matrix.selector
}

// A field more, and the list above and kVersion need one more too.
inline constexpr std::size_t kModifierBytes = 57;
static_assert(sizeof(Modifiers) == kModifierBytes && std::has_unique_object_representations_v<Modifiers> &&
              std::is_trivially_copyable_v<Modifiers>);

}  // namespace warpvp::ptx::image
