#pragma once
// Arguments of probe.cu, for the host and for device code.

struct WatchedArguments {
  unsigned* runs;            ///< by task: threads that ran
  unsigned* errors;          ///< shared memory or barriers that were not the thread block's own
  unsigned* barrier_owners;  ///< 16 for each thread block of the MasterKernel
  unsigned* results;         ///< of this task: one a thread
  unsigned task, rounds, shared_bytes, sync;
};

enum BuddyKind : unsigned { kBuddyAllocate, kBuddyFree, kBuddyFreeLater, kBuddyFreeMarked };
struct BuddyStep {
  unsigned kind;
  unsigned value;  ///< bytes to allocate, or the number of the step that allocated
};
