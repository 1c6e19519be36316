#include <fmt/format.h>

#include "modules/sm/darsie/params.h"
#include "modules/sm/frontend/skip.h"
#include "ptx/program_flow.h"
#include "ptx/redundancy.h"

namespace warpvp::darsie {
namespace {

using Marks = std::vector<ptx::RedundancyMark>;
using Block = std::array<std::uint32_t, 3>;

bool communicates(const ptx::Inst& inst) {
  if (inst.effect == ptx::Effect::kFence) return true;
  if (inst.effect != ptx::Effect::kMemory || inst.space == ptx::Space::kShared) return false;
  return inst.is_atomic || inst.is_volatile;
}

/// Where warps may part and where all are in one place, and what they tell each other; nothing is skipped.
AllFlags ways_flags(const ptx::Program& program, const Marks& marks, ptx::Promotion promotion) {
  AllFlags all(program.code.size());
  for (ptx::Pc pc = 0; pc < all.size(); ++pc) {
    const ptx::Inst& inst = program.code[pc];
    const bool guarded = inst.guard.kind != ptx::OperandKind::kNone;
    const bool call = inst.opcode == ptx::Opcode::call && !inst.is_part;
    Flags& flags = all[pc];
    flags.transfer = (ptx::ends_flow_block(inst) || call) && !inst.is_part;
    flags.choice =
        flags.transfer && (guarded || inst.opcode == ptx::Opcode::brx || (call && inst.target == ptx::kNoPc));
    flags.gathers = promotion.redundant(marks[pc].gathers);
    flags.stores = inst.is_store || inst.is_atomic || inst.is_async;
    flags.communicates = communicates(inst);
  }
  return all;
}

/// By the instruction alone, and without knowing what it yields.
bool may_be_skipped(const ptx::Program& program, const ptx::Inst& inst, bool predicates) {
  const bool yields = inst.written_rows != 0 || (inst.written_preds != 0 && predicates);
  const bool carries =
      !inst.is_part && inst.modifiers < program.modifiers.size() && program.modifiers[inst.modifiers].cc;
  return skippable(inst) && inst.guard.kind == ptx::OperandKind::kNone && !carries &&
         (yields || (inst.is_part && inst.op_class != ptx::OpClass::kControl)) &&
         (inst.written_preds == 0 || predicates);
}

std::vector<bool> entry_code(const ptx::Program& program) {
  const ptx::ProgramFlow flow(program);
  const std::vector<bool> blocks = flow.reachable(flow.roots().front(), -1);
  std::vector<bool> code(program.code.size());
  for (ptx::Pc pc = 0; pc < code.size(); ++pc) code[pc] = blocks[flow.block_of(pc)];
  return code;
}

ptx::LocalLoads local_loads(bool by_address) {
  return by_address ? ptx::LocalLoads::kByAddress : ptx::LocalLoads::kVector;
}

/// Parts go with what they are parts of, which stands behind them.
void skip_parts(const ptx::Program& program, AllFlags& all) {
  bool whole = false;
  for (std::size_t pc = all.size(); pc-- > 0;) {
    if (program.code[pc].is_part)
      all[pc].skip = all[pc].skip && whole;
    else
      whole = all[pc].skip;
  }
}

AllFlags darsie_flags(const ptx::Program& program, const Block& block, const Params& params) {
  const Marks marks = ptx::analyse_redundancy(program, local_loads(params.local_by_address));
  const auto promotion = ptx::Promotion::of(block, params.by_xy);
  AllFlags all = ways_flags(program, marks, promotion);
  if (all.empty() || !params.skip) return all;
  // Registers of functions lie in frames of their own, which are not renamed.
  const std::vector<bool> in_entry = entry_code(program);
  for (ptx::Pc pc = 0; pc < all.size(); ++pc) {
    const ptx::Inst& inst = program.code[pc];
    Flags& flags = all[pc];
    flags.skip = in_entry[pc] && promotion.redundant(marks[pc].value) &&
                 may_be_skipped(program, inst, params.predicates);
    flags.load = flags.skip && inst.accesses_data();
    flags.global = flags.load && inst.space != ptx::Space::kShared;
  }
  return all;
}

AllFlags uv_flags(const ptx::Program& program, const Block& block) {
  const Marks marks = ptx::analyse_redundancy(program);
  AllFlags all = ways_flags(program, marks, ptx::Promotion::of(block));
  if (all.empty()) return all;
  // What registers of a function's frame hold is not compared.
  const std::vector<bool> in_entry = entry_code(program);
  for (ptx::Pc pc = 0; pc < all.size(); ++pc)
    all[pc].skip = in_entry[pc] && marks[pc].value == ptx::Redundancy::kDefinite &&
                   program.code[pc].effect != ptx::Effect::kMemory &&
                   may_be_skipped(program, program.code[pc], true);
  skip_parts(program, all);
  return all;
}

AllFlags dac_flags(const ptx::Program& program, const Block& block, bool local_by_address) {
  const Marks marks = ptx::analyse_redundancy(program, local_loads(local_by_address));
  AllFlags all = ways_flags(program, marks, ptx::Promotion::of(block));
  for (ptx::Pc pc = 0; pc < all.size(); ++pc) {
    const bool load = program.code[pc].effect == ptx::Effect::kMemory;
    all[pc].skip = marks[pc].affine && (!load || marks[pc].value == ptx::Redundancy::kDefinite) &&
                   may_be_skipped(program, program.code[pc], true);
  }
  skip_parts(program, all);
  return all;
}

std::string name_of(const char* whose, const Block& block) {
  return fmt::format("darsie: {} {}", whose, fmt::join(block, ","));
}

}  // namespace

const AllFlags& flags_of(const ptx::Program& program, const Block& block, const Params& params) {
  const std::string name = fmt::format("{} {} {} {} {}", name_of("skipped", block), params.by_xy,
                                       params.local_by_address, params.predicates, params.skip);
  return program.derived.get<AllFlags>(name, [&] { return darsie_flags(program, block, params); });
}

const AllFlags& uniform_flags(const ptx::Program& program, const Block& block) {
  return program.derived.get<AllFlags>(name_of("uniform", block), [&] { return uv_flags(program, block); });
}

const AllFlags& affine_flags(const ptx::Program& program, const Block& block, bool local_by_address) {
  const std::string name = fmt::format("{} {}", name_of("affine", block), local_by_address);
  return program.derived.get<AllFlags>(name, [&] { return dac_flags(program, block, local_by_address); });
}

}  // namespace warpvp::darsie
