// The part of a sub-core that front ends need which do more than bring each instruction in turn: they leave
// instructions out (frontend/skip.h), rename rows (issue/row_map.h), or follow what issues.

#include <fmt/format.h>

#include <algorithm>

#include "base/part_mark.h"
#include "interconnect/policy_contract.h"
#include "modules/sm/sub_core.h"

namespace warpvp {
namespace {
// For the names of a warp's head.
constexpr unsigned kRoom = OtherNames::kMostReads + OtherNames::kMostWrites;
}  // namespace

std::unique_ptr<SubCore::Entry> SubCore::make_entry() const {
  const RowMap* const map = front_end_->row_map();
  const bool follows = front_end_->follows_issue();
  if (map == nullptr && !follows) return nullptr;
  auto entry = std::make_unique<Entry>();
  entry->map = map;
  if (map) {
    entry->heads.resize(sm_.config.resources.warps / sm_.config.schedulers);
    if (!map->keeps_names()) entry->rooms.resize(entry->heads.size() * kRoom);
  }
  entry->own_banks = map != nullptr && map->own_banks();
  entry->shared = sm_.front_end ? sm_.front_end->rows() : nullptr;
  entry->follows = follows;
  entry->latencies = operand_latencies_ || address_latency_ != 0 || guard_latency_ != 0;
  return entry;
}

void SubCore::settle_entry(WarpSlot& slot, const ptx::Inst& inst, ptx::Pc pc, ptx::LaneMask active,
                           unsigned row_base, unsigned pred_base, Cycle result_at) {
  const OtherNames& names = entry_->names;
  const bool renamed = names.any(), by_memory = result_at >= Scoreboard::kPendingHit;
  if (renamed)
    set_rows(slot, inst, row_base, pred_base, names.writes, names.names + names.read_count(), result_at,
             signals_.started_on, false);
  else if (!by_memory)
    slot.scoreboard.set(inst, row_base, pred_base, result_at);
  if (by_memory) send_to_memory(slot, pc, inst, row_base, pred_base);
  if (operand_latencies_ && !renamed)
    operand_latencies_->written(slot.warp, inst, row_base, signals_.started_on);
  if (entry_->follows)
    front_end_->issued({slot.warp, pc, entry_->tag, inst, *slot.stream, active, sm_.now, result_at, names});
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

void SubCore::report_name(const WarpSlot& slot, RowName name) const {
  report_broken_contract(
      FrontEndType::kKind, sm_.config.frontend.mode.name,
      fmt::format("it named {} row {} for warp {}; allowed: own rows below {}, shared rows below {}",
                  name.is_shared() ? "shared" : "own", name.row(), slot.warp, slot.scoreboard.rows(),
                  entry_->shared ? entry_->shared->size() : 0),
      sm_.contexts.of(FrontEndType::kKind, sm_.config.frontend.mode.name, index_).place +
          fmt::format(", SM cycle {}", sm_.now));
}

void SubCore::name_head(const WarpSlot& slot, const ptx::Inst& inst) {
  entry_->known |= WarpMask{1} << slot.warp;
  const OtherNames& names = entry_->heads[slot.warp] =
      entry_->map->names(slot.warp, front_end_->tag(slot.warp), inst, slot.row_base,
                         entry_->rooms.empty() ? nullptr : &entry_->rooms[slot.warp * kRoom]);
  if (!names.any()) return;
  const unsigned own = slot.scoreboard.rows(), shared = entry_->shared ? entry_->shared->size() : 0;
  const auto check = [&](unsigned, RowName name) {
    if (name.row() >= (name.is_shared() ? shared : own)) report_name(slot, name);
  };
  names.for_each_read(check);
  names.for_each_write(check);
}

Cycle SubCore::renamed_clear_at(const WarpSlot& slot, const ptx::Inst& inst, const OtherNames& names) {
  SharedRows* const shared = entry_->shared;
  Cycle clear =
      std::max(slot.scoreboard.clear_at_but(names.reads, names.writes, inst, slot.row_base, slot.pred_base),
               slot.not_before);
  const auto look = [&](RowName name, Cycle edge) {
    clear = std::max(clear, edge);
    if (edge >= Scoreboard::kPendingHit && name.is_shared()) shared->await(name.row(), slot.owner.warp);
  };
  names.for_each_read([&](unsigned, RowName name) {
    look(name, name.is_shared() ? shared->readable(name.row()) : slot.scoreboard.row_clear_at(name.row()));
  });
  names.for_each_write([&](unsigned, RowName name) {
    look(name, name.is_shared() ? shared->writable(name.row()) : slot.scoreboard.row_clear_at(name.row()));
  });
  if (clear >= Scoreboard::kPendingHit || !entry_->latencies) return clear;
  return renamed_later(slot, inst, names, clear);
}

Cycle SubCore::renamed_later(const WarpSlot& slot, const ptx::Inst& inst, const OtherNames& names,
                             Cycle clear) const {
  const SharedRows* const shared = entry_->shared;
  const auto port = ports_.of(inst);
  Cycle operands = 0, later = 0;
  const auto look = [&](RowName name, Cycle edge) {
    if (!operand_latencies_ || edge == 0) return;
    const unsigned row = name.row();
    later = std::max(later,
                     edge + (name.is_shared() ? operand_latencies_->later_of(inst, port, shared->unit(row))
                                              : operand_latencies_->later_own(inst, port, slot.warp, row)));
  };
  const auto edge_of = [&](RowName name) {
    return name.is_shared() ? shared->writable(name.row()) : slot.scoreboard.row_at(name.row());
  };
  for (unsigned i = 0; i < inst.read_rows; ++i) {
    if (names.reads >> i & 1) continue;
    const RowName name = RowName::own(slot.row_base + inst.reads[i]);
    const Cycle edge = edge_of(name);
    operands = std::max(operands, edge);
    look(name, edge);
  }
  names.for_each_read([&](unsigned, RowName name) {
    const Cycle edge = edge_of(name);
    operands = std::max(operands, edge);
    look(name, edge);
  });
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const RowName name = RowName::own(slot.row_base + inst.writes[i]);
    if (!(names.writes >> i & 1)) look(name, edge_of(name));
  }
  names.for_each_write([&](unsigned, RowName name) { look(name, edge_of(name)); });
  if (address_latency_ != 0 && inst.accesses_data() && operands != 0)
    clear = std::max(clear, operands + address_latency_);
  clear = std::max(clear, later);
  const Cycle guard = guard_latency_ == 0 ? 0 : slot.scoreboard.guard_at(inst, slot.pred_base);
  return guard ? std::max(clear, guard + guard_latency_) : clear;
}

std::uint32_t SubCore::names_to_write() {
  WrittenNames written;
  written.writes = entry_->names.writes;
  RowName* to = written.names;
  entry_->names.for_each_write([&](unsigned, RowName name) { *to++ = name; });
  return sm_.names_in_flight.take(written);
}

Cycle SubCore::collect_renamed(const WarpSlot& slot, const ptx::Inst& inst, Cycle now) {
  std::uint32_t rows[OtherNames::kMostReads];
  for (unsigned i = 0; i < inst.read_rows; ++i) rows[i] = slot.row_base + inst.reads[i] + slot.warp;
  if (!entry_->own_banks)
    entry_->names.for_each_read(
        [&](unsigned i, RowName name) { rows[i] = name.row() + (name.is_shared() ? 0 : slot.warp); });
  return operands_->collect_renamed(inst, rows, now, sm_.counters.bank_conflict_cycles);
}

void SubCore::set_rows(WarpSlot& slot, const ptx::Inst& inst, unsigned row_base, unsigned pred_base,
                       unsigned writes, const RowName* names, Cycle at, unsigned unit, bool by_memory) {
  const auto set_own = [&](unsigned row) {
    slot.scoreboard.set_row(row, at);
    if (operand_latencies_ && !by_memory) operand_latencies_->row_written(slot.warp, row, unit);
  };
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    if (!(writes >> i & 1)) {
      set_own(row_base + inst.writes[i]);
      continue;
    }
    const RowName name = *names++;
    if (name.is_shared())
      entry_->shared->set(name.row(), at, static_cast<std::uint8_t>(unit), by_memory);
    else
      set_own(name.row());
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
