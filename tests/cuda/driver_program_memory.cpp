// Cases of driver_program: fills, blocks of rows, and what is known of pointers.

#include <cstring>

#include "tests/cuda/driver_program.h"

namespace warpvp::test {

void fills() {
  const Begun begun;
  CUstream s{};
  CHECK_EQ(cuStreamCreate(&s, 0), 0);
  const CUdeviceptr p = allocate(64);
  unsigned char got[64];
  CHECK_EQ(cuMemsetD8_v2(p, 0xab, 64), 0);
  CHECK_EQ(cuMemsetD16_v2(p + 2, 0x1234, 3), 0);
  CHECK_EQ(cuMemsetD32_v2(p + 16, 0xdeadbeef, 2), 0);
  CHECK_EQ(cuMemsetD32Async(p + 32, 0x01020304, 4, s), 0);
  CHECK_EQ(cuMemsetD16Async(p + 48, 0x7777, 2, s), 0);
  CHECK_EQ(cuStreamSynchronize(s), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(got, p, 64), 0);
  const auto word = [&](int at) {
    unsigned value;
    std::memcpy(&value, got + at, 4);
    return value;
  };
  CHECK_EQ(word(0), 0x1234ababu);
  CHECK_EQ(word(4), 0x12341234u);
  CHECK_EQ(word(8), 0xababababu);
  CHECK_EQ(word(16), 0xdeadbeefu);
  CHECK_EQ(word(20), 0xdeadbeefu);
  CHECK_EQ(word(24), 0xababababu);
  CHECK_EQ(word(44), 0x01020304u);
  CHECK_EQ(word(48), 0x77777777u);
  CHECK_EQ(word(52), 0xababababu);
  CHECK_EQ(cuMemsetD2D32_v2(p, 16, 0x00c0ffee, 2, 3), 0);
  CHECK_EQ(cuMemsetD2D8_v2(p + 12, 16, 9, 4, 3), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(got, p, 64), 0);
  CHECK_EQ(word(36), 0x00c0ffee);
  CHECK_EQ(word(24), 0xababababu);
  CHECK_EQ(word(44), 0x09090909);
  CHECK_EQ(cuMemsetD32_v2(p + 2, 0, 1), kInvalidValue);
  CHECK_EQ(cuMemsetD32_v2(p, 1, 17), kInvalidValue);
}

void rows() {
  const Begun begun;
  std::vector<unsigned char> from(10 * 7), to(10 * 7, 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i);
  CUdeviceptr p = 0, q = 0;
  std::size_t pitch = 0;
  CHECK_EQ(cuMemAllocPitch_v2(&p, &pitch, 10, 7, 4), 0);
  CHECK_EQ(cuMemAllocPitch_v2(&q, &pitch, 10, 7, 4), 0);
  CUDA_MEMCPY2D in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = from.data();
  in.srcPitch = 10;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = p;
  in.dstPitch = pitch;
  in.WidthInBytes = 10;
  in.Height = 7;
  CHECK_EQ(cuMemcpy2D_v2(&in), 0);
  // A part of it, to another place.
  CUDA_MEMCPY2D part{};
  part.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  part.srcDevice = p;
  part.srcXInBytes = 2;
  part.srcY = 1;
  part.srcPitch = part.dstPitch = pitch;
  part.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  part.dstDevice = q;
  part.dstXInBytes = 1;
  part.dstY = 2;
  part.WidthInBytes = 3;
  part.Height = 4;
  CHECK_EQ(cuMemcpy2DUnaligned_v2(&part), 0);
  CUDA_MEMCPY2D out{};
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = q;
  out.srcXInBytes = 1;
  out.srcY = 2;
  out.srcPitch = pitch;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = to.data();
  out.dstPitch = 10;
  out.WidthInBytes = 3;
  out.Height = 4;
  CHECK_EQ(cuMemcpy2DAsync_v2(&out, nullptr), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 3; ++x) CHECK_EQ(to[y * 10 + x], from[(y + 1) * 10 + x + 2]);
  CHECK_EQ(to[3] + to[40], 0);
  out.dstPitch = 2;
  CHECK_EQ(cuMemcpy2D_v2(&out), kInvalidValue);
  out.dstPitch = 10;
  out.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK_EQ(cuMemcpy2D_v2(&out), kInvalidValue);  // none is named
}

void pointers() {
  const Begun begun;
  CUdeviceptr managed = 0, base = 0, address = 0;
  const CUdeviceptr p = allocate(100);
  void *pinned = nullptr, *mapped = nullptr;
  CHECK_EQ(cuMemAllocManaged(&managed, kN * 4, 1), 0);
  CHECK_EQ(cuMemHostAlloc(&mapped, kN * 4, 2), 0);
  CHECK_EQ(cuMemAllocHost_v2(&pinned, kN * 4), 0);
  const auto type = [](const void* at) {
    unsigned value = 0;
    const CUresult error =
        cuPointerGetAttribute(&value, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(at));
    return error == 0 ? value : 100 + error;
  };
  int own = 0;
  CHECK_EQ(type(reinterpret_cast<void*>(p + 7)), CU_MEMORYTYPE_DEVICE);
  CHECK_EQ(type(mapped), CU_MEMORYTYPE_HOST);
  CHECK_EQ(type(pinned), CU_MEMORYTYPE_HOST);
  CHECK_EQ(type(&own), 100 + kInvalidValue);
  unsigned is_managed = 0;
  CHECK_EQ(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, managed), 0);
  CHECK_EQ(is_managed, 1);
  std::size_t bytes = 0;
  CHECK_EQ(cuMemGetAddressRange_v2(&base, &bytes, p + 50), 0);
  CHECK_EQ(base == p && bytes == 100, true);
  CHECK_EQ(cuMemGetAddressRange_v2(&base, &bytes, p + 100), kSymbolNotFound);
  CHECK_EQ(cuMemHostGetDevicePointer_v2(&address, mapped, 0), 0);
  CHECK_EQ(cuMemGetAddressRange_v2(&base, &bytes, address + 5), 0);
  CHECK_EQ(base == address && bytes == kN * 4, true);
  CHECK_EQ(cuMemHostRegister_v2(&own, sizeof own, 0), 0);
  CHECK_EQ(type(&own), CU_MEMORYTYPE_HOST);
  CHECK_EQ(cuMemHostRegister_v2(&own, sizeof own, 0), kHostMemoryAlreadyRegistered);
  CHECK_EQ(cuMemHostUnregister(&own), 0);
  CHECK_EQ(cuMemHostUnregister(&own), kHostMemoryNotRegistered);
  // The device reads and writes what the CPU does.
  auto* const words = reinterpret_cast<unsigned*>(managed);
  auto* const more = static_cast<unsigned*>(mapped);
  for (unsigned i = 0; i < kN; ++i) words[i] = i, more[i] = 3 * i;
  CHECK_EQ(launch(begun.function("add"), 20, 256, nullptr, managed, address, address, kN), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  CHECK_EQ(more[kN - 1], 4 * (kN - 1));
  CHECK_EQ(cuMemcpy(reinterpret_cast<CUdeviceptr>(pinned), address, kN * 4), 0);
  CHECK_EQ(static_cast<unsigned*>(pinned)[kN - 1], 4 * (kN - 1));
  CHECK_EQ(cuMemFreeHost(pinned), 0);
  CHECK_EQ(cuMemFreeHost(mapped), 0);
  CHECK_EQ(cuMemFree_v2(managed), 0);
  CHECK_EQ(cuMemFree_v2(p), 0);
  CHECK_EQ(type(reinterpret_cast<void*>(p)), 100 + kInvalidValue);
}

}  // namespace warpvp::test
