#pragma once
// What `mmu.type: page_tables` is given in YAML.

#include "base/fields.h"

namespace warpvp {

struct TlbConfig {
  std::uint32_t entries = 16;
  std::uint32_t associativity = 16;
  std::uint32_t misses = 8;
  std::uint32_t waiting = 64;
  void fields(FieldVisitor& v);
};

struct SharedTlbConfig {
  std::uint32_t entries = 512;
  std::uint32_t associativity = 8;
  std::uint32_t pages_per_entry = 1;
  std::uint32_t latency_cycles = 100;
  std::uint32_t lookups_per_cycle = 1;
  void fields(FieldVisitor& v);
};

struct PageWalkerConfig {
  std::uint32_t walks = 8;
  std::uint32_t latency_cycles = 20;
  std::uint32_t cache_entries = 32;
  bool warm = false;
  void fields(FieldVisitor& v);
};

struct PagedMmuConfig {
  std::uint32_t page_kib = 2048;
  std::string invalidate = "never";
  TlbConfig tlb;
  SharedTlbConfig shared;
  PageWalkerConfig walker;
  void fields(FieldVisitor& v);
};

}  // namespace warpvp
