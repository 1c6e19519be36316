#include "sw/cuda/library/objects.h"

#include "sw/cuda/library/connection.h"

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

}  // namespace warpvp::cuda
