// Texture references, which CUDA 12 took out of the language: variables of a program that its kernels read
// through (CUDA Runtime API 11, "Texture Reference Management").

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;

/// The beginning of textureReference, which the program has filled in.
struct textureReference {
  int normalized, filterMode, addressMode[3];
  cudaChannelFormatDesc channelDesc;
  int sRGB;
};

namespace {

struct Texture {
  FatBinary* binary = nullptr;
  std::string name;
  int read_mode = 0;
};
/// By the variable of the program.
struct Textures {
  std::mutex mutex;
  std::map<const void*, Texture> all;
};
Textures& textures() {
  static auto* const one = new Textures;
  return *one;
}

Error bind(const textureReference* reference, const cudaResourceDesc& resource) {
  Texture texture;
  {
    const std::lock_guard<std::mutex> lock(textures().mutex);
    const auto found = textures().all.find(reference);
    if (found == textures().all.end()) return kInvalidTexture;
    texture = found->second;
  }
  if (const Error error = load(*texture.binary)) return error;
  cudaTextureDesc how{};
  std::copy_n(reference->addressMode, 3, how.addressMode);
  how.filterMode = reference->filterMode;
  how.readMode = texture.read_mode;
  how.sRGB = reference->sRGB;
  how.normalizedCoords = reference->normalized;
  return bind_texture(texture.binary->module, texture.name, resource, how);
}

}  // namespace

WARPVP_API void __cudaRegisterTexture(void** binary, const textureReference* variable, const void**,
                                      const char* name, int, int read_mode, int) {
  const std::lock_guard<std::mutex> lock(textures().mutex);
  if (std::strncmp(name, "::", 2) == 0) name += 2;  // as C++ writes what is in no namespace
  textures().all[variable] = {reinterpret_cast<FatBinary*>(binary), name, read_mode};
}

// Memory begins where the program says: nothing has to be added to coordinates.
WARPVP_API cudaError_t cudaBindTexture(std::size_t* offset, const textureReference* reference,
                                       const void* memory, const cudaChannelFormatDesc* format,
                                       std::size_t bytes) {
  if (reference == nullptr || format == nullptr) return done(kInvalidValue);
  // Programs may leave the size out: then it is all that the memory has.
  std::size_t there = 0;
  if (const Error error = bytes_at(memory, there)) return done(error);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {const_cast<void*>(memory), *format, std::min(bytes, there)};
  if (offset != nullptr) *offset = 0;
  return done(bind(reference, resource));
}
WARPVP_API cudaError_t cudaBindTexture2D(std::size_t* offset, const textureReference* reference,
                                         const void* memory, const cudaChannelFormatDesc* format,
                                         std::size_t width, std::size_t height, std::size_t pitch) {
  if (reference == nullptr || format == nullptr) return done(kInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {const_cast<void*>(memory), *format, width, height, pitch};
  if (offset != nullptr) *offset = 0;
  return done(bind(reference, resource));
}
WARPVP_API cudaError_t cudaBindTextureToArray(const textureReference* reference, cudaArray_t array,
                                              const cudaChannelFormatDesc*) {
  if (reference == nullptr) return done(kInvalidValue);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return done(bind(reference, resource));
}
/// What it was bound to stays readable: nobody can tell.
WARPVP_API cudaError_t cudaUnbindTexture(const textureReference*) { return kSuccess; }
WARPVP_API cudaError_t cudaGetTextureAlignmentOffset(std::size_t* offset, const textureReference*) {
  if (offset == nullptr) return done(kInvalidValue);
  *offset = 0;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGetTextureReference(const textureReference** reference, const void* symbol) {
  if (reference == nullptr) return done(kInvalidValue);
  const std::lock_guard<std::mutex> lock(textures().mutex);
  const auto found = textures().all.find(symbol);
  if (found == textures().all.end()) return done(kInvalidTexture);
  *reference = static_cast<const textureReference*>(found->first);
  return kSuccess;
}
