// Longest-prefix match of IPv6 addresses by binary search over prefix lengths (Waldvogel, Varghese, Turner and Plattner,
// SIGCOMM 1997): a hash table has the prefixes, and markers that lead to longer ones, each with the best hop known so
// far. Routes have at most 64 bits, so the upper half of an address decides. A thread an address.

struct Entry {
  uint64_t prefix;  // its bits on top, the rest zero
  uint32_t length;  // 0: empty
  uint32_t hop;     // of the longest route that it matches; 0: none
};

extern "C" __global__ void ipv6_lookup(const uint64_t* __restrict__ addresses, const Entry* __restrict__ table,
                                       uint32_t* __restrict__ hops, unsigned count, unsigned mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint64_t address = addresses[i];
  unsigned low = 1, high = 64, hop = 0;
  while (low <= high) {
    const unsigned length = (low + high) / 2;
    const uint64_t prefix = address & (~0ull << (64 - length));
    uint64_t h = (prefix ^ length) * 0x9e3779b97f4a7c15ull;
    unsigned slot = static_cast<unsigned>(h >> 40) & mask;
    bool found = false;
    while (table[slot].length != 0) {
      if (table[slot].length == length && table[slot].prefix == prefix) {
        found = true;
        break;
      }
      slot = (slot + 1) & mask;
    }
    if (found) {
      if (table[slot].hop != 0) hop = table[slot].hop;
      low = length + 1;
    } else {
      high = length - 1;
    }
  }
  hops[i] = hop;
}
