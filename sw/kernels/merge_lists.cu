// Sorted lists of numbers merged two by two, a thread a pair: a pass of Rodinia's hybridsort after its buckets. Numbers move by
// fours; the smaller half of two sorted fours comes of comparing one with the other turned round (Batcher's bitonic merge).

namespace {

__device__ __forceinline__ void order(float& low, float& high) {
  const float smaller = fminf(low, high);
  high = fmaxf(low, high);
  low = smaller;
}

// Of four numbers that rise and then fall, or the other way round.
__device__ __forceinline__ float4 rising(float4 v) {
  order(v.x, v.z);
  order(v.y, v.w);
  order(v.x, v.y);
  order(v.z, v.w);
  return v;
}

}  // namespace

// `fours` is all there are, `length` fours a list; the last list may be shorter, or have no partner and be copied.
extern "C" __global__ void merge_lists(const float4* __restrict__ lists, float4* __restrict__ merged, unsigned fours,
                                       unsigned length) {
  const unsigned first = (blockIdx.x * blockDim.x + threadIdx.x) * 2 * length;
  if (first >= fours) return;
  const unsigned middle = min(first + length, fours), last = min(middle + length, fours);
  unsigned a = first, b = middle;
  float4 rest = lists[a++];
#pragma unroll 1
  for (unsigned out = first; out < last; ++out) {
    if (a < middle || b < last) {
      const bool of_a = b >= last || (a < middle && lists[a].x < lists[b].x);
      const float4 next = lists[of_a ? a++ : b++];
      const float4 low = {fminf(rest.x, next.w), fminf(rest.y, next.z), fminf(rest.z, next.y), fminf(rest.w, next.x)};
      rest = rising({fmaxf(rest.x, next.w), fmaxf(rest.y, next.z), fmaxf(rest.z, next.y), fmaxf(rest.w, next.x)});
      merged[out] = rising(low);
    } else {
      merged[out] = rest;
    }
  }
}
