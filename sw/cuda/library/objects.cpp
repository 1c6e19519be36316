#include "sw/cuda/library/objects.h"

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

// Never destroyed: programs call at their very end.
Handles<StreamObject>& streams() {
  static auto* const all = new Handles<StreamObject>;
  return *all;
}
Handles<EventObject>& events() {
  static auto* const all = new Handles<EventObject>;
  return *all;
}

Error create_stream(unsigned flags, int priority, cudaStream_t* stream) {
  Writer arguments;
  arguments.put(std::int32_t{priority}).put(std::uint32_t{(flags & kNonBlockingStream) == 0});
  Answer answer = Connection::instance().call(Call::kCreateStream, arguments);
  if (answer.error == kSuccess)
    *stream =
        reinterpret_cast<cudaStream_t>(streams().add({answer.in.get<std::uint64_t>(), flags, priority}));
  return answer.error;
}

Error create_event(unsigned flags, cudaEvent_t* event) {
  Answer answer = Connection::instance().call(Call::kCreateEvent);
  if (answer.error == kSuccess)
    *event = reinterpret_cast<cudaEvent_t>(events().add({answer.in.get<std::uint64_t>(), flags}));
  return answer.error;
}

Error find(cudaStream_t stream, StreamObject& found) {
  static thread_local cudaStream_t own = nullptr;
  if (stream == nullptr || stream == kLegacyHandle) {
    found = {};
    return kSuccess;
  }
  if (stream == kThreadHandle) {
    if (own == nullptr) {
      if (const Error error = create_stream(0, 0, &own)) return error;
    }
    stream = own;
  }
  const StreamObject* const object = streams().find(stream);
  if (object == nullptr) return kInvalidResourceHandle;
  found = *object;
  return kSuccess;
}

Error find(cudaEvent_t event, EventObject& found) {
  const EventObject* const object = events().find(event);
  if (object == nullptr) return kInvalidResourceHandle;
  found = *object;
  return kSuccess;
}

Error find_stream(cudaStream_t stream, std::uint64_t& id) {
  StreamObject found;
  const Error error = find(stream, found);
  id = found.id;
  return error;
}

namespace {
Error ask(Call call, std::uint64_t a, std::uint64_t b = 0) {
  Writer arguments;
  arguments.put(a).put(b);
  return Connection::instance().call(call, arguments).error;
}
/// The same of one that nothing is wrong with.
Error tell(Call call, std::uint64_t a, std::uint64_t b = 0) {
  Writer arguments;
  arguments.put(a).put(b);
  return Connection::instance().post(call, arguments);
}
}  // namespace

Error destroy_stream(cudaStream_t stream) {
  StreamObject found;
  if (is_special(stream) || find(stream, found) != kSuccess) return kInvalidResourceHandle;
  streams().remove(stream);
  return tell(Call::kDestroyStream, found.id);
}
Error destroy_event(cudaEvent_t event) {
  EventObject found;
  if (const Error error = find(event, found)) return error;
  events().remove(event);
  return tell(Call::kDestroyEvent, found.id);
}
Error record_event(cudaEvent_t event, cudaStream_t stream) {
  EventObject found;
  std::uint64_t in = 0;
  if (const Error error = find(event, found)) return error;
  if (const Error error = find_stream(stream, in)) return error;
  return tell(Call::kRecordEvent, found.id, in);
}
Error stream_waits(cudaStream_t stream, cudaEvent_t event) {
  EventObject found;
  std::uint64_t waiting = 0;
  if (const Error error = find_stream(stream, waiting)) return error;
  if (const Error error = find(event, found)) return error;
  return tell(Call::kStreamWaits, waiting, found.id);
}
Error synchronize_stream(cudaStream_t stream) {
  std::uint64_t id = 0;
  if (const Error error = find_stream(stream, id)) return error;
  return ask(Call::kSynchronizeStream, id);
}

}  // namespace warpvp::cuda
