// Streams, events, waiting, and functions of the program that wait in streams.

#include <cstdlib>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

namespace {

/// One that takes a number, or two.
Answer ask(Call call, std::uint64_t a, std::uint64_t b = 0) {
  Writer arguments;
  arguments.put(a).put(b);
  return Connection::instance().call(call, arguments);
}
cudaError_t wait_for(Call call, std::uint64_t id) { return done(ask(call, id).error); }
/// The simulator's number of an event; of what is none 0, which it refuses.
std::uint64_t event_id(cudaEvent_t event) {
  EventObject found;
  return find(event, found) == kSuccess ? found.id : 0;
}
}  // namespace

WARPVP_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return done(create_stream(flags, priority, stream));
}
WARPVP_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
WARPVP_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

WARPVP_API cudaError_t cudaStreamDestroy(cudaStream_t stream) { return done(destroy_stream(stream)); }
WARPVP_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  StreamObject found;
  const Error error = find(stream, found);
  *flags = found.flags;
  return done(error);
}
WARPVP_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  StreamObject found;
  const Error error = find(stream, found);
  *priority = found.priority;
  return done(error);
}
WARPVP_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  StreamObject found;
  const Error error = find(stream, found);
  if (id == nullptr) return done(kInvalidValue);
  *id = found.id;
  return done(error);
}
WARPVP_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  StreamObject found;
  if (device == nullptr) return done(kInvalidValue);
  *device = 0;
  return done(find(stream, found));
}
WARPVP_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (const Error error = Connection::instance().open()) return done(error);
  if (least != nullptr) *least = Connection::instance().facts().least_priority;
  if (greatest != nullptr) *greatest = Connection::instance().facts().greatest_priority;
  return kSuccess;
}

WARPVP_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const Error error = refuse_captured(stream)) return done(error);
  return done(synchronize_stream(stream));
}
WARPVP_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  if (const Error refused = refuse_captured(stream)) return done(refused);
  return done(ask(Call::kQueryStream, stream_id(stream)).error);
}
WARPVP_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (capture_wait(stream, event)) return kSuccess;
  return done(stream_waits(stream, event));
}
WARPVP_API cudaError_t cudaDeviceSynchronize() { return wait_for(Call::kSynchronizeDevice, 0); }
WARPVP_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

WARPVP_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  if (function == nullptr) return done(kInvalidValue);
  NodeWork work;
  work.host = {function, data};
  return done(put(stream, NodeType::kHost, work, run_host));
}
WARPVP_API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                             void (*function)(cudaStream_t, cudaError_t, void*), void* data,
                                             unsigned) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  function(stream, error, data);
  return error;
}

WARPVP_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return done(create_event(flags, event));
}
WARPVP_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
WARPVP_API cudaError_t cudaEventDestroy(cudaEvent_t event) { return done(destroy_event(event)); }
WARPVP_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (is_captured(stream)) {
    capture_record(stream, event);
    return kSuccess;
  }
  return done(record_event(event, stream));
}
WARPVP_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
WARPVP_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_for(Call::kSynchronizeEvent, event_id(event));
}
WARPVP_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return done(ask(Call::kQueryEvent, event_id(event)).error);
}
WARPVP_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  EventObject first, last;
  if (find(from, first) != kSuccess || find(to, last) != kSuccess ||
      ((first.flags | last.flags) & kUntimedEvent))
    return done(kInvalidResourceHandle);
  Answer answer = ask(Call::kElapsed, first.id, last.id);
  if (answer.error == kSuccess) *milliseconds = static_cast<float>(answer.in.get<double>());
  return done(answer.error);
}
