#include "platform/config/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/registry.h"

namespace warpvp {

namespace {

constexpr std::uint64_t kMaxItems = 1'000'000;

using Scope = std::vector<std::pair<std::string, std::string>>;  // the last of a name counts

[[noreturn]] void fail(const Setting& at, const std::string& what) {
  throw InputError(fmt::format("{}: {}", at.place, what));
}

bool is_name(const std::string& word) {
  return !word.empty() && !std::isdigit(static_cast<unsigned char>(word[0])) &&
         std::all_of(word.begin(), word.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9007199254740992.0)
    return fmt::format("{}", static_cast<std::int64_t>(value));
  return print_double(value);
}

/// Arithmetic over variables, by recursive descent.
class Arithmetic {
 public:
  Arithmetic(const std::string& text, const Scope& scope, const Setting& at)
      : text_(text), scope_(scope), at_(at) {}

  double run() {
    const double value = sum();
    if (!rest().empty()) wrong();
    return value;
  }

 private:
  [[noreturn]] void wrong() const {
    fail(at_,
         fmt::format("'$({})' is wrong at '{}'; allowed: numbers, variables, + - * / %, brackets, min(a, b), "
                     "max(a, b), ceil(a), floor(a)",
                     text_, text_.substr(std::min(pos_, text_.size()))));
  }
  std::string rest() {
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
    return text_.substr(pos_);
  }
  bool accept(char c) {
    if (rest().empty() || text_[pos_] != c) return false;
    ++pos_;
    return true;
  }
  double divisor(double value) const {
    if (value == 0) fail(at_, fmt::format("'$({})' divides by zero", text_));
    return value;
  }
  double sum() {
    double value = product();
    while (true) {
      if (accept('+')) {
        value += product();
      } else if (accept('-')) {
        value -= product();
      } else {
        return value;
      }
    }
  }
  double product() {
    double value = factor();
    while (true) {
      if (accept('*')) {
        value *= factor();
      } else if (accept('/')) {
        value /= divisor(factor());
      } else if (accept('%')) {
        value = std::fmod(value, divisor(factor()));
      } else {
        return value;
      }
    }
  }
  double factor() {
    if (++depth_ > 100) fail(at_, "too many brackets within each other");
    const double value = bare_factor();
    --depth_;
    return value;
  }
  double bare_factor() {
    if (accept('-')) return -factor();
    if (accept('(')) {
      const double value = sum();
      if (!accept(')')) wrong();
      return value;
    }
    accept('$');
    rest();
    std::size_t end = pos_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_' || text_[end] == '.'))
      ++end;
    const std::string word = text_.substr(pos_, end - pos_);
    if (word.empty()) wrong();
    pos_ = end;
    double value = 0;
    std::uint64_t whole = 0;
    if (parse_unsigned(word, whole)) return static_cast<double>(whole);
    if (parse_double(word, value)) return value;
    if (accept('(')) return call(word);
    return variable(word);
  }
  double call(const std::string& function) {
    const double a = sum();
    double value = 0;
    if (function == "ceil") {
      value = std::ceil(a);
    } else if (function == "floor") {
      value = std::floor(a);
    } else if (function == "min" || function == "max") {
      if (!accept(',')) wrong();
      const double b = sum();
      value = function == "min" ? std::min(a, b) : std::max(a, b);
    } else {
      wrong();
    }
    if (!accept(')')) wrong();
    return value;
  }
  double variable(const std::string& name);

  const std::string& text_;
  const Scope& scope_;
  const Setting& at_;
  std::size_t pos_ = 0;
  int depth_ = 0;
};

const std::string& value_of(const std::string& name, const Scope& scope, const Setting& at) {
  for (std::size_t i = scope.size(); i-- > 0;)
    if (scope[i].first == name) return scope[i].second;
  std::vector<std::string> names;
  for (const auto& entry : scope) names.push_back(entry.first);
  const std::string near = nearest_name(name, names);
  fail(at, fmt::format("no variable '{}'{}; allowed: {}; a dollar sign itself is '$$'", name,
                       near.empty() ? "" : "; did you mean '" + near + "'?",
                       names.empty() ? "none" : join_names(names)));
}

double Arithmetic::variable(const std::string& name) {
  const std::string& text = value_of(name, scope_, at_);
  double value = 0;
  std::uint64_t whole = 0;
  if (parse_unsigned(text, whole)) return static_cast<double>(whole);
  if (!parse_double(text, value))
    fail(at_, fmt::format("variable '{}' is '{}', which is no number to compute with", name, text));
  return value;
}

std::string substituted(const Setting& scalar, const Scope& scope) {
  const std::string& text = scalar.text;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      out += text[at++];
      continue;
    }
    ++at;
    if (at < text.size() && text[at] == '$') {
      out += text[at++];
    } else if (at < text.size() && text[at] == '(') {
      int depth = 1;
      std::size_t end = at + 1;
      for (; end < text.size() && depth > 0; ++end) depth += (text[end] == '(') - (text[end] == ')');
      if (depth > 0) fail(scalar, fmt::format("'{}': a bracket is not closed", text));
      const std::string inner = text.substr(at + 1, end - at - 2);
      out += number_text(Arithmetic(inner, scope, scalar).run());
      at = end;
    } else {
      std::size_t end = at;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      if (end == at)
        fail(scalar,
             fmt::format("'{}': a name or an expression in brackets follows '$'; a dollar sign itself "
                         "is '$$'",
                         text));
      out += value_of(text.substr(at, end - at), scope, scalar);
      at = end;
    }
  }
  return out;
}

class Expansion {
 public:
  void expand(Setting& setting, const Scope& scope) {
    if (setting.is_scalar()) {
      if (setting.text.find('$') != std::string::npos) setting.text = substituted(setting, scope);
    } else if (setting.is_sequence()) {
      std::vector<Setting> items;
      for (Setting& item : setting.items) {
        if (item.is_mapping() && item.find("repeat")) {
          repeat(item, scope, items);
          continue;
        }
        expand(item, scope);
        add(items, std::move(item));
      }
      setting.items = std::move(items);
    } else {
      for (SettingEntry& entry : setting.entries) expand(entry.value, scope);
    }
  }

 private:
  void add(std::vector<Setting>& items, Setting item) {
    if (++items_ > kMaxItems) fail(item, fmt::format("more than {} items after repetition", kMaxItems));
    items.push_back(std::move(item));
  }

  void repeat(const Setting& item, const Scope& scope, std::vector<Setting>& out) {
    for (const SettingEntry& entry : item.entries)
      if (entry.key != "repeat" && entry.key != "as" && entry.key != "do")
        throw InputError(
            fmt::format("{}: unknown key '{}' beside 'repeat'; allowed: as, do", entry.key_place, entry.key));
    Setting count = *item.find("repeat");
    if (count.is_scalar()) expand(count, scope);
    std::uint64_t times = 0;
    if (!count.is_scalar() || !parse_unsigned(count.text, times) || times > kMaxItems)
      fail(count, fmt::format("'repeat' is '{}'; allowed: a whole number up to {}", count.text, kMaxItems));
    const Setting* name = item.find("as");
    if (name && (!name->is_scalar() || !is_name(name->text)))
      fail(*name, "'as' names the counter; allowed: letters, digits and '_', no digit first");
    const Setting* body = item.find("do");
    if (!body || !body->is_sequence()) fail(item, "'repeat' needs 'do', a list");
    for (std::uint64_t i = 0; i < times; ++i) {
      Scope inner = scope;
      if (name) inner.emplace_back(name->text, std::to_string(i));
      Setting copy = *body;
      expand(copy, inner);
      for (Setting& turn : copy.items) add(out, std::move(turn));
    }
  }

  std::uint64_t items_ = 0;
};

bool has_repetition(const Setting& setting) {
  const auto within = [](const Setting& s) { return has_repetition(s); };
  if (setting.is_mapping() && setting.find("repeat") && setting.find("do")) return true;
  return std::any_of(setting.items.begin(), setting.items.end(), within) ||
         std::any_of(setting.entries.begin(), setting.entries.end(),
                     [&](const SettingEntry& e) { return within(e.value); });
}

}  // namespace

void expand_variables(Setting& workload) {
  if (!workload.is_mapping() || workload.find("app")) return;
  const Setting* variables = workload.find("variables");
  if (!variables && !has_repetition(workload)) return;
  Scope scope;
  if (variables) {
    if (!variables->is_mapping()) fail(*variables, "'workload.variables' needs a mapping of names to values");
    for (const SettingEntry& entry : variables->entries) {
      if (!is_name(entry.key))
        throw InputError(
            fmt::format("{}: '{}' cannot be a variable; allowed: letters, digits and '_', no digit "
                        "first",
                        entry.key_place, entry.key));
      if (!entry.value.is_scalar())
        fail(entry.value, fmt::format("'workload.variables.{}' needs one number or word", entry.key));
      // Variables may use those above them.
      scope.emplace_back(entry.key, substituted(entry.value, scope));
    }
    workload.remove("variables");
  }
  Expansion().expand(workload, scope);
}

}  // namespace warpvp
