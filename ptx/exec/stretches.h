#pragma once
// Where a program goes straight on: stretches of instructions that change nothing but registers of their own
// lanes and memory, and that all active lanes execute. A warp that nobody watches goes past one without
// looking at each instruction, and counts it as a whole. Turns of warps may end between blocks
// (code_blocks.h), which some hosts have as code of their own.

#include <cstdint>
#include <memory>
#include <vector>

#include "ptx/native/native_code.h"
#include "ptx/program.h"

namespace warpvp::ptx {

class Stretches {
 public:
  explicit Stretches(const Program& program);
  /// Those of the program, found when somebody asks first.
  static const Stretches& of(const Program& program);

  /// How many instructions from `pc` on: 0 if the first is none of a stretch.
  std::uint32_t length(Pc pc) const { return places_[pc].length; }
  /// The length of the block (code_blocks.h) that begins at `pc` for these active lanes; 0: none does.
  std::uint32_t block(Pc pc, LaneMask active) const { return places_[pc].block[active != ~LaneMask{0}]; }
  /// How far it is from `pc` to the next instruction behind it that begins one.
  std::uint32_t to_block(Pc pc, LaneMask active) const {
    return places_[pc].to_block[active != ~LaneMask{0}];
  }
  /// It is an atomic whose result nobody asks for: not of a loop that waits for others.
  bool is_silent(Pc pc) const { return silent_[pc]; }
  /// An instruction that reads what others may write meanwhile: a volatile load, one that passes caches by
  /// (`.cv`), or an atomic that is not silent.
  static bool polls(const Inst& inst, bool silent) {
    if (inst.effect != Effect::kMemory) return false;
    if (inst.is_atomic) return inst.dst_count != 0 && !silent;
    return !inst.is_store && (inst.is_volatile || inst.cache_op == static_cast<std::uint8_t>(CacheOp::cv));
  }
  /// Warps that execute it may wait for what other CTAs do: some instruction polls, orders memory, so that
  /// plain loads may do as well, or lets others go first.
  bool looks_for_others() const { return looks_for_others_; }
  /// What the host has of them; nullptr: nothing.
  const NativeCode* native() const { return native_.get(); }
  /// Of the `count` instructions of a stretch from `begin` on.
  struct Sums {
    std::uint64_t parts, flops[2];  ///< of a lane, in single and double precision
  };
  Sums sums(Pc begin, std::uint32_t count) const {
    const Place &a = places_[begin], &b = places_[begin + count];
    return {b.parts - a.parts, {b.flops[0] - a.flops[0], b.flops[1] - a.flops[1]}};
  }

 private:
  struct Place {
    std::uint32_t length = 0;
    std::uint32_t parts = 0, flops[2] = {};         // of all instructions before
    std::uint32_t block[2] = {}, to_block[2] = {};  // for all lanes active, and for some
  };
  std::vector<Place> places_;  // by pc, and one behind the last
  std::vector<bool> silent_;   // by pc
  bool looks_for_others_ = false;
  std::shared_ptr<const NativeCode> native_;
};

}  // namespace warpvp::ptx
