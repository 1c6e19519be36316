#pragma once
// What the functions of the driver API share: contexts, and the objects that its handles stand for.
//
// The library has a connection to the simulator of its own. A process that calls the runtime library too has
// two, and with them two contexts of the device: neither knows the other's memory, streams or modules. (In
// CUDA both share the primary context.)

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/driver_abi.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// What cuDriverGetVersion says: that of the newest interface whose functions are known here by name.
inline constexpr int kDriverVersion = 13000;

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

/// A context is a handle and no more: memory, streams and modules are the process's, whichever is current,
/// and stay when it is destroyed.
struct Context {
  unsigned long long id = 0;
  unsigned flags = 0;
  int cache_config = 0;
  bool alive = true;
};

/// A kernel. The handles CUfunction and CUkernel are the same here, and so are CUmodule and CUlibrary.
struct DriverKernel {
  CUmodule module = nullptr;
  std::string name;
  std::uint64_t id = 0;
  KernelFacts facts;
  struct Parameter {
    std::uint32_t bytes = 0, offset = 0;  ///< in the buffer that `extra` of a launch points to
  };
  std::vector<Parameter> parameters;
  int most_dynamic_shared = 0;  ///< bytes of a launch
  int carveout = -1;
};

/// Every function but a few begins with one of these: kSuccess after cuInit; and with a context current, too.
Error initialized();
Error in_context();
Error set_initialized();
/// The calling thread's; nullptr: it has none.
Context* current_context();
/// kInvalidDevice for any but the only one.
Error check_device(CUdevice device);

/// The number that the driver API has for what the simulator answered.
CUresult driver_error(Error error);
/// A call that takes a number or two.
Answer request(Call call, std::uint64_t a = 0, std::uint64_t b = 0);
/// One that brings nothing.
CUresult ask(Call call, std::uint64_t a, std::uint64_t b = 0);
/// The same, and what the CPU and the device share comes back after it.
CUresult wait_for(Call call, std::uint64_t a = 0);

/// The simulator's number of a stream. kInvalidResourceHandle for what is none.
Error find_stream(CUstream stream, std::uint64_t& id);
/// nullptr: it is none.
DriverKernel* find_driver_kernel(const void* function_or_kernel);

}  // namespace warpvp::cuda
