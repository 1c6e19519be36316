// CUDA arrays, and textures and surfaces as objects (arrays.h).

#include <algorithm>

#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

/// Texels of `count` channels; false: there are none such.
bool read_format(CUarray_format format, unsigned count, cudaChannelFormatDesc& texel) {
  int bits = 0, kind = cudaChannelFormatKindUnsigned;
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      bits = 8;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      bits = 16;
      break;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      bits = 32;
      break;
    default:
      return false;
  }
  if (format == CU_AD_FORMAT_HALF || format == CU_AD_FORMAT_FLOAT) kind = cudaChannelFormatKindFloat;
  if (format >= CU_AD_FORMAT_SIGNED_INT8 && format <= CU_AD_FORMAT_SIGNED_INT32)
    kind = cudaChannelFormatKindSigned;
  if (count != 1 && count != 2 && count != 4) return false;
  texel = {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0, kind};
  return true;
}
CUarray_format format_of(const cudaChannelFormatDesc& texel) {
  if (texel.f == cudaChannelFormatKindFloat) return texel.x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
  const std::uint32_t step = texel.x == 8 ? 0 : texel.x == 16 ? 1 : 2;
  return static_cast<CUarray_format>(
      (texel.f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8 : CU_AD_FORMAT_UNSIGNED_INT8) +
      step);
}

Error read_resource(const CUDA_RESOURCE_DESC* from, cudaResourceDesc& to) {
  if (from == nullptr || from->flags != 0) return kInvalidValue;
  to = {};
  to.resType = static_cast<int>(from->resType);
  switch (from->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
      to.res.array.array = reinterpret_cast<cudaArray_t>(from->res.array.hArray);
      return kSuccess;
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = from->res.linear;
      to.res.linear.devPtr = reinterpret_cast<void*>(linear.devPtr);
      to.res.linear.sizeInBytes = linear.sizeInBytes;
      return read_format(linear.format, linear.numChannels, to.res.linear.desc) ? kSuccess : kInvalidValue;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& rows = from->res.pitch2D;
      to.res.pitch2D.devPtr = reinterpret_cast<void*>(rows.devPtr);
      to.res.pitch2D.width = rows.width;
      to.res.pitch2D.height = rows.height;
      to.res.pitch2D.pitchInBytes = rows.pitchInBytes;
      return read_format(rows.format, rows.numChannels, to.res.pitch2D.desc) ? kSuccess : kInvalidValue;
    }
  }
  return kNotSupported;
}
Error write_resource(const cudaResourceDesc& from, CUDA_RESOURCE_DESC* to) {
  if (to == nullptr) return kInvalidValue;
  *to = {};
  to->resType = static_cast<CUresourcetype>(from.resType);
  if (to->resType == CU_RESOURCE_TYPE_LINEAR) {
    const auto& linear = from.res.linear;
    to->res.linear = {address_of(linear.devPtr), format_of(linear.desc), channels(linear.desc),
                      linear.sizeInBytes};
  } else if (to->resType == CU_RESOURCE_TYPE_PITCH2D) {
    const auto& rows = from.res.pitch2D;
    to->res.pitch2D = {
        address_of(rows.devPtr), format_of(rows.desc), channels(rows.desc), rows.width, rows.height,
        rows.pitchInBytes};
  } else {
    to->res.array.hArray = reinterpret_cast<CUarray>(from.res.array.array);
  }
  return kSuccess;
}

/// Integers of 8 and 16 bits are read as numbers from 0 or -1 to 1, unless as integers; wider ones and
/// floating point as what they are.
bool reads_normalised(const cudaResourceDesc& resource, unsigned flags) {
  cudaChannelFormatDesc texel = resource.res.linear.desc;
  if (resource.resType == cudaResourceTypePitch2D) texel = resource.res.pitch2D.desc;
  if (resource.resType == cudaResourceTypeArray) {
    const Array* const array = find_array(resource.res.array.array);
    if (array == nullptr) return false;
    texel = array->format;
  }
  return (flags & CU_TRSF_READ_AS_INTEGER) == 0 && texel.f != cudaChannelFormatKindFloat && texel.x < 32;
}

CUresult create(CUarray* array, CUarray_format format, unsigned count, cudaExtent extent, unsigned flags) {
  if (const Error error = in_context()) return error;
  cudaChannelFormatDesc texel{};
  void* made = nullptr;
  if (array == nullptr || !read_format(format, count, texel)) return kInvalidValue;
  const Error error = create_array(texel, extent, flags, &made);
  if (error == kSuccess) *array = static_cast<CUarray>(made);
  return driver_error(error);
}

}  // namespace

// ---- arrays

WARPVP_API CUresult cuArrayCreate_v2(CUarray* array, const CUDA_ARRAY_DESCRIPTOR* what) {
  if (what == nullptr) return kInvalidValue;
  return create(array, what->Format, what->NumChannels, {what->Width, what->Height, 0}, 0);
}
WARPVP_API CUresult cuArray3DCreate_v2(CUarray* array, const CUDA_ARRAY3D_DESCRIPTOR* what) {
  if (what == nullptr) return kInvalidValue;
  return create(array, what->Format, what->NumChannels, {what->Width, what->Height, what->Depth},
                what->Flags);
}
WARPVP_API CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* what, CUarray array) {
  if (const Error error = in_context()) return error;
  const Array* const found = find_array(array);
  if (found == nullptr) return kInvalidResourceHandle;
  if (what == nullptr) return kInvalidValue;
  *what = {found->extent.width,      found->extent.height,    found->extent.depth,
           format_of(found->format), channels(found->format), found->flags};
  return kSuccess;
}
WARPVP_API CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* what, CUarray array) {
  CUDA_ARRAY3D_DESCRIPTOR all;
  if (const CUresult error = cuArray3DGetDescriptor_v2(&all, array)) return error;
  if (what == nullptr) return kInvalidValue;
  *what = {all.Width, all.Height, all.Format, all.NumChannels};
  return kSuccess;
}
WARPVP_API CUresult cuArrayDestroy(CUarray array) {
  if (const Error error = initialized()) return error;
  return driver_error(destroy_array(array));
}

// ---- textures and surfaces

WARPVP_API CUresult cuTexObjectCreate(std::uint64_t* texture, const CUDA_RESOURCE_DESC* resource,
                                      const CUDA_TEXTURE_DESC* how, const void* view) {
  if (const Error error = in_context()) return error;
  cudaResourceDesc what;
  cudaTextureDesc reads{};
  if (how == nullptr) return kInvalidValue;
  if (const Error error = read_resource(resource, what)) return error;
  if (view != nullptr) return kNotSupported;
  std::copy_n(how->addressMode, 3, reads.addressMode);
  std::copy_n(how->borderColor, 4, reads.borderColor);
  reads.filterMode = how->filterMode;
  reads.readMode = reads_normalised(what, how->flags) ? cudaReadModeNormalizedFloat : 0;
  reads.normalizedCoords = (how->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
  reads.sRGB = (how->flags & CU_TRSF_SRGB) != 0;
  reads.maxAnisotropy = how->maxAnisotropy;
  reads.mipmapFilterMode = how->mipmapFilterMode;
  reads.mipmapLevelBias = how->mipmapLevelBias;
  reads.minMipmapLevelClamp = how->minMipmapLevelClamp;
  reads.maxMipmapLevelClamp = how->maxMipmapLevelClamp;
  return driver_error(create_texture(what, reads, texture));
}
WARPVP_API CUresult cuTexObjectDestroy(std::uint64_t texture) {
  if (const Error error = initialized()) return error;
  return driver_error(destroy_image(texture));
}
WARPVP_API CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, std::uint64_t texture) {
  cudaResourceDesc what;
  cudaTextureDesc reads;
  if (const Error error = in_context()) return error;
  const Error error = find_image(texture, &what, &reads);
  return error != kSuccess ? error : write_resource(what, resource);
}
WARPVP_API CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* how, std::uint64_t texture) {
  cudaResourceDesc what;
  cudaTextureDesc reads;
  if (const Error error = in_context()) return error;
  if (const Error error = find_image(texture, &what, &reads)) return error;
  if (how == nullptr) return kInvalidValue;
  *how = {};
  std::copy_n(reads.addressMode, 3, how->addressMode);
  how->filterMode = reads.filterMode;
  how->flags = (reads.readMode == cudaReadModeNormalizedFloat ? 0 : CU_TRSF_READ_AS_INTEGER) |
               (reads.normalizedCoords != 0 ? CU_TRSF_NORMALIZED_COORDINATES : 0);
  how->maxAnisotropy = reads.maxAnisotropy;
  how->mipmapFilterMode = reads.mipmapFilterMode;
  how->mipmapLevelBias = reads.mipmapLevelBias;
  how->minMipmapLevelClamp = reads.minMipmapLevelClamp;
  how->maxMipmapLevelClamp = reads.maxMipmapLevelClamp;
  return kSuccess;
}
WARPVP_API CUresult cuSurfObjectCreate(std::uint64_t* surface, const CUDA_RESOURCE_DESC* resource) {
  if (const Error error = in_context()) return error;
  cudaResourceDesc what;
  if (const Error error = read_resource(resource, what)) return error;
  return driver_error(create_surface(what, surface));
}
WARPVP_API CUresult cuSurfObjectDestroy(std::uint64_t surface) {
  if (const Error error = initialized()) return error;
  return driver_error(destroy_image(surface));
}
WARPVP_API CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, std::uint64_t surface) {
  cudaResourceDesc what;
  if (const Error error = in_context()) return error;
  const Error error = find_image(surface, &what, nullptr);
  return error != kSuccess ? error : write_resource(what, resource);
}
