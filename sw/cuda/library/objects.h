#pragma once
// Streams and events: what handles of them stand for, in the runtime and in the driver API alike.

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/abi.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// Objects by handle: their address. Anything else that a program hands in is found to be none.
template <class T>
class Handles {
 public:
  T* add(T object) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto owned = std::make_unique<T>(std::move(object));
    T* const added = owned.get();
    objects_[added] = std::move(owned);
    return added;
  }
  /// nullptr: there is none, or none any more.
  T* find(const void* handle) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second.get();
  }
  void remove(const void* handle) {
    const std::lock_guard<std::mutex> lock(mutex_);
    objects_.erase(handle);
  }
  std::size_t size() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return objects_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void*, std::unique_ptr<T>> objects_;
};

struct StreamObject {
  std::uint64_t id = kLegacyStream;  ///< the simulator's number
  unsigned flags = 0;
  int priority = 0;
};
struct EventObject {
  std::uint64_t id = 0;
  unsigned flags = 0;
};
Handles<StreamObject>& streams();
Handles<EventObject>& events();

inline constexpr unsigned kNonBlockingStream =
    1;  ///< cudaStreamNonBlocking: it does not wait for the legacy stream
inline constexpr unsigned kUntimedEvent = 2;  ///< cudaEventDisableTiming

/// The handles 0, 1 and 2 are the default stream, the legacy one, and the calling thread's own.
inline const cudaStream_t kLegacyHandle = reinterpret_cast<cudaStream_t>(1);
inline const cudaStream_t kThreadHandle = reinterpret_cast<cudaStream_t>(2);
inline bool is_special(cudaStream_t stream) {
  return stream == nullptr || stream == kLegacyHandle || stream == kThreadHandle;
}

Error create_stream(unsigned flags, int priority, cudaStream_t* stream);
Error create_event(unsigned flags, cudaEvent_t* event);
/// What a handle stands for. kInvalidResourceHandle: nothing, or nothing any more.
Error find(cudaStream_t stream, StreamObject& found);
Error find(cudaEvent_t event, EventObject& found);
/// The simulator's number of a stream. kInvalidResourceHandle for what is none.
Error find_stream(cudaStream_t stream, std::uint64_t& id);

// What is done with them, whatever is being captured.
Error destroy_stream(cudaStream_t stream);
Error destroy_event(cudaEvent_t event);
Error record_event(cudaEvent_t event, cudaStream_t stream);
Error stream_waits(cudaStream_t stream, cudaEvent_t event);
/// The caller waits; then it has what the device has written.
Error synchronize_stream(cudaStream_t stream);

}  // namespace warpvp::cuda
