#pragma once
// A limit study of redundancy (Yeh's thesis, figures 1.4 and 4.1), and whether the marks of ptx/redundancy.h
// are right: which instructions of a kernel really operate on the same values, in all lanes of a warp, in all
// warps of a CTA, in all CTAs. It is shown what each warp executes, in any order.
//
// Instructions of warps are compared that are the same step of the same way (see ptx/redundancy.h). Lanes
// that have parted put their warp out of it until a barrier gathers the CTA; so what is executed in diverged
// flow counts as not redundant. Barriers, fences and exits never count as redundant.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ptx/exec/warp.h"
#include "ptx/redundancy.h"

namespace warpvp::ptx {

/// Dynamic warp instructions of a kernel.
struct RedundancyCounts {
  std::uint64_t instructions = 0;
  std::uint64_t grid = 0, block = 0, warp = 0;  ///< on the same operands in all warps of that, or all lanes
  std::uint64_t uniform = 0, affine = 0, unstructured = 0;  ///< of `block`, by the operands of each warp
  std::uint64_t marked = 0;                                 ///< marked redundant and yielding values
  std::uint64_t marked_of_block = 0;     ///< of `block`, without those that yield no values: marked
  std::uint64_t block_with_results = 0;  ///< of `block`: that yield values
  std::uint64_t unsound = 0;             ///< of `marked`: another warp had another value
  std::string first_unsound;             ///< where, and for which warps; empty: nowhere
};

class RedundancyStudy {
 public:
  /// `program` outlives it. `block`: the shape of the CTAs.
  RedundancyStudy(const Program& program, const std::array<std::uint32_t, 3>& block, bool by_xy = false);

  /// CTA `id`, of any number that is not under way.
  void cta_started(std::uint64_t id);
  /// Warp `warp` of that CTA, behind the instruction at `pc`, which `active` lanes had come to.
  void executed(std::uint64_t id, const Warp& warp, Pc pc, LaneMask active);
  void cta_finished(std::uint64_t id);
  /// It leaves unfinished; what it did is not counted.
  void cta_dropped(std::uint64_t id) { ctas_.erase(id); }

  /// Of the CTAs that have finished.
  RedundancyCounts counts() const;

 private:
  enum class Shape : std::uint8_t { kUniform, kAffine, kUnstructured };
  struct RowInfo {
    std::uint64_t hash = 0;  // of the values of all lanes; 0: all are zero
    Shape shape = Shape::kUniform;
  };
  struct WarpState {
    std::uint64_t way = 0;   // hash of the branches taken
    std::uint64_t step = 0;  // along it
    std::uint64_t gathered = 0;
    bool apart = false;  // lanes have parted
    std::vector<RowInfo> rows;
    std::vector<LaneMask> preds;
  };
  struct Step {
    std::uint64_t operands = 0, results = 0;
    std::uint32_t warps = 0;
    Pc pc = 0;
    Shape shape = Shape::kUniform;
    bool same_operands = true, same_results = true, compared = true;
  };
  struct CtaState {
    std::map<unsigned, WarpState> warps;
    std::unordered_map<std::uint64_t, Step> steps;  // by way and step
    RedundancyCounts counts;
  };
  struct GridStep {
    std::uint64_t operands = 0, ctas = 0;
    std::uint32_t warps = 0;
    bool same = true;
  };

  RowInfo look_at(const Warp& warp, unsigned row, bool wide) const;
  WarpState& state_of(CtaState& cta, const Warp& warp);
  void operands(const WarpState& state, const Warp& warp, const Inst& inst, unsigned row_base,
                unsigned pred_base, std::uint64_t& hash, Shape& shape) const;
  std::uint64_t note_results(WarpState& state, const Warp& warp, const Inst& inst, unsigned row_base,
                             unsigned pred_base) const;
  void look_at_all(WarpState& state, const Warp& warp) const;
  void follow(WarpState& state, const Warp& warp, const Inst& inst, Pc pc, LaneMask active) const;

  const Program& program_;
  const std::vector<RedundancyMark> marks_;
  const Promotion promotion_;
  const unsigned warps_;    // of a CTA
  std::vector<bool> wide_;  // by row of the entry: begins a 64-bit register
  std::map<std::uint64_t, CtaState> ctas_;
  std::unordered_map<std::uint64_t, GridStep> grid_;
  std::uint64_t finished_ = 0;
  RedundancyCounts counts_;
};

}  // namespace warpvp::ptx
