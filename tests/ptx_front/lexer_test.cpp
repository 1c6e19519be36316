#include "ptx/lexer.h"

#include <cstring>

#include "support.h"

namespace warpvp::ptx {
namespace {

std::vector<Token> lex(const std::string& text) {
  static std::vector<std::string> kept;  // tokens point into the text
  kept.push_back(text);
  return tokenize(kept.back(), "t.ptx");
}

std::string lex_error(const std::string& text) {
  try {
    tokenize(text, "t.ptx");
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Lexer, SplitsAnInstruction) {
  const std::vector<Token> t = lex("@!%p1 ld.global.v2.f32 {%f1, _}, [%rd4+-8]; // comment\n");
  const std::vector<std::string> want = {"@", "!", "%p1", "ld",   "global", "v2", "f32", "{", "%f1", ",", "_",
                                         "}", ",", "[",   "%rd4", "+",      "-",  "8",   "]", ";",   ""};
  ASSERT_EQ(t.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) EXPECT_EQ(t[i].text, want[i]) << i;
  EXPECT_EQ(t[4].kind, TokenKind::kDotted);
  EXPECT_FALSE(t[4].space_before);
  EXPECT_TRUE(t[3].space_before);
  EXPECT_EQ(t.back().kind, TokenKind::kEnd);
}

TEST(Lexer, CountsLinesAndColumnsAcrossComments) {
  const std::vector<Token> t = lex("a /* x\n y */ b\n  c // d\ne");
  ASSERT_EQ(t.size(), 5u);
  EXPECT_EQ(t[1].where.line, 2u);
  EXPECT_EQ(t[1].where.column, 7u);
  EXPECT_EQ(t[2].where.line, 3u);
  EXPECT_EQ(t[2].where.column, 3u);
  EXPECT_EQ(t[3].where.line, 4u);
}

TEST(Lexer, Numbers) {
  const struct {
    const char* text;
    TokenKind kind;
    std::uint64_t bits;
  } cases[] = {
      {"0", TokenKind::kInteger, 0},
      {"42U", TokenKind::kInteger, 42},
      {"0x1fU", TokenKind::kInteger, 31},
      {"0777", TokenKind::kInteger, 511},
      {"0b1011", TokenKind::kInteger, 11},
      {"18446744073709551615", TokenKind::kInteger, ~0ull},
      {"0f3F800000", TokenKind::kSingle, 0x3f800000},
      {"0Fbf800000", TokenKind::kSingle, 0xbf800000},
      {"0d3FF0000000000000", TokenKind::kDouble, 0x3ff0000000000000},
      {"1.5", TokenKind::kDouble, 0x3ff8000000000000},
      {".5", TokenKind::kDouble, 0x3fe0000000000000},
      {"2e1", TokenKind::kDouble, 0x4034000000000000},
      {"1.", TokenKind::kDouble, 0x3ff0000000000000},
      {"25e-2", TokenKind::kDouble, 0x3fd0000000000000},
  };
  for (const auto& c : cases) {
    const std::vector<Token> t = lex(c.text);
    ASSERT_EQ(t.size(), 2u) << c.text;
    EXPECT_EQ(t[0].kind, c.kind) << c.text;
    EXPECT_EQ(t[0].bits, c.bits) << c.text;
  }
}

TEST(Lexer, DottedNamesKeepQualifiers) {
  const std::vector<Token> t = lex("ld.shared::cta.L2::128B.u32 tex.1d.v4");
  EXPECT_EQ(t[1].text, "shared::cta");
  EXPECT_EQ(t[2].text, "L2::128B");
  EXPECT_EQ(t[5].text, "1d");
  EXPECT_EQ(t[5].kind, TokenKind::kDotted);
}

TEST(Lexer, Errors) {
  EXPECT_EQ(lex_error("ab\n  `"), "t.ptx:2:3: unexpected character '`'");
  EXPECT_EQ(lex_error("\x80"), "t.ptx:1:1: unexpected byte 0x80; PTX is ASCII text");
  EXPECT_EQ(lex_error("x /* y"), "t.ptx:1:3: comment is not closed; expected '*/'");
  EXPECT_EQ(lex_error("\"abc\n"), "t.ptx:1:1: string is not closed; expected '\"'");
  EXPECT_EQ(lex_error(" 0f3F80000"),
            "t.ptx:1:2: hexadecimal floating-point constant needs exactly 8 digits after '0f'");
  EXPECT_EQ(lex_error("18446744073709551616"), "t.ptx:1:1: integer constant does not fit 64 bits");
  EXPECT_EQ(lex_error("0x"), "t.ptx:1:1: malformed integer constant");
  EXPECT_EQ(lex_error("12ab"), "t.ptx:1:1: malformed integer constant");
  EXPECT_EQ(lex_error("1e"), "t.ptx:1:1: exponent of a decimal number needs a digit");
}

}  // namespace
}  // namespace warpvp::ptx
