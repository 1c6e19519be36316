// Instructions of a program: operands to rows and constants, labels to program counters.

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

#include "base/error.h"
#include "ptx/disassemble.h"
#include "ptx/exec/select.h"
#include "ptx/lowering.h"
#include "ptx/machine/expansion.h"
#include "ptx/matrix.h"
#include "ptx/opcode_table.h"
#include "ptx/video.h"

namespace warpvp::ptx {

using Kind = ir::Operand::Kind;

namespace {

Type wide_type(Type t) {
  switch (t) {
    case Type::u16:
      return Type::u32;
    case Type::s16:
      return Type::s32;
    case Type::s32:
      return Type::s64;
    default:
      return Type::u64;
  }
}

Type class_type(OperandClass what, const Modifiers& m) {
  switch (what) {
    case OperandClass::kType:
    case OperandClass::kWideType:
    case OperandClass::kMove:
    case OperandClass::kAddressOf:
      return m.type;
    case OperandClass::kSource:
    case OperandClass::kLevel:
    case OperandClass::kCoordinates:
    case OperandClass::kWideSource:
      return m.src_type;
    case OperandClass::kWide:
      return wide_type(m.type);
    case OperandClass::kPredicate:
      return Type::pred;
    case OperandClass::kLong:
      return Type::u64;
    case OperandClass::kSingle:
      return Type::f32;
    default:
      return Type::u32;
  }
}

// Inst::aux of a video instruction before selection.
std::uint64_t video_selectors(const ir::Instruction& i) {
  const unsigned lanes = i.modifiers.video.lanes;
  VideoSelectors s{};
  s.d = *destination_selector(lanes, i.operands[0].selector);
  s.a = *source_selector(lanes, 0, i.operands[1].selector);
  s.b = *source_selector(lanes, 1, i.operands[2].selector);
  if (i.modifiers.video.op == VideoOp::mad) {
    s.negate_a = i.operands[1].negated;
    s.negate_b = i.operands[2].negated;
    s.negate_c = i.operands[3].negated;
  }
  std::uint64_t aux;
  std::memcpy(&aux, &s, sizeof aux);
  return aux;
}

}  // namespace

std::uint64_t constant_bits(const ir::Operand& o, Type type) {
  if (o.kind == Kind::kSingle && type == Type::f64) {
    float f;
    const auto b = static_cast<std::uint32_t>(o.bits);
    std::memcpy(&f, &b, 4);
    const double d = f;
    std::uint64_t bits;
    std::memcpy(&bits, &d, 8);
    return bits;
  }
  if (o.kind == Kind::kDouble && type == Type::f32) {
    double d;
    std::memcpy(&d, &o.bits, 8);
    const float f = static_cast<float>(d);
    std::uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  }
  switch (type_bytes(type)) {
    case 1:
      return o.bits & 0xff;
    case 2:
      return o.bits & 0xffff;
    case 4:
      return o.bits & 0xffff'ffff;
    default:
      return o.bits;
  }
}

std::uint16_t Lowering::new_constant_row(bool wide) {
  std::vector<std::uint32_t>& bank = b_.program->constants;
  std::size_t row = bank.size() / kWarpSize;
  if (wide) row = (row + 1) / 2 * 2;
  if (row + 2 > 0xffff) {
    const ir::Function& f = m_.functions[static_cast<std::size_t>(b_.functions[0])];
    fail(f.where, fmt::format("'{}' has more than 65,000 different constants", f.name));
  }
  bank.resize((row + (wide ? 2 : 1)) * kWarpSize, 0);
  return static_cast<std::uint16_t>(row);
}

std::uint16_t Lowering::constant(std::uint64_t bits, bool wide) {
  if (!wide) bits &= 0xffff'ffff;
  const auto known = b_.constants.find({bits, wide});
  if (known != b_.constants.end()) return known->second;
  const std::uint16_t row = new_constant_row(wide);
  std::uint32_t* words = b_.program->constants.data() + static_cast<std::size_t>(row) * kWarpSize;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (wide) {
      words[2 * lane] = static_cast<std::uint32_t>(bits);
      words[2 * lane + 1] = static_cast<std::uint32_t>(bits >> 32);
    } else {
      words[lane] = static_cast<std::uint32_t>(bits);
    }
  }
  b_.constants[{bits, wide}] = row;
  return row;
}

std::uint32_t Lowering::modifiers(const Modifiers& m) {
  static_assert(std::has_unique_object_representations_v<Modifiers>);
  std::vector<Modifiers>& all = b_.program->modifiers;
  const auto [at, is_new] = b_.modifiers.emplace(std::string(reinterpret_cast<const char*>(&m), sizeof m),
                                                 static_cast<std::uint32_t>(all.size()));
  if (is_new) all.push_back(m);
  return at->second;
}

std::uint16_t Lowering::symbol(const ir::Operand& o) {
  const ir::Variable& v = m_.variables[static_cast<std::size_t>(o.index)];
  const std::string& refusal = variable_refusal_[static_cast<std::size_t>(o.index)];
  if (!refusal.empty()) throw InputError(refusal);
  if (v.linkage == ir::Linkage::kExtern)
    fail(o.where, fmt::format("'{}' is declared .extern and not defined", v.name));
  // The offset of a memory operand goes to Inst::offset, that of a moved address into the constant.
  const std::int64_t addend = o.kind == Kind::kAddress ? 0 : o.offset;
  const auto known = b_.symbols.find({o.index, addend});
  if (known != b_.symbols.end()) return known->second;
  const std::uint16_t row = new_constant_row(true);
  module_.patches_.push_back({b_.program, row, v.name, addend, true});
  b_.symbols[{o.index, addend}] = row;
  return row;
}

void Lowering::emit(int function) {
  const FunctionCode& c = code_of(function);
  const std::vector<ir::Instruction>& code = c.legal.function.code;
  for (std::uint32_t i = 0; i < code.size(); ++i) emit_instruction(c, code[i], i, b_.start[function]);
}

void Lowering::emit_instruction(const FunctionCode& c, const ir::Instruction& i, std::uint32_t index,
                                Pc base) {
  const ir::Function& f = c.legal.function;
  Program& program = *b_.program;
  Inst inst;
  inst.opcode = i.opcode;
  inst.line = i.where.line;
  classify(i, f.is_entry, inst);
  if (i.guard >= 0) {
    inst.guard = {OperandKind::kPred, i.guard_negated, c.allocation.row[static_cast<std::size_t>(i.guard)]};
  }
  inst.space = i.space;
  inst.cache_op = static_cast<std::uint8_t>(i.cache);
  inst.is_volatile = i.is_volatile;
  inst.uniform = i.uniform;
  inst.vector = i.vector;
  switch (i.opcode) {
    case Opcode::st:
      inst.is_store = true;
      [[fallthrough]];
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::atom:
    case Opcode::red:
      inst.access_bytes = static_cast<std::uint8_t>(type_bytes(i.modifiers.type));
      inst.is_atomic = i.opcode == Opcode::atom || i.opcode == Opcode::red;
      if (inst.space == Space::kNone) inst.space = Space::kGeneric;
      break;
    case Opcode::prefetch:
    case Opcode::prefetchu:
      if (inst.space == Space::kNone) inst.space = Space::kGeneric;
      break;
    case Opcode::heap_malloc:
    case Opcode::heap_free:
      program.uses_heap = true;
      break;
    case Opcode::sust:
      inst.is_store = true;
      [[fallthrough]];
    case Opcode::suld:
    case Opcode::tex:
    case Opcode::tld4:
      inst.space = Space::kGlobal;
      inst.access_bytes = static_cast<std::uint8_t>(type_bytes(i.modifiers.type));
      break;
    case Opcode::stmatrix:
      inst.is_store = true;
      [[fallthrough]];
    case Opcode::ldmatrix:
      inst.access_bytes = 16;  // a row of a matrix
      if (inst.space == Space::kNone) inst.space = Space::kGeneric;
      break;
    case Opcode::mma:
      inst.access_bytes = static_cast<std::uint8_t>(log_multiply_adds(i.modifiers) |
                                                    (i.modifiers.matrix.sparse ? kSparseProduct : 0));
      inst.table = static_cast<std::uint32_t>(program.fragments.size());
      for (const ir::Operand& o : i.operands) {
        const auto add = [&](const ir::Operand& e) {
          program.fragments.push_back(c.allocation.row[static_cast<std::size_t>(e.index)]);
        };
        if (o.kind == Kind::kVector)
          std::for_each(o.elements.begin(), o.elements.end(), add);
        else if (o.kind == Kind::kRegister)  // not the selector of mma.sp
          add(o);
      }
      break;
    case Opcode::cp_bulk: {
      const AsyncOp direction = i.modifiers.async;
      inst.space = direction == AsyncOp::bulk_within ? Space::kShared : Space::kGlobal;
      inst.is_atomic = direction == AsyncOp::bulk_out && i.modifiers.atom != AtomOp::kNone;
      inst.is_store = direction == AsyncOp::bulk_out && !inst.is_atomic;
      inst.is_async = true;
      break;
    }
    case Opcode::cp_async:
      inst.is_async = i.modifiers.async == AsyncOp::copy;
      break;
    case Opcode::cvta:
      // A function's parameters are in its depot, which is local memory.
      if (inst.space == Space::kParam && !f.is_entry) inst.space = Space::kLocal;
      break;
    default:
      break;
  }
  operands(c, i, inst);
  control(c, i, index, base, inst);
  read_write_sets(c, i, inst);
  Modifiers m = i.modifiers;
  if (i.opcode == Opcode::mov && i.operands[1].kind == Kind::kSpecial)
    m.special = static_cast<std::uint8_t>(i.operands[1].index);
  std::string text = disassemble(m_, f, i);
  inst.modifiers = modifiers(m);
  inst.exec = select_exec(inst, m);
  if (!inst.exec) fail(i.where, fmt::format("instruction '{}' is not supported", i.mnemonic));
  machine::append_control(i.control, inst, program);
  if (options_.code == Code::kMachine) machine::append_parts(machine::expansion_of(i), text, inst, program);
  inst.ir_index = static_cast<std::uint32_t>(program.texts.size());
  program.texts.push_back(std::move(text));
  program.code.push_back(inst);
}

void Lowering::scalar(const FunctionCode& c, const ir::Operand& o, Type type, Inst& inst, bool destination,
                      unsigned slot) {
  Operand& out = destination ? inst.dst[slot] : inst.source(slot);
  const unsigned wide_bit = destination ? slot : kMaxDst + slot;
  bool wide = false;
  switch (o.kind) {
    case Kind::kRegister: {
      const auto index = static_cast<std::size_t>(o.index);
      const Type reg = c.legal.function.registers[index].type;
      const bool is_pred = reg == Type::pred;
      out = {is_pred ? OperandKind::kPred : OperandKind::kReg, is_pred && o.negated, c.allocation.row[index]};
      wide = rows_of(reg) == 2;
      break;
    }
    case Kind::kInteger:
    case Kind::kSingle:
    case Kind::kDouble:
      wide = type_bytes(type) == 8;
      out = {OperandKind::kConst, false, constant(constant_bits(o, type), wide)};
      break;
    default:
      break;  // a sink
  }
  if (wide) inst.wide = static_cast<std::uint16_t>(inst.wide | 1u << wide_bit);
}

void Lowering::address(const FunctionCode& c, const ir::Instruction& i, const ir::Operand& o, Inst& inst,
                       unsigned slot) {
  const ir::Function& f = c.legal.function;
  std::int64_t offset = o.offset;
  switch (o.base) {
    case ir::Operand::Base::kRegister: {
      ir::Operand r;
      r.kind = Kind::kRegister;
      r.index = o.index;
      scalar(c, r, Type::u64, inst, false, slot);
      // The address of a function's parameter, taken by mov, is one in the depot.
      if (inst.space == Space::kParam && !f.is_entry) inst.space = Space::kLocal;
      break;
    }
    case ir::Operand::Base::kVariable: {
      const auto index = static_cast<std::size_t>(o.index);
      const ir::Variable& v = o.module_scope ? m_.variables[index] : f.variables[index];
      if (v.space == Space::kGlobal || v.space == Space::kConst) {
        inst.src[slot] = {OperandKind::kConst, false, symbol(o)};
        inst.wide = static_cast<std::uint16_t>(inst.wide | 1u << (kMaxDst + slot));
      } else if (v.space == Space::kShared) {
        const int owner = o.module_scope ? -1 : c.index;
        offset += static_cast<std::int64_t>(b_.shared.at({owner, o.index}));
      } else {
        offset += static_cast<std::int64_t>(c.variable_offset[index]);
        bool kernel_param = false;
        if (f.is_entry) {
          for (const ir::Formal& formal : f.params) kernel_param |= formal.index == o.index;
        }
        inst.depot = !kernel_param;
      }
      break;
    }
    case ir::Operand::Base::kAbsolute:
      break;
  }
  // cp.async has two addresses: the second one's offset is in aux. A source address is never absolute there.
  if (i.opcode == Opcode::cp_async && slot == 1)
    inst.aux = static_cast<std::uint64_t>(offset);
  else
    inst.offset = offset;
  if (i.opcode == Opcode::cp_async && inst.src[slot].kind == OperandKind::kNone) {
    // Named shared variables and absolute addresses: a constant, so that both slots are filled alike.
    inst.src[slot] = {OperandKind::kConst, false, constant(0, true)};
    inst.wide = static_cast<std::uint16_t>(inst.wide | 1u << (kMaxDst + slot));
  }
}

void Lowering::move_source(const FunctionCode& c, const ir::Instruction& i, const ir::Operand& o,
                           Inst& inst) {
  const ir::Function& f = c.legal.function;
  const bool wide = type_bytes(i.modifiers.type) == 8;
  inst.src_count = 1;
  const auto set = [&](std::uint64_t value) {
    inst.src[0] = {OperandKind::kConst, false, constant(value, wide)};
    if (wide) inst.wide |= 1u << kMaxDst;
  };
  if (o.kind == Kind::kSpecial) {
    inst.src_count = 0;
  } else if (o.kind == Kind::kFunction) {
    const ir::Function& target = m_.functions[static_cast<std::size_t>(o.index)];
    if (!target.has_body) fail(o.where, fmt::format("function '{}' has no body", target.name));
    set(function_address(o.index));
  } else if (o.kind == Kind::kVariable) {
    const auto index = static_cast<std::size_t>(o.index);
    const ir::Variable& v = o.module_scope ? m_.variables[index] : f.variables[index];
    if (v.space == Space::kGlobal || v.space == Space::kConst) {
      inst.src[0] = {OperandKind::kConst, false, symbol(o)};
      inst.wide |= 1u << kMaxDst;
      return;
    }
    // Shared, local and parameter addresses are offsets: `address` computes them.
    ir::Operand named = o;
    named.kind = Kind::kAddress;
    named.base = ir::Operand::Base::kVariable;
    address(c, i, named, inst, 0);
    set(static_cast<std::uint64_t>(inst.offset));
    inst.offset = 0;
  } else {
    scalar(c, o, i.modifiers.type, inst, false, 0);
  }
}

// One result and sources of one type. A last operand that is no source goes into aux: the shift of lea, the
// table of lop3; of add3 the signs do.
void Lowering::machine_operands(const FunctionCode& c, const ir::Instruction& i, Inst& inst) {
  const Type type = i.modifiers.type;
  const std::size_t sources = i.opcode == Opcode::lea ? 2 : 3;
  scalar(c, i.operands[0], type, inst, true, inst.dst_count++);
  for (std::size_t k = 1; k <= sources; ++k) {
    if (i.operands[k].negated) inst.aux |= std::uint64_t{1} << inst.src_count;
    scalar(c, i.operands[k], type, inst, false, inst.src_count++);
  }
  if (i.operands.size() > sources + 1) inst.aux = i.operands[sources + 1].bits;
}

void Lowering::operands(const FunctionCode& c, const ir::Instruction& i, Inst& inst) {
  if (!i.form && (i.opcode == Opcode::add3 || i.opcode == Opcode::lea || i.opcode == Opcode::lop3)) {
    machine_operands(c, i, inst);
    return;
  }
  // Internal instructions and calls: plain registers.
  if (!i.form || i.opcode == Opcode::brx || i.opcode == Opcode::call) {
    for (std::size_t k = 0; k < i.operands.size(); ++k) {
      const bool destination = k < i.dst_count;
      scalar(c, i.operands[k], Type::u32, inst, destination,
             destination ? inst.dst_count++ : inst.src_count++);
    }
    if (i.opcode == Opcode::trap && !i.operands.empty()) inst.aux = 1;
    return;
  }
  if (i.opcode == Opcode::mov) {
    const ir::Operand &d = i.operands[0], &s = i.operands[1];
    if (d.kind == Kind::kVector) {
      for (const ir::Operand& e : d.elements) scalar(c, e, Type::b32, inst, true, inst.dst_count++);
    } else {
      scalar(c, d, i.modifiers.type, inst, true, inst.dst_count++);
    }
    if (s.kind == Kind::kVector) {
      const unsigned bytes = type_bytes(i.modifiers.type) / static_cast<unsigned>(s.elements.size());
      const Type piece = bytes == 4 ? Type::b32 : bytes == 2 ? Type::b16 : Type::b8;
      for (const ir::Operand& e : s.elements) scalar(c, e, piece, inst, false, inst.src_count++);
    } else {
      move_source(c, i, s, inst);
    }
    return;
  }
  if (i.opcode == Opcode::mma) return;  // Program::fragments
  std::vector<const OperandSpec*> written;
  written_operands(*i.form, i.modifiers, i.operands.size(), written);
  std::size_t at = 0;
  for (const OperandSpec* present : written) {
    if (!present) {
      // Barriers: the slot of the thread count stays, empty.
      if (i.opcode == Opcode::bar || i.opcode == Opcode::barrier) ++inst.src_count;
      continue;
    }
    const OperandSpec& spec = *present;
    const ir::Operand& o = i.operands[at++];
    if (spec.what == OperandClass::kPolicy) continue;  // a hint: no cache here follows it
    const Type type = class_type(spec.what, i.modifiers);
    if (spec.what == OperandClass::kMemory && i.opcode == Opcode::cp_bulk) {
      scalar(c, o, Type::u64, inst, false, inst.src_count++);  // legalise() has put it into a register
    } else if (spec.what == OperandClass::kMemory) {
      address(c, i, o, inst, inst.src_count);
      ++inst.src_count;
    } else if (spec.what == OperandClass::kLevel || spec.what == OperandClass::kGradient) {
      // A texture has one level: which is asked for does not matter, though its registers are read.
    } else if (spec.what == OperandClass::kImmediate) {
      if (i.opcode == Opcode::lop3 || i.opcode == Opcode::cp_async || i.opcode == Opcode::alloca_) {
        if (i.modifiers.async == AsyncOp::copy)
          inst.access_bytes = static_cast<std::uint8_t>(o.bits);
        else
          inst.aux = o.bits;
      }
    } else if (o.kind == Kind::kVector || o.kind == Kind::kPair) {
      for (const ir::Operand& e : o.elements) {
        scalar(c, e, type, inst, spec.destination, spec.destination ? inst.dst_count++ : inst.src_count++);
      }
    } else {
      scalar(c, o, type, inst, spec.destination, spec.destination ? inst.dst_count++ : inst.src_count++);
    }
  }
  if (i.opcode == Opcode::video) inst.aux = video_selectors(i);
  if ((i.opcode == Opcode::bar || i.opcode == Opcode::barrier) && i.modifiers.bar != BarOp::warp_sync &&
      i.modifiers.bar != BarOp::cluster) {
    const ir::Operand& id = i.operands[i.dst_count];
    const std::uint32_t count = id.kind == Kind::kInteger ? static_cast<std::uint32_t>(id.bits) + 1 : 16;
    b_.program->barriers = std::max(b_.program->barriers, count);
  }
}

void Lowering::control(const FunctionCode& c, const ir::Instruction& i, std::uint32_t index, Pc base,
                       Inst& inst) {
  const ir::Function& f = c.legal.function;
  const std::vector<Block>& blocks = c.cfg->blocks();
  const auto pc_of_label = [&](int label) {
    return base + c.position[f.labels[static_cast<std::size_t>(label)].position];
  };
  if (i.opcode == Opcode::bra || i.opcode == Opcode::brx) {
    const int meet = blocks[static_cast<std::size_t>(c.cfg->block_of(index))].reconvergence;
    inst.reconverge = meet < 0 ? kNoPc : base + c.position[blocks[static_cast<std::size_t>(meet)].begin];
    const ClosedLoops& loops = c.loops[index];
    inst.loop_units = loops.has_calls ? std::max(loops.units, b_.units) : loops.units;
  }
  if (i.opcode == Opcode::bra) {
    inst.target = pc_of_label(i.label);
  } else if (i.opcode == Opcode::brx) {
    std::vector<Pc> targets;
    for (const int label : f.tables[static_cast<std::size_t>(i.table)].labels)
      targets.push_back(pc_of_label(label));
    inst.table = static_cast<std::uint32_t>(b_.program->branch_tables.size());
    b_.program->branch_tables.push_back(std::move(targets));
  } else if (i.opcode == Opcode::call) {
    if (i.callee >= 0) inst.target = b_.start[i.callee];
    inst.frame_rows = static_cast<std::uint16_t>((c.allocation.rows + 1) / 2 * 2);
    inst.frame_preds = static_cast<std::uint16_t>(c.allocation.predicates);
    inst.frame_param_bytes = static_cast<std::uint32_t>(c.frame_bytes);
  }
}

void Lowering::read_write_sets(const FunctionCode& c, const ir::Instruction& i, Inst& inst) {
  std::vector<int> registers;
  const auto fill = [&](auto& rows, std::uint8_t& row_count, auto& preds, std::uint8_t& pred_count) {
    const auto add = [](auto& list, std::uint8_t& count, std::uint16_t value) {
      if (std::find(list, list + count, value) != list + count) return;
      assert(count < std::size(list));
      list[count++] = value;
    };
    for (const int r : registers) {
      const auto index = static_cast<std::size_t>(r);
      if (c.legal.function.registers[index].constant) continue;  // not in the register file
      const unsigned width = rows_of(c.legal.function.registers[index].type);
      const std::uint16_t row = c.allocation.row[index];
      if (width == 0) add(preds, pred_count, row);
      for (unsigned k = 0; k < width; ++k) add(rows, row_count, static_cast<std::uint16_t>(row + k));
    }
  };
  registers_read(i, registers);
  fill(inst.reads, inst.read_rows, inst.pred_reads, inst.read_preds);
  registers_written(i, registers);
  fill(inst.writes, inst.written_rows, inst.pred_writes, inst.written_preds);
}

}  // namespace warpvp::ptx
