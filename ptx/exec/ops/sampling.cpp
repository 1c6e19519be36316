#include "ptx/exec/ops/sampling.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace warpvp::ptx {
namespace {

constexpr std::int64_t kOutside = -1;
/// Fractions of coordinates have eight bits, and 1 can be represented (guide, "Linear Filtering").
constexpr double kOne = 256;

/// One dimension of a read: a texel, or two with the weight of the second.
struct Taps {
  std::int64_t index[2] = {0, 0};  ///< kOutside: the border
  double second = 0;               ///< in 1/256
};

float real(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

/// A coordinate as a position among the texels: the guide's x after the addressing modes that repeat the
/// texture. A NaN, and an infinity in a texture that repeats, count as 0. In double precision the product of
/// a float's 24 bits and a size's 28 is exact.
double position(double x, std::uint32_t size, bool normalised, TextureAddressing mode) {
  if (std::isnan(x)) return 0.0;
  if (!normalised) return x;
  if (mode == TextureAddressing::kWrap || mode == TextureAddressing::kMirror) {
    if (std::isinf(x)) x = 0.0;
    const double whole = std::floor(x);
    x -= whole;
    if (mode == TextureAddressing::kMirror && std::fmod(whole, 2.0) != 0.0) x = 1.0 - x;
  }
  return x * size;
}

std::int64_t inside(double i, std::uint32_t size, TextureAddressing mode) {
  const double last = static_cast<double>(size) - 1.0;
  if (mode == TextureAddressing::kBorder && (i < 0.0 || i > last)) return kOutside;
  return static_cast<std::int64_t>(std::min(std::max(i, 0.0), last));
}

Taps nearest(double x, std::uint32_t size, TextureAddressing mode) {
  Taps t;
  t.index[0] = inside(std::floor(x), size, mode);
  return t;
}

/// The two texels beside xB = x - 0.5. The fraction is rounded to the nearest multiple of 1/256, up from the
/// middle.
Taps linear(double x, std::uint32_t size, TextureAddressing mode, bool repeats) {
  const double moved = x - 0.5, below = std::floor(moved);
  Taps t;
  t.second = std::isinf(moved) ? 0.0 : std::floor((moved - below) * kOne + 0.5);
  if (mode == TextureAddressing::kWrap && repeats) {
    // `below` lies in [-1, size - 1].
    const auto i = static_cast<std::int64_t>(below);
    t.index[0] = i < 0 ? std::int64_t{size} - 1 : i;
    t.index[1] = i + 1 == std::int64_t{size} ? 0 : i + 1;
  } else {
    t.index[0] = inside(below, size, mode);
    t.index[1] = inside(below + 1.0, size, mode);
  }
  return t;
}

struct CubePlace {
  unsigned face;
  double s, t;
};

/// Guide, "Cubemap Textures": the face of the coordinate of greatest magnitude, and where on it. Of equal
/// ones z goes before y before x, which the guide leaves open.
CubePlace on_cube(double x, double y, double z) {
  const double ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  unsigned face;
  double m, s, t;
  if (az >= ax && az >= ay) {
    face = z < 0.0 ? 5 : 4;
    m = az;
    s = face == 4 ? x : -x;
    t = -y;
  } else if (ay >= ax) {
    face = y < 0.0 ? 3 : 2;
    m = ay;
    s = x;
    t = face == 2 ? z : -z;
  } else {
    face = x < 0.0 ? 1 : 0;
    m = ax;
    s = face == 0 ? -z : z;
    t = -y;
  }
  return {face, (s / m + 1.0) / 2.0, (t / m + 1.0) / 2.0};
}

std::int64_t integer_index(std::uint32_t bits, std::uint32_t size) {
  const std::int64_t i = static_cast<std::int32_t>(bits);
  return i >= 0 && i < std::int64_t{size} ? i : kOutside;
}

}  // namespace

Footprint texture_footprint(const ImageDescriptor& d, const TextureCoordinates& at, bool gather) {
  const auto geometry = static_cast<Geometry>(d.geometry);
  const unsigned dimensions = texel_dimensions(geometry);
  const std::uint32_t size[3] = {d.width, d.height, d.depth};
  const bool filtered =
      at.floats && (gather || static_cast<TextureFilter>(d.filter) == TextureFilter::kLinear);
  std::uint64_t slice = std::min(at.layer, d.layers - 1);
  double place[3] = {0, 0, 0};
  if (at.floats) {
    for (unsigned k = 0; k < 3; ++k) place[k] = real(at.bits[k]);
    if (is_cube(geometry)) {
      const CubePlace on = on_cube(place[0], place[1], place[2]);
      slice = slice * 6 + on.face;
      place[0] = on.s;
      place[1] = on.t;
    }
  }
  Taps taps[3];
  for (unsigned k = 0; k < dimensions; ++k) {
    if (!at.floats) {
      taps[k].index[0] = integer_index(at.bits[k], size[k]);
      continue;
    }
    const auto mode = static_cast<TextureAddressing>(d.addressing[k]);
    const bool normalised = d.normalised_coordinates != 0;
    const double x = position(place[k], size[k], normalised, mode);
    taps[k] = filtered ? linear(x, size[k], mode, normalised) : nearest(x, size[k], mode);
  }
  Footprint out;
  out.count = filtered ? 1u << dimensions : 1;
  for (unsigned corner = 0; corner < out.count; ++corner) {
    double weight = 1.0;
    std::int64_t index[3] = {0, 0, 0};
    bool outside = false;
    for (unsigned k = 0; k < dimensions; ++k) {
      const unsigned which = corner >> k & 1;
      index[k] = taps[k].index[which];
      outside |= index[k] == kOutside;
      weight *= (which != 0 ? taps[k].second : kOne - taps[k].second) / kOne;
    }
    out.weight[corner] = weight;
    out.address[corner] =
        outside ? Footprint::kBorder
                : texel_address(d, static_cast<std::uint64_t>(index[0]), static_cast<std::uint64_t>(index[1]),
                                dimensions == 3 ? static_cast<std::uint64_t>(index[2]) : slice);
  }
  return out;
}

}  // namespace warpvp::ptx
