#pragma once
// DARSIE's tables of one CTA (Yeh's thesis, section 7.3): PC skip table, rename and version tables with their
// freelist, and which warps are on the majority's path. No clock: the caller says when.
//
// A warp that comes to a redundant instruction finds it in the skip table, and follows, or not, and leads.
// The leader's result goes to a vector register of the freelist, a new version of the register that the
// program names; each warp reads the version that its own sequence of instructions had last.

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/cycle.h"
#include "modules/sm/darsie/params.h"
#include "modules/sm/issue/row_map.h"
#include "ptx/program.h"

namespace warpvp::darsie {

/// A set of the CTA's warps, by their index in it.
using Warps = std::uint64_t;

/// What a skipped instruction yields according to its leader, for Params::check.
struct LeaderValues {
  unsigned warp = 0;
  std::vector<std::uint32_t> words;  ///< of its rows, in the order of Inst::writes
  std::vector<std::uint32_t> preds;  ///< in the order of Inst::pred_writes
};

/// What rows of an instruction that are renamed are called, by place as OtherNames has it, put into a room
/// for all rows of the instruction.
struct EntryNames {
  explicit EntryNames(RowName* room) : room(room) {}
  std::uint16_t reads = 0, writes = 0;
  unsigned count = 0;
  RowName* room;
  // Requires places in order, those of reads first.
  void read(unsigned place, RowName name) {
    reads = static_cast<std::uint16_t>(reads | 1u << place);
    room[count++] = name;
  }
  void write(unsigned place, RowName name) {
    writes = static_cast<std::uint16_t>(writes | 1u << place);
    room[count++] = name;
  }
  OtherNames all() const { return {reads, writes, room}; }
};

/// One line of a host's cache.
struct alignas(64) SkipEntry {
  static constexpr unsigned kMostRows = 8;
  SkipEntry() : synchronises(false), apart(false), load(false), global(false), issued(false) {}
  std::uint64_t way = 0;   ///< of the warps that it is for
  Warps passed = 0;        ///< warps that have executed or skipped it
  Warps waiting = 0;       ///< warps that wait here for all others, for want of registers
  Cycle written = kNever;  ///< LeaderWB: the edge from which the result is there
  ptx::Pc pc = 0;
  std::uint8_t leader = 0, rows = 0;
  bool synchronises : 1;
  bool apart : 1;  ///< there are no registers: each warp executes it by itself
  bool load : 1, global : 1;
  bool issued : 1;                   ///< the leader has executed it, and a load has read memory
  std::uint8_t row[kMostRows] = {};  ///< of the CTA's renaming registers
  std::shared_ptr<LeaderValues> values;
};

class CtaTables {
 public:
  /// `rows`: renaming registers, at most 64. `full`: warps all of whose lanes have a thread. `frame_rows`:
  /// registers that an instruction of the program can name. The first of its renaming registers is the SM's
  /// shared row `first_row`.
  CtaTables(const Params& params, unsigned rows, Warps full, unsigned frame_rows, unsigned first_row = 0);

  // Who is there, and on the majority's path.
  void started(unsigned warp) { live_ |= bit(warp); }
  /// Its registers are released.
  void ended(unsigned warp);
  Warps live() const { return live_; }
  Warps path() const { return path_ & live_; }
  bool on_path(unsigned warp) const { return path() >> warp & 1; }
  std::uint64_t way(unsigned warp) const { return standing_[warp].way; }
  void set_way(unsigned warp, std::uint64_t way) {
    standing_[warp].way = way;
    standing_[warp].steps = 0;
    barriers_[warp].clear();
  }
  /// It has fetched or skipped an instruction.
  void advance(unsigned warp) { ++standing_[warp].steps; }
  /// The last one was a barrier that gathers: a new way may begin behind it. It may be fetched before warps
  /// have met at the one before.
  void at_barrier(unsigned warp) {
    // Off the path it fetches nothing behind one before it has been released from it.
    if (!on_path(warp)) barriers_[warp].clear();
    barriers_[warp].push_back(standing_[warp].steps);
  }
  /// Barriers that it has fetched and not come to are no longer before it.
  void forget_barriers(unsigned warp) { barriers_[warp].clear(); }
  /// These have met at a barrier and stay on their ways.
  void met(Warps warps);
  /// Off the path. Its renamed registers are copied to its own: how many that are.
  unsigned leave(unsigned warp);
  /// These are on the path from now on, where all stand at the same instruction.
  void gather(Warps warps, std::uint64_t way);
  Warps full() const { return full_; }

  // The skip table.
  SkipEntry* find(unsigned warp, ptx::Pc pc) {
    return pcs_there_ & bit(pc % 64) ? find_among(warp, pc) : nullptr;
  }
  /// What a warp needs that would lead at an instruction that is not in the table.
  enum class Room : std::uint8_t {
    kThere,
    kNoEntry,     ///< the table is full of results that are not there yet, there is no register for it, or
                  ///< nobody is left who could follow
    kWaits,       ///< the table is full, and the warp is to wait until one is passed (Params::when_full)
    kNoRegister,  ///< the freelist is empty, and no other warp is further on this way
  };
  Room room(unsigned warp, const ptx::Inst& inst);
  /// Makes the entry; requires Room::kThere. The warp reads the new rows from now on. They are held until
  /// release(), too.
  SkipEntry& lead(unsigned warp, ptx::Pc pc, const ptx::Inst& inst, const Flags& flags);
  /// The warp goes past it and reads the leader's rows from now on.
  void follow(unsigned warp, SkipEntry& entry, const ptx::Inst& inst);
  /// The freelist is empty: all warps on the path are to come here (7.3.5). nullptr: no entry is to be had.
  SkipEntry* synchronise(unsigned warp, ptx::Pc pc);
  /// Warp `warp` waits at such an entry, or executes by itself what stands `apart`.
  void wait(unsigned warp, SkipEntry& entry) { entry.waiting |= bit(warp); }
  /// All do, but those that were being fetched past it when it was made.
  bool all_wait(const SkipEntry& entry) const {
    return (on_way(entry.way) & ~(entry.waiting | entry.passed)) == 0;
  }
  void pass(unsigned warp, SkipEntry& entry) { entry.passed |= bit(warp); }
  void drop(SkipEntry& entry);
  /// Drops entries that all warps on their way have passed, and those of leaders that have gone. True if any.
  bool tidy();
  /// The same behind a warp that has passed this entry.
  bool tidy_passed(SkipEntry& entry);
  /// Stores have been executed, by the CTA, or communication, by the SM: how many entries went (7.4). Loads
  /// that are still to be executed stay, as they come behind the stores.
  unsigned drop_loads(bool only_global);
  SkipEntry* entry_of_row(unsigned row);
  std::vector<SkipEntry>& entries() { return entries_; }

  // The rename table.
  /// Where the warp reads the instruction's operands as it stands now, and how many of them are renamed;
  /// what it writes stays its own. What is read is held until release().
  unsigned read(unsigned warp, const ptx::Inst& inst, EntryNames& names) {
    return standing_[warp].renamed_to == 0 ? 0 : read_renamed(warp, inst, names);
  }
  /// The same of the results of the entry's leader, behind read().
  void name_results(const SkipEntry& entry, EntryNames& names) const {
    for (unsigned i = 0; i < entry.rows; ++i) names.write(i, RowName::shared(first_row_ + entry.row[i]));
  }
  void release(const OtherNames& names) {
    names.for_each_read([this](unsigned, RowName name) { let_go(name.row() - first_row_); });
    names.for_each_write([this](unsigned, RowName name) { let_go(name.row() - first_row_); });
  }
  /// The warp writes rows of its own. How many old values have to be copied for it, as a guard may leave
  /// them.
  unsigned write_own(unsigned warp, const ptx::Inst& inst) {
    return standing_[warp].renamed_to == 0 ? 0 : write_over_renamed(warp, inst);
  }
  /// Versions of a register of the program that are held, and the one that the warp reads; 0: its own.
  unsigned versions(unsigned row) const;
  unsigned version(unsigned warp, unsigned row) const;
  unsigned free_rows() const { return static_cast<unsigned>(__builtin_popcountll(free_)); }
  bool has_free(unsigned rows) const {
    std::uint64_t rest = free_;
    for (; rows > 1 && rest; --rows) rest &= rest - 1;
    return rows == 0 || rest != 0;
  }
  /// It has `rows` renaming registers less: free ones, or those that are free next.
  void give_up(unsigned rows);
  /// Renaming registers that it has.
  unsigned capacity() const { return capacity_; }
  bool idle() const { return entries_.empty() && free_ == all_rows_; }

 private:
  /// Of a warp, what is looked at together.
  struct Standing {
    std::uint64_t way = 0;
    std::uint64_t steps = 0;       // since its way began
    std::uint64_t renamed_to = 0;  // renaming registers that it reads
  };

  static Warps bit(unsigned warp) { return Warps{1} << warp; }
  /// Where the warp reads this row of the program: a renaming register and 1; 0: in its own.
  std::uint8_t& place(unsigned warp, unsigned row) { return places_[warp * frame_rows_ + row]; }
  unsigned read_renamed(unsigned warp, const ptx::Inst& inst, EntryNames& names);
  unsigned write_over_renamed(unsigned warp, const ptx::Inst& inst);
  void unmap(unsigned warp, unsigned row);
  void map(unsigned warp, unsigned row, unsigned to);
  void remove_free();
  void hold(unsigned row) { ++holders_[row]; }
  SkipEntry* find_among(unsigned warp, ptx::Pc pc);
  void append(SkipEntry&& entry) {
    pcs_.push_back(entry.pc);
    pcs_there_ |= bit(entry.pc % 64);
    entries_.push_back(std::move(entry));
  }
  /// Another warp on the warp's path is not further than it.
  bool others_to_come(unsigned warp) const;
  void let_go(unsigned row);
  Warps on_way(std::uint64_t way) const;
  /// Those on the warp's way that are further than it.
  Warps ahead_of(unsigned warp) const;
  /// Nobody needs it any more.
  bool is_over(const SkipEntry& entry) const;
  std::vector<SkipEntry>::iterator victim();

  // The tables of all SMs together are larger than a host's caches: what is looked at for every instruction
  // lies together, and apart from the rest.
  const bool branch_sync_, when_full_waits_;
  const unsigned table_entries_, frame_rows_, first_row_;
  const Warps full_;
  Warps live_ = 0, path_;
  std::uint64_t pcs_there_ = 0;  // remainders by 64 of the entries' program counters
  std::uint64_t free_, all_rows_;
  unsigned capacity_;
  unsigned owed_ = 0;                 // registers beyond the capacity, which go when they are free
  std::vector<SkipEntry> entries_;    // oldest first
  std::vector<std::uint8_t> places_;  // by warp and row: see place()
  std::vector<ptx::Pc> pcs_;          // of the entries
  // Of a renaming register: the skip table, warps that read it, entries of I-buffers that will.
  std::array<std::uint32_t, 64> holders_{};
  std::array<std::uint16_t, 64> version_of_{};  // the register of the program of which it has a version,
  std::vector<std::uint32_t> version_number_;   // and which one
  std::array<Standing, 64> standing_{};         // by warp
  // By warp: its steps at barriers that it has fetched and at which warps have not met yet, oldest first.
  std::array<std::vector<std::uint64_t>, 64> barriers_;
};

}  // namespace warpvp::darsie
