#include "modules/sm/statistics.h"

#include <iterator>

#include "ptx/program.h"

namespace warpvp {

namespace {
constexpr const char* kStallNames[] = {"not_selected", "fetch",   "raw_short", "raw_long", "lsu_full",
                                       "unit_busy",    "barrier", "fence",     "drain"};
constexpr const char* kStallSentences[] = {
    "Warps were ready, and the scheduler issued another one.",
    "Warps had no instruction in their I-buffer.",
    "Warps waited for an operand from an execution unit or from a hit of the L1.",
    "Warps waited for an operand from a load that missed the L1.",
    "Warps had a memory instruction that the load/store unit could not take.",
    "Warps waited because the unit of their instruction, or all operand collectors, were busy.",
    "Warps waited at a barrier.",
    "Warps waited at a fence for stores or asynchronous copies.",
    "Warps had exited and still had memory instructions under way."};
constexpr unsigned kStalls = static_cast<unsigned>(Stall::kCount);
static_assert(std::size(kStallNames) == kStalls && std::size(kStallSentences) == kStalls);

struct ClassName {
  const char *key, *doc;
};
// In the order of ptx::OpClass.
constexpr ClassName kClasses[] = {
    {"move", "Moves, selects and address conversions."},
    {"int_add", "Integer addition, minimum, maximum."},
    {"int_mul", "Integer multiplication and multiply-add."},
    {"int_div", "Integer division and remainder."},
    {"logic", "Logic, shifts to the right, bit fields and the like."},
    {"shift_left", "Shifts to the left."},
    {"compare", "Comparisons of every type, and selections."},
    {"convert", "Conversions."},
    {"fp_add", "Single-precision addition, minimum, maximum."},
    {"fp_mul", "Single-precision multiplication."},
    {"fp_fma", "Single-precision multiply-add."},
    {"fp_div", "Single-precision division and reciprocal."},
    {"fp_sqrt", "Single-precision square root."},
    {"special", "Approximations of the special-function unit."},
    {"dp_add", "Double-precision addition."},
    {"dp_fma", "Double-precision multiplication and multiply-add."},
    {"dp_div", "Double-precision division and square root."},
    {"vote", "Votes and activemask."},
    {"shuffle", "Warp shuffles."},
    {"control", "Branches, calls, exits, fences and the like."},
    {"memory", "Accesses to memory of every space."},
    {"barrier", "Barriers."},
    {"tensor_half", "Matrix products of f16 and bf16."},
    {"tensor_single", "Matrix products of tf32."},
    {"tensor_double", "Matrix products of f64."},
    {"tensor_byte", "Matrix products of 8-bit integers."},
    {"tensor_nibble", "Matrix products of 4-bit integers."},
    {"tensor_bit", "Matrix products of bits."},
    {"guard", "Comparisons whose predicate guards the next machine instruction."},
    {"tensor_float8", "Matrix products of 8-bit floats."},
    {"match", "Searches for lanes with the same value."},
    {"redux", "Reductions of a warp's values to one."}};
static_assert(std::size(kClasses) == static_cast<unsigned>(ptx::OpClass::kCount));

/// Issues, or lanes, of each class.
struct ByClass {
  const std::vector<ExecutedCounters::OfClass>& classes;
  std::uint64_t ExecutedCounters::OfClass::*count;
  const char* unit;
  void stats(StatVisitor& v) const {
    for (unsigned c = 0; c < std::size(kClasses); ++c)
      v.value(kClasses[c].key, c < classes.size() ? classes[c].*count : std::uint64_t{0}, unit,
              kClasses[c].doc);
  }
};
}  // namespace

const char* stall_name(Stall s) { return kStallNames[static_cast<unsigned>(s)]; }

void visit_stalls(StatVisitor& v, const StallCycles& cycles) {
  for (unsigned r = 0; r < kStalls; ++r)
    v.value(kStallNames[r], cycles[r], "warp-cycles", kStallSentences[r]);
}

void FetchCounters::add(const FetchCounters& other) {
  fetches += other.fetches;
  fetch_misses += other.fetch_misses;
  redirects += other.redirects;
  flushed += other.flushed;
  nops += other.nops;
  skipped += other.skipped;
}

void FetchCounters::stats(StatVisitor& v) const {
  v.value("fetches", fetches, "fetches", "Instruction fetches.");
  v.value("fetch_misses", fetch_misses, "fetches", "Fetches that missed the instruction cache.");
  v.value("redirects", redirects, "flushes", "I-buffer flushes by taken branches and reconvergence.");
  v.value("flushed", flushed, "instructions", "Instructions fetched and thrown away by redirects.");
  v.value("nops", nops, "NOPs",
          "NOPs issued in place of instructions (coordinated mode); they are no warp instructions.");
  v.when(skipped != 0, "where a front end leaves instructions out", [&] {
    v.value("skipped", skipped, "warp instructions",
            "Instructions that took effect without being issued; they are no warp instructions.");
  });
}

void SchedulingCounters::add(const SchedulingCounters& other) {
  cycles += other.cycles;
  discrepancies += other.discrepancies;
  errors += other.errors;
}

void SchedulingCounters::stats(StatVisitor& v) const {
  v.value("discrepancies", discrepancies, "edges",
          "Edges at which an empty I-buffer made the scheduler choose otherwise.");
  v.value("errors", errors, "edges",
          "Of the discrepancies, those that neither a miss of the instruction cache nor a taken branch "
          "explains.");
  v.value("cycles", cycles, "edges", "Edges of schedulers with resident warps.");
  v.value("error_rate", cycles ? static_cast<double>(errors) / static_cast<double>(cycles) : 0.0, "share",
          "Errors over cycles.");
}

void ExecutedCounters::enable() { classes.resize(std::size(kClasses)); }

void ExecutedCounters::add(const ExecutedCounters& other) {
  rows_read += other.rows_read;
  rows_written += other.rows_written;
  if (classes.size() < other.classes.size()) classes.resize(other.classes.size());
  for (std::size_t c = 0; c < other.classes.size(); ++c) {
    classes[c].issued += other.classes[c].issued;
    classes[c].lanes += other.classes[c].lanes;
  }
}

void ExecutedCounters::stats(StatVisitor& v) const {
  v.value("rows_read", rows_read, "rows",
          "Rows of 32 lanes of the register file that operands named, each once an instruction; a 64-bit "
          "register has two.");
  v.value("rows_written", rows_written, "rows",
          "Rows of 32 lanes of the register file that results went to.");
  v.group("warps", ByClass{classes, &OfClass::issued, "warp instructions"},
          "Warp instructions issued, by class; their sum is warp_instructions.");
  v.group("lanes", ByClass{classes, &OfClass::lanes, "thread instructions"},
          "Lanes that executed, by class; their sum is thread_instructions.");
}

void SmLaunchCounters::add(const SmLaunchCounters& other) {
  warp_instructions += other.warp_instructions;
  expansion_instructions += other.expansion_instructions;
  thread_instructions += other.thread_instructions;
  for (unsigned p = 0; p < 2; ++p) flops[p] += other.flops[p];
  ctas += other.ctas;
  fetch.add(other.fetch);
  scheduling.add(other.scheduling);
  first_cycle = std::min(first_cycle, other.first_cycle);
  last_cycle = std::max(last_cycle, other.last_cycle);
  executed.add(other.executed);
  l1_bytes_least = std::min(l1_bytes_least, other.l1_bytes_least);
  l1_bytes_most = std::max(l1_bytes_most, other.l1_bytes_most);
  if (stalls.size() < other.stalls.size()) stalls.resize(other.stalls.size());
  for (std::size_t s = 0; s < other.stalls.size(); ++s)
    for (unsigned r = 0; r < kStalls; ++r) stalls[s][r] += other.stalls[s][r];
}

void ContextSwitchCounters::stats(StatVisitor& v) const {
  v.value("saved", saved, "CTAs", "CTAs whose state was saved.");
  v.value("dropped", dropped, "CTAs", "CTAs that were dropped, to run again from the start.");
  v.value("restored", restored, "CTAs", "CTAs that went on from saved state.");
  v.value("saved_bytes", saved_bytes, "bytes", "State written to device memory.");
  v.value("restored_bytes", restored_bytes, "bytes", "State read from device memory.");
  v.value("quiet_cycles", quiet_cycles, "cycles",
          "From a request to leave until nothing was under way, summed over requests.");
  v.value("save_cycles", save_cycles, "cycles", "Cycles in which state was being written.");
  v.value("restore_cycles", restore_cycles, "cycles", "Cycles in which state was being read.");
}

void SmCounters::stats(StatVisitor& v) const {
  v.value("active_cycles", active_cycles, "cycles", "Edges at which the SM ticked with warps resident.");
  v.value("issued", issued, "warp instructions", "Warp instructions issued.");
  fetch.stats(v);
  v.value("bank_conflict_cycles", bank_conflict_cycles, "cycles",
          "Operand reads delayed by register-bank conflicts.");
  v.value(
      "path_switches", path_switches, "turns",
      "Turns taken from a path of a warp that looped while another could go on (divergence.switch_after).");
  v.value("ctas", ctas, "CTAs", "CTAs completed.");
  v.when(scheduling.cycles != 0, kWithOracle,
         [&] { v.group("scheduling", scheduling, kSchedulingSentence); });
  v.when(switches.any(), "where CTAs left before their ends (`work_distributor.preemption`)",
         [&] { v.group("context_switch", switches, "CTAs that left before their ends, and came back."); });
}

}  // namespace warpvp
