// The part of a sub-core that front ends need which do more than bring each instruction in turn: they leave
// instructions out (frontend/skip.h), rename rows (issue/row_map.h), or follow what issues.

#include <fmt/format.h>

#include <algorithm>

#include "base/part_mark.h"
#include "interconnect/policy_contract.h"
#include "modules/sm/sub_core.h"

namespace warpvp {

std::unique_ptr<SubCore::Entry> SubCore::make_entry() const {
  const RowMap* const map = front_end_->row_map();
  const bool follows = front_end_->follows_issue();
  if (map == nullptr && !follows) return nullptr;
  auto entry = std::make_unique<Entry>();
  entry->map = map;
  if (map) entry->heads.resize(sm_.config.resources.warps / sm_.config.schedulers);
  entry->own_banks = map != nullptr && map->own_banks();
  entry->shared = sm_.front_end ? sm_.front_end->rows() : nullptr;
  entry->follows = follows;
  return entry;
}

void SubCore::settle_entry(WarpSlot& slot, const ptx::Inst& inst, ptx::Pc pc, ptx::LaneMask active,
                           unsigned row_base, unsigned pred_base, Cycle result_at) {
  const bool renamed = entry_->names != nullptr, by_memory = result_at >= Scoreboard::kPendingHit;
  if (renamed)
    set_rows(slot, inst, pred_base, *entry_->names, result_at, signals_.started_on, false);
  else if (!by_memory)
    slot.scoreboard.set(inst, row_base, pred_base, result_at);
  if (by_memory) send_to_memory(slot, pc, inst, row_base, pred_base);
  if (operand_latencies_ && !renamed)
    operand_latencies_->written(slot.warp, inst, row_base, signals_.started_on);
  if (entry_->follows)
    front_end_->issued({slot.warp, pc, entry_->tag, inst, *slot.stream, active, sm_.now, result_at});
}

// ---- instructions that are left out

bool SubCore::pass_over(WarpSlot& slot, ptx::Pc pc, Cycle now) {
  ptx::InstructionStream& stream = *slot.stream;
  if (!sm_.stepped) sm_.source->begin_edge(now);
  sm_.stepped = true;
  while (stream.pc() != pc) {
    const ptx::Pc at = stream.pc();
    const ptx::Inst& inst = slot.code[at];
    if (pc < at || !skippable(inst))
      report_broken_contract(
          FrontEndType::kKind, sm_.config.frontend.mode.name,
          fmt::format("instruction {} is at the head of warp {}, whose next one is {}{}", pc, slot.warp, at,
                      pc < at ? "" : " and does more than yield values; allowed: to skip what yields values"),
          context(FrontEndType::kKind, sm_.config.frontend.mode).place_at(now));
    ptx::StepKind kind;
    {
      const PartMark execution("PTX execution");
      kind = front_end_->how_skipped(slot.warp, at) == Skip::kDrop ? stream.skip() : stream.step();
    }
    slot.follow_stream();
    if (kind == ptx::StepKind::kFault) {
      owner_.faulted(slot, at);
      return false;
    }
    ++sm_.counters.fetch.skipped;
    ++slot.launch->counters->fetch.skipped;
    if (slot.launch->profile) ++slot.launch->profile[at].skipped;
    sm_.observed.tell([now, &slot, at, &inst](IssueObserver& o) { o.skipped(now, slot, at, inst); });
    std::string wrong = front_end_->skipped(slot.warp, at, stream);
    if (!wrong.empty()) {
      owner_.skipped_wrongly(slot, at, std::move(wrong));
      return false;
    }
    if (stream.pc() == at + 1) continue;
    // Paths of the warp have met there: another one goes on. The edge is lost to the warp.
    front_end_->redirect(slot.warp, stream.pc());
    if (observed_) issue_->excuse(slot.warp, now);
    update_head(slot, now + 1);
    slot.since = now;
    return false;
  }
  return true;
}

// ---- rows with other names

void SubCore::name_rows(const WarpSlot& slot, const ptx::Inst& inst, std::uint32_t tag,
                        RowNames& names) const {
  for (unsigned i = 0; i < inst.read_rows; ++i) names.reads[i] = RowName::own(slot.row_base + inst.reads[i]);
  for (unsigned i = 0; i < inst.written_rows; ++i)
    names.writes[i] = RowName::own(slot.row_base + inst.writes[i]);
  entry_->map->rename(slot.warp, tag, inst, names);
  const unsigned own = slot.scoreboard.rows(), shared = entry_->shared ? entry_->shared->size() : 0;
  bool all_there = true;
  for (unsigned i = 0; i < inst.read_rows; ++i)
    all_there &= names.reads[i].row() < (names.reads[i].is_shared() ? shared : own);
  for (unsigned i = 0; i < inst.written_rows; ++i)
    all_there &= names.writes[i].row() < (names.writes[i].is_shared() ? shared : own);
  if (!all_there) report_names(slot, inst, names, own, shared);
}

void SubCore::report_names(const WarpSlot& slot, const ptx::Inst& inst, const RowNames& names, unsigned own,
                           unsigned shared) const {
  const auto check = [&](RowName name) {
    if (name.row() < (name.is_shared() ? shared : own)) return;
    report_broken_contract(
        FrontEndType::kKind, sm_.config.frontend.mode.name,
        fmt::format("it named {} row {} for warp {}; allowed: own rows below {}, shared rows below {}",
                    name.is_shared() ? "shared" : "own", name.row(), slot.warp, own, shared),
        sm_.contexts.of(FrontEndType::kKind, sm_.config.frontend.mode.name, index_).place +
            fmt::format(", SM cycle {}", sm_.now));
  };
  std::for_each_n(names.reads, inst.read_rows, check);
  std::for_each_n(names.writes, inst.written_rows, check);
}

void SubCore::name_head(const WarpSlot& slot, const ptx::Inst& inst) {
  const WarpMask bit = WarpMask{1} << slot.warp;
  const std::uint32_t tag = front_end_->tag(slot.warp);
  entry_->known |= bit;
  entry_->renamed &= ~bit;
  if (!entry_->map->renames(slot.warp, tag)) return;
  entry_->renamed |= bit;
  name_rows(slot, inst, tag, entry_->heads[slot.warp]);
}

Cycle SubCore::renamed_clear_at(const WarpSlot& slot, const ptx::Inst& inst, const RowNames& names) {
  SharedRows* const shared = entry_->shared;
  Cycle operands = 0, overwritten = 0, later = 0;
  const auto port = ports_.of(inst);
  const auto look = [&](RowName name, Cycle edge, Cycle& latest) {
    latest = std::max(latest, edge);
    if (edge >= Scoreboard::kPendingHit) {
      if (name.is_shared()) shared->await(name.row(), slot.owner.warp);
    } else if (operand_latencies_ && edge != 0) {
      const unsigned row = name.row();
      later = std::max(later,
                       edge + (name.is_shared() ? operand_latencies_->later_of(inst, port, shared->unit(row))
                                                : operand_latencies_->later_own(inst, port, slot.warp, row)));
    }
  };
  for (unsigned i = 0; i < inst.read_rows; ++i) {
    const RowName name = names.reads[i];
    look(name, name.is_shared() ? shared->readable(name.row()) : slot.scoreboard.row_clear_at(name.row()),
         operands);
  }
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const RowName name = names.writes[i];
    look(name, name.is_shared() ? shared->writable(name.row()) : slot.scoreboard.row_clear_at(name.row()),
         overwritten);
  }
  Cycle clear = std::max(
      {operands, overwritten, slot.scoreboard.preds_clear_at(inst, slot.pred_base), slot.not_before});
  if (clear >= Scoreboard::kPendingHit) return clear;
  if (address_latency_ != 0 && inst.accesses_data() && operands != 0)
    clear = std::max(clear, operands + address_latency_);
  clear = std::max(clear, later);
  const Cycle guard = guard_latency_ == 0 ? 0 : slot.scoreboard.guard_at(inst, slot.pred_base);
  return guard ? std::max(clear, guard + guard_latency_) : clear;
}

Cycle SubCore::collect_renamed(const WarpSlot& slot, const ptx::Inst& inst, Cycle now) {
  std::uint32_t rows[std::extent_v<decltype(RowNames::reads)>];
  for (unsigned i = 0; i < inst.read_rows; ++i) {
    const RowName name = entry_->names->reads[i];
    rows[i] = entry_->own_banks  ? slot.row_base + inst.reads[i] + slot.warp
              : name.is_shared() ? name.row()
                                 : name.row() + slot.warp;
  }
  return operands_->collect_renamed(inst, rows, now, sm_.counters.bank_conflict_cycles);
}

void SubCore::set_rows(WarpSlot& slot, const ptx::Inst& inst, unsigned pred_base, const RowNames& names,
                       Cycle at, unsigned unit, bool by_memory) {
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const RowName name = names.writes[i];
    if (name.is_shared()) {
      entry_->shared->set(name.row(), at, static_cast<std::uint8_t>(unit), by_memory);
      continue;
    }
    slot.scoreboard.set_row(name.row(), at);
    if (operand_latencies_ && !by_memory) operand_latencies_->row_written(slot.warp, name.row(), unit);
  }
  slot.scoreboard.set_preds(inst, pred_base, at);
}

void SubCore::shared_row_changed(WarpSlot& slot, bool at_once) {
  if (slot.state != WarpState::kRawHit && slot.state != WarpState::kRawLong) return;
  if (at_once) {
    update_head(slot, sm_.now);
  } else {
    // Looked at again at the next edge, as this one may have passed its sub-core already.
    set_state(slot, WarpState::kRawShort);
    sm_.wheel.arm(slot.owner.warp, sm_.now + 1);
  }
}

}  // namespace warpvp
