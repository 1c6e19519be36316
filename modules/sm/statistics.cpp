#include "modules/sm/statistics.h"

namespace warpvp {

namespace {
constexpr const char* kStallNames[] = {"not_selected", "fetch",   "raw_short", "raw_long", "lsu_full",
                                       "unit_busy",    "barrier", "fence",     "drain"};
constexpr unsigned kStalls = static_cast<unsigned>(Stall::kCount);
}  // namespace

const char* stall_name(Stall s) { return kStallNames[static_cast<unsigned>(s)]; }

void FetchCounters::add(const FetchCounters& other) {
  fetches += other.fetches;
  fetch_misses += other.fetch_misses;
  redirects += other.redirects;
  flushed += other.flushed;
  nops += other.nops;
}

void FetchCounters::stats(StatVisitor& v) const {
  v.value("fetches", fetches, "", "Instruction fetches.");
  v.value("fetch_misses", fetch_misses, "", "Fetches that missed the instruction cache.");
  v.value("redirects", redirects, "", "I-buffer flushes by taken branches and reconvergence.");
  v.value("flushed", flushed, "", "Instructions fetched and thrown away by them.");
  v.value("nops", nops, "", "NOPs issued in place of instructions (coordinated mode); no warp instructions.");
}

void SchedulingCounters::add(const SchedulingCounters& other) {
  cycles += other.cycles;
  discrepancies += other.discrepancies;
  errors += other.errors;
}

void SchedulingCounters::stats(StatVisitor& v) const {
  v.value("discrepancies", discrepancies, "",
          "Edges at which an empty I-buffer made the scheduler choose otherwise.");
  v.value("errors", errors, "",
          "Of these, those that neither a miss of the instruction cache nor a taken branch explains.");
  v.value("cycles", cycles, "", "Edges of schedulers with resident warps.");
  v.value("error_rate", cycles ? static_cast<double>(errors) / static_cast<double>(cycles) : 0.0, "",
          "Errors by cycles.");
}

void SmLaunchCounters::stats(StatVisitor& v) const {
  v.value("warp_instructions", warp_instructions, "", "Warp instructions issued.");
  v.value("thread_instructions", thread_instructions, "", "Lanes that executed, summed over instructions.");
  v.value("ctas", ctas, "", "CTAs completed.");
  fetch.stats(v);
  if (scheduling.cycles) v.group("scheduling", scheduling);
  for (unsigned r = 0; r < kStalls; ++r) {
    std::uint64_t sum = 0;
    for (const auto& s : stalls) sum += s[r];
    v.value((std::string("stall_") + kStallNames[r]).c_str(), sum, "warp-cycles",
            "Warp-cycles without issue.");
  }
}

void SmCounters::stats(StatVisitor& v) const {
  v.value("active_cycles", active_cycles, "cycles", "Edges at which the SM had work.");
  v.value("issued", issued, "", "Warp instructions issued.");
  fetch.stats(v);
  v.value("bank_conflict_cycles", bank_conflict_cycles, "cycles",
          "Operand reads delayed by register-bank conflicts.");
  v.value(
      "path_switches", path_switches, "",
      "Turns taken from a path of a warp that looped while another could go on (divergence.switch_after).");
  v.value("ctas", ctas, "", "CTAs completed.");
  if (scheduling.cycles) v.group("scheduling", scheduling);
}

}  // namespace warpvp
