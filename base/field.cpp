#include "base/field.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>

#include "base/registry.h"

namespace warpvp {

bool Constraint::holds(double value) const {
  if (!(value >= min && value <= max)) return false;
  if (!power_of_two) return true;
  const auto whole = static_cast<std::uint64_t>(value < 0 ? 0 : value);
  return whole != 0 && (whole & (whole - 1)) == 0;
}

std::string describe_constraint(const Constraint& c, const char* type) {
  if (!c.one_of.empty()) return "one of: " + join_names(c.one_of);
  std::string text = c.power_of_two ? "a power of two" : type;
  const bool low = c.min > -std::numeric_limits<double>::infinity();
  const bool high = c.max < std::numeric_limits<double>::infinity();
  if (low && high) {
    text += fmt::format(" from {} to {}", c.min, c.max);
  } else if (low) {
    text += fmt::format(", at least {}", c.min);
  } else if (high) {
    text += fmt::format(", at most {}", c.max);
  }
  return text;
}

std::string print_double(double value) {
  if (std::isnan(value)) return ".nan";
  if (std::isinf(value)) return value > 0 ? ".inf" : "-.inf";
  return fmt::format("{}", value);
}

const char* Field::type() const {
  static constexpr const char* kTypes[] = {"true or false",  "a whole number", "a whole number",
                                           "a whole number", "a number",       "a word",
                                           "a whole number"};
  return kTypes[value.index()];
}

std::string Field::allowed() const {
  return (is_list() ? "a list; each " : "") + describe_constraint(constraint, type());
}

std::string Field::text() const {
  return std::visit(
      [](const auto* v) -> std::string {
        using Type = std::decay_t<decltype(*v)>;
        if constexpr (std::is_same_v<Type, bool>) {
          return *v ? "true" : "false";
        } else if constexpr (std::is_same_v<Type, double>) {
          return print_double(*v);
        } else if constexpr (std::is_same_v<Type, std::string>) {
          return *v;
        } else if constexpr (std::is_integral_v<Type>) {
          return std::to_string(*v);
        } else {
          return fmt::format("[{}]", fmt::join(*v, ", "));
        }
      },
      value);
}

}  // namespace warpvp
