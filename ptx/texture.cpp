#include "ptx/texture.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warpvp::ptx {
namespace {

constexpr std::uint32_t kMaxWidth = 1u << 27, kMaxHeight = 1u << 17;
/// PTX ISA, `tex`: a texture's base address is aligned to 16 bytes.
constexpr std::uint64_t kBaseAlignment = 16;

}  // namespace

unsigned texel_type_bytes(TexelType t) {
  switch (t) {
    case TexelType::f32:
    case TexelType::s32:
    case TexelType::u32:
      return 4;
    case TexelType::s16:
    case TexelType::u16:
      return 2;
    case TexelType::s8:
    case TexelType::u8:
      return 1;
  }
  return 0;
}

std::uint64_t texture_bytes(const TextureDescriptor& d) {
  const std::uint64_t texel = texel_type_bytes(static_cast<TexelType>(d.type)) * std::uint64_t{d.channels};
  return (d.height - 1) * d.pitch_bytes + d.width * texel;
}

TextureDescriptor make_texture_descriptor(const std::string& name, std::uint64_t base,
                                          const TextureDescription& t) {
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("texture '{}': {}", name, what));
  };
  if (t.dimensions != 1 && t.dimensions != 2)
    fail(fmt::format("{} dimensions; allowed are 1 and 2", t.dimensions));
  if (t.width == 0 || t.width > kMaxWidth)
    fail(fmt::format("width is {}, allowed are 1 to {}", t.width, kMaxWidth));
  const std::uint32_t most_rows = t.dimensions == 1 ? 1 : kMaxHeight;
  if (t.height == 0 || t.height > most_rows)
    fail(fmt::format("height is {}, allowed are 1 to {}", t.height, most_rows));
  const unsigned channel = texel_type_bytes(t.type);
  if (channel == 0) fail("unknown type of texels");
  if (t.channels != 1 && t.channels != 2 && t.channels != 4)
    fail(fmt::format("{} channels; allowed are 1, 2 and 4", t.channels));
  if (t.normalised_values && channel == 4) fail("only texels of 8 and 16 bits can be read normalised");
  if (t.filter != TextureFilter::kPoint) fail("linear filtering is not supported; use point filtering");
  for (unsigned d = 0; d < t.dimensions; ++d) {
    const TextureAddressing a = t.addressing[d];
    if (a > TextureAddressing::kMirror) fail("unknown addressing mode");
    if ((a == TextureAddressing::kWrap || a == TextureAddressing::kMirror) && !t.normalised_coordinates)
      fail("wrap and mirror addressing need normalised coordinates");
  }
  const std::uint64_t texel = std::uint64_t{channel} * t.channels, row = t.width * texel;
  const std::uint64_t pitch = t.pitch_bytes == 0 ? row : t.pitch_bytes;
  if (pitch < row) fail(fmt::format("a pitch of {} bytes is less than a row of {}", pitch, row));
  if (pitch % texel != 0)
    fail(fmt::format("a pitch of {} bytes is not a multiple of a texel's {}", pitch, texel));
  if (pitch > std::uint64_t{1} << 40) fail(fmt::format("a pitch of {} bytes is more than 2^40", pitch));
  if (base == 0 || base % kBaseAlignment != 0)
    fail(fmt::format("{:#x} is not aligned to {} bytes", base, kBaseAlignment));

  TextureDescriptor d;
  d.base = base;
  d.pitch_bytes = pitch;
  d.width = t.width;
  d.height = t.height;
  d.dimensions = static_cast<std::uint8_t>(t.dimensions);
  d.type = static_cast<std::uint8_t>(t.type);
  d.channels = static_cast<std::uint8_t>(t.channels);
  d.normalised_values = t.normalised_values;
  d.normalised_coordinates = t.normalised_coordinates;
  for (unsigned k = 0; k < 2; ++k) d.addressing[k] = static_cast<std::uint8_t>(t.addressing[k]);
  return d;
}

}  // namespace warpvp::ptx
