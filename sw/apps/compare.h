#pragma once
// Comparison of a device result with its CPU reference.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "sw/apps/app.h"

namespace warpvp::apps {

/// What counts as equal. The default is the same bits; otherwise |got - expected| <= absolute + relative *
/// |expected|.
struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

template <class T>
bool same_value(T got, T expected, const Tolerance& tolerance) {
  if (std::memcmp(&got, &expected, sizeof(T)) == 0) return true;
  if constexpr (std::is_floating_point_v<T>) {
    if (tolerance.absolute == 0 && tolerance.relative == 0) return false;
    const double difference = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
    return difference <= tolerance.absolute + tolerance.relative * std::fabs(static_cast<double>(expected));
  }
  return false;
}

/// A value as messages show it: shortest decimal text that reads back as the same value.
std::string value_text(float value);
std::string value_text(double value);
std::string value_text(std::int64_t value);
std::string value_text(std::uint64_t value);
/// The messages of compare().
AppResult sizes_differ(const std::string& name, std::size_t got, std::size_t expected);
AppResult values_differ(const std::string& name, std::size_t first, const std::string& got,
                        const std::string& expected, std::size_t different, std::size_t size);

/// Verified, or the message "c[17] = 3, expected 4 (12 of 1024 differ)".
template <class T>
AppResult compare(const std::string& name, const std::vector<T>& got, const std::vector<T>& expected,
                  const Tolerance& tolerance = {}) {
  static_assert(std::is_arithmetic_v<T>);
  using Text = std::conditional_t<std::is_floating_point_v<T>, T,
                                  std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;
  if (got.size() != expected.size()) return sizes_differ(name, got.size(), expected.size());
  std::size_t first = 0, different = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (same_value(got[i], expected[i], tolerance)) continue;
    if (different++ == 0) first = i;
  }
  if (different == 0) return {true, ""};
  return values_differ(name, first, value_text(static_cast<Text>(got[first])),
                       value_text(static_cast<Text>(expected[first])), different, got.size());
}

}  // namespace warpvp::apps
