#pragma once
// What the functions of the driver API share: contexts, and the objects that its handles stand for.
//
// A process that calls the runtime too has one connection to the simulator all the same: memory, streams and
// events are good in both.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/driver_abi.h"
#include "sw/cuda/library/objects.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// What cuDriverGetVersion says: that of the newest interface whose functions are known here by name.
inline constexpr int kDriverVersion = 13000;

/// A context is a handle and no more: memory, streams and modules are the process's, whichever is current,
/// and stay when it is destroyed.
struct Context {
  unsigned long long id = 0;
  unsigned flags = 0;
  int cache_config = 0;
  bool alive = true;
  unsigned uses = 1;  ///< those that cuCtxAttach() has added, and the one that made it
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
  /// What the calls of driver_old_launch.cpp have set for the launches that follow.
  struct Prepared {
    unsigned block[3] = {1, 1, 1}, shared = 0;
    std::vector<std::uint8_t> arguments;
  } prepared;
};

/// Every function but a few begins with one of these: kSuccess after cuInit; and with a context current, too.
Error initialized();
Error in_context();
/// The same for work in a stream: one with a handle is of a context, which need not be current.
Error in_context_of(CUstream stream);
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
CUresult ask(Call call, std::uint64_t a = 0, std::uint64_t b = 0);

/// nullptr: it is none.
DriverKernel* find_driver_kernel(const void* function_or_kernel);

}  // namespace warpvp::cuda
