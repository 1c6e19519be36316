#include <algorithm>
#include <map>
#include <mutex>

#include "ptx/image/texture.h"
#include "sw/cuda/library/arrays.h"
#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/copies.h"
#include "sw/cuda/library/objects.h"
#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {

namespace {

constexpr std::size_t kPitchUnit = 32;

Handles<Array>& arrays() {
  static auto* const all = new Handles<Array>;
  return *all;
}

/// How images were described, by handle.
struct Image {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  bool texture = false;
};
struct Images {
  std::mutex mutex;
  std::map<std::uint64_t, Image> all;
};
Images& images() {
  static auto* const one = new Images;
  return *one;
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
  if (array.flags & kCubemapArray) {
    layout.geometry = array.flags & kLayeredArray ? Geometry::acube : Geometry::cube;
    layout.layers = array.flags & kLayeredArray ? third / 6 : 1;
  } else if (array.flags & kLayeredArray) {
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
      const Array* const array = find_array(resource.res.array.array);
      if (array == nullptr) return kInvalidValue;
      memory = array->address;
      return describe(*array, layout);
    }
    case cudaResourceTypeLinear: {
      const auto& linear = resource.res.linear;
      const std::size_t bytes = texel_bytes(linear.desc);
      if (bytes == 0 || !texel_type(linear.desc, layout.type)) return kInvalidValue;
      // Programs may name more than there is, as long as they do not fetch it: what is beyond yields zeros.
      std::size_t there = 0;
      if (const Error error = bytes_at(linear.devPtr, there)) return error;
      memory = on_the_device(linear.devPtr);
      layout.channels = channels(linear.desc);
      layout.width = static_cast<std::uint32_t>(std::min(linear.sizeInBytes, there) / bytes);
      return kSuccess;
    }
    case cudaResourceTypePitch2D: {
      const auto& rows = resource.res.pitch2D;
      if (!texel_type(rows.desc, layout.type)) return kInvalidValue;
      memory = on_the_device(rows.devPtr);
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
Error create(Call call, std::uint64_t memory, const Description& description, const Image& image,
             std::uint64_t* handle) {
  Writer arguments;
  arguments.put(memory).put(description);
  Answer answer = Connection::instance().call(call, arguments);
  if (answer.error != kSuccess) return answer.error;
  *handle = answer.in.get<std::uint64_t>();
  const std::lock_guard<std::mutex> lock(images().mutex);
  images().all[*handle] = image;
  return kSuccess;
}

ptx::TextureAddressing addressing(int mode, bool normalised) {
  using ptx::TextureAddressing;
  // Coordinates that are not normalised do not repeat (CUDA C++ Programming Guide, "Texture Memory").
  switch (mode) {
    case cudaAddressModeWrap:
      return normalised ? TextureAddressing::kWrap : TextureAddressing::kClamp;
    case cudaAddressModeMirror:
      return normalised ? TextureAddressing::kMirror : TextureAddressing::kClamp;
    case cudaAddressModeBorder:
      return TextureAddressing::kBorder;
    default:
      return TextureAddressing::kClamp;
  }
}

/// Where a side begins, and its steps.
struct Steps {
  char* begin = nullptr;
  std::size_t pitch = 0, slice = 0;
};
Error find_steps(const CopySide& side, const BlockCopy& what, Steps& steps) {
  if (side.array == nullptr) {
    if (side.memory == nullptr) return kInvalidValue;
    steps.pitch = side.pitch;
    steps.slice = side.pitch * side.rows;
    steps.begin = static_cast<char*>(side.memory) + side.z * steps.slice + side.y * side.pitch + side.x;
    return kSuccess;
  }
  const Array* const array = find_array(side.array);
  if (array == nullptr) return kInvalidResourceHandle;
  const std::size_t rows = std::max<std::size_t>(array->extent.height, 1);
  const std::size_t slices = std::max<std::size_t>(array->extent.depth, 1);
  const auto fits = [](std::size_t at, std::size_t size, std::size_t room) {
    return at <= room && size <= room - at;
  };
  if (!fits(side.x, what.width, array->extent.width * texel_bytes(array->format)) ||
      !fits(side.y, what.height, rows) || !fits(side.z, what.depth, slices))
    return kInvalidValue;
  steps = {array->texel(side.x, side.y, side.z), array->pitch, array->slice_bytes()};
  return kSuccess;
}

}  // namespace

std::size_t texel_bytes(const cudaChannelFormatDesc& d) {
  return static_cast<std::size_t>(d.x + d.y + d.z + d.w) / 8;
}
unsigned channels(const cudaChannelFormatDesc& d) {
  return static_cast<unsigned>(d.x > 0) + static_cast<unsigned>(d.y > 0) + static_cast<unsigned>(d.z > 0) +
         static_cast<unsigned>(d.w > 0);
}

// ---- arrays

const Array* find_array(const void* handle) { return arrays().find(handle); }

Error create_array(const cudaChannelFormatDesc& format, cudaExtent extent, unsigned flags, void** handle) {
  ptx::TexelType type;
  if (handle == nullptr || !texel_type(format, type) || extent.width == 0) return kInvalidValue;
  Array array;
  array.format = format;
  array.extent = extent;
  array.flags = flags;
  array.pitch = (extent.width * texel_bytes(format) + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
  Writer arguments;
  arguments.put(static_cast<std::uint64_t>(array.slice_bytes() * std::max<std::size_t>(extent.depth, 1)));
  Answer answer = Connection::instance().call(Call::kAllocate, arguments);
  if (answer.error != kSuccess) return answer.error;
  array.address = answer.in.get<std::uint64_t>();
  *handle = arrays().add(array);
  return kSuccess;
}
Error destroy_array(void* handle) {
  const Array* const array = find_array(handle);
  if (array == nullptr) return kInvalidResourceHandle;
  Writer arguments;
  arguments.put(array->address);
  arrays().remove(handle);
  return Connection::instance().call(Call::kFree, arguments).error;
}

BlockCopy plain_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  BlockCopy what;
  what.to.memory = to;
  what.from.memory = const_cast<void*>(from);
  what.to.pitch = what.from.pitch = what.width = bytes;
  what.to.rows = what.from.rows = 1;
  what.kind = kind;
  return what;
}

Error copy_block(const BlockCopy& what, std::uint64_t stream, bool waits) {
  if (what.width == 0 || what.height == 0 || what.depth == 0) return kSuccess;
  Steps to, from;
  if (const Error error = find_steps(what.to, what, to)) return error;
  if (const Error error = find_steps(what.from, what, from)) return error;
  for (std::size_t z = 0; z < what.depth; ++z)
    if (const Error error =
            copy_rows(to.begin + z * to.slice, to.pitch, from.begin + z * from.slice, from.pitch, what.width,
                      what.height, what.kind, stream, waits && z + 1 == what.depth))
      return error;
  return kSuccess;
}

// ---- textures and surfaces

namespace {
Error describe(const cudaResourceDesc& resource, const cudaTextureDesc& how, std::uint64_t& memory,
               ptx::TextureDescription& description) {
  if (how.sRGB != 0) return kNotSupported;
  for (const float colour : how.borderColor)
    if (colour != 0) return kNotSupported;
  if (const Error error = describe(resource, memory, description)) return error;
  description.normalised_values = how.readMode == cudaReadModeNormalizedFloat;
  description.normalised_coordinates = how.normalizedCoords != 0;
  description.filter =
      how.filterMode == cudaFilterModeLinear ? ptx::TextureFilter::kLinear : ptx::TextureFilter::kPoint;
  for (int i = 0; i < 3; ++i)
    description.addressing[i] = addressing(how.addressMode[i], description.normalised_coordinates);
  return kSuccess;
}
}  // namespace

Error create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& how, std::uint64_t* handle) {
  if (handle == nullptr) return kInvalidValue;
  ptx::TextureDescription description;
  std::uint64_t memory = 0;
  if (const Error error = describe(resource, how, memory, description)) return error;
  return create(Call::kCreateTexture, memory, description, {resource, how, true}, handle);
}
Error bind_texture(std::uint64_t module, const std::string& name, const cudaResourceDesc& resource,
                   const cudaTextureDesc& how) {
  ptx::TextureDescription description;
  std::uint64_t memory = 0;
  if (const Error error = describe(resource, how, memory, description)) return error;
  Writer arguments;
  arguments.put(module).put_text(name).put(memory).put(description);
  return Connection::instance().call(Call::kBindTexture, arguments).error;
}
Error create_surface(const cudaResourceDesc& resource, std::uint64_t* handle) {
  if (handle == nullptr) return kInvalidValue;
  ptx::SurfaceDescription description;
  std::uint64_t memory = 0;
  if (const Error error = describe(resource, memory, description)) return error;
  return create(Call::kCreateSurface, memory, description, {resource, {}, false}, handle);
}
Error destroy_image(std::uint64_t handle) {
  Writer arguments;
  arguments.put(handle);
  {
    const std::lock_guard<std::mutex> lock(images().mutex);
    images().all.erase(handle);
  }
  return Connection::instance().call(Call::kDestroyImage, arguments).error;
}
Error find_image(std::uint64_t handle, cudaResourceDesc* resource, cudaTextureDesc* how) {
  const std::lock_guard<std::mutex> lock(images().mutex);
  const auto found = images().all.find(handle);
  if (found == images().all.end() || (how != nullptr && !found->second.texture)) return kInvalidValue;
  if (resource != nullptr) *resource = found->second.resource;
  if (how != nullptr) *how = found->second.how;
  return kSuccess;
}

}  // namespace warpvp::cuda
