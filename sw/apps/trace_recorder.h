#pragma once
// Records a host program's calls as an application trace: copies, launches, events and waiting, in their
// order and streams, and the time between one call's return and the next call in which the CPU worked.
// Playing the trace makes the same copies and launches in the same order. Loading modules, allocation and
// images leave no trace, as the player makes its own.

#include <functional>
#include <map>
#include <utility>

#include "base/sim_time.h"
#include "sw/apps/application_trace.h"
#include "sw/runtime/forwarding_runtime.h"
#include "sw/runtime/launch_directory.h"

namespace warpvp::apps {

class TraceRecorder : public rt::ForwardingRuntime {
 public:
  /// `last_launch` tells of the launch that was called last.
  TraceRecorder(rt::Runtime& inner, std::string name, std::function<const rt::LaunchInfo&()> last_launch);

  /// What was called so far.
  const ApplicationTrace& trace() const { return trace_; }

  rt::Stream create_stream(const rt::StreamOptions& options = {}) override;
  void copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                            rt::Stream s) override;
  void copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes, rt::Stream s) override;
  void copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                            rt::Stream s) override;
  void memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes, rt::Stream s) override;
  void launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
              rt::Stream s = rt::Stream{0}, const rt::LaunchOptions& options = {}) override;
  rt::Event record(rt::Stream s) override;
  void wait(rt::Stream s, rt::Event e) override;
  void synchronize(rt::Event e) override;
  void synchronize(rt::Stream s) override;
  void synchronize() override;

 private:
  using Kind = TraceStep::Kind;
  /// Makes the call between two looks at the clock, and notes it.
  template <class Call>
  void note(TraceStep step, const Call& call);
  TraceStep step_of(Kind kind, rt::Stream s, std::uint64_t bytes = 0) const;
  /// Streams and events count by program in a trace, whatever their numbers in a run with several programs.
  unsigned number_of(rt::Stream s) const { return s.id == 0 ? 0 : streams_.at(s.id); }

  ApplicationTrace trace_;
  std::map<unsigned, unsigned> streams_;  // 1, 2, ... in the order of their making
  std::map<unsigned, unsigned> events_;
  std::function<const rt::LaunchInfo&()> last_launch_;
  SimTime returned_;  ///< from the last call
};

}  // namespace warpvp::apps
