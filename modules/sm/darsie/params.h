#pragma once
// The parameters of DARSIE (Yeh's thesis, chapter 7), and what it knows of a kernel.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "ptx/program.h"

namespace warpvp::darsie {

/// Section 7.2 lets loads take the class of their address, and does not speak of local memory.
inline constexpr const char* kLocalByAddress =
    "Loads of a thread's own (local) memory take the class of their address, as other loads do. No chip "
    "could: it would be wrong wherever threads have stored different values there. Results are those of "
    "the program nevertheless.";

struct Params {
  std::uint32_t table_entries = 8;
  std::uint32_t read_ports = 2, write_ports = 1;
  std::uint32_t rename_entries = 32, registers = 32;
  std::string registers_from = "occupancy";
  std::string when_full = "replace";
  std::uint32_t copies_per_cycle = 1;
  bool by_xy = false;
  bool predicates = true;
  bool ignore_stores = false;
  bool local_by_address = false;
  bool branch_sync = true;
  bool bank_conflicts = true;
  bool skip = true;
  bool check = false;

  void fields(FieldVisitor& v) {
    v.field("table_entries", table_entries, "entries",
            "Of the PC skip table, for each CTA (thesis, section 7.7.4; 7.6 has 1).",
            Constraint::range(1, 1024));
    v.field("read_ports", read_ports, "",
            "Entries of the PC skip table that an SM reads in a cycle. Warps of a CTA that are at the same "
            "instruction share one (7.3.4).",
            Constraint::range(1, 64));
    v.field("write_ports", write_ports, "", "Entries of it that an SM makes in a cycle.",
            Constraint::range(1, 64));
    v.field("rename_entries", rename_entries, "entries", "Of the rename table, for each CTA.",
            Constraint::range(1, 64));
    v.field("registers", registers, "vector registers", "That a CTA has for renaming at most.",
            Constraint::range(0, 64));
    v.field("registers_from", registers_from,
            "Where they lie. `occupancy`: in the register file, so far as occupancy leaves some, divided "
            "among the "
            "CTAs that fit (7.3.1), and in what is dealt to the CTA's warps beyond what they use; `own`: in "
            "a file "
            "of their own, so that each CTA has `registers` of them.",
            Constraint::words({"occupancy", "own"}));
    v.field("when_full", when_full,
            "What becomes of a leader that finds no free entry of the PC skip table: it replaces the oldest "
            "whose "
            "result is there, or waits until all warps have passed one (with branch_sync; without, nobody "
            "knows when that "
            "is).",
            Constraint::words({"replace", "wait"}));
    v.field("copies_per_cycle", copies_per_cycle, "vector registers",
            "That a warp which leaves the majority's path copies to its own registers in a cycle.",
            Constraint::range(1, 64));
    v.field("by_xy", by_xy,
            "tid.y may repeat from warp to warp too, in blocks of three dimensions (chapter 4).");
    v.field("predicates", predicates, "Instructions that yield predicates are skipped as others are.");
    v.field(
        "ignore_stores", ignore_stores,
        "Stores and communication leave loads in the PC skip table (DARSIE-IGNORE-STORE). Not what a chip "
        "could do: values may be wrong, and are in a run with `check`.");
    v.field("local_by_address", local_by_address, kLocalByAddress);
    v.field(
        "branch_sync", branch_sync,
        "The warps of a CTA wait for each other at branches; without (DARSIE-NO-CF-SYNC) each goes on, and "
        "skips what others on the same way have executed.");
    v.field("bank_conflicts", bank_conflicts,
            "Renamed registers lie in the banks of their own; without, in those of the warp's registers.");
    v.field(
        "skip", skip,
        "Instructions are skipped. Without, only the waiting at branches is left (SILICON-SYNC, 7.7.3, which "
        "the thesis measured on a chip with barriers put into the programs).");
    v.field("check", check,
            "What is skipped is executed nevertheless and compared with what the leader's registers hold. A "
            "difference is a fault of the device.");
    v.require(registers <= rename_entries, "registers", "more than rename_entries");
  }
};

/// What matters of an instruction before it is fetched. One byte, as those of a whole kernel are looked at
/// all the time.
struct Flags {
  Flags()
      : skip(false),
        load(false),
        global(false),
        transfer(false),
        choice(false),
        gathers(false),
        stores(false),
        communicates(false) {}
  bool skip : 1;          ///< redundant, and may be left out
  bool load : 1;          ///< of memory that stores may change
  bool global : 1;        ///< of it: by other CTAs too
  bool transfer : 1;      ///< the next one is not known when it is fetched
  bool choice : 1;        ///< of it: warps may go different ways
  bool gathers : 1;       ///< a barrier at which all warps are on the majority's path again
  bool stores : 1;        ///< other warps of the CTA may load what it writes (7.4, event 1)
  bool communicates : 1;  ///< tells CTAs of other SMs something, or is told something by them (7.4, event 2)

  /// What is fetched with it depends on other warps, or on what it does.
  bool limits() const { return skip || transfer || gathers; }
  /// Concerns no other warp.
  bool plain() const { return !(skip || transfer || gathers || stores || communicates); }
};

using AllFlags = std::vector<Flags>;

// Of the instructions of a kernel, for CTAs of that shape; kept with the program.
const AllFlags& flags_of(const ptx::Program& program, const std::array<std::uint32_t, 3>& block,
                         const Params& params);
/// The same for UV (section 7.6): what is skipped yields one value in all lanes of the CTA, in whatever
/// shape, and accesses no memory, constants and parameters included.
const AllFlags& uniform_flags(const ptx::Program& program, const std::array<std::uint32_t, 3>& block);
/// The same for the idealised DAC (section 7.6): what is skipped yields affine values, in whatever shape; of
/// loads those from one address.
const AllFlags& affine_flags(const ptx::Program& program, const std::array<std::uint32_t, 3>& block,
                             bool local_by_address);

}  // namespace warpvp::darsie
