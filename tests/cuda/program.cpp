// A program as nvcc makes them, without nvcc: it registers a fat binary before main() and calls the CUDA
// runtime by the names that its libcudart.so exports. `program CASE` does one thing, checks what it got, and
// ends with status 0, or 1 after a line that says what was wrong.

#include "tests/cuda/program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "sw/cuda/errors.h"
#include "tests/cuda/test_kernels.h"

namespace {

using namespace warpvp::cuda;
using namespace warpvp::test;

const char kMore[] = R"(
.visible .global .attribute(.managed) .align 4 .u32 shared_count = 3;
.visible .entry mixed(.param .u8 a, .param .align 8 .b8 b[24], .param .u64 to)
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
  mov.u64 %d2, shared_count; atom.global.add.u32 %r2, [%d2], %r1;
  ret;
}
.visible .entry together(.param .u64 to)
{
  .reg .pred %p; .reg .b32 %r<8>; .reg .b64 %d<8>;
  mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; mov.u32 %r3, %envreg12;
  mov.b64 %d1, {%r1, %r2}; add.u64 %d1, %d1, 4;
  ld.param.u64 %d2, [to];
  atom.global.add.u32 %r4, [%d2], 1;
  atom.global.add.u32 %r4, [%d1], 1;
  mov.u32 %r6, %nctaid.x;
WAIT:
  ld.volatile.global.u32 %r5, [%d1];
  setp.lt.u32 %p, %r5, %r6;
  @%p bra WAIT;
  mov.u32 %r4, %ctaid.x; add.u32 %r4, %r4, 1; mul.wide.u32 %d3, %r4, 4; add.u64 %d3, %d3, %d2;
  ld.volatile.global.u32 %r5, [%d2]; add.u32 %r5, %r5, %r3;
  st.global.u32 [%d3], %r5;
  ret;
}
.visible .entry look(.param .u64 t, .param .u64 to)
{
  .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f1, %f1, 0f3F800000; add.f32 %f2, %f2, 0f3F000000;
  ld.param.u64 %d1, [t];
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];
  mad.lo.u32 %r1, %r2, 8, %r1; mul.wide.u32 %d2, %r1, 4;
  ld.param.u64 %d3, [to]; add.u64 %d3, %d3, %d2;
  st.global.f32 [%d3], %f3;
  ret;
}
.visible .entry twice(.param .u64 s)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, %ctaid.x;
  ld.param.u64 %d1, [s];
  suld.b.2d.b32.trap {%r3}, [%d1, {%r1, %r2}];
  add.u32 %r3, %r3, 0x00800000;
  sust.b.2d.b32.trap [%d1, {%r1, %r2}], {%r3};
  ret;
}
.visible .entry stray()
{
  .reg .b64 %d; .reg .b32 %r;
  .loc 1 41 3
  mov.u64 %d, 16; mov.u32 %r, 1;
  .loc 1 42 5
  st.global.u32 [%d], %r;
  .loc 1 43 3
  ret;
}
.extern .func __assertfail (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .align 1 .b8 words[6] = {120, 32, 62, 32, 48, 0};
.visible .entry claims()
{
  .reg .b64 %d<3>;
  mov.u64 %d1, words; cvta.global.u64 %d2, %d1;
  {
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  st.param.b64 [a], %d2; st.param.b64 [b], %d2; st.param.b32 [c], 77; st.param.b64 [d], %d2; st.param.b64 [e], 1;
  call.uni __assertfail, (a, b, c, d, e);
  }
  ret;
}
.visible .entry traps()
{
  trap;
}
.visible .entry odd(.param .u64 to)
{
  .reg .b64 %d; .reg .b32 %r;
  ld.param.u64 %d, [to]; mov.u32 %r, 1;
  st.global.u32 [%d+2], %r;
  ret;
}
.file 1 "folder/stray.cu"
)";

char together_stub, look_stub, twice_stub, add_stub, mixed_stub, count_stub, say_stub, stray_stub,
    claims_stub, traps_stub, odd_stub, damaged_stub, machine_stub,
    missing_stub;  // host stubs
char counter_shadow, table_shadow;
unsigned* shared_count;

__attribute__((constructor)) void register_all() {
  FatBinaryWriter writer;
  writer.add(FatBinaryWriter::kMachineCode, 70,
             "\x7f"
             "ELF",
             Packing::kPlain);
  writer.add(FatBinaryWriter::kPtx, 70, warpvp::test::module_with(kSay + std::string(kMore)), Packing::kZstd);
  void** const binary = register_binary(writer.bytes());
  register_kernel(binary, &add_stub, "add");
  register_kernel(binary, &mixed_stub, "mixed");
  register_kernel(binary, &count_stub, "count");
  register_kernel(binary, &say_stub, "say");
  register_kernel(binary, &stray_stub, "stray");
  register_kernel(binary, &claims_stub, "claims");
  register_kernel(binary, &traps_stub, "traps");
  register_kernel(binary, &odd_stub, "odd");
  register_kernel(binary, &look_stub, "look");
  register_kernel(binary, &together_stub, "together");
  register_kernel(binary, &twice_stub, "twice");
  register_kernel(binary, &missing_stub, "missing");
  __cudaRegisterVar(binary, &counter_shadow, nullptr, "counter", 0, 4, 0, 0);
  __cudaRegisterVar(binary, &table_shadow, nullptr, "table", 0, 16, 1, 0);
  __cudaRegisterManagedVar(binary, reinterpret_cast<void**>(&shared_count), nullptr, "shared_count", 0, 4, 0,
                           0);
  __cudaRegisterFatBinaryEnd(binary);
  std::vector<std::uint8_t> damaged = writer.bytes();
  for (std::size_t i = damaged.size() - 200; i < damaged.size(); ++i) damaged[i] = 0xee;
  register_kernel(register_binary(damaged), &damaged_stub, "add");
  register_kernel(register_binary(FatBinaryWriter()
                                      .add(FatBinaryWriter::kMachineCode, 90,
                                           "\x7f"
                                           "ELF",
                                           Packing::kPlain)
                                      .bytes()),
                  &machine_stub, "add");
}

constexpr unsigned kN = 5000;
struct Vectors {
  std::vector<unsigned> a, b, c = std::vector<unsigned>(kN);
  unsigned *da = nullptr, *db = nullptr, *dc = nullptr;
  Vectors() {
    for (unsigned i = 0; i < kN; ++i) a.push_back(i), b.push_back(3 * i);
    for (unsigned** p : {&da, &db, &dc}) CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(p), kN * 4), 0);
  }
  unsigned add(cudaStream_t stream) {
    return launch(&add_stub, {(kN + 255) / 256, 1, 1}, {256, 1, 1}, stream, da, db, dc, kN);
  }
  void check_sums() {
    for (unsigned i = 0; i < kN; ++i)
      if (c[i] != 4 * i) return CHECK_EQ(c[i], 4 * i);
  }
};

void plain() {
  Vectors v;
  CHECK_EQ(cudaMemcpy(v.da, v.a.data(), kN * 4, 1), 0);
  CHECK_EQ(cudaMemcpy(v.db, v.b.data(), kN * 4, 4), 0);  // cudaMemcpyDefault
  CHECK_EQ(__cudaPushCallConfiguration({20, 1, 1}, {256, 1, 1}, 0, nullptr), 0);
  dim3 grid{}, block{};
  std::size_t shared = 1;
  cudaStream_t stream{};
  CHECK_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &stream), 0);
  CHECK_EQ(grid.x + block.x + shared, 276);
  unsigned n = kN;
  void* arguments[] = {&v.da, &v.db, &v.dc, &n};
  cudaKernel_t kernel{};
  CHECK_EQ(__cudaGetKernel(&kernel, &add_stub), 0);
  CHECK_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream), 0);
  CHECK_EQ(cudaMemcpy(v.c.data(), v.dc, kN * 4, 2), 0);
  v.check_sums();
  for (unsigned* p : {v.da, v.db, v.dc}) CHECK_EQ(cudaFree(p), 0);
  CHECK_EQ(cudaGetLastError(), 0);
}

// Asynchronous copies to pinned memory deliver when the stream comes to them, others before they return. The
// source may change at once.
void streams() {
  Vectors v;
  unsigned* late = nullptr;
  CHECK_EQ(cudaMallocHost(reinterpret_cast<void**>(&late), kN * 4), 0);
  cudaStream_t s[3];
  for (cudaStream_t& stream : s) CHECK_EQ(cudaStreamCreateWithFlags(&stream, 1), 0);
  cudaEvent_t copied{}, added{};
  CHECK_EQ(cudaEventCreate(&copied), 0);
  CHECK_EQ(cudaEventCreate(&added), 0);
  CHECK_EQ(cudaMemcpyAsync(v.da, v.a.data(), kN * 4, 1, s[0]), 0);
  CHECK_EQ(cudaMemcpyAsync(v.db, v.b.data(), kN * 4, 1, s[0]), 0);
  v.a.assign(kN, 77);
  CHECK_EQ(cudaEventRecord(copied, s[0]), 0);
  CHECK_EQ(cudaStreamWaitEvent(s[1], copied, 0), 0);
  CHECK_EQ(v.add(s[1]), 0);
  CHECK_EQ(cudaEventRecord(added, s[1]), 0);
  CHECK_EQ(cudaStreamWaitEvent(s[2], added, 0), 0);
  CHECK_EQ(cudaMemcpyAsync(late, v.dc, kN * 4, 2, s[2]), 0);
  CHECK_EQ(late[1], 0);
  CHECK_EQ(cudaStreamQuery(s[2]), 600);
  while (cudaStreamQuery(s[2]) == 600) {
  }
  CHECK_EQ(late[kN - 1], 4 * (kN - 1));
  CHECK_EQ(cudaMemcpyAsync(v.c.data(), v.dc, kN * 4, 4, s[2]), 0);
  v.check_sums();
  float ms = 0;
  CHECK_EQ(cudaEventElapsedTime(&ms, copied, added), 0);
  CHECK_EQ(ms > 0.0005f && ms < 1, true);
  int ran = 0;
  CHECK_EQ(cudaLaunchHostFunc(
               s[2], [](void* p) { ++*static_cast<int*>(p); }, &ran),
           0);
  CHECK_EQ(ran, 1);
  for (cudaStream_t stream : s) CHECK_EQ(cudaStreamDestroy(stream), 0);
}

// The default stream waits for others, and they for it.
void legacy() {
  Vectors v;
  cudaStream_t s{};
  CHECK_EQ(cudaStreamCreate(&s), 0);
  // It waits for what has been done already, and has no command of its own yet.
  CHECK_EQ(cudaMemcpyAsync(v.da, v.b.data(), kN * 4, 1, s), 0);
  CHECK_EQ(cudaStreamSynchronize(s), 0);
  CHECK_EQ(cudaStreamSynchronize(nullptr), 0);
  CHECK_EQ(cudaMemcpyAsync(v.da, v.a.data(), kN * 4, 1, s), 0);
  CHECK_EQ(cudaMemcpyAsync(v.db, v.b.data(), kN * 4, 1, nullptr), 0);
  CHECK_EQ(v.add(s), 0);
  CHECK_EQ(cudaMemcpyAsync(v.c.data(), v.dc, kN * 4, 2, nullptr), 0);
  CHECK_EQ(cudaStreamSynchronize(nullptr), 0);
  v.check_sums();
}

void symbols() {
  CHECK_EQ(launch(&count_stub, {2, 1, 1}, {32, 1, 1}, nullptr, 10u), 0);
  unsigned now = 0;
  CHECK_EQ(cudaMemcpyFromSymbol(&now, &counter_shadow, 4, 0, 2), 0);
  CHECK_EQ(now, 7 + 640);
  const unsigned words[4] = {1, 2, 3, 4};
  CHECK_EQ(cudaMemcpyToSymbol(&table_shadow, words, 16, 0, 1), 0);
  unsigned third = 0;
  CHECK_EQ(cudaMemcpyFromSymbol(&third, &table_shadow, 4, 8, 2), 0);
  CHECK_EQ(third, 3);
  CHECK_EQ(cudaMemcpyToSymbol(&table_shadow, words, 16, 4, 1), kInvalidValue);
  CHECK_EQ(cudaMemcpyToSymbol(&add_stub, words, 4, 0, 1), kInvalidSymbol);
  std::size_t bytes = 0;
  CHECK_EQ(cudaGetSymbolSize(&bytes, &table_shadow), 0);
  CHECK_EQ(bytes, 16);
}

void managed() {
  unsigned *a = nullptr, *b = nullptr, *c = nullptr;
  for (unsigned** p : {&a, &b, &c}) CHECK_EQ(cudaMallocManaged(reinterpret_cast<void**>(p), kN * 4, 1), 0);
  for (unsigned i = 0; i < kN; ++i) a[i] = i, b[i] = 3 * i;
  CHECK_EQ(launch(&add_stub, {20, 1, 1}, {256, 1, 1}, nullptr, a, b, c, kN), 0);
  CHECK_EQ(launch(&add_stub, {20, 1, 1}, {256, 1, 1}, nullptr, a, c, c, kN), 0);
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  for (unsigned i = 0; i < kN; ++i)
    if (c[i] != 5 * i) return CHECK_EQ(c[i], 5 * i);
  // A variable of both, from its initial value on.
  CHECK_EQ(__cudaInitModule(nullptr), 0);
  CHECK_EQ(*shared_count, 3);
  *shared_count = 100;
  CHECK_EQ(launch(&count_stub, {1, 1, 1}, {1, 1, 1}, nullptr, 5u), 0);
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  CHECK_EQ(*shared_count, 105);
  CHECK_EQ(cudaFree(a), 0);
}

void parameters() {
  struct Block {
    std::uint64_t a, b, c;
  };
  std::uint64_t *to = nullptr, sum = 0;
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), 8), 0);
  CHECK_EQ(launch(&mixed_stub, {1, 1, 1}, {1, 1, 1}, nullptr, std::uint8_t{200}, Block{1, 2, 1000}, to), 0);
  CHECK_EQ(cudaMemcpy(&sum, to, 8, 2), 0);
  CHECK_EQ(sum, 1200);
}

void rows() {
  std::vector<unsigned char> from(10 * 7), to(10 * 7, 0);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i);
  void* p = nullptr;
  std::size_t pitch = 0;
  CHECK_EQ(cudaMallocPitch(&p, &pitch, 10, 7), 0);
  CHECK_EQ(cudaMemcpy2D(p, pitch, from.data(), 10, 10, 7, 1), 0);
  CHECK_EQ(cudaMemset2D(static_cast<char*>(p) + pitch, pitch, 99, 2, 3), 0);
  CHECK_EQ(cudaMemcpy2D(to.data(), 10, p, pitch, 10, 7, 2), 0);
  for (std::size_t i = 0; i < to.size(); ++i)
    CHECK_EQ(to[i], i / 10 >= 1 && i / 10 <= 3 && i % 10 < 2 ? 99u : from[i]);
  CHECK_EQ(cudaMemcpy2D(to.data(), 5, p, pitch, 10, 7, 2), kInvalidPitchValue);
}

// Texels of an array between two neighbours, as linear filtering has them; and doubled through a surface.
void textures() {
  constexpr std::size_t kWidth = 8, kHeight = 4;
  float texels[kHeight][kWidth], seen[kHeight][kWidth];
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) texels[y][x] = static_cast<float>(1 + x * x + 10 * y);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array{};
  CHECK_EQ(cudaMallocArray(&array, &format, kWidth, kHeight, 2), 0);
  CHECK_EQ(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], kHeight, 1), 0);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  how.filterMode = cudaFilterModeLinear;
  std::uint64_t texture = 0, surface = 0;
  float* to = nullptr;
  CHECK_EQ(cudaCreateTextureObject(&texture, &resource, &how, nullptr), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), sizeof seen), 0);
  CHECK_EQ(launch(&look_stub, {kHeight, 1, 1}, {kWidth, 1, 1}, nullptr, texture, to), 0);
  CHECK_EQ(cudaMemcpy(seen, to, sizeof seen, 2), 0);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x)
      CHECK_EQ(2 * seen[y][x], texels[y][x] + texels[y][x + 1 < kWidth ? x + 1 : x]);
  CHECK_EQ(cudaDestroyTextureObject(texture), 0);
  CHECK_EQ(cudaDestroyTextureObject(texture), kInvalidValue);
  CHECK_EQ(cudaCreateSurfaceObject(&surface, &resource), 0);
  CHECK_EQ(launch(&twice_stub, {kHeight, 1, 1}, {kWidth, 1, 1}, nullptr, surface), 0);
  CHECK_EQ(cudaMemcpy2DFromArray(seen, sizeof seen[0], array, 0, 0, sizeof seen[0], kHeight, 2), 0);
  for (std::size_t y = 0; y < kHeight; ++y)
    for (std::size_t x = 0; x < kWidth; ++x) CHECK_EQ(seen[y][x], 2 * texels[y][x]);
  resource.resType = 1;  // mipmapped
  CHECK_EQ(cudaCreateTextureObject(&texture, &resource, &how, nullptr), kNotSupported);
  CHECK_EQ(cudaFreeArray(array), 0);
}

// A block of a 3-D array, there and back.
void blocks() {
  std::uint8_t bytes[6][5][4], back[2][3][2] = {};
  for (std::size_t i = 0; i < sizeof bytes; ++i) (&bytes[0][0][0])[i] = static_cast<std::uint8_t>(i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
  cudaArray_t array{};
  CHECK_EQ(cudaMalloc3DArray(&array, &format, {4, 5, 6}, 0), 0);
  cudaMemcpy3DParms in{};
  in.srcPtr = {bytes, 4, 4, 5};
  in.dstArray = array;
  in.extent = {4, 5, 6};
  in.kind = cudaMemcpyHostToDevice;
  CHECK_EQ(cudaMemcpy3D(&in), 0);
  cudaMemcpy3DParms out{};
  out.srcArray = array;
  out.srcPos = {1, 2, 3};
  out.dstPtr = {back, 2, 2, 3};
  out.extent = {2, 3, 2};
  out.kind = cudaMemcpyDeviceToHost;
  CHECK_EQ(cudaMemcpy3D(&out), 0);
  for (std::size_t z = 0; z < 2; ++z)
    for (std::size_t y = 0; y < 3; ++y)
      for (std::size_t x = 0; x < 2; ++x) CHECK_EQ(back[z][y][x], bytes[z + 3][y + 2][x + 1]);
}

// A captured fork and join, launched twice with other inputs; nothing happens before.
void graphs() {
  Vectors v;
  cudaStream_t s{}, t{};
  cudaEvent_t forked{}, joined{};
  CHECK_EQ(cudaStreamCreate(&s), 0);
  CHECK_EQ(cudaStreamCreate(&t), 0);
  CHECK_EQ(cudaEventCreate(&forked), 0);
  CHECK_EQ(cudaEventCreate(&joined), 0);
  CHECK_EQ(cudaStreamBeginCapture(nullptr, 0), 900);
  CHECK_EQ(cudaStreamBeginCapture(s, 0), 0);
  CHECK_EQ(cudaEventRecord(forked, s), 0);
  CHECK_EQ(cudaStreamWaitEvent(t, forked, 0), 0);
  CHECK_EQ(cudaMemcpyAsync(v.da, v.a.data(), kN * 4, 1, s), 0);
  CHECK_EQ(cudaMemcpyAsync(v.db, v.b.data(), kN * 4, 1, t), 0);
  CHECK_EQ(cudaEventRecord(joined, t), 0);
  CHECK_EQ(cudaStreamWaitEvent(s, joined, 0), 0);
  CHECK_EQ(v.add(s), 0);
  CHECK_EQ(cudaMemcpyAsync(v.c.data(), v.dc, kN * 4, 2, s), 0);
  void *graph = nullptr, *executable = nullptr;
  CHECK_EQ(cudaStreamEndCapture(t, &graph), 903);
  CHECK_EQ(cudaStreamEndCapture(s, &graph), 0);
  CHECK_EQ(cudaStreamSynchronize(s), 0);
  CHECK_EQ(v.c[1], 0);
  std::size_t nodes = 0;
  CHECK_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), 0);
  CHECK_EQ(nodes, 4);
  CHECK_EQ(cudaGraphInstantiate(&executable, graph, 0), 0);
  CHECK_EQ(cudaGraphDestroy(graph), 0);
  for (const unsigned by : {0u, 1000u}) {
    for (unsigned i = 0; i < kN; ++i) v.a[i] = i + by;
    CHECK_EQ(cudaGraphLaunch(executable, s), 0);
    CHECK_EQ(cudaStreamSynchronize(s), 0);
    for (unsigned i = 0; i < kN; ++i)
      if (v.c[i] != 4 * i + by) return CHECK_EQ(v.c[i], 4 * i + by);
  }
  CHECK_EQ(cudaGraphExecDestroy(executable), 0);
}

// What goes into the default stream goes into the thread's, which does not wait for others.
void per_thread() {
  Vectors v;
  CHECK_EQ(cudaMemcpyAsync_ptsz(v.da, v.a.data(), kN * 4, 1, nullptr), 0);
  CHECK_EQ(cudaMemcpy_ptds(v.db, v.b.data(), kN * 4, 1), 0);
  void* arguments[] = {&v.da, &v.db, &v.dc, const_cast<unsigned*>(&kN)};
  CHECK_EQ(cudaLaunchKernel_ptsz(&add_stub, {20, 1, 1}, {256, 1, 1}, arguments, 0, nullptr), 0);
  unsigned* late = nullptr;
  CHECK_EQ(cudaMallocHost(reinterpret_cast<void**>(&late), kN * 4), 0);
  CHECK_EQ(cudaMemcpyAsync_ptsz(late, v.dc, kN * 4, 2, nullptr), 0);
  CHECK_EQ(late[1], 0);
  CHECK_EQ(cudaStreamSynchronize_ptsz(nullptr), 0);
  CHECK_EQ(late[kN - 1], 4 * (kN - 1));
}

// All CTAs of a cooperative launch are there at once, and have memory to wait for each other in.
void cooperative() {
  constexpr unsigned kCtas = 40;
  unsigned *to = nullptr, seen[kCtas + 1] = {};
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), sizeof seen), 0);
  CHECK_EQ(cudaMemset(to, 0, sizeof seen), 0);
  void* arguments[] = {&to};
  CHECK_EQ(cudaLaunchCooperativeKernel(&together_stub, {kCtas, 1, 1}, {1, 1, 1}, arguments, 0, nullptr), 0);
  CHECK_EQ(cudaMemcpy(seen, to, sizeof seen, 2), 0);
  for (const unsigned n : seen) CHECK_EQ(n, kCtas);
  CHECK_EQ(cudaLaunchCooperativeKernel(&together_stub, {1000, 1, 1}, {1, 1, 1}, arguments, 0, nullptr),
           kCooperativeLaunchTooLarge);
}

void errors() {
  int count = 0;
  CHECK_EQ(cudaGetDeviceCount(&count), 0);
  CHECK_EQ(count, 1);
  CHECK_EQ(cudaSetDevice(1), kInvalidDevice);
  CHECK_EQ(cudaGetLastError(), kInvalidDevice);
  CHECK_EQ(cudaGetLastError(), 0);
  Vectors v;
  CHECK_EQ(launch(&add_stub, {1, 1, 1}, {2048, 1, 1}, nullptr, v.da, v.db, v.dc, kN), kInvalidConfiguration);
  CHECK_EQ(launch(&add_stub, {0, 1, 1}, {32, 1, 1}, nullptr, v.da, v.db, v.dc, kN), kInvalidConfiguration);
  CHECK_EQ(launch(&counter_shadow, {1, 1, 1}, {32, 1, 1}, nullptr), kInvalidDeviceFunction);
  CHECK_EQ(launch(&missing_stub, {1, 1, 1}, {32, 1, 1}, nullptr), kInvalidDeviceFunction);
  CHECK_EQ(launch(&damaged_stub, {1, 1, 1}, {32, 1, 1}, nullptr), kInvalidPtx);
  CHECK_EQ(launch(&machine_stub, {1, 1, 1}, {32, 1, 1}, nullptr), kNoKernelImageForDevice);
  CHECK_EQ(cudaFree(v.da + 1), kInvalidValue);
  CHECK_EQ(cudaMemcpy(&count, nullptr, 4, 2), kInvalidValue);
  CHECK_EQ(cudaMemcpy(&count, nullptr, 0, 2), 0);
  CHECK_EQ(cudaMemcpy(nullptr, v.da, 4, 2), kInvalidValue);
  CHECK_EQ(cudaMemcpy(v.da, nullptr, 4, 1), kInvalidValue);
  CHECK_EQ(cudaMemset(nullptr, 0, 0), 0);
  CHECK_EQ(cudaMemcpy(&count, v.da, 4, 9), kInvalidMemcpyDirection);
  void* p = nullptr;
  CHECK_EQ(cudaMalloc(&p, std::size_t{1} << 50), kMemoryAllocation);
  CHECK_EQ(std::strcmp(cudaGetErrorName(2), "cudaErrorMemoryAllocation"), 0);
  CHECK_EQ(std::strcmp(cudaGetErrorString(2), "out of memory"), 0);
  CHECK_EQ(cudaIpcGetMemHandle(nullptr, nullptr), kNotSupported);
  // Nothing of this has harmed it.
  CHECK_EQ(cudaMemcpy(v.da, v.a.data(), kN * 4, 1), 0);
  CHECK_EQ(cudaMemcpy(v.db, v.b.data(), kN * 4, 1), 0);
  CHECK_EQ(v.add(nullptr), 0);
  CHECK_EQ(cudaMemcpy(v.c.data(), v.dc, kN * 4, 2), 0);
  v.check_sums();
}

// Of platform `small`, as its file has it and the files that that extends.
void properties() {
  cudaDeviceProp p{};
  CHECK_EQ(cudaGetDeviceProperties_v2(&p, 1), kInvalidDevice);
  CHECK_EQ(cudaGetDeviceProperties_v2(&p, 0), 0);
  CHECK_EQ(p.l2CacheSize, 4 * 96 * 1024);
  CHECK_EQ(p.memoryBusWidth, 2 * 128);
  CHECK_EQ(p.memoryClockRate, 850000);
  CHECK_EQ(p.maxTexture2D[0] == 131072 && p.maxTexture2D[1] == 65536, true);
  CHECK_EQ(p.maxTexture2DLinear[2], 2097120);
  CHECK_EQ(p.maxTexture2DLayered[2], 2048);
  CHECK_EQ(p.maxSurfaceCubemap, 32768);
  CHECK_EQ(p.warpSize, 32);
  CHECK_EQ(p.unifiedAddressing, 1);
}

void fault() {
  CHECK_EQ(launch(&stray_stub, {1, 1, 1}, {1, 1, 1}, nullptr), 0);
  CHECK_EQ(cudaDeviceSynchronize(), kIllegalAddress);
  void* p = nullptr;
  CHECK_EQ(cudaMalloc(&p, 4), kIllegalAddress);  // for good
}

// The kernel ends the context; every call says how from then on, and no call makes it well.
void ends_by(const char* stub, Error error, const char* name) {
  void* p = nullptr;
  CHECK_EQ(cudaMalloc(&p, 4), 0);
  CHECK_EQ(launch(stub, {1, 1, 1}, {1, 1, 1}, nullptr, p), 0);
  CHECK_EQ(cudaDeviceSynchronize(), error);
  CHECK_EQ(cudaGetLastError(), error);
  CHECK_EQ(cudaGetLastError(), error);
  CHECK_EQ(cudaMalloc(&p, 4), error);
  CHECK_EQ(std::string(cudaGetErrorName(error)) == name, true);
}

void prints() {
  std::printf("before\n");
  launch(&say_stub, {1, 1, 1}, {1, 1, 1}, nullptr);
  cudaDeviceSynchronize();
  std::printf("after\n");
}

void threads() {
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([] {
      Vectors v;
      cudaStream_t s{};
      CHECK_EQ(cudaStreamCreateWithFlags(&s, 1), 0);
      CHECK_EQ(cudaMemcpyAsync(v.da, v.a.data(), kN * 4, 1, s), 0);
      CHECK_EQ(cudaMemcpyAsync(v.db, v.b.data(), kN * 4, 1, s), 0);
      CHECK_EQ(v.add(s), 0);
      CHECK_EQ(cudaMemcpyAsync(v.c.data(), v.dc, kN * 4, 2, s), 0);
      CHECK_EQ(cudaStreamSynchronize(s), 0);
      v.check_sums();
    });
  for (std::thread& thread : all) thread.join();
}

void forks() {
  void* p = nullptr;
  CHECK_EQ(cudaMalloc(&p, 4), 0);
  const pid_t child = fork();
  if (child == 0) _exit(static_cast<int>(cudaMalloc(&p, 4)));
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_EQ(WEXITSTATUS(status), kInitializationError);
  CHECK_EQ(cudaFree(p), 0);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {
      {"plain", plain},
      {"streams", streams},
      {"legacy", legacy},
      {"symbols", symbols},
      {"managed", managed},
      {"parameters", parameters},
      {"rows", rows},
      {"errors", errors},
      {"textures", textures},
      {"cooperative", cooperative},
      {"blocks", blocks},
      {"graphs", graphs},
      {"per_thread", per_thread},
      {"fault", fault},
      {"assertion", [] { ends_by(&claims_stub, kAssert, "cudaErrorAssert"); }},
      {"trap", [] { ends_by(&traps_stub, kLaunchFailure, "cudaErrorLaunchFailure"); }},
      {"misaligned", [] { ends_by(&odd_stub, kMisalignedAddress, "cudaErrorMisalignedAddress"); }},
      {"prints", prints},
      {"threads", threads},
      {"properties", properties},
      {"forks", forks},
      {"status", [] { std::exit(5); }},
      {"crash", [] { std::abort(); }},
      {"no_memory_there",
       [] {
         Vectors v;
         cudaMemcpy(v.da, reinterpret_cast<void*>(4096), kN * 4, 1);
       }},
      {"nothing", [] {}},
      {"leaves", [] {
         Vectors v;  // work under way and memory of its own
         v.add(nullptr);
         std::exit(0);
       }}};
  cases.at(argc > 1 ? argv[1] : "plain")();
  return wrong;
}
