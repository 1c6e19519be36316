// Instruction operands and the check that they fit their instruction.

#include <fmt/format.h>

#include "ptx/bulk.h"
#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;
using Kind = ir::Operand::Kind;

namespace {

bool is_bits(Type t) { return t >= Type::b8 && t <= Type::b64; }
Type piece_type(unsigned bytes) {
  return bytes == 1 ? Type::b8 : bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
}

bool is_cluster_register(const std::string& name) {
  return name.rfind("%cluster", 0) == 0 || name.rfind("%ncluster", 0) == 0 || name == "%is_explicit_cluster";
}

}  // namespace

ir::Operand Parser::operand() {
  const Location where = peek().where;
  if (at("[")) return address();
  if (accept("{")) {
    ir::Operand o;
    o.kind = Kind::kVector;
    o.where = where;
    do {
      o.elements.push_back(simple_operand());
      if (o.elements.size() > 8) fail(where, "a vector has 1 to 4 elements");
    } while (accept(","));
    expect("}", "a vector");
    return o;
  }
  ir::Operand o = simple_operand();
  if ((o.kind == Kind::kRegister || o.kind == Kind::kSink) && accept("|")) {
    ir::Operand pair;
    pair.kind = Kind::kPair;
    pair.where = where;
    pair.elements.push_back(std::move(o));
    pair.elements.push_back(simple_operand());
    return pair;
  }
  return o;
}

ir::Operand Parser::simple_operand() {
  if (at("!") && peek(1).kind == TokenKind::kIdentifier && peek(1).text != "WARP_SZ") {
    const Location where = next().where;
    ir::Operand o = name_operand();
    if (o.kind != Kind::kRegister) fail(where, "'!' needs a predicate register");
    o.negated = true;
    o.where = where;
    return o;
  }
  if (starts_expression()) return constant_operand();
  if (peek().kind == TokenKind::kIdentifier) return name_operand();
  fail_here(fmt::format("unexpected {}; expected an operand", describe(peek())));
}

ir::Operand Parser::constant_operand() {
  ir::Operand o;
  o.where = peek().where;
  const Value v = expression();
  o.kind = v.is_single ? Kind::kSingle : v.is_double ? Kind::kDouble : Kind::kInteger;
  o.bits = v.bits;
  return o;
}

ir::Operand Parser::name_operand(bool texture_allowed) {
  ir::Operand o;
  const Token t = next();
  o.where = t.where;
  std::string name(t.text);
  if (name == "_") {
    o.kind = Kind::kSink;
    return o;
  }
  const Entity* e = find(name);
  if (e) {
    switch (e->kind) {
      case Entity::Kind::kRegister:
        if (peek().kind == TokenKind::kDotted && !peek().space_before) {
          fail_here(fmt::format("'{}' is a scalar register: it has no component '.{}'", name, peek().text));
        }
        return register_operand(*e, t.where);
      case Entity::Kind::kVector:
        return register_operand(*e, t.where);
      case Entity::Kind::kVariable:
        o.kind = Kind::kVariable;
        o.index = e->index;
        break;
      case Entity::Kind::kLabel:
        fail(t.where, fmt::format("label '{}' cannot be an operand here", name));
      default:
        fail(t.where, fmt::format("'{}' cannot be an operand here", name));
    }
  } else if (name[0] == '%') {
    if (peek().kind == TokenKind::kDotted && !peek().space_before) name += fmt::format(".{}", next().text);
    if (const SpecialRegister first = special_vector(name); first != SpecialRegister::kNone) {
      ir::Operand element;
      element.kind = Kind::kSpecial;
      element.where = t.where;
      o.kind = Kind::kVector;
      for (int k = 0; k < 4; ++k) {
        element.index = static_cast<int>(first) + k;
        o.elements.push_back(element);
      }
      return o;
    }
    if (name == "%is_explicit_cluster") {
      // A kernel of this platform never runs in clusters it asked for.
      o.kind = Kind::kInteger;
      return o;
    }
    const SpecialRegister special = special_register(name);
    if (special == SpecialRegister::kNone && is_cluster_register(name)) {
      fail(t.where,
           fmt::format("special register '{}' is not supported: thread-block clusters are not modelled",
                       name));
    }
    if (special == SpecialRegister::kNone) {
      fail(t.where,
           fmt::format("unknown register '{}': neither declared with .reg nor a supported special register",
                       name));
    }
    o.kind = Kind::kSpecial;
    o.index = static_cast<int>(special);
    return o;
  } else {
    const auto found = module_names_.find(name);
    if (found == module_names_.end()) fail(t.where, fmt::format("unknown name '{}'", name));
    o.index = found->second.index;
    if (found->second.is_function) {
      o.kind = Kind::kFunction;
      if (module_.functions[static_cast<std::size_t>(o.index)].is_entry) {
        fail(t.where,
             fmt::format("the address of kernel '{}' is not supported: kernels cannot launch kernels", name));
      }
      return o;
    }
    o.kind = Kind::kVariable;
    o.module_scope = true;
    if (!variable(o).refusal.empty()) throw InputError(variable(o).refusal);
    if (variable(o).is_texture) {
      if (!texture_allowed)
        fail(t.where, fmt::format("'{}' is a texture: only the texture operand of 'tex' may name it", name));
      return o;
    }
  }
  if (at("[")) {
    next();
    const std::int64_t index = integer_expression("an array index");
    o.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(index) * type_bytes(variable(o).type) *
                                         variable(o).vector);
    expect("]", "an array index");
  } else if (at("+") || at("-")) {
    o.offset = integer_expression("an offset");
  }
  return o;
}

ir::Operand Parser::address() {
  ir::Operand o;
  o.kind = Kind::kAddress;
  o.where = next().where;
  if (peek().kind == TokenKind::kIdentifier && peek().text != "WARP_SZ") {
    const ir::Operand base = name_operand();
    if (base.kind == Kind::kRegister) {
      o.base = ir::Operand::Base::kRegister;
      o.index = base.index;
      if (at("+") || at("-")) o.offset = integer_expression("an offset");
    } else if (base.kind == Kind::kVariable) {
      o.base = ir::Operand::Base::kVariable;
      o.index = base.index;
      o.module_scope = base.module_scope;
      o.offset = base.offset;
    } else {
      fail(base.where, "an address is a register, a variable or a constant, plus a constant offset");
    }
  } else {
    o.offset = integer_expression("an address");
  }
  expect("]", "an address");
  return o;
}

const ir::Variable& Parser::variable(const ir::Operand& o) const {
  return o.module_scope ? module_.variables[static_cast<std::size_t>(o.index)]
                        : function_->variables[static_cast<std::size_t>(o.index)];
}

// ir::Operand type checking (PTX ISA 9.2, 9.4): bit types go with everything of their size, integers with
// each other, floating point with itself. ld, st and cvt also take integer and bit registers wider than the
// type.
bool Parser::register_fits(Type reg, Type type, bool wider_allowed) const {
  if (reg == Type::pred || type == Type::pred) return reg == type;
  const unsigned have = type_bytes(reg), need = type_bytes(type);
  if (wider_allowed ? have < need : have != need) return false;
  if (is_float(type)) return have == need && (reg == type || is_bits(reg));
  if (is_float(reg)) return have == need && is_bits(type);
  return true;
}

void Parser::check_predicate(const ir::Instruction& i, const ir::Operand& o, bool destination) {
  if (o.kind == Kind::kSink && destination) return;
  if (o.kind == Kind::kInteger && !destination) return;
  if (o.kind != Kind::kRegister || (o.negated && destination) ||
      function_->registers[static_cast<std::size_t>(o.index)].type != Type::pred) {
    fail(o.where, fmt::format("'{}' needs a .pred register here", i.mnemonic));
  }
}

void Parser::check_scalar(const ir::Instruction& i, const ir::Operand& o, Type type, bool wider_allowed,
                          bool destination) {
  if (type == Type::pred) {
    check_predicate(i, o, destination);
    return;
  }
  const auto wrong = [&](const std::string& what) {
    fail(o.where, fmt::format("'{}' cannot take {} here; it needs {}.{}", i.mnemonic, what,
                              wider_allowed ? "at least " : "", type_name(type)));
  };
  switch (o.kind) {
    case Kind::kRegister: {
      const ir::Register& r = function_->registers[static_cast<std::size_t>(o.index)];
      if (o.negated) fail(o.where, "'!' is for predicates only");
      if (!register_fits(r.type, type, wider_allowed))
        wrong(fmt::format("'{}' of type .{}", r.name, type_name(r.type)));
      return;
    }
    case Kind::kSink:
      if (!destination) wrong("'_'");
      return;
    case Kind::kInteger:
      if (destination || is_float(type) || is_packed(type)) wrong("an integer constant");
      return;
    case Kind::kSingle:
      if (destination || (type != Type::f32 && type != Type::b32 && type != Type::f64))
        wrong("a floating-point constant");
      return;
    case Kind::kDouble:
      if (destination || (type != Type::f32 && type != Type::f64 && type != Type::b64))
        wrong("a floating-point constant");
      return;
    case Kind::kSpecial: {
      const auto special = static_cast<SpecialRegister>(o.index);
      const bool either = special == SpecialRegister::gridid;
      const Type own = special_register_type(special);
      const bool fits = register_fits(own, type, wider_allowed) ||
                        (either && register_fits(Type::u32, type, wider_allowed)) ||
                        (own == Type::u32 && i.opcode == Opcode::mov && type_bytes(type) == 2);
      if (destination || !fits) wrong(fmt::format("special register '{}'", special_register_name(special)));
      return;
    }
    case Kind::kVariable: {
      const Space space = variable(o).space;
      const bool small = space == Space::kShared || space == Space::kLocal;
      const bool fits =
          register_fits(Type::u64, type, false) || (small && register_fits(Type::u32, type, false));
      if (destination || !fits) wrong(fmt::format("the address of '{}'", variable(o).name));
      if (!o.module_scope && space == Space::kParam) {
        const auto formal = [&](const std::vector<ir::Formal>& list) {
          for (const ir::Formal& f : list) {
            if (!f.is_register && f.index == o.index) return true;
          }
          return false;
        };
        if (!formal(function_->params)) {
          fail(o.where, fmt::format("the address of '{}' cannot be taken; only that of a parameter",
                                    variable(o).name));
        }
      }
      return;
    }
    case Kind::kFunction:
      if (destination || !register_fits(Type::u64, type, false)) wrong("the address of a function");
      return;
    case Kind::kVector:
      wrong("a vector");
      return;
    case Kind::kPair:
      wrong("a pair");
      return;
    default:
      wrong("an address in brackets");
  }
}

void Parser::check_move(ir::Instruction& i) {
  if (i.vector > 1) {
    check_vector_move(i);
    return;
  }
  const Type type = i.modifiers.type;
  const ir::Operand &d = i.operands[0], &s = i.operands[1];
  const bool unpack = d.kind == Kind::kVector, pack = s.kind == Kind::kVector;
  if (unpack || pack) {
    const ir::Operand& vector = unpack ? d : s;
    const unsigned n = static_cast<unsigned>(vector.elements.size());
    if (unpack && pack) fail(s.where, "'mov' packs or unpacks; both sides are vectors");
    if (!is_bits(type) || (n != 2 && n != 4) || type_bytes(type) / n == 0) {
      fail(vector.where,
           fmt::format("'{}' cannot take {} elements; allowed: 2 with .b16, 2 or 4 with .b32 and .b64",
                       i.mnemonic, n));
    }
    for (const ir::Operand& e : vector.elements) {
      // Pieces are untyped: any register of their size.
      check_scalar(i, e, piece_type(type_bytes(type) / n), false, unpack);
      const bool narrow_special = e.kind == Kind::kSpecial && type_bytes(type) / n == 2;
      if (pack && (e.kind == Kind::kVariable || e.kind == Kind::kFunction || narrow_special))
        fail(e.where, "a vector element is a register or a constant");
    }
    check_scalar(i, unpack ? s : d, type, false, pack);
    return;
  }
  check_scalar(i, d, type, false, true);
  if (d.kind == Kind::kSink) fail(d.where, "'_' is not allowed here");
  check_scalar(i, s, type, false, false);
}

void Parser::check_memory(ir::Instruction& i) {
  const bool global = i.space == Space::kGlobal || i.space == Space::kNone || i.opcode == Opcode::cp_async ||
                      i.opcode == Opcode::cp_bulk;
  if (i.modifiers.cache_policy && !global)
    fail(i.where, fmt::format("'{}': '.L2::cache_hint' is for global memory only", i.mnemonic));
  if ((i.opcode == Opcode::atom || i.opcode == Opcode::red) && i.vector > 1 && !global)
    fail(i.where, fmt::format("'{}': atomics on vectors are for global memory only", i.mnemonic));
  unsigned addresses = 0;
  for (ir::Operand& o : i.operands) {
    if (o.kind != Kind::kAddress) continue;
    // cp.async names the space of its destination; its source is global.
    const unsigned n = addresses++;
    const Space space = i.opcode == Opcode::cp_bulk              ? bulk_space(i, n)
                        : i.opcode == Opcode::cp_async && n != 0 ? Space::kGlobal
                                                                 : i.space;
    if (o.base == ir::Operand::Base::kRegister) {
      const ir::Register& r = function_->registers[static_cast<std::size_t>(o.index)];
      const bool small = space == Space::kShared || space == Space::kLocal || space == Space::kParam;
      const bool integer = r.type != Type::pred && !is_float(r.type);
      if (!integer || !(type_bytes(r.type) == 8 || (type_bytes(r.type) == 4 && small))) {
        fail(o.where,
             fmt::format("'{}' of type .{} cannot be an address here; it needs a 64-bit{} integer register",
                         r.name, type_name(r.type), small ? " or 32-bit" : ""));
      }
    } else if (o.base == ir::Operand::Base::kVariable) {
      const ir::Variable& v = variable(o);
      const bool generic_ok =
          space == Space::kNone && (v.space == Space::kGlobal || v.space == Space::kConst);
      if (v.space != space && !generic_ok) {
        fail(o.where, fmt::format("'{}' is not in the state space of '{}'", v.name, i.mnemonic));
      }
      if (v.space == Space::kParam) {
        const std::uint64_t end =
            static_cast<std::uint64_t>(o.offset) +
            (i.opcode == Opcode::ld || i.opcode == Opcode::st ? type_bytes(i.modifiers.type) * i.vector : 0);
        if (o.offset < 0 || end > v.bytes)
          fail(o.where, fmt::format("access past the end of parameter '{}' ({} bytes)", v.name, v.bytes));
      }
      if (v.space == Space::kParam && i.opcode == Opcode::st) {
        for (const ir::Formal& f : function_->params) {
          if (!f.is_register && f.index == o.index)
            fail(o.where, fmt::format("parameter '{}' cannot be written", v.name));
        }
      }
    } else if (space == Space::kParam) {
      fail(o.where, "a parameter is named, or its address is in a register");
    }
  }
}

void Parser::check_operand(ir::Instruction& i, ir::Operand& o, const OperandSpec& spec) {
  const Modifiers& m = i.modifiers;
  if (spec.what == OperandClass::kMemory) {
    if (o.kind != Kind::kAddress)
      fail(o.where, fmt::format("'{}' needs an address in brackets here", i.mnemonic));
    return;
  }
  if (spec.what == OperandClass::kFragment) {
    check_fragment(i, o);
    return;
  }
  if (spec.vector && i.vector > 1) {
    if (i.opcode == Opcode::atom && spec.destination && o.kind == Kind::kSink) return;
    if (o.kind != Kind::kVector || o.elements.size() != i.vector) {
      fail(o.where, fmt::format("'{}' needs a vector of {} elements", i.mnemonic, i.vector));
    }
    for (const ir::Operand& e : o.elements)
      check_scalar(i, e, m.type,
                   i.opcode == Opcode::ld || i.opcode == Opcode::st || i.opcode == Opcode::ldu ||
                       i.opcode == Opcode::suld || i.opcode == Opcode::sust,
                   spec.destination);
    return;
  }
  if (spec.what == OperandClass::kCoordinates || spec.what == OperandClass::kGradient) {
    check_coordinates(i, o, spec.what == OperandClass::kGradient);
    return;
  }
  if (o.kind == Kind::kPair) {
    if (!spec.pair) fail(o.where, fmt::format("'{}' has no second destination", i.mnemonic));
    ir::Operand first = o.elements[0];
    check_predicate(i, o.elements[1], true);
    OperandSpec single = spec;
    single.pair = false;
    check_operand(i, first, single);
    return;
  }
  if (spec.destination && o.kind == Kind::kSink && i.opcode != Opcode::atom && !spec.pair &&
      i.opcode != Opcode::setp && i.opcode != Opcode::elect && i.opcode != Opcode::lop3 &&
      i.opcode != Opcode::match && i.opcode != Opcode::mbarrier) {
    fail(o.where, "'_' is not allowed here");
  }
  switch (spec.what) {
    case OperandClass::kType:
      check_scalar(i, o, m.type, false, spec.destination);
      break;
    case OperandClass::kSource:
    case OperandClass::kLevel:
      check_scalar(i, o, m.src_type, false, spec.destination);
      break;
    case OperandClass::kWide: {
      const bool sign = is_signed(m.type), small = type_bytes(m.type) == 2;
      check_scalar(i, o, small ? (sign ? Type::s32 : Type::u32) : (sign ? Type::s64 : Type::u64), false,
                   spec.destination);
      break;
    }
    case OperandClass::kPredicate:
      check_predicate(i, o, spec.destination);
      break;
    case OperandClass::kWord:
      if (i.opcode == Opcode::cp_async && o.kind == Kind::kRegister &&
          function_->registers[static_cast<std::size_t>(o.index)].type == Type::pred) {
        break;
      }
      check_scalar(i, o, Type::u32, false, spec.destination);
      break;
    case OperandClass::kLong:
      check_scalar(i, o, Type::u64, false, spec.destination);
      break;
    case OperandClass::kWideType:
      check_scalar(i, o, m.type, true, spec.destination);
      break;
    case OperandClass::kWideSource:
      check_scalar(i, o, m.src_type, true, spec.destination);
      break;
    case OperandClass::kAddressOf:
      check_scalar(i, o, m.type, false, false);
      if (o.kind == Kind::kVariable && variable(o).space != i.space) {
        fail(o.where, fmt::format("'{}' is not in the state space of '{}'", variable(o).name, i.mnemonic));
      }
      break;
    case OperandClass::kSingle:
      check_scalar(i, o, Type::f32, false, spec.destination);
      break;
    case OperandClass::kPolicy:
      check_scalar(i, o, Type::b64, false, false);
      break;
    case OperandClass::kVideo: {
      ir::Operand plain = o;
      plain.negated = false;
      check_scalar(i, plain, Type::u32, false, spec.destination);
      break;
    }
    case OperandClass::kImmediate:
      if (o.kind != Kind::kInteger)
        fail(o.where, fmt::format("'{}' needs an integer constant here", i.mnemonic));
      break;
    default:
      break;
  }
}

void Parser::check_operands(ir::Instruction& i) {
  std::vector<const OperandSpec*> written;
  if (!written_operands(*i.form, i.modifiers, i.operands.size(), written)) {
    std::size_t least = 0, most = 0;
    for (const OperandSpec& s : operand_specs(*i.form)) {
      const bool policy = s.what == OperandClass::kPolicy;
      least += (policy ? i.modifiers.cache_policy : !s.optional) ? 1 : 0;
      most += !policy || i.modifiers.cache_policy ? 1 : 0;
    }
    fail(i.where, fmt::format("'{}' takes {}{} operand{}, found {}", i.mnemonic, least,
                              most > least ? fmt::format(" to {}", most) : "", most == 1 ? "" : "s",
                              i.operands.size()));
  }
  if (i.opcode == Opcode::mov) {
    i.dst_count = 1;
    check_move(i);
    return;
  }
  std::size_t at = 0;
  for (const OperandSpec* s : written) {
    if (!s) continue;
    if (s->destination) ++i.dst_count;
    check_operand(i, i.operands[at++], *s);
  }
  check_memory(i);
  if (i.vector * type_bytes(i.modifiers.type) > 16)
    fail(i.where, fmt::format("'{}': vectors of more than 16 bytes are not supported", i.mnemonic));
  check_constants(i);
  if (i.opcode == Opcode::video) check_video(i);
  if ((i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && i.modifiers.bar != BarOp::warp_sync) {
    const ir::Operand& id = i.operands[i.dst_count];
    if (id.kind == Kind::kInteger && id.bits > 15) fail(id.where, "a barrier is between 0 and 15");
  }
  if (i.opcode == Opcode::cp_async && i.modifiers.async == AsyncOp::copy) {
    const std::uint64_t n = i.operands[2].bits;
    if (n != 16 && (i.cache == CacheOp::cg || (n != 4 && n != 8))) {
      fail(i.operands[2].where, i.cache == CacheOp::cg ? "'cp.async.cg' copies 16 bytes"
                                                       : "'cp.async.ca' copies 4, 8 or 16 bytes");
    }
  }
}

}  // namespace warpvp::ptx
