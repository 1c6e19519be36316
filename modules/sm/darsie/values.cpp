#include "modules/sm/darsie/values.h"

#include <fmt/format.h>

#include "ptx/exec/warp.h"

namespace warpvp::darsie {

std::shared_ptr<LeaderValues> values_of(unsigned warp, const IssuedEntry& entry) {
  const ptx::Warp* const state = entry.stream.as_ptx();
  if (state == nullptr) return nullptr;
  auto values = std::make_shared<LeaderValues>();
  values->warp = warp;
  for (unsigned i = 0; i < entry.inst.written_rows; ++i) {
    const std::uint32_t* const row = state->registers() + std::size_t{entry.inst.writes[i]} * ptx::kWarpSize;
    values->words.insert(values->words.end(), row, row + ptx::kWarpSize);
  }
  for (unsigned i = 0; i < entry.inst.written_preds; ++i)
    values->preds.push_back(state->pred_lanes(entry.inst.pred_writes[i]));
  return values;
}

std::string difference(const LeaderValues* values, const ptx::Inst& inst,
                       const ptx::InstructionStream& stream) {
  const ptx::Warp* const warp = stream.as_ptx();
  if (values == nullptr || warp == nullptr || inst.is_part) return {};
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const std::uint32_t* const row = warp->registers() + std::size_t{inst.writes[i]} * ptx::kWarpSize;
    for (unsigned word = 0; word < ptx::kWarpSize; ++word) {
      const std::uint32_t leaders = values->words[i * ptx::kWarpSize + word];
      if (row[word] != leaders)
        return fmt::format("word {} of its result is {:#x}, and {:#x} in its leader, warp {}", word,
                           row[word], leaders, values->warp);
    }
  }
  for (unsigned i = 0; i < inst.written_preds; ++i) {
    const ptx::LaneMask lanes = warp->pred_lanes(inst.pred_writes[i]);
    if (lanes != values->preds[i])
      return fmt::format("its predicate holds for lanes {:#x}, and {:#x} in its leader, warp {}", lanes,
                         values->preds[i], values->warp);
  }
  return {};
}

}  // namespace warpvp::darsie
