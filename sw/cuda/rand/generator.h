#pragma once
// A generator of cuRAND: several sequences of one engine, far from one another, that take turns.

#include <vector>

#include "sw/cuda/kernels/device_memory.h"
#include "sw/cuda/kernels/embedded_kernels.h"
#include "sw/cuda/rand/abi.h"
#include "sw/kernels/rand/engines.h"

namespace warpvp::cuda::rand {

using namespace rand_kernels;
enum class Engine : std::uint8_t { kXorwow, kMrg, kPhilox };

/// PTX of sw/kernels/rand.
const char* kernels();

}  // namespace warpvp::cuda::rand

struct curandGenerator_st {
  using Engine = warpvp::cuda::rand::Engine;

  Engine engine = Engine::kXorwow;
  bool on_host = false;  ///< numbers are made by the program's own processor
  CUstream stream = nullptr;
  std::uint64_t seed = 0, offset = 0;
  curandOrdering_t ordering = CURAND_ORDERING_PSEUDO_DEFAULT;

  // Made when the first numbers are wanted.
  bool seeded = false;
  unsigned sequences = 0;
  unsigned from = 0;  ///< the sequence whose turn is next; of Philox, which number of a round of four by all
  std::vector<unsigned char>
      states;  ///< Xorwow or Mrg of each sequence; of Philox how many blocks it has used, in 64 bits
  warpvp::cuda::DeviceMemory on_device;  ///< the same there

  /// Puts the sequences where seed, offset and ordering say.
  curandStatus_t make_ready();
};
