#pragma once
// Splits PTX text into tokens.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

enum class TokenKind : std::uint8_t {
  kIdentifier,   ///< names, mnemonics, %registers
  kDotted,       ///< .name, kept without its dot; may contain "::"
  kInteger,      ///< value in `bits`
  kSingle,       ///< 0f########: bits of an IEEE single
  kDouble,       ///< 0d################ or a decimal number: bits of an IEEE double
  kString,       ///< without its quotes
  kPunctuation,  ///< one of ( ) [ ] { } < > , ; : + - * / % & | ^ ~ ! ? = @ or << >> <= >= == != && ||
  kEnd,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  bool space_before = true;  ///< white space, a comment or the start of the text precedes it
  std::string_view text;     ///< points into the text given to `tokenize`
  std::uint64_t bits = 0;
  ir::Location where;
};

/// All tokens of `text`, ending with one kEnd. Throws InputError ("file:line:column: ...") at a character or
/// a number that PTX does not know.
std::vector<Token> tokenize(std::string_view text, const std::string& file);

/// Throws InputError "file:line:column: message".
[[noreturn]] void fail_at(const std::string& file, ir::Location where, const std::string& message);

}  // namespace warpvp::ptx
