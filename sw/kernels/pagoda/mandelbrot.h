#pragma once
// A part of the Mandelbrot set: how often z = z^2 + c may be repeated from 0 before |z| > 2, for each pixel's c. How
// long it takes differs from pixel to pixel and from task to task.

#include "task_arguments.h"
#include "task_block.h"

struct Mandelbrot {
  using Arguments = MandelbrotArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const unsigned stride = block.threads() * block.blocks();
    for (unsigned pixel = block.block() * block.threads() + block.thread(); pixel < a.width * a.height; pixel += stride) {
      const float c_re = fmaf(static_cast<float>(pixel % a.width), a.step, a.left);
      const float c_im = fmaf(static_cast<float>(pixel / a.width), a.step, a.top);
      float re = 0.0f, im = 0.0f;
      unsigned n = 0;
      while (n < a.iterations) {
        const float re2 = re * re, im2 = im * im;
        if (re2 + im2 > 4.0f) break;
        im = fmaf(2.0f * re, im, c_im);
        re = re2 - im2 + c_re;
        ++n;
      }
      a.out[pixel] = n;
    }
  }
};
