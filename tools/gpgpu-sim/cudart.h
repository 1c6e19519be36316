#pragma once
// GPGPU-Sim's library libcudart.so, which stands in for the CUDA runtime's: the functions that a program
// needs which registers PTX by itself. Declarations after its libcuda/cuda_runtime_api.cc, version 4.2.

#include <cstddef>
#include <string>

namespace warpvp::gpgpusim {

struct Cudart {
  void** (*RegisterFatBinary)(void*);
  void (*RegisterFunction)(void** handle, const char* host_function, char* device_function,
                           const char* device_name, int thread_limit, void*, void*, void*, void*);
  void (*RegisterVar)(void** handle, char* host_variable, char* device_address, const char* device_name,
                      int is_extern, int size, int constant, int global);
  int (*Malloc)(void**, std::size_t);
  int (*Free)(void*);
  int (*MemcpyAsync)(void*, const void*, std::size_t, int kind, void* stream);
  int (*MemcpyToSymbol)(const char* host_variable, const void*, std::size_t bytes, std::size_t offset,
                        int kind);
  int (*Memset)(void*, int, std::size_t);
  int (*ThreadSynchronize)();
  int (*ThreadExit)();  ///< ends the thread that simulates
  int (*DeviceGetAttribute)(int*, int attribute, int device);
  int (*Occupancy)(int*, const char* host_function, int block, std::size_t dynamic_shared_bytes,
                   unsigned flags);
  int (*LaunchKernel)(const void* host_function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                      unsigned dynamic_shared_bytes, void* stream, void** arguments, void** extra);

  static constexpr int kToDevice = 1, kToHost = 2, kOnDevice = 3;  ///< cudaMemcpyKind

  /// The library that the loader has found, once a process. InputError where it is not GPGPU-Sim's.
  static const Cudart& get();
  /// InputError "WHAT: CUDA error N" unless `status` is 0.
  void check(int status, const std::string& what) const;
};

}  // namespace warpvp::gpgpusim
