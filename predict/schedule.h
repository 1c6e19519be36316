#pragma once
// The schedule of one SM: what issued when. The predictor computes one, the simulated SM's recorder notes
// one, and here they are compared.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/cycle.h"

namespace warpvp::predict {

/// One warp instruction or NOP that left an issue stage.
struct Issue {
  static constexpr std::uint32_t kNop = 0xffffffffu;
  Cycle cycle = 0;
  std::uint32_t cta = 0;   ///< index into Trace::ctas
  std::uint32_t pc = 0;    ///< or kNop
  std::uint16_t warp = 0;  ///< within the CTA
  std::uint16_t scheduler = 0;

  bool same_choice(const Issue& o) const {
    return cta == o.cta && pc == o.pc && warp == o.warp && scheduler == o.scheduler;
  }
};

/// When a CTA was there: from the edge its warps started to the edge its last one had finished.
struct Residence {
  std::uint32_t cta = 0;
  Cycle begin = 0, end = kNever;
};

struct Schedule {
  std::vector<Issue> issues;  ///< by edge; within an edge in the order of the schedulers' turns
  std::vector<Residence> ctas;

  /// Edges with a CTA resident.
  Cycle makespan() const;
  std::uint64_t nops() const;
};

/// Where two schedules part.
struct Departure {
  unsigned scheduler = 0;
  std::uint64_t index = 0;                    ///< issues of this scheduler before it
  std::optional<Issue> predicted, simulated;  ///< the first that differs; none: this schedule had ended
};

struct Comparison {
  std::optional<Departure> order;  ///< first other choice
  std::optional<Departure> time;   ///< first other choice or other edge
  Cycle predicted_makespan = 0, simulated_makespan = 0;
  std::uint64_t predicted_issues = 0, simulated_issues = 0;

  /// Same choices at the same edges, and the same end.
  bool exact() const { return !order && !time && same_residence; }
  bool same_residence = true;  ///< every CTA began and ended at the same edge
};

/// Compares scheduler by scheduler; departures reported are those at the earliest edge.
Comparison compare(const Schedule& predicted, const Schedule& simulated);

}  // namespace warpvp::predict
