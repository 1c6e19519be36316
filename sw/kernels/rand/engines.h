#pragma once
// Generators of pseudorandom numbers, for kernels and for the host (docs/cuda.md, cuRAND): XORWOW (Marsaglia,
// Xorshift RNGs, 2003, section 3.1), MRG32k3a (L'Ecuyer, Good parameters for combined multiple recursive
// generators, 1999) and Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011).

#ifdef __CUDA_ARCH__
#define RAND_INLINE __device__ __forceinline__
#else
#define RAND_INLINE inline
#endif

namespace rand_kernels {

using Word = unsigned;
using Wide = unsigned long long;

struct Xorwow {
  Word v[5], d;
  RAND_INLINE Word next() {
    const Word t = v[0] ^ (v[0] >> 2);
    for (int i = 0; i < 4; ++i) v[i] = v[i + 1];
    v[4] = v[4] ^ (v[4] << 4) ^ t ^ (t << 1);
    d += 362437;
    return v[4] + d;
  }
};

struct Mrg {
  static constexpr Wide kMod1 = 4294967087, kMod2 = 4294944443;
  Word s1[3], s2[3];
  /// From 1 to kMod1.
  RAND_INLINE Word next() {
    const Wide p1 = (1403580 * static_cast<Wide>(s1[1]) + 810728 * (kMod1 - s1[0])) % kMod1;
    const Wide p2 = (527612 * static_cast<Wide>(s2[2]) + 1370589 * (kMod2 - s2[0])) % kMod2;
    s1[0] = s1[1];
    s1[1] = s1[2];
    s1[2] = static_cast<Word>(p1);
    s2[0] = s2[1];
    s2[1] = s2[2];
    s2[2] = static_cast<Word>(p2);
    return static_cast<Word>(p1 > p2 ? p1 - p2 : p1 + kMod1 - p2);
  }
};

/// Four words of a counter and a key.
struct Block {
  Word word[4];
};
RAND_INLINE Block philox(Block c, Word key0, Word key1) {
  for (int round = 0; round < 10; ++round) {
    const Wide a = static_cast<Wide>(0xD2511F53u) * c.word[0], b = static_cast<Wide>(0xCD9E8D57u) * c.word[2];
    c = {{static_cast<Word>(b >> 32) ^ c.word[1] ^ key0, static_cast<Word>(b),
          static_cast<Word>(a >> 32) ^ c.word[3] ^ key1, static_cast<Word>(a)}};
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return c;
}

}  // namespace rand_kernels
