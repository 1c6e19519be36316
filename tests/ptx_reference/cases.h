#pragma once
// What random programs meet seldom or never: flags read across kinds, addresses that wrap, threads of a warp
// that wait for each other. Each case also says what must come out.

#include <functional>
#include <vector>

#include "tests/ptx_reference/generator.h"

namespace warpvp::reference {

struct Case {
  const char* name;
  unsigned threads;
  /// Body of the entry: %t is the thread's number, %o its 512 bytes of `out`, %r<40> and %d<16> are free.
  const char* body;
  /// The first word of a thread's output; nothing where the reference alone decides.
  std::function<std::uint32_t(unsigned thread)> first;
};

const std::vector<Case>& cases();
GeneratedProgram program_of(const Case& c);

}  // namespace warpvp::reference
