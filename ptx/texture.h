#pragma once
// Textures: what the host binds to a `.texref`, and the descriptor of it that lies in device memory.
//
// A `.texref` is a variable of 64 bytes in global memory, zeros until the host binds memory to it. `tex`
// reads the descriptor when it executes, so a binding counts for everything launched after it.

#include <cstdint>
#include <string>

namespace warpvp::ptx {

/// Type of one channel of a texel.
enum class TexelType : std::uint8_t { f32, s32, u32, s16, u16, s8, u8 };
/// Bytes of one channel; 0 for what is no TexelType.
unsigned texel_type_bytes(TexelType t);

/// What a floating-point coordinate outside the texture means (CUDA Programming Guide, texture fetching).
enum class TextureAddressing : std::uint8_t {
  kClamp,   ///< the texel at the edge
  kBorder,  ///< a texel of zeros
  kWrap,    ///< the texture repeats; normalised coordinates only
  kMirror,  ///< it repeats, every second time reversed; normalised coordinates only
};
enum class TextureFilter : std::uint8_t { kPoint, kLinear };

/// How device memory is to be read as a texture: rows of texels, the first at the bound address.
struct TextureDescription {
  unsigned dimensions = 1;        ///< 1 or 2: tex.1d reads the one, tex.2d the other
  std::uint32_t width = 0;        ///< texels, 1 to 2^27
  std::uint32_t height = 1;       ///< rows; 1 for one dimension, else up to 2^17
  std::uint64_t pitch_bytes = 0;  ///< from row to row; 0: rows follow each other without gaps
  TexelType type = TexelType::f32;
  unsigned channels = 1;                ///< 1, 2 or 4
  bool normalised_values = false;       ///< 8 and 16 bits: read as floating point in [0, 1] or [-1, 1]
  bool normalised_coordinates = false;  ///< floating-point coordinates: [0, 1) is the whole texture
  TextureAddressing addressing[2] = {TextureAddressing::kClamp, TextureAddressing::kClamp};  ///< x, y
  TextureFilter filter = TextureFilter::kPoint;  ///< kLinear is refused
};

/// Device form of a bound texture, little-endian, at the address of the `.texref`.
struct TextureDescriptor {
  std::uint64_t base = 0;  ///< address of texel (0, 0); 0: nothing is bound
  std::uint64_t pitch_bytes = 0;
  std::uint32_t width = 0, height = 0;
  std::uint8_t dimensions = 0;
  std::uint8_t type = 0;      ///< a TexelType
  std::uint8_t channels = 0;  ///< 1, 2 or 4
  std::uint8_t normalised_values = 0, normalised_coordinates = 0;
  std::uint8_t addressing[2] = {0, 0};  ///< TextureAddressing for x and y
  std::uint8_t reserved[33] = {};
};
inline constexpr unsigned kTextureBytes = 64;
static_assert(sizeof(TextureDescriptor) == kTextureBytes, "a .texref has 64 bytes");

/// Bytes from the first texel to the end of the last.
std::uint64_t texture_bytes(const TextureDescriptor& d);

/// The descriptor of `description` over memory at `base`. Throws InputError "texture 'NAME': ..." for what is
/// inconsistent or not supported (linear filtering). Whether the memory is there is the caller's to check.
TextureDescriptor make_texture_descriptor(const std::string& name, std::uint64_t base,
                                          const TextureDescription& description);

}  // namespace warpvp::ptx
