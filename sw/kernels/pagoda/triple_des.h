#pragma once
// Triple DES of a packet (NIST SP 800-67, encrypt-decrypt-encrypt with three keys, each block of eight bytes by itself): a
// thread a block. Boxes and permutation of a round are one table (sw/pagoda/workloads/des.h), for halves that are rotated
// left by one, so that each box finds its six bits side by side.

#include "task_arguments.h"
#include "task_block.h"

struct TripleDes {
  using Arguments = TripleDesArguments;

  static __device__ __forceinline__ unsigned rotate_left(unsigned v, unsigned by) { return v << by | v >> (32 - by); }
  /// Exchanges the bits of `mask` in `b` for those `shift` further left in `a`.
  static __device__ __forceinline__ void exchange(unsigned& a, unsigned& b, unsigned shift, unsigned mask) {
    const unsigned differ = ((a >> shift) ^ b) & mask;
    b ^= differ;
    a ^= differ << shift;
  }
  /// What a round adds to the other half.
  static __device__ __forceinline__ unsigned round(const TripleDesTables* t, const unsigned* key, unsigned half) {
    const unsigned odd = rotate_left(half, 28) ^ key[0], even = half ^ key[1];
    return t->boxes[0][odd >> 24 & 63] | t->boxes[2][odd >> 16 & 63] | t->boxes[4][odd >> 8 & 63] | t->boxes[6][odd & 63] |
           t->boxes[1][even >> 24 & 63] | t->boxes[3][even >> 16 & 63] | t->boxes[5][even >> 8 & 63] | t->boxes[7][even & 63];
  }

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    for (unsigned i = block.block() * block.threads() + block.thread(); i < a.blocks; i += block.threads() * block.blocks()) {
      unsigned left = __builtin_bswap32(a.in[i].x), right = __builtin_bswap32(a.in[i].y);
      // Initial permutation.
      exchange(left, right, 4, 0x0f0f0f0f);
      exchange(left, right, 16, 0x0000ffff);
      exchange(right, left, 2, 0x33333333);
      exchange(right, left, 8, 0x00ff00ff);
      exchange(left, right, 1, 0x55555555);
      left = rotate_left(left, 1), right = rotate_left(right, 1);
      for (unsigned pass = 0; pass < 3; ++pass) {
        for (unsigned r = 0; r < 16; r += 2) {
          left ^= round(a.tables, a.tables->keys[pass][r], right);
          right ^= round(a.tables, a.tables->keys[pass][r + 1], left);
        }
        // The halves change places after the last round; one pass' last permutation is undone by the next one's first.
        const unsigned kept = left;
        left = right, right = kept;
      }
      left = rotate_left(left, 31), right = rotate_left(right, 31);
      exchange(left, right, 1, 0x55555555);
      exchange(right, left, 8, 0x00ff00ff);
      exchange(right, left, 2, 0x33333333);
      exchange(left, right, 16, 0x0000ffff);
      exchange(left, right, 4, 0x0f0f0f0f);
      a.out[i] = {__builtin_bswap32(left), __builtin_bswap32(right)};
    }
  }
};
