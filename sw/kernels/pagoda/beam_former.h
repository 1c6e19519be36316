#pragma once
// One beam of a beam former (StreamIt's BeamFormer): complex samples through a complex filter, and the magnitude of
// what comes out.

#include "task_arguments.h"
#include "task_block.h"

struct BeamFormer {
  using Arguments = BeamFormerArguments;

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    const float2* const samples = reinterpret_cast<const float2*>(a.samples);
    const float2* const weights = reinterpret_cast<const float2*>(a.weights);
    for (unsigned i = block.block() * block.threads() + block.thread(); i < a.length; i += block.threads() * block.blocks()) {
      float re = 0.0f, im = 0.0f;
      const unsigned end = min(i + 1, a.taps);
      for (unsigned k = 0; k < end; ++k) {
        const float2 w = weights[k], x = samples[i - k];
        re = fmaf(w.x, x.x, re);
        re = fmaf(-w.y, x.y, re);
        im = fmaf(w.x, x.y, im);
        im = fmaf(w.y, x.x, im);
      }
      a.out[i] = sqrtf(re * re + im * im);
    }
  }
};
