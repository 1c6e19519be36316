#pragma once
// The Perfetto timeline of a run: kernels by stream, CTAs by SM, copies by engine; doorbells and what the
// command processor decides; CTAs in flight, packets in queues and, where there are interval statistics,
// their columns as counters. Warps are platform/warp_timeline.h.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "modules/command_processor/queues/queue_observer.h"
#include "modules/host/dma_engine.h"
#include "modules/work_distributor/work_distributor.h"
#include "platform/interval_statistics.h"
#include "platform/results/trace_writer.h"
#include "platform/sm_timeline.h"

namespace warpvp {

/// The order of the groups of a timeline; SM n comes n after the first.
enum class TimelineGroup : std::uint32_t {
  kKernels = 1,
  kCommands,
  kQueues,
  kCopies,
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

class Timeline : public DispatchObserver, public QueueObserver, public CopyObserver {
 public:
  /// `name_of` gives the name of a launch; `trace` is open and outlives the timeline. Without `ctas` there
  /// are no CTAs: a run may have millions.
  Timeline(TraceWriter& trace, std::function<std::string(std::uint32_t launch_id)> name_of, bool ctas = true);

  void kernel_begin(const KernelRecord& record) override;
  void kernel_end(const KernelRecord& record) override;
  void cta_begin(const CtaLaunch& launch, unsigned sm) override;
  void cta_end(const CtaDone& done) override;
  void cta_preempted(const CtaPreempted& cta) override;
  void sm_changed(const SmHandover& handover) override;
  void doorbell(unsigned queue, std::uint64_t write_index) override;
  void queue_depth(unsigned queue, std::uint64_t packets) override;
  void decision(const SchedulingDecision& decision) override;
  void copy_begin(const CopyRecord& copy) override;
  void copy_end(const CopyRecord& copy) override;
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
  void write_copy(const CopyRecord& copy, bool ended);
  void count_ctas(std::uint64_t in_flight);
  TraceWriter::Track track(TimelineGroup group, const std::string& name, std::uint32_t order);

  TraceWriter& trace_;
  std::function<std::string(std::uint32_t)> name_of_;
  bool ctas_;
  SmTimeline owners_;
  std::map<std::uint32_t, KernelRecord> kernels_;     // by launch, those that have not ended
  std::map<unsigned, std::vector<Running>> running_;  // by SM, in order of begin
  std::map<unsigned, CopyRecord> copies_;             // by engine, those under way
  std::uint64_t in_flight_ = 0;
};

}  // namespace warpvp
