#include "sw/apps/compare.h"

#include <fmt/format.h>

namespace warpvp::apps {

std::string value_text(float value) { return fmt::format("{}", value); }
std::string value_text(double value) { return fmt::format("{}", value); }
std::string value_text(std::int64_t value) { return fmt::format("{}", value); }
std::string value_text(std::uint64_t value) { return fmt::format("{}", value); }

AppResult sizes_differ(const std::string& name, std::size_t got, std::size_t expected) {
  return {false, fmt::format("{} has {} elements, expected {}", name, got, expected)};
}

AppResult values_differ(const std::string& name, std::size_t first, const std::string& got,
                        const std::string& expected, std::size_t different, std::size_t size) {
  return {false, fmt::format("{}[{}] = {}, expected {} ({} of {} differ)", name, first, got, expected,
                             different, size)};
}

}  // namespace warpvp::apps
