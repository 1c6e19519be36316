#include "modules/mmu/mmu_config.h"

#include <fmt/format.h>

namespace warpvp {

namespace {
void require_whole_sets(FieldVisitor& v, std::uint32_t entries, std::uint32_t associativity) {
  v.require(associativity != 0 && entries % associativity == 0, "associativity",
            fmt::format("{} ways do not divide {} entries", associativity, entries));
}
}  // namespace

void TlbConfig::fields(FieldVisitor& v) {
  v.field("entries", entries, "pages", "Pages that it knows.", Constraint::range(1, 65536));
  v.field("associativity", associativity, "", "Ways of a set; as many as entries: fully associative.",
          Constraint::range(1, 65535));
  v.field("misses", misses, "pages", "Pages it can be waiting for at once.", Constraint::range(1, 4096));
  v.field("waiting", waiting, "requests",
          "Requests that can wait for their pages while requests to known pages pass them.",
          Constraint::range(1, 65536));
  require_whole_sets(v, entries, associativity);
}

void SharedTlbConfig::fields(FieldVisitor& v) {
  v.field("entries", entries, "", "Entries.", Constraint::range(1, 1 << 20));
  v.field("associativity", associativity, "", "Ways of a set.", Constraint::range(1, 65535));
  v.field("pages_per_entry", pages_per_entry, "pages",
          "Neighbouring pages that an entry covers: a walk reads so many entries of the last table at once.",
          Constraint::pow2(1, 16));
  v.field("latency_cycles", latency_cycles, "SM cycles",
          "From a question of an SM's TLB to the answer, when the page is known.",
          Constraint::range(1, 100000));
  v.field("lookups_per_cycle", lookups_per_cycle, "", "Questions taken in an SM cycle.",
          Constraint::range(1, 1024));
  require_whole_sets(v, entries, associativity);
}

void PageWalkerConfig::fields(FieldVisitor& v) {
  v.field("walks", walks, "", "Walks under way at once.", Constraint::range(1, 4096));
  v.field("latency_cycles", latency_cycles, "SM cycles", "Before the first read of a walk.",
          Constraint::range(0, 100000));
  v.field("cache_entries", cache_entries, "tables",
          "Tables below the root that it knows the place of, so that walks begin there; 0: none.",
          Constraint::range(0, 65535));
  v.field("warm", warm,
          "It knows the places of all tables from the beginning, so that a walk is one read: as when a "
          "profiler has run the "
          "same kernel just before.");
}

void PagedMmuConfig::fields(FieldVisitor& v) {
  v.field("page_kib", page_kib, "KiB", "Page.", Constraint::pow2(4, 1 << 20));
  v.field("invalidate", invalidate,
          "never, or kernel_start: the TLBs forget everything when a kernel's first request reaches them; "
          "what the "
          "walker knows of tables stays.",
          Constraint::words({"kernel_start", "never"}));
  v.group("tlb", tlb, "TLB of each SM, between its L1 and the crossbar.");
  v.group("shared", shared, "TLB that all SMs share.");
  v.group("walker", walker, "What reads page tables.");
}

}  // namespace warpvp
