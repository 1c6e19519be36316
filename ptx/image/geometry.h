#pragma once
// Shapes of textures and surfaces.

#include <cstdint>

namespace warpvp::ptx {

/// Shape of a texture or surface; `a`: an array of layers. acube: an array of cubes.
enum class Geometry : std::uint8_t { kNone, d1, d2, d3, a1d, a2d, cube, acube };

}  // namespace warpvp::ptx
