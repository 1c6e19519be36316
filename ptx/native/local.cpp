// Loads and stores of local memory and of parameters of device functions, as ptx/exec/ops/memory.cpp has
// them: each lane accesses its own depot, so all are gathers and scatters. What is beyond it, or between
// elements, is left to the instruction's own function.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Opmask;
using Xbyak::Ymm;
using Xbyak::Zmm;

class LocalAccess {
 public:
  LocalAccess(LaneCode& code, const Inst& inst, unsigned bytes, bool sign)
      : c(code),
        inst_(inst),
        store_(inst.is_store),
        bytes_(bytes),
        elements_(inst.vector),
        sign_(sign),
        addressed_(inst.src[0].kind != OperandKind::kNone),
        wide_(addressed_ && wide_source(inst, 0)) {}

  /// Places, values, addresses, and what is done on them.
  static constexpr unsigned kMostRegisters = 2 + 3 + 8 + 4 + 2 + 1;
  void write(Pc pc) {
    c.next_block();
    c.begin_detour(inst_, pc, kMostRegisters);
    for (unsigned half = 0; half < 2; ++half) place_[half] = c.temporary();
    for (Zmm& scratch : scratch_) scratch = c.temporary();
    for (unsigned element = 0; element < elements_; ++element)
      for (unsigned block = 0; block < (bytes_ == 8 ? 4u : 2u); ++block)
        values_[element][block] = store_ ? c.in(inst_.src[1 + element], block, bytes_ == 8) : c.temporary();
    for (unsigned block = 0; addressed_ && block < (wide_ ? 4u : 2u); ++block)
      address_[block] = c.in(inst_.src[0], block, wide_);
    for (unsigned half = 0; half < 2; ++half) lanes_[half] = c.lane_numbers(half);
    if (bytes_ < 4) three_ = c.value32(3);
    find_places();
    for (unsigned element = 0; element < elements_; ++element)
      for (unsigned half = 0; half < 2; ++half) access(element, half);
    c.end_jumps();
    for (unsigned element = 0; !store_ && element < elements_; ++element)
      for (unsigned block = 0; is_register(inst_.dst[element]) && block < (bytes_ == 8 ? 4u : 2u); ++block)
        c.out(inst_.dst[element], block, values_[element][block], bytes_ == 8);
    c.end_detour();
  }

 private:
  unsigned stride() const { return bytes_ * elements_; }

  /// place_: of each lane, in the warp's depot. r11: where that begins; r8: from one lane's part to the next.
  void find_places() {
    c.depot_to(c.r11, c.r8d, c.r9d);
    c.mov(c.edx, c.r8d);
    c.sub(c.edx, stride());
    c.jb(c.detour(), c.T_NEAR);
    if (!addressed_) {
      c.mov(c.eax, static_cast<std::uint32_t>(inst_.offset));
      if (inst_.depot) c.add(c.eax, c.r9d);
      c.cmp(c.eax, c.edx);
      c.ja(c.detour(), c.T_NEAR);
      c.test(c.eax, stride() - 1);
      c.jnz(c.detour(), c.T_NEAR);
      for (const Zmm& place : place_) c.vpbroadcastd(place, c.eax);
    } else {
      wide_ ? find_wide() : find_narrow();
      c.mov(c.eax, stride() - 1);
      c.vpbroadcastd(scratch_[0], c.eax);
      for (unsigned half = 0; half < 2; ++half)
        active(half, false, [&](const Opmask& k) { c.vptestmd(k, place_[half], scratch_[0]); });
    }
    c.vpbroadcastd(scratch_[0], c.r8d);
    for (unsigned half = 0; half < 2; ++half) {
      c.vpmulld(scratch_[1], scratch_[0], lanes_[half]);
      c.vpaddd(place_[half], place_[half], scratch_[1]);
    }
  }
  void find_wide() {
    c.mov(c.rax, static_cast<std::uint64_t>(inst_.offset));
    c.vpbroadcastq(scratch_[0], c.rax);
    c.vpbroadcastq(scratch_[1], c.rdx);
    for (unsigned quarter = 0; quarter < 4; ++quarter) {
      c.vpaddq(scratch_[2], address_[quarter], scratch_[0]);
      active(quarter, true, [&](const Opmask& k) { c.vpcmpuq(k, scratch_[2], scratch_[1], 6); });
      const Zmm& to = place_[quarter / 2];
      if (quarter % 2 == 0) {
        c.vpmovqd(Ymm(to.getIdx()), scratch_[2]);
      } else {
        c.vpmovqd(Ymm(scratch_[2].getIdx()), scratch_[2]);
        c.joined(to, scratch_[2]);
      }
    }
  }
  void find_narrow() {
    c.mov(c.eax, static_cast<std::uint32_t>(inst_.offset));
    c.vpbroadcastd(scratch_[0], c.eax);
    c.vpbroadcastd(scratch_[1], c.edx);
    for (unsigned half = 0; half < 2; ++half) {
      c.vpaddd(place_[half], address_[half], scratch_[0]);
      active(half, false, [&](const Opmask& k) { c.vpcmpud(k, place_[half], scratch_[1], 6); });
    }
  }
  /// Leaves for the instruction's own function where `test` sets a bit of an active lane.
  template <class Test>
  void active(unsigned block, bool wide, Test&& test) {
    if (c.some_lanes())
      test(c.k5 | c.lanes(block, wide));
    else
      test(c.k5);
    c.kortestw(c.k5, c.k5);
    c.jnz(c.detour(), c.T_NEAR);
  }
  /// k5: the active lanes of a block.
  void all_of(unsigned block, bool wide) {
    if (c.some_lanes())
      c.kmovw(c.k5, c.lanes(block, wide));
    else
      c.kxnorw(c.k5, c.k5, c.k5);
  }

  void access(unsigned element, unsigned half) {
    const Xbyak::RegExp base = c.r11 + static_cast<int>(element * bytes_);
    Zmm* const values = values_[element];
    if (bytes_ < 4) return load_narrow(element, half);
    if (bytes_ == 4) {
      all_of(half, false);
      if (store_)
        c.vpscatterdd(c.ptr[base + place_[half]] | c.k5, values[half]);
      else
        c.vpgatherdd(values[half] | c.k5, c.ptr[base + place_[half]]);
      return;
    }
    const Ymm upper(scratch_[0].getIdx());
    c.vextracti64x4(upper, place_[half], 1);
    for (unsigned part = 0; part < 2; ++part) {
      const Ymm place = part == 0 ? Ymm(place_[half].getIdx()) : upper;
      const Zmm& value = values[2 * half + part];
      all_of(2 * half + part, true);
      if (store_)
        c.vpscatterdq(c.ptr[base + place] | c.k5, value);
      else
        c.vpgatherdq(value | c.k5, c.ptr[base + place]);
    }
  }
  /// Within the aligned word that has it, which lies in the lane's own part as a whole.
  void load_narrow(unsigned element, unsigned half) {
    const Zmm &word = scratch_[0], &shift = scratch_[1];
    const Zmm& value = values_[element][half];
    c.mov(c.eax, element * bytes_);
    c.vpbroadcastd(word, c.eax);
    c.vpaddd(word, word, place_[half]);
    c.vpandd(shift, word, three_);
    c.vpslld(shift, shift, 3);
    c.vpandnd(word, three_, word);
    all_of(half, false);
    c.vpgatherdd(value | c.k5, c.ptr[c.r11 + word]);
    c.vpsrlvd(value, value, shift);
    c.extend(value, 8 * bytes_, sign_, false);
  }

  LaneCode& c;
  const Inst& inst_;
  const bool store_;
  const unsigned bytes_, elements_;
  const bool sign_, addressed_, wide_;
  Zmm place_[2], values_[4][4], address_[4], lanes_[2], scratch_[3], three_;
};

}  // namespace

bool translate_local(LaneCode& c, const Inst& inst, const Modifiers& m, Pc pc) {
  const bool store = inst.opcode == Opcode::st;
  if (!store && inst.opcode != Opcode::ld) return false;
  if (inst.space != Space::kLocal && !(inst.space == Space::kParam && inst.depot)) return false;
  const unsigned narrow = narrow_bytes(m.type), bytes = narrow != 0 ? narrow : bytes_of(m.type);
  const unsigned elements = inst.vector;
  // A byte in each of 32 places is stored sooner one by one.
  if (store && narrow != 0) return false;
  if (bytes == 0 || bytes != inst.access_bytes || elements == 3 || bytes * elements > 16) return false;
  const bool addressed = inst.src[0].kind != OperandKind::kNone;
  if (addressed && (!is_register(inst.src[0]) || inst.depot)) return false;
  if (!addressed && inst.offset != static_cast<std::int32_t>(inst.offset)) return false;
  if (!moves_elements(inst, bytes)) return false;
  LocalAccess(c, inst, bytes, is_signed(m.type)).write(pc);
  return true;
}

}  // namespace warpvp::ptx::native
