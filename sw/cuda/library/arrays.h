#pragma once
// CUDA arrays, and the descriptions of images as the API has them.

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

/// What a cudaArray_t is: rows of texels in device memory.
struct Array {
  cudaChannelFormatDesc format{};
  cudaExtent extent{};  ///< in texels; zeros where it has fewer dimensions
  unsigned flags = 0;
  std::uint64_t address = 0;
  std::size_t pitch = 0;  ///< bytes from row to row
  std::size_t slice_bytes() const { return pitch * std::max<std::size_t>(extent.height, 1); }
};

}  // namespace warpvp::cuda
