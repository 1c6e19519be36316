#include "ptx/exec/stretches.h"

#include "ptx/exec/select.h"

namespace warpvp::ptx {
namespace {

bool goes_straight_on(const Inst& inst) {
  if (inst.guard.kind != OperandKind::kNone) return false;
  switch (inst.effect) {
    case Effect::kNone:
      // Those have others see what they do.
      return inst.opcode != Opcode::vprintf && inst.opcode != Opcode::heap_malloc &&
             inst.opcode != Opcode::heap_free;
    case Effect::kMemory:
      if (inst.is_volatile) return false;
      // Other warps of the CTA see stores to shared memory, and wait for nobody until this one's turn is
      // over.
      return inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu ||
             (inst.opcode == Opcode::st && (inst.space == Space::kShared || inst.space == Space::kLocal));
    default:
      return false;
  }
}

}  // namespace

Stretches::Stretches(const Program& program) : places_(program.code.size() + 1) {
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    Place& next = places_[pc + 1];
    next = places_[pc];
    next.parts += inst.is_part;
    next.flops[inst.flops / kDoubleFlops] += inst.flops & ~kDoubleFlops;
  }
  for (std::size_t pc = program.code.size(); pc-- > 0;)
    places_[pc].length = goes_straight_on(program.code[pc]) ? places_[pc + 1].length + 1 : 0;
  if (isa_level() != IsaLevel::kNative) return;
  std::vector<std::uint32_t> lengths;
  for (const Place& place : places_) lengths.push_back(place.length);
  native_ = std::make_shared<NativeCode>(program, lengths);
}

const Stretches& Stretches::of(const Program& program) {
  return program.derived.get<Stretches>("stretches", [&] { return Stretches(program); });
}

}  // namespace warpvp::ptx
