// The functions of cuRAND's host API.

#include <algorithm>
#include <new>
#include <string>

#include "sw/cuda/library/refuse.h"
#include "sw/cuda/rand/generator.h"
#include "sw/kernels/rand/draw.h"

using namespace warpvp::cuda;
using namespace warpvp::cuda::rand;

namespace {

curandStatus_t create(curandGenerator_t* generator, curandRngType_t type, bool on_host) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  Engine engine = Engine::kXorwow;
  switch (type) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW:
      break;
    case CURAND_RNG_PSEUDO_MRG32K3A:
      engine = Engine::kMrg;
      break;
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
      engine = Engine::kPhilox;
      break;
    case CURAND_RNG_PSEUDO_MTGP32:
      refuse("curandCreateGenerator of MTGP32");
      return CURAND_STATUS_TYPE_ERROR;
    case CURAND_RNG_PSEUDO_MT19937:
      refuse("curandCreateGenerator of MT19937");
      return CURAND_STATUS_TYPE_ERROR;
    default:
      if (type >= CURAND_RNG_QUASI_DEFAULT && type <= CURAND_RNG_QUASI_SCRAMBLED_SOBOL64)
        refuse("curandCreateGenerator of quasirandom numbers");
      return CURAND_STATUS_TYPE_ERROR;
  }
  if (!on_host && !have_context()) return CURAND_STATUS_INITIALIZATION_FAILED;
  auto made = new (std::nothrow) curandGenerator_st;
  if (made == nullptr) return CURAND_STATUS_ALLOCATION_FAILED;
  made->engine = engine;
  made->on_host = on_host;
  *generator = made;
  return CURAND_STATUS_SUCCESS;
}

/// By the program's own processor. `items`: numbers of Philox, of others what a sequence makes at once.
template <class Kind>
void make_here(curandGenerator_st& g, Wide items, const Request& request, typename Kind::Out* out) {
  const auto turns = static_cast<Word>(std::min<Wide>(items, g.sequences));
  for (Word turn = 0; turn < turns; ++turn) {
    if (g.engine == Engine::kXorwow) {
      draw<Kind>(reinterpret_cast<Xorwow*>(g.states.data()), g.sequences, g.from, turn, items, request, out);
    } else if (g.engine == Engine::kMrg) {
      draw<Kind>(reinterpret_cast<Mrg*>(g.states.data()), g.sequences, g.from, turn, items, request, out);
    } else {
      draw_philox<Kind>(reinterpret_cast<Wide*>(g.states.data()), g.seed, g.sequences, g.from, turn, items,
                        request, out);
    }
  }
}
template <class Kind>
curandStatus_t make_there(const curandGenerator_st& g, const std::string& name, Wide items,
                          const Request& request, typename Kind::Out* out) {
  constexpr unsigned kThreads = 128;
  const Wide turns = std::min<Wide>(items, g.sequences);
  const Grid grid = {parts(static_cast<long long>(turns), kThreads), 1, 1}, block = {kThreads, 1, 1};
  const CUdeviceptr states = g.on_device.address();
  CUresult result;
  if (g.engine == Engine::kPhilox) {
    const Wide seed = g.seed;
    result = start_kernel(kernels(), name + "_philox", grid, block, g.stream, states, seed, g.sequences,
                          g.from, items, request, out);
  } else {
    result = start_kernel(kernels(), name + (g.engine == Engine::kMrg ? "_mrg" : "_xorwow"), grid, block,
                          g.stream, states, g.sequences, g.from, items, request, out);
  }
  return result == 0 ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class Kind>
curandStatus_t generate(curandGenerator_t g, const char* name, std::size_t count, const Request& request,
                        typename Kind::Out* out) {
  if (g == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const bool is_philox = g->engine == Engine::kPhilox;
  // Sequences give pairs of normals; those of Philox are cut where a call ends.
  if (!is_philox && count % Kind::kAtOnce != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  if (const curandStatus_t status = g->make_ready(); status != CURAND_STATUS_SUCCESS) return status;
  if (count == 0) return CURAND_STATUS_SUCCESS;
  if (out == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  const Wide items = is_philox ? count : count / Kind::kAtOnce;
  if (g->on_host) {
    make_here<Kind>(*g, items, request, out);
  } else if (const curandStatus_t status = make_there<Kind>(*g, name, items, request, out);
             status != CURAND_STATUS_SUCCESS) {
    return status;
  }
  const Wide round = is_philox ? Wide{4} * g->sequences : g->sequences;
  g->from = static_cast<unsigned>((g->from + items) % round);
  return CURAND_STATUS_SUCCESS;
}

}  // namespace

WARPVP_API curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, false);
}
WARPVP_API curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
  return create(generator, type, true);
}
WARPVP_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
WARPVP_API curandStatus_t curandGetVersion(int* version) {
  if (version == nullptr) return CURAND_STATUS_OUT_OF_RANGE;
  *version = WARPVP_CUDA_VERSION * 1000;
  return CURAND_STATUS_SUCCESS;
}
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API curandStatus_t curandGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CURAND_STATUS_OUT_OF_RANGE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CURAND_STATUS_SUCCESS;
}
WARPVP_API curandStatus_t curandSetStream(curandGenerator_t generator, CUstream stream) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
WARPVP_API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                             unsigned long long seed) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->seed = seed;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
WARPVP_API curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  generator->offset = offset;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
WARPVP_API curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t ordering) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  if (ordering < CURAND_ORDERING_PSEUDO_BEST || ordering > CURAND_ORDERING_PSEUDO_DYNAMIC)
    return CURAND_STATUS_OUT_OF_RANGE;
  if (ordering == CURAND_ORDERING_PSEUDO_SEEDED && generator->engine != Engine::kXorwow)
    return CURAND_STATUS_OUT_OF_RANGE;
  generator->ordering = ordering;
  generator->seeded = false;
  return CURAND_STATUS_SUCCESS;
}
/// Of quasirandom numbers alone.
WARPVP_API curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
WARPVP_API curandStatus_t curandGenerateSeeds(curandGenerator_t generator) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : generator->make_ready();
}

WARPVP_API curandStatus_t curandGenerate(curandGenerator_t g, unsigned* out, std::size_t n) {
  return generate<Words>(g, "words", n, {}, out);
}
/// Of quasirandom numbers of 64 bits alone.
WARPVP_API curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long*,
                                                 std::size_t) {
  return generator == nullptr ? CURAND_STATUS_NOT_INITIALIZED : CURAND_STATUS_TYPE_ERROR;
}
WARPVP_API curandStatus_t curandGenerateUniform(curandGenerator_t g, float* out, std::size_t n) {
  return generate<Uniforms>(g, "uniforms", n, {}, out);
}
WARPVP_API curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double* out, std::size_t n) {
  return generate<UniformDoubles>(g, "uniform_doubles", n, {}, out);
}
WARPVP_API curandStatus_t curandGenerateNormal(curandGenerator_t g, float* out, std::size_t n, float mean,
                                               float deviation) {
  return generate<Normals>(g, "normals", n, {mean, deviation, false}, out);
}
WARPVP_API curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double* out, std::size_t n,
                                                     double mean, double deviation) {
  return generate<NormalDoubles>(g, "normal_doubles", n, {mean, deviation, false}, out);
}
WARPVP_API curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float* out, std::size_t n, float mean,
                                                  float deviation) {
  return generate<Normals>(g, "normals", n, {mean, deviation, true}, out);
}
WARPVP_API curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double* out, std::size_t n,
                                                        double mean, double deviation) {
  return generate<NormalDoubles>(g, "normal_doubles", n, {mean, deviation, true}, out);
}
WARPVP_API curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned* out, std::size_t n,
                                                double mean) {
  if (g != nullptr && !(mean > 0 && mean <= 400000)) return CURAND_STATUS_OUT_OF_RANGE;
  return generate<Poissons>(g, "poissons", n, {mean, 0, false}, out);
}
/// The method is always that of the mean.
WARPVP_API curandStatus_t curandGeneratePoissonMethod(curandGenerator_t g, unsigned* out, std::size_t n,
                                                      double mean, int) {
  return curandGeneratePoisson(g, out, n, mean);
}
