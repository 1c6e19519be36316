#pragma once
// An image through a square filter in fixed point: weights of 1/256. Pixels beyond the edge are those at the edge.

#include "task_arguments.h"
#include "task_block.h"

struct Convolution {
  using Arguments = ConvolutionArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const int width = static_cast<int>(a.width), height = static_cast<int>(a.height), radius = static_cast<int>(a.radius);
    const unsigned stride = block.threads() * block.blocks();
    for (unsigned pixel = block.block() * block.threads() + block.thread(); pixel < a.width * a.height; pixel += stride) {
      const int x = static_cast<int>(pixel % a.width), y = static_cast<int>(pixel / a.width);
      const int* weight = a.weights;
      int sum = 128;
      for (int dy = -radius; dy <= radius; ++dy) {
        const unsigned char* const row = a.in + min(max(y + dy, 0), height - 1) * width;
        for (int dx = -radius; dx <= radius; ++dx) sum += *weight++ * row[min(max(x + dx, 0), width - 1)];
      }
      a.out[pixel] = static_cast<unsigned char>(min(max(sum >> 8, 0), 255));
    }
  }
};
