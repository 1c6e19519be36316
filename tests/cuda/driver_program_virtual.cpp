// Cases of driver_program: addresses and memory apart, pools, linking at run time.

#include <cstring>

#include "tests/cuda/driver_program.h"
#include "tests/cuda/fat_binary_writer.h"

namespace warpvp::test {

// Two pieces of memory at addresses that follow each other, which a kernel runs over.
void addresses() {
  const Begun begun;
  CUmemAllocationProp what{};
  what.type = what.location.type = 1;
  std::size_t unit = 0;
  CHECK_EQ(cuMemGetAllocationGranularity(&unit, &what, 0), 0);
  CUdeviceptr at = 0;
  CHECK_EQ(cuMemAddressReserve(&at, unit + 1, 0, 0, 0), kInvalidValue);
  CHECK_EQ(cuMemAddressReserve(&at, 3 * unit, 0, 0, 0), 0);
  CHECK_EQ(at % unit, 0);
  std::uint64_t first = 0, second = 0, again = 0;
  CHECK_EQ(cuMemCreate(&first, unit, &what, 0), 0);
  CHECK_EQ(cuMemCreate(&second, 2 * unit, &what, 0), 0);
  CHECK_EQ(cuMemMap(at, unit, 0, first, 0), 0);
  CHECK_EQ(cuMemMap(at, 2 * unit, 0, second, 0), kInvalidValue);             // something is there
  CHECK_EQ(cuMemMap(at + 2 * unit, 2 * unit, 0, second, 0), kInvalidValue);  // beyond the end
  CHECK_EQ(cuMemMap(at + unit, 2 * unit, 0, second, 0), 0);
  const CUmemAccessDesc access{{1, 0}, 3};
  CHECK_EQ(cuMemSetAccess(at, 3 * unit, &access, 1), 0);
  unsigned long long flags = 0;
  CHECK_EQ(cuMemGetAccess(&flags, &access.location, at + unit + 5), 0);
  CHECK_EQ(flags, 3);
  CHECK_EQ(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(at + unit)), 0);
  CHECK_EQ(again == second, true);
  CHECK_EQ(cuMemRelease(again), 0);
  // Over the border between them.
  const CUdeviceptr border = at + unit - 2000;
  std::vector<unsigned> in(1000), out(1000);
  for (unsigned i = 0; i < 1000; ++i) in[i] = i;
  CHECK_EQ(cuMemcpyHtoD_v2(border, in.data(), 4000), 0);
  CHECK_EQ(launch(begun.function("add"), 4, 256, nullptr, border, border, border, 1000u), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(out.data(), border, 4000), 0);
  for (unsigned i = 0; i < 1000; ++i) CHECK_EQ(out[i], 2 * i);
  CHECK_EQ(cuMemAddressFree(at, 3 * unit), kInvalidValue);  // in use
  CHECK_EQ(cuMemUnmap(at, unit + 1), kInvalidValue);
  CHECK_EQ(cuMemRelease(first), 0);
  CHECK_EQ(cuMemUnmap(at, 3 * unit), 0);
  CHECK_EQ(cuMemMap(at, unit, 0, first, 0), kInvalidValue);       // gone with its last holder
  CHECK_EQ(cuMemMap(at, 2 * unit, 0, second, 0), kNotSupported);  // at another place
  CHECK_EQ(cuMemRelease(second), 0);
  CHECK_EQ(cuMemRelease(second), kInvalidValue);
  CHECK_EQ(cuMemAddressFree(at, 3 * unit), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(out.data(), border, 4000), kInvalidValue);
  what.location.type = 2;
  CHECK_EQ(cuMemCreate(&first, unit, &what, 0), kNotSupported);  // memory of the host
}

// A range larger than the device, as pools reserve: there is memory as far as something was mapped.
void reservations() {
  const Begun begun;
  CUmemAllocationProp what{};
  what.type = what.location.type = 1;
  std::size_t unit = 0, free = 0, all = 0, left = 0;
  CHECK_EQ(cuMemGetAllocationGranularity(&unit, &what, 0), 0);
  const CUfunction add = begun.function("add");  // its code takes memory, too
  CHECK_EQ(launch(add, 1, 1, nullptr, CUdeviceptr{}, CUdeviceptr{}, CUdeviceptr{}, 0u), 0);
  CHECK_EQ(cuMemGetInfo_v2(&free, &all), 0);
  CUdeviceptr at = 0, other = 0;
  CHECK_EQ(cuMemAddressReserve(&at, std::size_t{32} << 30, 0, 0, 0), 0);
  CHECK_EQ(cuMemAddressReserve(&other, std::size_t{32} << 30, 0, 0, 0), 0);
  CHECK_EQ(cuMemGetInfo_v2(&left, &all), 0);
  CHECK_EQ(left, free);
  std::uint64_t parts[3] = {};
  for (unsigned i = 0; i < 3; ++i) {
    CHECK_EQ(cuMemCreate(&parts[i], unit, &what, 0), 0);
    CHECK_EQ(cuMemMap(i == 2 ? other : at + i * unit, unit, 0, parts[i], 0), 0);
  }
  CHECK_EQ(cuMemGetInfo_v2(&left, &all), 0);
  CHECK_EQ(free - left, 3 * unit);
  const CUdeviceptr border = at + unit - 2000;
  std::vector<unsigned> in(1000, 5), out(1000);
  CHECK_EQ(cuMemcpyHtoD_v2(border, in.data(), 4000), 0);
  CHECK_EQ(cuMemcpyDtoD_v2(other, border, 4000), 0);
  CHECK_EQ(launch(add, 4, 256, nullptr, border, other, border, 1000u), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(out.data(), border, 4000), 0);
  for (unsigned i = 0; i < 1000; ++i) CHECK_EQ(out[i], 10);
  std::uint64_t large = 0;
  CHECK_EQ(cuMemCreate(&large, all, &what, 0), 0);
  CHECK_EQ(cuMemMap(at + 2 * unit, all, 0, large, 0), kMemoryAllocation);
  for (unsigned i = 0; i < 3; ++i) CHECK_EQ(cuMemUnmap(i == 2 ? other : at + i * unit, unit), 0);
  CHECK_EQ(cuMemAddressFree(at, std::size_t{32} << 30), 0);
  CHECK_EQ(cuMemAddressFree(other, std::size_t{32} << 30), 0);
  CHECK_EQ(cuMemGetInfo_v2(&left, &all), 0);
  CHECK_EQ(left, free);
}

// What a pool hands out is as good as any memory.
void pools() {
  const Begun begun;
  Vectors v;
  CUmemoryPool pool{}, other{};
  CHECK_EQ(cuDeviceGetDefaultMemPool(&pool, 0), 0);
  CHECK_EQ(cuDeviceGetDefaultMemPool(&pool, 1), kInvalidDevice);
  // Pinned memory of the device, of the host, of nowhere; managed memory; memory of a type that is none.
  const PoolProperties of_device{1, 0, 1, 0}, of_host{1, 0, 2, 0}, of_nowhere{1, 0, 0, 0},
      managed{2, 0, 0, 0}, of_no_type{3, 0, 1, 0};
  CHECK_EQ(cuMemPoolCreate(&other, &of_device), 0);
  CHECK_EQ(other == pool, true);
  for (const PoolProperties& wrong : {of_nowhere, of_no_type})
    CHECK_EQ(cuMemPoolCreate(&other, &wrong), kInvalidValue);
  CUmemLocation device{1, 0}, second{1, 1}, host{2, 0};
  CHECK_EQ(cuMemGetDefaultMemPool(&other, &second, 1), kInvalidDevice);
  CHECK_EQ(cuMemGetDefaultMemPool(&other, &device, 1), 0);
  CHECK_EQ(other == pool, true);
  CHECK_EQ(cuMemSetMemPool(&device, 1, pool), 0);
  CHECK_EQ(cuMemSetMemPool(&host, 1, pool), kInvalidValue);
  CHECK_EQ(cuMemAllocFromPoolAsync(&v.dc, kN * 4, nullptr, nullptr), kInvalidValue);
  CHECK_EQ(cuMemAllocFromPoolAsync(&v.dc, kN * 4, pool, nullptr), 0);
  CHECK_EQ(cuMemcpyHtoD_v2(v.da, v.a.data(), kN * 4), 0);
  CHECK_EQ(cuMemcpyHtoD_v2(v.db, v.b.data(), kN * 4), 0);
  CHECK_EQ(v.add(begun, nullptr), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(v.c.data(), v.dc, kN * 4), 0);
  v.check_sums();
  std::uint64_t kept = 9;
  CHECK_EQ(cuMemPoolGetAttribute(pool, 5, &kept), 0);  // memory reserved
  CHECK_EQ(kept, 0);
  CUmemLocation place{1, 0};
  int flags = 0;
  CHECK_EQ(cuMemPoolGetAccess(&flags, pool, &place), 0);
  CHECK_EQ(flags, 3);
  CHECK_EQ(cuMemFreeAsync(v.dc, nullptr), 0);
  CHECK_EQ(cuMemFreeAsync(v.dc, nullptr), kInvalidValue);
  // With a stream that has a handle no context need be current.
  CUstream stream{};
  CUevent event{};
  CUcontext current{}, its{};
  CHECK_EQ(cuStreamCreate(&stream, 0), 0);
  CHECK_EQ(cuEventCreate(&event, 0), 0);
  CHECK_EQ(cuCtxGetCurrent(&current), 0);
  CHECK_EQ(cuCtxSetCurrent(nullptr), 0);
  CHECK_EQ(cuMemAllocFromPoolAsync(&v.dc, 64, pool, nullptr), kInvalidContext);
  CHECK_EQ(cuMemAllocFromPoolAsync(&v.dc, 64, pool, stream), 0);
  CHECK_EQ(cuStreamGetCtx(stream, &its), 0);
  CHECK_EQ(its == current, true);
  CHECK_EQ(cuEventRecord(event, stream), 0);
  CHECK_EQ(cuMemFreeAsync(v.dc, stream), 0);
  CHECK_EQ(cuStreamSynchronize(stream), 0);
  CHECK_EQ(cuCtxSetCurrent(current), 0);
  CHECK_EQ(cuEventDestroy_v2(event), 0);
  CHECK_EQ(cuStreamDestroy_v2(stream), 0);
  // What the host and the device share comes out of pools, too: the kernel adds what the host has put there.
  for (const PoolProperties& shared : {of_host, managed}) {
    CHECK_EQ(cuMemPoolCreate(&other, &shared), 0);
    CHECK_EQ(other == pool, false);
    for (CUdeviceptr* to : {&v.da, &v.dc}) CHECK_EQ(cuMemAllocFromPoolAsync(to, kN * 4, other, nullptr), 0);
    std::memcpy(reinterpret_cast<void*>(v.da), v.a.data(), kN * 4);
    CHECK_EQ(v.add(begun, nullptr), 0);
    CHECK_EQ(cuStreamSynchronize(nullptr), 0);
    std::memcpy(v.c.data(), reinterpret_cast<const void*>(v.dc), kN * 4);
    v.check_sums();
    v.c.assign(kN, 0);
    for (const CUdeviceptr from : {v.da, v.dc}) CHECK_EQ(cuMemFreeAsync(from, nullptr), 0);
    CHECK_EQ(cuMemFreeAsync(v.dc, nullptr), kInvalidValue);
  }
}

namespace {
const char kMorePtx[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .global .align 4 .u32 counter;
.visible .entry count_more()
{
  .reg .b32 %r;
  atom.global.add.u32 %r, [counter], 100;
  ret;
}
)";
}  // namespace

void links() {
  const Begun begun;
  CUlinkState state{};
  void* image = nullptr;
  std::size_t bytes = 0;
  CHECK_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &state), 0);
  CHECK_EQ(cuLinkComplete(state, &image, &bytes), kInvalidValue);  // nothing is in it
  CHECK_EQ(cuLinkAddData_v2(state, 1, const_cast<char*>(kPtx.c_str()), kPtx.size() + 1, "own", 0, nullptr,
                            nullptr),
           0);
  CHECK_EQ(cuLinkAddFile_v2(state, 1, "/nowhere/module.ptx", 0, nullptr, nullptr), kFileNotFound);
  // What it is must be what it is said to be; machine code is not linked.
  CHECK_EQ(cuLinkAddData_v2(state, 2, const_cast<char*>(kPtx.c_str()), kPtx.size() + 1, "own", 0, nullptr,
                            nullptr),
           kInvalidValue);
  CHECK_EQ(cuLinkAddData_v2(state, 0, const_cast<char*>(kPtx.c_str()), 4, "own", 0, nullptr, nullptr),
           kNotSupported);
  std::vector<std::uint8_t> more = FatBinaryWriter().add(1, 70, kMorePtx, Packing::kZstd).bytes();
  CHECK_EQ(cuLinkAddData_v2(state, 2, more.data(), more.size() - 1, "more", 0, nullptr, nullptr),
           kInvalidKernelImage);
  CHECK_EQ(cuLinkAddData_v2(state, 2, more.data(), more.size(), "more", 0, nullptr, nullptr), 0);
  CHECK_EQ(cuLinkComplete(state, &image, &bytes), 0);
  CHECK_EQ(bytes, std::strlen(static_cast<char*>(image)) + 1);
  CUmodule module{};
  CUfunction count{};
  CHECK_EQ(cuModuleLoadData(&module, image), 0);
  CHECK_EQ(cuLinkDestroy(state), 0);
  CHECK_EQ(cuLinkDestroy(state), kInvalidResourceHandle);
  CHECK_EQ(cuModuleGetFunction(&count, module, "count"), 0);
  CHECK_EQ(launch(count, 1, 1, nullptr, 5u), 0);
  CHECK_EQ(cuCtxSynchronize(), 0);
  // Of the other input, which counts in a variable of the first.
  CUfunction twice{};
  CUdeviceptr counter = 0;
  unsigned now = 0;
  CHECK_EQ(cuModuleGetFunction(&twice, module, "count_more"), 0);
  CHECK_EQ(launch(twice, 1, 1, nullptr), 0);
  CHECK_EQ(cuModuleGetGlobal_v2(&counter, nullptr, module, "counter"), 0);
  CHECK_EQ(cuMemcpyDtoH_v2(&now, counter, 4), 0);
  CHECK_EQ(now, 7 + 5 + 100);
  // One name twice.
  CHECK_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &state), 0);
  for (int i = 0; i < 2; ++i)
    CHECK_EQ(cuLinkAddData_v2(state, 1, const_cast<char*>(kPtx.c_str()), kPtx.size() + 1, "own", 0, nullptr,
                              nullptr),
             0);
  CHECK_EQ(cuLinkComplete(state, &image, &bytes), kInvalidPtx);
  CHECK_EQ(cuLinkDestroy(state), 0);
}

}  // namespace warpvp::test
