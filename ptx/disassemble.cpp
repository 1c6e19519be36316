#include "ptx/disassemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {
namespace {

using Kind = ir::Operand::Kind;

class TextWriter {
 public:
  TextWriter(const ir::Module& m, const ir::Function* f) : m_(m), f_(f) {}

  std::string operand(const ir::Operand& o) const {
    switch (o.kind) {
      case Kind::kRegister:
        return negation(o) + f_->registers[static_cast<std::size_t>(o.index)].name +
               (o.selector.empty() ? "" : "." + o.selector);
      case Kind::kInteger: {
        const auto v = static_cast<std::int64_t>(o.bits);
        // The most negative number has no positive literal; large unsigned values read back as they are.
        return v < 0 && v > INT64_MIN ? fmt::format("-{}", -v) : fmt::format("{}", o.bits);
      }
      case Kind::kSingle:
        return fmt::format("0f{:08X}", o.bits);
      case Kind::kDouble:
        return fmt::format("0d{:016X}", o.bits);
      case Kind::kVariable:
        return variable(o).name + offset(o.offset);
      case Kind::kFunction:
        return m_.functions[static_cast<std::size_t>(o.index)].name;
      case Kind::kSpecial:
        return special_register_name(static_cast<SpecialRegister>(o.index));
      case Kind::kSink:
        return "_";
      case Kind::kVector:
        return "{" + list(o.elements, ", ") + "}";
      case Kind::kPair:
        return list(o.elements, "|");
      case Kind::kAddress:
        switch (o.base) {
          case ir::Operand::Base::kAbsolute:
            return fmt::format("[{}]", o.offset);
          case ir::Operand::Base::kRegister:
            return fmt::format("[{}{}]", f_->registers[static_cast<std::size_t>(o.index)].name,
                               offset(o.offset));
          case ir::Operand::Base::kVariable:
            return fmt::format("[{}{}]", variable(o).name, offset(o.offset));
        }
        break;
      case Kind::kNone:
        break;
    }
    return "?";
  }

  std::string list(const std::vector<ir::Operand>& operands, const char* separator) const {
    std::string out;
    for (const ir::Operand& o : operands) out += (out.empty() ? "" : separator) + operand(o);
    return out;
  }

  std::string instruction(const ir::Instruction& i) const {
    std::string out;
    if (i.guard >= 0)
      out = fmt::format("@{}{} ", i.guard_negated ? "!" : "",
                        f_->registers[static_cast<std::size_t>(i.guard)].name);
    out += i.mnemonic;
    std::string operands;
    if (i.opcode == Opcode::call) {
      if (!i.returns.empty()) operands += fmt::format("({}), ", list(i.returns, ", "));
      operands +=
          i.callee >= 0 ? m_.functions[static_cast<std::size_t>(i.callee)].name : operand(i.operands[0]);
      if (!i.arguments.empty() || i.shape >= 0) operands += fmt::format(", ({})", list(i.arguments, ", "));
      if (i.shape >= 0) operands += ", " + f_->shapes[static_cast<std::size_t>(i.shape)].name;
    } else {
      operands = i.modifiers.geometry != Geometry::kNone ? image_access(i) : list(i.operands, ", ");
      if (i.label >= 0) operands = f_->labels[static_cast<std::size_t>(i.label)].name;
      if (i.table >= 0) operands += ", " + f_->tables[static_cast<std::size_t>(i.table)].name;
    }
    return operands.empty() ? out : out + " " + operands;
  }

  std::string declaration(const ir::Variable& v, bool with_values) const {
    if (v.is_texture) return ".texref " + v.name;
    std::string out = fmt::format(".align {} ", v.alignment);
    if (v.vector > 1) out += fmt::format(".v{} ", v.vector);
    out += fmt::format(".{} ", type_name(v.type));
    if (!v.attributes.empty()) out += v.attributes + " ";
    out += v.name;
    for (const std::uint64_t d : v.dimensions) out += d ? fmt::format("[{}]", d) : "[]";
    if (with_values && v.initialised) out += " = " + values(v);
    return out;
  }

  std::string linkage(ir::Linkage l) const {
    switch (l) {
      case ir::Linkage::kVisible:
        return ".visible ";
      case ir::Linkage::kExtern:
        return ".extern ";
      case ir::Linkage::kWeak:
        return ".weak ";
      case ir::Linkage::kCommon:
        return ".common ";
      case ir::Linkage::kNone:
        break;
    }
    return "";
  }

  std::string header(const ir::Function& f) const {
    std::string out = linkage(f.linkage) + (f.is_entry ? ".entry " : ".func ");
    if (!f.returns.empty()) out += fmt::format("({}) ", formals(f, f.returns));
    out += fmt::format("{}({})", f.name, formals(f, f.params));
    const auto three = [&](const char* what, const std::uint32_t(&n)[3]) {
      if (n[0]) out += fmt::format("\n.{} {}, {}, {}", what, n[0], n[1], n[2]);
    };
    three("maxntid", f.max_threads);
    three("reqntid", f.required_threads);
    if (f.min_ctas_per_sm) out += fmt::format("\n.minnctapersm {}", f.min_ctas_per_sm);
    if (f.max_registers) out += fmt::format("\n.maxnreg {}", f.max_registers);
    if (f.noreturn) out += "\n.noreturn";
    return out;
  }

  std::string body(const ir::Function& f) const {
    std::string out = "{\n";
    std::vector<bool> is_formal_register(f.registers.size(), false),
        is_formal_variable(f.variables.size(), false);
    for (const auto* formals : {&f.returns, &f.params}) {
      for (const ir::Formal& formal : *formals) {
        (formal.is_register ? is_formal_register
                            : is_formal_variable)[static_cast<std::size_t>(formal.index)] = true;
      }
    }
    for (std::size_t i = 0; i < f.registers.size(); ++i) {
      if (!is_formal_register[i])
        out += fmt::format("\t.reg .{} {};\n", type_name(f.registers[i].type), f.registers[i].name);
    }
    for (std::size_t i = 0; i < f.variables.size(); ++i) {
      const ir::Variable& v = f.variables[i];
      if (is_formal_variable[i]) continue;
      const char* space = v.space == Space::kShared ? "shared" : v.space == Space::kLocal ? "local" : "param";
      out += fmt::format("\t{}.{} {};\n", linkage(v.linkage), space, declaration(v, true));
    }
    for (const ir::CallShape& s : f.shapes) out += shape(s);
    std::size_t label = 0, table = 0;
    for (std::uint32_t i = 0; i <= f.code.size(); ++i) {
      for (; label < f.labels.size() && f.labels[label].position == i; ++label)
        out += f.labels[label].name + (f.labels[label].no_unroll ? ":\n\t.pragma \"nounroll\";\n" : ":\n");
      for (; table < f.tables.size() && f.tables[table].position == i; ++table) {
        out += f.tables[table].name + ": .branchtargets ";
        for (std::size_t k = 0; k < f.tables[table].labels.size(); ++k) {
          out += (k ? ", " : "") + f.labels[static_cast<std::size_t>(f.tables[table].labels[k])].name;
        }
        out += ";\n";
      }
      if (i < f.code.size()) out += "\t" + instruction(f.code[i]) + ";\n";
    }
    return out + "}\n";
  }

 private:
  const ir::Variable& variable(const ir::Operand& o) const {
    return (o.module_scope ? m_.variables : f_->variables)[static_cast<std::size_t>(o.index)];
  }
  std::string negation(const ir::Operand& o) const {
    if (!o.negated) return "";
    return f_->registers[static_cast<std::size_t>(o.index)].type == Type::pred ? "!" : "-";
  }
  static std::string offset(std::int64_t n) { return n == 0 ? "" : fmt::format("{:+}", n); }

  // Coordinates and gradients, with the fourth element that PTX wants where it uses three.
  std::string coordinates(const ir::Operand& o) const {
    ir::Operand written = o;
    if (o.elements.size() == 3) written.elements.push_back(o.elements[2]);
    return operand(written);
  }

  // Texture reads, surface loads and stores: the coordinates stand in the brackets of the handle.
  std::string image_access(const ir::Instruction& i) const {
    const bool surface = i.opcode == Opcode::suld || i.opcode == Opcode::sust;
    std::string out;
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const ir::Operand& o = i.operands[k];
      if (k != 0) out += k < i.dst_count ? "|" : ", ";
      if (o.kind == ir::Operand::Kind::kAddress) {
        out += operand(o);
        out.pop_back();
        out += ", " + coordinates(i.operands[++k]) + "]";
      } else if (surface) {
        out += o.kind == ir::Operand::Kind::kVector ? operand(o) : "{" + operand(o) + "}";
      } else {
        out += k < i.dst_count || o.kind != ir::Operand::Kind::kVector ? operand(o) : coordinates(o);
      }
    }
    return out;
  }

  std::string formals(const ir::Function& f, const std::vector<ir::Formal>& list) const {
    std::string out;
    for (const ir::Formal& formal : list) {
      const auto i = static_cast<std::size_t>(formal.index);
      if (!out.empty()) out += ", ";
      if (formal.is_register)
        out += fmt::format(".reg .{} {}", type_name(f.registers[i].type), f.registers[i].name);
      else
        out += ".param " + declaration(f.variables[i], false);
    }
    return out;
  }

  std::string shape(const ir::CallShape& s) const {
    std::string out = s.name + ": ";
    if (s.is_targets) {
      out += ".calltargets ";
      for (std::size_t i = 0; i < s.targets.size(); ++i) {
        out += (i ? ", " : "") + m_.functions[static_cast<std::size_t>(s.targets[i])].name;
      }
      return out + ";\n";
    }
    const auto list = [&](const std::vector<ir::Variable>& variables) {
      std::string text;
      for (const ir::Variable& v : variables) {
        if (!text.empty()) text += ", ";
        if (v.space == Space::kNone)
          text += fmt::format(".reg .{} {}", type_name(v.type), v.name);
        else
          text += ".param " + declaration(v, false);
      }
      return text;
    };
    out += ".callprototype ";
    if (!s.returns.empty()) out += fmt::format("({}) ", list(s.returns));
    out += fmt::format("_ ({})", list(s.params));
    if (s.noreturn) out += " .noreturn";
    return out + ";\n";
  }

  // Initial values, every dimension in braces of its own.
  std::string values(const ir::Variable& v) const {
    std::uint64_t element = 0;
    std::vector<std::uint64_t> extents = v.dimensions;
    if (v.vector > 1) extents.push_back(v.vector);
    return level(v, extents, 0, element);
  }
  std::string level(const ir::Variable& v, const std::vector<std::uint64_t>& extents, std::size_t depth,
                    std::uint64_t& element) const {
    if (depth == extents.size()) return value(v, element++);
    std::string out = "{";
    for (std::uint64_t i = 0; i < extents[depth]; ++i)
      out += (i ? ", " : "") + level(v, extents, depth + 1, element);
    return out + "}";
  }
  std::string value(const ir::Variable& v, std::uint64_t element) const {
    const unsigned bytes = type_bytes(v.type);
    const std::uint64_t at = element * bytes;
    const auto r =
        std::lower_bound(v.relocations.begin(), v.relocations.end(), at,
                         [](const ir::Variable::Relocation& a, std::uint64_t b) { return a.offset < b; });
    if (r != v.relocations.end() && r->offset == at) {
      const auto i = static_cast<std::size_t>(r->index);
      const std::string& name = r->is_function ? m_.functions[i].name : m_.variables[i].name;
      const std::string address = (r->generic ? "generic(" + name + ")" : name) + offset(r->addend);
      return bytes == 1 ? fmt::format("0x{:x}({})", 0xffull << r->shift, address) : address;
    }
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < bytes; ++i) bits |= static_cast<std::uint64_t>(v.initial[at + i]) << (8 * i);
    if (v.type == Type::f32) return fmt::format("0f{:08X}", bits);
    if (v.type == Type::f64) return fmt::format("0d{:016X}", bits);
    return fmt::format("{}", bits);
  }

  const ir::Module& m_;
  const ir::Function* f_;
};

}  // namespace

std::string disassemble(const ir::Module& m, const ir::Function& f, const ir::Instruction& i) {
  return TextWriter(m, &f).instruction(i);
}

std::string disassemble(const ir::Module& m) {
  std::string out = fmt::format(".version {}.{}\n", m.version_major, m.version_minor);
  if (!m.target.empty()) out += fmt::format(".target {}\n", m.target);
  out += fmt::format(".address_size {}\n\n", m.address_bits);
  const TextWriter writer(m, nullptr);
  // What is refused stands as a comment; functions are declared all the same, since others may name them.
  for (const ir::Variable& v : m.variables) {
    if (!v.refusal.empty()) out += fmt::format("// {} is refused: {}\n", v.name, v.refusal);
  }
  for (const ir::Function& f : m.functions) {
    if (!f.refusal.empty()) out += fmt::format("// {} is refused: {}\n", f.name, f.refusal);
  }
  // Functions first as declarations, so that variables may hold their addresses and bodies call any of them.
  for (const ir::Function& f : m.functions) {
    if (!f.is_entry) out += TextWriter(m, &f).header(f) + ";\n";
  }
  for (const ir::Variable& v : m.variables) {
    if (!v.refusal.empty()) continue;
    const char* space = v.space == Space::kConst ? "const" : v.space == Space::kShared ? "shared" : "global";
    out += fmt::format("{}.{} {};\n", writer.linkage(v.linkage), space, writer.declaration(v, true));
  }
  for (const bool entries : {false, true}) {
    for (const ir::Function& f : m.functions) {
      if (f.is_entry != entries || !f.refusal.empty() || (!f.is_entry && !f.has_body)) continue;
      const TextWriter w(m, &f);
      out += "\n" + w.header(f) + (f.has_body ? "\n" + w.body(f) : ";\n");
    }
  }
  return out;
}

}  // namespace warpvp::ptx
