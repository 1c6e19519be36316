#pragma once
// Where in memory a texture read looks, and how much each texel counts (CUDA C++ Programming Guide, appendix
// "Texture Fetching"). Works on single texels, not on warps.

#include <cstdint>

#include "ptx/image/texture.h"

namespace warpvp::ptx {

/// The texels of one read, in the order of the guide's formulas: x fastest, then y, then z.
struct Footprint {
  static constexpr std::uint64_t kBorder = 0;  ///< in place of an address: a texel of zeros
  static constexpr unsigned kMost = 8;
  unsigned count = 0;  ///< 1; with linear filtering 2, 4 or 8
  std::uint64_t address[kMost];
  double weight[kMost];  ///< a multiple of 2^-24; they add up to 1
};

/// What one lane asks for; floats or words as `floats` says. Layers are in `layer` always.
struct TextureCoordinates {
  bool floats = false;
  std::uint32_t layer = 0;
  std::uint32_t bits[3] = {0, 0, 0};
};

/// Texels of a read. `gather`: the four that linear filtering in two dimensions would take, whatever the
/// filter. Integer coordinates name a texel, without filter and addressing mode: outside the image it is the
/// border. A layer beyond the last counts as the last.
Footprint texture_footprint(const ImageDescriptor& d, const TextureCoordinates& at, bool gather);

/// Address of a texel. The indices must lie inside the image.
inline std::uint64_t texel_address(const ImageDescriptor& d, std::uint64_t x, std::uint64_t y,
                                   std::uint64_t slice) {
  const std::uint64_t texel = texel_type_bytes(static_cast<TexelType>(d.type)) * std::uint64_t{d.channels};
  return d.base + slice * d.slice_pitch_bytes + y * d.pitch_bytes + x * texel;
}

}  // namespace warpvp::ptx
