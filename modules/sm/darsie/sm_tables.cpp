#include "modules/sm/darsie/sm_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <stdexcept>

#include "modules/sm/darsie/values.h"
#include "modules/sm/darsie/ways.h"

namespace warpvp::darsie {
namespace {

Warps bit(unsigned warp) { return Warps{1} << warp; }

template <class F>
void for_each(Warps warps, F&& f) {
  for (; warps; warps &= warps - 1) f(static_cast<unsigned>(__builtin_ctzll(warps)));
}

}  // namespace

void Counters::stats(StatVisitor& v) const {
  v.value("leaders", leaders, "instructions", "Redundant instructions that a warp executed for its CTA.");
  v.value("skipped", skipped, "instructions",
          "Redundant instructions that warps skipped before they were fetched.");
  v.value("apart", apart, "instructions",
          "Redundant instructions that warps executed for themselves: there was no entry or no register.");
  v.value("table_reads", table_reads, "accesses", "To the PC skip table, by warps that skipped.");
  v.value("table_writes", table_writes, "accesses", "To the PC skip table, by leaders and their results.");
  v.value("replaced", replaced, "entries",
          "Of the PC skip table that made room before all warps had passed them.");
  v.value("loads_dropped", loads_dropped, "entries", "Loads that left the PC skip table because of stores.");
  v.value("branch_syncs", branch_syncs, "times",
          "Branches at which the warps of a CTA waited for each other.");
  v.value("branch_wait_cycles", branch_wait_cycles, "cycles",
          "That warps waited there, summed over the warps.");
  v.value("register_syncs", register_syncs, "times",
          "Times that a CTA's warps waited for each other as the freelist was empty.");
  v.value("left_path", left_path, "warps", "That left the majority's path.");
  v.value("gathered", gathered, "times", "Barriers at which warps came back to it.");
  v.value("copies", copies, "vector registers",
          "Renamed values that warps copied to registers of their own.");
  v.value("renamed_reads", renamed_reads, "vector registers", "Operands read from renaming registers.");
  v.value("renamed_writes", renamed_writes, "vector registers", "Results written to them, by leaders.");
  v.value("path_reads", path_reads, "accesses", "To the mask of the majority's path.");
}

SmTables::SmTables(const SmContext& place, const SmConfig& config, const Params& params)
    : params_(params),
      when_full_waits_(params.when_full == "wait"),
      budget_(config.resources, params.registers, params.registers_from == "occupancy"),
      rows_(std::max(1u, config.resources.ctas * params.registers), config.resources.warps),
      followers_(config.schedulers, nullptr),
      ctas_(config.resources.ctas) {
  place.listen(*this, {SmEvent::kCtas, SmEvent::kBarriers});
}

// ---- a warp's life

void SmTables::begin_cta(const WarpInfo& info, const ptx::Program& program) {
  const std::array<std::uint32_t, 3> block = {info.block[0], info.block[1], info.block[2]};
  const unsigned rows =
      budget_.begin(info.cta, block[0] * block[1] * block[2], program.registers_per_thread, info.most_ctas);
  budget_.recover(info.cta, [this](unsigned slot, unsigned of_it) { ctas_[slot]->tables.give_up(of_it); });
  ctas_[info.cta] = std::make_unique<CtaState>(
      params_, rows, full_warps(info), std::max(program.rows, program.frame_rows), first_row(info.cta));
  ctas_[info.cta]->flags = &flags_of(program, block, params_);
  ctas_[info.cta]->warps.resize(info.cta_warps);
}

Member SmTables::started(const WarpInfo& info, const ptx::Program& program, unsigned sub_core,
                         unsigned position) {
  if (!ctas_[info.cta]) begin_cta(info, program);
  const Member m{ctas_[info.cta].get(), info.cta, info.index};
  CtaState& c = cta(m);
  c.tables.started(m.index);
  WarpState& w = c.warps[m.index] = {};
  w.follower = followers_[sub_core];
  w.position = position;
  show(c, m.index);
  return m;
}

void SmTables::show(CtaState& c, unsigned warp) {
  const WarpState& w = c.warps[warp];
  const WarpMask its = WarpMask{1} << w.position;
  const auto set = [its](WarpMask& mask, bool on) { mask = on ? mask | its : mask & ~its; };
  const bool live = (c.tables.live() >> warp & 1) != 0;
  set(w.follower->held, !live || w.block != Block::kNone || w.elsewhere);
  set(w.follower->on_path, c.tables.on_path(warp));
}

void SmTables::begin_copies(WarpState& w, unsigned registers, Cycle now) {
  counters_.copies += registers;
  w.busy_until =
      std::max(w.busy_until, now + (registers + params_.copies_per_cycle - 1) / params_.copies_per_cycle);
  w.follower->copying |= WarpMask{1} << w.position;
}

void SmTables::resumed(Member m) {
  cta(m).tables.leave(m.index);
  show(cta(m), m.index);
}

void SmTables::redirected(Member m) {
  WarpState& w = cta(m).warps[m.index];
  if (w.block == Block::kGather) w.block = Block::kNone;
  w.at_barrier = w.elsewhere = false;
  cta(m).tables.forget_barriers(m.index);
  show(cta(m), m.index);
}

void SmTables::ended(Member m, Cycle now) {
  CtaState& c = cta(m);
  c.warps[m.index].skipped.clear();
  c.tables.ended(m.index);
  c.warps[m.index].follower->copying &= ~(WarpMask{1} << c.warps[m.index].position);
  show(c, m.index);
  c.at_branch &= ~bit(m.index);
  c.at_gather &= ~bit(m.index);
  // Others may have waited for it.
  resolve_branch(c, now);
  gather(c);
  c.tables.tidy();
  look_again(c);
}

void SmTables::cta_ended(const CtaHere& here, Cycle) {
  if (ctas_[here.slot] && !ctas_[here.slot]->tables.idle())
    throw std::logic_error("DARSIE: a CTA has ended whose registers are not all on the freelist");
  ctas_[here.slot].reset();
  budget_.end(here.slot);
}

void SmTables::look_again(CtaState& c) {
  for_each(c.tables.live(), [&](unsigned warp) { look_again(c.warps[warp]); });
}

void SmTables::look_again_at(CtaState& c, Warps warps, ptx::Pc pc) {
  for_each(warps, [&](unsigned warp) {
    const WarpState& w = c.warps[warp];
    w.follower->look_again_at(w.position, pc);
  });
}

template <class F>
void SmTables::for_each_to_come(CtaState& c, const SkipEntry& entry, F&& f) {
  const std::uint64_t way = entry.way;
  const ptx::Pc pc = entry.pc;
  for_each(c.tables.path() & ~entry.passed, [&](unsigned warp) {
    const WarpState& w = c.warps[warp];
    if (c.tables.way(warp) == way)
      f(w);
    else
      w.follower->look_again_at(w.position, pc);  // it may not find the same room as before
  });
}

void SmTables::tell_written(CtaState& c, const SkipEntry& entry) {
  const ptx::Pc pc = entry.pc;
  const Cycle at = entry.written;
  for_each_to_come(c, entry, [=](const WarpState& w) { w.follower->written_at(w.position, pc, at); });
}

// ---- fetch

SmTables::Next SmTables::next(Member m, ptx::Pc pc, const ptx::Inst& inst, SkipEntry*& entry) {
  CtaState& c = cta(m);
  entry = c.tables.find(m.index, pc);
  if (entry == nullptr) {
    switch (c.tables.room(m.index, inst)) {
      case CtaTables::Room::kThere:
      case CtaTables::Room::kNoEntry:
        return Next::kFetch;
      case CtaTables::Room::kWaits:
        return Next::kWait;
      case CtaTables::Room::kNoRegister:
        entry = c.tables.synchronise(m.index, pc);
        if (entry == nullptr) return Next::kFetch;
        c.tables.wait(m.index, *entry);
        // Who waits for room, or was about to fetch it, waits here now; if it is the last one, all go on.
        for_each(c.tables.path() & ~bit(m.index), [&](unsigned warp) { look_again(c.warps[warp]); });
        return next(m, pc, inst, entry);
    }
  }
  if (entry->apart) return Next::kFetch;
  if (entry->synchronises) {
    c.tables.wait(m.index, *entry);
    if (!c.tables.all_wait(*entry)) return Next::kWait;
    // All read the latest versions now; what was older has come back to the freelist.
    ++counters_.register_syncs;
    if (c.tables.has_free(inst.written_rows)) {
      c.tables.drop(*entry);
    } else {
      entry->synchronises = false;
      entry->apart = true;
    }
    for_each(c.tables.path() & ~bit(m.index), [&](unsigned warp) { look_again(c.warps[warp]); });
    return Next::kFetch;
  }
  return entry->written == kNever ? Next::kWait : Next::kSkip;
}

void SmTables::open_ports(Cycle now) {
  if (ports_at_ == now) return;
  ports_at_ = now;
  reads_.clear();
  writes_ = 0;
}

unsigned SmTables::limit(Member m, ptx::Pc pc, unsigned most, const ptx::Inst* code, Cycle now) {
  open_ports(now);
  CtaState& c = cta(m);
  const bool on_path = c.tables.on_path(m.index);
  const Flags* const all = c.flags->data();
  unsigned leads = 0;
  for (unsigned count = 0; count < most; ++count) {
    const Flags flags = all[pc + count];
    if (on_path && flags.skip) {
      const SkipEntry* const entry = c.tables.find(m.index, pc + count);
      if (entry != nullptr && !entry->apart) return count;
      if (entry == nullptr && c.tables.room(m.index, code[pc + count]) == CtaTables::Room::kThere &&
          writes_ + ++leads > params_.write_ports)
        return count;
    }
    if (flags.gathers || (on_path && flags.transfer)) return count + 1;
  }
  return most;
}

void SmTables::fetched_marked(Member m, ptx::Pc pc, const ptx::Inst& inst, Cycle now, EntryNames& names) {
  CtaState& c = cta(m);
  const Flags flags = (*c.flags)[pc];
  const bool on_path = c.tables.on_path(m.index);
  bool concerns_others = false;
  if (on_path && flags.skip)
    concerns_others = fetched_redundant(m, pc, inst, now, names);
  else if (on_path)
    copies(c.warps[m.index], c.tables.write_own(m.index, inst), now);
  c.tables.advance(m.index);
  if (flags.gathers) c.tables.at_barrier(m.index);
  if (on_path && flags.transfer) block(c.warps[m.index], Block::kTransfer);
  if (flags.gathers && c.tables.path() != (c.tables.live() & c.tables.full()))
    block(c.warps[m.index], Block::kGather);
  if (concerns_others) look_again_at(c, c.tables.path() & ~bit(m.index), pc);
}

bool SmTables::fetched_redundant(Member m, ptx::Pc pc, const ptx::Inst& inst, Cycle now, EntryNames& names) {
  CtaState& c = cta(m);
  SkipEntry* entry = c.tables.find(m.index, pc);
  if (entry == nullptr && writes_ < params_.write_ports &&
      c.tables.room(m.index, inst) == CtaTables::Room::kThere) {
    counters_.replaced += c.tables.entries().size() >= params_.table_entries;
    entry = &c.tables.lead(m.index, pc, inst, (*c.flags)[pc]);
    ++writes_;
    ++counters_.leaders;
    counters_.table_writes += 2;  // made now, LeaderWB later
    counters_.renamed_writes += entry->rows;
    c.tables.name_results(*entry, names);
    names.all().for_each_write([this](unsigned, RowName name) { rows_.expect(name.row()); });
    // Who was about to fetch it waits for it now.
    for_each_to_come(c, *entry, [pc](const WarpState& w) { w.follower->wait_at(w.position, pc); });
    return false;
  }
  ++counters_.apart;
  bool concerns_others = false;
  if (entry != nullptr) {
    c.tables.pass(m.index, *entry);
    concerns_others = entry->synchronises;  // they need not wait for this warp
  }
  copies(c.warps[m.index], c.tables.write_own(m.index, inst), now);
  if (entry != nullptr) c.tables.tidy();
  return concerns_others;
}

bool SmTables::skip(Member m, SkipEntry& entry, const ptx::Inst& inst, Cycle now) {
  open_ports(now);
  const std::pair<unsigned, ptx::Pc> read{m.cta, entry.pc};
  if (std::find(reads_.begin(), reads_.end(), read) == reads_.end()) {
    if (reads_.size() >= params_.read_ports) return false;
    reads_.push_back(read);
    ++counters_.table_reads;
    ++counters_.path_reads;
  }
  CtaState& c = cta(m);
  if (params_.check) c.warps[m.index].skipped.push_back(entry.values);
  c.tables.follow(m.index, entry, inst);
  c.tables.advance(m.index);
  ++counters_.skipped;
  // The warp itself is not behind it yet.
  if (c.tables.tidy_passed(entry) && when_full_waits_)
    for_each(c.tables.live() & ~bit(m.index), [&](unsigned warp) { look_again(c.warps[warp]); });
  return true;
}

// ---- issue

void SmTables::row_written(unsigned row, Cycle at) {
  const unsigned slot = row / params_.registers;
  if (!ctas_[slot]) return;
  CtaState& c = *ctas_[slot];
  SkipEntry* const entry = c.tables.entry_of_row(row % params_.registers);
  if (entry == nullptr || entry->written != kNever) return;
  entry->written = at;
  tell_written(c, *entry);
}

void SmTables::issued(Member m, const IssuedEntry& issued) {
  CtaState& c = cta(m);
  c.tables.release(issued.names);
  const bool elsewhere = issued.stream.pc() != issued.pc + 1;
  const Flags& flags = (*c.flags)[issued.pc];
  if (flags.plain() && !elsewhere) return;
  WarpState& w = c.warps[m.index];
  if (elsewhere) {
    w.elsewhere = true;
    show(c, m.index);
  }
  if (flags.skip) leader_issued(c, m, issued);
  if (flags.stores || flags.communicates) communicated(m, flags);
  if (flags.transfer && !issued.stream.exited()) branch_issued(m, issued);
  if (!flags.gathers) return;
  w.at_barrier = w.block == Block::kGather;
  if (issued.active == ~ptx::LaneMask{0} && (c.tables.full() >> m.index & 1)) {
    c.at_gather |= bit(m.index);
    gather(c);
  }
}

void SmTables::leader_issued(CtaState& c, Member m, const IssuedEntry& issued) {
  for (SkipEntry& entry : c.tables.entries()) {
    if (entry.pc != issued.pc || entry.leader != m.index || entry.issued || entry.synchronises || entry.apart)
      continue;
    entry.issued = true;
    if (params_.check) entry.values = values_of(m.index, issued);
    if (entry.rows != 0 || entry.written != kNever) return;
    // Predicates and parts of instructions have no row that says when they are there.
    entry.written = issued.result_at;
    return tell_written(c, entry);
  }
}

void SmTables::dropped(Member m, ptx::Pc pc, const ptx::Inst& inst, const OtherNames& names) {
  CtaState& c = cta(m);
  c.tables.release(names);
  if (!(*c.flags)[pc].skip) return;
  for (SkipEntry& other : c.tables.entries()) {
    if (other.pc != pc || other.leader != m.index || other.written != kNever || other.synchronises ||
        other.apart)
      continue;
    c.tables.drop(other);
    c.tables.write_own(m.index, inst);
    names.for_each_write(
        [this](unsigned, RowName name) { rows_.set(name.row(), 0, SharedRows::kNoUnit, false); });
    look_again(c);
    return;
  }
}

void SmTables::communicated(Member m, const Flags& flags) {
  if (params_.ignore_stores) return;
  unsigned dropped = 0;
  if (flags.stores) {
    if (const unsigned n = cta(m).tables.drop_loads(false)) {
      dropped += n;
      look_again(cta(m));
    }
  }
  if (flags.communicates)
    for (const auto& other : ctas_)
      if (other)
        if (const unsigned n = other->tables.drop_loads(true)) {
          dropped += n;
          look_again(*other);
        }
  counters_.loads_dropped += dropped;
}

// ---- ways

void SmTables::unblock(CtaState& c, unsigned warp, Block block) {
  WarpState& w = c.warps[warp];
  if (w.block != block) return;
  w.block = Block::kNone;
  w.at_barrier = false;
  show(c, warp);
  look_again(w);
}

void SmTables::branch_issued(Member m, const IssuedEntry& issued) {
  CtaState& c = cta(m);
  WarpState& w = c.warps[m.index];
  if (w.block != Block::kTransfer) return;
  if (!c.tables.on_path(m.index) || !(*c.flags)[issued.pc].choice)
    return unblock(c, m.index, Block::kTransfer);
  ++counters_.path_reads;
  w.target = issued.stream.pc();
  w.diverged = issued.stream.active() != ~ptx::LaneMask{0};
  if (params_.branch_sync) {
    block(w, Block::kBranch);
    w.waits_since = issued.now;
    c.at_branch |= bit(m.index);
    return resolve_branch(c, issued.now);
  }
  c.tables.set_way(m.index, mix(c.tables.way(m.index), w.target));
  if (w.diverged) leave_path(c, m.index, issued.now);
  unblock(c, m.index, Block::kTransfer);
}

void SmTables::leave_path(CtaState& c, unsigned warp, Cycle now) {
  copies(c.warps[warp], c.tables.leave(warp), now);
  ++counters_.left_path;
}

void SmTables::resolve_branch(CtaState& c, Cycle now) {
  const Warps path = c.tables.path();
  if (c.at_branch == 0 || (path & ~c.at_branch) != 0) return;
  // The majority's way; of two with as many warps that of the first warp.
  ptx::Pc majority = ptx::kNoPc;
  unsigned most = 0;
  for_each(c.at_branch, [&](unsigned warp) {
    if (c.warps[warp].diverged) return;
    unsigned count = 0;
    for_each(c.at_branch, [&](unsigned other) {
      count += !c.warps[other].diverged && c.warps[other].target == c.warps[warp].target;
    });
    if (count <= most) return;
    most = count;
    majority = c.warps[warp].target;
  });
  ++counters_.branch_syncs;
  const Warps arrived = std::exchange(c.at_branch, 0);
  for_each(arrived, [&](unsigned warp) {
    WarpState& w = c.warps[warp];
    counters_.branch_wait_cycles += now - w.waits_since;
    w.block = Block::kNone;
    if (w.diverged || w.target != majority)
      leave_path(c, warp, now);
    else
      c.tables.set_way(warp, mix(c.tables.way(warp), majority));
    show(c, warp);
  });
  c.tables.tidy();
  look_again(c);
}

void SmTables::gather(CtaState& c) {
  const Warps live = c.tables.live();
  if (c.at_gather == 0 || (live & c.tables.full() & ~c.at_gather) != 0) return;
  // Warps that lack threads never come back to the path, and are not waited for.
  const Warps arrived = std::exchange(c.at_gather, 0);
  if (!params_.branch_sync || arrived != c.tables.path()) {
    ++counters_.gathered;
    c.tables.gather(arrived, mix(1, ++c.gathers));
    for_each(live, [&](unsigned warp) { show(c, warp); });
    c.tables.tidy();
    look_again(c);  // also who waited behind the barrier for others of its old way
  } else {
    c.tables.met(arrived);
  }
  for_each(live, [&](unsigned warp) { unblock(c, warp, Block::kGather); });
}

void SmTables::barrier_arrived(const BarrierArrived& arrival, Cycle now) {
  if (!arrival.waits) barrier_released(arrival.warp, now);
}

void SmTables::barrier_released(const WarpHere& warp, Cycle) {
  if (!ctas_[warp.cta]) return;
  CtaState& c = *ctas_[warp.cta];
  if (!(c.tables.live() >> warp.index & 1)) return;
  if (c.at_gather >> warp.index & 1) c.tables.met(bit(warp.index));
  c.at_gather &= ~bit(warp.index);
  // A CTA that comes back may wait at a barrier that its warps issued elsewhere: what they have fetched since
  // lies behind that one, up to the next, which they have not come to.
  if (c.warps[warp.index].at_barrier) unblock(c, warp.index, Block::kGather);
}

// ---- check

std::string SmTables::check(Member m, const ptx::Inst& inst, const ptx::InstructionStream& stream) {
  if (!params_.check) return {};
  auto& skipped = cta(m).warps[m.index].skipped;
  assert(!skipped.empty());
  const std::shared_ptr<LeaderValues> values = skipped.front();
  skipped.erase(skipped.begin());
  const std::string wrong = difference(values.get(), inst, stream);
  return wrong.empty() ? wrong : "DARSIE skipped an instruction that is not redundant: " + wrong;
}

}  // namespace warpvp::darsie
