// CUDA arrays, and textures and surfaces over arrays and plain memory. An array is pitched device memory
// here: how chips lay texels out is their own business, and no program can tell.

#include "sw/cuda/library/arrays.h"

#include <algorithm>
#include <cstring>

#include "ptx/image/texture.h"
#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/graphs.h"
#include "sw/cuda/library/program.h"

using namespace warpvp::cuda;
using namespace warpvp;

namespace {

constexpr std::size_t kPitchUnit = 32;
constexpr unsigned kLayered = 1, kCubemap = 4;  // cudaArrayLayered, cudaArrayCubemap

std::size_t texel_bytes(const cudaChannelFormatDesc& d) {
  return static_cast<std::size_t>(d.x + d.y + d.z + d.w) / 8;
}
unsigned channels(const cudaChannelFormatDesc& d) {
  return static_cast<unsigned>(d.x > 0) + static_cast<unsigned>(d.y > 0) + static_cast<unsigned>(d.z > 0) +
         static_cast<unsigned>(d.w > 0);
}

/// What a channel is read as; false: no image has such texels.
bool texel_type(const cudaChannelFormatDesc& d, ptx::TexelType& type) {
  using ptx::TexelType;
  const unsigned count = channels(d);
  if (count != 1 && count != 2 && count != 4) return false;
  for (const int bits : {d.y, d.z, d.w})
    if (bits != 0 && bits != d.x) return false;
  if (d.f == cudaChannelFormatKindFloat) {
    type = d.x == 16 ? TexelType::f16 : TexelType::f32;
    return d.x == 16 || d.x == 32;
  }
  const bool is_signed = d.f == cudaChannelFormatKindSigned;
  if (!is_signed && d.f != cudaChannelFormatKindUnsigned) return false;
  type = d.x == 8    ? (is_signed ? TexelType::s8 : TexelType::u8)
         : d.x == 16 ? (is_signed ? TexelType::s16 : TexelType::u16)
                     : (is_signed ? TexelType::s32 : TexelType::u32);
  return d.x == 8 || d.x == 16 || d.x == 32;
}

/// A handle's array; nullptr: it is none.
Array* of(cudaArray_t handle) { return reinterpret_cast<Array*>(handle); }

char* texel(const Array& array, std::size_t x_bytes, std::size_t y, std::size_t z) {
  return reinterpret_cast<char*>(array.address) + z * array.slice_bytes() + y * array.pitch + x_bytes;
}

/// The layout of an array as an image.
Error describe(const Array& array, ptx::ImageLayout& layout) {
  layout.width = static_cast<std::uint32_t>(array.extent.width);
  layout.height = static_cast<std::uint32_t>(std::max<std::size_t>(array.extent.height, 1));
  layout.pitch_bytes = array.pitch;
  layout.slice_pitch_bytes = array.slice_bytes();
  layout.channels = channels(array.format);
  if (!texel_type(array.format, layout.type)) return kNotSupported;
  const auto third = static_cast<std::uint32_t>(std::max<std::size_t>(array.extent.depth, 1));
  using ptx::Geometry;
  if (array.flags & kCubemap) {
    layout.geometry = array.flags & kLayered ? Geometry::acube : Geometry::cube;
    layout.layers = array.flags & kLayered ? third / 6 : 1;
  } else if (array.flags & kLayered) {
    layout.geometry = array.extent.height == 0 ? Geometry::a1d : Geometry::a2d;
    layout.layers = third;
  } else {
    layout.geometry = array.extent.depth != 0    ? Geometry::d3
                      : array.extent.height != 0 ? Geometry::d2
                                                 : Geometry::d1;
    layout.depth = third;
  }
  return kSuccess;
}

/// The memory that a resource is, and its layout.
Error describe(const cudaResourceDesc& resource, std::uint64_t& memory, ptx::ImageLayout& layout) {
  switch (resource.resType) {
    case cudaResourceTypeArray: {
      const Array* const array = of(resource.res.array.array);
      if (array == nullptr) return kInvalidValue;
      memory = array->address;
      return describe(*array, layout);
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const std::size_t bytes = texel_bytes(linear.desc);
      if (bytes == 0 || !texel_type(linear.desc, layout.type)) return kInvalidValue;
      memory = address_of(linear.devPtr);
      layout.channels = channels(linear.desc);
      layout.width = static_cast<std::uint32_t>(linear.sizeInBytes / bytes);
      return kSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      if (!texel_type(rows.desc, layout.type)) return kInvalidValue;
      memory = address_of(rows.devPtr);
      layout.geometry = ptx::Geometry::d2;
      layout.channels = channels(rows.desc);
      layout.width = static_cast<std::uint32_t>(rows.width);
      layout.height = static_cast<std::uint32_t>(rows.height);
      layout.pitch_bytes = rows.pitchInBytes;
      return kSuccess;
    }
    default:
      return kNotSupported;
  }
}

template <class Description>
Error create(Call call, std::uint64_t* handle, std::uint64_t memory, const Description& description) {
  push_managed();
  Writer arguments;
  arguments.put(memory).put(description);
  Answer answer = Connection::instance().call(call, arguments);
  if (answer.error == kSuccess) *handle = answer.in.get<std::uint64_t>();
  return answer.error;
}

Error destroy(std::uint64_t handle) {
  Writer arguments;
  arguments.put(handle);
  return Connection::instance().call(Call::kDestroyImage, arguments).error;
}

/// A run of bytes that goes on in the next row where one ends.
Error copy_run(const Array& array, std::size_t x, std::size_t y, char* other, std::size_t bytes,
               cudaMemcpyKind kind, bool to_array, std::uint64_t stream) {
  const std::size_t row = array.extent.width * texel_bytes(array.format);
  while (bytes != 0) {
    const std::size_t piece = std::min(bytes, row - std::min(x, row));
    if (piece == 0) return kInvalidValue;
    char* const place = texel(array, x, y, 0);
    if (const Error error =
            copy(to_array ? place : other, to_array ? other : place, piece, kind, stream, true))
      return error;
    other += piece;
    bytes -= piece;
    x = 0;
    ++y;
  }
  return kSuccess;
}

/// One side of a 3-D copy: its first byte and its steps. `unit`: bytes of what counts in x.
struct Side {
  char* begin;
  std::size_t pitch, slice;
  Side(cudaArray_t array, const cudaPos& at, const cudaPitchedPtr& plain, std::size_t unit) {
    if (const Array* const a = of(array)) {
      begin = texel(*a, at.x * unit, at.y, at.z);
      pitch = a->pitch;
      slice = a->slice_bytes();
    } else {
      pitch = plain.pitch;
      slice = plain.pitch * plain.ysize;
      begin = static_cast<char*>(plain.ptr) + at.z * slice + at.y * pitch + at.x * unit;
    }
  }
};

Error copy_3d(const cudaMemcpy3DParms& p, std::uint64_t stream, bool waits) {
  const Array* const array = p.srcArray != nullptr ? of(p.srcArray) : of(p.dstArray);
  // Where an array takes part, texels count, on its side and on the other's.
  const std::size_t unit = array != nullptr ? texel_bytes(array->format) : 1;
  const Side from(p.srcArray, p.srcPos, p.srcPtr, p.srcArray != nullptr ? unit : 1);
  const Side to(p.dstArray, p.dstPos, p.dstPtr, p.dstArray != nullptr ? unit : 1);
  const std::size_t width = p.extent.width * unit;
  for (std::size_t z = 0; z < p.extent.depth; ++z)
    if (const Error error =
            copy_rows(to.begin + z * to.slice, to.pitch, from.begin + z * from.slice, from.pitch, width,
                      p.extent.height, p.kind, stream, waits && z + 1 == p.extent.depth))
      return error;
  return kSuccess;
}

}  // namespace

// ---- arrays

WARPVP_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
  return {x, y, z, w, kind};
}
WARPVP_API cudaError_t cudaMalloc3DArray(cudaArray_t* handle, const cudaChannelFormatDesc* format,
                                         cudaExtent extent, unsigned flags) {
  const std::size_t bytes = texel_bytes(*format);
  if (bytes == 0 || extent.width == 0) return done(kInvalidValue);
  Array array;
  array.format = *format;
  array.extent = extent;
  array.flags = flags;
  array.pitch = (extent.width * bytes + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(array.slice_bytes() * std::max<std::size_t>(extent.depth, 1)));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  if (answer.error != kSuccess) return done(answer.error);
  array.address = answer.in.get<std::uint64_t>();
  *handle = reinterpret_cast<cudaArray_t>(new Array(array));
  return kSuccess;
}
WARPVP_API cudaError_t cudaMallocArray(cudaArray_t* handle, const cudaChannelFormatDesc* format,
                                       std::size_t width, std::size_t height, unsigned flags) {
  return cudaMalloc3DArray(handle, format, {width, height, 0}, flags);
}
WARPVP_API cudaError_t cudaFreeArray(cudaArray_t handle) {
  if (handle == nullptr) return kSuccess;
  Writer arguments;
  arguments.put(of(handle)->address);
  const Error error = Connection::instance().call(Call::kFree, arguments).error;
  delete of(handle);
  return done(error);
}
WARPVP_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                        cudaArray_t handle) {
  if (handle == nullptr) return done(kInvalidResourceHandle);
  if (format != nullptr) *format = of(handle)->format;
  if (extent != nullptr) *extent = of(handle)->extent;
  if (flags != nullptr) *flags = of(handle)->flags;
  return kSuccess;
}
WARPVP_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_t handle) {
  return cudaArrayGetInfo(format, nullptr, nullptr, handle);
}

// ---- copies

WARPVP_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y,
                                                const void* from, std::size_t pitch, std::size_t width,
                                                std::size_t height, cudaMemcpyKind kind,
                                                cudaStream_t stream) {
  const Array& array = *of(to);
  return done(copy_rows(texel(array, x, y, 0), array.pitch, from, pitch, width, height, kind,
                        stream_id(stream), false));
}
WARPVP_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                           std::size_t pitch, std::size_t width, std::size_t height,
                                           cudaMemcpyKind kind) {
  const Array& array = *of(to);
  return done(
      copy_rows(texel(array, x, y, 0), array.pitch, from, pitch, width, height, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, cudaArray_t from,
                                                  std::size_t x, std::size_t y, std::size_t width,
                                                  std::size_t height, cudaMemcpyKind kind,
                                                  cudaStream_t stream) {
  const Array& array = *of(from);
  return done(copy_rows(to, pitch, texel(array, x, y, 0), array.pitch, width, height, kind, stream_id(stream),
                        false));
}
WARPVP_API cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_t from, std::size_t x,
                                             std::size_t y, std::size_t width, std::size_t height,
                                             cudaMemcpyKind kind) {
  const Array& array = *of(from);
  return done(
      copy_rows(to, pitch, texel(array, x, y, 0), array.pitch, width, height, kind, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t x, std::size_t y,
                                                cudaArray_t from, std::size_t from_x, std::size_t from_y,
                                                std::size_t width, std::size_t height, cudaMemcpyKind) {
  const Array &a = *of(to), &b = *of(from);
  return done(copy_rows(texel(a, x, y, 0), a.pitch, texel(b, from_x, from_y, 0), b.pitch, width, height,
                        cudaMemcpyDeviceToDevice, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from,
                                         std::size_t bytes, cudaMemcpyKind kind) {
  return done(copy_run(*of(to), x, y, const_cast<char*>(static_cast<const char*>(from)), bytes, kind, true,
                       kLegacyStream));
}
WARPVP_API cudaError_t cudaMemcpyFromArray(void* to, cudaArray_t from, std::size_t x, std::size_t y,
                                           std::size_t bytes, cudaMemcpyKind kind) {
  return done(copy_run(*of(from), x, y, static_cast<char*>(to), bytes, kind, false, kLegacyStream));
}
WARPVP_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return done(copy_3d(*parameters, kLegacyStream, true));
}
WARPVP_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  if (is_captured(stream))
    return done(capture(stream, NodeType::kMemcpy,
                        [p = *parameters](cudaStream_t s) { return copy_3d(p, stream_id(s), false); }));
  return done(copy_3d(*parameters, stream_id(stream), false));
}

// ---- textures and surfaces

WARPVP_API cudaError_t cudaCreateTextureObject(std::uint64_t* handle, const cudaResourceDesc* resource,
                                               const cudaTextureDesc* how, const void* view) {
  if (view != nullptr || how->sRGB != 0) return done(kNotSupported);
  for (const float colour : how->borderColor)
    if (colour != 0) return done(kNotSupported);
  ptx::TextureDescription description;
  std::uint64_t memory = 0;
  if (const Error error = describe(*resource, memory, description)) return done(error);
  description.normalised_values = how->readMode == cudaReadModeNormalizedFloat;
  description.normalised_coordinates = how->normalizedCoords != 0;
  description.filter =
      how->filterMode == cudaFilterModeLinear ? ptx::TextureFilter::kLinear : ptx::TextureFilter::kPoint;
  for (int i = 0; i < 3; ++i) {
    using ptx::TextureAddressing;
    // Coordinates that are not normalised do not repeat (CUDA C++ Programming Guide, "Texture Memory").
    switch (how->addressMode[i]) {
      case cudaAddressModeWrap:
        description.addressing[i] =
            how->normalizedCoords ? TextureAddressing::kWrap : TextureAddressing::kClamp;
        break;
      case cudaAddressModeMirror:
        description.addressing[i] =
            how->normalizedCoords ? TextureAddressing::kMirror : TextureAddressing::kClamp;
        break;
      case cudaAddressModeBorder:
        description.addressing[i] = TextureAddressing::kBorder;
        break;
      default:
        description.addressing[i] = TextureAddressing::kClamp;
    }
  }
  return done(create(Call::kCreateTexture, handle, memory, description));
}
WARPVP_API cudaError_t cudaDestroyTextureObject(std::uint64_t handle) { return done(destroy(handle)); }
WARPVP_API cudaError_t cudaCreateSurfaceObject(std::uint64_t* handle, const cudaResourceDesc* resource) {
  ptx::SurfaceDescription description;
  std::uint64_t memory = 0;
  if (const Error error = describe(*resource, memory, description)) return done(error);
  return done(create(Call::kCreateSurface, handle, memory, description));
}
WARPVP_API cudaError_t cudaDestroySurfaceObject(std::uint64_t handle) { return done(destroy(handle)); }
