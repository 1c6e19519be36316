// Loads from global, constant and shared memory and stores of one element of 8 to 64 bits, as
// ptx/exec/ops/memory.cpp has them. Half a warp's lanes mostly access one block, or
// read one element; otherwise they are gathered or scattered. What lies outside the allocation that was
// accessed last, or is a fault, is left to the instruction's own function.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Opmask;
using Xbyak::Zmm;

constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
constexpr unsigned kHalf = kWarpSize / 2;

/// 0, 1, 2, ... times a number of bytes, as 32 and as 64 bits.
struct Steps {
  explicit constexpr Steps(unsigned bytes) {
    for (unsigned i = 0; i < kHalf; ++i) narrow[i] = wide[i] = i * bytes;
  }
  alignas(64) std::uint32_t narrow[kHalf] = {};
  alignas(64) std::uint64_t wide[kHalf] = {};
};
constexpr Steps kSteps[] = {Steps(1), Steps(2), Steps(4), Steps(8)};

class Access {
 public:
  /// `sign`: what is narrower than a register is extended by it.
  Access(LaneCode& code, const Inst& inst, unsigned bytes, bool sign)
      : c(code),
        inst_(inst),
        store_(inst.is_store),
        bytes_(bytes),
        sign_(sign),
        blocks_(bytes == 8 ? 4 : 2),
        global_(inst.space != Space::kShared),
        parts_(global_ ? 2 : 1),
        offset_(global_ ? inst.offset : static_cast<std::int32_t>(inst.offset)) {}

  void write(Pc pc) {
    c.next_block();
    c.begin_detour(inst_, pc);
    if (store_ && global_) c.outside_or_detour();
    const Steps& steps = kSteps[__builtin_ctz(bytes_)];
    for (unsigned part = 0; part < parts_; ++part)
      steps_[part] = c.table(global_ ? static_cast<const void*>(steps.wide + 8 * part) : steps.narrow);
    for (unsigned i = 0; i < blocks_; ++i)
      values_[i] = store_ ? c.in(inst_.src[1], i, bytes_ == 8) : c.temporary();
    expected_ = c.temporary();
    for (Zmm& scratch : scratch_) scratch = c.temporary();
    for (unsigned half = 0; half < 2; ++half)
      for (unsigned part = 0; part < parts_; ++part) address(half, part);  // before there are branches
    c.range_to(c.r8, c.r9, c.r11, global_, pc);
    for (unsigned half = 0; half < 2; ++half) write_half(half);
    for (unsigned block = 0; !store_ && block < blocks_; ++block)
      c.out(inst_.dst[0], block, values_[block], bytes_ == 8);
    c.end_detour();
  }

 private:
  // r8, r9: the range's begin and end; r11: what is added to an address for the host. rax: the first active
  // lane's register, r10 its address; rcx, with some lanes: which of the half it is. k5 to k7, rdx are free.
  void write_half(unsigned half) {
    Xbyak::Label apart, gather, done;
    const unsigned row_bytes = global_ ? 8 : 4;
    const std::uint32_t at = inst_.src[0].index * 128 + half * kHalf * row_bytes;
    const bool some = c.some_lanes();
    if (some) {
      c.half_lanes(c.ecx, half);
      c.jz(done, kNear);
      c.mov(c.edx, c.ecx);
      c.lzcnt(c.edx, c.edx);
      c.neg(c.edx);
      c.add(c.edx, 31);  // the last active lane
      c.tzcnt(c.ecx, c.ecx);
    }
    const Xbyak::Address reg =
        some ? c.ptr[c.rows() + c.rcx * static_cast<int>(row_bytes) + at] : c.ptr[c.rows() + at];
    if (global_) {
      c.mov(c.rax, reg);
      c.lea(c.r10, c.ptr[c.rax + static_cast<int>(offset_)]);
    } else {
      c.mov(c.eax, reg);
      c.lea(c.r10d, c.ptr[c.rax + static_cast<int>(offset_)]);
    }
    // The last lane of a block ends at rdx.
    if (some) {
      c.sub(c.edx, c.ecx);
      c.lea(c.rdx, c.ptr[c.r10 + c.rdx * static_cast<int>(bytes_) + bytes_]);
    } else {
      c.lea(c.rdx, c.ptr[c.r10 + kHalf * bytes_]);
    }
    // A block? Then lane 0 has, or would have, this in its register.
    if (some) {
      c.neg(c.rcx);
      c.lea(c.rcx, c.ptr[c.rax + c.rcx * static_cast<int>(bytes_)]);
      broadcast(expected_, c.rcx);
    } else {
      broadcast(expected_, c.rax);
    }
    for (unsigned part = 0; part < parts_; ++part) {
      add(scratch_[part], expected_, steps_[part]);
      compare(mask(5 + part), half, part, address(half, part), scratch_[part]);
    }
    jump_if_any(apart);
    check(c.rdx);
    // rcx - rax: how far lane 0 is from the first active one.
    if (some) {
      c.sub(c.rcx, c.rax);
      c.add(c.r10, c.rcx);
    }
    c.add(c.r10, c.r11);
    if (store_)
      store_block(half);
    else
      load_block(half);
    c.jmp(done, kNear);

    c.L(apart);
    if (!store_) one_element(half, gather, done);
    c.L(gather);
    gather_half(half);
    c.L(done);
  }

  /// All lanes read the same.
  void one_element(unsigned half, Xbyak::Label& gather, Xbyak::Label& done) {
    broadcast(expected_, c.rax);
    for (unsigned part = 0; part < parts_; ++part)
      compare(mask(5 + part), half, part, address(half, part), expected_);
    jump_if_any(gather);
    c.lea(c.rdx, c.ptr[c.r10 + bytes_]);
    check(c.rdx);
    c.add(c.r10, c.r11);
    if (bytes_ < 4) {
      if (bytes_ == 1)
        sign_ ? c.movsx(c.eax, c.byte[c.r10]) : c.movzx(c.eax, c.byte[c.r10]);
      else
        sign_ ? c.movsx(c.eax, c.word[c.r10]) : c.movzx(c.eax, c.word[c.r10]);
      c.vpbroadcastd(values_[half], c.eax);
    } else if (bytes_ == 4) {
      c.vpbroadcastd(values_[half], c.ptr[c.r10]);
    } else {
      c.vpbroadcastq(values_[2 * half], c.ptr[c.r10]);
      c.vmovdqa64(values_[2 * half + 1], values_[2 * half]);
    }
    c.jmp(done, kNear);
  }

  /// Of [r10, `end`): leaves for the instruction's own function where it is not inside and aligned.
  void check(const Xbyak::Reg64& end) {
    c.cmp(c.r10, c.r8);
    c.jb(c.detour(), kNear);
    c.cmp(c.r10, c.r9);
    c.jae(c.detour(), kNear);
    c.cmp(end, c.r9);
    c.ja(c.detour(), kNear);
    c.test(c.r10b, static_cast<int>(bytes_ - 1));
    c.jnz(c.detour(), kNear);
  }

  void load_block(unsigned half) {
    if (bytes_ < 4) {
      const Zmm to = c.some_lanes() ? values_[half] | lanes_of(half) | c.T_z : values_[half];
      const Xbyak::Address from = c.ptr[c.r10];
      if (bytes_ == 1)
        sign_ ? c.vpmovsxbd(to, from) : c.vpmovzxbd(to, from);
      else
        sign_ ? c.vpmovsxwd(to, from) : c.vpmovzxwd(to, from);
      return;
    }
    if (bytes_ == 4) {
      if (c.some_lanes())
        c.vmovdqu32(values_[half] | lanes_of(half) | c.T_z, c.ptr[c.r10]);
      else
        c.vmovdqu32(values_[half], c.ptr[c.r10]);
      return;
    }
    for (unsigned quarter = 2 * half; quarter < 2 * half + 2; ++quarter) {
      const int at = static_cast<int>(64 * (quarter % 2));
      if (c.some_lanes())
        c.vmovdqu64(values_[quarter] | c.lanes(quarter, true) | c.T_z, c.ptr[c.r10 + at]);
      else
        c.vmovdqu64(values_[quarter], c.ptr[c.r10 + at]);
    }
  }

  void store_block(unsigned half) {
    if (global_) c.note_outside();
    if (bytes_ < 4) {
      const Xbyak::Address at = c.ptr[c.r10];
      const Xbyak::Address to = c.some_lanes() ? at | lanes_of(half) : at;
      bytes_ == 1 ? c.vpmovdb(to, values_[half]) : c.vpmovdw(to, values_[half]);
      return;
    }
    if (bytes_ == 4) {
      const Xbyak::Address to = c.ptr[c.r10];
      c.vmovdqu32(c.some_lanes() ? to | lanes_of(half) : to, values_[half]);
      return;
    }
    for (unsigned quarter = 2 * half; quarter < 2 * half + 2; ++quarter) {
      const Xbyak::Address to = c.ptr[c.r10 + static_cast<int>(64 * (quarter % 2))];
      c.vmovdqu64(c.some_lanes() ? to | c.lanes(quarter, true) : to, values_[quarter]);
    }
  }

  void gather_half(unsigned half) {
    if (bytes_ < 4) return c.jmp(c.detour(), kNear);
    // All of them in the range, as far as their lanes are active.
    c.mov(c.rdx, c.r9);
    c.sub(c.rdx, c.r8);
    c.sub(c.rdx, static_cast<int>(bytes_));
    c.jb(c.detour(), kNear);
    for (unsigned part = 0; part < parts_; ++part) {
      const Zmm &a = scratch_[part], &t = scratch_[2];
      c.mov(c.rax, static_cast<std::uint64_t>(offset_));
      broadcast(t, c.rax);
      add(a, address(half, part), t);
      if (global_) {
        c.vpbroadcastq(t, c.r8);
        c.vpsubq(t, a, t);
        c.vpbroadcastq(expected_, c.rdx);
        test_masked(c.k5, half, part, [&](const Opmask& k) { c.vpcmpuq(k, t, expected_, 6); });
      } else {
        c.vpbroadcastd(expected_, c.edx);
        test_masked(c.k5, half, part, [&](const Opmask& k) { c.vpcmpud(k, a, expected_, 6); });
      }
      c.mov(c.eax, bytes_ - 1);
      broadcast(t, c.rax);
      test_masked(c.k6, half, part,
                  [&](const Opmask& k) { global_ ? c.vptestmq(k, a, t) : c.vptestmd(k, a, t); });
      c.kortestw(c.k5, c.k6);
      c.jnz(c.detour(), kNear);
    }
    if (store_)
      scatter_values(half);
    else
      gather_values(half);
  }
  /// Of lanes with the same address the highest one's value stays.
  void scatter_values(unsigned half) {
    const Xbyak::Ymm t(scratch_[2].getIdx());
    if (global_) c.note_outside();
    if (bytes_ == 4 && !global_) {
      all_of(c.k5, lanes_of(half));
      c.vpscatterdd(c.ptr[c.r11 + scratch_[0]] | c.k5, values_[half]);
    } else if (bytes_ == 4) {
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpscatterqd(c.ptr[c.r11 + scratch_[0]] | c.k5, Xbyak::Ymm(values_[half].getIdx()));
      c.vextracti64x4(t, values_[half], 1);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpscatterqd(c.ptr[c.r11 + scratch_[1]] | c.k5, t);
    } else {
      if (!global_) c.vextracti64x4(t, scratch_[0], 1);
      for (const unsigned part : {0u, 1u}) {
        const Xbyak::Ymm narrow(scratch_[2 * part].getIdx());
        all_of(c.k5, c.lanes(2 * half + part, true));
        if (global_)
          c.vpscatterqq(c.ptr[c.r11 + scratch_[part]] | c.k5, values_[2 * half + part]);
        else
          c.vpscatterdq(c.ptr[c.r11 + narrow] | c.k5, values_[2 * half + part]);
      }
    }
  }
  void all_of(const Opmask& k, const Opmask& lanes) {
    if (c.some_lanes())
      c.kmovw(k, lanes);
    else
      c.kxnorw(k, k, k);
  }
  void gather_values(unsigned half) {
    if (bytes_ == 4 && !global_) {
      all_of(c.k5, lanes_of(half));
      c.vpgatherdd(values_[half] | c.k5, c.ptr[c.r11 + scratch_[0]]);
    } else if (bytes_ == 4) {
      const Xbyak::Ymm low(values_[half].getIdx()), high(scratch_[2].getIdx());
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpgatherqd(low | c.k5, c.ptr[c.r11 + scratch_[0]]);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpgatherqd(high | c.k5, c.ptr[c.r11 + scratch_[1]]);
      c.joined(values_[half], scratch_[2]);
    } else if (global_) {
      for (unsigned part = 0; part < 2; ++part) {
        all_of(c.k5, c.lanes(2 * half + part, true));
        c.vpgatherqq(values_[2 * half + part] | c.k5, c.ptr[c.r11 + scratch_[part]]);
      }
    } else {
      c.vextracti64x4(Xbyak::Ymm(scratch_[2].getIdx()), scratch_[0], 1);
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpgatherdq(values_[2 * half] | c.k5, c.ptr[c.r11 + Xbyak::Ymm(scratch_[0].getIdx())]);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpgatherdq(values_[2 * half + 1] | c.k5, c.ptr[c.r11 + Xbyak::Ymm(scratch_[2].getIdx())]);
    }
  }

  // What is done on 64-bit addresses of global memory and 32-bit ones of shared memory.
  Zmm address(unsigned half, unsigned part) { return c.in(inst_.src[0], parts_ * half + part, global_); }
  void add(const Zmm& sum, const Zmm& a, const Zmm& b) {
    global_ ? c.vpaddq(sum, a, b) : c.vpaddd(sum, a, b);
  }
  void broadcast(const Zmm& to, const Xbyak::Reg64& from) {
    if (global_)
      c.vpbroadcastq(to, from);
    else
      c.vpbroadcastd(to, from.cvt32());
  }
  static Opmask mask(unsigned index) { return Opmask(static_cast<int>(index)); }
  Opmask lanes_of(unsigned half) { return c.lanes(half, false); }
  Opmask active_of(unsigned half, unsigned part) {
    return global_ ? c.lanes(2 * half + part, true) : c.lanes(half, false);
  }
  /// `test(k)` sets k for active lanes alone.
  template <class Test>
  void test_masked(const Opmask& to, unsigned half, unsigned part, Test&& test) {
    if (c.some_lanes())
      test(to | active_of(half, part));
    else
      test(to);
  }
  void compare(const Opmask& to, unsigned half, unsigned part, const Zmm& a, const Zmm& b) {
    test_masked(to, half, part,
                [&](const Opmask& k) { global_ ? c.vpcmpq(k, a, b, 4) : c.vpcmpd(k, a, b, 4); });
  }
  /// Of the comparisons of all parts.
  void jump_if_any(Xbyak::Label& label) {
    if (global_)
      c.kortestb(c.k5, c.k6);
    else
      c.kortestw(c.k5, c.k5);
    c.jnz(label, kNear);
  }

  LaneCode& c;
  const Inst& inst_;
  const bool store_;
  const unsigned bytes_;
  const bool sign_;
  const unsigned blocks_;  // of the destination
  const bool global_;
  const unsigned parts_;  // vectors of addresses of half a warp
  const std::int64_t offset_;
  Zmm steps_[2], values_[4], expected_, scratch_[3];
};

/// Of an integer or untyped type below 32 bits; 0: it is another.
unsigned narrow_bytes(Type type) {
  return type >= Type::b8 && type <= Type::s64 && type_bytes(type) < 4 ? type_bytes(type) : 0;
}

}  // namespace

bool translate_argument(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (inst.opcode != Opcode::ld || inst.space != Space::kParam || inst.depot || inst.vector != 1)
    return false;
  if (inst.src[0].kind != OperandKind::kNone || inst.dst_count != 1 || !is_register(inst.dst[0]))
    return false;
  const unsigned bytes = bytes_of(m.type);
  if (bytes == 0 || bytes != inst.access_bytes || wide_destination(inst) != (bytes == 8)) return false;
  const auto offset = static_cast<std::uint64_t>(inst.offset);
  if (offset % bytes != 0 || !c.is_argument(offset, bytes)) return false;
  c.each_block(inst.dst[0], bytes == 8,
               [&](unsigned) { return c.argument(static_cast<std::uint32_t>(offset), bytes); });
  return true;
}

bool translate_access(LaneCode& c, const Inst& inst, const Modifiers& m, Pc pc) {
  const bool store = inst.opcode == Opcode::st;
  if ((!store && inst.opcode != Opcode::ld && inst.opcode != Opcode::ldu) || inst.vector != 1 || inst.depot)
    return false;
  const unsigned narrow = narrow_bytes(m.type), bytes = narrow != 0 ? narrow : bytes_of(m.type);
  if (bytes == 0 || bytes != inst.access_bytes || !is_register(inst.src[0])) return false;
  const bool shared = inst.space == Space::kShared;
  const bool global = inst.space == Space::kGlobal || inst.space == Space::kConst ||
                      inst.space == Space::kGeneric || inst.space == Space::kNone;
  if ((!shared && !global) || wide_source(inst, 0) == shared) return false;
  if (inst.offset != static_cast<std::int32_t>(inst.offset)) return false;
  if (store) {
    if (!is_value(inst.src[1]) || wide_source(inst, 1) != (bytes == 8)) return false;
  } else if (inst.dst_count != 1 || !is_register(inst.dst[0]) || wide_destination(inst) != (bytes == 8)) {
    return false;
  }
  Access(c, inst, bytes, is_signed(m.type)).write(pc);
  return true;
}

}  // namespace warpvp::ptx::native
