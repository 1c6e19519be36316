// Pi by points thrown at a quarter circle: one long kernel of integer arithmetic that touches no memory.
//   pi [CTAS] [THROWS]: throws of each of 256 threads a CTA

#include <cstdint>

#include "sw/programs/device.h"

EMBED_PTX(monte_carlo);

namespace {

/// What one thread of kernel `monte_carlo` counts (sw/kernels/monte_carlo.cu).
unsigned inside(unsigned seed, unsigned thread, unsigned throws) {
  unsigned state = seed ^ ((thread + 1) * 2654435761u), hits = 0;
  if (state == 0) state = 1;
  for (unsigned k = 0; k < throws; ++k) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    const std::uint64_t x = state & 0xffff, y = state >> 16;
    hits += x * x + y * y < 0x100000000ull;
  }
  return hits;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace programs;
  constexpr unsigned kThreads = 256, kSeed = 12345;
  const unsigned ctas = argument(argc, argv, 1, 64), throws = argument(argc, argv, 2, 200);
  Device device;
  const CUfunction kernel = device.kernel(monte_carlo_ptx, "monte_carlo");
  Array<std::uint64_t> hits(device, 1);
  hits.clear();
  device.launch(kernel, ctas, 1, kThreads, 1, kSeed, throws, hits.address());
  std::vector<std::uint64_t> counted(1);
  hits.read(counted);
  check(device.wait(), "cuStreamSynchronize");
  std::uint64_t expected = 0;
  for (unsigned thread = 0; thread < ctas * kThreads; ++thread) expected += inside(kSeed, thread, throws);
  return verdict("pi", counted[0] != expected, 1);
}
