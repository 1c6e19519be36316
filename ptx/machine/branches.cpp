#include "ptx/machine/branches.h"

#include <algorithm>

#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/live_sets.h"

namespace warpvp::ptx::machine {
namespace {

/// Measured with ptxas 13 for sm_75: a branch over up to so many single-precision, shared-memory or store
/// instructions is predicated, one over more is not.
constexpr std::uint32_t kMostPredicated = 8;

bool is_plain_branch(const ir::Instruction& i) { return i.opcode == Opcode::bra && i.guard < 0; }
bool is_guarded_branch(const ir::Instruction& i) { return i.opcode == Opcode::bra && i.guard >= 0; }

class Positions {
 public:
  explicit Positions(const ir::Function& f)
      : f_(f), labels_(f.code.size() + 1, 0), users_(f.labels.size(), 0) {
    for (const ir::Label& l : f.labels) ++labels_[l.position];
    for (const ir::Instruction& i : f.code) {
      if (i.label >= 0) ++users_[static_cast<std::size_t>(i.label)];
    }
    for (const ir::BranchTable& t : f.tables) {
      for (const int l : t.labels) ++users_[static_cast<std::size_t>(l)];
    }
  }
  bool has_label(std::uint32_t at) const { return labels_[at] != 0; }
  std::uint32_t target(const ir::Instruction& i) const {
    return f_.labels[static_cast<std::size_t>(i.label)].position;
  }
  /// Whether branch `i` is the only thing that names any label at its target.
  bool only_way(const ir::Instruction& i) const {
    return labels_[target(i)] == 1 && users_[static_cast<std::size_t>(i.label)] == 1;
  }

 private:
  const ir::Function& f_;
  std::vector<unsigned> labels_, users_;
};

// Whether [begin, end) can stand under a guard on predicate p.
bool can_be_guarded(const ir::Function& f, const Positions& positions, std::uint32_t begin, std::uint32_t end,
                    int p) {
  if (end - begin > kMostPredicated) return false;
  std::vector<int> written;
  for (std::uint32_t k = begin; k < end; ++k) {
    const ir::Instruction& i = f.code[k];
    const Order order = order_of(i);
    if ((order != Order::kPure && order != Order::kMemory) || i.guard >= 0) return false;
    if (order == Order::kMemory && memory_use(f, i).ordered) return false;
    if (k > begin && positions.has_label(k)) return false;
    registers_written(i, written);
    if (std::find(written.begin(), written.end(), p) != written.end()) return false;
  }
  return true;
}

// Puts [begin, end) under a guard. Old values of registers that are alive nowhere in `live` need not be kept:
// there arithmetic needs no guard at all.
void guard(ir::Function& f, std::uint32_t begin, std::uint32_t end, int p, bool negated,
           const std::vector<bool>& live) {
  std::vector<int> written;
  for (std::uint32_t k = begin; k < end; ++k) {
    ir::Instruction& i = f.code[k];
    registers_written(i, written);
    const bool kept =
        std::any_of(written.begin(), written.end(), [&](int r) { return live[static_cast<std::size_t>(r)]; });
    if (!kept && is_value(f, i)) continue;
    i.guard = p;
    i.guard_negated = negated;
    i.fresh = !kept && !written.empty();
  }
}

}  // namespace

void straighten_branches(ir::Function& f) {
  for (bool changed = true; changed;) {
    changed = false;
    remove_unused_labels(f);
    const Positions positions(f);
    std::vector<bool> dead(f.code.size(), false);
    for (std::uint32_t at = 0; at + 1 < f.code.size(); ++at) {
      ir::Instruction& i = f.code[at];
      if (i.opcode != Opcode::bra || dead[at]) continue;
      const std::uint32_t target = positions.target(i);
      ir::Instruction& next = f.code[at + 1];
      if (target == at + 1) {
        dead[at] = changed = true;
      } else if (is_guarded_branch(i) && target == at + 2 && is_plain_branch(next) &&
                 !positions.has_label(at + 1)) {
        i.label = next.label;
        i.guard_negated = !i.guard_negated;
        dead[at + 1] = changed = true;
      } else if (f.is_entry && target < f.code.size() && f.code[target].guard < 0 &&
                 (f.code[target].opcode == Opcode::exit || f.code[target].opcode == Opcode::ret)) {
        ir::Instruction end = f.code[target];
        end.guard = i.guard;
        end.guard_negated = i.guard_negated;
        end.where = i.where;
        i = std::move(end);
        changed = true;
      }
    }
    remove_instructions(f, dead);
  }
}

void predicate_branches(ir::Function& f) {
  for (bool changed = true; changed;) {
    changed = false;
    remove_unused_labels(f);
    const Positions positions(f);
    const ControlFlowGraph cfg(f);
    const std::vector<std::vector<bool>> live_behind = live_behind_blocks(f, cfg);
    std::vector<bool> dead(f.code.size(), false);
    for (std::uint32_t at = 0; at + 1 < f.code.size(); ++at) {
      const ir::Instruction i = f.code[at];
      if (!is_guarded_branch(i) || i.uniform) continue;
      const std::uint32_t begin = at + 1, target = positions.target(i);
      if (target <= begin || positions.has_label(begin)) continue;
      // One side: what others jump to begins behind it.
      if (can_be_guarded(f, positions, begin, target, i.guard)) {
        guard(f, begin, target, i.guard, !i.guard_negated, live_before(f, cfg, live_behind, target));
        dead[at] = changed = true;
        at = target - 1;
        continue;
      }
      // Two sides: the first ends with a branch behind the second.
      const std::uint32_t jump = target - 1;
      if (!is_plain_branch(f.code[jump]) || jump < begin || positions.has_label(jump) ||
          !positions.only_way(i))
        continue;
      const std::uint32_t meet = positions.target(f.code[jump]);
      if (meet <= target || meet - begin > kMostPredicated + 1) continue;
      if (!can_be_guarded(f, positions, begin, jump, i.guard) ||
          !can_be_guarded(f, positions, target, meet, i.guard))
        continue;
      // Threads of the second side need what it reads or leaves; those of the first what is read behind both.
      const std::vector<bool> second = live_before(f, cfg, live_behind, target);
      const std::vector<bool> behind = live_before(f, cfg, live_behind, meet);
      guard(f, begin, jump, i.guard, !i.guard_negated, second);
      guard(f, target, meet, i.guard, i.guard_negated, behind);
      dead[at] = dead[jump] = changed = true;
      at = meet - 1;
    }
    remove_instructions(f, dead);
  }
}

}  // namespace warpvp::ptx::machine
