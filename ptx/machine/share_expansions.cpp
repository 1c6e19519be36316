#include "ptx/machine/share_expansions.h"

#include <cstddef>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/expansion.h"

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

// Instructions of one family and type have parts in common.
bool related(const ir::Instruction& a, const ir::Instruction& b) {
  const auto family = [](Opcode o) {
    return o == Opcode::rem ? Opcode::div : o == Opcode::cos ? Opcode::sin : o;
  };
  return family(a.opcode) == family(b.opcode) && a.modifiers.type == b.modifiers.type &&
         a.modifiers.rounding == b.modifiers.rounding && a.modifiers.ftz == b.modifiers.ftz;
}

// What `later` need not do again after `earlier`, their operands being the same values.
ir::Shared common(const ir::Instruction& earlier, const ir::Instruction& later) {
  if (!related(earlier, later)) return ir::Shared::kNone;
  if (later.opcode == Opcode::sin || later.opcode == Opcode::cos)
    return same_value(earlier.operands[1], later.operands[1]) ? ir::Shared::kDivisor : ir::Shared::kNone;
  if (!same_value(earlier.operands[2], later.operands[2])) return ir::Shared::kNone;
  const bool quotient = earlier.opcode != later.opcode && same_value(earlier.operands[1], later.operands[1]);
  return quotient ? ir::Shared::kQuotient : ir::Shared::kDivisor;
}

bool shares(const ir::Instruction& i) {
  switch (i.opcode) {
    case Opcode::div:
    case Opcode::rem:
      return i.guard < 0 && i.operands.size() == 3;
    case Opcode::sin:
    case Opcode::cos:
      return i.guard < 0 && i.operands.size() == 2;
    default:
      return false;
  }
}

}  // namespace

void share_expansions(ir::Function& f) {
  const ControlFlowGraph cfg(f);
  std::vector<int> written;
  for (const Block& block : cfg.blocks()) {
    std::vector<std::size_t> earlier;  // whose operands still have their values
    for (std::size_t at = block.begin; at < block.end; ++at) {
      ir::Instruction& i = f.code[at];
      if (shares(i)) {
        for (const std::size_t e : earlier) {
          const ir::Shared found = common(f.code[e], i);
          if (found > i.shared && has_shared_form(i, found)) i.shared = found;
        }
        earlier.push_back(at);
      }
      registers_written(i, written);
      std::vector<std::size_t> kept;
      for (const std::size_t e : earlier) {
        bool stays = true;
        for (const ir::Operand& o : f.code[e].operands)
          for (const int r : written)
            stays = stays && (&o == &f.code[e].operands[0] || o.kind != Kind::kRegister || o.index != r);
        if (stays) kept.push_back(e);
      }
      earlier = std::move(kept);
    }
  }
}

}  // namespace warpvp::ptx::machine
