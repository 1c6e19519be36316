// Streams, events, waiting, and functions of the program that wait in streams.

#include <cstdlib>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/graphs.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

std::uint64_t stream_id(cudaStream_t stream) {
  if (stream == nullptr || stream == kLegacyHandle) return kLegacyStream;
  if (stream != kThreadHandle) return reinterpret_cast<const StreamHandle*>(stream)->id;
  static thread_local std::uint64_t own = kLegacyStream;
  if (own == kLegacyStream) {
    Writer arguments;
    arguments.put(std::int32_t{0}).put(std::uint32_t{1});
    own = Connection::instance().call(Call::kCreateStream, arguments).in.get<std::uint64_t>();
  }
  return own;
}

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

namespace {

constexpr unsigned kNonBlocking = 1;    // cudaStreamNonBlocking
constexpr unsigned kDisableTiming = 2;  // cudaEventDisableTiming

struct EventHandle {
  std::uint64_t id = 0;
  unsigned flags = 0;
};

/// One that takes a number, or two.
Answer ask(Call call, std::uint64_t a, std::uint64_t b = 0) {
  Writer arguments;
  arguments.put(a).put(b);
  return Connection::instance().call(call, arguments);
}
cudaError_t wait_for(Call call, std::uint64_t id) {
  const Error error = ask(call, id).error;
  pull_managed();
  return done(error);
}
std::uint64_t event_id(cudaEvent_t event) { return event ? reinterpret_cast<EventHandle*>(event)->id : 0; }
}  // namespace

WARPVP_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  Writer arguments;
  arguments.put(std::int32_t{priority}).put(std::uint32_t{(flags & kNonBlocking) == 0});
  Answer answer = Connection::instance().call(Call::kCreateStream, arguments);
  if (answer.error != kSuccess) return done(answer.error);
  *stream = reinterpret_cast<cudaStream_t>(new StreamHandle{answer.in.get<std::uint64_t>(), flags, priority});
  return kSuccess;
}
WARPVP_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
WARPVP_API cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}

WARPVP_API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (stream == nullptr || stream == kLegacyHandle || stream == kThreadHandle)
    return done(kInvalidResourceHandle);
  auto* const handle = reinterpret_cast<StreamHandle*>(stream);
  const Error error = ask(Call::kDestroyStream, handle->id).error;
  delete handle;
  return done(error);
}
WARPVP_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  *flags = stream == nullptr || stream == kLegacyHandle || stream == kThreadHandle
               ? 0
               : reinterpret_cast<StreamHandle*>(stream)->flags;
  return kSuccess;
}
WARPVP_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  *priority = stream == nullptr || stream == kLegacyHandle || stream == kThreadHandle
                  ? 0
                  : reinterpret_cast<StreamHandle*>(stream)->priority;
  return kSuccess;
}
WARPVP_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (const Error error = Connection::instance().open()) return done(error);
  if (least != nullptr) *least = Connection::instance().facts().least_priority;
  if (greatest != nullptr) *greatest = Connection::instance().facts().greatest_priority;
  return kSuccess;
}

WARPVP_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return wait_for(Call::kSynchronizeStream, stream_id(stream));
}
WARPVP_API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const Error error = ask(Call::kQueryStream, stream_id(stream)).error;
  if (error == kSuccess) pull_managed();
  return done(error);
}
WARPVP_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (capture_wait(stream, event)) return kSuccess;
  return done(ask(Call::kStreamWaits, stream_id(stream), event_id(event)).error);
}
WARPVP_API cudaError_t cudaDeviceSynchronize() { return wait_for(Call::kSynchronizeDevice, 0); }
WARPVP_API cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }

// What is before it in the stream has ended when it runs, and the caller waits for it: an order that CUDA
// allows.
WARPVP_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void*), void* data) {
  if (is_captured(stream))
    return done(capture(stream, NodeType::kHost, [function, data](cudaStream_t s) {
      return static_cast<Error>(cudaLaunchHostFunc(s, function, data));
    }));
  if (const cudaError_t error = cudaStreamSynchronize(stream)) return error;
  function(data);
  return kSuccess;
}
WARPVP_API cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                             void (*function)(cudaStream_t, cudaError_t, void*), void* data,
                                             unsigned) {
  const cudaError_t error = cudaStreamSynchronize(stream);
  function(stream, error, data);
  return error;
}

WARPVP_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  Answer answer = Connection::instance().call(Call::kCreateEvent);
  if (answer.error != kSuccess) return done(answer.error);
  *event = reinterpret_cast<cudaEvent_t>(new EventHandle{answer.in.get<std::uint64_t>(), flags});
  return kSuccess;
}
WARPVP_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
WARPVP_API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const Error error = ask(Call::kDestroyEvent, event_id(event)).error;
  delete reinterpret_cast<EventHandle*>(event);
  return done(error);
}
WARPVP_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (is_captured(stream)) {
    capture_record(stream, event);
    return kSuccess;
  }
  return done(ask(Call::kRecordEvent, event_id(event), stream_id(stream)).error);
}
WARPVP_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
WARPVP_API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return wait_for(Call::kSynchronizeEvent, event_id(event));
}
WARPVP_API cudaError_t cudaEventQuery(cudaEvent_t event) {
  const Error error = ask(Call::kQueryEvent, event_id(event)).error;
  if (error == kSuccess) pull_managed();
  return done(error);
}
WARPVP_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  if (from == nullptr || to == nullptr) return done(kInvalidResourceHandle);
  if ((reinterpret_cast<EventHandle*>(from)->flags | reinterpret_cast<EventHandle*>(to)->flags) &
      kDisableTiming)
    return done(kInvalidResourceHandle);
  Answer answer = ask(Call::kElapsed, event_id(from), event_id(to));
  if (answer.error == kSuccess) *milliseconds = static_cast<float>(answer.in.get<double>());
  return done(answer.error);
}
