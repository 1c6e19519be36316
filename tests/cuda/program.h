#pragma once
// What programs of the runtime API in these tests share: a fat binary registered as nvcc's programs do,
// launches, and checks.

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "tests/cuda/cuda_functions.h"
#include "tests/cuda/fat_binary_writer.h"

namespace warpvp::test {

struct BinaryWrapper {
  std::int32_t magic = 0x466243b1, version = 1;
  const void* data = nullptr;
  void* more = nullptr;
};

/// Its storage lasts, as that of a program's segment does.
inline void** register_binary(std::vector<std::uint8_t> bytes) {
  auto* const kept = new std::vector<std::uint8_t>(std::move(bytes));
  auto* const wrapper = new BinaryWrapper;
  wrapper->data = kept->data();
  return __cudaRegisterFatBinary(wrapper);
}
inline void register_kernel(void** binary, const char* stub, const char* name) {
  __cudaRegisterFunction(binary, stub, const_cast<char*>(name), name, -1, nullptr, nullptr, nullptr, nullptr,
                         nullptr);
}

inline int wrong = 0;
inline void check(int line, const char* what, long long got, long long expected) {
  if (got == expected) return;
  std::printf("line %d: %s is %lld, not %lld\n", line, what, got, expected);
  wrong = 1;
}
#define CHECK_EQ(got, expected) \
  warpvp::test::check(__LINE__, #got, static_cast<long long>(got), static_cast<long long>(expected))

template <class... T>
unsigned launch(const char* stub, dim3 grid, dim3 block, cudaStream_t stream, T... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernel(stub, grid, block, pointers, 0, stream);
}

}  // namespace warpvp::test
