#include "ptx/lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/error.h"
#include "ptx/first_reads.h"
#include "ptx/lexer.h"
#include "ptx/machine/alignment.h"
#include "ptx/machine/expansion.h"
#include "ptx/machine/machine_code.h"

namespace warpvp::ptx {

using Kind = ir::Operand::Kind;

namespace {

// Constants that a warp finds in its rows when it starts lie apart: one that overwrote another would change
// results and nothing else.
void check_presets(const Program& program) {
  std::vector<bool> taken;
  for (const PresetRow& p : program.presets)
    for (std::size_t row = p.row; row < p.row + (p.wide ? 2u : 1u); ++row) {
      if (taken.size() <= row) taken.resize(row + 1);
      if (taken[row])
        throw std::logic_error(
            fmt::format("kernel {}: two constants of the start lie in row {}", program.name, row));
      taken[row] = true;
    }
}

constexpr std::uint64_t kMaxSharedBytes = 1ull << 20;
constexpr std::uint64_t kMaxFrameBytes = 1ull << 19;  // 512 KiB of local memory a thread, as PTX allows
constexpr std::uint64_t kMaxParamBytes = 32764;

std::uint64_t round_up(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

template <typename Visit>
void each_operand(const ir::Instruction& i, Visit visit) {
  for (const auto* list : {&i.operands, &i.returns, &i.arguments}) {
    for (const ir::Operand& o : *list) {
      visit(o);
      for (const ir::Operand& e : o.elements) visit(e);
    }
  }
}

// The most registers alive across a call.
unsigned live_at_calls(const ir::Function& f, const Liveness& liveness) {
  std::vector<int> delta(2 * f.code.size() + 2, 0);
  for (std::size_t r = 0; r < f.registers.size(); ++r) {
    if (f.registers[r].constant) continue;
    const int rows = static_cast<int>(rows_of(f.registers[r].type));
    for (const LiveRange& range : liveness.ranges[r]) {
      delta[range.begin] += rows;
      delta[range.end + 1] -= rows;
    }
  }
  int live = 0, most = 0;
  for (std::size_t p = 0; p < 2 * f.code.size(); ++p) {
    live += delta[p];
    if (p % 2 == 1 && f.code[p / 2].opcode == Opcode::call) most = std::max(most, live);
  }
  return static_cast<unsigned>(most);
}

// %reserved_smem_offset_*, and the size that counts the region they describe.
bool is_reserved_shared(SpecialRegister r) {
  return r >= SpecialRegister::reserved_smem_begin && r <= SpecialRegister::reserved_smem_1;
}

bool names_variable(const ir::Operand& o) {
  return o.kind == Kind::kVariable || (o.kind == Kind::kAddress && o.base == ir::Operand::Base::kVariable);
}

}  // namespace

Lowering::Lowering(const ir::Module& m, Module& module, const CodeOptions& options)
    : m_(m),
      module_(module),
      options_(options),
      functions_(m.functions.size()),
      address_taken_(m.functions.size(), false) {
  for (const ir::Function& f : m.functions) refusal_.push_back(f.refusal);
  for (const ir::Variable& v : m.variables) variable_refusal_.push_back(v.refusal);
  int number = 0;
  for (const ir::Function& f : m.functions) number_.push_back(f.is_entry ? -1 : number++);
  globals();
  find_taken_addresses();
}

std::uint32_t Lowering::alignment_of(const ir::Variable& v) const {
  return options_.code == Code::kMachine ? machine::placed_alignment(v) : v.alignment;
}

std::uint64_t Lowering::function_address(int function) const {
  return kFunctionWindow + 16 * static_cast<std::uint64_t>(number_[static_cast<std::size_t>(function)]);
}

void Lowering::fail(ir::Location where, const std::string& message) const {
  fail_at(m_.file, where, message);
}

// Functions that are called by address may be called from any kernel.
void Lowering::find_taken_addresses() {
  for (const ir::Function& f : m_.functions) {
    for (const ir::Instruction& i : f.code) {
      each_operand(i, [&](const ir::Operand& o) {
        if (o.kind == Kind::kFunction) address_taken_[static_cast<std::size_t>(o.index)] = true;
      });
    }
    for (const ir::CallShape& s : f.shapes) {
      for (const int target : s.targets) address_taken_[static_cast<std::size_t>(target)] = true;
    }
  }
}

// A variable whose initial value needs one that is not there is not there either.
void Lowering::find_refused_variables() {
  for (bool found = true; found;) {
    found = false;
    for (std::size_t k = 0; k < m_.variables.size(); ++k) {
      const ir::Variable& v = m_.variables[k];
      for (const ir::Variable::Relocation& r : v.relocations) {
        if (r.is_function || !variable_refusal_[k].empty()) continue;
        const ir::Variable& target = m_.variables[static_cast<std::size_t>(r.index)];
        variable_refusal_[k] = variable_refusal_[static_cast<std::size_t>(r.index)];
        if (target.linkage == ir::Linkage::kExtern) {
          variable_refusal_[k] = fmt::format(
              "{}:{}:{}: initial value of '{}' needs '{}', which is declared .extern and not defined",
              m_.file, v.where.line, v.where.column, v.name, target.name);
        }
        found |= !variable_refusal_[k].empty();
      }
    }
  }
  for (std::size_t k = 0; k < m_.variables.size(); ++k) {
    if (!variable_refusal_[k].empty())
      module_.refused_variables_[m_.variables[k].name] = variable_refusal_[k];
  }
}

void Lowering::globals() {
  find_refused_variables();
  for (const ir::Variable& v : m_.variables) {
    if (!variable_refusal_[static_cast<std::size_t>(&v - m_.variables.data())].empty()) continue;
    if ((v.space != Space::kGlobal && v.space != Space::kConst) || v.linkage == ir::Linkage::kExtern)
      continue;
    GlobalVariable g;
    g.name = v.name;
    g.is_texture = v.is_texture;
    g.is_managed = v.is_managed;
    g.space = v.space;
    g.bytes = v.bytes;
    g.alignment = alignment_of(v);
    g.initial = v.initial;
    for (const ir::Variable::Relocation& r : v.relocations) {
      if (r.is_function) {
        // Functions have the same address in every program: no need to wait for placement.
        address_taken_[static_cast<std::size_t>(r.index)] = true;
        const std::uint64_t value =
            (function_address(r.index) + static_cast<std::uint64_t>(r.addend)) >> r.shift;
        for (unsigned k = 0; k < r.bytes; ++k)
          g.initial[r.offset + k] = static_cast<std::uint8_t>(value >> (8 * k));
        continue;
      }
      const ir::Variable& target = m_.variables[static_cast<std::size_t>(r.index)];
      g.relocations.push_back({r.offset, target.name, r.addend, r.generic, r.bytes, r.shift});
    }
    module_.globals_.push_back(std::move(g));
  }
}

FunctionCode& Lowering::code_of(int function) {
  const auto index = static_cast<std::size_t>(function);
  std::unique_ptr<FunctionCode>& slot = functions_[index];
  if (slot) return *slot;
  try {
    if (!refusal_[index].empty()) throw InputError(refusal_[index]);
    slot = make_code(function);
  } catch (const InputError& e) {
    refusal_[index] = e.what();  // the next kernel that needs it need not find out again
    throw;
  }
  return *slot;
}

std::unique_ptr<FunctionCode> Lowering::make_code(int function) const {
  const ir::Function& f = m_.functions[static_cast<std::size_t>(function)];
  if (!f.has_body) fail(f.where, fmt::format("function '{}' is used but has no body", f.name));
  auto slot = std::make_unique<FunctionCode>();
  slot->index = function;
  slot->legal = legalise(m_, f);
  if (options_.code == Code::kMachine) machine::make_machine_code(m_, slot->legal, options_);
  const ir::Function& legal = slot->legal.function;
  slot->cfg = std::make_unique<ControlFlowGraph>(legal);
  slot->liveness = analyse_liveness(legal, *slot->cfg);
  slot->allocation =
      allocate(legal, slot->liveness, fmt::format("{}:{}:{}", m_.file, f.where.line, f.where.column));
  for (const ir::Instruction& i : legal.code) {
    if (i.opcode != Opcode::call) continue;
    if (i.callee < 0)
      slot->has_indirect_call = true;
    else if (std::find(slot->callees.begin(), slot->callees.end(), i.callee) == slot->callees.end())
      slot->callees.push_back(i.callee);
  }
  slot->live_at_calls = live_at_calls(legal, slot->liveness);
  slot->loops = closed_loops(legal, *slot->cfg);
  slot->units = loop_units(legal);
  frame_layout(*slot);
  place_instructions(*slot);
  return slot;
}

void Lowering::place_instructions(FunctionCode& c) const {
  Pc at = 0;
  for (const ir::Instruction& i : c.legal.function.code) {
    c.position.push_back(at);
    const std::size_t steps = options_.code == Code::kMachine ? machine::expansion_of(i).size() : 0;
    at += static_cast<Pc>(std::max<std::size_t>(steps, 1) + i.control.instructions());
  }
  c.position.push_back(at);
}

// Return values, parameters, then .local variables and .param variables of the body. Kernel parameters are
// not in the frame: they have their own block, in the order and with the alignment of the declaration.
void Lowering::frame_layout(FunctionCode& c) const {
  const ir::Function& f = c.legal.function;
  c.variable_offset.assign(f.variables.size(), 0);
  std::vector<bool> placed(f.variables.size(), false);
  std::uint64_t at = 0;
  for (const auto* formals : {&f.returns, &f.params}) {
    for (const ir::Formal& formal : *formals) {
      const auto v = static_cast<std::size_t>(formal.index);
      if (f.is_entry) at = round_up(at, f.variables[v].alignment);
      c.variable_offset[v] = at;
      placed[v] = true;
      at += f.is_entry ? f.variables[v].bytes : formal_bytes(f.variables[v].bytes);
    }
  }
  if (f.is_entry) {
    if (at > kMaxParamBytes)
      fail(f.where, fmt::format("'{}' has {} bytes of parameters; at most {} are allowed", f.name, at,
                                kMaxParamBytes));
    at = 0;
  }
  for (std::size_t v = 0; v < f.variables.size(); ++v) {
    const Space space = f.variables[v].space;
    if (placed[v] || (space != Space::kLocal && space != Space::kParam) || c.legal.outgoing[v] >= 0) continue;
    at = round_up(at, f.variables[v].alignment);
    c.variable_offset[v] = at;
    at += f.variables[v].bytes;
    if (at > kMaxFrameBytes)
      fail(f.variables[v].where,
           fmt::format("'{}' has more than {} bytes of local variables", f.name, kMaxFrameBytes));
  }
  c.frame_bytes = round_up(at, 16);
  for (std::size_t v = 0; v < f.variables.size(); ++v) {
    if (c.legal.outgoing[v] < 0) continue;
    const auto offset = static_cast<std::uint64_t>(c.legal.outgoing[v]);
    c.variable_offset[v] = c.frame_bytes + offset;
    c.operand_bytes = std::max(c.operand_bytes, offset + formal_bytes(f.variables[v].bytes));
  }
}

void Lowering::collect_functions(int entry) {
  b_.functions = {entry};
  std::vector<bool> seen(m_.functions.size(), false);
  seen[static_cast<std::size_t>(entry)] = true;
  const auto add = [&](int f) {
    if (seen[static_cast<std::size_t>(f)]) return;
    seen[static_cast<std::size_t>(f)] = true;
    b_.functions.push_back(f);
  };
  bool indirect = false;
  for (std::size_t k = 0; k < b_.functions.size(); ++k) {
    const FunctionCode& c = code_of(b_.functions[k]);
    b_.units = std::max(b_.units, c.units);
    b_.program->has_calls |= !c.callees.empty() || c.has_indirect_call;
    for (const int callee : c.callees) add(callee);
    if (c.has_indirect_call && !indirect) {
      indirect = true;
      for (std::size_t f = 0; f < m_.functions.size(); ++f) {
        if (address_taken_[f] && m_.functions[f].has_body) add(static_cast<int>(f));
      }
    }
  }
}

void Lowering::shared_layout() {
  std::vector<std::pair<int, int>> used, dynamic;
  bool reads_reserved = false;
  for (const int function : b_.functions) {
    const ir::Function& f = code_of(function).legal.function;
    for (const ir::Instruction& i : f.code) {
      each_operand(i, [&](const ir::Operand& o) {
        reads_reserved |=
            o.kind == Kind::kSpecial && is_reserved_shared(static_cast<SpecialRegister>(o.index));
        if (!names_variable(o)) return;
        const auto index = static_cast<std::size_t>(o.index);
        const ir::Variable& v = o.module_scope ? m_.variables[index] : f.variables[index];
        if (v.space != Space::kShared) return;
        auto& list = v.linkage == ir::Linkage::kExtern ? dynamic : used;
        list.push_back({o.module_scope ? -1 : function, o.index});
      });
    }
  }
  b_.program->reserved_shared_bytes = reads_reserved ? Program::kReservedSharedBytes : 0;
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  const auto variable = [&](const std::pair<int, int>& key) -> const ir::Variable& {
    const auto index = static_cast<std::size_t>(key.second);
    return key.first < 0 ? m_.variables[index] : code_of(key.first).legal.function.variables[index];
  };
  std::uint64_t at = b_.program->reserved_shared_bytes;
  for (const std::pair<int, int>& key : used) {
    const ir::Variable& v = variable(key);
    at = round_up(at, alignment_of(v));
    b_.shared[key] = at;
    at += v.bytes;
    if (at > kMaxSharedBytes)
      fail(v.where, fmt::format("more than {} bytes of shared memory", kMaxSharedBytes));
  }
  if (!dynamic.empty()) {
    // All dynamic arrays begin at the same place, behind the static ones.
    std::uint64_t alignment = 16;
    for (const std::pair<int, int>& key : dynamic)
      alignment = std::max<std::uint64_t>(alignment, variable(key).alignment);
    at = round_up(at, alignment);
    for (const std::pair<int, int>& key : dynamic) b_.shared[key] = at;
    b_.program->uses_dynamic_shared = true;
  }
  b_.program->static_shared_bytes = static_cast<std::uint32_t>(at);
}

void Lowering::entry(int function) {
  const std::size_t patches = module_.patches_.size();
  const std::size_t preset_patches = module_.preset_patches_.size();
  try {
    build_entry(function);
  } catch (const InputError& e) {
    module_.patches_.erase(module_.patches_.begin() + static_cast<std::ptrdiff_t>(patches),
                           module_.patches_.end());
    module_.preset_patches_.erase(
        module_.preset_patches_.begin() + static_cast<std::ptrdiff_t>(preset_patches),
        module_.preset_patches_.end());
    module_.refused_[m_.functions[static_cast<std::size_t>(function)].name] = e.what();
  }
  functions_[static_cast<std::size_t>(function)] = nullptr;  // nobody calls a kernel
}

void Lowering::build_entry(int function) {
  const ir::Function& f = m_.functions[static_cast<std::size_t>(function)];
  auto program = std::make_shared<Program>();
  b_ = Building{};
  b_.program = program.get();
  program->name = f.name;
  program->file = m_.file;
  collect_functions(function);
  shared_layout();

  const FunctionCode& c = code_of(function);
  for (const ir::Formal& formal : f.params) {
    const ir::Variable& v = f.variables[static_cast<std::size_t>(formal.index)];
    Param p;
    p.name = v.name;
    p.type = fmt::format(".{}", type_name(v.type));
    if (v.vector > 1) p.type = fmt::format(".v{}{}", v.vector, p.type);
    for (const std::uint64_t d : v.dimensions) p.type += fmt::format("[{}]", d);
    p.offset = static_cast<std::uint32_t>(c.variable_offset[static_cast<std::size_t>(formal.index)]);
    p.bytes = static_cast<std::uint32_t>(v.bytes);
    p.alignment = v.alignment;
    p.is_pointer = v.is_pointer;
    program->params.push_back(std::move(p));
    program->param_bytes = program->params.back().offset + program->params.back().bytes;
  }
  const auto product = [](const std::uint32_t(&n)[3]) {
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(static_cast<std::uint64_t>(n[0]) * n[1] * n[2], 0xffff'ffffu));
  };
  program->max_threads = product(f.max_threads);
  if (f.required_threads[0]) {
    for (int k = 0; k < 3; ++k) program->required_block[k] = f.required_threads[k];
    if (program->max_threads == 0) program->max_threads = product(f.required_threads);
  }
  program->min_ctas_per_sm = f.min_ctas_per_sm;
  for (const ConstantOperand& constant : c.legal.constants) preset(c, constant);
  check_presets(*b_.program);

  Pc next = 0;
  for (const int g : b_.functions) {
    b_.start[g] = next;
    next += code_of(g).position.back();
  }
  program->functions.assign(
      static_cast<std::size_t>(std::count_if(number_.begin(), number_.end(), [](int n) { return n >= 0; })),
      kNoPc);
  for (const int g : b_.functions) {
    program->function_of.push_back(m_.functions[static_cast<std::size_t>(g)].name);
    const int number = number_[static_cast<std::size_t>(g)];
    if (number >= 0) program->functions[static_cast<std::size_t>(number)] = b_.start[g];
  }
  program->code.reserve(next);
  for (const int g : b_.functions) emit(g);
  sizes();
  program->zero_rows = rows_read_first(*program);
  module_.programs_[f.name] = std::move(program);
}

void Lowering::preset(const FunctionCode& c, const ConstantOperand& constant) {
  const auto reg = static_cast<std::size_t>(constant.reg);
  PresetRow p;
  p.row = c.allocation.row[reg];
  // Code alone that nothing reaches reads it: its row may serve another constant at the beginning.
  const std::vector<LiveRange>& ranges = c.liveness.ranges[reg];
  if (p.row == kNoRow || ranges.front().begin > 0) return;
  p.wide = rows_of(c.legal.function.registers[reg].type) == 2;
  p.special = constant.special;
  p.bytes = static_cast<std::uint8_t>(type_bytes(constant.type));
  p.sign = is_signed(constant.type);
  if (constant.module_scope) {
    const std::string& refusal = variable_refusal_[static_cast<std::size_t>(constant.variable)];
    if (!refusal.empty()) throw InputError(refusal);
    p.in_memory = true;
    p.address = static_cast<std::uint64_t>(constant.offset);
    module_.preset_patches_.push_back({b_.program, b_.program->presets.size(),
                                       m_.variables[static_cast<std::size_t>(constant.variable)].name});
  } else if (constant.variable >= 0)
    p.offset = static_cast<std::uint32_t>(c.variable_offset[static_cast<std::size_t>(constant.variable)] +
                                          static_cast<std::uint64_t>(constant.offset));
  b_.program->presets.push_back(p);
}

// Depth of the deepest chain of calls without recursion, in rows, predicates and depot bytes.
void Lowering::sizes() {
  Program& p = *b_.program;
  struct Need {
    std::uint64_t rows = 0, preds = 0, depot = 0, live = 0;
    int state = 0;  // 0 new, 1 on the current path, 2 known
  };
  std::map<int, Need> needs;
  std::vector<int> indirect;
  for (const int f : b_.functions) {
    if (address_taken_[static_cast<std::size_t>(f)] && !m_.functions[static_cast<std::size_t>(f)].is_entry)
      indirect.push_back(f);
  }
  struct Visit {
    int function;
    std::size_t next;
    std::vector<int> callees;
  };
  std::vector<Visit> stack;
  const auto enter = [&](int f) {
    const FunctionCode& c = code_of(f);
    std::vector<int> callees = c.callees;
    if (c.has_indirect_call) callees.insert(callees.end(), indirect.begin(), indirect.end());
    needs[f].state = 1;
    stack.push_back({f, 0, std::move(callees)});
  };
  enter(b_.functions[0]);
  while (!stack.empty()) {
    Visit& v = stack.back();
    if (v.next < v.callees.size()) {
      const int callee = v.callees[v.next++];
      const int state = needs[callee].state;
      if (state == 1)
        p.recursive = true;
      else if (state == 0)
        enter(callee);
      continue;
    }
    const FunctionCode& c = code_of(v.function);
    p.frame_rows =
        std::max(p.frame_rows, static_cast<std::uint32_t>(round_up(std::uint64_t{c.allocation.rows}, 2)));
    Need total;
    total.rows = c.allocation.rows;
    total.preds = c.allocation.predicates;
    // An indirect call's operands may be more than what any function that it can reach has room for.
    total.depot = c.frame_bytes + c.operand_bytes;
    total.live = c.liveness.max_live_rows;
    for (const int callee : v.callees) {
      const Need& n = needs[callee];
      if (n.state != 2) continue;
      total.rows = std::max(total.rows, round_up(c.allocation.rows, 2) + n.rows);
      total.preds = std::max(total.preds, c.allocation.predicates + n.preds);
      total.depot = std::max(total.depot, c.frame_bytes + n.depot);
      total.live = std::max(total.live, c.live_at_calls + n.live);
    }
    total.state = 2;
    needs[v.function] = total;
    stack.pop_back();
  }
  const Need& need = needs[b_.functions[0]];
  const ir::Function& f = m_.functions[static_cast<std::size_t>(b_.functions[0])];
  if (need.rows > kMaxRows) {
    fail(f.where,
         fmt::format(
             "'{}' with the functions it calls needs {} registers per thread; at most {} are supported",
             p.name, need.rows, kMaxRows));
  }
  p.rows = static_cast<std::uint32_t>(need.rows);
  p.preds = static_cast<std::uint32_t>(need.preds);
  for (const int f : b_.functions) {
    for (const ir::Instruction& i : code_of(f).legal.function.code)
      if (i.opcode == Opcode::alloca_) p.stack_bytes = Program::kStackBytes;
  }
  p.depot_bytes = static_cast<std::uint32_t>(need.depot) + p.stack_bytes;
  // Occupancy counts what a register allocator free to move values would need, not the rows, which are more
  // because no row holds both widths.
  p.registers_per_thread = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(std::max<std::uint64_t>(need.live, options_.least_registers), 1, 255));
}

}  // namespace warpvp::ptx
