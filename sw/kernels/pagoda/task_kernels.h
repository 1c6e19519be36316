#pragma once
// What a .cu of this folder says about its bodies, so that every runtime finds what it needs. A body is a struct with
// its `Arguments` and `run(block, arguments)`, which gets them by value.
//   NARROW_TASK(name, Body, number)  for each body: the entry `name_task`, a kernel of one task (HyperQ), and the
//                                    variables `name_number` and `name_pagoda`, which the host reads
//   TASK_KERNELS(Body, ...)          once, all bodies in the order of their numbers: `fused_tasks`, one kernel of many
//                                    tasks, and `super_kernel`, GeMTC's

#include "master_kernel.h"
#include "task_block.h"
#include "task_record.h"

/// A task's thread block within a larger one, whose other warps have nothing to do.
class PartOfBlock {
 public:
  explicit __device__ PartOfBlock(const TaskRecord& record)
      : threads_(record.threads), block_(record.block), blocks_(record.blocks) {}
  __device__ unsigned thread() const { return threadIdx.x; }
  __device__ unsigned threads() const { return threads_; }
  __device__ unsigned block() const { return block_; }
  __device__ unsigned blocks() const { return blocks_; }
  __device__ void sync() const { __asm__ volatile("bar.sync 1, %0;" ::"r"(threads_) : "memory"); }
  __device__ char* shared() const { return dynamic_shared_memory; }

 private:
  unsigned threads_, block_, blocks_;
};

template <class First, class... Rest>
__device__ __forceinline__ void run_body(unsigned number, const TaskRecord& record) {
  if constexpr (sizeof...(Rest) > 0) {
    if (number != 0) return run_body<Rest...>(number - 1, record);
  }
  First::run(PartOfBlock(record), *reinterpret_cast<const typename First::Arguments*>(record.arguments));
}

/// Static fusion: thread block n of the kernel is that of record n.
template <class... Bodies>
__device__ __forceinline__ void run_fused(const TaskRecord* records) {
  const TaskRecord& record = records[blockIdx.x];
  if (threadIdx.x < record.threads) run_body<Bodies...>(record.function, record);
}

/// GeMTC: thread blocks that stay, and take task after task out of one queue.
template <class... Bodies>
__device__ __forceinline__ void run_queue(TaskQueue* queue, const TaskRecord* records, unsigned capacity) {
  __shared__ unsigned shared_task;
  constexpr unsigned kNone = ~0u;
  volatile TaskQueue* const seen = queue;
  for (;;) {
    if (threadIdx.x == 0) {
      unsigned task = kNone;
      while (task == kNone && seen->stop == 0) {
        if (seen->taken == seen->put) continue;
        while (atomicCAS(&queue->lock, 0u, 1u) != 0) {
        }
        __threadfence();
        const unsigned next = seen->taken;
        if (next != seen->put) {
          seen->taken = next + 1;
          task = next;
        }
        __threadfence();
        atomicExch(&queue->lock, 0u);
      }
      shared_task = task;
    }
    __syncthreads();
    const unsigned task = shared_task;
    if (task == kNone) return;
    // The host writes the same places again and again: a plain load might find an old record in the L1.
    __shared__ TaskRecord record;
    constexpr unsigned kWords = sizeof(TaskRecord) / sizeof(unsigned);
    if (threadIdx.x < kWords)
      reinterpret_cast<unsigned*>(&record)[threadIdx.x] =
          reinterpret_cast<const volatile unsigned*>(records + task % capacity)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < record.threads) run_body<Bodies...>(record.function, record);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(&queue->done, 1u);
    }
  }
}

#define NARROW_TASK(name, Body, number)                                     \
  extern "C" __device__ unsigned name##_number = number;                    \
  extern "C" __global__ void name##_task(const Body::Arguments arguments) { \
    Body::run(CudaBlock{}, arguments);                                      \
  }                                                                         \
  PAGODA_TASK(name, Body)

#define TASK_KERNELS(...)                                                                                \
  extern "C" __global__ void fused_tasks(const TaskRecord* records) { run_fused<__VA_ARGS__>(records); } \
  extern "C" __global__ void super_kernel(TaskQueue* queue, const TaskRecord* records, unsigned capacity) { \
    run_queue<__VA_ARGS__>(queue, records, capacity);                                                    \
  }
