// Function bodies: scopes, declarations, labels, control flow.

#include <fmt/format.h>

#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;

namespace {
constexpr std::size_t kMaxScopes = 1000;
constexpr std::uint64_t kMaxFamily = 1ull << 32;
}  // namespace

void Parser::open_scope() {
  if (scopes_.size() >= kMaxScopes) fail_here("blocks are nested too deeply");
  scopes_.emplace_back();
  scopes_.back().where = peek().where;
}

// Labels seen in the closing scope are matched with uses in it; the rest is left to the enclosing scope.
void Parser::close_scope() {
  const std::size_t depth = scopes_.size();
  std::size_t kept = 0;
  for (PendingLabel& use : pending_) {
    bool resolved = false;
    if (use.depth >= depth) {
      const auto found = scopes_.back().names.find(use.name);
      if (found != scopes_.back().names.end()) {
        if (found->second.kind != Entity::Kind::kLabel)
          refuse_function(use.where, fmt::format("'{}' is not a label", use.name));
        else if (use.instruction >= 0)
          function_->code[static_cast<std::size_t>(use.instruction)].label = found->second.index;
        else
          function_->tables[static_cast<std::size_t>(use.table)]
              .labels[static_cast<std::size_t>(use.table_slot)] = found->second.index;
        resolved = true;
      } else {
        use.depth = depth - 1;
      }
    }
    if (!resolved) {
      if (kept != static_cast<std::size_t>(&use - pending_.data())) pending_[kept] = std::move(use);
      ++kept;
    }
  }
  pending_.resize(kept);
  scopes_.pop_back();
}

void Parser::body(ir::Function& f) {
  pending_.clear();
  block();
  // The formals' scope remains: a label cannot be there.
  if (!pending_.empty()) {
    refuse_function(pending_[0].where,
                    fmt::format("unknown label '{}' in function '{}'", pending_[0].name, f.name));
  }
  if (module_no_unroll_ || function_no_unroll_) {
    for (ir::Label& l : f.labels) l.no_unroll = true;
  }
  if (f.refusal.empty()) return;
  f.code.clear();
  f.labels.clear();
  f.tables.clear();
  f.shapes.clear();
}

// Iterative: blocks may nest deeply.
void Parser::block() {
  const std::size_t outer = scopes_.size();
  do {
    if (at("{")) {
      open_scope();
      next();
    } else if (at("}")) {
      close_scope();
      next();
    } else if (peek().kind == TokenKind::kEnd) {
      fail_here(fmt::format("unexpected end of file; the block opened at line {} needs '}}'",
                            scopes_.back().where.line));
    } else {
      const std::size_t begin = at_;
      try {
        statement();
      } catch (const InputError& e) {
        refuse_statement(begin, e.what());
      }
    }
  } while (scopes_.size() > outer);
}

// PTX ISA, pragma strings: "nounroll" stands before the first instruction of the loop's first block.
void Parser::pragma_in_body() {
  if (!pragma_forbids_unrolling()) return;
  for (auto l = function_->labels.rbegin();
       l != function_->labels.rend() && l->position == function_->code.size(); ++l)
    l->no_unroll = true;
}

void Parser::statement() {
  const Token t = peek();
  if (accept(";")) return;
  if (t.kind == TokenKind::kDotted) {
    if (t.text == "reg")
      register_declaration();
    else if (t.text == "loc" || t.text == "file")
      skip_loc();
    else if (t.text == "pragma")
      pragma_in_body();
    else if (t.text == "local")
      variable_declaration(Space::kLocal, ir::Linkage::kNone);
    else if (t.text == "shared" || t.text == "shared::cta")
      variable_declaration(Space::kShared, ir::Linkage::kNone);
    else if (t.text == "param")
      variable_declaration(Space::kParam, ir::Linkage::kNone);
    else if (t.text == "extern" && peek(1).text == "shared") {
      next();
      variable_declaration(Space::kShared, ir::Linkage::kExtern);
    } else {
      fail_here(fmt::format(
          "unexpected '.{}' in a function; allowed: .reg .local .shared .param .loc .pragma", t.text));
    }
    return;
  }
  if (t.kind == TokenKind::kIdentifier && peek(1).kind == TokenKind::kPunctuation && peek(1).text == ":") {
    const std::string name(next().text);
    next();
    label_or_directive(name, t.where);
    return;
  }
  if (t.kind == TokenKind::kIdentifier || at("@")) {
    instruction();
    return;
  }
  fail_here(fmt::format("unexpected {}; expected an instruction, a label or a directive", describe(t)));
}

std::string Parser::unique_name(const std::string& name) {
  const auto taken = [&](const std::string& n) { return used_names_.count(n) || module_names_.count(n); };
  if (!taken(name)) {
    used_names_.emplace(name, 1);
    return name;
  }
  int& suffix = used_names_[name];
  for (;;) {
    std::string candidate = fmt::format("{}_{}", name, ++suffix);
    if (!taken(candidate)) {
      used_names_.emplace(candidate, 1);
      return candidate;
    }
  }
}

int Parser::add_register(const std::string& name, Type type, Location where) {
  if (type == Type::b128) fail(where, "registers of type '.b128' are not supported");
  function_->registers.push_back({unique_name(name), type, where});
  return static_cast<int>(function_->registers.size()) - 1;
}

// A vector register is as many scalar ones; `v.x` names the first.
Parser::Entity Parser::add_registers(const std::string& name, Type type, unsigned vector, Location where) {
  if (type == Type::b128) {
    if (vector != 1) fail(where, "registers of type '.b128' have no vectors");
    return add_registers(name, Type::b64, 2, where);  // its halves
  }
  if (vector == 1) return {Entity::Kind::kRegister, add_register(name, type, where)};
  if (type == Type::pred) fail(where, "predicates have no vectors");
  Entity e{Entity::Kind::kVector, -1, vector};
  for (unsigned k = 0; k < vector; ++k) {
    const int index = add_register(fmt::format("{}${}", name, "xyzw"[k]), type, where);
    if (k == 0) e.index = index;
  }
  return e;
}

void Parser::declare(const std::string& name, Entity entity, Location where) {
  if (special_register(name) != SpecialRegister::kNone || name == "WARP_SZ" || name == "_") {
    fail(where, fmt::format("'{}' is a reserved name", name));
  }
  // The outermost scope of a body is that of the function's parameters.
  const bool parameter = scopes_.size() == 2 && scopes_[0].names.count(name) != 0;
  bool member = false;
  for (const Family& family : scopes_.back().families) member |= is_member(family, name);
  if (parameter || member || !scopes_.back().names.emplace(name, entity).second)
    fail(where, fmt::format("'{}' is declared twice", name));
}

bool Parser::is_member(const Family& family, const std::string& name) {
  const std::size_t length = family.prefix.size();
  if (name.size() <= length || name.size() > length + 10 || name.compare(0, length, family.prefix) != 0)
    return false;
  if (name[length] == '0' && name.size() > length + 1) return false;
  if (name.find_first_not_of("0123456789", length) != std::string::npos) return false;
  return std::stoull(name.substr(length)) < family.count;
}

// Two families may overlap (%r<20> and %r1<4>), a family and a single name not.
void Parser::declare_family(Family family) {
  const Location where = family.where;
  Scope& scope = scopes_.back();
  std::string twice;
  for (const Family& other : scope.families) {
    if (other.prefix == family.prefix) twice = family.prefix;
  }
  const auto look_for_members = [&](const Scope& s) {
    for (const auto& [name, entity] : s.names) {
      if (!entity.of_family && is_member(family, name) && (twice.empty() || name < twice)) twice = name;
    }
  };
  if (twice.empty()) {
    look_for_members(scope);
    if (scopes_.size() == 2) look_for_members(scopes_[0]);
  }
  if (!twice.empty()) fail(where, fmt::format("'{}' is declared twice", twice));
  scope.families.push_back(std::move(family));
}

const Parser::Entity* Parser::find(const std::string& name) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    Scope& scope = scopes_[i];
    const auto found = scope.names.find(name);
    if (found != scope.names.end()) return &found->second;
    for (const Family& family : scope.families) {
      if (!is_member(family, name)) continue;
      Entity member = add_registers(name, family.type, family.vector, family.where);
      member.of_family = true;
      return &scope.names.emplace(name, member).first->second;
    }
  }
  return nullptr;
}

void Parser::register_declaration() {
  next();
  const TypePrefix prefix = type_prefix(true);
  do {
    const Location where = peek().where;
    const std::string name = expect_name("a register name");
    if (accept("<")) {
      const Location at_count = peek().where;
      const std::uint64_t count = expect_integer("a number of registers");
      if (count == 0 || count > kMaxFamily) fail(at_count, "number of registers must be between 1 and 2^32");
      expect(">", "a number of registers");
      declare_family({name, count, prefix.type, prefix.vector, where});
    } else {
      declare(name, add_registers(name, prefix.type, prefix.vector, where), where);
    }
  } while (accept(","));
  expect(";", "a register declaration");
}

void Parser::variable_declaration(Space space, ir::Linkage linkage) {
  next();
  skip_attribute();
  const TypePrefix prefix = type_prefix();
  do {
    const Location where = peek().where;
    const std::string name = expect_name("a variable name");
    ir::Variable v = declarator(prefix, space, linkage, name, where);
    v.name = unique_name(name);
    const int index = static_cast<int>(function_->variables.size());
    function_->variables.push_back(std::move(v));
    declare(name, {Entity::Kind::kVariable, index}, where);
  } while (accept(","));
  expect(";", "a variable declaration");
}

void Parser::label_or_directive(const std::string& name, Location where) {
  if (at_dotted("branchtargets"))
    branch_targets(name, where);
  else if (at_dotted("calltargets"))
    call_targets(name, where);
  else if (at_dotted("callprototype"))
    call_prototype(name, where);
  else {
    const int index = static_cast<int>(function_->labels.size());
    declare(name, {Entity::Kind::kLabel, index}, where);
    function_->labels.push_back(
        {unique_name(name), static_cast<std::uint32_t>(function_->code.size()), where});
  }
}

void Parser::branch_targets(const std::string& name, Location where) {
  next();
  ir::BranchTable table;
  const int index = static_cast<int>(function_->tables.size());
  declare(name, {Entity::Kind::kTable, index}, where);
  table.name = unique_name(name);
  table.position = static_cast<std::uint32_t>(function_->code.size());
  do {
    PendingLabel use;
    use.where = peek().where;
    use.name = expect_name("a label");
    use.depth = scopes_.size();
    use.table = index;
    use.table_slot = static_cast<int>(table.labels.size());
    table.labels.push_back(-1);
    pending_.push_back(use);
  } while (accept(","));
  expect(";", "'.branchtargets'");
  function_->tables.push_back(std::move(table));
}

void Parser::call_targets(const std::string& name, Location where) {
  next();
  ir::CallShape shape;
  shape.is_targets = true;
  do {
    const Location at_name = peek().where;
    const std::string target = expect_name("a function name");
    const auto found = module_names_.find(target);
    if (found == module_names_.end() || !found->second.is_function) {
      fail(at_name, fmt::format("unknown function '{}' in '.calltargets'", target));
    }
    check_signature(found->second.index);
    shape.targets.push_back(found->second.index);
  } while (accept(","));
  expect(";", "'.calltargets'");
  declare(name, {Entity::Kind::kShape, static_cast<int>(function_->shapes.size())}, where);
  shape.name = unique_name(name);
  function_->shapes.push_back(std::move(shape));
}

void Parser::call_prototype(const std::string& name, Location where) {
  next();
  ir::CallShape shape;
  if (at("(")) prototype_formals(shape.returns);
  expect_name("'_'");
  if (at("(")) prototype_formals(shape.params);
  for (;;) {
    if (accept_dotted("noreturn")) {
      shape.noreturn = true;
    } else if (at_dotted("abi_preserve") || at_dotted("abi_preserve_control")) {
      next();
      expect_integer("a number of registers");
    } else {
      break;
    }
  }
  expect(";", "'.callprototype'");
  declare(name, {Entity::Kind::kShape, static_cast<int>(function_->shapes.size())}, where);
  shape.name = unique_name(name);
  function_->shapes.push_back(std::move(shape));
}

void Parser::prototype_formals(std::vector<ir::Variable>& list) {
  expect("(", "'.callprototype'");
  if (accept(")")) return;
  do {
    const bool in_register = at_dotted("reg");
    if (!in_register && !at_dotted("param")) {
      fail_here(fmt::format("unexpected {}; expected '.param' or '.reg'", describe(peek())));
    }
    next();
    const TypePrefix prefix = type_prefix();
    const Location where = peek().where;
    const std::string name = expect_name("a parameter name or '_'");
    ir::Variable v =
        declarator(prefix, in_register ? Space::kNone : Space::kParam, ir::Linkage::kNone, name, where);
    list.push_back(std::move(v));
  } while (accept(","));
  expect(")", "a parameter");
}

void Parser::add_instruction(ir::Instruction&& i) { function_->code.push_back(std::move(i)); }

void Parser::instruction() {
  ir::Instruction i;
  if (accept("@")) {
    i.guard_negated = accept("!");
    const Location where = peek().where;
    const std::string name = expect_name("a predicate register");
    const Entity* e = find(name);
    if (!e || e->kind != Entity::Kind::kRegister)
      fail(where, fmt::format("unknown predicate '{}'; declare it with .reg .pred", name));
    if (function_->registers[static_cast<std::size_t>(e->index)].type != Type::pred) {
      fail(where, fmt::format("'{}' is not a predicate; a guard needs a .pred register", name));
    }
    i.guard = e->index;
  }
  const Token first = peek();
  i.where = first.where;
  i.mnemonic = expect_name("an instruction");
  std::vector<std::string_view> suffixes;
  std::vector<Location> places;
  while (peek().kind == TokenKind::kDotted && !peek().space_before) {
    places.push_back(peek().where);
    suffixes.push_back(next().text);
    i.mnemonic += fmt::format(".{}", suffixes.back());
  }
  if (!suffixes.empty() && suffixes.back() == "b128") {
    if (first.text == "mov" && suffixes.size() == 1) return move_halves(std::move(i));
    if (first.text == "ld" || first.text == "st") {
      // Of both halves at once: as atomic as 128 bits are.
      suffixes.back() = "v2";
      suffixes.push_back("b64");
      places.push_back(places.back());
    }
  }
  OpcodeMatch match;
  OpcodeMismatch mismatch;
  if (!match_opcode(first.text, suffixes, match, mismatch)) {
    const Location where = mismatch.at < 0 || places.empty()
                               ? i.where
                               : places[std::min(static_cast<std::size_t>(mismatch.at), places.size() - 1)];
    fail(where, mismatch.message);
  }
  i.opcode = match.form->opcode;
  i.form = match.form;
  i.modifiers = match.modifiers;
  i.space = match.space;
  i.cache = match.cache;
  i.is_volatile = match.is_volatile;
  i.uniform = match.uniform;
  i.vector = static_cast<std::uint8_t>(match.vector);

  if (i.opcode == Opcode::bra || i.opcode == Opcode::brx) {
    branch(i);
  } else if (i.opcode == Opcode::call) {
    call(i);
  } else {
    if (is_image_access(i.opcode)) {
      image_operands(i);
    } else if (i.opcode == Opcode::video) {
      do {
        i.operands.push_back(video_operand());
      } while (accept(","));
    } else if (!at(";")) {
      do {
        i.operands.push_back(operand());
      } while (accept(","));
    }
    check_operands(i);
  }
  if (!accept(";")) {
    fail_here(fmt::format("unexpected {} in '{}'; expected ',' or ';'", describe(peek()), i.mnemonic));
  }
  add_instruction(std::move(i));
}

void Parser::branch(ir::Instruction& i) {
  if (i.opcode == Opcode::bra) {
    PendingLabel use;
    use.where = peek().where;
    use.name = expect_name("a label");
    use.depth = scopes_.size();
    use.instruction = static_cast<int>(function_->code.size());
    pending_.push_back(std::move(use));
    return;
  }
  i.operands.push_back(operand());
  check_scalar(i, i.operands[0], Type::u32, false, false);
  expect(",", "the index of 'brx.idx'");
  const Location where = peek().where;
  const std::string name = expect_name("the name of a .branchtargets list");
  const Entity* e = find(name);
  if (!e || e->kind != Entity::Kind::kTable)
    fail(where, fmt::format("unknown '.branchtargets' list '{}'", name));
  i.table = e->index;
}

void Parser::call_operands(std::vector<ir::Operand>& list) {
  expect("(", "'call'");
  if (accept(")")) return;
  do {
    list.push_back(simple_operand());
  } while (accept(","));
  expect(")", "the operands of 'call'");
}

void Parser::call(ir::Instruction& i) {
  if (at("(")) {
    call_operands(i.returns);
    expect(",", "the return value of 'call'");
  }
  const Location where = peek().where;
  if (peek().kind != TokenKind::kIdentifier)
    fail_here(fmt::format("unexpected {}; expected a function", describe(peek())));
  const std::string name(peek().text);
  const Entity* e = find(name);
  const auto found = module_names_.find(name);
  if (!e && found != module_names_.end() && found->second.is_function) {
    next();
    i.callee = found->second.index;
    check_signature(i.callee);
  } else if (e && e->kind == Entity::Kind::kRegister) {
    i.operands.push_back(operand());
    check_scalar(i, i.operands[0], Type::u64, false, false);
  } else {
    fail(where, fmt::format("unknown function '{}'; declare it with .func", name));
  }
  if (accept(",")) {
    bool list_seen = false;
    if (at("(")) {
      call_operands(i.arguments);
      list_seen = true;
    }
    if (!list_seen || accept(",")) {
      const Location at_shape = peek().where;
      const std::string shape = expect_name("a .callprototype or .calltargets name");
      const Entity* s = find(shape);
      if (!s || s->kind != Entity::Kind::kShape) {
        fail(at_shape, fmt::format("unknown '.callprototype' or '.calltargets' name '{}'", shape));
      }
      if (i.callee < 0) i.shape = s->index;
    }
  }
  if (i.callee < 0 && i.shape < 0)
    fail(where, "an indirect call needs a .callprototype or .calltargets name after its arguments");
  check_call(i);
}

void Parser::check_call(const ir::Instruction& i) {
  struct Slot {
    bool in_register;
    Type type;
    std::uint64_t bytes;
  };
  std::vector<Slot> returns, params;
  std::string name;
  const auto from_function = [&](const ir::Function& f) {
    const auto slots = [&](const std::vector<ir::Formal>& formals, std::vector<Slot>& out) {
      for (const ir::Formal& formal : formals) {
        const auto k = static_cast<std::size_t>(formal.index);
        if (formal.is_register)
          out.push_back({true, f.registers[k].type, type_bytes(f.registers[k].type)});
        else
          out.push_back({false, f.variables[k].type, f.variables[k].bytes});
      }
    };
    slots(f.returns, returns);
    slots(f.params, params);
    name = f.name;
  };
  if (i.callee >= 0) {
    const ir::Function& f = module_.functions[static_cast<std::size_t>(i.callee)];
    if (f.is_entry) fail(i.where, fmt::format("'{}' is a kernel; only functions can be called", f.name));
    from_function(f);
  } else {
    const ir::CallShape& shape = function_->shapes[static_cast<std::size_t>(i.shape)];
    name = shape.name;
    if (shape.is_targets) {
      from_function(module_.functions[static_cast<std::size_t>(shape.targets[0])]);
    } else {
      for (const ir::Variable& v : shape.returns)
        returns.push_back({v.space == Space::kNone, v.type, v.bytes});
      for (const ir::Variable& v : shape.params) params.push_back({v.space == Space::kNone, v.type, v.bytes});
    }
  }
  const auto compare = [&](const std::vector<ir::Operand>& actual, const std::vector<Slot>& formal,
                           const char* what) {
    if (actual.size() != formal.size()) {
      fail(i.where, fmt::format("'{}' takes {} {}{}, the call has {}", name, formal.size(), what,
                                formal.size() == 1 ? "" : "s", actual.size()));
    }
    for (std::size_t k = 0; k < actual.size(); ++k) {
      const ir::Operand& o = actual[k];
      if (o.kind == ir::Operand::Kind::kVariable && !o.module_scope && o.offset == 0 &&
          variable(o).space == Space::kParam) {
        if (variable(o).bytes != formal[k].bytes) {
          fail(o.where, fmt::format("{} {} of '{}' has {} bytes, '{}' has {}", what, k + 1, name,
                                    formal[k].bytes, variable(o).name, variable(o).bytes));
        }
      } else if (o.kind == ir::Operand::Kind::kRegister ||
                 (o.kind != ir::Operand::Kind::kVariable && &actual == &i.arguments)) {
        if (formal[k].bytes != type_bytes(formal[k].type))
          fail(o.where, fmt::format("{} {} of '{}' is not a scalar", what, k + 1, name));
        check_scalar(i, o, formal[k].type, false, &actual == &i.returns);
      } else {
        fail(o.where, fmt::format("{} of a call must be a .param variable or a register", what));
      }
    }
  };
  compare(i.returns, returns, "return value");
  compare(i.arguments, params, "argument");
}

}  // namespace warpvp::ptx
