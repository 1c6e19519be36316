// Rank sort: every thread counts the elements that go before its own and writes it to that place. At each turn of the
// loop all lanes read the same element (SWaS paper, section VI-B1).

extern "C" __global__ void psort(const float* __restrict__ in, float* __restrict__ out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const float mine = in[i];
  unsigned place = 0;
#pragma unroll 1
  for (unsigned k = 0; k < count; ++k) {
    const float other = in[k];
    // Without short-circuits, so that the only branch is that of the loop.
    place += (other < mine) | ((other == mine) & (k < i));
  }
  out[place] = mine;
}
