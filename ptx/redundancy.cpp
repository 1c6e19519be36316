#include "ptx/redundancy.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/program_flow.h"

namespace warpvp::ptx {
namespace {

/// What is known of a register: its class and whether it is affine. The order of both is from strong to weak,
/// so that 0 is what is known of nothing, and join() yields the weaker of two.
struct Value {
  Redundancy of = Redundancy::kDefinite;
  bool affine = true;
};
constexpr Value kVectorValue{Redundancy::kVector, false};
Value join(Value a, Value b) { return {std::max(a.of, b.of), a.affine && b.affine}; }
bool operator==(Value a, Value b) { return a.of == b.of && a.affine == b.affine; }

/// Rows, then predicates, then the carry flag.
using State = std::vector<Value>;

Value of_special(SpecialRegister r) {
  if (r == SpecialRegister::tid_x) return {Redundancy::kConditional, true};
  if (r == SpecialRegister::tid_y) return {Redundancy::kConditionalByXy, true};
  if (r == SpecialRegister::tid_z) return {Redundancy::kVector, true};
  if (r >= SpecialRegister::tid_w && r <= SpecialRegister::nctaid_w) return {};
  return kVectorValue;
}

/// Yields what other lanes or threads decide, or nobody knows.
bool is_vector_operation(const Inst& inst, LocalLoads local) {
  switch (inst.opcode) {
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::mma:
    case Opcode::movmatrix:
    case Opcode::ldmatrix:
    case Opcode::activemask:
    case Opcode::elect:
    case Opcode::atom:
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::vprintf:
    case Opcode::heap_malloc:
    case Opcode::alloca_:
    case Opcode::stacksave:
    case Opcode::suld:
      return true;
    case Opcode::ld:
    case Opcode::ldu:
      if (inst.is_volatile) return true;
      return local == LocalLoads::kVector &&
             (inst.space == Space::kLocal || (inst.space == Space::kParam && inst.depot));
    case Opcode::mov:
      return local == LocalLoads::kVector && inst.depot;  // the address of a thread's own variable
    case Opcode::cvta:
      return local == LocalLoads::kVector && inst.space == Space::kLocal;
    default:
      return false;
  }
}

/// Yields an affine value where all sources are. Products: where all but one are the same in all lanes.
bool keeps_affine(const Inst& inst, const Modifiers& m) {
  if (is_float(m.type)) return false;
  switch (inst.opcode) {
    case Opcode::mov:
    case Opcode::add:
    case Opcode::add3:
    case Opcode::sub:
    case Opcode::neg:
    case Opcode::cvta:
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::lea:
    case Opcode::shl:
      return true;
    case Opcode::cvt:
      return !is_float(m.src_type) && !m.sat;
    default:
      return false;
  }
}
/// Of such an operation, how many of its first sources are factors: at most one of them may differ among
/// lanes.
unsigned factors(const Inst& inst) {
  switch (inst.opcode) {
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::mad:
    case Opcode::mad24:
      return 2;
    default:
      return 0;
  }
}

class Analysis {
 public:
  Analysis(const Program& program, LocalLoads local)
      : program_(program),
        local_(local),
        flow_(program),
        in_(flow_.blocks().size()),
        floor_(flow_.blocks().size()) {
    if (program.code.empty()) return;
    count_registers();
    for (State& state : in_) state.assign(registers_, Value{});
    for (State& state : floor_) state.assign(registers_, Value{});
    for (const unsigned root : flow_.roots()) floor_[root].assign(registers_, kVectorValue);
    preset(floor_[flow_.roots().front()]);
    find_partings();
  }

  std::vector<RedundancyMark> run() {
    if (program_.code.empty()) return {};
    while (pass()) {
    }
    std::vector<RedundancyMark> marks(program_.code.size());
    for (std::size_t b = 0; b < in_.size(); ++b) {
      State state = in_[b];
      for (Pc pc = flow_.blocks()[b].begin; pc != flow_.blocks()[b].end; ++pc) {
        const Value result = step(program_.code[pc], state);
        marks[pc].value = result.of;
        marks[pc].affine = result.affine;
      }
    }
    for (Pc pc = static_cast<Pc>(marks.size()); pc-- > 1;)
      if (program_.code[pc - 1].is_part)
        marks[pc - 1] = program_.code[pc - 1].op_class == OpClass::kControl ? RedundancyMark{} : marks[pc];
    mark_barriers(marks);
    return marks;
  }

 private:
  /// Ways that a branch parts, and where they meet.
  struct Parting {
    unsigned block;                  // the branch is its last instruction
    std::vector<unsigned> meetings;  // blocks
    std::vector<unsigned> written;   // registers, on the ways
  };

  void count_registers() {
    unsigned rows = program_.frame_rows;
    for (const Inst& inst : program_.code) {
      for (unsigned i = 0; i < inst.read_rows; ++i) rows = std::max(rows, inst.reads[i] + 1u);
      for (unsigned i = 0; i < inst.written_rows; ++i) rows = std::max(rows, inst.writes[i] + 1u);
      for (unsigned i = 0; i < inst.read_preds; ++i) preds_ = std::max(preds_, inst.pred_reads[i] + 1u);
      for (unsigned i = 0; i < inst.written_preds; ++i) preds_ = std::max(preds_, inst.pred_writes[i] + 1u);
    }
    for (const PresetRow& row : program_.presets) rows = std::max(rows, row.row + 2u);
    rows_ = rows;
    registers_ = rows_ + preds_ + 1;
  }
  unsigned carry() const { return rows_ + preds_; }

  void preset(State& state) const {
    for (const PresetRow& row : program_.presets) {
      state[row.row] = Value{};
      if (row.wide) state[row.row + 1u] = Value{};
    }
  }

  const Modifiers& modifiers(const Inst& inst) const {
    static const Modifiers none;
    return inst.is_part || inst.modifiers >= program_.modifiers.size() ? none
                                                                       : program_.modifiers[inst.modifiers];
  }

  /// Calls `f(register)` for those that the instruction writes.
  template <class F>
  void for_each_written(const Inst& inst, F&& f) const {
    if (inst.is_part) return;
    for (unsigned i = 0; i < inst.written_rows; ++i) f(inst.writes[i]);
    for (unsigned i = 0; i < inst.written_preds; ++i) f(rows_ + inst.pred_writes[i]);
    if (modifiers(inst).cc) f(carry());
    if (inst.opcode != Opcode::call) return;
    for (unsigned row = inst.frame_rows; row < rows_; ++row) f(row);
    for (unsigned pred = inst.frame_preds; pred < preds_; ++pred) f(rows_ + pred);
    f(carry());
  }

  Value result_of(const Inst& inst, const State& state) const {
    const Modifiers& m = modifiers(inst);
    if (is_vector_operation(inst, local_)) return kVectorValue;
    Value value{};
    unsigned different = 0;  // factors that are not the same in all lanes
    bool affine = keeps_affine(inst, m);
    for (unsigned i = 0; i < inst.read_rows; ++i) value = join(value, state[inst.reads[i]]);
    for (unsigned i = 0; i < inst.read_preds; ++i) value = join(value, state[rows_ + inst.pred_reads[i]]);
    for (unsigned i = 0; i < factors(inst) && i < inst.src_count; ++i)
      different +=
          inst.src[i].kind == OperandKind::kReg && state[inst.src[i].index].of != Redundancy::kDefinite;
    // An amount by which lanes shift their values differently makes no sum of thread indices.
    if (inst.opcode == Opcode::shl && inst.src[1].kind == OperandKind::kReg)
      affine = affine && state[inst.src[1].index].of == Redundancy::kDefinite;
    if (inst.opcode == Opcode::addc || inst.opcode == Opcode::subc || inst.opcode == Opcode::madc)
      value = join(value, state[carry()]);
    if (m.special != 0) value = join(value, of_special(static_cast<SpecialRegister>(m.special)));
    value.affine = value.of == Redundancy::kDefinite ||
                   (value.affine && affine && different < 2 && inst.guard.kind == OperandKind::kNone);
    return value;
  }

  /// Takes `state` past the instruction. What it yields: kVectorValue if nothing.
  Value step(const Inst& inst, State& state) const {
    if (inst.is_part) return {};
    if (inst.opcode == Opcode::call) {
      for_each_written(inst, [&](unsigned r) { state[r] = kVectorValue; });
      return kVectorValue;
    }
    const Value result = result_of(inst, state);
    const bool may_leave = inst.guard.kind != OperandKind::kNone;
    Value shown = kVectorValue;
    bool first = true;
    for_each_written(inst, [&](unsigned r) {
      state[r] = may_leave ? join(state[r], result) : result;
      shown = first ? state[r] : join(shown, state[r]);
      first = false;
    });
    return shown;
  }

  bool pass() {
    bool changed = false;
    const auto raise = [&](Value& value, Value to) {
      const Value weaker = join(value, to);
      if (weaker == value) return;
      value = weaker;
      changed = true;
    };
    for (std::size_t b = 0; b < in_.size(); ++b) {
      for (unsigned r = 0; r < registers_; ++r) raise(in_[b][r], floor_[b][r]);
      State state = in_[b];
      const FlowBlock& block = flow_.blocks()[b];
      for (Pc pc = block.begin; pc + 1 < block.end; ++pc) step(program_.code[pc], state);
      const Redundancy branch = branch_class(program_.code[block.end - 1], state);
      step(program_.code[block.end - 1], state);
      for (const unsigned to : block.successors)
        for (unsigned r = 0; r < registers_; ++r) raise(in_[to][r], state[r]);
      if (branch == Redundancy::kDefinite || parting_at_[b] == kNoParting) continue;
      const Parting& parting = partings_[parting_at_[b]];
      for (const unsigned meeting : parting.meetings)
        for (const unsigned r : parting.written) raise(floor_[meeting][r], {branch, false});
    }
    return changed;
  }

  /// Of what decides where the branch goes.
  Redundancy branch_class(const Inst& inst, const State& state) const {
    Redundancy of = Redundancy::kDefinite;
    if (!ends_flow_block(inst)) return of;
    for (unsigned i = 0; i < inst.read_preds; ++i) of = std::max(of, state[rows_ + inst.pred_reads[i]].of);
    for (unsigned i = 0; i < inst.read_rows; ++i) of = std::max(of, state[inst.reads[i]].of);
    return of;
  }

  void find_partings() {
    const auto& blocks = flow_.blocks();
    parting_at_.assign(blocks.size(), kNoParting);
    for (unsigned b = 0; b < blocks.size(); ++b) {
      if (blocks[b].successors.size() < 2) continue;
      Parting parting{b, {}, {}};
      std::vector<unsigned> ways(blocks.size(), 0);  // of the branch, by block
      for (const unsigned to : blocks[b].successors) {
        const std::vector<bool> way = flow_.reachable(to, blocks[b].post_dominator);
        for (unsigned i = 0; i < blocks.size(); ++i) ways[i] += way[i];
      }
      std::vector<bool> written(registers_, false);
      for (unsigned i = 0; i < blocks.size(); ++i) {
        if (ways[i] == 0) continue;
        if (ways[i] > 1) parting.meetings.push_back(i);
        for (Pc pc = blocks[i].begin; pc != blocks[i].end; ++pc)
          for_each_written(program_.code[pc], [&](unsigned r) { written[r] = true; });
      }
      if (blocks[b].post_dominator >= 0)
        parting.meetings.push_back(static_cast<unsigned>(blocks[b].post_dominator));
      for (unsigned r = 0; r < registers_; ++r)
        if (written[r]) parting.written.push_back(r);
      parting_at_[b] = static_cast<unsigned>(partings_.size());
      partings_.push_back(std::move(parting));
    }
  }

  bool is_barrier_of_all(const Inst& inst) const {
    if (inst.is_part || inst.effect != Effect::kBarrier || inst.guard.kind != OperandKind::kNone)
      return false;
    const BarOp op = modifiers(inst).bar;
    const bool waits =
        op == BarOp::sync || op == BarOp::red_popc || op == BarOp::red_and || op == BarOp::red_or;
    return waits && inst.src[0].kind != OperandKind::kReg && inst.src[1].kind == OperandKind::kNone;
  }

  void mark_barriers(std::vector<RedundancyMark>& marks) const {
    const auto& blocks = flow_.blocks();
    std::vector<bool> barriers(blocks.size(), false);
    bool any = false;
    for (Pc pc = 0; pc < program_.code.size(); ++pc)
      if (program_.code[pc].effect == Effect::kBarrier) barriers[flow_.block_of(pc)] = any = true;
    if (!any) return;
    const std::vector<bool> in_entry = flow_.reachable(flow_.roots().front(), -1);
    std::vector<Redundancy> decided(blocks.size(), Redundancy::kDefinite);
    for (const Parting& parting : partings_) {
      State state = in_[parting.block];
      const FlowBlock& block = blocks[parting.block];
      for (Pc pc = block.begin; pc + 1 < block.end; ++pc) step(program_.code[pc], state);
      const Redundancy of = branch_class(program_.code[block.end - 1], state);
      // Warps on a way without barriers never meet others at one.
      unsigned ways_to_barriers = 0;
      std::vector<unsigned> ways(blocks.size(), 0);
      for (const unsigned to : block.successors) {
        const std::vector<bool> all = flow_.reachable(to, -1);
        bool reaches = false;
        for (unsigned i = 0; i < blocks.size(); ++i) reaches = reaches || (all[i] && barriers[i]);
        ways_to_barriers += reaches;
        const std::vector<bool> way = flow_.reachable(to, block.post_dominator);
        for (unsigned i = 0; i < blocks.size(); ++i) ways[i] += way[i];
      }
      if (ways_to_barriers < 2) continue;
      for (unsigned i = 0; i < blocks.size(); ++i)
        if (ways[i] != 0) decided[i] = std::max(decided[i], of);
    }
    for (Pc pc = 0; pc < program_.code.size(); ++pc) {
      const unsigned block = flow_.block_of(pc);
      if (in_entry[block] && is_barrier_of_all(program_.code[pc])) marks[pc].gathers = decided[block];
    }
  }

  const Program& program_;
  const LocalLoads local_;
  const ProgramFlow flow_;
  unsigned rows_ = 0, preds_ = 0, registers_ = 0;
  std::vector<State> in_;     // at the begin of blocks
  std::vector<State> floor_;  // what is at least weak there, whatever comes along the edges
  static constexpr unsigned kNoParting = ~0u;
  std::vector<Parting> partings_;
  std::vector<unsigned> parting_at_;  // by block whose end it is
};

}  // namespace

const char* redundancy_name(Redundancy r) {
  static constexpr const char* kNames[] = {"DR", "CR", "CR2", "V"};
  return kNames[static_cast<unsigned>(r)];
}

std::vector<RedundancyMark> analyse_redundancy(const Program& program, LocalLoads local) {
  return Analysis(program, local).run();
}

Promotion Promotion::of(const std::array<std::uint32_t, 3>& block, bool by_xy) {
  const auto repeats = [](std::uint64_t n) { return n != 0 && n <= kWarpSize && (n & (n - 1)) == 0; };
  Promotion promotion;
  if (std::uint64_t{block[1]} * block[2] > 1 && repeats(block[0])) {
    promotion.weakest_ = Redundancy::kConditional;
    if (by_xy && block[2] > 1 && repeats(std::uint64_t{block[0]} * block[1]))
      promotion.weakest_ = Redundancy::kConditionalByXy;
  }
  return promotion;
}

std::string redundancy_listing(const Program& program, const std::array<std::uint32_t, 3>& block,
                               bool by_xy) {
  const std::vector<RedundancyMark> marks = analyse_redundancy(program);
  const bool known = block[0] != 0;
  const Promotion promotion = Promotion::of(block, by_xy);
  std::string text;
  for (Pc pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    const Redundancy of =
        marks[pc].value == Redundancy::kConditionalByXy && !by_xy ? Redundancy::kVector : marks[pc].value;
    text += fmt::format("{}{:<3} {:#06x}  {}\n", known && promotion.redundant(of) ? '*' : ' ',
                        redundancy_name(of), pc * Program::kInstBytes, program.texts[inst.ir_index]);
  }
  return text;
}

}  // namespace warpvp::ptx
