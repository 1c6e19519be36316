#include "ptx/native/lane_code.h"

#include <algorithm>
#include <cassert>

#include "ptx/native/kept_registers.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Opmask;
using Xbyak::Reg64;
using Xbyak::Zmm;

}  // namespace

LaneCode::LaneCode(const Program& program, std::size_t bytes)
    : CodeGenerator(bytes, Xbyak::AutoGrow),
      program_(program),
      live_(program),
      known_(program),
      ranges_(program.code.size(), 0),
      meetings_(program.code.size() + 1, false) {
  constexpr unsigned kLoads = NativeFrame::kLoads, kStores = NativeFrame::kRanges - kLoads;
  std::uint32_t loads = 0, stores = 0;
  for (std::size_t pc = 0; pc < program.code.size(); ++pc)
    if (program.code[pc].access_bytes != 0)
      ranges_[pc] = program.code[pc].is_store ? kLoads + stores++ % kStores : loads++ % kLoads;
  for (const Inst& inst : program.code)
    if (inst.reconverge < meetings_.size()) meetings_[inst.reconverge] = true;
}

// ---- registers

void LaneCode::next_block() {
  for (Held& held : held_) held.pinned = false;
}

Zmm LaneCode::take() {
  Held* best = nullptr;
  // What holds nothing, then what memory has too; of these what has not been used for longest.
  const auto order = [](const Held& held) {
    return std::pair(held.of == Of::kNothing ? 0 : held.unwritten ? 2 : 1, held.used);
  };
  for (Held& held : held_)
    if (!held.pinned && (best == nullptr || order(held) < order(*best))) best = &held;
  assert(best != nullptr && !(best->unwritten && jumps_));
  write_back(*best);
  *best = {Of::kNothing, 0, ++uses_, true, false};
  return Zmm(static_cast<int>(best - held_));
}

void LaneCode::write_back(Held& held) {
  if (held.unwritten)
    vmovdqa64(ptr[kRows + static_cast<std::uint32_t>(held.which)], Zmm(static_cast<int>(&held - held_)));
  held.unwritten = false;
}

void LaneCode::write_all_back() {
  for (Held& held : held_) write_back(held);
}

void LaneCode::to_memory(const Operand& operand, bool wide) {
  if (operand.kind != OperandKind::kReg) return;
  for (unsigned block = 0; block < (wide ? 4u : 2u); ++block)
    if (const Held* const there = find(Of::kRow, offset_of(operand.index, block)))
      write_back(held_[there - held_]);
}

const LaneCode::Held* LaneCode::find(Of of, std::uint64_t which) const {
  for (const Held& held : held_)
    if (held.of == of && held.which == which) return &held;
  return nullptr;
}

Zmm LaneCode::hold(Of of, std::uint64_t which) {
  if (const Held* const there = find(of, which)) {
    Held& held = held_[there - held_];
    held.used = ++uses_;
    held.pinned = true;
    return Zmm(static_cast<int>(there - held_));
  }
  const Zmm taken = take();
  fill(taken, of, which);
  held_[taken.getIdx()].of = of;
  held_[taken.getIdx()].which = which;
  return taken;
}

void LaneCode::fill(const Zmm& to, Of of, std::uint64_t which) {
  const auto at = static_cast<std::uint32_t>(which);
  switch (of) {
    case Of::kNothing:
      return;
    case Of::kRow:
      return vmovdqa64(to, ptr[kRows + at]);
    case Of::kConst32:
      return vpbroadcastd(to, ptr[kConstants + at]);
    case Of::kConst64:
      return vpbroadcastq(to, ptr[kConstants + at]);
    case Of::kValue32:
      mov(eax, at);
      return vpbroadcastd(to, eax);
    case Of::kValue64:
      mov(rax, which);
      return vpbroadcastq(to, rax);
    case Of::kTable:
      mov(rax, which);
      return vmovdqa64(to, ptr[rax]);
  }
}

Zmm LaneCode::row_block(unsigned row, unsigned block) { return hold(Of::kRow, offset_of(row, block)); }

Zmm LaneCode::in(const Operand& operand, unsigned block, bool wide) {
  if (operand.kind == OperandKind::kReg) return row_block(operand.index, block);
  return hold(wide ? Of::kConst64 : Of::kConst32, offset_of(operand.index, 0));
}

Zmm LaneCode::value32(std::uint32_t value) { return hold(Of::kValue32, value); }
Zmm LaneCode::value64(std::uint64_t value) { return hold(Of::kValue64, value); }
Zmm LaneCode::table(const void* at) { return hold(Of::kTable, reinterpret_cast<std::uint64_t>(at)); }

Zmm LaneCode::widened(const Operand& operand, unsigned block, bool sign) {
  const bool reg = operand.kind == OperandKind::kReg;
  const Held* const there = reg ? find(Of::kRow, offset_of(operand.index, block / 2)) : nullptr;
  if (there == nullptr) {
    const Zmm to = temporary();
    const Xbyak::Address at = ptr[(reg ? kRows : kConstants) + (operand.index * 128 + block * 32)];
    sign ? vpmovsxdq(to, at) : vpmovzxdq(to, at);
    return to;
  }
  const Zmm from = row_block(operand.index, block / 2), to = temporary();
  Xbyak::Ymm half(from.getIdx());
  if (block % 2 != 0) {
    half = Xbyak::Ymm(to.getIdx());
    vextracti64x4(half, from, 1);
  }
  sign ? vpmovsxdq(to, half) : vpmovzxdq(to, half);
  return to;
}

const void* LaneCode::keep(const std::uint8_t (&bytes)[64]) {
  Table& table = tables_.emplace_back();
  std::copy(bytes, bytes + 64, table.bytes);
  return table.bytes;
}

Zmm LaneCode::joined(const Zmm& low, const Zmm& high) {
  vinserti64x4(low, low, Xbyak::Ymm(high.getIdx()), 1);
  return low;
}

void LaneCode::extend(const Zmm& value, unsigned bits, bool sign, bool wide) {
  const auto rest = static_cast<std::uint8_t>((wide ? 64 : 32) - bits);
  if (rest == 0) return;
  if (wide) {
    vpsllq(value, value, rest);
    sign ? vpsraq(value, value, rest) : vpsrlq(value, value, rest);
  } else {
    vpslld(value, value, rest);
    sign ? vpsrad(value, value, rest) : vpsrld(value, value, rest);
  }
}

Zmm LaneCode::lane_numbers(unsigned block) {
  alignas(64) static constexpr std::uint32_t kNumbers[kWarpSize] = {
      0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
  return table(kNumbers + block * kWarpSize / 2);
}

Zmm LaneCode::first_thread() {
  const Zmm to = temporary();
  vpbroadcastd(to, ptr[kFrame + offsetof(NativeFrame, first_thread)]);
  return to;
}

std::uint32_t LaneCode::constant(const Operand& operand) const {
  return program_.constants[std::size_t{operand.index} * kWarpSize];
}

Zmm LaneCode::size_of(Sizes sizes, unsigned axis) {
  const Zmm to = temporary();
  mov(rax, ptr[kFrame + offsetof(NativeFrame, sizes)]);
  vpbroadcastd(to, ptr[rax + (static_cast<unsigned>(sizes) * 3 + axis) * 4]);
  return to;
}

Zmm LaneCode::argument(std::uint32_t offset, unsigned bytes) {
  const Zmm to = temporary();
  mov(rax, ptr[kFrame + offsetof(NativeFrame, arguments)]);
  if (bytes == 8)
    vpbroadcastq(to, ptr[rax + offset]);
  else
    vpbroadcastd(to, ptr[rax + offset]);
  return to;
}

Zmm LaneCode::temporary() { return take(); }

Opmask LaneCode::lanes(unsigned block, bool wide) const {
  static const Opmask kNarrow[] = {Opmask(1), Opmask(2)},
                      kWide[] = {Opmask(1), Opmask(3), Opmask(2), Opmask(4)};
  return wide ? kWide[block] : kNarrow[block];
}

void LaneCode::out(const Operand& destination, unsigned block, const Zmm& value, bool wide) {
  const std::uint32_t at = offset_of(destination.index, block);
  if (some_lanes_) {
    const Zmm old = row_block(destination.index, block);
    if (wide)
      vmovdqa64(old | lanes(block, wide), value);
    else
      vmovdqa32(old | lanes(block, wide), value);
    held_[old.getIdx()].unwritten = true;
    return;
  }
  if (const Held* const there = find(Of::kRow, at)) {
    Held& old = held_[there - held_];
    old.of = Of::kNothing;
    old.unwritten = false;
  }
  Held& held = held_[value.getIdx()];
  held.of = Of::kRow;
  held.which = at;
  held.unwritten = true;
}

// ---- memory

void LaneCode::begin_detour(const Inst& inst, Pc pc, unsigned registers) {
  // What memory lacks is written by the detour, from registers that stay as they are: not too many.
  const auto lacks = [](const Held& held) { return held.unwritten; };
  while (std::count_if(held_, held_ + kRegisters, lacks) > kRegisters - registers) {
    Held* oldest = nullptr;
    for (Held& held : held_)
      if (held.unwritten && (oldest == nullptr || held.used < oldest->used)) oldest = &held;
    write_back(*oldest);
  }
  Detour& detour = detours_.emplace_back();
  for (Held& held : held_)
    if (held.unwritten) detour.unwritten.emplace_back(static_cast<int>(&held - held_), held.which);
  jumps_ = true;
  detour.failed = &stop_before(pc);
  detour.inst = &inst;
  detour.pc = pc;
}

void LaneCode::at_once_or_detour() {
  cmp(qword[kFrame + offsetof(NativeFrame, journal)], 0);
  jne(detour(), T_NEAR);
}

void LaneCode::journal_to(const Reg64& to) { mov(to, ptr[kFrame + offsetof(NativeFrame, journal)]); }

void LaneCode::note_outside() {
  mov(rax, ptr[kFrame + offsetof(NativeFrame, stored_outside)]);
  mov(byte[rax], 1);
}

void LaneCode::end_jumps() { jumps_ = false; }

void LaneCode::end_detour() {
  L(detours_.back().end);
  std::copy(held_, held_ + kRegisters, detours_.back().held);
}

void LaneCode::range_to(const Reg64& begin, const Reg64& end, const Reg64& host, bool global, Pc pc) {
  if (!global) {
    xor_(begin, begin);
    mov(end, ptr[kFrame + offsetof(NativeFrame, shared_bytes)]);
    mov(host, ptr[kFrame + offsetof(NativeFrame, shared)]);
    return;
  }
  mov(host, ptr[kFrame + offsetof(NativeFrame, global)]);
  mov(rax, ptr[kFrame + offsetof(NativeFrame, ranges)]);
  const std::uint32_t at = range_place(pc);
  mov(begin, ptr[rax + at]);
  mov(end, ptr[rax + (at + 8)]);
}

void LaneCode::depot_to(const Reg64& begin, const Xbyak::Reg32& stride, const Xbyak::Reg32& base) {
  mov(begin, ptr[kFrame + offsetof(NativeFrame, depot)]);
  mov(stride, ptr[kFrame + offsetof(NativeFrame, depot_stride)]);
  mov(base, ptr[kFrame + offsetof(NativeFrame, depot_base)]);
}

void LaneCode::sizes_to(const Reg64& to) { mov(to, ptr[kFrame + offsetof(NativeFrame, sizes)]); }

const Reg64& LaneCode::rows() const { return kRows; }

void LaneCode::last_lane(const Xbyak::Reg32& to) {
  lzcnt(to, kActive);
  xor_(to, 31);
}

namespace {
const Reg64& base_of(const Operand& operand) {
  return operand.kind == OperandKind::kConst ? kConstants : kRows;
}
}  // namespace

Xbyak::Address LaneCode::lane_of(const Operand& operand, const Reg64& lane, bool wide) {
  return ptr[base_of(operand) + lane * (wide ? 8 : 4) + operand.index * 128];
}
Xbyak::Address LaneCode::lane_of(const Operand& operand, unsigned lane, bool wide) {
  return ptr[base_of(operand) + (operand.index * 128 + lane * (wide ? 8 : 4))];
}

void LaneCode::half_lanes(const Xbyak::Reg32& to, unsigned half) {
  mov(to, kActive);
  if (half == 0)
    and_(to, 0xffff);
  else
    shr(to, 16);
}

// ---- predicates

void LaneCode::load_pred(const Xbyak::Reg32& to, const Operand& operand) {
  mov(to, dword[kPreds + operand.index * 4]);
  if (operand.negated) not_(to);
}

void LaneCode::store_pred(const Operand& destination, const Xbyak::Reg32& value) {
  if (destination.kind != OperandKind::kPred) return;
  const Xbyak::Address at = dword[kPreds + destination.index * 4];
  if (!some_lanes_) {
    mov(at, value);
    return;
  }
  mov(edx, at);
  xor_(edx, value);
  and_(edx, kActive);
  xor_(at, edx);
}

// ---- single precision

Zmm LaneCode::flushed(const Zmm& value, bool ftz) {
  if (!ftz) return value;
  const Zmm result = temporary(), exponent = value32(0x7f800000), sign = value32(0x80000000);
  vmovdqa32(result, value);
  vptestnmd(k7, value, exponent);
  vpandd(result | k7, value, sign);
  return result;
}

void LaneCode::settle_nan(const Zmm& value) {
  const Zmm nan = value32(0x7fffffff);
  vcmpps(k5, value, value, 3);
  vmovdqa32(value | k5, nan);
}

void LaneCode::choose(const Zmm& to, const Zmm& a, const Zmm& b, bool greater, bool nan_wins) {
  // With the sign of what is chosen; zeros are told apart.
  vrangeps(to, a, b, greater ? 5 : 4);
  if (nan_wins) {
    vcmpps(k5, a, b, 3);
    vmovdqa32(to | k5, value32(0x7fffffff));
    return;
  }
  vcmpps(k5, b, b, 3);
  vmovdqa32(to | k5, a);
  vcmpps(k5, a, a, 3);
  vmovdqa32(to | k5, b);
  settle_nan(to);
}

// Bits of the instruction's EVEX prefix. (Xbyak 6.68 writes them for sums and products, and not for vfmadd.)
void LaneCode::round_last(Rounding rounding) {
  const std::uint8_t how = rounding == Rounding::rm   ? 1
                           : rounding == Rounding::rp ? 2
                           : rounding == Rounding::rz ? 3
                                                      : 0;
  if (how == 0) return;
  const std::size_t third = getSize() - 3;  // the prefix' last byte, before opcode and operands
  rewrite(third, (getCode()[third] & 0x9f) | how << 5 | 0x10, 1);
}

Zmm LaneCode::narrowed(const Zmm& single, ptx::Type to) {
  constexpr std::uint32_t kNan = 0x7fff;  // of both formats
  const Zmm r = temporary(), nan = value32(kNan);
  if (to == ptx::Type::f16) {
    constexpr std::uint8_t kNearest = 0;
    vcvtps2ph(Xbyak::Ymm(r.getIdx()), single, kNearest);
    vpmovzxwd(r, Xbyak::Ymm(r.getIdx()));
  } else {
    // Half of the last place, less one unless that place is odd.
    vpsrld(r, single, 16);
    vpandd(r, r, value32(1));
    vpaddd(r, r, value32(0x7fff));
    vpaddd(r, r, single);
    vpsrld(r, r, 16);
  }
  vcmpps(k5, single, single, 3);
  vmovdqa32(r | k5, nan);
  return r;
}

}  // namespace warpvp::ptx::native
