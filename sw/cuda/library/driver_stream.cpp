// Streams, events, and functions of the program that wait in streams.

#include <map>
#include <mutex>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/graph_capture.h"
#include "sw/cuda/library/graph_launch.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

/// In which each of the program's streams was made.
class ContextsOfStreams {
 public:
  void made(CUstream stream, Context* context) {
    const std::lock_guard<std::mutex> lock(mutex_);
    contexts_[stream] = context;
  }
  void destroyed(CUstream stream) {
    const std::lock_guard<std::mutex> lock(mutex_);
    contexts_.erase(stream);
  }
  /// Of others that is the current one.
  Context* of(CUstream stream) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = contexts_.find(stream);
    return found != contexts_.end() ? found->second : current_context();
  }
  static ContextsOfStreams& instance() {
    static ContextsOfStreams all;
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::map<CUstream, Context*> contexts_;
};

/// With its context; kInvalidResourceHandle: it is none.
Error describe(CUstream stream, StreamObject& found) {
  const Error error = in_context_of(stream);
  return error != kSuccess ? error : find(stream, found);
}
/// An event is of a context, too.
Error describe(CUevent event, EventObject& found) {
  const Error error = initialized();
  return error != kSuccess ? error : find(event, found);
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
  const Error error = create_stream(flags, priority, stream);
  if (error == kSuccess) ContextsOfStreams::instance().made(*stream, current_context());
  return driver_error(error);
}
WARPVP_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
WARPVP_API CUresult cuStreamDestroy_v2(CUstream stream) {
  if (const Error error = initialized()) return error;
  StreamObject found;
  if (const Error error = find(stream, found)) return error;
  ContextsOfStreams::instance().destroyed(stream);
  return driver_error(destroy_stream(stream));
}
WARPVP_API CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

WARPVP_API CUresult cuStreamSynchronize(CUstream stream) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (const Error error = refuse_captured(stream)) return error;
  return driver_error(synchronize_stream(stream));
}
WARPVP_API CUresult cuStreamQuery(CUstream stream) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (const Error error = refuse_captured(stream)) return error;
  return ask(Call::kQueryStream, found.id);
}
WARPVP_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  StreamObject waiting;
  EventObject for_it;
  if (const Error error = describe(stream, waiting)) return error;
  if (const Error error = describe(event, for_it)) return error;
  return capture_wait(stream, event) ? kSuccess : driver_error(stream_waits(stream, event));
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
  *context = reinterpret_cast<CUcontext>(ContextsOfStreams::instance().of(stream));
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green != nullptr) *green = nullptr;  // a context of a part of the device: there are none
  return cuStreamGetCtx(stream, context);
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

WARPVP_API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
  StreamObject found;
  if (const Error error = describe(stream, found)) return error;
  if (function == nullptr) return kInvalidValue;
  NodeWork work;
  work.host = {function, data};
  return driver_error(put(stream, NodeType::kHost, work, run_host));
}
// In the calling thread, as run_host() does.
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
  if (const Error error = initialized()) return error;
  EventObject found;
  if (const Error error = find(event, found)) return error;
  return driver_error(destroy_event(event));
}
WARPVP_API CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
WARPVP_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  EventObject found;
  StreamObject in;
  if (const Error error = describe(event, found)) return error;
  if (const Error error = describe(stream, in)) return error;
  if (is_captured(stream)) return capture_record(stream, event), kSuccess;
  return driver_error(record_event(event, stream));
}
WARPVP_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}
WARPVP_API CUresult cuEventSynchronize(CUevent event) {
  EventObject found;
  if (const Error error = describe(event, found)) return error;
  return ask(Call::kSynchronizeEvent, found.id);
}
WARPVP_API CUresult cuEventQuery(CUevent event) {
  EventObject found;
  if (const Error error = describe(event, found)) return error;
  return ask(Call::kQueryEvent, found.id);
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
