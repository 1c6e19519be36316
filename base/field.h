#pragma once
// One configuration field as a record: what it is called, what it is and may be, and where its value lies.
// Whoever loads, prints, documents or tests configurations gets these (base/fields.h).

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpvp {

/// What a field accepts. Violations are reported as `value V: must be ALLOWED`.
struct Constraint {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool power_of_two = false;
  std::vector<std::string> one_of;  ///< for strings: the allowed words

  static Constraint any() { return {}; }
  static Constraint at_least(double v) {
    Constraint c;
    c.min = v;
    return c;
  }
  static Constraint range(double lo, double hi) {
    Constraint c;
    c.min = lo;
    c.max = hi;
    return c;
  }
  static Constraint pow2(double lo, double hi) {
    Constraint c = range(lo, hi);
    c.power_of_two = true;
    return c;
  }
  static Constraint words(std::vector<std::string> w) {
    Constraint c;
    c.one_of = std::move(w);
    return c;
  }

  /// A number lies in the range, and is a power of two where it has to be.
  bool holds(double value) const;
};

/// "a whole number, at least 1", "one of: a, b": what a constraint allows, in words. `type`: what it is at
/// all.
std::string describe_constraint(const Constraint& constraint, const char* type);

/// Shortest text that YAML reads back as the same value: ".inf", "0.1".
std::string print_double(double value);

/// What is pointed to outlives the record, which lives while its visitor looks at it.
struct Field {
  using Value = std::variant<bool*, std::uint32_t*, std::uint64_t*, std::int32_t*, double*, std::string*,
                             std::vector<std::uint32_t>*>;

  const char* key;   ///< in YAML
  Value value;       ///< the member, with its default or what has been read
  const char* unit;  ///< "" for pure numbers and words
  const char* doc;   ///< one sentence
  const Constraint& constraint;

  /// "a whole number", "a word", "true or false": what it is, or each item of a list.
  const char* type() const;
  /// What may be written, in words.
  std::string allowed() const;
  /// The value as YAML has it: "8", "[1, 2]".
  std::string text() const;
  bool is_list() const { return std::holds_alternative<std::vector<std::uint32_t>*>(value); }
  bool is_word() const { return std::holds_alternative<std::string*>(value); }
};

}  // namespace warpvp
