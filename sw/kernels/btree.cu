// Ranges of keys in a B+ tree of order 256, as findRangeK of Rodinia's b+tree: a CTA of 256 threads looks up the first and
// the last key of one range, a thread comparing with one key of the node, level by level.

constexpr unsigned kOrder = 256;

struct Node {
  int place, index[kOrder + 1], key[kOrder + 1], leaf, keys;
};

extern "C" __global__ void btree_ranges(int64_t height, Node* nodes, int64_t count, int64_t* current, int64_t* next,
                                        int64_t* last, int64_t* next_last, int* start, int* end, int* first_record,
                                        int* records) {
  const unsigned t = threadIdx.x, query = blockIdx.x;
  for (int level = 0; level < height; ++level) {
    if (nodes[current[query]].key[t] <= start[query] && nodes[current[query]].key[t + 1] > start[query]) {
      if (nodes[current[query]].index[t] < count) next[query] = nodes[current[query]].index[t];
    }
    if (nodes[last[query]].key[t] <= end[query] && nodes[last[query]].key[t + 1] > end[query]) {
      if (nodes[last[query]].index[t] < count) next_last[query] = nodes[last[query]].index[t];
    }
    __syncthreads();
    if (t == 0) {
      current[query] = next[query];
      last[query] = next_last[query];
    }
    __syncthreads();
  }
  if (nodes[current[query]].key[t] == start[query]) first_record[query] = nodes[current[query]].index[t];
  __syncthreads();
  if (nodes[last[query]].key[t] == end[query]) records[query] = nodes[last[query]].index[t] - first_record[query] + 1;
}
