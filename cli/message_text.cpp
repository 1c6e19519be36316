#include "cli/message_text.h"

#include <cctype>

namespace warpvp {

namespace {

constexpr std::size_t kMostQuoted = 80;
constexpr std::size_t kMostInWord = 80;
constexpr std::size_t kMostInPath = 300;
constexpr std::size_t kMost = 8192;
const char* const kCut = "...";

/// Bytes of the UTF-8 character at `at`; 0: it is none.
std::size_t character(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (bytes == 0 || first >= 0xf5) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return bytes;
}

/// A quotation mark, unlike an apostrophe, does not stand behind a letter.
bool opens(const std::string& text, std::size_t at) {
  return text[at] == '\'' && (at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1])));
}

}  // namespace

std::string message_text(const std::string& message) {
  std::string out;
  bool quoted = false;
  std::size_t in_quotes = 0, in_word = 0, most = kMostInWord;
  for (std::size_t at = 0; at < message.size();) {
    if (out.size() > kMost) return out + kCut;
    const std::size_t bytes = character(message, at);
    const char c = message[at];
    if (!quoted && opens(message, at)) {
      quoted = true;
      in_quotes = 0;
    } else if (quoted && c == '\'') {
      quoted = false;
    } else if (quoted && ++in_quotes > kMostQuoted) {
      if (in_quotes == kMostQuoted + 1) out += kCut;
      at += bytes == 0 ? 1 : bytes;
      continue;
    }
    in_word = quoted || c == ' ' ? 0 : in_word + 1;
    if (in_word <= 1) most = kMostInWord;
    if (c == '/' && in_word <= kMostInWord) most = kMostInPath;
    if (in_word > most) {
      if (in_word == most + 1) out += kCut;
    } else if (bytes == 0 || static_cast<unsigned char>(c) < ' ' || c == 0x7f) {
      out += '?';
    } else {
      out.append(message, at, bytes);
    }
    at += bytes == 0 ? 1 : bytes;
  }
  return out;
}

}  // namespace warpvp
