// What the tests of Pagoda run: tasks that watch how they are run, and the allocator of shared memory alone.

#include "master_kernel.h"
#include "probe.h"

/// Counts its threads, keeps its shared memory and its barrier under observation for a while, leaves a
/// result.
struct Watched {
  using Arguments = WatchedArguments;

  static __device__ void run(const pagoda::Block block, const Arguments a) {
    const unsigned thread = block.thread(), global = block.block() * block.threads() + thread;
    unsigned errors = 0;
    // Only blocks of one thread block of the MasterKernel share barriers.
    unsigned* const owner = a.barrier_owners + 16 * blockIdx.x + block.barrier();
    if (a.sync) {
      block.sync();
      if (thread == 0 && atomicExch(owner, a.task + 1) != 0) ++errors;
      block.sync();
    }
    volatile unsigned* const words = reinterpret_cast<unsigned*>(block.shared());
    const unsigned count = a.shared_bytes / 4, pattern = 0x9e3779b9u * (a.task + 1) + block.block();
    for (unsigned round = 0; round < a.rounds; ++round) {
      for (unsigned i = thread; i < count; i += block.threads()) words[i] = pattern + i + round;
      if (a.sync) block.sync();
      // With a barrier each thread reads what another one has written.
      const unsigned from = a.sync ? (thread + 33) % block.threads() : thread;
      for (unsigned i = from; i < count; i += block.threads()) errors += words[i] != pattern + i + round;
      if (a.sync) block.sync();
    }
    if (a.sync) {
      if (thread == 0 && atomicExch(owner, 0) != a.task + 1) ++errors;
      block.sync();
    }
    if (errors != 0) atomicAdd(a.errors, errors);
    atomicAdd(a.runs + a.task, 1u);
    a.results[global] = 3 * a.task + 7 * global + a.shared_bytes;
  }
};
PAGODA_TASK(watched, Watched)

/// Never ends.
struct Endless {
  using Arguments = WatchedArguments;

  static __device__ void run(const pagoda::Block, const Arguments a) {
    while (*reinterpret_cast<volatile unsigned*>(a.runs) == 0) {
    }
  }
};
PAGODA_TASK(endless, Endless)

extern "C" __device__ pagoda::Function nothing_pagoda;
__device__ pagoda::Function nothing_pagoda = nullptr;

/// One warp: allocates, frees at once, leaves to be freed, frees what was left, as `steps` say, and notes
/// each node and, after each step, which nodes are marked.
extern "C" __global__ void buddy_probe(const BuddyStep* steps, unsigned count, unsigned pool_bytes,
                                       unsigned* nodes, unsigned char* marks) {
  static __shared__ pagoda::BuddyTree tree;
  pagoda::clear_tree(tree, pool_bytes);
  for (unsigned s = 0; s < count; ++s) {
    const BuddyStep step = steps[s];
    unsigned node = 0;
    if (step.kind == kBuddyAllocate) node = pagoda::allocate_node(tree, step.value);
    if (step.kind == kBuddyFree) pagoda::free_node(tree, nodes[step.value]);
    if (step.kind == kBuddyFreeLater && lane_id() == 0) pagoda::free_later(tree, nodes[step.value]);
    __syncwarp();
    if (step.kind == kBuddyFreeMarked) pagoda::free_marked(tree);
    if (lane_id() == 0) nodes[s] = node;
    for (unsigned n = lane_id(); n < pagoda::kNodes; n += 32) marks[s * pagoda::kNodes + n] = tree.marked[n];
    __syncwarp();
  }
}
