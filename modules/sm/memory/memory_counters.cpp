#include "modules/sm/memory/memory_counters.h"

#include <iterator>
#include <tuple>

namespace warpvp {

void SmMemoryCounters::add(const SmMemoryCounters& o) {
  instructions += o.instructions;
  load_transactions += o.load_transactions;
  store_transactions += o.store_transactions;
  atomic_transactions += o.atomic_transactions;
  l1_hits += o.l1_hits;
  l1_hits_reserved += o.l1_hits_reserved;
  l1_misses += o.l1_misses;
  l1_sector_misses += o.l1_sector_misses;
  l1_bypasses += o.l1_bypasses;
  l1_store_hits += o.l1_store_hits;
  l1_store_misses += o.l1_store_misses;
  l1_write_backs += o.l1_write_backs;
  for (unsigned i = 0; i < failures.size(); ++i) failures[i] += o.failures[i];
  l1_fills += o.l1_fills;
  miss_latency_cycles += o.miss_latency_cycles;
  shared_accesses += o.shared_accesses;
  shared_cycles += o.shared_cycles;
  constant_accesses += o.constant_accesses;
  constant_misses += o.constant_misses;
  instruction_fetches += o.instruction_fetches;
  instruction_misses += o.instruction_misses;
  read_requests += o.read_requests;
  write_requests += o.write_requests;
  read_bytes += o.read_bytes;
  write_bytes += o.write_bytes;
  responses += o.responses;
  round_trip_cycles += o.round_trip_cycles;
  dram_accesses += o.dram_accesses;
  for (unsigned i = 0; i < round_trips.size(); ++i) round_trips[i] += o.round_trips[i];
}

namespace {
double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

struct RoundTripHistogram {
  const SmMemoryCounters& c;
  void stats(StatVisitor& v) const {
    static constexpr const char* kKeys[] = {"below_64",    "below_128",   "below_256",   "below_512",
                                            "below_1024",  "below_2048",  "below_4096",  "below_8192",
                                            "below_16384", "below_32768", "below_65536", "longer"};
    static_assert(std::size(kKeys) == std::tuple_size_v<decltype(SmMemoryCounters::round_trips)>);
    for (unsigned i = 0; i < c.round_trips.size(); ++i)
      v.value(kKeys[i], c.round_trips[i], "requests",
              "Round trips shorter than this and not than the one before.");
  }
};
}  // namespace

void SmMemoryCounters::stats(StatVisitor& v) const {
  v.value("instructions", instructions, "warp instructions", "Taken by the load/store unit.");
  v.value("load_transactions", load_transactions, "transactions", "Coalesced global and local loads.");
  v.value("store_transactions", store_transactions, "transactions", "Coalesced global and local stores.");
  v.value("atomic_transactions", atomic_transactions, "transactions", "Coalesced atomics and reductions.");
  const std::uint64_t accesses = l1_hits + l1_hits_reserved + l1_misses;
  v.value("l1_accesses", accesses, "transactions", "Loads looked up in the L1 data cache.");
  v.value("l1_hits", l1_hits, "transactions", "All sectors were valid.");
  v.value("l1_hits_reserved", l1_hits_reserved, "transactions", "Merged with a fill under way.");
  v.value("l1_misses", l1_misses, "transactions", "Needed requests to L2.");
  v.value("l1_sector_misses", l1_sector_misses, "transactions", "Misses whose line was there or under way.");
  v.value("l1_hit_rate", ratio(l1_hits, accesses), "",
          "Hits over accesses; reserved hits do not count as hits.");
  v.value("l1_bypasses", l1_bypasses, "transactions", "Loads that did not look L1 up.");
  v.value("l1_store_hits", l1_store_hits, "transactions", "Stores that found all their sectors valid.");
  v.value("l1_store_misses", l1_store_misses, "transactions", "Stores that did not.");
  v.value("l1_write_backs", l1_write_backs, "transactions", "Dirty lines written to L2.");
  static constexpr const char* kFailures[] = {"l1_fail_way", "l1_fail_mshr", "l1_fail_merge",
                                              "l1_fail_miss_queue", "l1_fail_store_buffer"};
  static_assert(std::size(kFailures) == static_cast<unsigned>(Reservation::kCount));
  for (unsigned i = 0; i < failures.size(); ++i)
    v.value(kFailures[i], failures[i], "cycles",
            "The oldest transaction could not be taken for this reason.");
  v.value("l1_miss_latency", ratio(miss_latency_cycles, l1_fills), "cycles",
          "Average from first miss to last fill.");
  v.value("shared_accesses", shared_accesses, "warp instructions", "Accesses to shared memory.");
  v.value("shared_conflict_cycles", shared_cycles - shared_accesses, "cycles",
          "Added by bank conflicts and phases.");
  v.value("constant_accesses", constant_accesses, "words", "Distinct words read through the constant cache.");
  v.value("constant_misses", constant_misses, "words", "Of those, not in the constant cache.");
  v.value("instruction_fetches", instruction_fetches, "lines", "Lookups of the instruction cache.");
  v.value("instruction_misses", instruction_misses, "lines", "Of those, not there.");
  v.value("read_requests", read_requests, "requests", "Reads sent to the interconnect.");
  v.value("write_requests", write_requests, "requests", "Writes sent to the interconnect.");
  v.value("read_bytes", read_bytes, "bytes", "Asked for by these reads.");
  v.value("write_bytes", write_bytes, "bytes", "Carried by these writes.");
  v.value("responses", responses, "responses", "Came back.");
  v.value("round_trip", ratio(round_trip_cycles, responses), "cycles",
          "Average from the issue of an instruction to a response for it.");
  v.value("dram_accesses", dram_accesses, "accesses", "Caused in DRAM, as the responses report (CCBP 6.3).");
  v.group("round_trips", RoundTripHistogram{*this});
}

SmMemoryCounters& LaunchCounters::look_up(std::uint32_t launch) {
  last_launch_ = launch;
  if (launch == 0xffffffffu) return *(last_ = &none_);
  if (launch >= index_.size()) index_.resize(launch + 1, 0);
  if (index_[launch] == 0) {
    counters_.push_back(std::make_unique<SmMemoryCounters>());
    index_[launch] = static_cast<std::uint32_t>(counters_.size());
  }
  return *(last_ = counters_[index_[launch] - 1].get());
}

const SmMemoryCounters* LaunchCounters::find(std::uint32_t launch) const {
  if (launch >= index_.size() || index_[launch] == 0) return nullptr;
  return counters_[index_[launch] - 1].get();
}

SmMemoryCounters LaunchCounters::total() const {
  SmMemoryCounters sum = none_;
  for (const auto& c : counters_) sum.add(*c);
  return sum;
}

}  // namespace warpvp
