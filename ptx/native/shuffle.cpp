// shfl of a whole warp, as ptx/exec/ops/shuffle.cpp has it, and bar.warp.sync, which has nothing to wait for.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {
namespace {

using Zmm = Xbyak::Zmm;
using Opmask = Xbyak::Opmask;

constexpr unsigned kBlocks = 2, kBlockLanes = kWarpSize / kBlocks;

/// 32-bit values of a block's lanes.
template <class F>
const void* table_of(LaneCode& c, unsigned block, F&& value) {
  std::uint32_t words[kBlockLanes];
  for (unsigned i = 0; i < kBlockLanes; ++i) words[i] = value(block * kBlockLanes + i);
  std::uint8_t bytes[64];
  std::memcpy(bytes, words, sizeof bytes);
  return c.keep(bytes);
}

/// The second and third operands: by how far, and which lanes a lane may read.
struct Reach {
  ShuffleMode mode;
  std::uint32_t clamp, segment;

  std::uint32_t first(unsigned lane) const { return lane & segment; }
  std::uint32_t last(unsigned lane) const { return first(lane) | (clamp & ~segment); }
  /// The lane that `lane` reads, or one that is outside.
  std::int32_t source(unsigned lane, std::uint32_t by) const {
    const auto l = static_cast<std::int32_t>(lane), n = static_cast<std::int32_t>(by);
    return mode == ShuffleMode::up     ? l - n
           : mode == ShuffleMode::down ? l + n
           : mode == ShuffleMode::bfly ? l ^ n
                                       : static_cast<std::int32_t>(first(lane) | (by & ~segment));
  }
  bool inside(unsigned lane, std::int32_t from) const {
    const auto end = static_cast<std::int32_t>(last(lane));
    return mode == ShuffleMode::up ? from >= end : from <= end;
  }
};

/// Which lanes each reads is known now.
void by_constant(LaneCode& c, const Inst& inst, const Reach& reach, std::uint32_t by) {
  std::uint32_t inside = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    inside |= std::uint32_t{reach.inside(lane, reach.source(lane, by))} << lane;
  c.next_block();
  const Zmm low = c.in(inst.src[0], 0, false), high = c.in(inst.src[0], 1, false);
  Zmm results[kBlocks];
  for (unsigned block = 0; block < kBlocks; ++block) {
    results[block] = c.temporary();
    c.vmovdqa64(results[block], c.table(table_of(c, block, [&](unsigned lane) {
      return inside >> lane & 1 ? static_cast<std::uint32_t>(reach.source(lane, by)) : lane;
    })));
    c.vpermi2d(results[block], low, high);
  }
  // Both blocks are read before one is written: the destination may be the source.
  for (unsigned block = 0; is_register(inst.dst[0]) && block < kBlocks; ++block)
    c.out(inst.dst[0], block, results[block], false);
  if (inst.dst[1].kind != OperandKind::kPred) return;
  c.mov(c.eax, inside);
  c.store_pred(inst.dst[1], c.eax);
}

/// k5, k6: the lanes of the two blocks that read one that is inside.
void by_register(LaneCode& c, const Inst& inst, const Reach& reach) {
  Zmm results[kBlocks];
  c.next_block();
  const Zmm low = c.in(inst.src[0], 0, false), high = c.in(inst.src[0], 1, false);
  for (unsigned block = 0; block < kBlocks; ++block) {
    const Opmask inside(static_cast<int>(5 + block));
    const Zmm by = c.temporary(), r = c.temporary();
    c.vpandd(by, c.in(inst.src[1], block, false), c.value32(31));
    const Zmm lane = c.table(table_of(c, block, [](unsigned l) { return l; })),
              last = c.table(table_of(c, block, [&](unsigned l) { return reach.last(l); }));
    switch (reach.mode) {
      case ShuffleMode::up:
        c.vpsubd(r, lane, by);
        break;
      case ShuffleMode::down:
        c.vpaddd(r, lane, by);
        break;
      case ShuffleMode::bfly:
        c.vpxord(r, lane, by);
        break;
      default:
        c.vpandd(by, by, c.value32(~reach.segment));
        c.vpord(r, by, c.table(table_of(c, block, [&](unsigned l) { return reach.first(l); })));
    }
    constexpr std::uint8_t kLessOrEqual = 2, kNotLess = 5;
    c.vpcmpd(inside, r, last, reach.mode == ShuffleMode::up ? kNotLess : kLessOrEqual);
    c.vpblendmd(r | inside, lane, r);
    c.vpermi2d(r, low, high);
    results[block] = r;
  }
  for (unsigned block = 0; is_register(inst.dst[0]) && block < kBlocks; ++block)
    c.out(inst.dst[0], block, results[block], false);
  if (inst.dst[1].kind != OperandKind::kPred) return;
  c.kunpckwd(c.k5, c.k6, c.k5);
  c.kmovd(c.eax, c.k5);
  c.store_pred(inst.dst[1], c.eax);
}

}  // namespace

bool translate_shuffle(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (c.some_lanes()) return false;
  if (inst.opcode == Opcode::bar) return m.bar == BarOp::warp_sync;
  if (inst.opcode != Opcode::shfl || m.type != Type::b32 || m.shuffle == ShuffleMode::kNone) return false;
  // Compilers keep the second and third operands in registers.
  const std::optional<std::uint32_t> by = c.known(inst.src[1]), limits = c.known(inst.src[2]);
  if (!is_value(inst.src[0]) || !is_value(inst.src[1]) || !limits) return false;
  const Reach reach{m.shuffle, *limits & 31, *limits >> 8 & 31};
  if (by)
    by_constant(c, inst, reach, *by & 31);
  else
    by_register(c, inst, reach);
  return true;
}

}  // namespace warpvp::ptx::native
