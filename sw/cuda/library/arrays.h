#pragma once
// CUDA arrays, and textures and surfaces over arrays and plain memory, as the runtime API describes them. An
// array is pitched device memory here: how chips lay texels out is their own business, and no program can
// tell.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sw/cuda/errors.h"
#include "sw/cuda/library/abi.h"

struct cudaArray;
using cudaArray_t = cudaArray*;

enum : int {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaResourceTypeArray = 0,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
  cudaFilterModeLinear = 1,
  cudaReadModeNormalizedFloat = 1
};

struct cudaChannelFormatDesc {
  int x, y, z, w;  ///< bits
  int f;
};
struct cudaResourceDesc {
  int resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      std::size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
};
/// The beginning, which all versions have.
struct cudaTextureDesc {
  int addressMode[3], filterMode, readMode, sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  int mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
};
struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

namespace warpvp::cuda {

inline constexpr unsigned kLayeredArray = 1, kCubemapArray = 4;  // cudaArrayLayered, cudaArrayCubemap

/// What a cudaArray_t, a CUarray, is: rows of texels in device memory.
struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< in texels; zeros where it has fewer dimensions
  unsigned flags = 0;
  std::uint64_t address = 0;
  std::size_t pitch = 0;  ///< bytes from row to row
  std::size_t slice_bytes() const { return pitch * std::max<std::size_t>(extent.height, 1); }
  char* texel(std::size_t x_bytes, std::size_t y, std::size_t z) const {
    return reinterpret_cast<char*>(address) + z * slice_bytes() + y * pitch + x_bytes;
  }
};
std::size_t texel_bytes(const cudaChannelFormatDesc& format);
unsigned channels(const cudaChannelFormatDesc& format);

/// kInvalidValue for texels and shapes that there are not.
Error create_array(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags, void** handle);
Error destroy_array(void* handle);
/// nullptr: the handle is none, or none any more.
const Array* find_array(const void* handle);

/// One side of a block of bytes: an array, or memory of rows in slices.
struct CopySide {
  void* array = nullptr;  ///< its handle; nullptr: memory
  void* memory = nullptr;
  std::size_t pitch = 0, rows = 0;  ///< of memory: bytes from row to row, rows from slice to slice
  std::size_t x = 0, y = 0, z = 0;  ///< where the block begins; x in bytes
};
struct BlockCopy {
  CopySide to, from;
  std::size_t width = 0, height = 1, depth = 1;  ///< width in bytes
  cudaMemcpyKind kind = cudaMemcpyDefault;
};
/// A run of bytes.
BlockCopy plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
/// kInvalidValue where it does not fit into an array; kInvalidPitchValue.
Error copy_block(const BlockCopy& what, std::uint64_t stream, bool waits);

/// Textures and surfaces as objects; how they were described is kept.
Error create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& how, std::uint64_t* handle);
/// Of a texture reference of a module: what it reads from now on.
Error bind_texture(std::uint64_t module, const std::string& name, const cudaResourceDesc& resource,
                   const cudaTextureDesc& how);
Error create_surface(const cudaResourceDesc& resource, std::uint64_t* handle);
Error destroy_image(std::uint64_t handle);
/// kInvalidValue: the handle is none. Where `how` is asked for it must be a texture.
Error find_image(std::uint64_t handle, cudaResourceDesc* resource, cudaTextureDesc* how);

}  // namespace warpvp::cuda
