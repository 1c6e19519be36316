// Operands of texture and surface instructions (PTX ISA, texture and surface instructions). The handle is a
// `.texref` by name or a 64-bit register; coordinates stand in its brackets.

#include <fmt/format.h>

#include "ptx/image/texture.h"
#include "ptx/parser_impl.h"

namespace warpvp::ptx {

using ir::Location;
using Kind = ir::Operand::Kind;

namespace {

/// `x` where PTX also takes `{x}`.
ir::Operand as_vector(ir::Operand o) {
  if (o.kind == Kind::kVector) return o;
  ir::Operand vector;
  vector.kind = Kind::kVector;
  vector.where = o.where;
  vector.elements.push_back(std::move(o));
  return vector;
}
ir::Operand as_scalar(ir::Operand o) {
  if (o.kind != Kind::kVector || o.elements.size() != 1) return o;
  return ir::Operand(o.elements[0]);
}

}  // namespace

bool Parser::is_image_access(Opcode opcode) {
  switch (opcode) {
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::txq:
    case Opcode::suld:
    case Opcode::sust:
    case Opcode::suq:
      return true;
    default:
      return false;
  }
}

// `d, [handle, {x, y}]` with what each instruction has more or less; in the order of OpcodeForm::operands.
void Parser::image_operands(ir::Instruction& i) {
  const std::string name = i.mnemonic.substr(0, i.mnemonic.find('.'));
  const bool query = i.opcode == Opcode::txq || i.opcode == Opcode::suq;
  const bool surface = i.opcode == Opcode::suld || i.opcode == Opcode::sust;
  if (surface) i.modifiers.src_type = Type::s32;
  if (i.opcode != Opcode::sust) {
    ir::Operand d = operand();
    i.operands.push_back(i.vector == 1 ? as_scalar(std::move(d)) : std::move(d));
    if (!query && !surface && accept("|")) i.operands.push_back(simple_operand());
    expect(",", "the destinations");
  }
  i.operands.push_back(image_handle(i));
  if (query) {
    expect("]", "the name of a texture");
  } else {
    expect(",", "the name of a texture");
    // A second name in the brackets is a sampler of independent mode.
    if (peek().kind == TokenKind::kIdentifier && peek(1).kind == TokenKind::kPunctuation &&
        peek(1).text == ",")
      fail_here("samplers of their own are not supported; a texture is read in unified mode");
    i.operands.push_back(as_vector(operand()));
    expect("]", "the coordinates");
  }
  if (i.opcode == Opcode::sust) {
    expect(",", "the coordinates");
    ir::Operand data = operand();
    i.operands.push_back(i.vector == 1 ? as_scalar(std::move(data)) : std::move(data));
    return;
  }
  for (const OperandSpec& spec : operand_specs(*i.form)) {
    if (spec.what != OperandClass::kLevel && spec.what != OperandClass::kGradient &&
        spec.what != OperandClass::kWord)
      continue;
    expect(",", "the coordinates");
    ir::Operand o = operand();
    i.operands.push_back(spec.what == OperandClass::kGradient ? as_vector(std::move(o)) : std::move(o));
  }
  if (at(",")) fail_here(fmt::format("offsets and depth values of '{}' are not supported", name));
}

// `[name` or `[%register`.
ir::Operand Parser::image_handle(const ir::Instruction& i) {
  ir::Operand handle;
  handle.kind = Kind::kAddress;
  const bool surface = i.opcode == Opcode::suld || i.opcode == Opcode::sust || i.opcode == Opcode::suq;
  expect("[", "the destinations");
  const Location where = peek().where;
  handle.where = where;
  if (peek().kind != TokenKind::kIdentifier)
    fail_here(fmt::format(
        "unexpected {}; expected {}", describe(peek()),
        surface ? "a surface's handle in a register" : "the name of a texture or a handle in a register"));
  const ir::Operand name = name_operand(true);
  handle.index = name.index;
  if (name.kind == Kind::kRegister) {
    handle.base = ir::Operand::Base::kRegister;
    return handle;
  }
  if (surface) fail(where, "the first operand in brackets must be a 64-bit register with a surface's handle");
  if (name.kind != Kind::kVariable || !variable(name).is_texture)
    fail(where, "the first operand in brackets must be a .texref or a 64-bit register");
  handle.base = ir::Operand::Base::kVariable;
  handle.module_scope = true;
  return handle;
}

// Checks the coordinates (or a gradient) and drops the element that PTX asks for and ignores.
void Parser::check_coordinates(const ir::Instruction& i, ir::Operand& o, bool gradient) {
  const Geometry geometry = i.modifiers.geometry;
  const bool layered = !gradient && has_layers(geometry);
  const unsigned used = spatial_coordinates(geometry) + layered;
  const unsigned written = used == 3 ? 4 : used;
  if (o.kind != Kind::kVector || o.elements.size() != written) {
    fail(o.where,
         fmt::format("'{}' needs {} {}{}, found {}", i.mnemonic, written, gradient ? "part" : "coordinate",
                     written == 1 ? "" : "s", o.kind == Kind::kVector ? o.elements.size() : 1));
  }
  for (std::size_t k = 0; k < written; ++k) {
    const bool is_layer = layered && k == 0;
    check_scalar(i, o.elements[k],
                 is_layer   ? Type::u32
                 : gradient ? Type::f32
                            : i.modifiers.src_type,
                 false, false);
  }
  o.elements.resize(used);
}

}  // namespace warpvp::ptx
