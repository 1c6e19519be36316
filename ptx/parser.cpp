#include "ptx/parser.h"

#include <fmt/format.h>

#include "ptx/image/texture.h"
#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;

Parser::Parser(const std::string& text, const std::string& file) : text_(text), file_(file) {
  while (!text_.empty() && text_.back() == '\0') text_.pop_back();
  tokens_ = tokenize(text_, file_);
  module_.file = file;
}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}
const Token& Parser::next() {
  const Token& t = tokens_[at_];
  if (at_ + 1 < tokens_.size()) ++at_;
  return t;
}
bool Parser::at(std::string_view punctuation) const {
  return peek().kind == TokenKind::kPunctuation && peek().text == punctuation;
}
bool Parser::at_dotted(std::string_view name) const {
  return peek().kind == TokenKind::kDotted && peek().text == name;
}
bool Parser::accept(std::string_view punctuation) {
  if (!at(punctuation)) return false;
  next();
  return true;
}
bool Parser::accept_dotted(std::string_view name) {
  if (!at_dotted(name)) return false;
  next();
  return true;
}
void Parser::expect(std::string_view punctuation, const char* after) {
  if (!accept(punctuation)) {
    fail_here(fmt::format("unexpected {} after {}; expected '{}'", describe(peek()), after, punctuation));
  }
}
std::string Parser::expect_name(const char* what) {
  if (peek().kind != TokenKind::kIdentifier) {
    fail_here(fmt::format("unexpected {}; expected {}", describe(peek()), what));
  }
  return std::string(next().text);
}
std::uint64_t Parser::expect_integer(const char* what) {
  if (peek().kind != TokenKind::kInteger) {
    fail_here(fmt::format("unexpected {}; expected {}", describe(peek()), what));
  }
  return next().bits;
}
void Parser::fail(Location where, const std::string& message) const { fail_at(file_, where, message); }
void Parser::fail_here(const std::string& message) const { fail(peek().where, message); }
void Parser::unsupported(Location where, const std::string& message) const {
  throw Unsupported(fmt::format("{}:{}:{}: {}", file_, where.line, where.column, message));
}
void Parser::unsupported_here(const std::string& message) const { unsupported(peek().where, message); }
std::string Parser::describe(const Token& t) const {
  switch (t.kind) {
    case TokenKind::kEnd:
      return "end of file";
    case TokenKind::kDotted:
      return fmt::format("'.{}'", t.text);
    case TokenKind::kString:
      return "string";
    default:
      return fmt::format("'{}'", t.text);
  }
}

ir::Module Parser::run() {
  version();
  while (peek().kind != TokenKind::kEnd) module_item();
  resolve_aliases();
  return std::move(module_);
}

void Parser::version() {
  if (!at_dotted("version"))
    fail_here(fmt::format("a PTX module begins with '.version'; found {}", describe(peek())));
  next();
  // "9.0" was read as a decimal number; its text has both parts.
  const Token number = peek();
  const std::size_t dot = number.text.find('.');
  if (number.kind != TokenKind::kDouble || dot == std::string_view::npos) {
    fail_here("'.version' needs a number such as 7.5");
  }
  next();
  module_.version_major = static_cast<unsigned>(std::atoi(std::string(number.text).c_str()));
  module_.version_minor = static_cast<unsigned>(std::atoi(std::string(number.text.substr(dot + 1)).c_str()));
}

void Parser::module_item() {
  const Token t = peek();
  if (accept(";")) return;
  if (t.kind != TokenKind::kDotted)
    fail_here(fmt::format("unexpected {}; expected a directive", describe(t)));
  if (t.text == "target") {
    next();
    do {
      if (!module_.target.empty()) module_.target += ", ";
      if (peek().text == "texmode_independent")
        fail_here("'texmode_independent' is not supported: textures are read in unified mode");
      module_.target += expect_name("a target such as sm_70");
    } while (accept(","));
  } else if (t.text == "address_size") {
    next();
    const Location where = peek().where;
    module_.address_bits = static_cast<unsigned>(expect_integer("32 or 64"));
    if (module_.address_bits != 64) fail(where, "only '.address_size 64' is supported");
  } else if (t.text == "file" || t.text == "loc") {
    skip_loc();
  } else if (t.text == "section") {
    skip_section();
  } else if (t.text == "pragma") {
    module_no_unroll_ |= pragma_forbids_unrolling();
  } else if (t.text == "alias") {
    alias();
  } else {
    ir::Linkage linkage = ir::Linkage::kNone;
    for (;; next()) {
      if (at_dotted("visible"))
        linkage = ir::Linkage::kVisible;
      else if (at_dotted("extern"))
        linkage = ir::Linkage::kExtern;
      else if (at_dotted("weak"))
        linkage = ir::Linkage::kWeak;
      else if (at_dotted("common"))
        linkage = ir::Linkage::kCommon;
      else
        break;
    }
    if (accept_dotted("entry"))
      function(linkage, true);
    else if (accept_dotted("func"))
      function(linkage, false);
    else
      module_variables(linkage);
  }
}

void Parser::skip_loc() {
  // .file index "name" [, time, size]   .loc file line column [, function_name label, inlined_at ...]
  const std::string_view directive = next().text;
  if (directive == "file") {
    expect_integer("a file number");
    if (peek().kind != TokenKind::kString)
      fail_here(fmt::format("unexpected {}; expected a file name", describe(peek())));
    next();
    for (int i = 0; i < 2 && accept(","); ++i) expect_integer("a number");
    return;
  }
  for (int i = 0; i < 3; ++i) expect_integer("a file number, a line and a column");
  while (accept(",")) {
    if (expect_name("'function_name' or 'inlined_at'") == "inlined_at") {
      for (int i = 0; i < 3; ++i) expect_integer("a file number, a line and a column");
    } else {
      expect_name("a label");
      if (accept("+")) expect_integer("an offset");
    }
  }
}

void Parser::skip_section() {
  const Location where = next().where;
  // The section's name begins with a dot or not; its contents (debug data) have no effect on execution.
  while (!at("{")) {
    if (peek().kind == TokenKind::kEnd) fail(where, "'.section' without contents; expected '{'");
    next();
  }
  int depth = 0;
  do {
    if (peek().kind == TokenKind::kEnd) fail(where, "'.section' is not closed; expected '}'");
    if (at("{")) ++depth;
    if (at("}")) --depth;
    next();
  } while (depth > 0);
}

void Parser::declare_module(const std::string& name, ModuleName entity, Location where) {
  if (!module_names_.emplace(name, entity).second) fail(where, fmt::format("'{}' is declared twice", name));
}

bool Parser::skip_attribute() {
  bool managed = false;
  while (accept_dotted("attribute")) {
    expect("(", "'.attribute'");
    for (int depth = 1; depth > 0; next()) {
      if (peek().kind == TokenKind::kEnd || at(";")) fail_here("'.attribute' is not closed; expected ')'");
      if (at("(")) ++depth;
      if (at(")")) --depth;
      managed |= peek().kind == TokenKind::kDotted && peek().text == "managed";
    }
  }
  return managed;
}

void Parser::module_variables(ir::Linkage linkage) {
  const std::size_t begin = at_;
  try {
    module_variable_list(linkage);
  } catch (const Unsupported& e) {
    refuse_variables(begin, e.what());
  }
}

void Parser::module_variable_list(ir::Linkage linkage) {
  const Token t = peek();
  Space space = Space::kNone;
  if (t.kind == TokenKind::kDotted) {
    if (t.text == "tex" ||
        (t.text == "global" && peek(1).kind == TokenKind::kDotted && peek(1).text == "texref")) {
      textures(linkage);
      return;
    }
    if (t.text == "global")
      space = Space::kGlobal;
    else if (t.text == "const")
      space = Space::kConst;
    else if (t.text == "shared" || t.text == "shared::cta")
      space = Space::kShared;
    else if (t.text == "local")
      unsupported_here("module-scope '.local' variables are not supported; declare them in the function");
    else if (t.text == "reg")
      unsupported_here("module-scope registers are not supported; declare them in the function");
  }
  if (space == Space::kNone) {
    fail_here(fmt::format("unexpected {}; expected .entry, .func, .global, .const or .shared", describe(t)));
  }
  next();
  const bool managed = skip_attribute();
  const TypePrefix prefix = type_prefix();
  do {
    const Location where = peek().where;
    const std::string name = expect_name("a variable name");
    ir::Variable v = declarator(prefix, space, linkage, name, where);
    v.is_managed = managed;
    module_variable(std::move(v));
  } while (accept(","));
  expect(";", "a variable declaration");
}

void Parser::module_variable(ir::Variable v) {
  const Location where = v.where;
  const auto earlier = module_names_.find(v.name);
  if (earlier != module_names_.end() && !earlier->second.is_function) {
    // An extern declaration may precede or repeat the definition.
    ir::Variable& old = module_.variables[static_cast<std::size_t>(earlier->second.index)];
    const bool one_is_extern = old.linkage == ir::Linkage::kExtern || v.linkage == ir::Linkage::kExtern;
    if (!one_is_extern || old.space != v.space || old.type != v.type || old.is_texture != v.is_texture) {
      fail(where, fmt::format("'{}' is declared twice", v.name));
    }
    if (old.linkage == ir::Linkage::kExtern) old = std::move(v);
    return;
  }
  declare_module(v.name, {false, static_cast<int>(module_.variables.size())}, where);
  module_.variables.push_back(std::move(v));
}

// `.global .texref name, ...;` and its older form `.tex .u32 name, ...;`. What a texture reads is the host's
// to say.
void Parser::textures(ir::Linkage linkage) {
  const bool older = next().text == "tex";
  const Token type = next();
  if (older && (type.kind != TokenKind::kDotted || (type.text != "u32" && type.text != "u64")))
    fail(type.where, fmt::format("unexpected {}; expected .u32 or .u64 after '.tex'", describe(type)));
  do {
    ir::Variable v;
    v.where = peek().where;
    v.name = expect_name("a texture's name");
    v.space = Space::kGlobal;
    v.linkage = linkage;
    v.type = Type::b64;
    v.alignment = kTextureBytes;
    v.bytes = kTextureBytes;
    v.is_texture = true;
    if (at("[")) unsupported_here("arrays of textures are not supported");
    if (at("=")) unsupported_here("initial values of textures are not supported; the host binds them");
    module_variable(std::move(v));
  } while (accept(","));
  expect(";", "a texture declaration");
}

void Parser::function(ir::Linkage linkage, bool is_entry) {
  ir::Function f;
  f.linkage = linkage;
  f.is_entry = is_entry;
  function_ = &f;
  used_names_.clear();
  scopes_.clear();
  scopes_.emplace_back();
  const std::size_t begin = at_;
  try {
    header();
  } catch (const Unsupported& e) {
    refuse_header(begin, e.what());
  }

  const auto earlier = module_names_.find(f.name);
  int index = -1;
  if (earlier != module_names_.end()) {
    if (!earlier->second.is_function) fail(f.where, fmt::format("'{}' is declared twice", f.name));
    index = earlier->second.index;
    check_redeclaration(module_.functions[static_cast<std::size_t>(index)], f);
  } else {
    index = static_cast<int>(module_.functions.size());
    declare_module(f.name, {true, index}, f.where);
    module_.functions.emplace_back();
    // Visible inside its own body, which may call it.
    module_.functions.back() = f;
  }
  ir::Function& slot = module_.functions[static_cast<std::size_t>(index)];
  if (accept(";")) {
    if (is_entry && f.linkage != ir::Linkage::kExtern) f.has_body = false;
    if (!slot.has_body) slot = std::move(f);
  } else {
    if (slot.has_body) fail(f.where, fmt::format("'{}' has a body already", f.name));
    f.has_body = true;
    if (f.signature_known)
      body(f);
    else
      skip_braces(f.where, "the function's body");
    module_.functions[static_cast<std::size_t>(index)] = std::move(f);
  }
  function_ = nullptr;
  scopes_.clear();
}

void Parser::header() {
  ir::Function& f = *function_;
  skip_attribute();
  if (!f.is_entry && at("(")) formals(f.returns, false, true);
  f.where = peek().where;
  f.name = expect_name("a function name");
  if (at("(")) formals(f.params, f.is_entry, false);
  function_no_unroll_ = false;
  performance_directives();
  if (at("{") || at(";")) return;
  const std::string message =
      fmt::format("unexpected {}; expected '{{' or ';' after a function's header", describe(peek()));
  if (peek().kind == TokenKind::kDotted) unsupported_here(message);
  fail_here(message);
}

// `.alias name, function;`: another name of a function; both are declared before.
void Parser::alias() {
  next();
  const auto function_named = [&] {
    const Location where = peek().where;
    const std::string name = expect_name("a function name");
    const auto found = module_names_.find(name);
    if (found == module_names_.end() || !found->second.is_function)
      fail(where, fmt::format("unknown function '{}' in '.alias'", name));
    return found->second.index;
  };
  const Location where = peek().where;
  const int alias = function_named();
  expect(",", "the alias");
  const int aliasee = function_named();
  expect(";", "'.alias'");
  ir::Function& f = module_.functions[static_cast<std::size_t>(alias)];
  const ir::Function& target = module_.functions[static_cast<std::size_t>(aliasee)];
  if (f.is_entry || target.is_entry) fail(where, "'.alias' is for functions, not kernels");
  if (f.has_body) fail(where, fmt::format("'{}' has a body already", f.name));
  if (f.signature_known && target.signature_known) check_redeclaration(target, f);
  aliases_.push_back({alias, aliasee});
}

// Every use of an alias becomes one of what it stands for.
void Parser::resolve_aliases() {
  if (aliases_.empty()) return;
  std::vector<int> stands_for(module_.functions.size());
  for (std::size_t i = 0; i < stands_for.size(); ++i) stands_for[i] = static_cast<int>(i);
  for (const Alias& a : aliases_) {
    if (!module_.functions[static_cast<std::size_t>(a.alias)].has_body)
      stands_for[static_cast<std::size_t>(a.alias)] = stands_for[static_cast<std::size_t>(a.aliasee)];
  }
  const auto resolve = [&](int& function) { function = stands_for[static_cast<std::size_t>(function)]; };
  for (ir::Function& f : module_.functions) {
    for (ir::Instruction& i : f.code) {
      if (i.callee >= 0) resolve(i.callee);
      for (auto* list : {&i.operands, &i.arguments}) {
        for (ir::Operand& o : *list) {
          if (o.kind == ir::Operand::Kind::kFunction) resolve(o.index);
        }
      }
    }
    for (ir::CallShape& s : f.shapes) {
      for (int& target : s.targets) resolve(target);
    }
  }
  for (ir::Variable& v : module_.variables) {
    for (ir::Variable::Relocation& r : v.relocations) {
      if (r.is_function) resolve(r.index);
    }
  }
}

void Parser::check_redeclaration(const ir::Function& earlier, ir::Function& now) {
  const auto differ = [&](const std::vector<ir::Formal>& a, const std::vector<ir::Formal>& b) {
    if (a.size() != b.size()) return true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i].is_register != b[i].is_register) return true;
      const auto ia = static_cast<std::size_t>(a[i].index), ib = static_cast<std::size_t>(b[i].index);
      if (a[i].is_register ? type_bytes(earlier.registers[ia].type) != type_bytes(now.registers[ib].type)
                           : earlier.variables[ia].bytes != now.variables[ib].bytes) {
        return true;
      }
    }
    return false;
  };
  if (now.refusal.empty() || !earlier.refusal.empty()) now.refusal = earlier.refusal;
  if (!earlier.signature_known) now.signature_known = false;
  if (!now.signature_known && earlier.is_entry == now.is_entry) return;
  if (earlier.is_entry != now.is_entry || differ(earlier.returns, now.returns) ||
      differ(earlier.params, now.params)) {
    fail(now.where, fmt::format("'{}' differs from its earlier declaration", now.name));
  }
  if (now.linkage == ir::Linkage::kNone) now.linkage = earlier.linkage;
  now.noreturn |= earlier.noreturn;
}

bool Parser::pragma_forbids_unrolling() {
  bool found = false;
  next();
  while (peek().kind == TokenKind::kString) {
    found |= next().text == "nounroll";
    if (!accept(",")) break;
  }
  expect(";", "'.pragma'");
  return found;
}

void Parser::performance_directives() {
  ir::Function& f = *function_;
  const auto three = [&](std::uint32_t(&sizes)[3]) {
    for (int i = 0; i < 3; ++i) {
      const Location where = peek().where;
      const std::uint64_t n = expect_integer("a number of threads");
      if (n == 0 || n > 0xffff'ffffu) fail(where, "number of threads must be positive");
      sizes[i] = static_cast<std::uint32_t>(n);
      if (i == 2 || !accept(",")) {
        for (++i; i < 3; ++i) sizes[i] = 1;
        return;
      }
    }
  };
  for (;;) {
    if (accept_dotted("maxntid"))
      three(f.max_threads);
    else if (accept_dotted("reqntid"))
      three(f.required_threads);
    else if (accept_dotted("minnctapersm"))
      f.min_ctas_per_sm = static_cast<std::uint32_t>(expect_integer("a number of CTAs"));
    else if (accept_dotted("maxnctapersm"))
      expect_integer("a number of CTAs");
    else if (accept_dotted("maxnreg"))
      f.max_registers = static_cast<std::uint32_t>(expect_integer("a number of registers"));
    else if (at_dotted("noreturn")) {
      if (f.is_entry) refuse_function(peek().where, "'.noreturn' is for functions; a kernel cannot have it");
      next();
      f.noreturn = true;
    } else if (accept_dotted("unique") || cluster_directive())
      continue;
    else if (at_dotted("pragma")) {
      function_no_unroll_ |= pragma_forbids_unrolling();
    } else {
      return;
    }
  }
}

void Parser::formals(std::vector<ir::Formal>& list, bool is_entry, bool is_return) {
  expect("(", "a function's name");
  if (accept(")")) return;
  do {
    list.push_back(formal(is_entry));
  } while (accept(","));
  expect(")", is_return ? "a return value" : "a parameter");
}

ir::Formal Parser::formal(bool is_entry) {
  const Token t = peek();
  if (!is_entry && accept_dotted("reg")) {
    const TypePrefix prefix = type_prefix();
    const Location where = peek().where;
    const std::string name = expect_name("a register name");
    if (prefix.type == Type::pred || prefix.vector != 1)
      unsupported(where, "register parameters are scalars of 8 to 64 bits");
    const int index = add_register(name, prefix.type, where);
    declare(name, {Entity::Kind::kRegister, index}, where);
    return {true, index};
  }
  if (!accept_dotted("param"))
    fail_here(fmt::format("unexpected {}; expected '.param'{}", describe(t), is_entry ? "" : " or '.reg'"));
  TypePrefix prefix = type_prefix();
  std::string attributes;
  bool pointer = false;
  if (accept_dotted("ptr")) {
    pointer = true;
    attributes = ".ptr";
    while (peek().kind == TokenKind::kDotted) {
      const std::string a(next().text);
      if (a == "align")
        attributes += fmt::format(" .align {}", expect_integer("an alignment"));
      else if (a == "global" || a == "shared" || a == "const" || a == "local")
        attributes += " ." + a;
      else
        unsupported(
            tokens_[at_ - 1].where,
            fmt::format("'.{}' is not supported here; allowed: .global .shared .const .local .align", a));
    }
  }
  const Location where = peek().where;
  const std::string name = expect_name("a parameter name");
  ir::Variable v = declarator(prefix, Space::kParam, ir::Linkage::kNone, name, where);
  if (v.bytes == 0) fail(where, fmt::format("parameter '{}' has no size", name));
  v.is_pointer = pointer;
  v.attributes = attributes;
  const int index = static_cast<int>(function_->variables.size());
  v.name = unique_name(name);
  function_->variables.push_back(std::move(v));
  if (name != "_") declare(name, {Entity::Kind::kVariable, index}, where);
  return {false, index};
}

ir::Module parse_module(const std::string& text, const std::string& file) { return Parser(text, file).run(); }

}  // namespace warpvp::ptx
