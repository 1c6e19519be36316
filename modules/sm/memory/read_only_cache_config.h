#pragma once
// Configuration of a read-only cache: what the constant and the instruction caches of an SM have in common.

#include <cstdint>

#include "base/fields.h"

namespace warpvp {

struct ReadOnlyCacheConfig {
  std::uint32_t size_bytes = 2048;
  std::uint32_t line_bytes = 64;
  std::uint32_t associativity = 4;
  std::uint32_t mshrs = 4;

  std::uint32_t sets() const { return size_bytes / (line_bytes * associativity); }

  void fields(FieldVisitor& v) {
    v.field("size_bytes", size_bytes, "bytes", "Capacity.", Constraint::range(32, 1 << 24));
    v.field("line_bytes", line_bytes, "bytes", "Line size.", Constraint::pow2(16, 128));
    v.field("associativity", associativity, "ways", "Ways of a set.", Constraint::range(1, 4096));
    v.require(size_bytes % (line_bytes * associativity) == 0 && sets() >= 1, "size_bytes",
              "must be a multiple of line_bytes * associativity");
    v.field("mshrs", mshrs, "lines", "Lines that can be on their way at once.", Constraint::range(1, 1024));
  }
};

}  // namespace warpvp
