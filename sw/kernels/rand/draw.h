#pragma once
// Numbers of distributions from a generator's words, for kernels and for the host, as the documentation of
// cuRAND's device interface has them: which words a number takes decides which numbers a program sees.

#include "engines.h"
#ifdef __CUDA_ARCH__
// libclc's functions, by the names its bitcode has them under.
extern "C" __device__ float sinf(float) __asm__("_Z3sinf");
extern "C" __device__ float cosf(float) __asm__("_Z3cosf");
extern "C" __device__ double log(double) __asm__("_Z3logd");
extern "C" __device__ double exp(double) __asm__("_Z3expd");
extern "C" __device__ double sin(double) __asm__("_Z3sind");
extern "C" __device__ double cos(double) __asm__("_Z3cosd");
__device__ __forceinline__ double sqrt(double v) { return __nvvm_sqrt_rn_d(v); }
#else
#include <cmath>
namespace rand_kernels {
using std::cos, std::exp, std::log, std::sin, std::sqrt;
}
#define ONCE
#endif

namespace rand_kernels {

constexpr float kTwoPi = 6.2831853f;
constexpr double kTwoPiDouble = 6.283185307179586;

/// What the words of a thread's sequence of Philox come from: its key, its number, and how many blocks are
/// used.
struct PhiloxStream {
  Wide seed;
  Wide thread;
  Wide used;
  Block block;
  int at;  ///< of the block's words, the next; 4: a new block is wanted
  RAND_INLINE Word next() {
    if (at == 4) {
      block = philox({{static_cast<Word>(used), static_cast<Word>(used >> 32), static_cast<Word>(thread),
                       static_cast<Word>(thread >> 32)}},
                     static_cast<Word>(seed), static_cast<Word>(seed >> 32));
      ++used;
      at = 0;
    }
    const Word w = at == 0   ? block.word[0]
                   : at == 1 ? block.word[1]
                   : at == 2 ? block.word[2]
                             : block.word[3];
    ++at;
    return w;
  }
};

template <class Engine>
RAND_INLINE Word word(Engine& engine) {
  return engine.next();
}
template <class Engine>
RAND_INLINE float uniform(Engine& engine) {
  constexpr float kInverse = 1.0f / 4294967296.0f;
  return static_cast<float>(engine.next()) * kInverse + kInverse / 2;
}
template <class Engine>
RAND_INLINE double uniform_double(Engine& engine) {
  constexpr double kInverse = 1.0 / 9007199254740992.0;
  const Wide low = engine.next(), high = engine.next();
  return static_cast<double>(low ^ high << 21) * kInverse + kInverse / 2;
}
/// MRG32k3a makes its numbers from what a word is rounded from.
constexpr double kMrgInverse = 2.3283065498378288e-10;
RAND_INLINE Word word(Mrg& engine) { return static_cast<Word>(engine.next() * 1.000000048662); }
RAND_INLINE float uniform(Mrg& engine) { return static_cast<float>(engine.next() * kMrgInverse); }
RAND_INLINE double uniform_double(Mrg& engine) { return engine.next() * kMrgInverse; }

struct Pair {
  float first, second;
};
struct DoublePair {
  double first, second;
};
RAND_INLINE Pair turned(float u, float angle) {
  const float radius = sqrtf(-2.0f * logf(u));
  return {radius * sinf(angle), radius * cosf(angle)};
}
RAND_INLINE DoublePair turned(double u, double angle) {
  const double radius = sqrt(-2.0 * log(u));
  return {radius * sin(angle), radius * cos(angle)};
}
/// Of the standard normal distribution, by Box and Muller's transform.
template <class Engine>
RAND_INLINE Pair normals(Engine& engine) {
  constexpr float kInverse = kTwoPi / 4294967296.0f;
  const float u = uniform(engine);
  return turned(u, static_cast<float>(engine.next()) * kInverse + kInverse / 2);
}
RAND_INLINE Pair normals(Mrg& engine) {
  const float u = uniform(engine);
  return turned(u, uniform(engine) * kTwoPi);
}
template <class Engine>
RAND_INLINE DoublePair normals_double(Engine& engine) {
  const double u = uniform_double(engine);
  return turned(u, uniform_double(engine) * kTwoPiDouble);
}

/// Poisson's distribution by sequential search, in parts of a mean of 32 at most, whose sums have the
/// distribution of the whole (Devroye, Non-uniform random variate generation, chapter X.3); above a mean of
/// 4,000, as cuRAND's does, the normal distribution rounded.
template <class Engine>
RAND_INLINE Word poisson(Engine& engine, double mean) {
  if (mean > 4000) {
    const double v = mean + sqrt(mean) * normals_double(engine).first + 0.5;
    return v < 0 ? 0 : static_cast<Word>(v);
  }
  Word sum = 0;
  ONCE for (double left = mean; left > 0; left -= 32) {
    const double part = left < 32 ? left : 32;
    const double u = uniform_double(engine);
    double p = exp(-part), below = p;
    Word k = 0;
    // The terms end where they no longer add anything, for a u above their sum.
    ONCE while (u > below && p > 1e-300) {
      ++k;
      p *= part / k;
      below += p;
    }
    sum += k;
  }
  return sum;
}

/// What a call makes, and with which numbers.
struct Request {
  double mean, deviation;
  bool logarithmic;  ///< normals are the logarithms of what is made
};
RAND_INLINE float scaled(float v, const Request& r) {
  const float x = static_cast<float>(r.mean) + static_cast<float>(r.deviation) * v;
  return r.logarithmic ? expf(x) : x;
}
RAND_INLINE double scaled(double v, const Request& r) {
  const double x = r.mean + r.deviation * v;
  return r.logarithmic ? exp(x) : x;
}

// Each kind of call: kAtOnce numbers from a sequence at once.
struct Words {
  using Out = Word;
  static constexpr int kAtOnce = 1;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request&, Out* out) {
    out[0] = word(engine);
  }
};
struct Uniforms {
  using Out = float;
  static constexpr int kAtOnce = 1;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request&, Out* out) {
    out[0] = uniform(engine);
  }
};
struct UniformDoubles {
  using Out = double;
  static constexpr int kAtOnce = 1;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request&, Out* out) {
    out[0] = uniform_double(engine);
  }
};
struct Normals {
  using Out = float;
  static constexpr int kAtOnce = 2;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request& r, Out* out) {
    const Pair pair = normals(engine);
    out[0] = scaled(pair.first, r);
    out[1] = scaled(pair.second, r);
  }
};
struct NormalDoubles {
  using Out = double;
  static constexpr int kAtOnce = 2;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request& r, Out* out) {
    const DoublePair pair = normals_double(engine);
    out[0] = scaled(pair.first, r);
    out[1] = scaled(pair.second, r);
  }
};
struct Poissons {
  using Out = Word;
  static constexpr int kAtOnce = 1;
  template <class Engine>
  static RAND_INLINE void make(Engine& engine, const Request& r, Out* out) {
    out[0] = poisson(engine, r.mean);
  }
};

/// What one of a generator's sequences does for a call. Sequences take turns: items, of Kind::kAtOnce numbers
/// each, go to `sequences` of them from `from` on, and this is the `turn`th. `states`: how far each sequence
/// is.
template <class Kind, class Engine>
RAND_INLINE void draw(Engine* states, Word sequences, Word from, Word turn, Wide items,
                      const Request& request, typename Kind::Out* out) {
  if (turn >= items || turn >= sequences) return;
  Engine& state = states[(from + turn) % sequences];
  Engine engine = state;
  ONCE for (Wide item = turn; item < items; item += sequences)
      Kind::make(engine, request, out + item * Kind::kAtOnce);
  state = engine;
}

/// The same of Philox, whose sequences take turns by four numbers: those from `from` on of the round of
/// `sequences` times four that a call begins in. A sequence moves on when all four are made. `used`: how many
/// blocks each has used.
template <class Kind>
RAND_INLINE void draw_philox(Wide* used, Wide seed, Word sequences, Word from, Word turn, Wide count,
                             const Request& request, typename Kind::Out* out) {
  constexpr int kFour = 4;
  const Word thread = (from / kFour + turn) % sequences;
  const Wide end = from + count;  // in numbers from the beginning of the round
  PhiloxStream stream = {seed, thread, used[thread], {}, kFour};
  ONCE for (Wide first = (from / kFour + turn) * static_cast<Wide>(kFour); first < end;
            first += static_cast<Wide>(sequences) * kFour) {
    typename Kind::Out four[kFour];
    for (int i = 0; i < kFour; i += Kind::kAtOnce) Kind::make(stream, request, four + i);
    stream.at = kFour;
    for (int i = 0; i < kFour; ++i)
      if (first + i >= from && first + i < end) out[first + i - from] = four[i];
    if (first + kFour <= end) used[thread] = stream.used;
  }
}

}  // namespace rand_kernels
