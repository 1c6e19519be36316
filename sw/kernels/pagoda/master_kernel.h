#pragma once
// Pagoda's MasterKernel (thesis, sections 5.2 and 5.3): a kernel that never ends by itself and whose thread
// blocks take up the whole GPU. Warp 0 of each is its scheduler, which finds tasks in its column of the
// TaskTable and gives them to the others, the executors. A .cu that includes this header has the entry
// `pagoda_master`; PAGODA_TASK makes a body known.
//
//   struct Scale {
//     using Arguments = ScaleArguments;
//     template <class Block> static __device__ void run(Block block, const Arguments a) { ... }
//   };
//   PAGODA_TASK(scale, Scale)

#include "buddy_allocator.h"
#include "task_block.h"
#include "task_table.h"

namespace pagoda {

/// What an executor warp is to do (table 5.2).
struct WarpSlot {
  volatile unsigned warp;     ///< number of the warp in its task: warpId
  volatile unsigned entry;    ///< row of the task: eNum
  volatile unsigned node;     ///< shared memory of its thread block: SMindex
  volatile unsigned barrier;  ///< barrier of its thread block: barId
  volatile unsigned exec;     ///< an Exec
};
enum Exec : unsigned { kIdle = 0, kRun = 1, kQuit = 2 };

/// The scheduling data of a thread block of the MasterKernel.
struct MasterState {
  WarpSlot slots[kMostExecutors];
  volatile int warps_to_place;  ///< ctr of algorithm 1, of the task that is being scheduled
  int warps_left[kRows];        ///< doneCtr: warps of each row's task that have not ended
  int block_warps_left[kBarriers +
                       kNodes];  ///< the same of each thread block that has a barrier or shared memory
  unsigned free_barriers;        ///< a bit for each that no thread block has
  BuddyTree tree;
};
static __shared__ MasterState master;

__device__ __forceinline__ uint4 load_fresh(const void* p) {
  uint4 v;
  __asm__ volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(p)
                   : "memory");
  return v;
}
/// Where the steps of a task are noted, or null.
__device__ __forceinline__ TaskStamps* stamps_of(const MasterArguments& a, unsigned flags) {
  const unsigned number = flags / 2;
  return number < a.stamp_count ? a.stamps + number : nullptr;
}

/// A thread block of a task in Pagoda, as the task's body sees it (table 5.1: getTid, syncBlock, getSMPtr).
class Block {
 public:
  __device__ Block(unsigned warp, unsigned threads, unsigned blocks, unsigned node, unsigned barrier)
      : threads_(threads), blocks_(blocks), node_(node), barrier_(barrier) {
    const unsigned warps = (threads + 31) / 32;
    block_ = blocks == 1 ? 0 : warp / warps;
    thread_ = 32 * (warp - block_ * warps) + lane_id();
  }
  __device__ unsigned thread() const { return thread_; }
  __device__ unsigned threads() const { return threads_; }
  __device__ unsigned block() const { return block_; }
  __device__ unsigned blocks() const { return blocks_; }
  __device__ void sync() const {
    __asm__ volatile("bar.sync %0, %1;" : : "r"(barrier_), "r"((threads_ + 31) / 32 * 32) : "memory");
  }
  __device__ unsigned barrier() const { return barrier_; }  ///< for sync() alone
  __device__ char* shared() const { return dynamic_shared_memory + node_offset(node_); }

 private:
  unsigned threads_, blocks_, node_, barrier_, block_, thread_;
};

/// What the host passes the address of: runs one warp of a task. The first five arguments are Block's:
/// numbers travel in registers, a class would travel through local memory.
using Function = void (*)(unsigned warp, unsigned threads, unsigned blocks, unsigned node, unsigned barrier,
                          const TaskEntry* entry);

/// Calls the body with the arguments in the entry. They are read as what others change: the entry was another
/// task's.
template <class Body>
__device__ __forceinline__ void run_warp_of(const Block& block, const TaskEntry* entry) {
  using Arguments = typename Body::Arguments;
  static_assert(sizeof(Arguments) <= kArgumentBytes, "a task's arguments travel in its entry");
  constexpr unsigned kWords = (sizeof(Arguments) + 15) / 16;
  union {
    Arguments arguments;
    uint4 words[kWords];
  } u;
  for (unsigned i = 0; i < kWords; ++i) u.words[i] = load_fresh(entry->arguments + 16 * i);
  if (block.thread() < block.threads()) Body::run(block, u.arguments);
}

/// Algorithm 2: gives `count` warps, numbered from `base` on, to executors as they become free. All lanes
/// look, each at its own executor, and go on together.
__device__ inline void place_warps(unsigned base, unsigned count, unsigned row, unsigned node,
                                   unsigned barrier, unsigned executors) {
  const unsigned lane = lane_id();
  if (lane == 0) master.warps_to_place = static_cast<int>(count);
  __syncwarp();
  bool done = lane >= executors;
  do {
    if (!done) {
      WarpSlot& slot = master.slots[lane];
      if (slot.exec == kIdle) {
        const int left = atomicAdd(const_cast<int*>(&master.warps_to_place), -1);
        if (left > 0) {
          slot.warp = base + static_cast<unsigned>(left) - 1;
          slot.entry = row;
          slot.node = node;
          slot.barrier = barrier;
          __threadfence_block();
          slot.exec = kRun;
        }
      }
      done = master.warps_to_place <= 0;
    }
  } while (!__all_sync(~0u, done));
}

/// A barrier that no thread block has; waits for one.
__device__ inline unsigned take_barrier() {
  volatile unsigned* free = &master.free_barriers;
  unsigned bits = 0;
  do {
    bits = __shfl_sync(~0u, static_cast<int>(*free), 0);
  } while (bits == 0);
  const unsigned barrier = __ffs(bits) - 1;
  if (lane_id() == 0) atomicAdd(&master.free_barriers, 0u - (1u << barrier));
  return barrier;
}

/// Shared memory for a thread block; waits for some.
__device__ inline unsigned take_memory(unsigned bytes) {
  unsigned node = 0;
  do {
    free_marked(master.tree);
    node = allocate_node(master.tree, bytes);
  } while (node == 0);
  return node;
}

/// Where MasterState::block_warps_left has a thread block: its barrier or its memory is its own as long as it
/// lives.
__device__ __forceinline__ unsigned block_key(bool sync, unsigned barrier, unsigned node) {
  return sync ? barrier : kBarriers + node;
}

/// Lines 13 to 24 of algorithm 1, for the task in `row`.
__device__ inline void schedule_task(const MasterArguments& a, TaskEntry* entry, unsigned row,
                                     unsigned executors) {
  volatile int* sched = &entry->sched;
  const unsigned lane = lane_id();
  if (lane == 0) *sched = 0;
  const uint4 head = load_fresh(entry);
  const uint4 rest = load_fresh(&entry->shared_bytes);
  const unsigned blocks = head.w, shared_bytes = rest.x;
  const bool sync = (rest.y & kSync) != 0;
  const unsigned warps = (head.z + 31) / 32;
  if (lane == 0) {
    master.warps_left[row] = static_cast<int>(warps * blocks);
    if (TaskStamps* stamps = stamps_of(a, rest.y)) stamps->scheduled = clock64();
  }
  __syncwarp();
  if (!sync && shared_bytes == 0) {
    place_warps(0, warps * blocks, row, 1, 0, executors);
    return;
  }
  for (unsigned block = 0; block < blocks; ++block) {
    const unsigned barrier = sync ? take_barrier() : 0;
    const unsigned node = shared_bytes != 0 ? take_memory(shared_bytes) : 1;
    if (lane == 0) master.block_warps_left[block_key(sync, barrier, node)] = static_cast<int>(warps);
    __syncwarp();
    place_warps(warps * block, warps, row, node, barrier, executors);
  }
}

/// ready and sched, read as one word: a state of figure 5.2 is seen as a whole.
__device__ __forceinline__ uint64_t load_state(TaskEntry* entry) {
  return *reinterpret_cast<volatile uint64_t*>(&entry->ready);
}
__device__ __forceinline__ int ready_of(uint64_t state) { return static_cast<int>(state); }
/// Whether the scheduler of the entry has something to do.
__device__ __forceinline__ bool needs_scheduler(uint64_t state) {
  return ready_of(state) >= kFirstReference || (ready_of(state) == kReleased && state >> 32 != 0);
}

/// What is to be done with the entry in `row`, whose state needs the scheduler.
__device__ inline void serve(const MasterArguments& a, TaskEntry* entry, unsigned row, uint64_t state,
                             unsigned executors) {
  if (ready_of(state) == kReleased) {
    schedule_task(a, entry, row, executors);
    return;
  }
  // The copy of this entry says that the parameters of an earlier one are complete. That one's scheduler may
  // not have seen it yet: this one waits for that, as in section 5.2.2, but not for ever, since the scheduler
  // that it waits for may in turn wait for a task of this column, and not for itself.
  const unsigned earlier_row = static_cast<unsigned>(ready_of(state) - kFirstReference);
  TaskEntry* const earlier = a.table + earlier_row;
  const unsigned most_looks = earlier_row / kRows == blockIdx.x ? 1 : a.chain_looks;
  volatile int* earlier_ready = &earlier->ready;
  for (unsigned looks = 1; *earlier_ready != kArrived; ++looks) {
    __threadfence();
    if (looks >= most_looks) return;
  }
  if (lane_id() == 0) {
    if (a.stamp_count != 0) {
      const unsigned flags = *static_cast<volatile unsigned*>(&earlier->flags);
      if (TaskStamps* stamps = stamps_of(a, flags)) stamps->released = clock64();
    }
    *earlier_ready = kReleased;
    __threadfence();
    *static_cast<volatile int*>(&earlier->sched) = 1;
    *static_cast<volatile int*>(&entry->ready) = kArrived;
  }
  __syncwarp();
}

/// Lines 2 to 24 of algorithm 1.
__device__ inline void schedule(const MasterArguments& a, unsigned executors) {
  TaskEntry* const column = a.table + blockIdx.x * kRows;
  const unsigned lane = lane_id();
  const volatile unsigned* stop = a.stop;
  do {
    if (a.lanes_look) {
      const uint64_t mine = load_state(column + lane);
      for (unsigned rows = __ballot_sync(~0u, needs_scheduler(mine)); rows != 0; rows &= rows - 1) {
        const int row = __ffs(rows) - 1;
        const unsigned low = __shfl_sync(~0u, static_cast<int>(mine), row);
        const unsigned high = __shfl_sync(~0u, static_cast<int>(mine >> 32), row);
        serve(a, column + row, static_cast<unsigned>(row), uint64_t{high} << 32 | low, executors);
      }
    } else {
      for (unsigned row = 0; row < kRows; ++row) {
        const uint64_t state = load_state(column + row);
        if (needs_scheduler(state)) serve(a, column + row, row, state, executors);
      }
    }
  } while (*stop == 0);
  if (lane < executors) master.slots[lane].exec = kQuit;
}

/// Line 30 of algorithm 1: one warp of a task.
__device__ inline void run_warp(const MasterArguments& a, WarpSlot& slot, TaskEntry* entry) {
  const uint4 head = load_fresh(entry);
  const uint4 rest = load_fresh(&entry->shared_bytes);
  const bool sync = (rest.y & kSync) != 0;
  const unsigned node = slot.node, barrier = slot.barrier;
  TaskStamps* const stamps = stamps_of(a, rest.y);
  if (stamps && lane_id() == 0) atomicCAS(&stamps->started, uint64_t{0}, clock64());
  const auto function = reinterpret_cast<Function>(uint64_t{rest.w} << 32 | rest.z);
  function(slot.warp, head.z, head.w, node, barrier, entry);
  __syncwarp();
  // What the task has stored must be there before the host can read that it is over: a fence for the GPU,
  // where algorithm 1 has one for the thread block.
  __threadfence();
  if (lane_id() == 0) {
    if ((sync || rest.x != 0) &&
        atomicAdd(&master.block_warps_left[block_key(sync, barrier, node)], -1) == 1) {
      if (rest.x != 0) free_later(master.tree, node);
      if (sync) atomicAdd(&master.free_barriers, 1u << barrier);
    }
    // Before the warp is counted as done: the host may stop the kernel as soon as the last task is over, and
    // the scheduler's kQuit must not be overwritten. From here on the slot may be another warp's.
    const unsigned row = slot.entry;
    slot.exec = kIdle;
    if (atomicAdd(&master.warps_left[row], -1) == 1) {
      if (stamps) stamps->ended = clock64();
      *static_cast<volatile int*>(&entry->ready) = kFree;
    }
  }
  __syncwarp();
}

/// Line 28 of algorithm 1, and how long to sleep between two looks. Two loops, so that idle warps take as few
/// issue slots as can be from the warps that work.
__device__ __forceinline__ unsigned wait_for_work(WarpSlot& slot, unsigned sleep_ns) {
  unsigned exec = slot.exec;
  if (sleep_ns == 0) {
    while (exec == kIdle) exec = slot.exec;
  } else {
    while (exec == kIdle) {
      __asm__ volatile("nanosleep.u32 %0;" : : "r"(sleep_ns));
      exec = slot.exec;
    }
  }
  return exec;
}

/// Lines 25 to 40 of algorithm 1.
__device__ inline void execute(const MasterArguments& a, WarpSlot& slot) {
  TaskEntry* const column = a.table + blockIdx.x * kRows;
  for (;;) {
    const unsigned exec = wait_for_work(slot, a.idle_sleep_ns);
    if (exec == kQuit) return;
    run_warp(a, slot, column + slot.entry);
  }
}

}  // namespace pagoda

/// All thread blocks of a launch are on the GPU at once: sm_count() times as many as fit an SM. Dynamic
/// shared memory: `pool_bytes`. 2 to 32 warps each.
extern "C" __global__ __launch_bounds__(1024) void pagoda_master(const pagoda::MasterArguments a) {
  using namespace pagoda;
  const unsigned warp = threadIdx.x / 32, executors = blockDim.x / 32 - 1;
  if (warp == 0) {
    if (lane_id() < executors) master.slots[lane_id()].exec = kIdle;
    if (lane_id() == 0) master.free_barriers = (1u << kBarriers) - 1;
    clear_tree(master.tree, a.pool_bytes);
  }
  __syncthreads();
  if (warp == 0) {
    schedule(a, executors);
  } else {
    execute(a, master.slots[warp - 1]);
  }
}

/// Makes Body (task_kernels.h) a task that Pagoda can run, and `name`_pagoda the variable in which the host
/// finds its address.
#define PAGODA_TASK(name, Body)                                                                       \
  __device__ void name##_pagoda_warp(unsigned warp, unsigned threads, unsigned blocks, unsigned node, \
                                     unsigned barrier, const pagoda::TaskEntry* entry) {              \
    pagoda::run_warp_of<Body>(pagoda::Block(warp, threads, blocks, node, barrier), entry);            \
  }                                                                                                   \
  extern "C" __device__ pagoda::Function name##_pagoda;                                               \
  __device__ pagoda::Function name##_pagoda = name##_pagoda_warp;
