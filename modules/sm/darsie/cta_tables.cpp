#include "modules/sm/darsie/cta_tables.h"

#include <algorithm>
#include <utility>

namespace warpvp::darsie {

CtaTables::CtaTables(const Params& params, unsigned rows, Warps full, unsigned frame_rows, unsigned first_row)
    : branch_sync_(params.branch_sync),
      when_full_waits_(params.when_full == "wait"),
      table_entries_(params.table_entries),
      frame_rows_(frame_rows),
      first_row_(first_row),
      full_(full),
      path_(full),
      free_(rows >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rows) - 1),
      all_rows_(free_),
      capacity_(rows),
      places_(full == 0 ? 0 : std::size_t{64u - static_cast<unsigned>(__builtin_clzll(full))} * frame_rows),
      version_number_(rows) {
  entries_.reserve(table_entries_);
  pcs_.reserve(table_entries_);
}

// ---- warps

void CtaTables::ended(unsigned warp) {
  leave(warp);
  live_ &= ~bit(warp);
}

unsigned CtaTables::leave(unsigned warp) {
  path_ &= ~bit(warp);
  const std::uint64_t renamed = std::exchange(standing_[warp].renamed_to, 0);
  for (std::uint64_t rest = renamed; rest; rest &= rest - 1) {
    const auto to = static_cast<unsigned>(__builtin_ctzll(rest));
    place(warp, version_of_[to]) = 0;
    let_go(to);
  }
  return static_cast<unsigned>(__builtin_popcountll(renamed));
}

void CtaTables::gather(Warps warps, std::uint64_t way) {
  path_ = warps;
  for (Warps rest = warps; rest; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(rest));
    standing_[warp].way = way;
    if (barriers_[warp].empty()) continue;
    // Some have fetched beyond it, even the next one.
    const std::uint64_t here = barriers_[warp].front();
    standing_[warp].steps -= here;
    barriers_[warp].erase(barriers_[warp].begin());
    for (std::uint64_t& step : barriers_[warp]) step -= here;
  }
}

void CtaTables::met(Warps warps) {
  for (Warps rest = warps; rest; rest &= rest - 1) {
    auto& barriers = barriers_[static_cast<unsigned>(__builtin_ctzll(rest))];
    if (!barriers.empty()) barriers.erase(barriers.begin());
  }
}

// ---- the skip table

SkipEntry* CtaTables::find_among(unsigned warp, ptx::Pc pc) {
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (pcs_[i] != pc) continue;
    SkipEntry& entry = entries_[i];
    if (entry.way == standing_[warp].way && !(entry.passed >> warp & 1)) return &entry;
  }
  return nullptr;
}

SkipEntry* CtaTables::entry_of_row(unsigned row) {
  for (SkipEntry& entry : entries_)
    if (std::find(entry.row, entry.row + entry.rows, row) != entry.row + entry.rows) return &entry;
  return nullptr;
}

Warps CtaTables::on_way(std::uint64_t way) const {
  if (branch_sync_) {
    // All on the path are on one way.
    const Warps all = path();
    return all != 0 && standing_[static_cast<unsigned>(__builtin_ctzll(all))].way == way ? all : 0;
  }
  Warps found = 0;
  for (Warps rest = path(); rest; rest &= rest - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(rest));
    if (standing_[warp].way == way) found |= bit(warp);
  }
  return found;
}

Warps CtaTables::ahead_of(unsigned warp) const {
  const std::uint64_t way = standing_[warp].way, steps = standing_[warp].steps;
  Warps found = 0;
  for (Warps rest = path(); rest; rest &= rest - 1) {
    const Standing& other = standing_[static_cast<unsigned>(__builtin_ctzll(rest))];
    if (other.steps > steps && other.way == way) found |= rest & -rest;
  }
  return found;
}

bool CtaTables::others_to_come(unsigned warp) const {
  const Standing& its = standing_[warp];
  for (Warps rest = path() & ~bit(warp); rest; rest &= rest - 1) {
    const Standing& other = standing_[static_cast<unsigned>(__builtin_ctzll(rest))];
    if (other.steps <= its.steps || other.way != its.way) return true;
  }
  return false;
}

std::vector<SkipEntry>::iterator CtaTables::victim() {
  return std::find_if(entries_.begin(), entries_.end(), [](const SkipEntry& entry) {
    return entry.written != kNever && !entry.synchronises && !entry.apart;
  });
}

CtaTables::Room CtaTables::room(unsigned warp, const ptx::Inst& inst) {
  if (inst.written_rows > capacity() || inst.written_rows > SkipEntry::kMostRows) return Room::kNoEntry;
  if (branch_sync_ && !others_to_come(warp)) return Room::kNoEntry;
  const bool full = entries_.size() >= table_entries_, registers = has_free(inst.written_rows);
  if (!full && registers) return Room::kThere;
  const Warps ahead = ahead_of(warp);
  if (full) {
    // Who is behind others must not wait for them.
    if (when_full_waits_ && branch_sync_ && ahead == 0) return Room::kWaits;
    if (victim() == entries_.end()) return Room::kNoEntry;
  }
  if (registers) return Room::kThere;
  // Who is behind others cannot wait for them here.
  return ahead == 0 ? Room::kNoRegister : Room::kNoEntry;
}

SkipEntry& CtaTables::lead(unsigned warp, ptx::Pc pc, const ptx::Inst& inst, const Flags& flags) {
  if (entries_.size() >= table_entries_) drop(*victim());
  SkipEntry entry;
  entry.pc = pc;
  entry.way = standing_[warp].way;
  entry.leader = static_cast<std::uint8_t>(warp);
  entry.passed = bit(warp) | ahead_of(warp);
  entry.load = flags.load;
  entry.global = flags.global;
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const auto to = static_cast<unsigned>(__builtin_ctzll(free_));
    free_ &= free_ - 1;
    std::uint32_t latest = 0;
    for (std::uint64_t held = all_rows_ & ~free_ & ~(std::uint64_t{1} << to); held; held &= held - 1) {
      const auto row = static_cast<unsigned>(__builtin_ctzll(held));
      if (version_of_[row] == inst.writes[i]) latest = std::max(latest, version_number_[row]);
    }
    version_of_[to] = inst.writes[i];
    version_number_[to] = latest + 1;
    holders_[to] = 2;  // the entry here, and that in the I-buffer
    entry.row[entry.rows++] = static_cast<std::uint8_t>(to);
    map(warp, inst.writes[i], to);
  }
  append(std::move(entry));
  return entries_.back();
}

void CtaTables::follow(unsigned warp, SkipEntry& entry, const ptx::Inst& inst) {
  for (unsigned i = 0; i < entry.rows; ++i) map(warp, inst.writes[i], entry.row[i]);
  entry.passed |= bit(warp);
}

SkipEntry* CtaTables::synchronise(unsigned warp, ptx::Pc pc) {
  if (entries_.size() >= table_entries_) {
    const auto oldest = victim();
    if (oldest == entries_.end()) return nullptr;
    drop(*oldest);
  }
  SkipEntry entry;
  entry.pc = pc;
  entry.way = standing_[warp].way;
  entry.leader = static_cast<std::uint8_t>(warp);
  entry.synchronises = true;
  append(std::move(entry));
  return &entries_.back();
}

void CtaTables::drop(SkipEntry& entry) {
  for (unsigned i = 0; i < entry.rows; ++i) let_go(entry.row[i]);
  const auto at = &entry - entries_.data();
  pcs_.erase(pcs_.begin() + at);
  pcs_there_ = 0;
  for (const ptx::Pc pc : pcs_) pcs_there_ |= bit(pc % 64);
  entries_.erase(entries_.begin() + at);
}

bool CtaTables::is_over(const SkipEntry& entry) const {
  const Warps for_whom = on_way(entry.way);
  // A leader that went before it had executed it leaves nothing to follow.
  const bool lost =
      entry.written == kNever && !entry.synchronises && !entry.apart && !(live_ >> entry.leader & 1);
  // Without waiting at branches, others may still come this way.
  const bool all = (for_whom & ~entry.passed) == 0 && (branch_sync_ || for_whom == path());
  // Who waited there has gone on by another way, from a barrier.
  const bool left = for_whom == 0 && (entry.synchronises || entry.apart);
  return lost || all || left;
}

bool CtaTables::tidy() {
  bool any = false;
  for (std::size_t i = 0; i < entries_.size();) {
    if (is_over(entries_[i])) {
      drop(entries_[i]);
      any = true;
    } else {
      ++i;
    }
  }
  return any;
}

bool CtaTables::tidy_passed(SkipEntry& entry) {
  // Where nobody waits at branches, warps may have left the ways of others since.
  if (!branch_sync_) return tidy();
  if (!is_over(entry)) return false;
  drop(entry);
  return true;
}

unsigned CtaTables::drop_loads(bool only_global) {
  unsigned dropped = 0;
  for (std::size_t i = 0; i < entries_.size();) {
    if (entries_[i].load && entries_[i].issued && (!only_global || entries_[i].global)) {
      drop(entries_[i]);
      ++dropped;
    } else {
      ++i;
    }
  }
  return dropped;
}

// ---- the rename table

void CtaTables::let_go(unsigned row) {
  if (--holders_[row] != 0) return;
  free_ |= std::uint64_t{1} << row;
  if (owed_ != 0) remove_free();
}

void CtaTables::give_up(unsigned rows) {
  rows = std::min(rows, capacity_);
  capacity_ -= rows;
  owed_ += rows;
  remove_free();
}

void CtaTables::remove_free() {
  for (; owed_ != 0 && free_ != 0; --owed_) {
    const std::uint64_t last = std::uint64_t{1} << (63 - __builtin_clzll(free_));
    free_ &= ~last;
    all_rows_ &= ~last;
  }
}

void CtaTables::unmap(unsigned warp, unsigned row) {
  const std::uint8_t was = std::exchange(place(warp, row), 0);
  if (was == 0) return;
  standing_[warp].renamed_to &= ~(std::uint64_t{1} << (was - 1));
  let_go(was - 1u);
}

void CtaTables::map(unsigned warp, unsigned row, unsigned to) {
  hold(to);
  unmap(warp, row);
  place(warp, row) = static_cast<std::uint8_t>(to + 1);
  standing_[warp].renamed_to |= std::uint64_t{1} << to;
}

unsigned CtaTables::read_renamed(unsigned warp, const ptx::Inst& inst, EntryNames& names) {
  const std::uint8_t* const places = &place(warp, 0);
  for (unsigned i = 0; i < inst.read_rows; ++i) {
    const std::uint8_t to = places[inst.reads[i]];
    if (to == 0) continue;
    names.read(i, RowName::shared(first_row_ + to - 1u));
    hold(to - 1u);
  }
  return names.count;
}

unsigned CtaTables::write_over_renamed(unsigned warp, const ptx::Inst& inst) {
  unsigned copies = 0;
  for (unsigned i = 0; i < inst.written_rows; ++i) {
    const bool held = place(warp, inst.writes[i]) != 0;
    copies += held && inst.guard.kind != ptx::OperandKind::kNone;
    if (held) unmap(warp, inst.writes[i]);
  }
  return copies;
}

unsigned CtaTables::versions(unsigned row) const {
  unsigned count = 0;
  for (unsigned i = 0; i < version_number_.size(); ++i) count += holders_[i] != 0 && version_of_[i] == row;
  return count;
}

unsigned CtaTables::version(unsigned warp, unsigned row) const {
  if (standing_[warp].renamed_to == 0) return 0;
  const std::uint8_t to = places_[warp * frame_rows_ + row];
  return to == 0 ? 0 : version_number_[to - 1u];
}

}  // namespace warpvp::darsie
