#include "ptx/redundancy_study.h"

#include <fmt/format.h>

#include <cstring>

#include "ptx/program_flow.h"

namespace warpvp::ptx {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdull;
  return x ^ (x >> 29);
}

/// Where a warp may go is decided while running.
bool is_choice(const Inst& inst) {
  if (!ends_flow_block(inst) && inst.opcode != Opcode::call) return false;
  return inst.guard.kind != OperandKind::kNone || inst.opcode == Opcode::brx ||
         (inst.opcode == Opcode::call && inst.target == kNoPc);
}

bool yields_values(const Inst& inst) { return inst.written_rows != 0 || inst.written_preds != 0; }

}  // namespace

RedundancyStudy::RedundancyStudy(const Program& program, const std::array<std::uint32_t, 3>& block,
                                 bool by_xy)
    : program_(program),
      marks_(analyse_redundancy(program)),
      promotion_(Promotion::of(block, by_xy)),
      warps_((block[0] * block[1] * block[2] + kWarpSize - 1) / kWarpSize) {
  if (program.code.empty()) return;
  const ProgramFlow flow(program);
  const std::vector<bool> in_entry = flow.reachable(flow.roots().front(), -1);
  wide_.resize(program.rows_reserved() + 2u);
  for (Pc pc = 0; pc < program.code.size(); ++pc) {
    const Inst& inst = program.code[pc];
    if (!in_entry[flow.block_of(pc)] || inst.is_part) continue;
    for (unsigned i = 0; i < inst.dst_count; ++i)
      if (inst.dst[i].kind == OperandKind::kReg && (inst.wide >> i & 1)) wide_[inst.dst[i].index] = true;
  }
}

void RedundancyStudy::cta_started(std::uint64_t id) { ctas_[id] = {}; }

RedundancyStudy::RowInfo RedundancyStudy::look_at(const Warp& warp, unsigned row, bool wide) const {
  std::uint64_t lanes[kWarpSize];
  const std::uint32_t* const words = warp.registers() + std::size_t{row} * kWarpSize;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    if (wide)
      std::memcpy(&lanes[i], words + 2 * i, sizeof lanes[i]);
    else
      lanes[i] = words[i];
  }
  RowInfo info;
  const std::uint64_t mask = wide ? ~std::uint64_t{0} : 0xffffffffu, stride = (lanes[1] - lanes[0]) & mask;
  bool affine = true, zero = true;
  for (unsigned i = 0; i < kWarpSize; ++i) {
    affine = affine && lanes[i] == ((lanes[0] + i * stride) & mask);
    zero = zero && lanes[i] == 0;
    info.hash = mix(info.hash, lanes[i]);
  }
  if (zero) info.hash = 0;
  info.shape = !affine ? Shape::kUnstructured : stride != 0 ? Shape::kAffine : Shape::kUniform;
  return info;
}

RedundancyStudy::WarpState& RedundancyStudy::state_of(CtaState& cta, const Warp& warp) {
  const auto [at, is_new] = cta.warps.try_emplace(warp.index());
  if (is_new) {
    at->second.apart = warp.launched() != ~LaneMask{0};
    for (const PresetRow& row : program_.presets) {
      auto& rows = at->second.rows;
      rows.resize(std::max<std::size_t>(rows.size(), row.row + 2u));
      // Every launch has its own: they are constants here.
      rows[row.row].hash = rows[row.row + 1u].hash = mix(row.row, row.offset);
    }
  }
  return at->second;
}

void RedundancyStudy::operands(const WarpState& state, const Warp& warp, const Inst& inst, unsigned row_base,
                               unsigned pred_base, std::uint64_t& hash, Shape& shape) const {
  const auto row = [&](unsigned index) {
    const RowInfo info = row_base + index < state.rows.size() ? state.rows[row_base + index] : RowInfo{};
    hash = mix(hash, info.hash);
    shape = std::max(shape, info.shape);
  };
  const auto pred = [&](unsigned index) {
    const LaneMask lanes = pred_base + index < state.preds.size() ? state.preds[pred_base + index] : 0;
    hash = mix(hash, lanes);
    if (lanes != 0 && lanes != ~LaneMask{0}) shape = Shape::kUnstructured;
  };
  for (unsigned i = 0; i < inst.read_rows; ++i) row(inst.reads[i]);
  for (unsigned i = 0; i < inst.read_preds; ++i) pred(inst.pred_reads[i]);
}

std::uint64_t RedundancyStudy::note_results(WarpState& state, const Warp& warp, const Inst& inst,
                                            unsigned row_base, unsigned pred_base) const {
  std::uint64_t hash = 0;
  for (unsigned i = 0; i < inst.dst_count; ++i) {
    const Operand& dst = inst.dst[i];
    if (dst.kind == OperandKind::kReg) {
      const bool wide = inst.wide >> i & 1;
      const unsigned at = row_base + dst.index;
      if (state.rows.size() < at + 2u) state.rows.resize(at + 2u);
      const RowInfo info = look_at(warp, at, wide);
      state.rows[at] = info;
      if (wide) state.rows[at + 1] = info;
      hash = mix(hash, info.hash);
    } else if (dst.kind == OperandKind::kPred) {
      const unsigned at = pred_base + dst.index;
      if (state.preds.size() <= at) state.preds.resize(at + 1u);
      state.preds[at] = warp.pred_lanes(at);
      hash = mix(hash, state.preds[at]);
    }
  }
  return hash;
}

void RedundancyStudy::look_at_all(WarpState& state, const Warp& warp) const {
  for (unsigned row = 0; row < state.rows.size(); ++row) {
    const bool wide = row < wide_.size() && wide_[row] && row + 1 < state.rows.size();
    state.rows[row] = look_at(warp, row, wide);
    if (wide) {
      state.rows[row + 1] = state.rows[row];
      ++row;
    }
  }
  for (unsigned p = 0; p < state.preds.size(); ++p) state.preds[p] = warp.pred_lanes(p);
}

void RedundancyStudy::follow(WarpState& state, const Warp& warp, const Inst& inst, Pc pc,
                             LaneMask active) const {
  ++state.step;
  if (promotion_.redundant(marks_[pc].gathers) && active == ~LaneMask{0}) {
    state.way = mix(1, ++state.gathered);
    state.step = 0;
    if (state.apart && warp.launched() == ~LaneMask{0}) {
      look_at_all(state, warp);  // it was not followed
      state.apart = false;
    }
  }
  if (!is_choice(inst)) return;
  state.way = mix(mix(state.way, pc + std::uint64_t{1} << 32), warp.exited() ? kNoPc : warp.pc());
  state.step = 0;
  if (warp.exited() || warp.active() != active) state.apart = true;
}

void RedundancyStudy::executed(std::uint64_t id, const Warp& warp, Pc pc, LaneMask active) {
  CtaState& cta = ctas_[id];
  WarpState& state = state_of(cta, warp);
  const Inst& inst = program_.code[pc];
  ++cta.counts.instructions;
  // Frames move with calls and returns only, which have no operands to look at.
  const bool moves_frame = inst.opcode == Opcode::call || inst.opcode == Opcode::ret;
  const unsigned row_base = warp.row_base(), pred_base = warp.pred_base();
  std::uint64_t operands_hash = pc;
  Shape shape = Shape::kUniform;
  if (!moves_frame) operands(state, warp, inst, row_base, pred_base, operands_hash, shape);
  const std::uint64_t results =
      moves_frame || state.apart ? 0 : note_results(state, warp, inst, row_base, pred_base);
  const Modifiers* const m = inst.is_part || inst.modifiers >= program_.modifiers.size()
                                 ? nullptr
                                 : &program_.modifiers[inst.modifiers];
  if (m != nullptr && m->special != 0) {  // what it reads is what it yields
    operands_hash = mix(operands_hash, results);
    if (inst.dst[0].kind == OperandKind::kReg && !state.apart)
      shape = std::max(shape, state.rows[row_base + inst.dst[0].index].shape);
  }
  const bool counts = active == ~LaneMask{0} && inst.effect != Effect::kBarrier &&
                      inst.effect != Effect::kFence && inst.effect != Effect::kExit && !moves_frame;
  cta.counts.warp += counts && shape == Shape::kUniform;
  const bool marked = promotion_.redundant(marks_[pc].value) && yields_values(inst);
  cta.counts.marked += marked && counts;
  if (counts && !state.apart) {
    const auto [at, is_new] = cta.steps.try_emplace(mix(state.way, state.step));
    Step& step = at->second;
    if (is_new) {
      step.operands = operands_hash;
      step.results = results;
      step.pc = pc;
      step.shape = shape;
    } else {
      step.same_operands = step.same_operands && step.operands == operands_hash;
      step.same_results = step.same_results && step.results == results;
      step.shape = std::max(step.shape, shape);
    }
    ++step.warps;
    if (marked && !inst.is_part && (step.results != results || step.pc != pc)) {
      ++cta.counts.unsound;
      if (cta.counts.first_unsound.empty())
        cta.counts.first_unsound = fmt::format("CTA {} warp {}: {}", id, warp.index(), program_.locate(pc));
    }
  }
  follow(state, warp, inst, pc, active);
}

void RedundancyStudy::cta_finished(std::uint64_t id) {
  const auto at = ctas_.find(id);
  if (at == ctas_.end()) return;
  const CtaState& cta = at->second;
  RedundancyCounts counts = cta.counts;
  for (const auto& [key, step] : cta.steps) {
    if (step.warps != warps_ || !step.same_operands) continue;
    counts.block += step.warps;
    (step.shape == Shape::kUniform  ? counts.uniform
     : step.shape == Shape::kAffine ? counts.affine
                                    : counts.unstructured) += step.warps;
    if (yields_values(program_.code[step.pc])) {
      counts.block_with_results += step.warps;
      if (promotion_.redundant(marks_[step.pc].value)) counts.marked_of_block += step.warps;
    }
    const auto [grid, is_new] = grid_.try_emplace(key);
    if (is_new) grid->second.operands = step.operands;
    grid->second.same = grid->second.same && grid->second.operands == step.operands;
    ++grid->second.ctas;
    grid->second.warps = step.warps;
  }
  ++finished_;
  counts_.instructions += counts.instructions;
  counts_.block += counts.block;
  counts_.warp += counts.warp;
  counts_.uniform += counts.uniform;
  counts_.affine += counts.affine;
  counts_.unstructured += counts.unstructured;
  counts_.marked += counts.marked;
  counts_.marked_of_block += counts.marked_of_block;
  counts_.block_with_results += counts.block_with_results;
  counts_.unsound += counts.unsound;
  if (counts_.first_unsound.empty()) counts_.first_unsound = counts.first_unsound;
  ctas_.erase(at);
}

RedundancyCounts RedundancyStudy::counts() const {
  RedundancyCounts counts = counts_;
  for (const auto& [key, step] : grid_)
    if (step.same && step.ctas == finished_) counts.grid += step.ctas * step.warps;
  return counts;
}

}  // namespace warpvp::ptx
