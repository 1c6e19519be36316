#include "modules/sm/memory/memory_counters.h"

#include <iterator>
#include <string>

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
  l1_read_hit_sectors += o.l1_read_hit_sectors;
  l1_read_miss_sectors += o.l1_read_miss_sectors;
  l1_write_hit_sectors += o.l1_write_hit_sectors;
  l1_write_miss_sectors += o.l1_write_miss_sectors;
  for (unsigned i = 0; i < failures.size(); ++i) failures[i] += o.failures[i];
  l1_fills += o.l1_fills;
  l1_recalls += o.l1_recalls;
  l1_recalled_lines += o.l1_recalled_lines;
  l1_prefetch += o.l1_prefetch;
  miss_latency_cycles += o.miss_latency_cycles;
  shared_accesses += o.shared_accesses;
  shared_cycles += o.shared_cycles;
  constant_accesses += o.constant_accesses;
  constant_requests += o.constant_requests;
  constant_misses += o.constant_misses;
  instruction_fetches += o.instruction_fetches;
  instruction_misses += o.instruction_misses;
  instruction.add(o.instruction);
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
  struct Bin {
    std::string key, sentence;
  };
  /// Of all bins but the last. Made once: interval statistics visit them often.
  static const std::vector<Bin>& bins() {
    static const std::vector<Bin> all = [] {
      std::vector<Bin> made;
      for (std::size_t i = 0; i + 1 < SmMemoryCounters().round_trips.size(); ++i) {
        const std::string bound = std::to_string(std::uint64_t{64} << i);
        made.push_back({"below_" + bound, "Round trips of less than " + bound + " cycles" +
                                              (i == 0 ? "." : " that are not in the keys before.")});
      }
      return made;
    }();
    return all;
  }
  void stats(StatVisitor& v) const {
    for (std::size_t i = 0; i < bins().size(); ++i)
      v.value(bins()[i].key.c_str(), c.round_trips[i], "requests", bins()[i].sentence.c_str());
    v.value("longer", c.round_trips.back(), "requests", "Round trips that are not in the keys before.");
  }
};
}  // namespace

void SmMemoryCounters::stats(StatVisitor& v) const {
  v.value("instructions", instructions, "warp instructions",
          "Warp instructions taken by the load/store unit.");
  v.value("load_transactions", load_transactions, "transactions", "Coalesced global and local loads.");
  v.value("store_transactions", store_transactions, "transactions", "Coalesced global and local stores.");
  v.value("atomic_transactions", atomic_transactions, "transactions", "Coalesced atomics and reductions.");
  const std::uint64_t accesses = l1_hits + l1_hits_reserved + l1_misses;
  v.value("l1_accesses", accesses, "transactions", "Loads looked up in the L1 data cache.");
  v.value("l1_hits", l1_hits, "transactions", "L1 accesses that found all their sectors valid.");
  v.value("l1_hits_reserved", l1_hits_reserved, "transactions",
          "L1 accesses that merged with a fill under way.");
  v.value("l1_misses", l1_misses, "transactions",
          "L1 accesses that needed requests to the L2, sector misses included.");
  v.value("l1_sector_misses", l1_sector_misses, "transactions",
          "Misses of the L1 whose line was there or under way, without the sectors.");
  v.value("l1_hit_rate", ratio(l1_hits, accesses), "share",
          "Hits over accesses; reserved hits do not count as hits.");
  v.value("l1_bypasses", l1_bypasses, "transactions", "Loads that did not look the L1 up.");
  v.value("l1_store_hits", l1_store_hits, "transactions",
          "Stores that found all their sectors valid in the L1.");
  v.value("l1_store_misses", l1_store_misses, "transactions",
          "Stores that did not find all their sectors valid in the L1.");
  v.value("l1_write_backs", l1_write_backs, "lines", "Dirty lines that the L1 wrote to the L2.");
  v.value(
      "l1_read_hit_sectors", l1_read_hit_sectors, "sectors",
      "Sectors of global loads that were valid in the L1 or on their way to it; local memory, textures and "
      "atomics are left out here and in the next three, as profilers of chips do.");
  v.value("l1_read_miss_sectors", l1_read_miss_sectors, "sectors",
          "Sectors of global loads that were asked of the L2.");
  v.value("l1_write_hit_sectors", l1_write_hit_sectors, "sectors",
          "Sectors of global stores whose line was in the L1.");
  v.value("l1_write_miss_sectors", l1_write_miss_sectors, "sectors",
          "Sectors of global stores whose line was not in the L1.");
  static constexpr struct {
    const char *key, *doc;
  } kFailures[] = {
      {"l1_fail_way", "The oldest transaction waited because every way of its set was under fill."},
      {"l1_fail_mshr", "The oldest transaction waited for an MSHR."},
      {"l1_fail_merge", "The oldest transaction waited because the MSHR of its line could take no more."},
      {"l1_fail_miss_queue", "The oldest transaction waited for room in the miss queue."},
      {"l1_fail_store_buffer", "The oldest transaction waited for room in the store buffer."},
  };
  static_assert(std::size(kFailures) == static_cast<unsigned>(Reservation::kCount));
  for (unsigned i = 0; i < failures.size(); ++i)
    v.value(kFailures[i].key, failures[i], "cycles", kFailures[i].doc);
  v.value("l1_miss_latency", ratio(miss_latency_cycles, l1_fills), "cycles",
          "Average time from the first miss on an L1 line to its last fill; prefetches are left out.");
  v.value("l1_recalls", l1_recalls, "packets", "Packets of an inclusive L2 that recalled a line.");
  v.value("l1_recalled_lines", l1_recalled_lines, "lines", "Lines that were in the L1 and dropped for them.");
  v.group("l1_prefetch", l1_prefetch, kPrefetchSentence);
  v.value("shared_accesses", shared_accesses, "warp instructions", "Accesses to shared memory.");
  v.value("shared_conflict_cycles", shared_cycles - shared_accesses, "cycles",
          "Cycles added to accesses to shared memory by bank conflicts and phases.");
  v.value("constant_accesses", constant_accesses, "words", "Distinct words read through the constant cache.");
  v.value("constant_requests", constant_requests, "words",
          "Of the constant accesses those to constant memory: parameters are left out.");
  v.value("constant_misses", constant_misses, "words",
          "Words of constant accesses that were not in the constant cache.");
  v.value(
      "instruction_fetches", instruction_fetches, "lines",
      "Lookups of the cache that sub-cores fetch from: their L0, or without it the L1 instruction cache.");
  v.value("instruction_misses", instruction_misses, "lines",
          "Instruction fetches that did not find their line there.");
  v.group("instruction_cache", instruction, kInstructionSentence);
  v.value("read_requests", read_requests, "requests", "Reads sent to the interconnect.");
  v.value("write_requests", write_requests, "requests", "Writes sent to the interconnect.");
  v.value("read_bytes", read_bytes, "bytes", "Bytes that the read requests asked for.");
  v.value("write_bytes", write_bytes, "bytes", "Bytes that the write requests carried.");
  v.value("responses", responses, "responses", "Responses that came back from the interconnect.");
  v.value("round_trip", ratio(round_trip_cycles, responses), "cycles",
          "Average time from the issue of an instruction to a response for it.");
  v.value("round_trip_cycles", round_trip_cycles, "cycles", "Sum of these times.");
  v.value("dram_accesses", dram_accesses, "accesses",
          "Accesses to DRAM that the requests caused, as the responses report (CCBP section 6.3).");
  v.group("round_trips", RoundTripHistogram{*this},
          "Round trips by length: from the issue of an instruction to a response for it.");
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
