#pragma once
// What the sub-cores of an SM share for DARSIE: the tables of its CTAs, the ports of the PC skip table, and
// who waits for what.
//
// Within an edge a sub-core skips first, for warps whose leader's result is there; then it issues; then it
// fetches, which may make a leader.

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/stats.h"
#include "modules/sm/config.h"
#include "modules/sm/darsie/cta_tables.h"
#include "modules/sm/darsie/renaming_budget.h"
#include "modules/sm/frontend/front_end.h"
#include "modules/sm/frontend/shared_front_end.h"
#include "modules/sm/issue/shared_rows.h"
#include "modules/sm/sm_context.h"

namespace warpvp::darsie {

struct Counters {
  std::uint64_t leaders = 0, skipped = 0, table_reads = 0, table_writes = 0, replaced = 0;
  std::uint64_t loads_dropped = 0, branch_syncs = 0, branch_wait_cycles = 0, register_syncs = 0, apart = 0;
  std::uint64_t left_path = 0, gathered = 0, copies = 0, renamed_reads = 0, renamed_writes = 0;
  std::uint64_t path_reads = 0;

  void stats(StatVisitor& v) const;
};

/// What a sub-core's front end does for the tables, and what they say of its warps.
class Follower {
 public:
  virtual ~Follower() = default;
  // By position, as they are asked more often than anything else. The tables change them.
  WarpMask held = ~WarpMask{0};  ///< may neither fetch nor skip, whatever comes next
  WarpMask on_path = 0;          ///< of the majority
  WarpMask copying = 0;          ///< registers, until SmTables::busy_until()
  /// Whether the warp at this position may fetch, or skip, is looked at again, at edge `at` where it may
  /// skip.
  virtual void look_again(unsigned position) = 0;
  /// The same, if this is its next instruction.
  virtual void look_again_at(unsigned position, ptx::Pc pc) = 0;
  // The same where it is known what it would see: an entry whose result is not there; one whose result is
  // there from edge `at` on, for warps on the path.
  virtual void wait_at(unsigned position, ptx::Pc pc) = 0;
  virtual void written_at(unsigned position, ptx::Pc pc, Cycle at) = 0;
  virtual void wake_at(Cycle at) = 0;
};

class SmTables : public SharedFrontEnd, private SmListener {
  struct CtaState;

 public:
  /// A warp, for the tables.
  struct Member {
    CtaState* state = nullptr;
    unsigned cta = 0;    ///< CTA slot
    unsigned index = 0;  ///< in the CTA
  };

  SmTables(const SmContext& place, const SmConfig& config, const Params& params);

  SharedRows* rows() override { return &rows_; }
  void row_written(unsigned row, Cycle at) override;
  void attach(unsigned sub_core, Follower& follower) { followers_[sub_core] = &follower; }

  // A warp's life. `slot`: of the SM.
  Member started(const WarpInfo& info, const ptx::Program& program, unsigned sub_core, unsigned position);
  void ended(Member m, Cycle now);
  /// It goes on in the middle of the program: its CTA has been preempted.
  void resumed(Member m);
  /// It goes on elsewhere: what it waited for behind the last instruction is of no matter.
  void redirected(Member m);
  const AllFlags& flags(Member m) { return *cta(m).flags; }

  // Fetch.
  Cycle busy_until(Member m) { return cta(m).warps[m.index].busy_until; }
  enum class Next : std::uint8_t { kFetch, kSkip, kWait };
  /// What a warp on the path may do, whose next instruction is `pc`, a redundant one; kSkip: `entry`, when
  /// it is written.
  Next next(Member m, ptx::Pc pc, const ptx::Inst& inst, SkipEntry*& entry);
  /// How many instructions a fetch may bring, of `most` from `pc` on, which are in the code; 0: not at this
  /// edge.
  unsigned limit(Member m, ptx::Pc pc, unsigned most, const ptx::Inst* code, Cycle now);
  /// The instruction is fetched, with these names.
  void fetched(Member m, ptx::Pc pc, const ptx::Inst& inst, Cycle now, EntryNames& names) {
    CtaState& c = cta(m);
    counters_.renamed_reads += c.tables.read(m.index, inst, names);
    const Flags flags = (*c.flags)[pc];
    if (flags.skip || flags.transfer || flags.gathers) return fetched_marked(m, pc, inst, now, names);
    if (c.tables.on_path(m.index)) copies(c.warps[m.index], c.tables.write_own(m.index, inst), now);
    c.tables.advance(m.index);
  }
  /// The table has a port for the entry at this edge; then the warp goes past it.
  bool skip(Member m, SkipEntry& entry, const ptx::Inst& inst, Cycle now);

  // Issue.
  void issued(Member m, const IssuedEntry& entry);
  /// The entry never issues.
  void dropped(Member m, ptx::Pc pc, const ptx::Inst& inst, const OtherNames& names);
  /// What is wrong with what the warp has computed for an instruction that it skipped; empty: nothing.
  std::string check(Member m, const ptx::Inst& inst, const ptx::InstructionStream& stream);

  /// The shared row that is the first of a CTA slot's renaming registers.
  unsigned first_row(unsigned cta) const { return cta * params_.registers; }
  const Params& params() const { return params_; }
  const Counters& counters() const { return counters_; }
  /// Of a CTA slot; nullptr: nobody is there. For tests.
  CtaTables* tables(unsigned slot) { return ctas_[slot] ? &ctas_[slot]->tables : nullptr; }

 private:
  enum class Block : std::uint8_t { kNone, kTransfer, kBranch, kGather };
  struct WarpState {
    Follower* follower = nullptr;  // of its sub-core
    unsigned position = 0;
    Block block = Block::kNone;
    bool diverged = false;
    bool at_barrier = false;  // it has issued the barrier behind which it fetches nothing (kGather)
    bool elsewhere = false;   // what it has issued sends it elsewhere, and redirected() is about to say so
    ptx::Pc target = 0;       // of the branch at which it waits
    Cycle busy_until = 0;     // copies registers
    Cycle waits_since = 0;
    std::vector<std::shared_ptr<LeaderValues>> skipped;  // that it has not computed yet
  };
  struct CtaState {
    CtaState(const Params& params, unsigned rows, Warps full, unsigned frame_rows, unsigned first_row)
        : tables(params, rows, full, frame_rows, first_row) {}
    CtaTables tables;
    const AllFlags* flags = nullptr;
    Warps at_branch = 0, at_gather = 0;
    std::uint64_t gathers = 0;
    std::vector<WarpState> warps;  // by index
  };

  static CtaState& cta(Member m) { return *m.state; }
  void open_ports(Cycle now);
  void begin_cta(const WarpInfo& info, const ptx::Program& program);
  void look_again(CtaState& c);
  void look_again(WarpState& w) { w.follower->look_again(w.position); }
  /// What its follower is told of it.
  void show(CtaState& c, unsigned warp);
  void block(WarpState& w, Block block) {
    w.block = block;
    w.follower->held |= WarpMask{1} << w.position;
  }
  void copies(WarpState& w, unsigned registers, Cycle now) {
    if (registers != 0) begin_copies(w, registers, now);
  }
  void begin_copies(WarpState& w, unsigned registers, Cycle now);
  /// Warps that come to this instruction next.
  void look_again_at(CtaState& c, Warps warps, ptx::Pc pc);
  /// Calls `f` for warps on the entry's way that have not passed it; others that come to its instruction look
  /// again.
  template <class F>
  void for_each_to_come(CtaState& c, const SkipEntry& entry, F&& f);
  void tell_written(CtaState& c, const SkipEntry& entry);
  void branch_issued(Member m, const IssuedEntry& entry);
  void resolve_branch(CtaState& c, Cycle now);
  /// show() is to follow.
  void leave_path(CtaState& c, unsigned warp, Cycle now);
  void gather(CtaState& c);
  void fetched_marked(Member m, ptx::Pc pc, const ptx::Inst& inst, Cycle now, EntryNames& names);
  /// Whether others that come to it next are to look again.
  bool fetched_redundant(Member m, ptx::Pc pc, const ptx::Inst& inst, Cycle now, EntryNames& names);
  void leader_issued(CtaState& c, Member m, const IssuedEntry& entry);
  void communicated(Member m, const Flags& flags);
  void unblock(CtaState& c, unsigned warp, Block block);

  void barrier_arrived(const BarrierArrived& arrival, Cycle now) override;
  void barrier_released(const WarpHere& warp, Cycle from) override;
  void cta_ended(const CtaHere& cta, Cycle now) override;

  const Params params_;
  const bool when_full_waits_;
  RenamingBudget budget_;
  SharedRows rows_;
  std::vector<Follower*> followers_;             // by sub-core
  std::vector<std::unique_ptr<CtaState>> ctas_;  // by slot
  Counters counters_;
  // Ports taken at an edge.
  Cycle ports_at_ = kNever;
  std::vector<std::pair<unsigned, ptx::Pc>> reads_;  // CTA slot and PC
  unsigned writes_ = 0;
};

using Member = SmTables::Member;

}  // namespace warpvp::darsie
