#include "ptx/machine/machine_code.h"

#include <algorithm>

#include "ptx/liveness.h"
#include "ptx/machine/branches.h"
#include "ptx/machine/constant_operands.h"
#include "ptx/machine/convergence.h"
#include "ptx/machine/fold_constants.h"
#include "ptx/machine/join_copies.h"
#include "ptx/machine/merge_accesses.h"
#include "ptx/machine/registers.h"
#include "ptx/machine/schedule.h"
#include "ptx/machine/share_expansions.h"
#include "ptx/machine/simplify.h"
#include "ptx/machine/split_loads.h"
#include "ptx/machine/three_operands.h"
#include "ptx/machine/unroll.h"

namespace warpvp::ptx::machine {
namespace {

unsigned registers_of(const ir::Function& f) {
  return analyse_liveness(f, ControlFlowGraph(f)).max_live_rows;
}

void run_passes(const ir::Module& m, LegalFunction& legal, unsigned registers) {
  ir::Function& f = legal.function;
  straighten_branches(f);
  fold_constants(f);
  unroll_loops(f);
  fold_constants(f);
  propagate_copies(f);
  remove_dead_code(f);
  share_values(m, f);
  fold_addresses(f);
  fuse_pairs(f);
  // Before operands of the constant banks, instructions that PTX has not, and guards hide where addresses
  // come from.
  split_constant_loads(m, f);
  merge_accesses(m, f);
  use_constant_operands(m, legal);
  remove_dead_code(f);
  fuse_three(f);
  predicate_branches(f);
  straighten_branches(f);
  join_copies(f);
  schedule(m, f, registers);
}

}  // namespace

void make_machine_code(const ir::Module& m, LegalFunction& legal, const CodeOptions& options) {
  const unsigned before = registers_of(legal.function);
  const unsigned registers = registers_without_loss(legal.function, options.sm, before);
  LegalFunction passed = legal;
  run_passes(m, passed, registers);
  // Values that live longer, as shared ones do, may cost more registers than they are worth.
  if (registers_of(passed.function) <= std::max(registers, before))
    legal = std::move(passed);
  else
    schedule(m, legal.function, registers);
  share_expansions(legal.function);
  place_control(legal.function, options);
}

}  // namespace warpvp::ptx::machine
