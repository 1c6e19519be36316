// Sorts stretches of 1024 keys with their values by merging in shared memory, as mergeSortShared of the CUDA samples'
// mergeSort: the place of a key in the merged stretch is its place in its own half plus its rank in the other one, found
// by binary search.

constexpr unsigned kStretch = 1024;

// How many of the `size` (a power of two) ascending words come before `key`; equal ones come before it if `inclusive`.
template <bool inclusive>
__device__ __forceinline__ unsigned rank(unsigned key, const unsigned* words, unsigned size) {
  unsigned found = 0;
  for (unsigned stride = size; stride > 0; stride >>= 1) {
    const unsigned next = min(found + stride, size);
    const unsigned word = words[next - 1];
    if (inclusive ? word <= key : word < key) found = next;
  }
  return found;
}

extern "C" __global__ void merge_sort(unsigned* out_keys, unsigned* out_values, const unsigned* in_keys,
                                      const unsigned* in_values, unsigned length) {
  __shared__ unsigned keys[kStretch];
  __shared__ unsigned values[kStretch];
  const unsigned t = threadIdx.x, first = blockIdx.x * kStretch + t;
  keys[t] = in_keys[first];
  values[t] = in_values[first];
  keys[t + kStretch / 2] = in_keys[first + kStretch / 2];
  values[t + kStretch / 2] = in_values[first + kStretch / 2];
  for (unsigned stride = 1; stride < length; stride <<= 1) {
    const unsigned low = t & (stride - 1);
    unsigned* const k = keys + 2 * (t - low);
    unsigned* const v = values + 2 * (t - low);
    __syncthreads();
    const unsigned key_a = k[low], value_a = v[low], key_b = k[low + stride], value_b = v[low + stride];
    const unsigned a = rank<false>(key_a, k + stride, stride) + low, b = rank<true>(key_b, k, stride) + low;
    __syncthreads();
    k[a] = key_a;
    v[a] = value_a;
    k[b] = key_b;
    v[b] = value_b;
  }
  __syncthreads();
  out_keys[first] = keys[t];
  out_values[first] = values[t];
  out_keys[first + kStretch / 2] = keys[t + kStretch / 2];
  out_values[first + kStretch / 2] = values[t + kStretch / 2];
}
