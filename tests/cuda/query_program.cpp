// A program that asks the runtime for things, and reads through texture references. `program CASE` does one
// thing, checks what it got, and ends with status 0, or 1 after a line that says what was wrong.

#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "sw/cuda/errors.h"
#include "tests/cuda/program.h"
#include "tests/cuda/test_kernels.h"

/// The beginning of it.
struct textureReference {
  int normalized, filterMode, addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
};
extern "C" {
void __cudaRegisterTexture(void**, const textureReference*, const void**, const char*, int, int, int);
cudaError_t cudaBindTexture(std::size_t*, const textureReference*, const void*, const cudaChannelFormatDesc*,
                            std::size_t);
cudaError_t cudaBindTexture2D(std::size_t*, const textureReference*, const void*,
                              const cudaChannelFormatDesc*, std::size_t, std::size_t, std::size_t);
cudaError_t cudaBindTextureToArray(const textureReference*, cudaArray_t, const cudaChannelFormatDesc*);
cudaError_t cudaUnbindTexture(const textureReference*);
cudaError_t cudaGetTextureReference(const textureReference**, const void*);
cudaError_t cudaStreamGetId(cudaStream_t, unsigned long long*);
cudaError_t cudaStreamGetDevice(cudaStream_t, int*);
cudaError_t cudaFuncGetName(const char**, const void*);
cudaError_t cudaFuncGetParamInfo(const void*, std::size_t, std::size_t*, std::size_t*);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(std::size_t*, const void*, int, int);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int*, const void*, int, std::size_t);
cudaError_t cudaDeviceGetByPCIBusId(int*, const char*);
cudaError_t cudaGetDriverEntryPoint(const char*, void**, unsigned long long, int*);
cudaError_t cudaGetDriverEntryPointByVersion(const char*, void**, unsigned, unsigned long long, int*);
cudaError_t cudaMemset3DAsync(cudaPitchedPtr, int, cudaExtent, cudaStream_t);
cudaError_t cudaMemPoolGetAccess(int*, void*, const int*);
cudaError_t cudaDeviceGetDefaultMemPool(void**, int);
cudaError_t cudaMemGetDefaultMemPool(void**, const int*, int);
cudaError_t cudaMallocFromPoolAsync(void**, std::size_t, void*, cudaStream_t);
cudaError_t cudaFreeAsync(void*, cudaStream_t);
}

namespace {

using namespace warpvp::cuda;
using namespace warpvp::test;

const char kMore[] = R"(
.global .texref image;
.global .texref words;
.visible .entry look(.param .u64 to)
{
  .reg .b32 %r<4>; .reg .f32 %f<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  cvt.rn.f32.u32 %f1, %r1; cvt.rn.f32.u32 %f2, %r2;
  add.f32 %f1, %f1, 0f3F800000; add.f32 %f2, %f2, 0f3F000000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [image, {%f1, %f2}];
  mad.lo.u32 %r1, %r2, 8, %r1; mul.wide.u32 %d2, %r1, 4;
  ld.param.u64 %d3, [to]; add.u64 %d3, %d3, %d2;
  st.global.f32 [%d3], %f3;
  ret;
}
.visible .entry fetch(.param .u64 to)
{
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; sub.u32 %r2, 31, %r1;
  tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [words, {%r2}];
  mul.wide.u32 %d2, %r1, 4; ld.param.u64 %d3, [to]; add.u64 %d3, %d3, %d2;
  st.global.u32 [%d3], %r3;
  ret;
}
.visible .entry fetch_object(.param .u64 t, .param .u64 to)
{
  .reg .b32 %r<8>; .reg .b64 %d<4>;
  mov.u32 %r1, %tid.x; ld.param.u64 %d1, [t];
  tex.1d.v4.u32.s32 {%r3, %r4, %r5, %r6}, [%d1, {%r1}];
  mul.wide.u32 %d2, %r1, 4; ld.param.u64 %d3, [to]; add.u64 %d3, %d3, %d2;
  st.global.u32 [%d3], %r3;
  ret;
}
)";

char add_stub, look_stub, fetch_stub, fetch_object_stub;
textureReference image, words;

__attribute__((constructor)) void register_all() {
  void** const binary = register_binary(
      FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, module_with(kMore), Packing::kPlain).bytes());
  register_kernel(binary, &add_stub, "add");
  register_kernel(binary, &look_stub, "look");
  register_kernel(binary, &fetch_stub, "fetch");
  register_kernel(binary, &fetch_object_stub, "fetch_object");
  __cudaRegisterTexture(binary, &image, nullptr, "::image", 2, 0, 0);  // as nvcc has it
  __cudaRegisterTexture(binary, &words, nullptr, "words", 1, 0, 0);
  __cudaRegisterFatBinaryEnd(binary);
}

// An array, then rows of plain memory, between neighbours; words one by one.
void references() {
  constexpr unsigned kWidth = 8, kHeight = 4;
  float texels[kHeight][kWidth], seen[kHeight][kWidth], *to = nullptr, *rows = nullptr;
  for (unsigned i = 0; i < kWidth * kHeight; ++i) texels[i / kWidth][i % kWidth] = static_cast<float>(i * i);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array{};
  CHECK_EQ(cudaMallocArray(&array, &format, kWidth, kHeight, 0), 0);
  CHECK_EQ(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], kHeight, 1), 0);
  image.filterMode = cudaFilterModeLinear;
  image.addressMode[0] = image.addressMode[1] = cudaAddressModeClamp;
  CHECK_EQ(cudaBindTextureToArray(&image, array, &format), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), sizeof seen), 0);
  for (const float by : {1.0f, 2.0f}) {
    CHECK_EQ(launch(&look_stub, {kHeight, 1, 1}, {kWidth, 1, 1}, nullptr, to), 0);
    CHECK_EQ(cudaMemcpy(seen, to, sizeof seen, 2), 0);
    for (unsigned y = 0; y < kHeight; ++y)
      for (unsigned x = 0; x < kWidth; ++x)
        CHECK_EQ(2 * seen[y][x], by * (texels[y][x] + texels[y][x + 1 < kWidth ? x + 1 : x]));
    // From now on, twice as much, with gaps between rows.
    float twice[kHeight][kWidth];
    for (unsigned i = 0; i < kWidth * kHeight; ++i)
      twice[i / kWidth][i % kWidth] = 2 * texels[i / kWidth][i % kWidth];
    std::size_t pitch = 0, offset = 1;
    CHECK_EQ(cudaMallocPitch(reinterpret_cast<void**>(&rows), &pitch, sizeof twice[0], kHeight), 0);
    CHECK_EQ(cudaMemcpy2D(rows, pitch, twice, sizeof twice[0], sizeof twice[0], kHeight, 1), 0);
    CHECK_EQ(cudaBindTexture2D(&offset, &image, rows, &format, kWidth, kHeight, pitch), 0);
    CHECK_EQ(offset, 0);
  }
  unsigned numbers[32], back[32], *there = nullptr;
  for (unsigned i = 0; i < 32; ++i) numbers[i] = 7 * i;
  const cudaChannelFormatDesc integer = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&there), sizeof numbers), 0);
  CHECK_EQ(cudaMemcpy(there, numbers, sizeof numbers, 1), 0);
  CHECK_EQ(cudaBindTexture(nullptr, &words, there, &integer, 0xffffffff), 0);  // all there is
  CHECK_EQ(launch(&fetch_stub, {1, 1, 1}, {32, 1, 1}, nullptr, to), 0);
  CHECK_EQ(cudaMemcpy(back, to, sizeof back, 2), 0);
  for (unsigned i = 0; i < 32; ++i) CHECK_EQ(back[i], numbers[31 - i]);
  const textureReference* found = nullptr;
  CHECK_EQ(cudaGetTextureReference(&found, &image), 0);
  CHECK_EQ(found == &image, true);
  CHECK_EQ(cudaGetTextureReference(&found, &array), kInvalidTexture);
  CHECK_EQ(cudaBindTexture(nullptr, &words, numbers, &integer, 128), kInvalidValue);
  CHECK_EQ(cudaUnbindTexture(&image), 0);
}

// An object of more words than the memory has from there on: those behind it are zeros.
void more_than_there_is() {
  unsigned numbers[24], back[32], *there = nullptr, *to = nullptr;
  for (unsigned i = 0; i < 24; ++i) numbers[i] = 7 * i + 1;
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&there), sizeof numbers), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), sizeof back), 0);
  CHECK_EQ(cudaMemcpy(there, numbers, sizeof numbers, 1), 0);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {there, cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindUnsigned),
                         sizeof back};
  const cudaTextureDesc how{};
  std::uint64_t texture = 0;
  CHECK_EQ(cudaCreateTextureObject(&texture, &resource, &how, nullptr), 0);
  CHECK_EQ(launch(&fetch_object_stub, {1, 1, 1}, {32, 1, 1}, nullptr, texture, to), 0);
  CHECK_EQ(cudaMemcpy(back, to, sizeof back, 2), 0);
  for (unsigned i = 0; i < 32; ++i) CHECK_EQ(back[i], i < 24 ? numbers[i] : 0);
  CHECK_EQ(cudaDestroyTextureObject(texture), 0);
}

void questions() {
  cudaStream_t s{};
  unsigned long long id = 0, of_default = 9;
  int device = 7;
  CHECK_EQ(cudaStreamCreate(&s), 0);
  CHECK_EQ(cudaStreamGetId(s, &id), 0);
  CHECK_EQ(cudaStreamGetId(nullptr, &of_default), 0);
  CHECK_EQ(id != of_default, true);
  CHECK_EQ(cudaStreamGetDevice(s, &device), 0);
  CHECK_EQ(device, 0);
  const char* name = nullptr;
  std::size_t offset = 0, bytes = 0;
  CHECK_EQ(cudaFuncGetName(&name, &add_stub), 0);
  CHECK_EQ(std::strcmp(name, "add"), 0);
  CHECK_EQ(cudaFuncGetParamInfo(&add_stub, 3, &offset, &bytes), 0);
  CHECK_EQ(offset == 24 && bytes == 4, true);
  CHECK_EQ(cudaFuncGetParamInfo(&add_stub, 4, &offset, &bytes), kInvalidValue);
  // One byte more, and fewer blocks fit.
  std::size_t shared = 0;
  int ctas = 0;
  CHECK_EQ(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, &add_stub, 3, 128), 0);
  CHECK_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &add_stub, 128, shared), 0);
  CHECK_EQ(ctas >= 3, true);
  CHECK_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, &add_stub, 128, shared + 1), 0);
  CHECK_EQ(ctas < 3, true);
  CHECK_EQ(cudaDeviceGetByPCIBusId(&device, "01:00.0"), 0);
  CHECK_EQ(cudaDeviceGetByPCIBusId(&device, "02:00.0"), kInvalidDevice);
  const int place[] = {1, 0};
  int flags = 0;
  CHECK_EQ(cudaMemPoolGetAccess(&flags, nullptr, place), 0);
  CHECK_EQ(flags, 3);
  // Pools of the device, of the host's pinned memory, and of managed memory.
  void *pool = nullptr, *same = nullptr, *pooled = nullptr;
  CHECK_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), 0);
  CHECK_EQ(cudaMemGetDefaultMemPool(&same, place, 1), 0);
  CHECK_EQ(same == pool, true);
  CHECK_EQ(cudaMallocFromPoolAsync(&pooled, 64, nullptr, nullptr), kInvalidValue);
  const int second[] = {1, 1}, host[] = {2, 0}, nowhere[] = {0, 0};
  CHECK_EQ(cudaMemGetDefaultMemPool(&same, second, 1), kInvalidDevice);
  CHECK_EQ(cudaMemGetDefaultMemPool(&same, nowhere, 1), kInvalidValue);
  for (const int* at : {host, nowhere}) {
    CHECK_EQ(cudaMemGetDefaultMemPool(&same, at, at == host ? 1 : 2), 0);
    CHECK_EQ(cudaMallocFromPoolAsync(&pooled, 64, same, nullptr), 0);
    CHECK_EQ(cudaMemset(pooled, at == host ? 5 : 6, 64), 0);
    CHECK_EQ(cudaDeviceSynchronize(), 0);
    CHECK_EQ(static_cast<unsigned char*>(pooled)[63], at == host ? 5 : 6);
    CHECK_EQ(cudaFreeAsync(pooled, nullptr), 0);
    CHECK_EQ(cudaFreeAsync(pooled, nullptr), kInvalidValue);
  }
  // Of a block of slices, one after the other.
  unsigned char* memory = nullptr;
  unsigned char seen[64];
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&memory), sizeof seen), 0);
  CHECK_EQ(cudaMemset(memory, 1, sizeof seen), 0);
  CHECK_EQ(cudaMemset3DAsync({memory, 8, 8, 4}, 9, {3, 4, 2}, s), 0);
  CHECK_EQ(cudaStreamSynchronize(s), 0);
  CHECK_EQ(cudaMemcpy(seen, memory, sizeof seen, 2), 0);
  for (unsigned i = 0; i < sizeof seen; ++i) CHECK_EQ(seen[i], i % 8 < 3 ? 9 : 1);
}

// The driver API by name, without linking it.
void entries() {
  void* found = nullptr;
  int status = 9, count = 0;
  CHECK_EQ(cudaGetDriverEntryPoint("cuDeviceGetCount", &found, 0, &status), 0);
  CHECK_EQ(status == 0 && found != nullptr, true);
  void* init = nullptr;
  CHECK_EQ(cudaGetDriverEntryPointByVersion("cuInit", &init, 12000, 0, &status), 0);
  CHECK_EQ(reinterpret_cast<unsigned (*)(unsigned)>(init)(0), 0);
  CHECK_EQ(reinterpret_cast<unsigned (*)(int*)>(found)(&count), 0);
  CHECK_EQ(count, 1);
  CHECK_EQ(cudaGetDriverEntryPoint("cuNoSuchThing", &found, 0, &status), 0);
  CHECK_EQ(status == 1 && found == nullptr, true);
  CHECK_EQ(cudaGetDriverEntryPoint("cuNoSuchThing", &found, 0, nullptr), kSymbolNotFound);
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {{"references", references},
                                                              {"more_than_there_is", more_than_there_is},
                                                              {"questions", questions},
                                                              {"entries", entries}};
  cases.at(argc > 1 ? argv[1] : "questions")();
  return wrong;
}
