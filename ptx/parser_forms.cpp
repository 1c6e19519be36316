// Operands that only some instructions have (components of vector registers, selectors of video
// instructions), and the rules that their constants and combinations obey.

#include <fmt/format.h>

#include <cstring>

#include "ptx/matrix.h"
#include "ptx/parser_impl.h"
#include "ptx/video.h"

namespace warpvp::ptx {

using ir::Location;
using Kind = ir::Operand::Kind;

// `a`, `-a`, `a.h1` or a constant.
ir::Operand Parser::video_operand() {
  const Location where = peek().where;
  const bool negated = at("-") && peek(1).kind == TokenKind::kIdentifier && peek(1).text != "WARP_SZ";
  if (negated) next();
  ir::Operand o;
  const Entity* e = peek().kind == TokenKind::kIdentifier ? find(std::string(peek().text)) : nullptr;
  if (e && e->kind == Entity::Kind::kRegister) {
    o.kind = Kind::kRegister;
    o.index = e->index;
    next();
    if (peek().kind == TokenKind::kDotted && !peek().space_before) o.selector = std::string(next().text);
  } else {
    o = simple_operand();
  }
  o.negated |= negated;
  o.where = where;
  return o;
}

ir::Operand Parser::register_operand(const Entity& e, Location where) {
  ir::Operand o;
  o.kind = Kind::kRegister;
  o.index = e.index;
  o.where = where;
  if (e.kind == Entity::Kind::kRegister) return o;
  if (peek().kind == TokenKind::kDotted && !peek().space_before) {
    // .r .g .b .a are other names of the components.
    const std::string component(peek().text);
    const std::size_t at = component.size() == 1 ? std::string("xyzwrgba").find(component) % 4 : e.count;
    if (component.size() != 1 || std::string("xyzwrgba").find(component) == std::string::npos ||
        at >= e.count)
      fail_here(fmt::format("a vector register of {} elements has no component '.{}'", e.count, component));
    next();
    o.index += static_cast<int>(at);
    return o;
  }
  ir::Operand vector;
  vector.kind = Kind::kVector;
  vector.where = o.where;
  for (unsigned k = 0; k < e.count; ++k) {
    vector.elements.push_back(o);
    ++o.index;
  }
  return vector;
}

// mov.v2, mov.v4: element by element.
void Parser::check_vector_move(ir::Instruction& i) {
  const Type type = i.modifiers.type;
  if (i.vector * type_bytes(type) > 16)
    fail(i.where, fmt::format("'{}': vectors of more than 16 bytes are not supported", i.mnemonic));
  for (const ir::Operand& o : i.operands) {
    const bool destination = &o == &i.operands[0];
    if (o.kind != Kind::kVector || o.elements.size() != i.vector)
      fail(o.where, fmt::format("'{}' needs a vector of {} elements", i.mnemonic, i.vector));
    for (const ir::Operand& e : o.elements) check_scalar(i, e, type, false, destination);
  }
}

// A thread's part of a matrix: as many registers as it takes, of their width.
void Parser::check_fragment(const ir::Instruction& i, const ir::Operand& o) {
  const auto at = static_cast<std::size_t>(&o - i.operands.data());
  const Fragment fragment = fragment_of(i, at);
  const std::size_t count = o.kind == Kind::kVector ? o.elements.size() : 1;
  if (count != fragment.registers)
    fail(o.where, fmt::format("'{}' needs {} register{} here, found {}", i.mnemonic, fragment.registers,
                              fragment.registers == 1 ? "" : "s", count));
  const auto check = [&](const ir::Operand& e) {
    if (e.kind != Kind::kRegister) fail(e.where, fmt::format("'{}' needs registers here", i.mnemonic));
    check_scalar(i, e, fragment.type, false, at < i.dst_count);
  };
  if (o.kind != Kind::kVector) return check(o);
  for (const ir::Operand& e : o.elements) check(e);
}

// What the vendor's assembler refuses in video instructions.
void Parser::check_video(ir::Instruction& i) {
  const VideoModifiers& v = i.modifiers.video;
  const std::size_t count = i.operands.size();
  for (std::size_t k = 0; k < count; ++k) {
    const ir::Operand& o = i.operands[k];
    const bool source = k == 1 || k == 2;
    if (v.lanes > 1 && o.kind != Kind::kRegister)
      fail(o.where, fmt::format("'{}' cannot take a constant", i.mnemonic));
    const bool known = k == 0 ? destination_selector(v.lanes, o.selector).has_value()
                       : source
                           ? source_selector(v.lanes, static_cast<unsigned>(k - 1), o.selector).has_value()
                           : o.selector.empty();
    if (!known)
      fail(o.where, fmt::format("'{}' cannot take the selector '.{}' here", i.mnemonic, o.selector));
    if (o.negated && (v.op != VideoOp::mad || k == 0))
      fail(o.where, fmt::format("'{}' has no negated operands", i.mnemonic));
  }
  if (v.lanes == 1 && !i.operands[0].selector.empty()) {
    if (v.op == VideoOp::mad || v.second != AtomOp::kNone || count < 4)
      fail(i.operands[0].where,
           fmt::format("'{}' cannot have a destination selector: that needs a third source and no secondary "
                       "operation",
                       i.mnemonic));
  }
  if (v.op == VideoOp::mad) {
    const bool product = i.operands[1].negated != i.operands[2].negated;
    const bool any = i.operands[1].negated || i.operands[2].negated || i.operands[3].negated;
    if ((v.plus_one && any) || (product && i.operands[3].negated)) {
      fail(i.where,
           fmt::format("'{}' negates the product or the third source, and neither with '.po'", i.mnemonic));
    }
  }
}

// Ranges of constant operands.
void Parser::check_constants(ir::Instruction& i) {
  const auto within = [&](const ir::Operand& o, std::uint64_t most, const char* what) {
    if (o.kind == Kind::kInteger && o.bits > most) {
      fail(o.where, fmt::format("{} of '{}' is {}; a constant there is between 0 and {}", what, i.mnemonic,
                                static_cast<std::int64_t>(o.bits), most));
    }
  };
  if (i.opcode == Opcode::bfe || i.opcode == Opcode::bfi) {
    const std::size_t at = i.opcode == Opcode::bfe ? 2 : 3;
    within(i.operands[at], 255, "the position");
    within(i.operands[at + 1], 255, "the length");
  } else if (i.opcode == Opcode::alloca_ && i.operands.size() == 3) {
    const std::uint64_t alignment = i.operands[2].bits;
    if (alignment == 0 || alignment > 1u << 23 || (alignment & (alignment - 1)) != 0)
      fail(i.operands[2].where, "the alignment of 'alloca' is a power of two up to 2^23");
  } else if (i.opcode == Opcode::stackrestore && i.operands[0].kind != Kind::kRegister) {
    fail(i.operands[0].where, "'stackrestore' needs a register");
  } else if (i.opcode == Opcode::createpolicy && i.operands.size() == 2) {
    const ir::Operand& o = i.operands[1];
    double fraction = 1;
    if (o.kind == Kind::kSingle) {
      const auto bits = static_cast<std::uint32_t>(o.bits);
      float f;
      std::memcpy(&f, &bits, sizeof f);
      fraction = f;
    } else if (o.kind == Kind::kDouble) {
      std::memcpy(&fraction, &o.bits, sizeof fraction);
    }
    if (!(fraction > 0 && fraction <= 1))
      fail(o.where, "the fraction of 'createpolicy' is above 0 and at most 1");
  } else if (i.opcode == Opcode::cp_bulk) {
    const ir::Operand& bytes = i.operands[i.modifiers.async == AsyncOp::bulk_ahead ? 1 : 2];
    if (bytes.kind == Kind::kInteger && bytes.bits % 16 != 0)
      fail(bytes.where, fmt::format("the size of '{}' is {}; allowed: multiples of 16", i.mnemonic,
                                    static_cast<std::int64_t>(bytes.bits)));
  } else if (i.opcode == Opcode::mma && i.modifiers.matrix.sparse) {
    within(i.operands[5], selectors_of(i.modifiers) - 1, "the sparsity selector");
    i.modifiers.matrix.selector = static_cast<std::uint8_t>(i.operands[5].bits);
  } else if (i.opcode == Opcode::lop3) {
    if (i.operands[4].bits > 255)
      fail(i.operands[4].where, "the lookup table of 'lop3' is between 0 and 255");
    if (i.modifiers.bool_op != BoolOp::kNone && i.operands[0].kind != Kind::kPair)
      fail(i.operands[0].where, fmt::format("'{}' needs a second destination: d|p", i.mnemonic));
  }
}

// Two `mov.b64`: between the halves of a .b128 register, or of two, and a pair {a, b} of 64-bit ones.
void Parser::move_halves(ir::Instruction&& i) {
  ir::Operand sides[2];
  for (ir::Operand& side : sides) {
    if (&side != sides) expect(",", "the destination of 'mov.b128'");
    const Location where = peek().where;
    side = operand();
    if (side.kind != ir::Operand::Kind::kVector || side.elements.size() != 2)
      fail(where, "'mov.b128' takes registers of type .b128 and pairs {a, b} of 64-bit registers");
  }
  expect(";", "'mov.b128'");
  OpcodeMatch match;
  OpcodeMismatch mismatch;
  i.mnemonic = "mov.b64";
  if (!match_opcode("mov", {"b64"}, match, mismatch)) fail(i.where, mismatch.message);
  i.opcode = match.form->opcode;
  i.form = match.form;
  i.modifiers = match.modifiers;
  i.vector = static_cast<std::uint8_t>(match.vector);
  for (unsigned half = 0; half < 2; ++half) {
    ir::Instruction one = i;
    one.operands = {sides[0].elements[half], sides[1].elements[half]};
    check_operands(one);
    add_instruction(std::move(one));
  }
}

}  // namespace warpvp::ptx
