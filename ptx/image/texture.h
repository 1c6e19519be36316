#pragma once
// Textures and surfaces: how device memory is read and written as one, and the descriptor of it that lies in
// device memory.
//
// A handle (cudaTextureObject_t, cudaSurfaceObject_t) is the device address of a descriptor, or, where
// contexts have texture tables (CUsched, section III.B), the number of its place there. A `.texref` is a
// variable of the descriptor's size in global memory, zeros until the host binds memory to it. Texture and
// surface instructions read the descriptor when they execute.

#include <cstdint>
#include <string>

#include "ptx/image/geometry.h"

namespace warpvp::ptx {

/// Coordinates without the layer: a cube takes a direction of three.
constexpr unsigned spatial_coordinates(Geometry g) {
  switch (g) {
    case Geometry::d1:
    case Geometry::a1d:
      return 1;
    case Geometry::d2:
    case Geometry::a2d:
      return 2;
    case Geometry::d3:
    case Geometry::cube:
    case Geometry::acube:
      return 3;
    case Geometry::kNone:
      break;
  }
  return 0;
}
constexpr bool has_layers(Geometry g) {
  return g == Geometry::a1d || g == Geometry::a2d || g == Geometry::acube;
}
constexpr bool is_cube(Geometry g) { return g == Geometry::cube || g == Geometry::acube; }
/// Dimensions of one texel array, in which filtering takes place: a face of a cube has two.
constexpr unsigned texel_dimensions(Geometry g) { return is_cube(g) ? 2 : spatial_coordinates(g); }

/// Type of one channel of a texel. f16 is read as single precision.
enum class TexelType : std::uint8_t { f32, s32, u32, s16, u16, s8, u8, f16 };
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

/// How texels lie in device memory: rows of them, rows in slices, the first texel at the image's address. A
/// slice is a z of a 3-D image, a layer, or a face of a cube (six each, +x -x +y -y +z -z). Surfaces have no
/// more.
struct ImageLayout {
  Geometry geometry = Geometry::d1;
  std::uint32_t width = 0;              ///< texels, 1 to 2^27
  std::uint32_t height = 1;             ///< rows; 1 for one dimension, the width for cubes, else up to 2^17
  std::uint32_t depth = 1;              ///< of d3, up to 2^14; 1 for all others
  std::uint32_t layers = 1;             ///< of a1d, a2d and acube (in cubes), up to 2^14; 1 for all others
  std::uint64_t pitch_bytes = 0;        ///< from row to row; 0: rows follow each other without gaps
  std::uint64_t slice_pitch_bytes = 0;  ///< from slice to slice; 0: likewise
  TexelType type = TexelType::f32;
  unsigned channels = 1;  ///< 1, 2 or 4
};
using SurfaceDescription = ImageLayout;

/// How an image is to be read as a texture.
struct TextureDescription : ImageLayout {
  bool normalised_values = false;       ///< 8 and 16 bits: read as floating point in [0, 1] or [-1, 1]
  bool normalised_coordinates = false;  ///< floating-point coordinates: [0, 1) is the whole texture
  TextureAddressing addressing[3] = {TextureAddressing::kClamp, TextureAddressing::kClamp,
                                     TextureAddressing::kClamp};  ///< x, y, z
  TextureFilter filter = TextureFilter::kPoint;  ///< kLinear: only what is read as floating point
};

/// Device form, little-endian.
struct ImageDescriptor {
  std::uint32_t magic = 0;  ///< kTextureMagic or kSurfaceMagic; all zeros: a .texref without memory
  std::uint16_t version = 0, size = 0;  ///< of this struct
  std::uint64_t base = 0;               ///< address of the first texel
  std::uint64_t pitch_bytes = 0, slice_pitch_bytes = 0;
  std::uint32_t width = 0, height = 0, depth = 0, layers = 0;
  std::uint8_t geometry = 0;  ///< a Geometry
  std::uint8_t type = 0;      ///< a TexelType
  std::uint8_t channels = 0;  ///< 1, 2 or 4
  std::uint8_t normalised_values = 0, normalised_coordinates = 0;
  std::uint8_t filter = 0;                 ///< a TextureFilter
  std::uint8_t addressing[3] = {0, 0, 0};  ///< TextureAddressing for x, y, z
  std::uint8_t reserved[7] = {};
};
inline constexpr std::uint32_t kTextureMagic = 0x54585657, kSurfaceMagic = 0x53585657;  // "WVXT", "WVXS"
inline constexpr std::uint16_t kImageVersion = 2;
inline constexpr unsigned kTextureBytes = 64;
/// Descriptors of a context's texture table. Handle 0 names none.
inline constexpr std::uint64_t kTextureTableEntries = 1024;
static_assert(sizeof(ImageDescriptor) == kTextureBytes, "a .texref has 64 bytes");

/// Whether all fields are in their ranges, so that reading through the descriptor can do no harm but address
/// memory that is not there. `magic`: kTextureMagic or kSurfaceMagic.
bool well_formed(const ImageDescriptor& d, std::uint32_t magic);

/// Number of slices (see ImageLayout).
std::uint32_t image_slices(const ImageDescriptor& d);
/// Bytes from the first texel to the end of the last.
std::uint64_t image_bytes(const ImageDescriptor& d);

/// The descriptor of `description` over memory at `base`. Throws InputError "texture 'NAME': ..." for what is
/// inconsistent. Whether the memory is there is the caller's to check.
ImageDescriptor make_texture_descriptor(const std::string& name, std::uint64_t base,
                                        const TextureDescription& description);
/// The same for a surface ("surface 'NAME': ...").
ImageDescriptor make_surface_descriptor(const std::string& name, std::uint64_t base,
                                        const SurfaceDescription& description);
/// Bytes of memory an image takes. Throws InputError as make_surface_descriptor, with the name "image".
std::uint64_t image_bytes(const ImageLayout& layout);

}  // namespace warpvp::ptx
