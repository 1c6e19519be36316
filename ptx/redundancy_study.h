#pragma once
// A limit study of redundancy (Yeh's thesis, figures 1.4 and 4.1), and whether the marks of ptx/redundancy.h
// are right: which instructions of a kernel really operate on the same values, in all lanes of a warp, in all
// warps of a CTA, in all CTAs. It is shown what each warp executes, in any order.
//
// Instructions of warps are compared that are the same step of the same way (see ptx/redundancy.h). Lanes
// that have parted put their warp out of it until a barrier gathers the CTA; so what is executed in diverged
// flow counts as not redundant, and a warp that is not full never counts. Neither do barriers, fences, waits,
// calls and exits, nor what cannot be done once for several: atomics, text, the heap, a thread's own memory.
// Alike are operands, and what is read besides them: memory, special registers, the carry. The parts of an
// expanded instruction (Inst::is_part) go by the operands and the mark of that instruction.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ptx/exec/warp.h"
#include "ptx/redundancy.h"

namespace warpvp::ptx {

/// Dynamic warp instructions of a kernel. In CTAs of one warp nothing is redundant among warps, nor marked.
struct RedundancyCounts {
  std::uint64_t ctas = 0;  ///< that have finished
  std::uint64_t instructions = 0;
  std::uint64_t grid = 0, block = 0, warp = 0;  ///< on the same operands in all warps of that, or all lanes
  std::uint64_t uniform = 0, affine = 0, unstructured = 0;  ///< of `block`, by the operands of each warp
  std::uint64_t marked = 0;           ///< marked redundant, yielding values, executed by all lanes of a warp
  std::uint64_t marked_of_block = 0;  ///< of `marked`: in `block` too
  std::uint64_t block_with_results = 0;  ///< of `block`: that yield values
  std::uint64_t unsound = 0;             ///< of `marked`: another warp had another value
  std::string first_unsound;             ///< where, and for which warp; empty: nowhere

  RedundancyCounts& operator+=(const RedundancyCounts& other);
};

/// What a study has to know of a program in CTAs of some shape; launches share it.
struct StudiedProgram {
  struct Code {
    Pc operands_of = 0;   ///< itself, or of a part the instruction that it belongs to
    bool counts = false;  ///< it can be redundant at all
    bool yields = false;  ///< values
    bool marked = false;  ///< redundant in such CTAs
    bool gathers = false;
    bool special = false;  ///< reads a special register
  };
  /// `program` outlives it.
  StudiedProgram(const Program& program, const std::array<std::uint32_t, 3>& block, bool by_xy = false);

  const Program& program;
  const unsigned warps;  ///< of a CTA
  std::vector<Code> code;
};

class RedundancyStudy {
 public:
  explicit RedundancyStudy(std::shared_ptr<const StudiedProgram> studied) : studied_(std::move(studied)) {}
  RedundancyStudy(const Program& program, const std::array<std::uint32_t, 3>& block, bool by_xy = false)
      : RedundancyStudy(std::make_shared<const StudiedProgram>(program, block, by_xy)) {}

  /// CTA `id`, of any number that is not under way, from its first instruction on.
  void cta_started(std::uint64_t id) { ctas_[id] = {}; }
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
    std::uint64_t way = 0;                 // hash of the branches taken
    std::uint64_t step = 0;                // along it
    std::uint64_t gathered = 0;            // barriers that gathered the CTA
    std::uint64_t arrival = 0;             // at a barrier, the last seen
    bool arriving = false;                 // at one that gathers, with some of its lanes
    unsigned row_base = 0, pred_base = 0;  // of the next instruction
    bool apart = false;                    // lanes have parted
    std::vector<RowInfo> rows;
    std::vector<LaneMask> preds;
  };
  struct Step {
    std::uint64_t operands = 0, results = 0;
    std::uint32_t warps = 0;
    Pc pc = 0;
    Shape shape = Shape::kUniform;
    bool same_operands = true;
  };
  /// A step that was redundant in its CTA: by way and step, and on which operands.
  using Agreed = std::pair<std::uint64_t, std::uint64_t>;
  struct CtaState {
    std::map<unsigned, WarpState> warps;
    std::unordered_map<std::uint64_t, Step> steps;  // by way and step, until all warps have come
    std::vector<Agreed> agreed;
    RedundancyCounts counts;
  };
  struct GridStep {
    std::uint64_t operands = 0, ctas = 0;
    bool same = true;
  };

  static RowInfo look_at(const Warp& warp, unsigned row, bool wide);
  WarpState& state_of(CtaState& cta, const Warp& warp);
  static void operands(const WarpState& state, const Inst& inst, std::uint64_t& hash, Shape& shape);
  static std::uint64_t note_results(WarpState& state, const Warp& warp, const Inst& inst);
  void compare(std::uint64_t id, CtaState& cta, const WarpState& state, const Warp& warp, const Step& now);
  void settle(CtaState& cta, std::uint64_t key, const Step& step) const;
  void follow(WarpState& state, const Warp& warp, Pc pc, LaneMask active) const;

  std::shared_ptr<const StudiedProgram> studied_;
  std::map<std::uint64_t, CtaState> ctas_;
  std::unordered_map<std::uint64_t, GridStep> grid_;  // what may have been redundant in all CTAs
  std::uint64_t finished_ = 0;
  RedundancyCounts counts_;
};

}  // namespace warpvp::ptx
