#pragma once
// Configuration of the instruction caches of an SM: an L0 of each sub-core, where there is one, and the L1
// that the sub-cores share.

#include <cstdint>
#include <string>

#include "base/fields.h"
#include "modules/sm/memory/read_only_cache_config.h"

namespace warpvp {

/// The first-level instruction cache of each sub-core.
struct L0InstructionConfig {
  std::uint32_t size_bytes = 0;
  std::uint32_t line_bytes = 128;
  std::uint32_t associativity = 4;
  std::uint32_t mshrs = 16;
  std::uint32_t stream_lines = 0;
  std::uint32_t request_latency = 10;
  std::uint32_t reply_latency = 10;

  bool present() const { return size_bytes != 0; }
  std::uint32_t sets() const { return size_bytes / (line_bytes * associativity); }

  void fields(FieldVisitor& v) {
    v.field("size_bytes", size_bytes, "bytes",
            "Capacity; 0: none, sub-cores fetch from the cache that they share.",
            Constraint::range(0, 1 << 20));
    v.field("line_bytes", line_bytes, "bytes", "Line size.", Constraint::pow2(16, 128));
    v.field("associativity", associativity, "ways", "Ways of a set.", Constraint::range(1, 4096));
    v.require(size_bytes % (line_bytes * associativity) == 0, "size_bytes",
              "must be a multiple of line_bytes * associativity");
    v.field("mshrs", mshrs, "lines", "Lines asked for and not here that there can be at once.",
            Constraint::range(1, 1024));
    v.field("stream_lines", stream_lines, "lines",
            "Entries of the stream buffer: as many lines as follow a line that missed are asked for ahead, "
            "up to the "
            "end of the program, and wait there until they are fetched; 0: no prefetch.",
            Constraint::range(0, 256));
    v.field("request_latency", request_latency, "cycles",
            "From a miss to the lookup in the shared cache, when nobody else wants its port.",
            Constraint::range(1, 10000));
    v.field("reply_latency", reply_latency, "cycles",
            "From the line's lookup there, or its arrival there after a miss, to the sub-core.",
            Constraint::range(1, 10000));
  }
};

/// The instruction cache that the sub-cores of an SM share, with what is before and around it.
struct InstructionCacheConfig : ReadOnlyCacheConfig {
  std::uint32_t prefetch_lines = 0;
  std::uint32_t lines_per_cycle = 1;
  bool ideal = false;
  bool warm = false;
  std::string invalidate = "never";
  L0InstructionConfig l0{};

  InstructionCacheConfig(std::uint32_t bytes = 16384, std::uint32_t line = 128, std::uint32_t ways = 4,
                         std::uint32_t lines_under_way = 8)
      : ReadOnlyCacheConfig{bytes, line, ways, lines_under_way} {}
  /// Line size of the cache that a sub-core fetches from.
  std::uint32_t fetch_line_bytes() const { return l0.present() ? l0.line_bytes : line_bytes; }

  void fields(FieldVisitor& v) {
    ReadOnlyCacheConfig::fields(v);
    v.field("prefetch_lines", prefetch_lines, "lines",
            "Lines that follow one that missed, or one that a prefetch brought and that is looked up for the "
            "first "
            "time: they are asked for from the L2 ahead, up to the end of the program, as far as there are "
            "MSHRs.",
            Constraint::range(0, 256));
    v.field(
        "lines_per_cycle", lines_per_cycle, "lines",
        "With an l0: requests that the port to the sub-cores takes, and lines that it gives back, per cycle.",
        Constraint::range(1, 16));
    v.field("ideal", ideal, "Every fetch hits; no instructions are fetched from memory.");
    v.field(
        "warm", warm,
        "A cache is filled with a program, from the instruction that is fetched first to its end, when the "
        "program's first miss gets there: as when the same kernel has run just before, under a profiler that "
        "repeats it to read all its counters.");
    v.field("invalidate", invalidate,
            "When the instruction caches drop what they hold: before the first CTA of each kernel that comes "
            "to the "
            "SM, or never.",
            Constraint::words({"kernel_start", "never"}));
    v.group("l0", l0,
            "Instruction cache of each sub-core, before the shared one; its hit latency is "
            "frontend.hit_latency.");
    v.require(!l0.present() || l0.line_bytes <= line_bytes, "l0", "l0.line_bytes must be at most line_bytes");
  }
};

}  // namespace warpvp
