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

/// Device code of one translation unit, or of several whose relocatable code nvcc has linked. The simulator
/// gets it when something of it is first used.
struct FatBinary {
  const void* data = nullptr;
  std::vector<const void*> linked;  ///< of each unit; what was made of them in `data` has no PTX
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

}  // namespace warpvp::cuda
