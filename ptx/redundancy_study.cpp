#include "ptx/redundancy_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ptx/program_flow.h"

namespace warpvp::ptx {
namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdull;
  return x ^ (x >> 29);
}

/// Frames move with these, which have no operands to look at.
bool moves_frame(const Inst& inst) {
  return !inst.is_part && (inst.opcode == Opcode::call || inst.opcode == Opcode::ret);
}

/// Where a warp may go is decided while running.
bool is_choice(const Inst& inst) {
  if (!ends_flow_block(inst) && inst.opcode != Opcode::call) return false;
  return inst.guard.kind != OperandKind::kNone || inst.opcode == Opcode::brx ||
         (inst.opcode == Opcode::call && inst.target == kNoPc);
}

bool yields_values(const Inst& inst) { return inst.written_rows != 0 || inst.written_preds != 0; }

/// Once could stand for many times, given the same operands.
bool can_be_redundant(const Inst& inst) {
  switch (inst.effect) {
    case Effect::kNone:
      return inst.opcode != Opcode::vprintf && inst.opcode != Opcode::heap_malloc &&
             inst.opcode != Opcode::heap_free;
    case Effect::kBranch:
      return !moves_frame(inst);
    case Effect::kMemory:
      return !inst.is_atomic && inst.space != Space::kLocal && !(inst.space == Space::kParam && inst.depot);
    case Effect::kWarpSync:
      return yields_values(inst);
    default:
      return false;
  }
}

/// A part of an expansion, unlike those that take control elsewhere.
bool computes(const Inst& part) { return part.op_class != OpClass::kControl && part.unit != Unit::kControl; }

}  // namespace

RedundancyCounts& RedundancyCounts::operator+=(const RedundancyCounts& other) {
  ctas += other.ctas;
  instructions += other.instructions;
  grid += other.grid;
  block += other.block;
  warp += other.warp;
  uniform += other.uniform;
  affine += other.affine;
  unstructured += other.unstructured;
  marked += other.marked;
  marked_of_block += other.marked_of_block;
  block_with_results += other.block_with_results;
  unsound += other.unsound;
  if (first_unsound.empty()) first_unsound = other.first_unsound;
  return *this;
}

StudiedProgram::StudiedProgram(const Program& of, const std::array<std::uint32_t, 3>& block, bool by_xy)
    : program(of), warps((block[0] * block[1] * block[2] + kWarpSize - 1) / kWarpSize), code(of.code.size()) {
  const std::vector<RedundancyMark> marks = analyse_redundancy(of);
  const Promotion promotion = Promotion::of(block, by_xy);
  Pc whole = 0;
  for (Pc pc = static_cast<Pc>(code.size()); pc-- > 0;) {
    const Inst& inst = of.code[pc];
    if (!inst.is_part) whole = pc;
    Code& about = code[pc];
    about.operands_of = inst.is_part && computes(inst) ? whole : pc;
    const Inst& source = of.code[about.operands_of];
    about.counts = can_be_redundant(source);
    about.yields = yields_values(source);
    about.marked = about.counts && about.yields && promotion.redundant(marks[pc].value);
    about.gathers = promotion.redundant(marks[pc].gathers);
    about.special = !inst.is_part && inst.modifiers < of.modifiers.size() &&
                    of.modifiers[inst.modifiers].special != 0 && inst.dst[0].kind == OperandKind::kReg;
  }
}

RedundancyStudy::RowInfo RedundancyStudy::look_at(const Warp& warp, unsigned row, bool wide) {
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
    for (const PresetRow& row : studied_->program.presets) {
      auto& rows = at->second.rows;
      rows.resize(std::max<std::size_t>(rows.size(), row.row + 2u));
      // Every launch has its own: they are constants here.
      rows[row.row].hash = mix(row.row, row.offset);
      if (row.wide) rows[row.row + 1u] = rows[row.row];
    }
  }
  return at->second;
}

void RedundancyStudy::operands(const WarpState& state, const Inst& inst, std::uint64_t& hash, Shape& shape) {
  for (unsigned i = 0; i < inst.read_rows; ++i) {
    const std::size_t row = state.row_base + inst.reads[i];
    const RowInfo info = row < state.rows.size() ? state.rows[row] : RowInfo{};
    hash = mix(hash, info.hash);
    shape = std::max(shape, info.shape);
  }
  for (unsigned i = 0; i < inst.read_preds; ++i) {
    const std::size_t pred = state.pred_base + inst.pred_reads[i];
    const LaneMask lanes = pred < state.preds.size() ? state.preds[pred] : 0;
    hash = mix(hash, lanes);
    if (lanes != 0 && lanes != ~LaneMask{0}) shape = Shape::kUnstructured;
  }
}

std::uint64_t RedundancyStudy::note_results(WarpState& state, const Warp& warp, const Inst& inst) {
  std::uint64_t hash = 0;
  // What a barrier yields is the same for all, and is written when it lets them go, behind this look.
  const bool later = inst.effect == Effect::kBarrier;
  for (unsigned i = 0; i < inst.dst_count; ++i) {
    const Operand& dst = inst.dst[i];
    if (dst.kind == OperandKind::kReg) {
      const bool wide = inst.wide >> i & 1;
      const std::size_t at = state.row_base + dst.index;
      if (state.rows.size() < at + 2u) state.rows.resize(at + 2u);
      const RowInfo info = later ? RowInfo{mix(state.way, state.step), Shape::kUniform}
                                 : look_at(warp, static_cast<unsigned>(at), wide);
      state.rows[at] = info;
      if (wide) state.rows[at + 1] = info;
      hash = mix(hash, info.hash);
    } else if (dst.kind == OperandKind::kPred) {
      const std::size_t at = state.pred_base + dst.index;
      if (state.preds.size() <= at) state.preds.resize(at + 1u);
      state.preds[at] = later ? ~LaneMask{0} : warp.pred_lanes(static_cast<unsigned>(at));
      hash = mix(hash, state.preds[at]);
    }
  }
  return hash;
}

void RedundancyStudy::follow(WarpState& state, const Warp& warp, Pc pc, LaneMask active) const {
  const Inst& inst = studied_->program.code[pc];
  ++state.step;
  if (!warp.exited()) {
    state.row_base = warp.row_base();
    state.pred_base = warp.pred_base();
  }
  // Its lanes may have come to the barrier one after the other: the warp arrives with the last of them.
  const bool gathers = studied_->code[pc].gathers;
  state.arriving = state.arriving || gathers;
  if (state.arriving && warp.last_arrival().number != state.arrival) {
    state.arriving = false;
    state.way = mix(1, ++state.gathered);
    state.step = 0;
    if (gathers && active == ~LaneMask{0}) state.apart = false;
  }
  state.arrival = warp.last_arrival().number;
  if (inst.is_part || !is_choice(inst)) return;
  state.way = mix(mix(state.way, (pc + std::uint64_t{1}) << 32), warp.exited() ? kNoPc : warp.pc());
  state.step = 0;
  if (warp.exited() || warp.active() != active) state.apart = true;
}

void RedundancyStudy::executed(std::uint64_t id, const Warp& warp, Pc pc, LaneMask active) {
  CtaState& cta = ctas_[id];
  WarpState& state = state_of(cta, warp);
  const Inst& inst = studied_->program.code[pc];
  const StudiedProgram::Code& about = studied_->code[pc];
  ++cta.counts.instructions;
  Step now;
  now.pc = pc;
  now.warps = 1;
  now.operands = pc;
  if (!moves_frame(inst)) {
    operands(state, studied_->program.code[about.operands_of], now.operands, now.shape);
    now.results = note_results(state, warp, inst);
  }
  now.operands = mix(now.operands, now.results);  // with what is read besides operands, which shows in them
  if (about.special) now.shape = std::max(now.shape, state.rows[state.row_base + inst.dst[0].index].shape);
  if (about.counts && active == ~LaneMask{0}) {
    cta.counts.warp += now.shape == Shape::kUniform;
    cta.counts.marked += about.marked && studied_->warps > 1;
    if (!state.apart) compare(id, cta, state, warp, now);
  }
  follow(state, warp, pc, active);
}

void RedundancyStudy::compare(std::uint64_t id, CtaState& cta, const WarpState& state, const Warp& warp,
                              const Step& now) {
  const std::uint64_t key = mix(state.way, state.step);
  if (studied_->warps == 1) return settle(cta, key, now);
  const auto [at, is_new] = cta.steps.try_emplace(key, now);
  Step& step = at->second;
  if (!is_new) {
    ++step.warps;
    step.same_operands = step.same_operands && step.operands == now.operands;
    step.shape = std::max(step.shape, now.shape);
    if (studied_->code[now.pc].marked && (step.results != now.results || step.pc != now.pc)) {
      ++cta.counts.unsound;
      if (cta.counts.first_unsound.empty())
        cta.counts.first_unsound =
            fmt::format("CTA {} warp {}: {}", id, warp.index(), studied_->program.locate(now.pc));
    }
  }
  if (step.warps != studied_->warps) return;
  settle(cta, key, step);
  cta.steps.erase(at);
}

/// All warps of the CTA have been there.
void RedundancyStudy::settle(CtaState& cta, std::uint64_t key, const Step& step) const {
  if (!step.same_operands) return;
  cta.agreed.emplace_back(key, step.operands);
  if (studied_->warps == 1) return;
  RedundancyCounts& counts = cta.counts;
  counts.block += step.warps;
  (step.shape == Shape::kUniform  ? counts.uniform
   : step.shape == Shape::kAffine ? counts.affine
                                  : counts.unstructured) += step.warps;
  if (studied_->code[step.pc].yields) counts.block_with_results += step.warps;
  if (studied_->code[step.pc].marked) counts.marked_of_block += step.warps;
}

void RedundancyStudy::cta_finished(std::uint64_t id) {
  const auto at = ctas_.find(id);
  if (at == ctas_.end()) return;
  counts_ += at->second.counts;
  for (const auto& [key, operands] : at->second.agreed) {
    if (finished_ == 0) {
      grid_.try_emplace(key, GridStep{operands, 1, true});
      continue;
    }
    const auto step = grid_.find(key);  // what was not in the CTAs before this one is not in all
    if (step == grid_.end()) continue;
    step->second.same = step->second.same && step->second.operands == operands;
    ++step->second.ctas;
  }
  ++finished_;
  ctas_.erase(at);
}

RedundancyCounts RedundancyStudy::counts() const {
  RedundancyCounts counts = counts_;
  counts.ctas = finished_;
  if (finished_ * studied_->warps < 2) return counts;
  for (const auto& [key, step] : grid_)
    if (step.same && step.ctas == finished_) counts.grid += step.ctas * studied_->warps;
  return counts;
}

}  // namespace warpvp::ptx
