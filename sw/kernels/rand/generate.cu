// Pseudorandom numbers by calls of the host (docs/cuda.md, cuRAND): a sequence of the generator a thread.

#include "arithmetic.h"
#include "rand/draw.h"

using namespace rand_kernels;

#define TURN (blockIdx.x * blockDim.x + threadIdx.x)
#define DEFINE(kind, Kind)                                                                                             \
  extern "C" __global__ void kind##_xorwow(Xorwow* states, Word sequences, Word from, Wide items, Request request,       \
                                           Kind::Out* out) {                                                           \
    draw<Kind>(states, sequences, from, TURN, items, request, out);                                                    \
  }                                                                                                                    \
  extern "C" __global__ void kind##_mrg(Mrg* states, Word sequences, Word from, Wide items, Request request,           \
                                        Kind::Out* out) {                                                              \
    draw<Kind>(states, sequences, from, TURN, items, request, out);                                                    \
  }                                                                                                                    \
  extern "C" __global__ void kind##_philox(Wide* used, Wide seed, Word sequences, Word from, Wide count, Request request, \
                                           Kind::Out* out) {                                                           \
    if (TURN < sequences) draw_philox<Kind>(used, seed, sequences, from, TURN, count, request, out);                   \
  }
DEFINE(words, Words)
DEFINE(uniforms, Uniforms)
DEFINE(uniform_doubles, UniformDoubles)
DEFINE(normals, Normals)
DEFINE(normal_doubles, NormalDoubles)
DEFINE(poissons, Poissons)
