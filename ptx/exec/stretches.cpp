#include "ptx/exec/stretches.h"

#include "ptx/exec/select.h"

namespace warpvp::ptx {
namespace {

GoesOn goes_on(const Inst& inst) {
  switch (inst.effect) {
    case Effect::kNone:
      // Those have others see what they do.
      return inst.opcode != Opcode::vprintf && inst.opcode != Opcode::heap_malloc &&
                     inst.opcode != Opcode::heap_free
                 ? GoesOn::kAlways
                 : GoesOn::kNo;
    case Effect::kMemory:
      if (inst.is_volatile) return GoesOn::kNo;
      // Other warps of the SM see stores, and wait for nobody until this one's turn is over.
      return inst.opcode == Opcode::ld || inst.opcode == Opcode::ldu || inst.opcode == Opcode::st
                 ? GoesOn::kAlways
                 : GoesOn::kNo;
    case Effect::kWarpSync:
      return inst.guard.kind == OperandKind::kNone ? GoesOn::kWholeWarp : GoesOn::kNo;
    default:
      return GoesOn::kNo;
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
    if (goes_on(program.code[pc]) == GoesOn::kAlways && program.code[pc].guard.kind == OperandKind::kNone)
      places_[pc].length = places_[pc + 1].length + 1;
  if (isa_level() != IsaLevel::kNative) return;
  std::vector<GoesOn> all;
  for (const Inst& inst : program.code) all.push_back(goes_on(inst));
  native_ = std::make_shared<NativeCode>(program, all);
}

const Stretches& Stretches::of(const Program& program) {
  return program.derived.get<Stretches>("stretches", [&] { return Stretches(program); });
}

}  // namespace warpvp::ptx
