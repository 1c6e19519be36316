#include "modules/sm/darsie/renaming_budget.h"

#include <algorithm>

namespace warpvp::darsie {
namespace {
constexpr std::uint32_t kRow = 32;  // registers: one for each thread of a warp
}  // namespace

RenamingBudget::RenamingBudget(const SmResources& sm, unsigned most, bool in_file)
    : sm_(sm), most_(most), in_file_(in_file), shares_(sm.ctas) {}

std::int64_t RenamingBudget::left() const {
  std::int64_t left = sm_.registers;
  for (const Share& share : shares_) left -= std::int64_t{share.needs} + std::int64_t{share.lent} * kRow;
  return left;
}

unsigned RenamingBudget::begin(unsigned slot, std::uint32_t threads, std::uint32_t registers_per_thread,
                               std::uint32_t most_ctas) {
  if (!in_file_) return most_;
  const CtaNeeds needs = cta_needs(sm_, threads, registers_per_thread, 0, 0);
  const std::uint64_t ctas = std::max(1u, most_ctas);
  const std::uint64_t used =
      std::uint64_t{std::min(registers_per_thread, sm_.registers_per_thread)} * needs.threads;
  // What no CTA of the kernel can have, and what is dealt to this one's warps beyond what they use.
  const std::uint64_t of_file =
      (sm_.registers - std::min<std::uint64_t>(sm_.registers, needs.registers * ctas)) / ctas;
  const std::uint64_t of_its_own = needs.registers - std::min<std::uint64_t>(needs.registers, used);
  shares_[slot] = {needs.registers, 0};
  const std::uint64_t there =
      of_its_own + std::min<std::uint64_t>(of_file, std::max<std::int64_t>(0, left()));
  const unsigned rows = static_cast<unsigned>(std::min<std::uint64_t>(most_, there / kRow));
  const std::uint64_t words = std::uint64_t{rows} * kRow;
  shares_[slot].lent = static_cast<unsigned>((words - std::min(words, of_its_own) + kRow - 1) / kRow);
  return rows;
}

void RenamingBudget::recover(unsigned but,
                             const std::function<void(unsigned slot, unsigned rows)>& take_back) {
  for (unsigned slot = 0; slot < shares_.size(); ++slot) {
    const std::int64_t missing = -left();
    if (missing <= 0) return;
    Share& share = shares_[slot];
    if (slot == but || share.lent == 0) continue;
    const unsigned rows = std::min<unsigned>(share.lent, static_cast<unsigned>((missing + kRow - 1) / kRow));
    share.lent -= rows;
    take_back(slot, rows);
  }
}

void RenamingBudget::end(unsigned slot) { shares_[slot] = {}; }

}  // namespace warpvp::darsie
