#include "study/experiment/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/error.h"
#include "platform/config/setting.h"

namespace warpvp {

class Expression::Parser {
 public:
  explicit Parser(Expression& e) : e_(e), text_(e.text_) {}

  void parse() {
    sum();
    blanks();
    if (at_ != text_.size()) fail("an operator");
  }

 private:
  [[noreturn]] void fail(const char* wanted) const {
    const std::string rest = text_.substr(at_);
    throw InputError(fmt::format("'{}': {} instead of {}", text_,
                                 rest.empty() ? "the end" : fmt::format("'{}'", rest), wanted));
  }
  void blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    blanks();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void emit(Op op) { e_.steps_.push_back({op}); }

  void sum() {
    product();
    while (true) {
      if (take('+')) {
        product();
        emit(Op::kAdd);
      } else if (take('-')) {
        product();
        emit(Op::kSubtract);
      } else {
        return;
      }
    }
  }
  void product() {
    factor();
    while (true) {
      if (take('*')) {
        factor();
        emit(Op::kMultiply);
      } else if (take('/')) {
        factor();
        emit(Op::kDivide);
      } else {
        return;
      }
    }
  }
  void factor() {
    if (take('-')) {
      factor();
      emit(Op::kNegate);
    } else if (take('(')) {
      sum();
      if (!take(')')) fail("')'");
    } else {
      blanks();
      const char c = at_ < text_.size() ? text_[at_] : '\0';
      if (std::isdigit(static_cast<unsigned char>(c))) {
        number();
      } else if (std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '@') {
        name();
      } else {
        fail("a number, a key or '('");
      }
    }
  }
  void number() {
    std::size_t end = at_;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '.'))
      ++end;
    Step step{Op::kNumber};
    if (!parse_double(text_.substr(at_, end - at_), step.number)) fail("a number");
    e_.steps_.push_back(step);
    at_ = end;
  }
  void name() {
    std::size_t end = at_ + 1;
    if (text_[at_] == '@') {  // the label may hold any character but the colon
      const std::size_t equals = text_.find('=', at_);
      const std::size_t colon = text_.find(':', at_);
      if (equals == std::string::npos || colon == std::string::npos || equals > colon)
        fail("'@AXIS=LABEL:KEY'");
      end = colon + 1;
    }
    for (; end < text_.size(); ++end) {
      const char c = text_[end];
      if (c == '[') {  // the condition may hold any character
        end = std::min(text_.find(']', end), text_.size() - 1);
      } else if (c == '*' && text_[end - 1] == '.') {  // every item of a list, not a product
        continue;
      } else if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.') {
        break;
      }
    }
    const std::string word = text_.substr(at_, end - at_);
    if (end < text_.size() && text_[end] == '(' && call(word, end)) return;
    add_name(word);
    at_ = end;
  }
  /// A function, whose bracket is at `open`; false if none is called so.
  bool call(const std::string& word, std::size_t open) {
    if (word == "figure") {
      const std::size_t close = text_.find(')', open);
      at_ = open + 1;
      if (close == std::string::npos || close == at_) fail("'HEADING)'");
      add_name("#" + text_.substr(at_, close - at_));
      at_ = close + 1;
      return true;
    }
    struct Function {
      const char* name;
      unsigned operands;
      Op op;
    };
    for (const Function& f : {Function{"min", 2, Op::kMin}, Function{"max", 2, Op::kMax},
                              Function{"abs", 1, Op::kAbs}, Function{"log", 1, Op::kLog}}) {
      if (word != f.name) continue;
      at_ = open + 1;
      sum();
      for (unsigned i = 1; i < f.operands; ++i) {
        if (!take(',')) fail("','");
        sum();
      }
      if (!take(')')) fail("')'");
      emit(f.op);
      return true;
    }
    return false;
  }
  void add_name(const std::string& word) {
    const auto known = std::find(e_.names_.begin(), e_.names_.end(), word);
    Step step{Op::kName};
    step.name = static_cast<std::size_t>(known - e_.names_.begin());
    if (known == e_.names_.end()) e_.names_.push_back(word);
    e_.steps_.push_back(step);
  }

  Expression& e_;
  const std::string& text_;
  std::size_t at_ = 0;
};

Expression::Elsewhere Expression::elsewhere(const std::string& name) {
  const std::size_t equals = name.find('=');
  const std::size_t colon = name.find(':');
  return {name.substr(1, equals - 1), name.substr(equals + 1, colon - equals - 1), name.substr(colon + 1)};
}

Expression Expression::parse(const std::string& text) {
  Expression e;
  e.text_ = text;
  Parser(e).parse();
  return e;
}

std::optional<double> Expression::evaluate(
    const std::function<std::optional<double>(const std::string&)>& number_of) const {
  std::vector<double> stack;
  for (const Step& step : steps_) {
    if (step.op == Op::kNumber) {
      stack.push_back(step.number);
    } else if (step.op == Op::kName) {
      const std::optional<double> number = number_of(names_[step.name]);
      if (!number) return std::nullopt;
      stack.push_back(*number);
    } else if (step.op == Op::kNegate) {
      stack.back() = -stack.back();
    } else if (step.op == Op::kAbs) {
      stack.back() = std::fabs(stack.back());
    } else if (step.op == Op::kLog) {
      if (!(stack.back() > 0)) return std::nullopt;
      stack.back() = std::log(stack.back());
    } else {
      const double b = stack.back();
      stack.pop_back();
      double& a = stack.back();
      if (step.op == Op::kDivide && b == 0) return std::nullopt;
      switch (step.op) {
        case Op::kAdd:
          a += b;
          break;
        case Op::kSubtract:
          a -= b;
          break;
        case Op::kMultiply:
          a *= b;
          break;
        case Op::kDivide:
          a /= b;
          break;
        case Op::kMin:
          a = std::min(a, b);
          break;
        default:
          a = std::max(a, b);
      }
    }
  }
  return stack.back();
}

}  // namespace warpvp
