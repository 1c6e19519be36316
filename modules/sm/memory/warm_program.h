#pragma once
// `instruction_cache.warm`: a cache of instructions holds a program when its first fetch comes, as if the
// program had just run.

#include <cstdint>

#include "base/tag_array.h"

namespace warpvp {

class WarmProgram {
 public:
  explicit WarmProgram(bool warm) : warm_(warm) {}

  /// To be called for a lookup that missed. At the first one of another program than before: fills `tags`
  /// with the lines from that of `address` to `end`, the end of the program, and returns true: look up again.
  /// The last lines of a program that is too long push out its first ones, as when it runs.
  bool fill(TagArray& tags, std::uint64_t address, std::uint64_t end) {
    if (!warm_ || end == end_) return false;
    end_ = end;
    for (std::uint64_t line = tags.line_address(address); line < end; line += tags.geometry().line_bytes)
      tags.validate(tags.reserve(line, 0).line, 1);
    return true;
  }
  /// The cache has been emptied.
  void forget() { end_ = 0; }

 private:
  bool warm_;
  std::uint64_t end_ = 0;  // of the program that was here last
};

}  // namespace warpvp
