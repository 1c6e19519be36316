#pragma once
// What the cases of driver_program share.

#include <cstdio>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/driver_functions.h"
#include "tests/cuda/test_kernels.h"

namespace warpvp::test {

using namespace warpvp::cuda;

inline const std::string kPtx = module_with(R"(
.visible .entry mixed(.param .u8 a, .param .align 16 .b8 b[24], .param .u64 to)
{
  .reg .b16 %h; .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u8 %h, [a]; cvt.u64.u16 %d1, %h;
  ld.param.u64 %d2, [b+16]; add.u64 %d1, %d1, %d2;
  ld.param.u64 %d3, [to]; st.global.u64 [%d3], %d1;
  ret;
}
.visible .entry count(.param .u32 by)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u32 %r1, [by];
  mov.u64 %d1, counter; atom.global.add.u32 %r2, [%d1], %r1;
  ret;
}
.visible .entry stray()
{
  .reg .b64 %d; .reg .b32 %r;
  mov.u64 %d, 16; mov.u32 %r, 1; st.global.u32 [%d], %r;
  ret;
}
)");

inline int wrong = 0;
inline void check(int line, const char* what, long long got, long long expected) {
  if (got == expected) return;
  std::printf("line %d: %s is %lld, not %lld\n", line, what, got, expected);
  wrong = 1;
}
#define CHECK_EQ(got, expected) \
  check(__LINE__, #got, static_cast<long long>(got), static_cast<long long>(expected))

/// What most programs begin with.
struct Begun {
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  Begun() {
    CUdevice device = -1;
    CHECK_EQ(cuInit(0), 0);
    CHECK_EQ(cuDeviceGet(&device, 0), 0);
    CHECK_EQ(cuCtxCreate_v2(&context, 0, device), 0);
    CHECK_EQ(cuModuleLoadData(&module, kPtx.c_str()), 0);
  }
  CUfunction function(const char* name) const {
    CUfunction found = nullptr;
    CHECK_EQ(cuModuleGetFunction(&found, module, name), 0);
    return found;
  }
};

inline CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  CHECK_EQ(cuMemAlloc_v2(&address, bytes), 0);
  return address;
}

template <class... T>
CUresult launch(CUfunction function, unsigned grid, unsigned block, CUstream stream, T... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, pointers, nullptr);
}

inline constexpr unsigned kN = 3000;
struct Vectors {
  std::vector<unsigned> a, b, c = std::vector<unsigned>(kN);
  CUdeviceptr da = allocate(kN * 4), db = allocate(kN * 4), dc = allocate(kN * 4);
  Vectors() {
    for (unsigned i = 0; i < kN; ++i) a.push_back(i), b.push_back(3 * i);
  }
  CUresult add(const Begun& begun, CUstream stream) const {
    return launch(begun.function("add"), (kN + 255) / 256, 256, stream, da, db, dc, kN);
  }
  void check_sums() const {
    for (unsigned i = 0; i < kN; ++i)
      if (c[i] != 4 * i) return CHECK_EQ(c[i], 4 * i);
  }
};

// Of driver_program_errors.cpp, driver_program_graphs.cpp, driver_program_memory.cpp,
// driver_program_mixed.cpp and driver_program_virtual.cpp.
void beginnings();
void device();
void errors();
void lookup();
void fills();
void rows();
void pointers();
void mixed();
void images();
void arrays();
void graphs();
void captures();
void addresses();
void reservations();
void links();
void pools();

}  // namespace warpvp::test
