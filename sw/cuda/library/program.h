#pragma once
// What the library knows of the program that it is in: its fat binaries, kernels and variables, as its
// initializers register them, and what each thread was told last.

#include <cstdint>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/abi.h"
#include "sw/cuda/library/objects.h"
#include "sw/cuda/protocol.h"

namespace warpvp::cuda {

/// Device code of one translation unit. The simulator gets it when something of it is first used.
struct FatBinary {
  const void* data = nullptr;
  std::uint64_t module = 0;
  Error error = kSuccess;
};

struct KernelOfProgram {
  FatBinary* binary = nullptr;
  std::string name;
  std::uint64_t id = 0;  ///< 0: not asked for yet
  Error error = kSuccess;
  KernelFacts facts;
  std::vector<std::uint32_t> parameters;  ///< bytes of each
  std::vector<std::uint32_t> offsets;     ///< of each among them
};

struct VariableOfProgram {
  FatBinary* binary = nullptr;
  std::string name;
  std::size_t bytes = 0;
  void** managed = nullptr;  ///< of a __managed__ variable: where the program keeps its address
  std::uint64_t address = 0;
  Error error = kSuccess;
};

/// Ends an API call: notes the error for cudaGetLastError of this thread.
cudaError_t done(Error error);
/// The last error of this thread.
Error& last_error();

void add_kernel(const void* stub, KernelOfProgram* kernel);
void add_variable(const void* shadow, VariableOfProgram* variable);

/// The kernel whose host stub or handle this is, known to the simulator; nullptr: `error` says why.
KernelOfProgram* find_kernel(const void* stub_or_handle, Error& error);
/// Its handle, whether or not the device has it; nullptr: there is none.
KernelOfProgram* kernel_handle(const void* stub);
/// Sends it to the simulator, if that has not got it.
Error load(FatBinary& binary);
/// The variable that the program's `shadow` stands for, with its address; nullptr: `error` says why.
VariableOfProgram* find_variable(const void* shadow, Error& error);
/// Gives __managed__ variables their memory.
void prepare_managed_variables();

/// The simulator's number of a stream; of what is none one that it refuses.
std::uint64_t stream_id(cudaStream_t stream);
/// A function of the runtime has been called: the driver's primary context is current wherever no other is.
bool runtime_in_use();

// Memory that the CPU and the device have under the same address (managed.cpp).
/// Memory of the device, and the same addresses in this process. nullptr: `error` says why.
void* allocate_managed(std::size_t bytes, Error& error);
/// The pages there are this process's from now on; false: something else lies there.
bool mirror(std::uint64_t address, std::size_t bytes);
/// It has been freed.
void forget_managed(void* address);
bool is_managed(const void* address);
/// Before what the device does with them; after what the CPU has waited for.
void push_managed();
void pull_managed();
/// Of one variable, its initial value.
void pull(std::uint64_t address, std::size_t bytes);

}  // namespace warpvp::cuda
