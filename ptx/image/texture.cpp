#include "ptx/image/texture.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warpvp::ptx {
namespace {

constexpr std::uint32_t kMaxWidth = 1u << 27, kMaxHeight = 1u << 17, kMaxDepth = 1u << 14;
constexpr std::uint64_t kMaxPitch = std::uint64_t{1} << 40;
/// PTX ISA, `tex`: a texture's base address is aligned to 16 bytes.
constexpr std::uint64_t kBaseAlignment = 16;

bool is_real(TexelType t) { return t == TexelType::f32 || t == TexelType::f16; }

/// `kind`: "texture" or "surface".
ImageDescriptor make_image(const char* kind, const std::string& name, std::uint64_t base,
                           const ImageLayout& t) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{} '{}': {}", kind, name, what));
  };
  const auto in_range = [&](const char* what, std::uint32_t value, std::uint32_t most) {
    if (value == 0 || value > most) fail(fmt::format("{} is {}, allowed are 1 to {}", what, value, most));
  };
  const Geometry g = t.geometry;
  if (g == Geometry::kNone || g > Geometry::acube) fail("unknown geometry");
  in_range("width", t.width, kMaxWidth);
  in_range("height", t.height, texel_dimensions(g) == 1 ? 1 : kMaxHeight);
  in_range("depth", t.depth, g == Geometry::d3 ? kMaxDepth : 1);
  in_range("number of layers", t.layers, has_layers(g) ? kMaxDepth : 1);
  if (is_cube(g) && t.width != t.height)
    fail(fmt::format("a face of {} x {} texels; the faces of a cube are square", t.width, t.height));
  const unsigned channel = texel_type_bytes(t.type);
  if (channel == 0) fail("unknown type of texels");
  if (t.channels != 1 && t.channels != 2 && t.channels != 4)
    fail(fmt::format("{} channels; allowed are 1, 2 and 4", t.channels));

  const std::uint64_t texel = std::uint64_t{channel} * t.channels, row = t.width * texel;
  const auto check_pitch = [&](const char* what, std::uint64_t pitch, const char* of, std::uint64_t least) {
    if (pitch < least) fail(fmt::format("a {} of {} bytes is less than a {} of {}", what, pitch, of, least));
    if (pitch % texel != 0)
      fail(fmt::format("a {} of {} bytes is not a multiple of a texel's {}", what, pitch, texel));
    if (pitch > kMaxPitch) fail(fmt::format("a {} of {} bytes is more than 2^40", what, pitch));
  };
  ImageDescriptor d;
  d.pitch_bytes = t.pitch_bytes == 0 ? row : t.pitch_bytes;
  check_pitch("pitch", d.pitch_bytes, "row", row);
  const std::uint64_t slice = (t.height - 1) * d.pitch_bytes + row;
  d.slice_pitch_bytes = t.slice_pitch_bytes != 0 ? t.slice_pitch_bytes : t.height * d.pitch_bytes;
  check_pitch("slice pitch", d.slice_pitch_bytes, "slice", slice);
  if (base == 0 || base % kBaseAlignment != 0)
    fail(fmt::format("{:#x} is not aligned to {} bytes", base, kBaseAlignment));

  d.version = kImageVersion;
  d.size = sizeof d;
  d.base = base;
  d.width = t.width;
  d.height = t.height;
  d.depth = t.depth;
  d.layers = t.layers;
  d.geometry = static_cast<std::uint8_t>(g);
  d.type = static_cast<std::uint8_t>(t.type);
  d.channels = static_cast<std::uint8_t>(t.channels);
  return d;
}

}  // namespace

unsigned texel_type_bytes(TexelType t) {
  switch (t) {
    case TexelType::f32:
    case TexelType::s32:
    case TexelType::u32:
      return 4;
    case TexelType::s16:
    case TexelType::u16:
    case TexelType::f16:
      return 2;
    case TexelType::s8:
    case TexelType::u8:
      return 1;
  }
  return 0;
}

bool well_formed(const ImageDescriptor& d, std::uint32_t magic) {
  const auto g = static_cast<Geometry>(d.geometry);
  if (d.magic != magic || d.version != kImageVersion || d.size != sizeof d) return false;
  if (g == Geometry::kNone || g > Geometry::acube) return false;
  if (texel_type_bytes(static_cast<TexelType>(d.type)) == 0) return false;
  if (d.channels != 1 && d.channels != 2 && d.channels != 4) return false;
  if (d.width == 0 || d.height == 0 || d.depth == 0 || d.layers == 0) return false;
  if (d.width > kMaxWidth || d.height > kMaxHeight || d.depth > kMaxDepth || d.layers > kMaxDepth)
    return false;
  if (d.pitch_bytes > kMaxPitch || d.slice_pitch_bytes > kMaxPitch) return false;
  if (d.filter > static_cast<std::uint8_t>(TextureFilter::kLinear)) return false;
  for (const std::uint8_t a : d.addressing)
    if (a > static_cast<std::uint8_t>(TextureAddressing::kMirror)) return false;
  return true;
}

std::uint32_t image_slices(const ImageDescriptor& d) {
  const auto g = static_cast<Geometry>(d.geometry);
  return is_cube(g) ? 6 * d.layers : g == Geometry::d3 ? d.depth : d.layers;
}

std::uint64_t image_bytes(const ImageDescriptor& d) {
  const std::uint64_t texel = texel_type_bytes(static_cast<TexelType>(d.type)) * std::uint64_t{d.channels};
  return (image_slices(d) - 1) * d.slice_pitch_bytes + (d.height - 1) * d.pitch_bytes + d.width * texel;
}

std::uint64_t image_bytes(const ImageLayout& layout) {
  return image_bytes(make_surface_descriptor("image", kBaseAlignment, layout));
}

ImageDescriptor make_texture_descriptor(const std::string& name, std::uint64_t base,
                                        const TextureDescription& t) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("texture '{}': {}", name, what));
  };
  ImageDescriptor d = make_image("texture", name, base, t);
  d.magic = kTextureMagic;
  if (t.normalised_values && (texel_type_bytes(t.type) == 4 || is_real(t.type)))
    fail("only integer texels of 8 and 16 bits can be read normalised");
  if (t.filter > TextureFilter::kLinear) fail("unknown filter");
  if (t.filter == TextureFilter::kLinear && !is_real(t.type) && !t.normalised_values)
    fail("linear filtering needs texels that are read as floating point: f32, f16 or normalised values");
  // Cubes are addressed by direction: what comes of it is normalised.
  d.normalised_coordinates = t.normalised_coordinates || is_cube(t.geometry);
  for (unsigned k = 0; k < 3; ++k) {
    const TextureAddressing a = t.addressing[k];
    if (a > TextureAddressing::kMirror) fail("unknown addressing mode");
    if (k < texel_dimensions(t.geometry) && !d.normalised_coordinates &&
        (a == TextureAddressing::kWrap || a == TextureAddressing::kMirror))
      fail("wrap and mirror addressing need normalised coordinates");
    d.addressing[k] = static_cast<std::uint8_t>(a);
  }
  d.normalised_values = t.normalised_values;
  d.filter = static_cast<std::uint8_t>(t.filter);
  return d;
}

ImageDescriptor make_surface_descriptor(const std::string& name, std::uint64_t base,
                                        const SurfaceDescription& t) {
  ImageDescriptor d = make_image("surface", name, base, t);
  d.magic = kSurfaceMagic;
  return d;
}

}  // namespace warpvp::ptx
