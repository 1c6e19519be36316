// Traffic of a given pattern: each warp loads (and, in the second kernel, stores) whole lines of 128 bytes in an order
// that the host has made. The order lies in shared memory, so that the network carries nothing but what it says.
//
// A CTA takes a row of `order`: those of its SM, in the order of arrival there. The grid fills the machine, `ctas` to an
// SM. `entries` of a row are a multiple of kAhead times the warps of a CTA; each pass adds `step` to the lines' numbers.

constexpr unsigned kLineWords = 32;
constexpr unsigned kAhead = 4;  // loads that a warp has under way

// Past the L1.
__device__ __forceinline__ unsigned load_from_l2(const unsigned* address) {
  unsigned value;
  __asm__ volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

template <bool kCopy>
__device__ __forceinline__ void probe(const unsigned* in, unsigned* out, const unsigned* order, unsigned* arrived,
                                      unsigned* folded, unsigned entries, unsigned passes, unsigned step,
                                      unsigned ctas) {
  extern __shared__ unsigned lines[];
  __shared__ unsigned row;
  if (threadIdx.x == 0) row = sm_id() * ctas + atomicAdd(arrived + sm_id(), 1u);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < entries; i += blockDim.x) lines[i] = order[row * entries + i];
  __syncthreads();
  const unsigned lane = threadIdx.x % kLineWords, stride = blockDim.x / kLineWords * kAhead;
  unsigned fold = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    for (unsigned e = threadIdx.x / kLineWords * kAhead; e < entries; e += stride) {
      unsigned word[kAhead], value[kAhead];
#pragma unroll
      for (unsigned i = 0; i < kAhead; ++i) {
        word[i] = (lines[e + i] + pass * step) * kLineWords + lane;
        value[i] = load_from_l2(in + word[i]);
      }
#pragma unroll
      for (unsigned i = 0; i < kAhead; ++i) {
        if (kCopy) out[word[i]] = value[i];
        fold = fold * 33 + value[i];
      }
    }
  }
  folded[row * blockDim.x + threadIdx.x] = fold;
}

extern "C" __global__ void probe_read(const unsigned* in, unsigned* out, const unsigned* order, unsigned* arrived,
                                      unsigned* folded, unsigned entries, unsigned passes, unsigned step,
                                      unsigned ctas) {
  probe<false>(in, out, order, arrived, folded, entries, passes, step, ctas);
}

extern "C" __global__ void probe_copy(const unsigned* in, unsigned* out, const unsigned* order, unsigned* arrived,
                                      unsigned* folded, unsigned entries, unsigned passes, unsigned step,
                                      unsigned ctas) {
  probe<true>(in, out, order, arrived, folded, entries, passes, step, ctas);
}
