#pragma once
// The Perfetto timeline of a run: processes, kernels by stream, CTAs by SM; doorbells and what the command
// processor decides; CTAs in flight, priorities, packets in queues and, where there are interval statistics,
// their columns as counters. Copies and the link are platform/observe/copy_timeline.h, whose SMs are
// platform/observe/sm_timeline.h, warps platform/observe/warp_timeline.h.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "modules/command_processor/queues/queue_observer.h"
#include "modules/work_distributor/work_distributor.h"
#include "platform/observe/copy_timeline.h"
#include "platform/observe/interval_statistics.h"
#include "platform/observe/process_observer.h"
#include "platform/observe/sm_timeline.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

/// The order of the groups of a timeline; SM n comes n after the first.
enum class TimelineGroup : std::uint32_t {
  kProcesses = 1,
  kKernels,
  kCommands,
  kQueues,
  kCopies,
  kLink,
  kOwners,
  kCounters,
  kFirstSm
};
/// Within an SM, CTAs come before warps.
inline constexpr std::uint32_t kFirstWarpOrder = 1u << 16;

/// The track of that name of an SM.
TraceWriter::Track sm_track(TraceWriter& trace, unsigned sm, const std::string& name, std::uint32_t order);
/// In the unit of timelines.
std::uint64_t picoseconds(const sc_core::sc_time& t);

class Timeline : public DispatchObserver, public QueueObserver, public ProcessObserver {
 public:
  /// What the platform knows of those that the timeline shows.
  struct Names {
    std::function<std::string(std::uint32_t launch_id)> launch;
    std::function<std::uint32_t(std::uint32_t launch_id)> context_of;
    std::function<std::string(std::uint64_t address)> owner_of;  ///< context; empty: nobody's
  };
  /// `trace` is open and outlives the timeline. Without `ctas` there are no CTAs: a run may have millions.
  Timeline(TraceWriter& trace, Names names, bool ctas);

  /// For who watches copies and the link.
  CopyTimeline& copies() { return copies_; }
  /// Shows tokens of contexts, of which 1, 2, .. are given these.
  void show_tokens(std::vector<std::uint32_t> given) { owners_.show_tokens(std::move(given)); }

  void kernel_begin(const KernelRecord& record) override;
  void kernel_end(const KernelRecord& record) override;
  void cta_begin(const CtaLaunch& launch, unsigned sm) override;
  void cta_end(const CtaDone& done) override;
  void cta_preempted(const CtaPreempted& cta) override;
  void sm_changed(const SmHandover& handover) override;
  void doorbell(unsigned queue, std::uint64_t write_index) override;
  void queue_depth(unsigned queue, std::uint64_t packets) override;
  void decision(const SchedulingDecision& decision) override;
  void process_begin(const ProcessExecution& execution) override;
  void process_end(const ProcessExecution& execution) override;
  /// A row of interval statistics: increases as the value from the interval's begin on, levels from its end.
  void interval(const std::vector<IntervalColumn>& columns, const IntervalStatistics::Row& row);

  /// Shows what has not ended. When the simulation is over.
  void finish();

 private:
  struct Running {
    std::uint32_t launch_id;
    std::uint64_t begin_ps;
    std::uint32_t cta[3];
    unsigned row;  ///< row of the SM's group, so that slices of one row never overlap
  };
  void write_kernel(const KernelRecord& record, std::uint64_t end_ps, bool ended);
  void end_cta(std::uint32_t launch, unsigned sm, const std::uint32_t (&cta)[3]);
  void write_cta(unsigned sm, const Running& cta, bool ended);
  void write_process(const ProcessExecution& execution, bool ended);
  void change_priority(const KernelRecord& record, bool begins);
  std::string context_name(std::uint32_t context) const;
  void count_ctas(std::uint64_t in_flight);
  TraceWriter::Track track(TimelineGroup group, const std::string& name, std::uint32_t order);

  TraceWriter& trace_;
  Names names_;
  bool ctas_;
  SmTimeline owners_;
  CopyTimeline copies_;
  std::map<std::uint32_t, KernelRecord> kernels_;        // by launch, those that have not ended
  std::map<unsigned, std::vector<Running>> running_;     // by SM, in order of begin
  std::map<std::uint32_t, ProcessExecution> processes_;  // by context, those under way
  std::map<std::uint32_t, std::string> context_names_;   // of processes
  /// By context, of resident kernels; of contexts in which some kernel's was not 0.
  std::map<std::uint32_t, std::multiset<std::int32_t>> priorities_;
  std::set<std::uint32_t> with_priorities_;
  std::uint64_t in_flight_ = 0;
};

}  // namespace warpvp
