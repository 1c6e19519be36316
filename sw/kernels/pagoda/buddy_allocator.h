#pragma once
// Pagoda's allocator of shared memory (thesis, section 5.3.1): a buddy system whose tree is an array of marks
// in shared memory. A marked node is taken or has something taken below it. Only one warp allocates and
// frees, with all its lanes; others ask for memory to be freed with free_later, which that warp then does
// before it allocates.

#include "task_table.h"

namespace pagoda {

struct BuddyTree {
  volatile unsigned char marked[kNodes];
  unsigned freed[kNodes / 32];  ///< nodes to be freed, a bit each
};

__device__ __forceinline__ unsigned depth_of(unsigned node) { return 31 - __clz(node); }
__device__ __forceinline__ unsigned node_bytes(unsigned node) { return kPoolBytes >> depth_of(node); }
__device__ __forceinline__ unsigned node_offset(unsigned node) {
  return (node - (1u << depth_of(node))) * node_bytes(node);
}
/// Whether `node` is `above` or lies below it.
__device__ __forceinline__ bool is_within(unsigned node, unsigned above) {
  const unsigned depth = depth_of(node), other = depth_of(above);
  return depth >= other && node >> (depth - other) == above;
}

/// Makes all of the first `pool_bytes` free; the rest is never given out.
__device__ inline void clear_tree(BuddyTree& tree, unsigned pool_bytes) {
  for (unsigned node = lane_id(); node < kNodes; node += 32)
    tree.marked[node] = node == 0 || node_offset(node) + node_bytes(node) > pool_bytes;
  if (lane_id() < kNodes / 32) tree.freed[lane_id()] = 0;
  __syncwarp();
}

/// A free node of at least `bytes` bytes (figure 5.4), the one at the lowest address; 0 if there is none.
__device__ inline unsigned allocate_node(BuddyTree& tree, unsigned bytes) {
  unsigned first = kNodes / 2;  // of the level whose nodes are just large enough
  for (unsigned size = kLeafBytes; size < bytes; size *= 2) first /= 2;
  unsigned found = 0;
  for (unsigned from = first; from < 2 * first && found == 0; from += 32) {
    const unsigned node = from + lane_id();
    const unsigned free = __ballot_sync(~0u, node < 2 * first && !tree.marked[node]);
    if (free != 0) found = from + __ffs(free) - 1;
  }
  if (found == 0) return 0;
  for (unsigned node = lane_id(); node < kNodes; node += 32)
    if (node != 0 && (is_within(node, found) || is_within(found, node))) tree.marked[node] = 1;
  __syncwarp();
  return found;
}

/// Figure 5.5: all below the node, then the node and its ancestors as long as their siblings are free.
__device__ inline void free_node(BuddyTree& tree, unsigned freed) {
  for (unsigned node = lane_id(); node < kNodes; node += 32)
    if (node != 0 && is_within(node, freed)) tree.marked[node] = 0;
  __syncwarp();
  if (lane_id() == 0) {
    for (unsigned node = freed; node > 1 && !tree.marked[node ^ 1]; node /= 2) tree.marked[node / 2] = 0;
  }
  __syncwarp();
}

/// By one thread of any warp: the node is nobody's any more.
__device__ inline void free_later(BuddyTree& tree, unsigned node) {
  atomicOr(&tree.freed[node / 32], 1u << node % 32);
}

/// Frees what was left to be freed.
__device__ inline void free_marked(BuddyTree& tree) {
  const unsigned mine = lane_id() < kNodes / 32 ? atomicExch(&tree.freed[lane_id()], 0u) : 0;
  for (unsigned words = __ballot_sync(~0u, mine != 0); words != 0; words &= words - 1) {
    const unsigned word = __ffs(words) - 1;
    for (unsigned bits = __shfl_sync(~0u, static_cast<int>(mine), static_cast<int>(word)); bits != 0;
         bits &= bits - 1)
      free_node(tree, 32 * word + __ffs(bits) - 1);
  }
}

}  // namespace pagoda
