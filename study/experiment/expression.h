#pragma once
// Arithmetic over the values of a result: "kernels.0.ipc / 320", "(streams.0.response_cycles + $budget) / 2".

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpvp {

class Expression {
 public:
  /// The parts of a name `@AXIS=LABEL:KEY`.
  struct Elsewhere {
    std::string axis, label, key;
  };
  static Elsewhere elsewhere(const std::string& name);

  /// Numbers, keys of result.json, `$AXIS` (the label of the run on that axis), + - * /, brackets, and
  /// `min(a, b)`, `max(a, b)`, `abs(a)`, `log(a)` (natural), `figure(HEADING)` (a figure from elsewhere),
  /// `@AXIS=LABEL:KEY` (the key in the run that differs in that axis). A key with
  /// `*` for a list's index is the sum over the list. InputError, without a place, for anything else.
  static Expression parse(const std::string& text);

  const std::string& text() const { return text_; }
  /// The expression is one key and nothing more, whose value need not be a number.
  bool is_key() const {
    return steps_.size() == 1 && steps_[0].op == Op::kName &&
           text_.find_first_of("$@*(") == std::string::npos;
  }
  /// Keys, `$AXIS`, `@AXIS=LABEL:KEY` and, for figure(HEADING), `#HEADING` in it, in order of first mention.
  const std::vector<std::string>& names() const { return names_; }
  /// nullopt where a name has no number, for a division by zero, and for the logarithm of what is not
  /// positive.
  std::optional<double> evaluate(
      const std::function<std::optional<double>(const std::string&)>& number_of) const;

 private:
  enum class Op : std::uint8_t {
    kNumber,
    kName,
    kNegate,
    kAbs,
    kLog,  // of one operand or none
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kMin,
    kMax
  };
  struct Step {
    Op op;
    double number = 0;
    std::size_t name = 0;
  };
  class Parser;

  std::string text_;
  std::vector<std::string> names_;
  std::vector<Step> steps_;  ///< reverse Polish
};

}  // namespace warpvp
