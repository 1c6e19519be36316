#pragma once
// One channel of a filter bank (StreamIt's FilterBankNew): the signal through the analysis filter, all samples but
// every Nth replaced by zeros, as when it is sampled down and up again, and through the synthesis filter. Needs the
// barrier of its thread block, so runs in one.

#include "task_arguments.h"
#include "task_block.h"

struct FilterBank {
  using Arguments = FilterBankArguments;

  /// Sample `i` of a signal behind a filter.
  static __device__ __forceinline__ float filter(const float* signal, const float* weights, unsigned taps, unsigned i) {
    float sum = 0.0f;
    const unsigned end = min(i + 1, taps);
    for (unsigned k = 0; k < end; ++k) sum = fmaf(weights[k], signal[i - k], sum);
    return sum;
  }

  template <class Block>
  static __device__ void run(Block block, const Arguments a) {
    for (unsigned i = block.thread(); i < a.length; i += block.threads())
      a.filtered[i] = filter(a.signal, a.analysis, a.taps, i);
    block.sync();
    for (unsigned i = block.thread(); i < a.length; i += block.threads())
      a.expanded[i] = i % a.decimation == 0 ? a.filtered[i] : 0.0f;
    block.sync();
    for (unsigned i = block.thread(); i < a.length; i += block.threads())
      a.out[i] = filter(a.expanded, a.synthesis, a.taps, i);
  }
};
