#include "ptx/exec/stretches.h"

#include "ptx/code_blocks.h"
#include "ptx/exec/select.h"

namespace warpvp::ptx {
Stretches::Stretches(const Program& program)
    : places_(program.code.size() + 1), silent_(silent_atomics_of(program)) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    Place& next = places_[pc + 1];
    next = places_[pc];
    next.parts += inst.is_part;
    next.flops[inst.flops / kDoubleFlops] += inst.flops & ~kDoubleFlops;
    looks_for_others_ |=
        polls(inst, silent_[pc]) || inst.effect == Effect::kYield || inst.effect == Effect::kFence;
  }
  for (std::size_t pc = program.code.size(); pc-- > 0;)
    if (goes_on(program.code[pc]) == GoesOn::kAlways && program.code[pc].guard.kind == OperandKind::kNone)
      places_[pc].length = places_[pc + 1].length + 1;
  const std::vector<CodeBlock> blocks[] = {code_blocks_of(program, false, silent_),
                                           code_blocks_of(program, true, silent_)};
  for (const bool some_lanes : {false, true}) {
    for (const CodeBlock& block : blocks[some_lanes])
      places_[block.begin].block[some_lanes] = block.end - block.begin;
    std::uint32_t to_next = ~std::uint32_t{0};
    for (std::size_t pc = places_.size(); pc-- > 0;) {
      places_[pc].to_block[some_lanes] = to_next;
      if (places_[pc].block[some_lanes] != 0) to_next = 0;
      if (to_next != ~std::uint32_t{0}) ++to_next;
    }
  }
  if (isa_level() == IsaLevel::kNative) native_ = std::make_shared<NativeCode>(program, blocks[0], blocks[1]);
}

const Stretches& Stretches::of(const Program& program) {
  return program.derived.get<Stretches>("stretches", [&] { return Stretches(program); });
}

}  // namespace warpvp::ptx
