#include "ptx/legalise.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/bulk.h"
#include "ptx/cfg.h"
#include "ptx/cluster.h"
#include "ptx/double_products.h"
#include "ptx/lexer.h"
#include "ptx/mbarrier.h"
#include "ptx/opcode_table.h"
#include "ptx/wmma.h"

namespace warpvp::ptx {
namespace {

using Kind = ir::Operand::Kind;

Type bits_type(std::uint64_t bytes) {
  return bytes == 1 ? Type::b8 : bytes == 2 ? Type::b16 : bytes == 4 ? Type::b32 : Type::b64;
}

// A formal parameter or result of a callee.
struct Slot {
  Type type;
  std::uint64_t bytes;
  std::uint64_t offset;  ///< in the callee's frame
};
struct Signature {
  std::vector<Slot> returns, params;
};

class Legaliser {
 public:
  Legaliser(const ir::Module& m, const ir::Function& f) : m_(m), f_(f) {
    out_.function = f;
    out_.function.code.clear();
    out_.outgoing.assign(f.variables.size(), -1);
  }

  LegalFunction run() {
    find_uses();
    formals_on_entry();
    stack_on_entry();
    std::vector<std::uint32_t> start;
    for (const ir::Instruction& i : f_.code) {
      start.push_back(size());
      rewrite(i, static_cast<std::uint32_t>(start.size()) - 1);
    }
    start.push_back(size());
    bool label_at_end = false;
    for (ir::Label& l : out_.function.labels) {
      label_at_end |= l.position == f_.code.size();
      l.position = start[l.position];
    }
    for (ir::BranchTable& t : out_.function.tables) t.position = start[t.position];
    if (label_at_end || code().empty() || !ends_block_for_good(code().back())) {
      ir::Instruction ret;
      ret.opcode = Opcode::ret;
      ret.mnemonic = "ret";
      ret.where = f_.code.empty() ? f_.where : f_.code.back().where;
      rewrite(ret, static_cast<std::uint32_t>(f_.code.size()));
    }
    return std::move(out_);
  }

 private:
  struct Use {
    std::uint32_t at;
    bool is_store, is_load, is_call;
  };

  std::vector<ir::Instruction>& code() { return out_.function.code; }
  std::uint32_t size() { return static_cast<std::uint32_t>(code().size()); }
  [[noreturn]] void fail(ir::Location where, const std::string& message) const {
    fail_at(m_.file, where, message);
  }

  int add_register(Type type) {
    out_.function.registers.push_back({fmt::format("%$t{}", next_temporary_++), type, {}});
    return static_cast<int>(out_.function.registers.size()) - 1;
  }
  int add_variable(std::uint64_t bytes, std::int64_t outgoing) {
    ir::Variable v;
    v.name = fmt::format("$param{}", next_temporary_++);
    v.space = Space::kParam;
    v.type = Type::b8;
    v.dimensions = {bytes};
    v.alignment = 16;
    v.bytes = bytes;
    out_.function.variables.push_back(v);
    out_.outgoing.push_back(outgoing);
    return static_cast<int>(out_.function.variables.size()) - 1;
  }
  static ir::Operand reg(int index) {
    ir::Operand o;
    o.kind = Kind::kRegister;
    o.index = index;
    return o;
  }
  static ir::Operand zero() {
    ir::Operand o;
    o.kind = Kind::kInteger;
    return o;
  }
  static ir::Operand param_address(int variable, std::int64_t offset) {
    ir::Operand o;
    o.kind = Kind::kAddress;
    o.base = ir::Operand::Base::kVariable;
    o.index = variable;
    o.offset = offset;
    return o;
  }

  // An instruction at the place of `at`, guarded like it if `guarded`.
  ir::Instruction make(const ir::Instruction& at, const char* mnemonic,
                       const std::vector<std::string_view>& suffixes, bool guarded) const {
    OpcodeMatch match;
    OpcodeMismatch mismatch;
    if (!match_opcode(mnemonic, suffixes, match, mismatch)) fail(at.where, mismatch.message);
    ir::Instruction i;
    i.opcode = match.form->opcode;
    i.form = match.form;
    i.modifiers = match.modifiers;
    i.space = match.space;
    i.mnemonic = mnemonic;
    for (const std::string_view s : suffixes) i.mnemonic += fmt::format(".{}", s);
    i.where = at.where;
    if (guarded) {
      i.guard = at.guard;
      i.guard_negated = at.guard_negated;
    }
    return i;
  }
  void load(const ir::Instruction& at, int to, Type type, int variable, std::int64_t offset, bool guarded) {
    ir::Instruction i = make(at, "ld", {"param", type_name(type)}, guarded);
    i.operands = {reg(to), param_address(variable, offset)};
    i.dst_count = 1;
    code().push_back(std::move(i));
  }
  void store(const ir::Instruction& at, int variable, std::int64_t offset, Type type,
             const ir::Operand& value, bool guarded) {
    ir::Instruction i = make(at, "st", {"param", type_name(type)}, guarded);
    i.operands = {param_address(variable, offset), value};
    code().push_back(std::move(i));
    legalise_sources(code().size() - 1);
  }
  void copy(const ir::Instruction& at, int from, int to, std::uint64_t bytes, bool guarded) {
    for (std::uint64_t done = 0; done < bytes;) {
      std::uint64_t piece = 8;
      while (piece > bytes - done) piece /= 2;
      const int t = add_register(piece == 8 ? Type::b64 : Type::b32);
      load(at, t, bits_type(piece), from, static_cast<std::int64_t>(done), guarded);
      store(at, to, static_cast<std::int64_t>(done), bits_type(piece), reg(t), guarded);
      done += piece;
    }
  }
  // A value in a register of its own.
  int materialise(const ir::Instruction& at, const ir::Operand& o, Type type) {
    const int t = add_register(type);
    ir::Instruction i = make(at, "mov", {type_name(type)}, false);
    i.operands = {reg(t), o};
    i.dst_count = 1;
    code().push_back(std::move(i));
    return t;
  }
  void set_predicate(const ir::Instruction& at, const ir::Operand& destination, bool value, bool guarded) {
    ir::Instruction i = make(at, "setp", {value ? "eq" : "ne", "u32"}, guarded);
    i.operands = {destination, zero(), zero()};
    i.dst_count = 1;
    code().push_back(std::move(i));
  }

  void find_uses() {
    uses_.resize(f_.variables.size());
    labels_until_.assign(f_.code.size() + 1, 0);
    calls_before_.assign(f_.code.size() + 1, 0);
    for (const ir::Label& l : f_.labels) {
      if (l.position < labels_until_.size()) ++labels_until_[l.position];
    }
    for (std::size_t i = 0; i < f_.code.size(); ++i) {
      const ir::Instruction& in = f_.code[i];
      if (i > 0) labels_until_[i] += labels_until_[i - 1];
      calls_before_[i + 1] = calls_before_[i] + (in.opcode == Opcode::call ? 1 : 0);
      const auto at = static_cast<std::uint32_t>(i);
      for (const ir::Operand& o : in.operands) {
        if (o.kind == Kind::kAddress && o.base == ir::Operand::Base::kVariable && !o.module_scope) {
          uses_[static_cast<std::size_t>(o.index)].push_back(
              {at, in.opcode == Opcode::st, in.opcode == Opcode::ld, false});
        } else if (o.kind == Kind::kVariable && !o.module_scope) {
          uses_[static_cast<std::size_t>(o.index)].push_back({at, false, false, false});
        }
      }
      for (const auto* list : {&in.returns, &in.arguments}) {
        for (const ir::Operand& o : *list) {
          if (o.kind == Kind::kVariable)
            uses_[static_cast<std::size_t>(o.index)].push_back({at, false, false, true});
        }
      }
    }
  }

  // Whether a variable may lie in the callee's frame: it serves this call only, and between its accesses and
  // the call control neither joins nor calls, so nothing else can use that part of the frame.
  bool may_lie_in_callee(int variable, std::uint32_t call, bool is_return) const {
    for (const ir::Formal& formal : f_.params) {
      if (!formal.is_register && formal.index == variable) return false;
    }
    for (const ir::Formal& formal : f_.returns) {
      if (!formal.is_register && formal.index == variable) return false;
    }
    unsigned calls = 0;
    for (const Use& u : uses_[static_cast<std::size_t>(variable)]) {
      if (u.is_call) {
        ++calls;
      } else if (is_return) {
        if (!u.is_load || u.at < call || labels_until_[u.at] != labels_until_[call] ||
            calls_before_[u.at] != calls_before_[call + 1]) {
          return false;
        }
      } else if (!u.is_store || u.at > call || labels_until_[u.at] != labels_until_[call] ||
                 calls_before_[u.at] != calls_before_[call]) {
        return false;
      }
    }
    return calls == 1;
  }

  void formals_on_entry() {
    ir::Instruction at;
    at.where = f_.where;
    const auto convert = [&](std::vector<ir::Formal>& list, bool is_param) {
      for (ir::Formal& formal : list) {
        if (!formal.is_register) continue;
        const Type type = bits_type(type_bytes(f_.registers[static_cast<std::size_t>(formal.index)].type));
        const int v = add_variable(type_bytes(type), -1);
        if (is_param)
          load(at, formal.index, type, v, 0, false);
        else
          register_returns_.push_back({formal.index, v});
        formal = {false, v};
      }
    };
    convert(out_.function.returns, false);
    convert(out_.function.params, true);
  }

  // A function that allocates on the stack gives everything back when it returns (PTX ISA, alloca).
  void stack_on_entry() {
    if (f_.is_entry) return;
    for (const ir::Instruction& i : f_.code) {
      if (i.opcode != Opcode::alloca_) continue;
      ir::Instruction at;
      at.where = f_.where;
      saved_stack_ = add_register(Type::u32);
      ir::Instruction save = make(at, "stacksave", {"u32"}, false);
      save.operands = {reg(saved_stack_)};
      save.dst_count = 1;
      code().push_back(std::move(save));
      return;
    }
  }

  // mov.v2, mov.v4: a scalar mov for each element, through temporaries where a destination is a later source.
  void move_vector(const ir::Instruction& i) {
    std::vector<ir::Operand> sources = i.operands[1].elements;
    const std::vector<ir::Operand>& destinations = i.operands[0].elements;
    const Type type = i.modifiers.type;
    const auto is_written = [&](const ir::Operand& o) {
      return o.kind == Kind::kRegister &&
             std::any_of(destinations.begin(), destinations.end(), [&](const ir::Operand& d) {
               return d.kind == Kind::kRegister && d.index == o.index;
             });
    };
    for (ir::Operand& o : sources) {
      if (is_written(o)) o = reg(materialise(i, o, type));
    }
    for (std::size_t k = 0; k < sources.size(); ++k) {
      if (destinations[k].kind == Kind::kSink) continue;
      ir::Instruction move = make(i, "mov", {type_name(type)}, true);
      move.operands = {destinations[k], sources[k]};
      move.dst_count = 1;
      code().push_back(std::move(move));
    }
  }

  Replacement in_place_of(const ir::Instruction& i) {
    Replacement r;
    r.new_register = [this](Type type) { return add_register(type); };
    r.is_wide = [this](int index) {
      return type_bytes(out_.function.registers[static_cast<std::size_t>(index)].type) == 8;
    };
    r.add = [this, &i](const char* mnemonic, const std::vector<std::string_view>& suffixes,
                       std::vector<ir::Operand> operands, bool has_destination,
                       bool guarded) -> ir::Instruction& {
      ir::Instruction added = make(i, mnemonic, suffixes, guarded);
      if (std::find(suffixes.begin(), suffixes.end(), "v2") != suffixes.end()) added.vector = 2;
      added.operands = std::move(operands);
      added.dst_count = has_destination ? 1 : 0;
      code().push_back(std::move(added));
      legalise_sources(code().size() - 1);
      return code().back();
    };
    return r;
  }

  void rewrite(const ir::Instruction& i, std::uint32_t index) {
    if (i.opcode == Opcode::call) {
      call(i, index);
      return;
    }
    if (i.opcode == Opcode::mov && i.modifiers.type == Type::pred && i.operands[1].kind == Kind::kInteger) {
      set_predicate(i, i.operands[0], i.operands[1].bits != 0, true);
      return;
    }
    if (i.opcode == Opcode::mov && i.vector > 1) {
      move_vector(i);
      return;
    }
    if (i.opcode == Opcode::cp_bulk) {
      ir::Instruction copy = with_addresses_in_registers(i, in_place_of(i));
      code().push_back(std::move(copy));
      return legalise_sources(code().size() - 1);
    }
    if (i.opcode == Opcode::cluster) return expand_cluster(i, in_place_of(i));
    if (i.opcode == Opcode::mbarrier) return expand_mbarrier(i, in_place_of(i));
    if (i.opcode == Opcode::wmma) return expand_wmma(i, in_place_of(i));
    if (is_long_double_product(i)) return expand_double_product(i, in_place_of(i));
    if (i.opcode == Opcode::ret && saved_stack_ >= 0) {
      ir::Instruction restore = make(i, "stackrestore", {"u32"}, true);
      restore.operands = {reg(saved_stack_)};
      code().push_back(std::move(restore));
    }
    if (i.opcode == Opcode::ret) {
      for (const auto& [r, v] : register_returns_) {
        store(i, v, 0, bits_type(type_bytes(f_.registers[static_cast<std::size_t>(r)].type)), reg(r), true);
      }
    }
    code().push_back(i);
    if (i.opcode != Opcode::bra) legalise_sources(code().size() - 1);
  }

  // Replaces sources of instruction `at` that need an instruction of their own; those are put before it.
  void legalise_sources(std::size_t at) {
    ir::Instruction i = std::move(code()[at]);
    code().resize(at);
    const bool is_mov = i.opcode == Opcode::mov;
    std::vector<const OperandSpec*> specs;
    if (i.form && i.opcode != Opcode::brx) {
      written_operands(*i.form, i.modifiers, i.operands.size(), specs);
      specs.erase(std::remove(specs.begin(), specs.end(), nullptr), specs.end());
    }
    for (std::size_t k = i.dst_count; k < i.operands.size(); ++k) {
      const OperandSpec* spec = k < specs.size() ? specs[k] : nullptr;
      const bool in_vector = i.operands[k].kind == Kind::kVector;
      const std::size_t count = in_vector ? i.operands[k].elements.size() : 1;
      for (std::size_t e = 0; e < count; ++e) {
        ir::Operand& o = in_vector ? i.operands[k].elements[e] : i.operands[k];
        if (o.kind == Kind::kSpecial && (!is_mov || in_vector)) {
          const auto special = static_cast<SpecialRegister>(o.index);
          Type type = special_register_type(special);
          if (special == SpecialRegister::gridid && type_bytes(i.modifiers.type) == 4) type = Type::u32;
          o = reg(materialise(i, o, type));
        } else if ((o.kind == Kind::kVariable || o.kind == Kind::kFunction) && !is_mov) {
          const bool narrow = type_bytes(i.modifiers.type) == 4 && i.opcode != Opcode::isspacep;
          o = reg(materialise(i, o, narrow ? Type::u32 : Type::u64));
        } else if (o.kind == Kind::kInteger && spec &&
                   (spec->what == OperandClass::kPredicate ||
                    (spec->what == OperandClass::kType && i.modifiers.type == Type::pred))) {
          const bool value = o.bits != 0;
          o = reg(add_register(Type::pred));
          set_predicate(i, o, value, false);
        }
      }
    }
    code().push_back(std::move(i));
  }

  Signature signature_of(const ir::Instruction& i) const {
    Signature s;
    std::uint64_t offset = 0;
    const auto add = [&](std::vector<Slot>& list, Type type, std::uint64_t bytes) {
      list.push_back({type, bytes, offset});
      offset += formal_bytes(bytes);
    };
    const auto from_function = [&](const ir::Function& f) {
      const auto slots = [&](const std::vector<ir::Formal>& formals, std::vector<Slot>& list) {
        for (const ir::Formal& formal : formals) {
          const auto k = static_cast<std::size_t>(formal.index);
          if (formal.is_register)
            add(list, f.registers[k].type, type_bytes(f.registers[k].type));
          else
            add(list, f.variables[k].type, f.variables[k].bytes);
        }
      };
      slots(f.returns, s.returns);
      slots(f.params, s.params);
    };
    if (i.callee >= 0) {
      from_function(m_.functions[static_cast<std::size_t>(i.callee)]);
    } else {
      const ir::CallShape& shape = f_.shapes[static_cast<std::size_t>(i.shape)];
      if (shape.is_targets) {
        from_function(m_.functions[static_cast<std::size_t>(shape.targets[0])]);
      } else {
        for (const ir::Variable& v : shape.returns) add(s.returns, v.type, v.bytes);
        for (const ir::Variable& v : shape.params) add(s.params, v.type, v.bytes);
      }
    }
    return s;
  }

  // An argument of vprintf or __assertfail, in a register.
  ir::Operand value_of(const ir::Instruction& at, const ir::Operand& o, Type type) {
    if (o.kind == Kind::kRegister) return o;
    if (o.kind == Kind::kVariable) {
      const int t = add_register(type);
      load(at, t, type, o.index, 0, true);
      return reg(t);
    }
    return reg(materialise(at, o, type));
  }

  void heap_call(const ir::Instruction& at, Opcode opcode, std::vector<ir::Operand> operands,
                 std::uint8_t destinations) {
    ir::Instruction i;
    i.opcode = opcode;
    i.mnemonic = opcode == Opcode::heap_malloc ? "malloc" : "free";
    i.where = at.where;
    i.guard = at.guard;
    i.guard_negated = at.guard_negated;
    i.operands = std::move(operands);
    i.dst_count = destinations;
    code().push_back(std::move(i));
  }

  void system_call(const ir::Instruction& i, const std::string& name, const Signature& s) {
    if (name == "vprintf" && i.arguments.size() == 2 && i.returns.size() <= 1) {
      ir::Instruction print;
      print.opcode = Opcode::vprintf;
      print.mnemonic = name;
      print.where = i.where;
      print.guard = i.guard;
      print.guard_negated = i.guard_negated;
      const bool in_register = !i.returns.empty() && i.returns[0].kind == Kind::kRegister;
      const int status = in_register ? i.returns[0].index : add_register(Type::u32);
      print.operands = {reg(status), value_of(i, i.arguments[0], Type::u64),
                        value_of(i, i.arguments[1], Type::u64)};
      print.dst_count = 1;
      code().push_back(std::move(print));
      if (!i.returns.empty() && !in_register) store(i, i.returns[0].index, 0, Type::b32, reg(status), true);
      return;
    }
    if (name == "__assertfail" && i.arguments.size() == 5 && i.returns.empty()) {
      ir::Instruction trap;
      trap.opcode = Opcode::trap;
      trap.mnemonic = name;
      trap.where = i.where;
      trap.guard = i.guard;
      trap.guard_negated = i.guard_negated;
      for (std::size_t k = 0; k < 5; ++k) {
        trap.operands.push_back(value_of(i, i.arguments[k], s.params[k].bytes == 8 ? Type::u64 : Type::u32));
      }
      code().push_back(std::move(trap));
      return;
    }
    const auto is_long = [](const std::vector<Slot>& slots) {
      return slots.size() == 1 && slots[0].bytes == 8 && !is_float(slots[0].type);
    };
    if (name == "malloc" && is_long(s.params) && is_long(s.returns)) {
      const bool in_register = i.returns[0].kind == Kind::kRegister;
      const int block = in_register ? i.returns[0].index : add_register(Type::u64);
      heap_call(i, Opcode::heap_malloc, {reg(block), value_of(i, i.arguments[0], Type::u64)}, 1);
      if (i.returns[0].kind == Kind::kVariable) store(i, i.returns[0].index, 0, Type::b64, reg(block), true);
      return;
    }
    if (name == "free" && is_long(s.params) && s.returns.empty()) {
      heap_call(i, Opcode::heap_free, {value_of(i, i.arguments[0], Type::u64)}, 0);
      return;
    }
    // cudaLaunchDeviceV2, cudaGetParameterBufferV2, cudaDeviceSynchronize, ...; __cudaCDP2LaunchDeviceV2, ...
    if (name.rfind("cuda", 0) == 0 || name.rfind("__cudaCDP2", 0) == 0) {
      fail(i.where,
           fmt::format("'{}' is not supported: kernels cannot launch kernels or use the host API", name));
    }
    fail(i.where, fmt::format("function '{}' is declared but has no body", name));
  }

  void call(const ir::Instruction& i, std::uint32_t index) {
    const Signature s = signature_of(i);
    if (i.callee >= 0) {
      const ir::Function& callee = m_.functions[static_cast<std::size_t>(i.callee)];
      if (!callee.has_body) {
        system_call(i, callee.name, s);
        return;
      }
    }
    for (std::size_t k = 0; k < s.params.size(); ++k) {
      const ir::Operand& o = i.arguments[k];
      const Slot& slot = s.params[k];
      if (o.kind == Kind::kVariable && may_lie_in_callee(o.index, index, false)) {
        out_.outgoing[static_cast<std::size_t>(o.index)] = static_cast<std::int64_t>(slot.offset);
        continue;
      }
      const int v = add_variable(slot.bytes, static_cast<std::int64_t>(slot.offset));
      if (o.kind == Kind::kVariable)
        copy(i, o.index, v, slot.bytes, false);
      else
        store(i, v, 0, slot.type, o, false);
    }
    code().push_back(i);
    for (std::size_t k = 0; k < s.returns.size(); ++k) {
      const ir::Operand& o = i.returns[k];
      const Slot& slot = s.returns[k];
      if (o.kind == Kind::kVariable && may_lie_in_callee(o.index, index, true)) {
        out_.outgoing[static_cast<std::size_t>(o.index)] = static_cast<std::int64_t>(slot.offset);
        continue;
      }
      if (o.kind == Kind::kSink) continue;
      const int v = add_variable(slot.bytes, static_cast<std::int64_t>(slot.offset));
      if (o.kind == Kind::kVariable)
        copy(i, v, o.index, slot.bytes, true);
      else
        load(i, o.index, slot.type, v, 0, true);
    }
  }

  const ir::Module& m_;
  const ir::Function& f_;
  LegalFunction out_;
  std::vector<std::vector<Use>> uses_;
  std::vector<std::uint32_t> labels_until_, calls_before_;
  std::vector<std::pair<int, int>> register_returns_;  // register, variable
  int saved_stack_ = -1;                               ///< register with the stack pointer on entry
  int next_temporary_ = 0;
};

}  // namespace

std::uint64_t formal_bytes(std::uint64_t bytes) { return (bytes + 15) / 16 * 16; }

LegalFunction legalise(const ir::Module& m, const ir::Function& f) { return Legaliser(m, f).run(); }

}  // namespace warpvp::ptx
