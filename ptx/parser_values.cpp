// Types, variable declarations with initial values, and constant expressions.

#include <fmt/format.h>

#include <cstring>

#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;

namespace {
constexpr std::uint64_t kMaxVariableBytes = 1ull << 32;
constexpr std::uint64_t kMaxInitialBytes = 1ull << 28;
constexpr int kMaxNesting = 64;
}  // namespace

Parser::TypePrefix Parser::type_prefix(bool of_register) {
  TypePrefix prefix;
  for (;;) {
    const Token t = peek();
    if (t.kind != TokenKind::kDotted)
      fail_here(fmt::format("unexpected {}; expected a type such as .u32", describe(t)));
    if (t.text == "align") {
      next();
      const Location where = peek().where;
      const std::uint64_t n = expect_integer("an alignment");
      if (n == 0 || (n & (n - 1)) != 0 || n > 1024)
        fail(where, "alignment must be a power of two up to 1024");
      prefix.alignment = static_cast<std::uint32_t>(n);
    } else if (t.text == "v2" || t.text == "v4") {
      next();
      prefix.vector = static_cast<unsigned>(t.text[1] - '0');
    } else {
      prefix.type = type_of(t.text);
      if (prefix.type == Type::kNone) {
        if (t.text == "texref")
          unsupported_here("type '.texref' is only supported for module-scope '.global' variables");
        if (t.text == "samplerref" || t.text == "surfref")
          unsupported_here(fmt::format("type '.{}' is not supported: only textures are", t.text));
        unsupported_here(fmt::format("unexpected '.{}'; expected a type such as .u32 or .f64", t.text));
      }
      if (prefix.type == Type::b128 && !of_register) unsupported_here("type '.b128' is not supported");
      next();
      return prefix;
    }
  }
}

ir::Variable Parser::declarator(const TypePrefix& prefix, Space space, ir::Linkage linkage, std::string name,
                                Location where) {
  ir::Variable v;
  v.name = std::move(name);
  v.space = space;
  v.linkage = linkage;
  v.type = prefix.type;
  v.vector = prefix.vector;
  v.where = where;
  const unsigned bytes = type_bytes(prefix.type);
  if (bytes == 0) fail(where, fmt::format("a variable cannot have type '.{}'", type_name(prefix.type)));
  v.alignment = prefix.alignment ? prefix.alignment : bytes * prefix.vector;
  while (accept("[")) {
    if (accept("]")) {
      if (!v.dimensions.empty()) fail_here("only the first dimension of an array may be left open");
      v.dimensions.push_back(0);
      continue;
    }
    const Location at = peek().where;
    const std::int64_t n = integer_expression("an array size");
    if (n < 0) fail(at, "array size must not be negative");
    v.dimensions.push_back(static_cast<std::uint64_t>(n));
    expect("]", "an array size");
  }
  if (at("=")) {
    if (space != Space::kGlobal && space != Space::kConst)
      fail_here("only .global and .const variables can have initial values");
    if (linkage == ir::Linkage::kExtern) fail_here("an .extern variable cannot have an initial value");
    next();
    initialiser(v);
  } else {
    finish_size(v);
  }
  return v;
}

void Parser::finish_size(ir::Variable& v) {
  std::uint64_t bytes = type_bytes(v.type) * v.vector;
  for (const std::uint64_t d : v.dimensions) {
    if (__builtin_mul_overflow(bytes, d, &bytes) || bytes > kMaxVariableBytes) {
      fail(v.where, fmt::format("'{}' is larger than 4 GiB", v.name));
    }
  }
  v.bytes = bytes;
  const bool open = !v.dimensions.empty() && v.dimensions[0] == 0;
  if (open && v.linkage != ir::Linkage::kExtern) {
    fail(v.where, fmt::format("array '{}' needs a size, initial values or '.extern'", v.name));
  }
}

void Parser::initialiser(ir::Variable& v) {
  v.initialised = true;
  if (v.dimensions.empty() && v.vector == 1) {
    finish_size(v);
    v.initial.assign(v.bytes, 0);
    if (accept("{")) {
      initial_value(v, 0);
      expect("}", "an initial value");
    } else {
      initial_value(v, 0);
    }
    return;
  }
  const bool open = !v.dimensions.empty() && v.dimensions[0] == 0;
  if (!open) {
    finish_size(v);
    if (v.bytes > kMaxInitialBytes)
      fail(v.where, fmt::format("'{}' has initial values and is larger than 256 MiB", v.name));
    v.initial.assign(v.bytes, 0);
  }
  std::uint64_t element = 0;
  const std::uint64_t limit = (open ? kMaxInitialBytes : v.bytes) / type_bytes(v.type);
  if (!at("{"))
    fail_here(
        fmt::format("unexpected {}; expected '{{' before the values of '{}'", describe(peek()), v.name));
  initial_level(v, 0, element, limit);
  if (open) {
    std::uint64_t row = v.vector;
    for (std::size_t i = 1; i < v.dimensions.size(); ++i) row *= v.dimensions[i];
    if (row == 0) fail(v.where, "array dimension of size zero");
    v.dimensions[0] = (element + row - 1) / row;
    finish_size(v);
    v.initial.resize(v.bytes, 0);
  }
}

// Values in braces; nested braces begin at the next whole row of their level, missing values are zero.
void Parser::initial_level(ir::Variable& v, std::size_t level, std::uint64_t& element, std::uint64_t limit) {
  const std::size_t levels = v.dimensions.size() + (v.vector > 1 ? 1 : 0);
  const Location where = peek().where;
  if (level >= levels) fail(where, fmt::format("too many nested braces for '{}'", v.name));
  expect("{", "an initial value");
  std::uint64_t inner = 1;  // elements of one item of this level
  for (std::size_t i = level + 1; i < levels; ++i)
    inner *= i < v.dimensions.size() ? v.dimensions[i] : v.vector;
  std::uint64_t room = level < v.dimensions.size() ? v.dimensions[level] * inner : v.vector;
  if (level == 0 && !v.dimensions.empty() && v.dimensions[0] == 0) room = limit;
  const std::uint64_t first = element;
  while (!at("}")) {
    if (element - first >= room || element >= limit)
      fail_here(fmt::format("too many values for '{}'", v.name));
    if (at("{")) {
      const std::uint64_t begin = element;
      initial_level(v, level + 1, element, limit);
      element = begin + inner;
    } else {
      const std::size_t needed = static_cast<std::size_t>((element + 1) * type_bytes(v.type));
      if (v.initial.size() < needed) v.initial.resize(needed, 0);
      initial_value(v, element++);
    }
    if (!accept(",")) break;
  }
  expect("}", "the values of an array");
}

void Parser::initial_value(ir::Variable& v, std::uint64_t element) {
  const unsigned bytes = type_bytes(v.type);
  const std::uint64_t offset = element * bytes;
  const Location where = peek().where;
  const bool name = peek().kind == TokenKind::kIdentifier && peek().text != "WARP_SZ";
  const bool mask = peek().kind == TokenKind::kInteger && peek(1).text == "(";
  if (name || mask) {
    initial_address(v, element);
    return;
  }
  const Value value = expression();
  std::uint64_t bits = value.bits;
  if (v.type == Type::f32) {
    if (value.is_double) {
      double d;
      std::memcpy(&d, &value.bits, 8);
      const float f = static_cast<float>(d);
      std::uint32_t b;
      std::memcpy(&b, &f, 4);
      bits = b;
    } else if (!value.is_single) {
      const float f = static_cast<float>(static_cast<std::int64_t>(value.bits));
      std::uint32_t b;
      std::memcpy(&b, &f, 4);
      bits = b;
    }
  } else if (v.type == Type::f64) {
    double d;
    if (value.is_single) {
      float f;
      const auto b = static_cast<std::uint32_t>(value.bits);
      std::memcpy(&f, &b, 4);
      d = f;
    } else if (value.is_double) {
      std::memcpy(&d, &value.bits, 8);
    } else {
      d = static_cast<double>(static_cast<std::int64_t>(value.bits));
    }
    std::memcpy(&bits, &d, 8);
  } else if (value.is_double || value.is_single) {
    fail(where, fmt::format("floating-point value for an element of type '.{}'", type_name(v.type)));
  }
  std::memcpy(v.initial.data() + offset, &bits, bytes);
}

// name, generic(name), name + offset, or one byte of such an address: 0xff00(name), with a mask of its eight
// bits.
void Parser::initial_address(ir::Variable& v, std::uint64_t element) {
  const unsigned bytes = type_bytes(v.type);
  const Location where = peek().where;
  ir::Variable::Relocation r;
  r.offset = element * bytes;
  r.bytes = static_cast<std::uint8_t>(bytes);
  const bool masked = peek().kind == TokenKind::kInteger;
  if (masked) {
    const std::uint64_t mask = next().bits;
    while (r.shift < 64 && mask != 0xffull << r.shift) r.shift = static_cast<std::uint8_t>(r.shift + 8);
    if (r.shift == 64) fail(where, "the mask of an address is 0xff, 0xff00, ... or 0xff00000000000000");
    if (bytes != 1) fail(where, "a byte of an address needs an 8-bit element");
    expect("(", "the mask of an address");
  }
  if (peek().text == "generic" && peek(1).text == "(") {
    r.generic = true;
    next();
    next();
  }
  const Location at_name = peek().where;
  const std::string name = expect_name("a variable or function name");
  const auto found = module_names_.find(name);
  if (found == module_names_.end()) fail(at_name, fmt::format("unknown name '{}' in an initial value", name));
  r.is_function = found->second.is_function;
  r.index = found->second.index;
  if (!r.is_function) {
    const ir::Variable& target = module_.variables[static_cast<std::size_t>(r.index)];
    if (!target.refusal.empty()) throw Unsupported(target.refusal);
    if (target.is_texture)
      unsupported(at_name, fmt::format("texture '{}' cannot appear in an initial value", name));
    if (target.space != Space::kGlobal && target.space != Space::kConst) {
      fail(at_name,
           fmt::format("the address of '{}' is not constant; only .global and .const variables and functions",
                       name));
    }
  }
  if (r.generic) expect(")", "'generic(' and a name");
  if (at("+") || at("-")) {
    const bool minus = next().text == "-";
    const std::int64_t addend = integer_expression("an offset");
    r.addend = minus ? -addend : addend;
  }
  if (masked)
    expect(")", "an address");
  else if (bytes != 8)
    unsupported(where, "an address needs a 64-bit element");
  v.relocations.push_back(r);
}

bool Parser::starts_expression() const {
  const Token& t = peek();
  switch (t.kind) {
    case TokenKind::kInteger:
    case TokenKind::kSingle:
    case TokenKind::kDouble:
      return true;
    case TokenKind::kIdentifier:
      return t.text == "WARP_SZ";
    case TokenKind::kPunctuation:
      return t.text == "(" || t.text == "-" || t.text == "+" || t.text == "~" || t.text == "!";
    default:
      return false;
  }
}

Parser::Value Parser::expression() {
  if (++depth_ > kMaxNesting) fail_here("expression is nested too deeply");
  Value v = binary(0);
  if (at("?")) {
    const Location where = next().where;
    if (v.is_double || v.is_single) fail(where, "the condition must be an integer");
    const Value yes = expression();
    expect(":", "a conditional expression");
    const Value no = expression();
    v = v.bits ? yes : no;
  }
  --depth_;
  return v;
}

// C's precedence, loosest first; operators of `level` and tighter.
Parser::Value Parser::binary(int level) {
  static const std::vector<std::vector<std::string_view>> kLevels = {
      {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="},
      {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
  Value left = unary();
  for (;;) {
    if (peek().kind != TokenKind::kPunctuation) return left;
    const std::string_view op = peek().text;
    int mine = -1;
    for (int l = level; l < static_cast<int>(kLevels.size()); ++l) {
      for (const std::string_view candidate : kLevels[static_cast<std::size_t>(l)]) {
        if (candidate == op) mine = l;
      }
    }
    if (mine < 0) return left;
    const Location where = next().where;
    const Value right = binary(mine + 1);
    if (left.is_double || left.is_single || right.is_double || right.is_single) {
      fail(where, "floating-point constants cannot be combined in expressions");
    }
    const auto a = static_cast<std::int64_t>(left.bits), b = static_cast<std::int64_t>(right.bits);
    const std::uint64_t ua = left.bits, ub = right.bits;
    if ((op == "/" || op == "%") && b == 0) fail(where, "division by zero in a constant expression");
    const bool overflowing = (op == "/" || op == "%") && b == -1;
    if (op == "||")
      left.bits = a || b;
    else if (op == "&&")
      left.bits = a && b;
    else if (op == "|")
      left.bits = ua | ub;
    else if (op == "^")
      left.bits = ua ^ ub;
    else if (op == "&")
      left.bits = ua & ub;
    else if (op == "==")
      left.bits = ua == ub;
    else if (op == "!=")
      left.bits = ua != ub;
    else if (op == "<")
      left.bits = a < b;
    else if (op == "<=")
      left.bits = a <= b;
    else if (op == ">")
      left.bits = a > b;
    else if (op == ">=")
      left.bits = a >= b;
    else if (op == "<<")
      left.bits = ub < 64 ? ua << ub : 0;
    else if (op == ">>")
      left.bits = static_cast<std::uint64_t>(ub < 64 ? a >> ub : (a < 0 ? -1 : 0));
    else if (op == "+")
      left.bits = ua + ub;
    else if (op == "-")
      left.bits = ua - ub;
    else if (op == "*")
      left.bits = ua * ub;
    else if (op == "/")
      left.bits = overflowing ? 0 - ua : static_cast<std::uint64_t>(a / b);
    else
      left.bits = overflowing ? 0 : static_cast<std::uint64_t>(a % b);
  }
}

Parser::Value Parser::unary() {
  const Token t = peek();
  if (at("-") || at("+") || at("~") || at("!")) {
    if (++depth_ > kMaxNesting) fail_here("expression is nested too deeply");
    next();
    Value v = unary();
    --depth_;
    if (t.text == "+") return v;
    if (v.is_double || v.is_single) {
      if (t.text != "-") fail(t.where, fmt::format("'{}' needs an integer", t.text));
      v.bits ^= v.is_double ? 1ull << 63 : 1ull << 31;
      return v;
    }
    if (t.text == "-")
      v.bits = 0 - v.bits;
    else if (t.text == "~")
      v.bits = ~v.bits;
    else
      v.bits = v.bits == 0;
    return v;
  }
  return primary();
}

Parser::Value Parser::primary() {
  const Token t = peek();
  Value v;
  v.where = t.where;
  v.bits = t.bits;
  if (t.kind == TokenKind::kInteger) {
    next();
  } else if (t.kind == TokenKind::kSingle) {
    v.is_single = true;
    next();
  } else if (t.kind == TokenKind::kDouble) {
    v.is_double = true;
    next();
  } else if (t.kind == TokenKind::kIdentifier && t.text == "WARP_SZ") {
    v.bits = kWarpSize;
    next();
  } else if (accept("(")) {
    if (at_dotted("s64") || at_dotted("u64")) {
      next();
      expect(")", "a cast");
      if (++depth_ > kMaxNesting) fail_here("expression is nested too deeply");
      v = unary();
      --depth_;
      return v;
    }
    v = expression();
    expect(")", "an expression");
  } else {
    fail_here(fmt::format("unexpected {}; expected a constant", describe(t)));
  }
  return v;
}

std::int64_t Parser::integer_expression(const char* what) {
  const Location where = peek().where;
  const Value v = expression();
  if (v.is_double || v.is_single) fail(where, fmt::format("{} must be an integer", what));
  return static_cast<std::int64_t>(v.bits);
}

}  // namespace warpvp::ptx
