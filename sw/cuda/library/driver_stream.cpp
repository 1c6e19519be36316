// Streams, events, and functions of the program that wait in streams.

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

struct DriverStream {
  std::uint64_t id = kLegacyStream;
  unsigned flags = 0;
  int priority = 0;
  CUcontext context = nullptr;
};
struct DriverEvent {
  std::uint64_t id = 0;
  bool timed = true;
};

Handles<DriverStream>& streams() {
  static auto* const all = new Handles<DriverStream>;
  return *all;
}
Handles<DriverEvent>& events() {
  static auto* const all = new Handles<DriverEvent>;
  return *all;
}

/// The default stream, the legacy one, and the calling thread's own.
bool is_special(CUstream stream) {
  return stream == nullptr || stream == kLegacyHandle || stream == kThreadHandle;
}

std::uint64_t thread_stream() {
  static thread_local std::uint64_t own = kLegacyStream;
  if (own == kLegacyStream) {
    Writer arguments;
    arguments.put(std::int32_t{0}).put(std::uint32_t{1});
    own = Connection::instance().call(Call::kCreateStream, arguments).in.get<std::uint64_t>();
  }
  return own;
}

/// With a context current; what it is, with that of special ones filled in. kInvalidResourceHandle: it is
/// none.
Error describe(CUstream stream, DriverStream& found) {
  if (const Error error = in_context()) return error;
  if (is_special(stream)) {
    found.context = reinterpret_cast<CUcontext>(current_context());
    return find_stream(stream, found.id);
  }
  const DriverStream* const own = streams().find(stream);
  if (own == nullptr) return kInvalidResourceHandle;
  found = *own;
  return kSuccess;
}

/// The same of events.
Error describe(CUevent event, DriverEvent& found) {
  if (const Error error = in_context()) return error;
  const DriverEvent* const own = events().find(event);
  if (own == nullptr) return kInvalidResourceHandle;
  found = *own;
  return kSuccess;
}

/// Whether it has ended; what the CPU and the device share comes back if so.
CUresult query(Call call, std::uint64_t id) {
  const CUresult error = ask(call, id);
  if (error == kSuccess) pull_managed();
  return error;
}

}  // namespace

Error find_stream(CUstream stream, std::uint64_t& id) {
  if (is_special(stream)) {
    id = stream == kThreadHandle ? thread_stream() : kLegacyStream;
    return kSuccess;
  }
  const DriverStream* const found = streams().find(stream);
  if (found == nullptr) return kInvalidResourceHandle;
  id = found->id;
  return kSuccess;
}

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

namespace {
constexpr unsigned kNonBlocking = 1;                                      // CU_STREAM_NON_BLOCKING
constexpr unsigned kDisableTiming = 2, kInterprocess = 4, kAllEvent = 7;  // CU_EVENT_...
}  // namespace

WARPVP_API CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  if (const Error error = in_context()) return error;
  if (stream == nullptr || flags > kNonBlocking) return kInvalidValue;
  Writer arguments;
  arguments.put(std::int32_t{priority}).put(std::uint32_t{flags != kNonBlocking});
  Answer answer = Connection::instance().call(Call::kCreateStream, arguments);
  if (answer.error != kSuccess) return driver_error(answer.error);
  const auto id = answer.in.get<std::uint64_t>();
  *stream = reinterpret_cast<CUstream>(
      streams().add({id, flags, priority, reinterpret_cast<CUcontext>(current_context())}));
  return kSuccess;
}
WARPVP_API CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}
WARPVP_API CUresult cuStreamDestroy_v2(CUstream stream) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (is_special(stream)) return kInvalidResourceHandle;
  streams().remove(stream);
  return ask(Call::kDestroyStream, found.id);
}
WARPVP_API CUresult cuStreamDestroy(CUstream stream) { return cuStreamDestroy_v2(stream); }

WARPVP_API CUresult cuStreamSynchronize(CUstream stream) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  return wait_for(Call::kSynchronizeStream, found.id);
}
WARPVP_API CUresult cuStreamQuery(CUstream stream) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  return query(Call::kQueryStream, found.id);
}
WARPVP_API CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  DriverStream waiting;
  DriverEvent for_it;
  if (const Error error = describe(stream, waiting)) return error;
  if (const Error error = describe(event, for_it)) return error;
  return ask(Call::kStreamWaits, waiting.id, for_it.id);
}
WARPVP_API CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (priority == nullptr) return kInvalidValue;
  *priority = found.priority;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (flags == nullptr) return kInvalidValue;
  *flags = found.flags;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (context == nullptr) return kInvalidValue;
  *context = found.context;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, void** green) {
  if (green != nullptr) *green = nullptr;  // a context of a part of the device: there are none
  return cuStreamGetCtx(stream, context);
}
// Nothing is captured: there are no graphs.
WARPVP_API CUresult cuStreamIsCapturing(CUstream stream, int* status) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (status == nullptr) return kInvalidValue;
  *status = 0;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  DriverStream found;
  if (const Error error = describe(stream, found)) return error;
  if (id == nullptr) return kInvalidValue;
  *id = found.id;
  return kSuccess;
}
WARPVP_API CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  DriverStream found;
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
  Answer answer = request(Call::kCreateEvent);
  if (answer.error != kSuccess) return driver_error(answer.error);
  const auto id = answer.in.get<std::uint64_t>();
  *event = reinterpret_cast<CUevent>(events().add({id, (flags & kDisableTiming) == 0}));
  return kSuccess;
}
WARPVP_API CUresult cuEventDestroy_v2(CUevent event) {
  DriverEvent found;
  if (const Error error = describe(event, found)) return error;
  events().remove(event);
  return ask(Call::kDestroyEvent, found.id);
}
WARPVP_API CUresult cuEventDestroy(CUevent event) { return cuEventDestroy_v2(event); }
WARPVP_API CUresult cuEventRecord(CUevent event, CUstream stream) {
  DriverEvent found;
  DriverStream in;
  if (const Error error = describe(event, found)) return error;
  if (const Error error = describe(stream, in)) return error;
  return ask(Call::kRecordEvent, found.id, in.id);
}
WARPVP_API CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}
WARPVP_API CUresult cuEventSynchronize(CUevent event) {
  DriverEvent found;
  if (const Error error = describe(event, found)) return error;
  return wait_for(Call::kSynchronizeEvent, found.id);
}
WARPVP_API CUresult cuEventQuery(CUevent event) {
  DriverEvent found;
  if (const Error error = describe(event, found)) return error;
  return query(Call::kQueryEvent, found.id);
}
WARPVP_API CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent from, CUevent to) {
  DriverEvent first, last;
  if (const Error error = describe(from, first)) return error;
  if (const Error error = describe(to, last)) return error;
  if (milliseconds == nullptr) return kInvalidValue;
  if (!first.timed || !last.timed) return kInvalidResourceHandle;
  Answer answer = request(Call::kElapsed, first.id, last.id);
  if (answer.error == kSuccess) *milliseconds = static_cast<float>(answer.in.get<double>());
  return driver_error(answer.error);
}
WARPVP_API CUresult cuEventElapsedTime(float* milliseconds, CUevent from, CUevent to) {
  return cuEventElapsedTime_v2(milliseconds, from, to);
}
