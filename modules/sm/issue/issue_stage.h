#pragma once
// The face of the issue stage of a sub-core (`sm.issue`): which warps' heads issue at an edge.
//
// Readiness is a set of bit masks (StageSignals) changed by events: operand arrived, instruction fetched,
// barrier released. So an edge costs the same whatever the number of warps.

#include <memory>

#include "base/cycle.h"
#include "modules/sm/policies.h"
#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

class FrontEnd;
struct StageContext;

/// What an issue stage asks of its sub-core.
class IssueClient {
 public:
  virtual ~IssueClient() = default;
  /// Issues the head of the warp, a NOP or an instruction that can be taken. Each warp once an edge at most.
  virtual void issue(unsigned warp, Cycle now) = 0;
  /// Of `loads`, whose heads go to memory, those that the load/store unit has no room for.
  virtual WarpMask refused_by_memory(WarpMask loads) const = 0;
  /// These ready warps cannot issue at so many edges, this one the last, for that reason.
  virtual void charge_blocked(WarpMask blocked, Stall reason, Cycle edges) = 0;
  /// Warps that lack nothing but an instruction (SWaS paper, section VI-A4), at this edge.
  virtual WarpMask starved(Cycle now) const = 0;
  /// What an oracle found about this edge.
  virtual void count_verdict(bool discrepancy, bool error) = 0;
};

class IssueStage {
 public:
  virtual ~IssueStage() = default;
  virtual void warp_started(unsigned warp, const WarpInfo& info) = 0;
  virtual void warp_finished(unsigned warp) = 0;
  /// One edge; not called when no warp is ready, unless observed(). Where it leaves
  /// StageSignals::refused_until at 0, it is called at the next edge too while warps are ready.
  virtual void issue(Cycle now, IssueClient& client) = 0;
  /// Wants every edge with resident warps, also those slept through: observe_idle_edge() tells of these.
  virtual bool observed() const { return false; }
  virtual void observe_idle_edge(Cycle, IssueClient&) {}
  /// A while without instructions is foreseeable for this warp: the line that its fetch missed came, or it
  /// took a branch.
  virtual void excuse(unsigned, Cycle) {}
  /// What it and its policies count, each in a group; shown summed over the sub-cores of an SM.
  virtual void stats(StatVisitor&) const {}
};

/// A registered type of issue stage.
class IssueStageType {
 public:
  static constexpr const char* kKind = "issue_stage";
  virtual ~IssueStageType() = default;
  virtual std::unique_ptr<IssueStage> build(const StageContext& context, const FrontEnd& front_end) const = 0;
};

}  // namespace warpvp
