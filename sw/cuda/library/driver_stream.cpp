// Streams, events, and functions of the program that wait in streams.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

/// With a context current; kInvalidResourceHandle: it is none.
Error describe(CUstream stream, StreamObject& found) {
  const Error error = in_context();
  return error != kSuccess ? error : find(stream, found);
}
Error describe(CUevent event, EventObject& found) {
  const Error error = in_context();
  return error != kSuccess ? error : find(event, found);
}

/// Whether it has ended; what the CPU and the device share comes back if so.
CUresult query(Call call, std::uint64_t id) {
  const CUresult error = ask(call, id);
  if (error == kSuccess) pull_managed();
  return error;
}

}  // namespace

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

namespace {
constexpr unsigned kInterprocess = 4, kAllEvent = 7;  // CU_EVENT_...
}  // namespace

WARPVP_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  if (const Error error = in_context()) return error;
  if (stream == nullptr || flags > kNonBlockingStream) return kInvalidValue;
  return driver_error(create_stream(flags, priority, stream));
}
WARPVP_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
WARPVP_API CUresult cuStreamDestroy_v2(CUstream stream) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (is_special(stream)) return kInvalidResourceHandle;
  streams().remove(stream);
  return ask(Call::kDestroyStream, found.id);
}
WARPVP_API CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

WARPVP_API CUresult cuStreamSynchronize(CUstream stream) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  return wait_for(Call::kSynchronizeStream, found.id);
}
WARPVP_API CUresult cuStreamQuery(CUstream stream) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  return query(Call::kQueryStream, found.id);
}
WARPVP_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  StreamObject waiting;
  EventObject for_it;
  if (const Error error = describe(stream, waiting)) return error;
  if (const Error error = describe(event, for_it)) return error;
  return ask(Call::kStreamWaits, waiting.id, for_it.id);
}
WARPVP_API CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (priority == nullptr) return kInvalidValue;
  *priority = found.priority;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (flags == nullptr) return kInvalidValue;
  *flags = found.flags;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (context == nullptr) return kInvalidValue;
  *context = reinterpret_cast<CUcontext>(current_context());
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green != nullptr) *green = nullptr;  // a context of a part of the device: there are none
  return cuStreamGetCtx(stream, context);
}
// Nothing is captured: there are no graphs.
WARPVP_API CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (status == nullptr) return kInvalidValue;
  *status = 0;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (id == nullptr) return kInvalidValue;
  *id = found.id;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (device == nullptr) return kInvalidValue;
  *device = 0;
  return kSuccess;
}

// What is before it in the stream has ended when it runs, and the caller waits for it: an order that CUDA
// allows.
WARPVP_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  if (function == nullptr) return kInvalidValue;
  if (const CUresult error = cuStreamSynchronize(stream)) return error;
  function(data);
  return kSuccess;
}
WARPVP_API CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* data, unsigned) {
  if (function == nullptr) return kInvalidValue;
  if (const CUresult error = cuStreamSynchronize(stream)) return error;
  function(stream, kSuccess, data);
  return kSuccess;
}

WARPVP_API CUresult cuEventCreate(CUevent* event, unsigned flags) {
  if (const Error error = in_context()) return error;
  if (event == nullptr || flags > kAllEvent) return kInvalidValue;
  if (flags & kInterprocess) return kNotSupported;
  return driver_error(create_event(flags, event));
}
WARPVP_API CUresult cuEventDestroy_v2(CUevent event) {
  EventObject found;
  if (const Error error = describe(event, found)) return error;
  events().remove(event);
  return ask(Call::kDestroyEvent, found.id);
}
WARPVP_API CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
WARPVP_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  EventObject found;
  StreamObject in;
  if (const Error error = describe(event, found)) return error;
  if (const Error error = describe(stream, in)) return error;
  return ask(Call::kRecordEvent, found.id, in.id);
}
WARPVP_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}
WARPVP_API CUresult cuEventSynchronize(CUevent event) {
  EventObject found;
  if (const Error error = describe(event, found)) return error;
  return wait_for(Call::kSynchronizeEvent, found.id);
}
WARPVP_API CUresult cuEventQuery(CUevent event) {
  EventObject found;
  if (const Error error = describe(event, found)) return error;
  return query(Call::kQueryEvent, found.id);
}
WARPVP_API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) {
  EventObject first, last;
  if (const Error error = describe(from, first)) return error;
  if (const Error error = describe(to, last)) return error;
  if (milliseconds == nullptr) return kInvalidValue;
  if ((first.flags | last.flags) & kUntimedEvent) return kInvalidResourceHandle;
  Answer answer = request(Call::kElapsed, first.id, last.id);
  if (answer.error == kSuccess) *milliseconds = static_cast<float>(answer.in.get<double>());
  return driver_error(answer.error);
}
WARPVP_API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}
