#pragma once
// Configuration of an SM's memory side: load/store unit, coalescer, L1 data cache, shared memory, constant
// and instruction cache, and the queue towards the interconnect.

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fields.h"
#include "modules/sm/memory/instruction_config.h"
#include "modules/sm/memory/read_only_cache_config.h"

namespace warpvp {

/// What a store does to the L1 data cache (`write_policy`).
enum class L1WritePolicy : std::uint8_t { kWriteThrough, kWriteThroughAllocate, kWriteBack, kWriteEvict };
/// Its words in YAML, by value.
inline const std::vector<std::string>& l1_write_policy_words() {
  static const std::vector<std::string> words = {"write_through_no_allocate", "write_through_allocate",
                                                 "write_back_allocate", "write_evict"};
  return words;
}

/// L1 data cache.
struct L1Config {
  std::uint32_t size_kib = 32;
  std::uint32_t unified_kib = 0;
  std::uint32_t line_bytes = 128;
  std::uint32_t sector_bytes = 32;
  std::uint32_t associativity = 4;
  bool hash_index = false;
  std::uint32_t latency = 28;
  std::uint32_t mshrs = 256;
  std::uint32_t mshr_merge = 8;
  std::string write_policy = "write_through_no_allocate";
  std::string allocate = "on_miss";
  std::uint32_t transactions_per_cycle = 1;
  std::uint32_t sectors_per_cycle = 0;
  std::uint32_t fills_per_cycle = 1;
  std::uint32_t store_buffer_entries = 16;
  std::uint32_t miss_queue_entries = 128;
  PolicyChoice miss_queue = "fifo";
  PolicyChoice replacement = "lru";
  PolicyChoice prefetcher = "none";
  std::uint32_t prefetch_queue = 16;
  bool cache_global_loads = true;
  std::string coalesce = "parts";

  /// The policy that write_policy names. Throws InputError for a word that names none.
  L1WritePolicy writes() const {
    const std::vector<std::string>& words = l1_write_policy_words();
    for (std::size_t i = 0; i < words.size(); ++i)
      if (words[i] == write_policy) return static_cast<L1WritePolicy>(i);
    throw InputError("unknown L1 write policy '" + write_policy + "'");
  }
  std::uint32_t sets() const { return size_kib * 1024 / (line_bytes * associativity); }
  /// Ways when the whole divided array is L1.
  std::uint32_t most_ways() const {
    return unified_kib == 0 ? associativity : unified_kib * 1024 / (line_bytes * sets());
  }

  void fields(FieldVisitor& v) {
    v.field(
        "size_kib", size_kib, "KiB",
        "Capacity; 0: no L1 data cache, every access goes to L2. With unified_kib: when shared memory has "
        "all of resources.shared_bytes.",
        Constraint::range(0, 4096));
    v.field(
        "unified_kib", unified_kib, "KiB",
        "One array that L1 and shared memory divide (resources.shared_options_kib): the L1 has what shared "
        "memory leaves, with its sets kept and its ways scaled; 0: it always has size_kib.",
        Constraint::range(0, 4096));
    v.field("line_bytes", line_bytes, "bytes",
            "Line size, which is also the reach of one coalesced transaction.", Constraint::pow2(32, 128));
    v.field("sector_bytes", sector_bytes, "bytes",
            "Unit of filling and of transfer to L2; equal to line_bytes: no sectors.",
            Constraint::pow2(32, 128));
    v.require(sector_bytes <= line_bytes, "sector_bytes", "must be at most line_bytes");
    v.field("associativity", associativity, "ways", "Ways of a set, at size_kib.",
            Constraint::range(1, 4096));
    v.require(size_kib == 0 || (size_kib * 1024 % (line_bytes * associativity) == 0 && sets() >= 1),
              "size_kib", "must be a multiple of line_bytes * associativity");
    v.field("hash_index", hash_index, "Fold the upper address bits into the set index.");
    v.require(!hash_index || size_kib == 0 || (sets() & (sets() - 1)) == 0, "hash_index",
              "needs a power of two of sets");
    v.field("latency", latency, "cycles", "From the lookup of an access's last transaction to its data.",
            Constraint::range(1, 100000));
    v.field("mshrs", mshrs, "lines", "Lines that can be on their way at once.", Constraint::range(1, 65535));
    v.field("mshr_merge", mshr_merge, "accesses", "Accesses that can wait for the same sector.",
            Constraint::range(1, 65535));
    v.field("write_policy", write_policy, "What a store does to the line it hits or misses.",
            Constraint::words(l1_write_policy_words()));
    v.field("allocate", allocate, "When a way is taken: as the miss leaves, or as its data comes back.",
            Constraint::words({"on_miss", "on_fill"}));
    v.field("transactions_per_cycle", transactions_per_cycle, "",
            "Coalesced transactions looked up per cycle.", Constraint::range(1, 32));
    v.field("sectors_per_cycle", sectors_per_cycle, "sectors",
            "Sectors that the transactions of a cycle move, unless one alone has more; 0: no limit. With a "
            "limit they are those of one warp instruction.",
            Constraint::range(0, 128));
    v.field("fills_per_cycle", fills_per_cycle, "",
            "Responses with data taken from the interconnect per cycle.", Constraint::range(1, 32));
    v.field("store_buffer_entries", store_buffer_entries, "stores",
            "Store transactions that can wait with their data for the interconnect.",
            Constraint::range(1, 65535));
    v.field("miss_queue_entries", miss_queue_entries, "requests",
            "Requests, stores included, that can wait for the interconnect.", Constraint::range(8, 65535));
    v.policy("miss_queue", "miss_queue", miss_queue, "Order in which waiting requests leave the SM.");
    v.policy("replacement", "replacement", replacement, "Which line of a full set gives way.");
    v.policy("prefetcher", "prefetcher", prefetcher, "Which lines are fetched before they are asked for.");
    v.field("prefetch_queue", prefetch_queue, "lines", "Proposals of the prefetcher that can wait.",
            Constraint::range(1, 4096));
    v.field("cache_global_loads", cache_global_loads,
            "Whether global loads use L1; if not, only local memory does.");
    v.field("coalesce", coalesce,
            "Lanes whose loads or stores of one line are one transaction: all of the warp, or parts, which "
            "are half warps for accesses of 8 bytes a lane and quarters for 16.",
            Constraint::words({"parts", "warp"}));
  }
};

/// Shared memory.
struct SharedMemoryConfig {
  std::uint32_t banks = 32;
  std::uint32_t bank_bytes = 4;
  std::uint32_t latency = 24;
  bool packs_pairs = false;

  void fields(FieldVisitor& v) {
    v.field("banks", banks, "", "Banks; each serves one word per cycle.", Constraint::pow2(1, 64));
    v.field("bank_bytes", bank_bytes, "bytes", "Width of a bank.", Constraint::pow2(4, 16));
    v.field("latency", latency, "cycles", "From the last conflict cycle of an access to its data.",
            Constraint::range(1, 100000));
    v.field("packs_pairs", packs_pairs,
            "Loads of 8 and 16 bytes a lane take half the cycles if neighbouring lanes, or those at a "
            "distance of two, "
            "read the same address.");
  }
};

/// The constant cache behind the first one.
struct SecondConstantCacheConfig {
  std::uint32_t size_bytes = 0;
  std::uint32_t line_bytes = 128;
  std::uint32_t associativity = 8;
  std::uint32_t latency = 64;
  std::uint32_t lookup = 32;

  void fields(FieldVisitor& v) {
    v.field("size_bytes", size_bytes, "bytes", "Capacity; 0: there is none.", Constraint::range(0, 1 << 24));
    v.field("line_bytes", line_bytes, "bytes", "Line size.", Constraint::pow2(16, 128));
    v.field("associativity", associativity, "ways", "Ways of a set.", Constraint::range(1, 4096));
    v.require(size_bytes % (line_bytes * associativity) == 0, "size_bytes",
              "must be a multiple of line_bytes * associativity");
    v.field("latency", latency, "cycles", "From a miss of the first cache to the line from this one.",
            Constraint::range(1, 100000));
    v.field("lookup", lookup, "cycles",
            "From a miss of the first cache to the request to L2, if it misses here too.",
            Constraint::range(1, 100000));
  }
};

/// Constant cache. Lanes that read different words are served one word after the other.
struct ConstantCacheConfig : ReadOnlyCacheConfig {
  std::uint32_t latency = 8;
  std::uint32_t cycles_per_word = 1;
  bool own_unit = false;
  std::uint32_t parameter_latency = 0;
  SecondConstantCacheConfig second;

  void fields(FieldVisitor& v) {
    ReadOnlyCacheConfig::fields(v);
    v.field("latency", latency, "cycles", "From the lookup of an access's last word to its data.",
            Constraint::range(1, 100000));
    v.field("cycles_per_word", cycles_per_word, "cycles",
            "How long each distinct word of a load from constant memory takes its unit.",
            Constraint::range(1, 64));
    v.field(
        "own_unit", own_unit,
        "Whether loads from constant memory pass from the load/store unit to a unit of their own, one at a "
        "time, so that other accesses go on beside them.");
    v.field("parameter_latency", parameter_latency, "cycles",
            "The same for parameters, which are always there; 0: that of constants.",
            Constraint::range(0, 100000));
    v.group("second", second, "A larger constant cache behind this one.");
    v.require(second.size_bytes == 0 || second.line_bytes >= line_bytes, "line_bytes",
              "must not exceed that of the second cache");
  }
};

/// Times of `model: isolated`.
struct IsolatedMemoryConfig {
  std::uint32_t load_latency = 100;
  std::uint32_t per_transaction = 1;
  std::uint32_t instruction_miss_latency = 100;

  void fields(FieldVisitor& v) {
    v.field("load_latency", load_latency, "cycles",
            "From the issue of a global or local access of one transaction to its data or acknowledgement.",
            Constraint::range(1, 100000));
    v.field("per_transaction", per_transaction, "cycles", "Added for each further transaction of an access.",
            Constraint::range(0, 10000));
    v.field("instruction_miss_latency", instruction_miss_latency, "cycles",
            "From a miss of the instruction cache to its line.", Constraint::range(1, 100000));
  }
};

struct MemorySideConfig {
  PolicyChoice model = "hierarchy";
  std::string invalidate = "kernel_start";
  IsolatedMemoryConfig isolated;
  std::uint32_t lsu_queue = 8;
  PolicyChoice admission = "open";
  L1Config l1;
  SharedMemoryConfig shared;
  ConstantCacheConfig constant;
  InstructionCacheConfig instruction;

  /// Line size of the cache that a sub-core fetches from. The isolated model has the shared one only.
  std::uint32_t fetch_line_bytes() const {
    return model.name == "isolated" ? instruction.line_bytes : instruction.fetch_line_bytes();
  }

  void fields(FieldVisitor& v) {
    v.policy("model", "memory_side", model, "What serves the memory instructions of the SM.");
    v.group("isolated", isolated,
            "Times of the isolated model, in which only the instruction cache has tags.");
    v.field("lsu_queue", lsu_queue, "warp instructions",
            "Memory instructions that can wait for the load/store unit.", Constraint::range(1, 1024));
    v.policy("admission", "memory_admission", admission,
             "Which kernels may hand the load/store unit another memory instruction.");
    v.field(
        "invalidate", invalidate,
        "When L1 data cache and constant cache drop what they hold: before the first CTA of each kernel that "
        "comes to the SM, or never.",
        Constraint::words({"kernel_start", "never"}));
    v.group("l1", l1, "L1 data cache.");
    v.group("shared_memory", shared, "Shared memory.");
    v.group("constant_cache", constant, "Constant cache, also kernel parameters.");
    v.group("instruction_cache", instruction, "Instruction caches.");
  }
};

}  // namespace warpvp
