#include "ptx/lexer.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace warpvp::ptx {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}
bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::size_t kMaxTokenBytes = 64 * 1024;

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(text_.size() / 4 + 1);
    for (;;) {
      const std::size_t before = at_;
      skip_blank();
      Token t;
      t.space_before = at_ != before || at_ == 0;
      t.where = {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
      if (at_ >= text_.size()) {
        tokens.push_back(t);
        return tokens;
      }
      const std::size_t begin = at_;
      lex(t);
      if (at_ - begin > kMaxTokenBytes)
        fail(t, fmt::format("a word of {} bytes; allowed: at most {}", at_ - begin, kMaxTokenBytes));
      if (t.kind != TokenKind::kString && t.kind != TokenKind::kDotted)
        t.text = text_.substr(begin, at_ - begin);
      tokens.push_back(t);
    }
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  [[noreturn]] void fail(const Token& t, const std::string& message) const {
    fail_at(file_, t.where, message);
  }

  void advance() {
    if (text_[at_] == '\n') {
      ++line_;
      line_start_ = at_ + 1;
    }
    ++at_;
  }

  void skip_blank() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c))) {
        advance();
      } else if (c == '/' && peek(1) == '/') {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (c == '/' && peek(1) == '*') {
        const ir::Location where{line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)};
        at_ += 2;
        while (!(peek() == '*' && peek(1) == '/')) {
          if (at_ >= text_.size()) fail_at(file_, where, "comment is not closed; expected '*/'");
          advance();
        }
        at_ += 2;
      } else {
        return;
      }
    }
  }

  void lex(Token& t) {
    const char c = peek();
    if (starts_name(c) && (c != '%' || starts_name(peek(1)))) {
      ++at_;
      while (in_name(peek())) ++at_;
      t.kind = TokenKind::kIdentifier;
    } else if (c == '.' && (in_name(peek(1)) && (!is_digit(peek(1)) || is_dimension()))) {
      ++at_;
      const std::size_t begin = at_;
      for (;;) {
        while (in_name(peek())) ++at_;
        if (peek() == ':' && peek(1) == ':' && in_name(peek(2))) {
          at_ += 2;
        } else {
          break;
        }
      }
      t.kind = TokenKind::kDotted;
      t.text = text_.substr(begin, at_ - begin);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number(t);
    } else if (c == '"') {
      string(t);
    } else {
      punctuation(t);
    }
  }

  // ".1d", ".2dms" and the like are suffixes of texture instructions, not numbers.
  bool is_dimension() const {
    if (peek(1) < '1' || peek(1) > '3' || peek(2) != 'd') return false;
    return !in_name(peek(3)) || (peek(3) == 'm' && peek(4) == 's' && !in_name(peek(5)));
  }

  void number(Token& t) {
    const std::size_t begin = at_;
    if (peek() == '0' && std::strchr("fFdD", peek(1)) && peek(1) != '\0' &&
        std::isxdigit(static_cast<unsigned char>(peek(2)))) {
      const bool single = peek(1) == 'f' || peek(1) == 'F';
      const unsigned digits = single ? 8 : 16;
      at_ += 2;
      const std::size_t first = at_;
      while (std::isxdigit(static_cast<unsigned char>(peek()))) ++at_;
      if (at_ - first != digits || in_name(peek())) {
        fail(t, fmt::format("hexadecimal floating-point constant needs exactly {} digits after '{}'", digits,
                            text_.substr(begin, 2)));
      }
      t.bits = std::strtoull(std::string(text_.substr(first, digits)).c_str(), nullptr, 16);
      t.kind = single ? TokenKind::kSingle : TokenKind::kDouble;
      return;
    }
    if (peek() == '0' && std::strchr("xXbB", peek(1)) && peek(1) != '\0') {
      const unsigned base = (peek(1) == 'x' || peek(1) == 'X') ? 16 : 2;
      at_ += 2;
      integer(t, base);
      return;
    }
    std::size_t scan = at_;
    while (is_digit(peek(scan - at_))) ++scan;
    const char next = peek(scan - at_);
    if (next == '.' ? !in_name(peek(scan - at_ + 1)) || is_digit(peek(scan - at_ + 1))
                    : (next == 'e' || next == 'E')) {
      decimal(t);
      return;
    }
    const bool octal = peek() == '0' && is_digit(peek(1));
    if (octal) ++at_;
    integer(t, octal ? 8 : 10);
  }

  void decimal(Token& t) {
    const std::size_t begin = at_;
    while (is_digit(peek())) ++at_;
    if (peek() == '.') ++at_;
    while (is_digit(peek())) ++at_;
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!is_digit(peek())) fail(t, "exponent of a decimal number needs a digit");
      while (is_digit(peek())) ++at_;
    }
    if (in_name(peek())) fail(t, "malformed decimal number");
    const double value = std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    std::memcpy(&t.bits, &value, sizeof value);
    t.kind = TokenKind::kDouble;
  }

  void integer(Token& t, unsigned base) {
    std::uint64_t value = 0;
    bool any = base == 8, overflow = false;
    for (;; ++at_) {
      const char c = peek();
      unsigned digit = 99;
      if (is_digit(c))
        digit = static_cast<unsigned>(c - '0');
      else if (c >= 'a' && c <= 'f')
        digit = static_cast<unsigned>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        digit = static_cast<unsigned>(c - 'A' + 10);
      if (digit >= base) break;
      overflow |= __builtin_mul_overflow(value, static_cast<std::uint64_t>(base), &value);
      overflow |= __builtin_add_overflow(value, static_cast<std::uint64_t>(digit), &value);
      any = true;
    }
    if (peek() == 'U') ++at_;
    if (!any || in_name(peek())) fail(t, "malformed integer constant");
    if (overflow) fail(t, "integer constant does not fit 64 bits");
    t.bits = value;
    t.kind = TokenKind::kInteger;
  }

  void string(Token& t) {
    ++at_;
    const std::size_t begin = at_;
    while (peek() != '"') {
      if (at_ >= text_.size() || peek() == '\n') fail(t, "string is not closed; expected '\"'");
      if (peek() == '\\' && at_ + 1 < text_.size() && peek(1) != '\n') ++at_;
      ++at_;
    }
    t.kind = TokenKind::kString;
    t.text = text_.substr(begin, at_ - begin);
    ++at_;
  }

  void punctuation(Token& t) {
    static const char* const kDouble[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    t.kind = TokenKind::kPunctuation;
    for (const char* two : kDouble) {
      if (peek() == two[0] && peek(1) == two[1]) {
        at_ += 2;
        return;
      }
    }
    const char c = peek();
    if (c != '\0' && std::strchr("()[]{}<>,;:+-*/%&|^~!?=@", c)) {
      ++at_;
      return;
    }
    if (c >= ' ' && c < 127) fail(t, fmt::format("unexpected character '{}'", c));
    fail(t, fmt::format("unexpected byte 0x{:02x}; PTX is ASCII text", static_cast<unsigned char>(c)));
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_start_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

std::vector<Token> tokenize(std::string_view text, const std::string& file) {
  return Lexer(text, file).run();
}

void fail_at(const std::string& file, ir::Location where, const std::string& message) {
  throw InputError(fmt::format("{}:{}:{}: {}", file, where.line, where.column, message));
}

}  // namespace warpvp::ptx
