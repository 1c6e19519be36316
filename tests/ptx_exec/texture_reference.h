#pragma once
// What a texture read gives, written a second time: one read at a time, from the formulas of the CUDA C++
// Programming Guide ("Texture Fetching", "Cubemap Textures"), sharing nothing with ptx/exec.

#include <array>
#include <cmath>
#include <cstdint>
#include <functional>

#include "ptx/image/texture.h"

namespace warpvp::ptx::testing {

struct ReferenceTexture {
  Geometry geometry = Geometry::d1;
  int size[3] = {1, 1, 1};
  int layers = 1;
  TextureAddressing mode[3] = {};
  bool normalised = false, linear = false;
  /// Channel values of the texel (x, y, slice) inside the image.
  std::function<std::array<double, 4>(int, int, int)> texel;
};

class ReferenceReader {
 public:
  explicit ReferenceReader(const ReferenceTexture& t) : t_(t) {}

  /// tex with floating-point coordinates.
  std::array<double, 4> read(const float (&coordinate)[3], std::uint32_t layer) {
    place(coordinate, layer);
    std::array<double, 4> out{};
    const int d = dimensions();
    if (!t_.linear) {
      const int i = static_cast<int>(floor_in(x_[0], 0)),
                j = d > 1 ? static_cast<int>(floor_in(x_[1], 1)) : 0;
      return fetch(i, j, d > 2 ? static_cast<int>(floor_in(x_[2], 2)) : 0);
    }
    int i[3] = {0, 0, 0};
    double a[3] = {0, 0, 0};
    for (int k = 0; k < d; ++k) split(x_[k], i[k], a[k]);
    const auto T = [&](int dx, int dy, int dz) { return fetch(i[0] + dx, i[1] + dy, i[2] + dz); };
    const double A = a[0], B = a[1], C = a[2];
    for (std::size_t c = 0; c < 4; ++c) {
      if (d == 1)
        out[c] = (1 - A) * T(0, 0, 0)[c] + A * T(1, 0, 0)[c];
      else if (d == 2)
        out[c] = (1 - A) * (1 - B) * T(0, 0, 0)[c] + A * (1 - B) * T(1, 0, 0)[c] +
                 (1 - A) * B * T(0, 1, 0)[c] + A * B * T(1, 1, 0)[c];
      else
        out[c] = (1 - A) * (1 - B) * (1 - C) * T(0, 0, 0)[c] + A * (1 - B) * (1 - C) * T(1, 0, 0)[c] +
                 (1 - A) * B * (1 - C) * T(0, 1, 0)[c] + A * B * (1 - C) * T(1, 1, 0)[c] +
                 (1 - A) * (1 - B) * C * T(0, 0, 1)[c] + A * (1 - B) * C * T(1, 0, 1)[c] +
                 (1 - A) * B * C * T(0, 1, 1)[c] + A * B * C * T(1, 1, 1)[c];
    }
    return out;
  }

  /// tld4 of channel c: counter-clockwise from the lower left.
  std::array<double, 4> gather(const float (&coordinate)[3], std::uint32_t layer, std::size_t c) {
    place(coordinate, layer);
    int i, j;
    double unused;
    split(x_[0], i, unused);
    split(x_[1], j, unused);
    return {fetch(i, j + 1, 0)[c], fetch(i + 1, j + 1, 0)[c], fetch(i + 1, j, 0)[c], fetch(i, j, 0)[c]};
  }

 private:
  int dimensions() const {
    switch (t_.geometry) {
      case Geometry::d1:
      case Geometry::a1d:
        return 1;
      case Geometry::d3:
        return 3;
      default:
        return 2;
    }
  }
  void place(const float (&coordinate)[3], std::uint32_t layer) {
    double c[3] = {coordinate[0], coordinate[1], coordinate[2]};
    const bool array =
        t_.geometry == Geometry::a1d || t_.geometry == Geometry::a2d || t_.geometry == Geometry::acube;
    slice_ = !array ? 0 : layer < static_cast<unsigned>(t_.layers) ? static_cast<int>(layer) : t_.layers - 1;
    bool normalised = t_.normalised;
    if (t_.geometry == Geometry::cube || t_.geometry == Geometry::acube) {
      normalised = true;
      double m, s, t;
      int face;
      const double x = c[0], y = c[1], z = c[2], X = std::fabs(x), Y = std::fabs(y), Z = std::fabs(z);
      if (X > Y && X > Z) {
        face = x >= 0 ? 0 : 1, m = x >= 0 ? x : -x, s = x >= 0 ? -z : z, t = -y;
      } else if (Y > X && Y > Z) {
        face = y >= 0 ? 2 : 3, m = y >= 0 ? y : -y, s = x, t = y >= 0 ? z : -z;
      } else {
        face = z >= 0 ? 4 : 5, m = z >= 0 ? z : -z, s = z >= 0 ? x : -x, t = -y;
      }
      c[0] = (s / m + 1) / 2;
      c[1] = (t / m + 1) / 2;
      slice_ = 6 * slice_ + face;
    }
    for (int k = 0; k < dimensions(); ++k) {
      double x = c[k];
      if (normalised) {
        if (t_.mode[k] == TextureAddressing::kWrap) x = x - std::floor(x);
        if (t_.mode[k] == TextureAddressing::kMirror) {
          const double whole = std::floor(x), fraction = x - whole;
          x = std::fmod(std::fabs(whole), 2.0) == 0 ? fraction : 1 - fraction;
        }
        x *= t_.size[k];
      }
      x_[k] = x;
    }
  }
  double floor_in(double x, int k) const {
    // Coordinates far outside are clamped to one outside, so that they fit an int.
    const double i = std::floor(x);
    const bool repeats = t_.mode[k] == TextureAddressing::kWrap || t_.mode[k] == TextureAddressing::kMirror;
    if (repeats && i == t_.size[k]) return i - 1;
    return std::fmin(std::fmax(i, -1.0), static_cast<double>(t_.size[k]));
  }
  static void split(double x, int& i, double& a) {
    const double b = std::fmin(std::fmax(x, -1e6), 1e6) - 0.5;
    i = static_cast<int>(std::floor(b));
    a = static_cast<double>(std::floor((b - std::floor(b)) * 256 + 0.5)) / 256;
  }
  std::array<double, 4> fetch(int i, int j, int k) const {
    int index[3] = {i, j, k};
    for (int d = 0; d < dimensions(); ++d) {
      const int n = t_.size[d];
      if (index[d] >= 0 && index[d] < n) continue;
      if (t_.mode[d] == TextureAddressing::kBorder) return {};
      if (t_.mode[d] == TextureAddressing::kWrap)
        index[d] = (index[d] % n + n) % n;
      else
        index[d] = index[d] < 0 ? 0 : n - 1;
    }
    return t_.texel(index[0], index[1], dimensions() == 3 ? index[2] : slice_);
  }

  ReferenceTexture t_;
  double x_[3] = {0, 0, 0};
  int slice_ = 0;
};

}  // namespace warpvp::ptx::testing
