// Loads from global, constant and shared memory and stores, of one element of 8 to 64 bits and of vectors of
// 8 or 16 bytes, as ptx/exec/ops/memory.cpp has them. Vectors of 2 or 4 bytes are one element, taken apart
// behind the load and put together before the store. Half a warp's lanes mostly access one block, or
// read one element; otherwise they are gathered or scattered. What lies outside the allocation that was
// accessed last, or is a fault, is left to the instruction's own function. Where stores are not to be seen
// yet blocks go to the journal, and what is scattered is left, too.

#include <algorithm>

#include "ptx/native/element_tables.h"
#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Xbyak::Opmask;
using Xbyak::Zmm;

constexpr auto kNear = Xbyak::CodeGenerator::T_NEAR;
/// The host gathers so many bytes a lane, of which narrower elements are the first.
constexpr unsigned kLeastGathered = 4;

class Access {
 public:
  /// `bytes`: of an element. `sign`: what is narrower than a register is extended by it.
  Access(LaneCode& code, const Inst& inst, unsigned bytes, bool sign)
      : c(code),
        inst_(inst),
        store_(inst.is_store),
        part_bits_(bytes < 4 && inst.vector > 1 ? 8 * bytes : 0),
        bytes_(part_bits_ ? bytes * inst.vector : bytes),
        elements_(part_bits_ ? 1 : inst.vector),
        stride_(bytes * inst.vector),
        sign_(sign),
        blocks_(bytes == 8 ? 4 : 2),
        global_(inst.space != Space::kShared),
        wide_(wide_source(inst, 0)),
        parts_(wide_ ? 2 : 1),
        offset_(wide_ ? inst.offset : static_cast<std::int32_t>(inst.offset)) {}

  /// Values, addresses, and what is done on them.
  static constexpr unsigned kMostRegisters = 8 + 4 + 2 + 1 + 3 + 4 + 2;
  // No more where four rows of two blocks are put together: 2 + 8 + 3, and 10 of addresses.
  void write(Pc pc) {
    c.next_block();
    // Single lanes are looked at in memory.
    if (inst_.src[0].kind != OperandKind::kNone) {
      if (c.some_lanes()) c.to_memory(inst_.src[0], wide_);
    } else if (store_) {
      for (unsigned element = 0; element < elements_; ++element)
        c.to_memory(inst_.src[1 + element], bytes_ == 8);
    }
    c.begin_detour(inst_, pc, kMostRegisters);
    for (unsigned element = 0; element < elements_; ++element)
      for (unsigned i = 0; i < blocks_; ++i)
        values_[element][i] = !store_      ? c.temporary()
                              : part_bits_ ? put_together(i)
                                           : c.in(inst_.src[1 + element], i, bytes_ == 8);
    if (inst_.src[0].kind == OperandKind::kNone) {
      c.range_to(c.r8, c.r9, c.r11, global_, pc);
      write_one_address();
    } else {
      const Steps& steps = kSteps[__builtin_ctz(stride_)];
      for (unsigned part = 0; part < parts_; ++part)
        steps_[part] = c.table(wide_ ? static_cast<const void*>(steps.wide + 8 * part) : steps.narrow);
      expected_ = c.temporary();
      for (Zmm& scratch : scratch_) scratch = c.temporary();
      if (elements_ > 1 && !c.some_lanes()) {
        for (unsigned i = 0; i < 4; ++i) moved_[i] = c.temporary();
        hold_choices();
      }
      for (unsigned half = 0; half < 2; ++half)
        for (unsigned part = 0; part < parts_; ++part) address(half, part);  // before there are branches
      c.range_to(c.r8, c.r9, c.r11, global_, pc);
      for (unsigned half = 0; half < 2; ++half) write_half(half);
    }
    c.end_jumps();
    if (part_bits_ && !store_) take_apart();
    for (unsigned element = 0; !part_bits_ && !store_ && element < elements_; ++element)
      for (unsigned block = 0; is_register(inst_.dst[element]) && block < blocks_; ++block)
        c.out(inst_.dst[element], block, values_[element][block], bytes_ == 8);
    c.end_detour();
  }

 private:
  /// Block `block` of the vectors that are stored.
  Zmm put_together(unsigned block) {
    const Zmm word = c.temporary(), part = c.temporary();
    const Zmm mask = c.value32((1u << part_bits_) - 1);
    c.vpandd(word, c.in(inst_.src[1], block, false), mask);
    for (unsigned i = 1; i < inst_.vector; ++i) {
      c.vpandd(part, c.in(inst_.src[1 + i], block, false), mask);
      c.vpslld(part, part, static_cast<std::uint8_t>(part_bits_ * i));
      c.vpord(word, word, part);
    }
    return word;
  }
  void take_apart() {
    for (unsigned i = 0; i < inst_.vector; ++i) {
      for (unsigned block = 0; is_register(inst_.dst[i]) && block < blocks_; ++block) {
        const Zmm part = c.temporary();
        c.vpsrld(part, values_[0][block], static_cast<std::uint8_t>(part_bits_ * i));
        c.extend(part, part_bits_, sign_, false);
        c.out(inst_.dst[i], block, part, false);
      }
    }
  }
  /// A variable's own: all lanes access the same.
  void write_one_address() {
    if (store_ && global_) c.at_once_or_detour();
    c.mov(c.r10, static_cast<std::uint64_t>(inst_.offset));
    c.lea(c.rdx, c.ptr[c.r10 + static_cast<int>(stride_)]);
    check(c.rdx);
    c.add(c.r10, c.r11);
    if (!store_) {
      for (unsigned half = 0; half < 2; ++half) broadcast_half(half);
      return;
    }
    // The highest lane's value stays.
    if (c.some_lanes()) c.last_lane(c.ecx);
    for (unsigned element = 0; element < elements_; ++element) {
      const Operand& from = inst_.src[1 + element];
      const Xbyak::Address lane =
          c.some_lanes() ? c.lane_of(from, c.rcx, bytes_ == 8) : c.lane_of(from, kWarpSize - 1, bytes_ == 8);
      const Xbyak::RegExp to = c.r10 + static_cast<int>(element * bytes_);
      if (bytes_ == 8) {
        c.mov(c.rdx, lane);
        c.mov(c.qword[to], c.rdx);
        continue;
      }
      c.mov(c.edx, lane);
      if (bytes_ == 4)
        c.mov(c.dword[to], c.edx);
      else if (bytes_ == 2)
        c.mov(c.word[to], c.dx);
      else
        c.mov(c.byte[to], c.dl);
    }
    if (global_) c.note_outside();
  }

  // r8, r9: the range's begin and end; r11: what is added to an address for the host. rax: the first active
  // lane's register, r10 its address; rcx, with some lanes: which of the half it is. k5 to k7, rdx are free.
  void write_half(unsigned half) {
    Xbyak::Label apart, gather, done;
    const unsigned row_bytes = wide_ ? 8 : 4;
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
    const Xbyak::Address reg = c.ptr[c.rows() + c.rcx * static_cast<int>(row_bytes) + at];
    const Xbyak::Xmm first(address(half, 0).getIdx());
    if (wide_) {
      some ? c.mov(c.rax, reg) : c.vmovq(c.rax, first);
      c.lea(c.r10, c.ptr[c.rax + static_cast<int>(offset_)]);
    } else {
      some ? c.mov(c.eax, reg) : c.vmovd(c.eax, first);
      c.lea(c.r10d, c.ptr[c.rax + static_cast<int>(offset_)]);
    }
    if (some && elements_ > 1) {
      if (!store_) one_element(half, gather, done);
    } else {
      write_block(half, apart, done);
      c.L(apart);
      if (!store_) one_element(half, gather, done);
    }
    c.L(gather);
    gather_half(half);
    c.L(done);
  }

  /// A block? Then lane 0 has, or would have, the first active one's address less the lanes between.
  void write_block(unsigned half, Xbyak::Label& apart, Xbyak::Label& done) {
    // The last lane of a block ends at rdx.
    if (c.some_lanes()) {
      c.sub(c.edx, c.ecx);
      c.lea(c.rdx, c.ptr[c.r10 + c.rdx * static_cast<int>(bytes_) + bytes_]);
      c.neg(c.rcx);
      c.lea(c.rcx, c.ptr[c.rax + c.rcx * static_cast<int>(bytes_)]);
      broadcast(expected_, c.rcx);
    } else {
      c.lea(c.rdx, c.ptr[c.r10 + kHalf * stride_]);
      broadcast(expected_, c.rax);
    }
    for (unsigned part = 0; part < parts_; ++part) {
      add(scratch_[part], expected_, steps_[part]);
      compare(mask(5 + part), half, part, address(half, part), scratch_[part]);
    }
    jump_if_any(apart);
    check(c.rdx);
    // rcx - rax: how far lane 0 is from the first active one.
    if (c.some_lanes()) {
      c.sub(c.rcx, c.rax);
      c.add(c.r10, c.rcx);
    }
    if (store_ && global_)
      place_of_block(half);
    else
      c.add(c.r10, c.r11);
    if (elements_ > 1)
      store_ ? store_vectors(half) : load_vectors(half);
    else
      store_ ? store_block(half) : load_block(half);
    c.jmp(done, kNear);
  }

  /// Where a store of the block at address r10 puts its elements: there, or in the journal.
  void place_of_block(unsigned half) {
    Xbyak::Label at_once, placed;
    using Record = StoreJournal::Record;
    c.journal_to(c.rax);
    c.test(c.rax, c.rax);
    c.jz(at_once);
    c.mov(c.rcx, c.ptr[c.rax + offsetof(StoreJournal, next)]);
    c.lea(c.rdx, c.ptr[c.rcx + static_cast<int>(sizeof(Record) + kHalf * stride_)]);
    c.cmp(c.rdx, c.ptr[c.rax + offsetof(StoreJournal, end)]);
    c.ja(c.detour(), kNear);
    c.mov(c.ptr[c.rax + offsetof(StoreJournal, next)], c.rdx);
    c.mov(c.ptr[c.rcx + offsetof(Record, address)], c.r10);
    if (c.some_lanes())
      c.half_lanes(c.edx, half);
    else
      c.mov(c.edx, (1u << kHalf) - 1);
    c.mov(c.word[c.rcx + offsetof(Record, lanes)], c.dx);
    c.mov(c.word[c.rcx + offsetof(Record, bytes)], stride_);
    c.lea(c.r10, c.ptr[c.rcx + static_cast<int>(sizeof(Record))]);
    c.jmp(placed);
    c.L(at_once);
    c.add(c.r10, c.r11);
    c.L(placed);
    c.note_outside();
  }

  /// All lanes read the same.
  void one_element(unsigned half, Xbyak::Label& gather, Xbyak::Label& done) {
    broadcast(expected_, c.rax);
    for (unsigned part = 0; part < parts_; ++part)
      compare(mask(5 + part), half, part, address(half, part), expected_);
    jump_if_any(gather);
    c.lea(c.rdx, c.ptr[c.r10 + stride_]);
    check(c.rdx);
    c.add(c.r10, c.r11);
    broadcast_half(half);
    c.jmp(done, kNear);
  }

  void broadcast_half(unsigned half) {
    for (unsigned element = 0; element < elements_; ++element) {
      const Zmm* const to = values_[element];
      const Xbyak::RegExp at = c.r10 + static_cast<int>(element * bytes_);
      if (bytes_ < 4) {
        if (bytes_ == 1)
          sign_ ? c.movsx(c.eax, c.byte[at]) : c.movzx(c.eax, c.byte[at]);
        else
          sign_ ? c.movsx(c.eax, c.word[at]) : c.movzx(c.eax, c.word[at]);
        c.vpbroadcastd(to[half], c.eax);
      } else if (bytes_ == 4) {
        c.vpbroadcastd(to[half], c.ptr[at]);
      } else {
        c.vpbroadcastq(to[2 * half], c.ptr[at]);
        c.vmovdqa64(to[2 * half + 1], to[2 * half]);
      }
    }
  }

  /// Of [r10, `end`): leaves for the instruction's own function where it is not inside and aligned.
  void check(const Xbyak::Reg64& end) {
    c.cmp(c.r10, c.r8);
    c.jb(c.detour(), kNear);
    c.cmp(c.r10, c.r9);
    c.jae(c.detour(), kNear);
    c.cmp(end, c.r9);
    c.ja(c.detour(), kNear);
    c.test(c.r10b, static_cast<int>(stride_ - 1));
    c.jnz(c.detour(), kNear);
  }

  void load_block(unsigned half) {
    if (bytes_ < 4) {
      const Zmm to = c.some_lanes() ? values_[0][half] | lanes_of(half) | c.T_z : values_[0][half];
      const Xbyak::Address from = c.ptr[c.r10];
      if (bytes_ == 1)
        sign_ ? c.vpmovsxbd(to, from) : c.vpmovzxbd(to, from);
      else
        sign_ ? c.vpmovsxwd(to, from) : c.vpmovzxwd(to, from);
      return;
    }
    if (bytes_ == 4) {
      if (c.some_lanes())
        c.vmovdqu32(values_[0][half] | lanes_of(half) | c.T_z, c.ptr[c.r10]);
      else
        c.vmovdqu32(values_[0][half], c.ptr[c.r10]);
      return;
    }
    for (unsigned quarter = 2 * half; quarter < 2 * half + 2; ++quarter) {
      const int at = static_cast<int>(64 * (quarter % 2));
      if (c.some_lanes())
        c.vmovdqu64(values_[0][quarter] | c.lanes(quarter, true) | c.T_z, c.ptr[c.r10 + at]);
      else
        c.vmovdqu64(values_[0][quarter], c.ptr[c.r10 + at]);
    }
  }

  void store_block(unsigned half) {
    if (bytes_ < 4) {
      const Xbyak::Address at = c.ptr[c.r10];
      const Xbyak::Address to = c.some_lanes() ? at | lanes_of(half) : at;
      bytes_ == 1 ? c.vpmovdb(to, values_[0][half]) : c.vpmovdw(to, values_[0][half]);
      return;
    }
    if (bytes_ == 4) {
      const Xbyak::Address to = c.ptr[c.r10];
      c.vmovdqu32(c.some_lanes() ? to | lanes_of(half) : to, values_[0][half]);
      return;
    }
    for (unsigned quarter = 2 * half; quarter < 2 * half + 2; ++quarter) {
      const Xbyak::Address to = c.ptr[c.r10 + static_cast<int>(64 * (quarter % 2))];
      c.vmovdqu64(c.some_lanes() ? to | c.lanes(quarter, true) : to, values_[0][quarter]);
    }
  }

  /// The tables that vectors of elements need are looked for before there are branches.
  void hold_choices() {
    const auto hold = [&](const auto& a, const auto& b) {
      choices_[0] = c.table(a.from);
      choices_[1] = c.table(b.from);
    };
    using Narrow = Pairs<std::uint32_t>;
    using Wide = Pairs<std::uint64_t>;
    if (bytes_ == 8)
      store_ ? hold(Wide::kLower, Wide::kUpper) : hold(Wide::kFirsts, Wide::kSeconds);
    else if (elements_ == 2)
      store_ ? hold(Narrow::kLower, Narrow::kUpper) : hold(Narrow::kFirsts, Narrow::kSeconds);
    else
      store_ ? hold(Fours::kLower, Fours::kUpper) : hold(Fours::kFirstTwo, Fours::kLastTwo);
  }
  /// Of `a` and `b` what choice `which` has.
  void choose(const Zmm& to, unsigned which, const Zmm& a, const Zmm& b) {
    c.vmovdqa64(to, choices_[which]);
    bytes_ == 8 ? c.vpermi2q(to, a, b) : c.vpermi2d(to, a, b);
  }
  /// The lower halves of two vectors, or their upper ones.
  void halves(const Zmm& to, const Zmm& a, const Zmm& b, bool upper) {
    if (upper)
      c.vshufi64x2(to, a, b, 0xee);
    else
      c.vinserti64x4(to, a, Xbyak::Ymm(b.getIdx()), 1);
  }
  /// Sixteen lanes' vectors lie at r10, one behind the other.
  void load_vectors(unsigned half) {
    for (unsigned i = 0; i < stride_ * kHalf / 64; ++i)
      c.vmovdqu64(moved_[i], c.ptr[c.r10 + static_cast<int>(64 * i)]);
    if (elements_ == 4) {
      const Zmm two[] = {scratch_[0], scratch_[1]};
      for (unsigned pair = 0; pair < 2; ++pair) {
        choose(two[0], pair, moved_[0], moved_[1]);
        choose(two[1], pair, moved_[2], moved_[3]);
        halves(values_[2 * pair][half], two[0], two[1], false);
        halves(values_[2 * pair + 1][half], two[0], two[1], true);
      }
      return;
    }
    for (unsigned element = 0; element < 2; ++element) {
      if (bytes_ == 4) choose(values_[element][half], element, moved_[0], moved_[1]);
      for (unsigned i = 0; bytes_ == 8 && i < 2; ++i)
        choose(values_[element][2 * half + i], element, moved_[2 * i], moved_[2 * i + 1]);
    }
  }
  void store_vectors(unsigned half) {
    if (elements_ == 4) {
      const Zmm two[] = {scratch_[0], scratch_[1]};
      for (unsigned upper = 0; upper < 2; ++upper) {
        halves(two[0], values_[0][half], values_[1][half], upper != 0);
        halves(two[1], values_[2][half], values_[3][half], upper != 0);
        for (unsigned i = 0; i < 2; ++i) choose(moved_[2 * upper + i], i, two[0], two[1]);
      }
    } else {
      for (unsigned i = 0; i < 2; ++i) {
        if (bytes_ == 4) choose(moved_[i], i, values_[0][half], values_[1][half]);
        for (unsigned quarter = 0; bytes_ == 8 && quarter < 2; ++quarter)
          choose(moved_[2 * quarter + i], i, values_[0][2 * half + quarter], values_[1][2 * half + quarter]);
      }
    }
    for (unsigned i = 0; i < stride_ * kHalf / 64; ++i)
      c.vmovdqu64(c.ptr[c.r10 + static_cast<int>(64 * i)], moved_[i]);
  }

  void gather_half(unsigned half) {
    // Of lanes that share an address the highest one stores all its elements.
    if (store_ && (bytes_ < 4 || elements_ > 1)) return c.jmp(c.detour(), kNear);
    if (store_ && global_) c.at_once_or_detour();
    // All of them in the range, as far as their lanes are active.
    c.mov(c.rdx, c.r9);
    c.sub(c.rdx, c.r8);
    c.sub(c.rdx, static_cast<int>(std::max(stride_, kLeastGathered)));
    c.jb(c.detour(), kNear);
    for (unsigned part = 0; part < parts_; ++part) {
      const Zmm &a = scratch_[part], &t = scratch_[2];
      c.mov(c.rax, static_cast<std::uint64_t>(offset_));
      broadcast(t, c.rax);
      add(a, address(half, part), t);
      if (wide_) {
        c.vpbroadcastq(t, c.r8);
        c.vpsubq(t, a, t);
        c.vpbroadcastq(expected_, c.rdx);
        test_masked(c.k5, half, part, [&](const Opmask& k) { c.vpcmpuq(k, t, expected_, 6); });
      } else {
        c.vpbroadcastd(expected_, c.edx);
        test_masked(c.k5, half, part, [&](const Opmask& k) { c.vpcmpud(k, a, expected_, 6); });
      }
      c.mov(c.eax, stride_ - 1);
      broadcast(t, c.rax);
      test_masked(c.k6, half, part,
                  [&](const Opmask& k) { wide_ ? c.vptestmq(k, a, t) : c.vptestmd(k, a, t); });
      c.kortestw(c.k5, c.k6);
      c.jnz(c.detour(), kNear);
    }
    if (store_) {
      if (global_) c.note_outside();
      scatter_values(half);
    }
    for (unsigned element = 0; !store_ && element < elements_; ++element) gather_values(half, element);
  }
  /// Of lanes with the same address the highest one's value stays.
  void scatter_values(unsigned half) {
    const Xbyak::Ymm t(scratch_[2].getIdx());
    if (bytes_ == 4 && !wide_) {
      all_of(c.k5, lanes_of(half));
      c.vpscatterdd(c.ptr[c.r11 + scratch_[0]] | c.k5, values_[0][half]);
    } else if (bytes_ == 4) {
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpscatterqd(c.ptr[c.r11 + scratch_[0]] | c.k5, Xbyak::Ymm(values_[0][half].getIdx()));
      c.vextracti64x4(t, values_[0][half], 1);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpscatterqd(c.ptr[c.r11 + scratch_[1]] | c.k5, t);
    } else {
      if (!wide_) c.vextracti64x4(t, scratch_[0], 1);
      for (const unsigned part : {0u, 1u}) {
        const Xbyak::Ymm narrow(scratch_[2 * part].getIdx());
        all_of(c.k5, c.lanes(2 * half + part, true));
        if (wide_)
          c.vpscatterqq(c.ptr[c.r11 + scratch_[part]] | c.k5, values_[0][2 * half + part]);
        else
          c.vpscatterdq(c.ptr[c.r11 + narrow] | c.k5, values_[0][2 * half + part]);
      }
    }
  }
  void all_of(const Opmask& k, const Opmask& lanes) {
    if (c.some_lanes())
      c.kmovw(k, lanes);
    else
      c.kxnorw(k, k, k);
  }
  void gather_values(unsigned half, unsigned element) {
    const Zmm* const values = values_[element];
    const Xbyak::RegExp base = c.r11 + static_cast<int>(element * bytes_);
    if (bytes_ <= 4 && !wide_) {
      all_of(c.k5, lanes_of(half));
      c.vpgatherdd(values[half] | c.k5, c.ptr[base + scratch_[0]]);
    } else if (bytes_ <= 4) {
      const Xbyak::Ymm low(values[half].getIdx()), high(scratch_[2].getIdx());
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpgatherqd(low | c.k5, c.ptr[base + scratch_[0]]);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpgatherqd(high | c.k5, c.ptr[base + scratch_[1]]);
      c.joined(values[half], scratch_[2]);
    } else if (wide_) {
      for (unsigned part = 0; part < 2; ++part) {
        all_of(c.k5, c.lanes(2 * half + part, true));
        c.vpgatherqq(values[2 * half + part] | c.k5, c.ptr[base + scratch_[part]]);
      }
    } else {
      c.vextracti64x4(Xbyak::Ymm(scratch_[2].getIdx()), scratch_[0], 1);
      all_of(c.k5, c.lanes(2 * half, true));
      c.vpgatherdq(values[2 * half] | c.k5, c.ptr[base + Xbyak::Ymm(scratch_[0].getIdx())]);
      all_of(c.k5, c.lanes(2 * half + 1, true));
      c.vpgatherdq(values[2 * half + 1] | c.k5, c.ptr[base + Xbyak::Ymm(scratch_[2].getIdx())]);
    }
    if (bytes_ < 4) c.extend(values[half], 8 * bytes_, sign_, false);
  }

  // What is done on addresses of 64 and of 32 bits.
  Zmm address(unsigned half, unsigned part) { return c.in(inst_.src[0], parts_ * half + part, wide_); }
  void add(const Zmm& sum, const Zmm& a, const Zmm& b) { wide_ ? c.vpaddq(sum, a, b) : c.vpaddd(sum, a, b); }
  void broadcast(const Zmm& to, const Xbyak::Reg64& from) {
    if (wide_)
      c.vpbroadcastq(to, from);
    else
      c.vpbroadcastd(to, from.cvt32());
  }
  static Opmask mask(unsigned index) { return Opmask(static_cast<int>(index)); }
  Opmask lanes_of(unsigned half) { return c.lanes(half, false); }
  Opmask active_of(unsigned half, unsigned part) {
    return wide_ ? c.lanes(2 * half + part, true) : c.lanes(half, false);
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
                [&](const Opmask& k) { wide_ ? c.vpcmpq(k, a, b, 4) : c.vpcmpd(k, a, b, 4); });
  }
  /// Of the comparisons of all parts.
  void jump_if_any(Xbyak::Label& label) {
    if (wide_)
      c.kortestb(c.k5, c.k6);
    else
      c.kortestw(c.k5, c.k5);
    c.jnz(label, kNear);
  }

  LaneCode& c;
  const Inst& inst_;
  const bool store_;
  const unsigned part_bits_;  // of vectors that are one element; 0: it is none
  const unsigned bytes_, elements_;
  const unsigned stride_;  // from lane to lane of a block
  const bool sign_;
  const unsigned blocks_;  // of an element's rows
  const bool global_;
  const bool wide_;       // addresses of 64 bits
  const unsigned parts_;  // vectors of addresses of half a warp
  const std::int64_t offset_;
  Zmm steps_[2], values_[4][4], expected_, scratch_[3];
  Zmm moved_[4], choices_[2];  // of vectors of elements
};

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
  if ((!store && inst.opcode != Opcode::ld && inst.opcode != Opcode::ldu) || inst.depot) return false;
  const unsigned narrow = narrow_bytes(m.type), bytes = narrow != 0 ? narrow : bytes_of(m.type);
  const unsigned elements = inst.vector;
  if (bytes == 0 || bytes != inst.access_bytes || elements == 3 || bytes * elements > 16) return false;
  const bool one_address = inst.src[0].kind == OperandKind::kNone;
  if (elements > 1 && narrow != 0 && (bytes * elements > 4 || (store && one_address))) return false;
  if (!one_address && !is_register(inst.src[0])) return false;
  const bool shared = inst.space == Space::kShared;
  const bool global = inst.space == Space::kGlobal || inst.space == Space::kConst ||
                      inst.space == Space::kGeneric || inst.space == Space::kNone;
  if ((!shared && !global) || (global && !one_address && !wide_source(inst, 0))) return false;
  if (inst.offset != static_cast<std::int32_t>(inst.offset) && !one_address) return false;
  if (!moves_elements(inst, bytes)) return false;
  Access(c, inst, bytes, is_signed(m.type)).write(pc);
  return true;
}

}  // namespace warpvp::ptx::native
