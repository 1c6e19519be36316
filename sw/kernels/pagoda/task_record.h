#pragma once
// A thread block of a task, as runtimes that bring tasks in batches (fusion, GeMTC) write it into device memory. The same
// for the host and for device code.

struct TaskRecord {
  unsigned function;  ///< the body's place in TASK_KERNELS
  unsigned threads;   ///< of the thread block
  unsigned block;     ///< which one of its task
  unsigned blocks;    ///< of the task
  alignas(16) unsigned char arguments[64];
};

/// GeMTC's queue of tasks: numbers that only grow. Record n lies at place n modulo the capacity.
struct TaskQueue {
  unsigned put;   ///< written by the host
  unsigned stop;  ///< written by the host: no more tasks will come
  unsigned lock;  ///< 1 while a thread block takes a task
  unsigned taken;
  unsigned done;
};
