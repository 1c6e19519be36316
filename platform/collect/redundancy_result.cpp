#include "platform/collect/redundancy_result.h"

namespace warpvp {

void RedundancyResult::stats(StatVisitor& v) const {
  const ptx::RedundancyCounts& c = counts;
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  const auto of_all = [&](const char* key, std::uint64_t part, const char* doc) {
    v.value(key, share(part, c.instructions), "share", doc);
  };
  v.value("ctas", c.ctas, "CTAs", "CTAs looked at: those that have ended and were never taken off an SM.");
  v.value("instructions", c.instructions, "warp instructions",
          "What they executed. The shares below are of this.");
  of_all("grid", c.grid,
         "On the same operands in all warps of the grid. Diverged flow, barriers and atomics never count.");
  of_all("block", c.block, "On the same operands in all warps of the CTA; 0 where it has one.");
  of_all("warp", c.warp, "On the same values in all lanes of the warp.");
  of_all("uniform", c.uniform, "Of `block`: each operand is one value in all lanes.");
  of_all("affine", c.affine,
         "Of `block`: each operand is a base and a stride over the lanes, some with one.");
  of_all("unstructured", c.unstructured, "Of `block`: the others.");
  of_all("marked", c.marked,
         "Marked redundant at compile time, in CTAs of this shape: what DARSIE could skip at most.");
  v.when(c.marked != 0, "where something is marked", [&] {
    v.value("precision", share(c.marked_of_block, c.marked), "share",
            "Of what is marked: redundant in the CTA, as counted in `block`.");
  });
  v.when(c.block_with_results != 0, "where something that yields values is redundant", [&] {
    v.value("recall", share(c.marked_of_block, c.block_with_results), "share",
            "Of what is redundant in the CTA and yields values: marked.");
  });
  v.value("unsound", c.unsound, "warp instructions",
          "Marked, and another warp of the CTA, come the same way, had another value. Without data races in "
          "the program the marks are wrong.");
}

}  // namespace warpvp
