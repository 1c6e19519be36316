// Look-up of MAC addresses in a cuckoo hash table (Pagh and Rodler, Journal of Algorithms 2004) with two choices of a
// bucket of four places. A thread a packet; port 0 where the address is not known.

extern "C" __global__ void cuckoo_lookup(const uint64_t* __restrict__ addresses, const uint64_t* __restrict__ keys,
                                         const uint32_t* __restrict__ ports, uint32_t* __restrict__ out, unsigned count,
                                         unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint64_t key = addresses[i];
  const unsigned buckets[2] = {static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> 40) & mask,
                               static_cast<unsigned>((key * 0xc2b2ae3d27d4eb4full) >> 40) & mask};
  unsigned port = 0;
  for (int b = 0; b < 2 && port == 0; ++b)
    for (unsigned place = 0; place < 4; ++place)
      if (keys[4 * buckets[b] + place] == key) port = ports[4 * buckets[b] + place];
  out[i] = port;
}
