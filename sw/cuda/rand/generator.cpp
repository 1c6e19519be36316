#include "sw/cuda/rand/generator.h"

#include <cstring>

#include "sw/cuda/rand/jumps.h"

using namespace warpvp::cuda;
using namespace warpvp::cuda::rand;

namespace {

/// How many sequences take turns (cuRAND documentation, 2.1.2: ordering). What the default is differs from
/// engine to engine.
unsigned sequences_of(const curandGenerator_st& generator) {
  constexpr unsigned kLegacy = 4096, kOfMrg = 81920, kOfPhilox = 65536;
  switch (generator.engine) {
    case Engine::kPhilox:
      return kOfPhilox;
    case Engine::kMrg:
      return generator.ordering == CURAND_ORDERING_PSEUDO_LEGACY ? kLegacy : kOfMrg;
    default:
      return kLegacy;
  }
}

template <class State>
void put(std::vector<unsigned char>& bytes, const std::vector<State>& states) {
  bytes.resize(states.size() * sizeof(State));
  std::memcpy(bytes.data(), states.data(), bytes.size());
}
/// Each sequence `jump` from the one before it, and those that the offset has passed one number further than
/// the others.
template <class State, class Jump>
std::vector<State> placed(State first, const Jump& jump, unsigned sequences, std::uint64_t offset) {
  std::vector<State> states(sequences);
  const Jump ahead = Jump::by(offset / sequences);
  for (State& state : states) {
    state = ahead(first);
    first = jump(first);
  }
  for (unsigned i = 0; i < offset % sequences; ++i) states[i].next();
  return states;
}
/// Sequences with a seed each, which cost no jumps: of good quality if the seeds are mixed well (Steele et
/// al., Fast splittable pseudorandom number generators, 2014).
std::vector<Xorwow> seeded_each(std::uint64_t seed, unsigned sequences, std::uint64_t offset) {
  std::vector<Xorwow> states(sequences);
  const XorwowJump ahead = XorwowJump::by(offset / sequences);
  for (std::uint64_t i = 0; i < sequences; ++i) {
    std::uint64_t mixed = seed + i * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    states[i] = ahead(xorwow_of(mixed ^ mixed >> 31));
  }
  for (unsigned i = 0; i < offset % sequences; ++i) states[i].next();
  return states;
}

}  // namespace

curandStatus_t curandGenerator_st::make_ready() {
  if (seeded) return CURAND_STATUS_SUCCESS;
  sequences = sequences_of(*this);
  from = static_cast<unsigned>(offset % sequences);
  if (engine == Engine::kXorwow) {
    put(states, ordering == CURAND_ORDERING_PSEUDO_SEEDED
                    ? seeded_each(seed, sequences, offset)
                    : placed(xorwow_of(seed), XorwowJump::power_of_two(67), sequences, offset));
  } else if (engine == Engine::kMrg) {
    put(states, placed(mrg_of(seed), MrgJump::power_of_two(76), sequences, offset));
  } else {
    constexpr unsigned kFour = 4;
    from = static_cast<unsigned>(offset % (kFour * sequences));
    const std::uint64_t rounds = offset / (kFour * sequences);
    std::vector<Wide> used(sequences, rounds);
    for (unsigned i = 0; i < from / kFour; ++i) ++used[i];
    put(states, used);
  }
  if (!on_host) {
    if (on_device.get(states.size()) != 0) return CURAND_STATUS_ALLOCATION_FAILED;
    if (on_device.put(states.data(), states.size()) != 0) return CURAND_STATUS_LAUNCH_FAILURE;
  }
  seeded = true;
  return CURAND_STATUS_SUCCESS;
}
