#include "ptx/machine/unroll.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/liveness.h"
#include "ptx/machine/constants.h"
#include "ptx/machine/dominators.h"
#include "ptx/machine/edit.h"
#include "ptx/machine/facts.h"
#include "ptx/machine/live_sets.h"
#include "ptx/machine/values.h"

namespace warpvp::ptx::machine {
namespace {

/// Measured with ptxas 10.1 and 11.8 for sm_70, loops of loads and multiply-adds: bodies of 12 and 20 instructions are
/// unrolled to 768 and 640, not to 1,536 and 1,280; bodies of 36, 68 and 132 to 288, 272 and 264, not to 576, 544 and
/// 528. Loops of arithmetic alone, and of loads from shared memory at known places, it unrolls further.
constexpr std::uint32_t kShortBody = 24, kMostOfShort = 768, kMostOfLong = 320;

/// Instructions [head, latch]; the latch is the branch back to the head.
struct Loop {
  std::uint32_t head = 0, latch = 0;
  std::uint32_t length() const { return latch - head + 1; }
  std::uint32_t most_iterations() const {
    return (length() <= kShortBody ? kMostOfShort : kMostOfLong) / length();
  }
};

class Unroller {
 public:
  explicit Unroller(ir::Function& f) : f_(f), cfg_(f), values_(f, cfg_), labelled_(f.code.size() + 1, false) {
    for (const ir::Label& l : f.labels) labelled_[l.position] = true;
  }

  /// Unrolls the first loop that can be. False: there is none.
  bool run() {
    for (std::uint32_t at = 0; at + 1 < f_.code.size(); ++at) {
      const ir::Instruction& i = f_.code[at];
      if (i.opcode != Opcode::bra || i.guard < 0 || target(i) > at) continue;
      const Loop loop{target(i), at};
      if (loop.most_iterations() == 0 || !can_be_copied(loop)) continue;
      const std::uint32_t iterations = count_iterations(loop);
      if (iterations == 0) continue;
      copy(loop, iterations);
      return true;
    }
    return false;
  }

 private:
  std::uint32_t target(const ir::Instruction& branch) const {
    return f_.labels[static_cast<std::size_t>(branch.label)].position;
  }

  bool can_be_copied(const Loop& loop) const {
    if (loop.head == 0 || ends_block_for_good(f_.code[loop.head - 1])) return false;
    for (const ir::Label& l : f_.labels) {
      if (l.position == loop.head && l.no_unroll) return false;
    }
    const auto inside = [&](std::uint32_t at) { return at >= loop.head && at <= loop.latch; };
    for (const ir::BranchTable& t : f_.tables) {
      if (t.position > loop.head && t.position <= loop.latch) return false;
      for (const int l : t.labels)
        if (inside(f_.labels[static_cast<std::size_t>(l)].position)) return false;
    }
    for (std::uint32_t at = 0; at < f_.code.size(); ++at) {
      const ir::Instruction& i = f_.code[at];
      if (i.opcode == Opcode::bra) {
        if (at == loop.latch) continue;
        const std::uint32_t to = target(i);
        if (inside(at) ? to <= at || to > loop.latch : inside(to)) return false;
      } else if (inside(at) && order_of(i) == Order::kFixed) {
        return false;
      }
    }
    return true;
  }

  /// What is known when the loop begins.
  KnownValues known_before(const Loop& loop) const {
    KnownValues known(f_.registers.size());
    for (std::size_t r = 0; r < known.size(); ++r) {
      const int at = values_.definition(static_cast<int>(r));
      if (at >= 0) known[r] = computed_value(f_, f_.code[static_cast<std::size_t>(at)], known);
    }
    // Registers with other values elsewhere: the last one on the way that falls into the loop.
    std::vector<bool> found(f_.registers.size(), false);
    const KnownValues nothing(f_.registers.size());
    std::vector<int> written;
    for (std::uint32_t at = loop.head; at-- > 0;) {
      const ir::Instruction& i = f_.code[at];
      if (ends_block_for_good(i)) break;
      registers_written(i, written);
      for (const int r : written) {
        const auto u = static_cast<std::size_t>(r);
        if (found[u] || values_.definition(r) >= 0) continue;
        found[u] = true;
        known[u] = computed_value(f_, i, nothing);
      }
      if (labelled_[at]) break;
    }
    return known;
  }

  /// By instruction of the loop: every iteration executes it.
  std::vector<bool> executed_always(const Loop& loop) const {
    std::vector<int> depth;
    const std::vector<int> dominator = dominators(cfg_.blocks(), depth);
    std::vector<bool> always(loop.length(), false);
    for (int b = cfg_.block_of(loop.latch); b >= 0; b = dominator[static_cast<std::size_t>(b)]) {
      const Block& block = cfg_.blocks()[static_cast<std::size_t>(b)];
      if (block.begin < loop.head) break;
      std::fill(always.begin() + (block.begin - loop.head),
                always.begin() + (std::min(block.end, loop.latch + 1) - loop.head), true);
    }
    return always;
  }

  /// 0: not known, or too many.
  std::uint32_t count_iterations(const Loop& loop) const {
    const std::vector<bool> always = executed_always(loop);
    KnownValues known = known_before(loop);
    const ir::Instruction& latch = f_.code[loop.latch];
    std::vector<int> written;
    for (std::uint32_t iteration = 1; iteration <= loop.most_iterations(); ++iteration) {
      for (std::uint32_t at = loop.head; at < loop.latch; ++at) {
        const ir::Instruction& i = f_.code[at];
        std::optional<std::uint64_t> result;
        if (always[at - loop.head] && i.guard < 0) {
          if (i.opcode == Opcode::setp) {
            const std::optional<bool> holds = compared_value(f_, i, known);
            if (holds) result = *holds ? 1 : 0;
          } else {
            result = computed_value(f_, i, known);
          }
        }
        registers_written(i, written);
        for (const int r : written) known[static_cast<std::size_t>(r)] = result;
      }
      const std::optional<std::uint64_t>& guard = known[static_cast<std::size_t>(latch.guard)];
      if (!guard) return 0;
      if ((*guard != 0) == latch.guard_negated) return iteration;
    }
    return 0;
  }

  /// By register: a copy may give it another name. Not where an iteration may pass its writes by, unless only
  /// what follows in the same block reads it.
  std::vector<bool> renamable(const Loop& loop) const {
    const std::vector<bool> always = executed_always(loop);
    std::vector<bool> yes(f_.registers.size(), true);
    std::vector<int> written;
    for (std::uint32_t at = loop.head; at < loop.latch; ++at) {
      const bool unguarded = f_.code[at].guard < 0;
      if (always[at - loop.head] && unguarded) continue;
      registers_written(f_.code[at], written);
      for (const int r : written) {
        if (!unguarded || values_.definition(r) < 0 || !read_in_one_block(r))
          yes[static_cast<std::size_t>(r)] = false;
      }
    }
    return yes;
  }

  /// Of a register with one value: no other block reads it than the one that writes it.
  bool read_in_one_block(int r) const {
    const int home = cfg_.block_of(static_cast<std::uint32_t>(values_.definition(r)));
    std::vector<int> read;
    for (std::uint32_t at = 0; at < f_.code.size(); ++at) {
      if (cfg_.block_of(at) == home) continue;
      registers_read(f_.code[at], read);
      if (std::find(read.begin(), read.end(), r) != read.end()) return false;
    }
    return true;
  }

  void copy(const Loop& loop, std::uint32_t iterations) {
    const std::vector<bool> renamed = renamable(loop);
    const std::vector<bool> read_behind = live_before(f_, cfg_, live_behind_blocks(f_, cfg_), loop.latch + 1);
    std::vector<int> name(f_.registers.size());
    for (std::size_t r = 0; r < name.size(); ++r) name[r] = static_cast<int>(r);

    std::vector<ir::Instruction> code(f_.code.begin(), f_.code.begin() + loop.head);
    std::vector<std::uint32_t> position;
    for (std::uint32_t at = 0; at < loop.head; ++at) position.push_back(at);
    const std::size_t labels = f_.labels.size();
    std::vector<std::pair<std::size_t, std::uint32_t>> placed;  // labels of copies, set when all others are
    for (std::uint32_t n = 0; n < iterations; ++n) {
      const auto start = static_cast<std::uint32_t>(code.size());
      std::vector<int> label(labels, -1);
      const auto label_of_copy = [&](int l) {
        const ir::Label& original = f_.labels[static_cast<std::size_t>(l)];
        if (n == 0 || original.position <= loop.head) return l;
        int& own = label[static_cast<std::size_t>(l)];
        if (own < 0) {
          own = static_cast<int>(f_.labels.size());
          placed.push_back({f_.labels.size(), start + (original.position - loop.head)});
          f_.labels.push_back({fmt::format("{}${}", original.name, n), 0, original.where});
        }
        return own;
      };
      for (std::uint32_t at = loop.head; at < loop.latch; ++at) {
        ir::Instruction i = f_.code[at];
        std::vector<std::pair<std::size_t, int>> new_names;
        visit_registers(i, [&](int& index, bool written) {
          const auto r = static_cast<std::size_t>(index);
          if (!written) {
            index = name[r];
          } else if (renamed[r]) {
            const bool last = n + 1 == iterations && read_behind[r];
            if (!last) index = add_register(f_, f_.registers[r].type);
            new_names.push_back({r, index});
          }
        });
        for (const auto& [r, index] : new_names) name[r] = index;
        if (i.label >= 0) i.label = label_of_copy(i.label);
        code.push_back(std::move(i));
        if (n == 0) position.push_back(static_cast<std::uint32_t>(code.size()) - 1);
      }
      if (n == 0) position.push_back(static_cast<std::uint32_t>(code.size()));  // of the latch
    }
    for (std::size_t at = loop.latch + 1; at < f_.code.size(); ++at) {
      position.push_back(static_cast<std::uint32_t>(code.size()));
      code.push_back(std::move(f_.code[at]));
    }
    position.push_back(static_cast<std::uint32_t>(code.size()));
    replace_code(f_, std::move(code), position);
    for (const auto& [l, at] : placed) f_.labels[l].position = at;
    sort_labels(f_);
  }

  ir::Function& f_;
  const ControlFlowGraph cfg_;
  const Values values_;
  std::vector<bool> labelled_;  // by instruction: others may jump there
};

}  // namespace

void unroll_loops(ir::Function& f) {
  do {
    remove_unused_labels(f);
  } while (Unroller(f).run());
}

}  // namespace warpvp::ptx::machine
