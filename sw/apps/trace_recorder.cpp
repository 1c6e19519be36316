#include "sw/apps/trace_recorder.h"

#include <algorithm>

#include "interconnect/host_interface.h"

namespace warpvp::apps {

TraceRecorder::TraceRecorder(rt::Runtime& inner, std::string name,
                             std::function<const rt::LaunchInfo&()> last_launch)
    : ForwardingRuntime(inner), last_launch_(std::move(last_launch)), returned_(inner.host().now()) {
  trace_.name = std::move(name);
}

template <class Call>
void TraceRecorder::note(TraceStep step, const Call& call) {
  const SimTime begun = inner_.host().now();
  if (begun > returned_) {
    TraceStep cpu;
    cpu.kind = Kind::kCpu;
    cpu.us = (begun - returned_).to_seconds() * 1e6;
    trace_.steps.push_back(std::move(cpu));
  }
  call(step);
  trace_.steps.push_back(std::move(step));
  returned_ = inner_.host().now();
}

TraceStep TraceRecorder::step_of(Kind kind, rt::Stream s, std::uint64_t bytes) const {
  TraceStep step;
  step.kind = kind;
  step.stream = number_of(s);
  step.bytes = bytes;
  return step;
}

rt::Stream TraceRecorder::create_stream(const rt::StreamOptions& options) {
  const rt::Stream s = inner_.create_stream(options);
  trace_.stream_priorities.push_back(options.priority);
  streams_[s.id] = static_cast<unsigned>(trace_.stream_priorities.size());
  return s;
}

void TraceRecorder::copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                                         rt::Stream s) {
  if (bytes == 0) return;
  note(step_of(Kind::kCopyToDevice, s, bytes),
       [&](TraceStep&) { inner_.copy_to_device_async(destination, source, bytes, s); });
}

void TraceRecorder::copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes,
                                       rt::Stream s) {
  if (bytes == 0) return;
  note(step_of(Kind::kCopyToHost, s, bytes),
       [&](TraceStep&) { inner_.copy_to_host_async(destination, source, bytes, s); });
}

void TraceRecorder::copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                                         rt::Stream s) {
  if (bytes == 0) return;
  note(step_of(Kind::kCopyOnDevice, s, bytes),
       [&](TraceStep&) { inner_.copy_on_device_async(destination, source, bytes, s); });
}

void TraceRecorder::memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes,
                                 rt::Stream s) {
  if (bytes == 0) return;
  note(step_of(Kind::kFill, s, bytes),
       [&](TraceStep&) { inner_.memset_async(destination, value, bytes, s); });
}

void TraceRecorder::launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
                           rt::Stream s, const rt::LaunchOptions& options) {
  note(step_of(Kind::kLaunch, s), [&](TraceStep& step) {
    inner_.launch(kernel, grid, block, args, s, options);
    const rt::LaunchInfo& info = last_launch_();
    TraceLaunch& launch = step.launch;
    launch.kernel = info.entry;
    std::copy_n(info.grid, 3, launch.grid);
    std::copy_n(info.block, 3, launch.block);
    launch.registers = info.registers_per_thread;
    launch.shared_bytes = info.static_shared_bytes + info.dynamic_shared_bytes;
  });
}

rt::Event TraceRecorder::record(rt::Stream s) {
  rt::Event event;
  note(step_of(Kind::kRecord, s), [&](TraceStep& step) {
    event = inner_.record(s);
    step.event = events_.emplace(event.id, static_cast<unsigned>(events_.size())).first->second;
  });
  return event;
}

void TraceRecorder::wait(rt::Stream s, rt::Event e) {
  TraceStep step = step_of(Kind::kWait, s);
  step.event = events_.at(e.id);
  note(std::move(step), [&](TraceStep&) { inner_.wait(s, e); });
}

void TraceRecorder::synchronize(rt::Event e) {
  TraceStep step;
  step.kind = Kind::kSynchronizeEvent;
  step.event = events_.at(e.id);
  note(std::move(step), [&](TraceStep&) { inner_.synchronize(e); });
}

void TraceRecorder::synchronize(rt::Stream s) {
  note(step_of(Kind::kSynchronize, s), [&](TraceStep&) { inner_.synchronize(s); });
}

void TraceRecorder::synchronize() {
  TraceStep step;
  step.kind = Kind::kSynchronize;
  note(std::move(step), [&](TraceStep&) { inner_.synchronize(); });
}

}  // namespace warpvp::apps
