#pragma once
// The discrete cosine transform of the 8 x 8 tiles of an image: each tile X becomes C X C^T, first the product from
// the right, then that from the left. Between the two, threads of a thread block wait for each other. Thread blocks of a
// task take groups of tiles in turn.

#include "task_arguments.h"
#include "task_block.h"

struct DctTiles {
  /// Where element `e` of tile `tile` lies in the image.
  static __device__ __forceinline__ unsigned place(const DctArguments& a, unsigned tile, unsigned e) {
    const unsigned across = a.width / 8;
    return (tile / across * 8 + e / 8) * a.width + tile % across * 8 + e % 8;
  }
  /// Tiles that a thread block takes at a time: a thread an element.
  template <class Block>
  static __device__ __forceinline__ unsigned group(const Block& block) {
    return max(block.threads() / 64, 1u);
  }
};

/// What is between the products lies in device memory.
struct Dct {
  using Arguments = DctArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const unsigned tiles = a.width / 8 * (a.height / 8), group = DctTiles::group(block);
    for (unsigned first = block.block() * group; first < tiles; first += block.blocks() * group) {
      const unsigned elements = min(group, tiles - first) * 64;
      for (unsigned e = block.thread(); e < elements; e += block.threads()) {
        const unsigned tile = first + e / 64, row = DctTiles::place(a, tile, e % 64 / 8 * 8);
        float sum = 0.0f;
        for (unsigned j = 0; j < 8; ++j) sum = fmaf(a.in[row + j], a.cosines[e % 8 * 8 + j], sum);
        a.rows[row + e % 8] = sum;
      }
      block.sync();
      for (unsigned e = block.thread(); e < elements; e += block.threads()) {
        const unsigned tile = first + e / 64, column = DctTiles::place(a, tile, e % 8);
        float sum = 0.0f;
        for (unsigned j = 0; j < 8; ++j) sum = fmaf(a.cosines[e % 64 / 8 * 8 + j], a.rows[column + j * a.width], sum);
        a.out[DctTiles::place(a, tile, e % 64)] = sum;
      }
    }
  }
};

/// The cosines, tiles and what is between the products lie in shared memory: 256 bytes, and 512 for each tile of a group.
struct DctShared {
  using Arguments = DctArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const unsigned tiles = a.width / 8 * (a.height / 8), group = DctTiles::group(block);
    float* const cosines = reinterpret_cast<float*>(block.shared());
    float* const tile = cosines + 64;
    float* const rows = tile + group * 64;
    for (unsigned e = block.thread(); e < 64; e += block.threads()) cosines[e] = a.cosines[e];
    for (unsigned first = block.block() * group; first < tiles; first += block.blocks() * group) {
      const unsigned elements = min(group, tiles - first) * 64;
      for (unsigned e = block.thread(); e < elements; e += block.threads())
        tile[e] = a.in[DctTiles::place(a, first + e / 64, e % 64)];
      block.sync();
      for (unsigned e = block.thread(); e < elements; e += block.threads()) {
        float sum = 0.0f;
        for (unsigned j = 0; j < 8; ++j) sum = fmaf(tile[e / 8 * 8 + j], cosines[e % 8 * 8 + j], sum);
        rows[e] = sum;
      }
      block.sync();
      for (unsigned e = block.thread(); e < elements; e += block.threads()) {
        float sum = 0.0f;
        for (unsigned j = 0; j < 8; ++j) sum = fmaf(cosines[e % 64 / 8 * 8 + j], rows[e / 64 * 64 + j * 8 + e % 8], sum);
        a.out[DctTiles::place(a, first + e / 64, e % 64)] = sum;
      }
    }
  }
};
