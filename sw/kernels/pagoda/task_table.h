#pragma once
// The TaskTable of Pagoda (Yeh's thesis, section 5.2.2) as it lies in device memory and in host memory: one
// column of kRows entries for each thread block of the MasterKernel, a column's entries one after the other.
// Included by the host and by device code.

namespace pagoda {

constexpr unsigned kRows = 32;           ///< entries of a column
constexpr unsigned kArgumentBytes = 64;  ///< of a task

/// States of TaskEntry::ready (figure 5.2). Any greater number names the task whose parameters came with the
/// copy before this one: kFirstReference + the number of its entry.
enum Ready : int { kArrived = -1, kFree = 0, kReleased = 1, kFirstReference = 2 };

/// One task. The CPU writes an entry whose `ready` is kFree, the GPU all others. Fields that are read
/// together lie in one word of 16 bytes.
struct alignas(32) TaskEntry {
  int ready;
  int sched;         ///< 1: a scheduler warp is to give it warps
  unsigned threads;  ///< of a thread block
  unsigned blocks;
  unsigned shared_bytes;        ///< of a thread block
  unsigned flags;               ///< kSync, and 2 times the number of the task's TaskStamps
  unsigned long long function;  ///< device address of its body
  unsigned char arguments[kArgumentBytes];
};
static_assert(sizeof(TaskEntry) == 96, "the host and the device agree about an entry");

constexpr unsigned kSync = 1;  ///< of TaskEntry::flags: its thread blocks have a barrier

/// When the device did what for a task: cycles of the SM's clock, 0 where it did not.
struct TaskStamps {
  unsigned long long
      released;  ///< a scheduler warp set its `sched`; the host does that where no task follows
  unsigned long long scheduled;  ///< a scheduler warp found that
  unsigned long long started;    ///< its first warp began
  unsigned long long ended;      ///< its last warp was done
};

/// What the MasterKernel is launched with.
struct MasterArguments {
  TaskEntry* table;
  const unsigned* stop;  ///< not 0: no more tasks will come, and none is left
  TaskStamps* stamps;    ///< of the first `stamp_count` tasks, all zero at first
  unsigned stamp_count;
  unsigned pool_bytes;     ///< shared memory for tasks, of each thread block, at most kPoolBytes
  unsigned idle_sleep_ns;  ///< an executor warp without a task sleeps so long between two looks; 0: it spins
  unsigned lanes_look;   ///< 1: a scheduler warp looks at its column with all lanes at once; 0: row after row
  unsigned chain_looks;  ///< how often it looks whether the earlier task has arrived, before it goes on to
                         ///< other rows
};

// ---- Shared memory of tasks: a buddy system (section 5.3.1)

constexpr unsigned kLeafBytes = 512;
constexpr unsigned kNodes = 128;  ///< of the tree; number 0 is not used, 1 is the root
constexpr unsigned kPoolBytes = kNodes / 2 * kLeafBytes;  ///< 32 KiB

constexpr unsigned kBarriers = 16;  ///< of a thread block, in PTX
constexpr unsigned kMostExecutors = 31;

}  // namespace pagoda
