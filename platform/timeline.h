#pragma once
// The Perfetto timeline of a run: kernels by stream, CTAs by SM; CTAs in flight and packets in queues as
// counters.

#include <map>
#include <string>
#include <vector>

#include "modules/command_processor/queues/queue_observer.h"
#include "modules/work_distributor/work_distributor.h"
#include "platform/results/trace_writer.h"

namespace warpvp {

class Timeline : public DispatchObserver, public QueueObserver {
 public:
  /// `name_of` gives the name of a launch; `trace` is open and outlives the timeline.
  Timeline(TraceWriter& trace, std::function<std::string(std::uint32_t launch_id)> name_of)
      : trace_(trace), name_of_(std::move(name_of)) {}

  void kernel_end(const KernelRecord& record) override;
  void cta_begin(const CtaLaunch& launch, unsigned sm) override;
  void cta_end(const CtaDone& done) override;
  void queue_depth(unsigned queue, std::uint64_t packets) override;

 private:
  struct Running {
    std::uint32_t launch_id;
    std::uint64_t begin_ps;
    std::uint32_t cta[3];
    unsigned row;  ///< row of the SM's group, so that slices of one row never overlap
  };
  TraceWriter& trace_;
  std::function<std::string(std::uint32_t)> name_of_;
  std::map<unsigned, std::vector<Running>> running_;  // by SM, in order of begin
  std::uint64_t in_flight_ = 0;
};

}  // namespace warpvp
