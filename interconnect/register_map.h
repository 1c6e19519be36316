#pragma once
// Where things lie in the device's address space, seen from the host (over PCIe), the command processor and
// the other masters of the register bus; and the records that are written there whole. docs/register-map.md,
// made from the register blocks themselves, says what each register means.
//
//   - 0x0010'0000  command processor, the host's side
//   - 0x0011'0000  its queues, the firmware's side (scheduler port)
//   - 0x0014'0000  devices of its core, one each 0x1000
//   - 0x0020'0000  work distributor
//   - 0x0030'0000  DMA engines, one each 0x100
//   - 0x0040'0000  memory manager
//   - 0x0050'0000  bandwidth controller
//   - 0x0100'0000  SMs, one each 0x4000
//   - 0x0800'0000  banks of the L2 whose policies have registers, one each 0x1000
//   - 0x1'0000'0000  device memory (DeviceMemory::kBase)
//   - 0x4000'0000'0000  host memory as DMA and completion signals see it (bus addresses); the last
//   0x1000'0000 of it are
//     message-signalled interrupts
// A host outside (docs/serve.md, docs/embedding.md) has the endpoint's registers at 0, for itself alone.

#include <cstdint>
#include <string_view>

namespace warpvp::regmap {

/// All registers lie below: what BAR 0 of the PCI function shows of them.
inline constexpr std::uint64_t kRegisterBytes = 0x1000'0000ull;
/// First address of device memory.
inline constexpr std::uint64_t kMemoryBase = 0x1'0000'0000ull;
inline constexpr std::uint64_t kHostBusBase = 0x4000'0000'0000ull;
inline constexpr std::uint64_t kHostBusBytes = 0x4000'0000'0000ull;
inline constexpr bool is_host_bus(std::uint64_t a) {
  return a >= kHostBusBase && a - kHostBusBase < kHostBusBytes;
}

/// A posted word to kInterruptBase + 4 n is interrupt n.
inline constexpr std::uint64_t kInterruptBytes = 0x1000'0000ull;
inline constexpr std::uint64_t kInterruptBase = kHostBusBase + kHostBusBytes - kInterruptBytes;
inline constexpr bool is_interrupt(std::uint64_t a) {
  return a >= kInterruptBase && a - kInterruptBase < kInterruptBytes;
}

// ---- Endpoint of the PCI function: seen by a host outside at the beginning of BAR 0, and by nobody else
namespace ep {
inline constexpr std::uint64_t kBase = 0, kBytes = 0x1000;
inline constexpr std::uint32_t kIdentityValue = 0x5056'5257;  ///< "WRVP"
inline constexpr std::uint64_t kIdentity = 0x00, kVersion = 0x04;
inline constexpr std::uint64_t kTime = 0x08;                             ///< u64, fs
inline constexpr std::uint64_t kDmaBase = 0x10, kDmaBytes = 0x18;        ///< u64
inline constexpr std::uint64_t kMemoryBase = 0x20, kMemoryBytes = 0x28;  ///< u64
inline constexpr std::uint64_t kContext = 0x30, kFirstQueue = 0x34, kQueues = 0x38, kVectors = 0x3c;
inline constexpr std::uint64_t kFirstInterrupt = 0x40;         ///< u32
inline constexpr std::uint64_t kPace = 0x44, kUntimed = 0x48;  ///< u32
inline constexpr std::uint64_t kError = 0x4c;                  ///< u32, Error bits
inline constexpr std::uint64_t kErrorAddress = 0x50;           ///< u64
inline constexpr std::uint64_t kWait = 0x58, kAdvance = 0x60;  ///< u64, fs
inline constexpr std::uint64_t kBurst = 0x68;                  ///< u64, bytes << 32 | offset in BAR 0
inline constexpr std::uint64_t kMemoryBurst = 0x70;            ///< u64, bytes << 48 | offset in BAR 2
inline constexpr std::uint32_t kVersionValue = 2;
inline constexpr std::uint64_t kErrorText = 0x200, kErrorTextBytes = 0x200;
inline constexpr std::uint64_t kBurstData = 0x400, kBurstBytes = 0x400;
inline constexpr std::uint64_t kProperties = 0x800, kPropertiesBytes = 0x800;
enum Error : std::uint32_t {
  kDeviceFault = 1u << 0,   ///< the device has stopped for good
  kWriteRefused = 1u << 1,  ///< a posted write to BAR 0 or 2 found nobody
  kDmaRefused = 1u << 2,    ///< the device has accessed a DMA address that is not open
  kContextEnded = 1u << 3,  ///< a fault has ended the client's context
};
}  // namespace ep

// ---- Command processor
namespace cp {
inline constexpr std::uint64_t kBase = 0x0010'0000, kBytes = 0x1'0000;
inline constexpr std::uint64_t kQueueCount = 0x00;    ///< u32
inline constexpr std::uint64_t kErrorCount = 0x04;    ///< u32
inline constexpr std::uint64_t kTimestamp = 0x08;     ///< u64, ns
inline constexpr std::uint64_t kErrorMailbox = 0x10;  ///< u64, host bus address that gets a QueueErrorRecord
inline constexpr std::uint64_t kErrorInterrupt = 0x18;  ///< u32, as kInterrupts, when a queue stops
inline constexpr std::uint64_t kKernelDone = 0x20;      ///< mailbox, KernelDone
inline constexpr std::uint64_t kCopyDone = 0x40;        ///< mailbox, CopyDone
inline constexpr unsigned kMaxQueues = 256;
inline constexpr std::uint64_t kQueues = 0x1000, kQueueStride = 0x40;
/// u32, by queue: kInterruptOn | number of the interrupt that follows each completion; 0: none.
inline constexpr std::uint64_t kInterrupts = 0x6000, kInterruptStride = 4;
inline constexpr std::uint32_t kInterruptOn = 0x8000'0000, kInterruptNumber = 0xffff;
inline constexpr std::uint64_t kDoorbells = 0x8000, kDoorbellStride = 8;
// Of one queue:
inline constexpr std::uint64_t kRingBase = 0x00;     ///< u64, device address, 64-byte aligned
inline constexpr std::uint64_t kRingPackets = 0x08;  ///< u32, power of two
inline constexpr std::uint64_t kControl = 0x0c;  ///< u32, 1 on, 0 off, kKill; writing 1 also clears an error
inline constexpr std::uint64_t kKill = 2;        ///< to kControl: nothing of the queue is to run any more
inline constexpr std::uint64_t kReadIndex = 0x10;     ///< u64, packets consumed
inline constexpr std::uint64_t kWriteIndex = 0x18;    ///< u64, last doorbell
inline constexpr std::uint64_t kErrorIndex = 0x20;    ///< u64, packet that stopped the queue
inline constexpr std::uint64_t kError = 0x28;         ///< u32, QueueError
inline constexpr std::uint64_t kState = 0x2c;         ///< u32, QueueState
inline constexpr std::uint64_t kPriority = 0x30;      ///< i32, for packets without vendor extension
inline constexpr std::uint64_t kContext = 0x34;       ///< u32, likewise
inline constexpr std::uint64_t kInFlight = 0x38;      ///< u32, packets started and not complete
inline constexpr std::uint64_t kLivePriority = 0x3c;  ///< i32, of all its packets from now on; kOwnPriority
inline constexpr std::uint32_t kOwnPriority = 0x8000'0000;  ///< each packet has its own
inline constexpr std::uint64_t queue(unsigned q) { return kBase + kQueues + q * kQueueStride; }
inline constexpr std::uint64_t doorbell(unsigned q) { return kBase + kDoorbells + q * kDoorbellStride; }

/// Why a queue stopped.
enum class QueueError : std::uint32_t {
  kNone = 0,
  kBadPacketType = 1,    ///< invalid or unknown type in the header
  kBadDimensions = 2,    ///< zero or too large grid or workgroup, or no whole number of workgroups
  kBadKernelObject = 3,  ///< kernel_object names no kernel descriptor
  kBadAddress = 4,    ///< ring, signal, argument or extension address is not in device memory, or misaligned
  kCtaNeverFits = 5,  ///< the work distributor refused: one CTA needs more than an SM has
  kRingOverrun = 6,   ///< doorbell more than a ring ahead of the read index, or behind it
  kQueueNotMapped = 7,   ///< doorbell of a queue that is off
  kCopyFailed = 8,       ///< the DMA engine met a bad address
  kBadCopy = 9,          ///< unknown copy kind
  kDispatchFailed = 10,  ///< a kernel status register did not take the kernel
};
inline const char* queue_error_text(QueueError e) {
  switch (e) {
    case QueueError::kNone:
      return "no error";
    case QueueError::kBadPacketType:
      return "invalid packet type";
    case QueueError::kBadDimensions:
      return "impossible grid or workgroup size";
    case QueueError::kBadKernelObject:
      return "kernel_object names no kernel";
    case QueueError::kBadAddress:
      return "address outside device memory or misaligned";
    case QueueError::kCtaNeverFits:
      return "a CTA never fits on an SM";
    case QueueError::kRingOverrun:
      return "ring overrun";
    case QueueError::kQueueNotMapped:
      return "doorbell of a queue that is not mapped";
    case QueueError::kCopyFailed:
      return "copy met a bad address";
    case QueueError::kBadCopy:
      return "unknown kind of copy";
    case QueueError::kDispatchFailed:
      return "kernel status register refused the kernel";
  }
  return "unknown error";
}
enum class QueueState : std::uint32_t { kOff = 0, kIdle = 1, kActive = 2, kWaiting = 3, kStopped = 4 };

/// Written by the work distributor when the last CTA of a kernel is done.
struct KernelDone {
  std::uint32_t slot = 0;
  std::uint32_t launch_id = 0;
};
/// Written by a DMA engine when a copy is done.
struct CopyDone {
  std::uint32_t engine = 0;
  std::uint32_t tag = 0;
  std::uint32_t error = 0;  ///< 0, or the TLM response status of the access that failed, negated
  std::uint32_t reserved = 0;
};
/// Written to host memory when a queue stops.
struct QueueErrorRecord {
  std::uint32_t count = 0;  ///< errors so far; changes with each
  std::uint32_t queue = 0;
  std::uint32_t error = 0;
  std::uint32_t reserved = 0;
  std::uint64_t packet_index = 0;
};
}  // namespace cp

// ---- The command processor's queues as its firmware sees them (scheduler port of the queue controller).
// 64-bit registers may be accessed in halves.
namespace qc {
inline constexpr std::uint64_t kBase = 0x0011'0000, kBytes = 0x2'0000;
inline constexpr std::uint64_t kReady = 0x000;  ///< u32[8], bitmap: the queue has a parsed head, not taken
inline constexpr std::uint64_t kEventCount = 0x040;  ///< u32, events waiting
inline constexpr std::uint64_t kEvent = 0x044;       ///< u32, oldest event: Event << 24 | index; 0: none
inline constexpr std::uint64_t kEventPop = 0x048;    ///< write: drop the oldest event
inline constexpr std::uint64_t kForward =
    0x050;  ///< write destination << 16 | queue: copy the head's payload there
inline constexpr std::uint64_t kTake = 0x054;  ///< write destination << 16 | queue: the head has been started
inline constexpr std::uint64_t kStop = 0x058;  ///< write QueueError << 16 | queue
inline constexpr std::uint64_t kReject = 0x05c;     ///< write code << 16 | queue: the head is never started
inline constexpr std::uint64_t kRejectJob = 0x07c;  ///< the same, and all packets of its job behind it
inline constexpr std::uint64_t kStopIndex = 0x060;  ///< u64, packet index that kStop reports
inline constexpr std::uint64_t kSignal = 0x068;     ///< u64, completion signal for kComplete, or 0
inline constexpr std::uint64_t kStartNs = 0x070;    ///< u64, start time for kComplete
inline constexpr std::uint64_t kComplete = 0x078;   ///< write queue: one of its packets is complete
// Type `assisted`: the sequencer starts packets by itself, and firmware says in which order.
inline constexpr std::uint64_t kOptions = 0x080;   ///< u32, Option bits
inline constexpr std::uint64_t kLogCount = 0x084;  ///< u32, entries of the log
inline constexpr std::uint64_t kLogPop = 0x088;    ///< write n: drop the n oldest entries
inline constexpr std::uint64_t kGated = 0x0a0;     ///< u32[8], bitmap: the head waits for kAdmit
inline constexpr std::uint64_t kAdmit = 0x400;     ///< u32[256], by queue: 1 opens its gate
inline constexpr std::uint64_t kRank = 0x800;      ///< u32[256], by queue: smaller starts first
inline constexpr std::uint64_t kLog = 0xc00;       ///< LogEntry[kLogWindow], the oldest ones
inline constexpr unsigned kLogWindow = 16, kLogDepth = 1024;
enum Option : std::uint32_t {
  kDoorbellEvents = 1u << 0,  ///< Event::kDoorbell for packets behind others; of any type
  kGates = 1u << 1,           ///< heads wait for kAdmit
  kRankedKernels = 1u << 2,   ///< ranks are priorities of kernels that run, too
  kLogging = 1u << 3,         ///< starts and ends go into the log
  kTurns = 1u << 4,           ///< of equal ranks goes first what has waited since its last start the longest
  kRound = 1u << 5,           ///< of equal ranks goes the first queue after the one that started last
};
inline constexpr std::uint32_t kAllOptions = 0x3f;
/// The priority that a kernel has by its queue's rank.
inline constexpr std::int32_t priority_of_rank(std::uint32_t rank) {
  return static_cast<std::int32_t>(0x7fff'ffffu - (rank >> 1));
}
/// What the sequencer did.
struct LogEntry {
  std::uint32_t what = 0;    ///< LogKind << 30 | destination (14 bits) << 16 | queue
  std::uint32_t ns = 0;      ///< when, lower half
  std::uint32_t kernel = 0;  ///< bits 37:6 of the kernel object; 0: no kernel
  std::uint32_t ctas = 0;    ///< of it
};
enum class LogKind : std::uint8_t { kStarted = 1, kDone = 2 };
inline constexpr std::uint64_t kHeads = 0x1'0000, kHeadStride = 0x100;
inline constexpr std::uint32_t kNoDestination = 0xffff;  ///< kTake of a barrier packet
// Of one head:
inline constexpr std::uint64_t kType = 0x00;          ///< u32, AQL packet type, barrier bit 8
inline constexpr std::uint64_t kIndex = 0x04;         ///< u32, packet index, low half
inline constexpr std::uint64_t kHeadInFlight = 0x08;  ///< u32, packets of the queue started and not complete
inline constexpr std::uint64_t kHeadSignal = 0x10;    ///< u64, completion signal or 0
inline constexpr std::uint64_t kDoorbellNs = 0x18;    ///< u64, when its doorbell came
inline constexpr std::uint64_t kLaunchId = 0x20, kStream = 0x24, kHeadContext = 0x28, kHeadPriority = 0x2c,
                               kBudget = 0x30, kJob = 0x34;
inline constexpr std::uint64_t kDeadlineNs = 0x38;    ///< u64, 0: none
inline constexpr std::uint64_t kEnqueueNs = 0x40;     ///< u64, when the host wrote the packet
inline constexpr std::uint64_t kJobArrivalNs = 0x48;  ///< u64
inline constexpr std::uint64_t kJobIndex = 0x50, kJobKernels = 0x54, kJobFlags = 0x58;
inline constexpr std::uint64_t kExpectedNs = 0x5c;  ///< u32, that the kernel takes alone; 0: not known
inline constexpr std::uint64_t kKernel = 0x60;      ///< u32, bits 37:6 of the kernel object
inline constexpr std::uint64_t kCtas = 0x64;        ///< u32, of the kernel
inline constexpr std::uint64_t kPayload =
    0x80;  ///< KernelSlotImage, dma::Descriptor or five signal addresses
inline constexpr std::uint64_t head(unsigned q) { return kBase + kHeads + q * kHeadStride; }

/// What firmware is told.
enum class Event : std::uint8_t {
  kNone = 0,
  kKernelDone = 1,      ///< index: kernel slot
  kCopyDone = 2,        ///< index: DMA engine
  kCopyFailed = 3,      ///< index: DMA engine
  kSignalsChanged = 4,  ///< look at the signals of waiting barrier packets again
  kQueueChanged = 5,    ///< index: queue that was mapped, unmapped or stopped
  kDoorbell = 6,        ///< index: queue that has more packets behind its head
  kPriority = 7,        ///< index: queue whose live priority the host has written
  kLogHalf = 8,         ///< the log is half full; the sequencer stops when it is full
};
}  // namespace qc

// ---- Devices of the command processor's core
namespace uart {
inline constexpr std::uint64_t kBase = 0x0014'0000, kBytes = 0x1000;
inline constexpr std::uint64_t kData = 0x00;    ///< u32, write: send a byte; read: oldest byte received
inline constexpr std::uint64_t kStatus = 0x04;  ///< u32, bit 0: a byte has been received
inline constexpr std::uint64_t kRxPop = 0x08;   ///< write: drop the oldest byte received
}  // namespace uart
namespace timer {
inline constexpr std::uint64_t kBase = 0x0014'1000, kBytes = 0x1000;
inline constexpr std::uint64_t kTime = 0x00;  ///< u64, simulated time in ns
inline constexpr std::uint64_t kCompare =
    0x08;  ///< u64, interrupt while kTime >= kCompare; all ones at reset
}  // namespace timer
namespace intc {
inline constexpr std::uint64_t kBase = 0x0014'2000, kBytes = 0x1000;
inline constexpr std::uint64_t kPending = 0x00;  ///< u32, lines that rose; write 1 to clear
inline constexpr std::uint64_t kEnable = 0x04;   ///< u32
inline constexpr std::uint64_t kRaw = 0x08;      ///< u32, levels
enum Line : unsigned { kHead = 0, kEvent = 1, kMailbox = 2, kUartRx = 3 };
inline constexpr unsigned kLines = 4;
}  // namespace intc
namespace mailbox {
inline constexpr std::uint64_t kBase = 0x0014'3000, kBytes = 0x1000;
inline constexpr std::uint64_t kToCoreCount = 0x00, kToCore = 0x04, kToCorePop = 0x08;
inline constexpr std::uint64_t kToHost = 0x0c;  ///< write: a HostRecord goes to kHostAddress
inline constexpr std::uint64_t kSend = 0x10;    ///< host writes: a word to the core; command error when full
inline constexpr std::uint64_t kHostAddress = 0x18;  ///< u64, host bus address, 0: none
inline constexpr std::uint64_t kHostRecords = 0x20;  ///< u32, records there, taken in turn
inline constexpr unsigned kDepth = 16;
struct HostRecord {
  std::uint32_t count = 0;  ///< words sent so far
  std::uint32_t word = 0;
};
}  // namespace mailbox
namespace perf {
inline constexpr std::uint64_t kBase = 0x0014'4000, kBytes = 0x1000;
inline constexpr std::uint64_t kCount = 0x00;   ///< u32
inline constexpr std::uint64_t kValues = 0x10;  ///< u64[kMaxCounters]
inline constexpr unsigned kMaxCounters = 32;
}  // namespace perf
namespace sysctl {
inline constexpr std::uint64_t kBase = 0x0014'5000, kBytes = 0x1000;
inline constexpr std::uint64_t kQueues = 0x00, kSlots = 0x04, kEngines = 0x08, kClockKhz = 0x0c;
inline constexpr std::uint64_t kSignalPollNs = 0x10;
inline constexpr std::uint64_t kHalt = 0x14;        ///< write a code: the firmware gives up (device fault)
inline constexpr std::uint64_t kSoftware = 0x18;    ///< u32, bit 0: software interrupt
inline constexpr std::uint64_t kApertures = 0x20;   ///< u64[4], bus address that each aperture shows
inline constexpr std::uint64_t kParameters = 0x40;  ///< u32[8], numbers for the policy
inline constexpr std::uint64_t kPeriodNs = 0x60;    ///< u32, of policies that work by the clock
inline constexpr std::uint64_t kAgeingNs =
    0x64;  ///< u32, time in which waiting is worth a priority; 0: never
inline constexpr std::uint64_t kLateTicks = 0x68;  ///< u32, firmware writes: periods that it missed
inline constexpr std::uint64_t kAssisted = 0x6c;   ///< u32, 1: hardware starts packets by rank
inline constexpr std::uint64_t kSmClockKhz = 0x70, kCreditCycles = 0x74, kLineBytes = 0x78,
                               kReplyHeaderBytes = 0x7c;               ///< u32, what requests of SMs are
inline constexpr std::uint64_t kNetworkRate = 0x80, kDramRate = 0x88;  ///< u64, bytes a second that last
inline constexpr std::uint64_t kReport = 0x100;  ///< u32[kReportCount], firmware writes: for result.json
inline constexpr unsigned kApertureCount = 4, kParameterCount = 8, kReportCount = 32;
}  // namespace sysctl

// ---- What a 32-bit core sees
namespace core {
inline constexpr std::uint32_t kBusBase = 0x0010'0000;  ///< register bus, same addresses, up to kBusEnd
inline constexpr std::uint32_t kBusEnd = 0x4000'0000;
inline constexpr std::uint32_t kLocalBase = 0x8000'0000;
inline constexpr std::uint32_t kApertureBase = 0xc000'0000, kApertureBytes = 0x1000'0000;
}  // namespace core

// ---- Work distributor
namespace wd {
inline constexpr std::uint64_t kBase = 0x0020'0000, kBytes = 0x4'0000;
inline constexpr std::uint64_t kSlotCount = 0x00, kSmCount = 0x04, kCtasIssued = 0x08;
inline constexpr std::uint64_t kCompletion = 0x20;  ///< mailbox, CtaDone
inline constexpr std::uint64_t kPreempted = 0x40;   ///< mailbox, CtaPreempted
inline constexpr std::uint32_t kBeginContext =
    0x8000'0000;                                     ///< to kKillContext, with a context: it begins anew
inline constexpr std::uint64_t kKillContext = 0x60;  ///< u32, write a context: its kernels end, unfinished
inline constexpr std::uint64_t kWatcher = 0x68;      ///< u64, where a KernelNotice is written; 0: nowhere
inline constexpr std::uint64_t kCtasDone = 0x400;    ///< u32[kMaxSlots], CTAs done of each slot's kernel
inline constexpr std::uint64_t kSlots = 0x1000, kSlotStride = 0x100;
inline constexpr unsigned kMaxSlots = 128;
inline constexpr std::uint64_t kSms = 0x2'0000, kSmStride = 0x40;
inline constexpr unsigned kMaxSms = 1024;
inline constexpr std::uint64_t kContexts = 0x3'0000, kContextStride = 0x10;
inline constexpr unsigned kMaxContexts = 1024;
// Of one context (ContextRow):
inline constexpr std::uint64_t kContextPageTable = 0x00;  ///< u64, root of its page tables
inline constexpr std::uint64_t kContextTextures = 0x08;   ///< u64, its texture table
inline constexpr std::uint64_t context(unsigned c) { return kBase + kContexts + c * kContextStride; }
inline constexpr std::uint64_t kLocalMemories = 0x3'4000;  ///< u64[kMaxContexts], their local memory
inline constexpr std::uint64_t local_memory(unsigned c) { return kBase + kLocalMemories + 8 * c; }
// Of one kernel status register, after the image:
inline constexpr std::uint64_t kSlotStart = 0x80;     ///< u32, write 1: the image is complete, run it
inline constexpr std::uint64_t kSlotStatus = 0x84;    ///< u32, SlotStatus
inline constexpr std::uint64_t kSlotIssued = 0x88;    ///< u64, CTAs issued
inline constexpr std::uint64_t kSlotDone = 0x90;      ///< u64, CTAs done
inline constexpr std::uint64_t kSlotHold = 0x98;      ///< u32, 1: the kernel sends no CTAs
inline constexpr std::uint64_t kSlotLimitSm = 0x9c;   ///< u32, SM that kSlotCtaLimit is about; kAllSms: each
inline constexpr std::uint64_t kSlotCtaLimit = 0xa0;  ///< u32, most CTAs of the kernel there that issue
inline constexpr std::uint64_t kSlotLimitDrains = 0xa4;  ///< u32, 1: CTAs above a new limit run to their ends
inline constexpr std::uint64_t kSlotNeeds = 0xa8;        ///< u32[6], what a CTA takes, and how many fit an SM
inline constexpr std::uint32_t kAllSms = 0xffff'ffff;
inline constexpr std::uint64_t kPolicy = 0x3'8000, kPolicyBytes = 0x4000;  ///< what the policy declares
inline constexpr std::uint64_t slot(unsigned s) { return kBase + kSlots + s * kSlotStride; }
// Of one SM status register:
inline constexpr std::uint64_t kFreeCtas = 0x00, kFreeThreads = 0x04, kFreeWarps = 0x08,
                               kFreeRegisters = 0x0c, kFreeShared = 0x10, kFreeBarriers = 0x14,
                               kRunningCtas = 0x18, kSmShared = 0x1c, kSmState = 0x20, kSmContext = 0x24,
                               kSmOwner = 0x28, kSmNext = 0x2c, kSmPreemption = 0x30;

enum class SlotStatus : std::uint32_t {
  kFree = 0,
  kRunning = 1,
  kRefusedNeverFits = 2,
  kRefusedDimensions = 3,
  kRefusedBusy = 4,
};

/// The writable part of a kernel status register, written as one burst.
struct KernelSlotImage {
  std::uint64_t kernel_object = 0;
  std::uint64_t kernarg_address = 0;
  std::uint32_t launch_id = 0;
  std::uint32_t stream = 0;
  std::uint32_t context = 0;
  std::int32_t priority = 0;
  std::uint32_t budget = 1;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t grid[3] = {1, 1, 1};   ///< CTAs
  std::uint32_t block[3] = {1, 1, 1};  ///< threads
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t barriers = 0;
  std::uint32_t job = 0;
  std::uint64_t deadline_ns = 0;  ///< 0: none
};
static_assert(sizeof(KernelSlotImage) == 88);

/// Written to the watcher when a kernel has come, which is held until KSR_HOLD is cleared, and when one has
/// ended.
struct KernelNotice {
  std::uint32_t slot = 0;
  std::uint32_t launch_id = 0;
  std::uint32_t ended = 0;  ///< 0: it has come
  std::uint32_t reserved = 0;
};

/// What the distributor knows of a context, and tells the SMs that it sets up for it. Device addresses; 0: no
/// such table.
struct ContextRow {
  std::uint64_t page_table = 0;
  std::uint64_t texture_table = 0;
  bool operator==(const ContextRow& o) const {
    return page_table == o.page_table && texture_table == o.texture_table;
  }
};
}  // namespace wd

// ---- DMA engines
namespace dma {
inline constexpr std::uint64_t kBase = 0x0030'0000, kStride = 0x100;
inline constexpr std::uint64_t kSource = 0x00, kDestination = 0x08, kBytes = 0x10, kKind = 0x18,
                               kValue = 0x1c, kTag = 0x20, kStart = 0x24, kStatus = 0x28, kDone = 0x30;
inline constexpr std::uint16_t kAnyContext = 0xffff;
/// The writable part, written as one burst; then 1 to kStart.
struct Descriptor {
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;
  std::uint16_t kind = 0;     ///< aql::CopyKind
  std::int16_t priority = 0;  ///< greater is more urgent; for engines whose copies take turns
  std::uint16_t value = 0;    ///< byte to fill with
  /// Whose device memory it may touch; kAnyContext: addresses are those of device memory, and all of it.
  std::uint16_t context = 0;
  std::uint32_t tag = 0;  ///< given back in CopyDone
};
inline constexpr std::uint64_t engine(unsigned e) { return kBase + e * kStride; }
}  // namespace dma

// ---- Memory manager
namespace mm {
inline constexpr std::uint64_t kBase = 0x0040'0000, kBytes = 0x1000;
inline constexpr std::uint64_t kSize = 0x00, kInUse = 0x08, kPageBytes = 0x10;  ///< u64
inline constexpr std::uint64_t kCommand = 0x40;                                 ///< mailbox, Command
inline constexpr std::uint64_t kAnswer = 0x80;                                  ///< Answer

enum class Operation : std::uint32_t {
  kAllocate = 1,      ///< as low as possible
  kAllocateLast = 2,  ///< as high as possible
  kRelease = 3,
  kFind = 4,
  kCreateHeap = 5,
  kCreateSpace = 6,
  kGrow = 7,  ///< BYTES from ADDRESS on: a new range, or more of the one that begins there
};
struct Command {
  std::uint32_t operation = 0;
  std::uint32_t owner = 0;    ///< a context, or one of memory_owner
  std::uint64_t address = 0;  ///< of release, find and growth
  std::uint64_t bytes = 0;
  std::uint64_t alignment = 1;  ///< a power of two; 256 at least is used
};
static_assert(sizeof(Command) == 32);

enum class Status : std::uint32_t { kDone = 0, kNoRoom = 1, kNothing = 2, kUnknown = 3 };
/// Of the last command.
struct Answer {
  std::uint32_t status = 0;
  std::uint32_t owner = 0;
  std::uint64_t begin = 0, end = 0;
};
static_assert(sizeof(Answer) == 24);
}  // namespace mm

// ---- Bandwidth controller
namespace bandwidth {
inline constexpr std::uint64_t kBase = 0x0050'0000, kBytes = 0x1000;
inline constexpr std::uint64_t kNotice = 0x00;  ///< mailbox, wd::KernelNotice
inline constexpr std::uint64_t kPhase = 0x20, kKernels = 0x24, kPriorLsk = 0x28;  ///< u32
// Of one kernel of the mix, in the order in which they first came:
inline constexpr std::uint64_t kRows = 0x100, kRowStride = 0x40;
inline constexpr unsigned kMaxKernels = 8;
inline constexpr std::uint64_t kType = 0x08, kCtas = 0x0c, kQuota = 0x10, kRf = 0x14, kDf = 0x18,
                               kNetwork = 0x1c, kDram = 0x20;  ///< u32
}  // namespace bandwidth

// ---- SMs
namespace sm {
inline constexpr std::uint64_t kBase = 0x0100'0000, kStride = 0x4000;
inline constexpr std::uint64_t kLaunch = 0x00;         ///< mailbox, CtaLaunch
inline constexpr std::uint64_t kKernelStart = 0x80;    ///< u32, write a launch id: its first CTA comes next
inline constexpr std::uint64_t kSharedBytes = 0x84;    ///< u32, division of L1 and shared memory
inline constexpr std::uint64_t kL1Bytes = 0x88;        ///< u32
inline constexpr std::uint64_t kResidentCtas = 0x8c;   ///< u32
inline constexpr std::uint64_t kResidentWarps = 0x90;  ///< u32
inline constexpr std::uint64_t kWaitingCtas = 0x94;    ///< u32
inline constexpr std::uint64_t kContext = 0x98;        ///< u32, whose CTAs come
inline constexpr std::uint64_t kPageTable = 0xa0;      ///< u64, root of that context's page tables
inline constexpr std::uint64_t kTextures = 0xa8;       ///< u64, that context's texture table
inline constexpr std::uint64_t kPreempt = 0xb0;        ///< u32, write a Preemption: CTAs leave
inline constexpr std::uint64_t kResume = 0xb4;         ///< u32, write a state: the next CTA goes on from it
inline constexpr std::uint64_t kLocalMemory = 0xb8;    ///< u64, that context's local memory
inline constexpr std::uint64_t kFunctional = 0xc0;     ///< u32, write 1: the next CTA takes no cycles
inline constexpr std::uint64_t kCtaLimits = 0x200;     ///< u32[wd::kMaxSlots], CTAs of a kernel that issue
inline constexpr std::uint32_t kNoCtaLimit = 0xffff'ffff;
inline constexpr std::uint64_t kInstructions =
    0x1400;  ///< u64[wd::kMaxSlots], warp instructions of each slot's kernels
inline constexpr std::uint64_t window(unsigned s) { return kBase + s * kStride; }

/// Where the policies of an SM have registers of their own, in its window: those of the SM, then those of
/// each sub-core, kSubCoreStride bytes apart.
struct PolicyWindow {
  std::string_view kind;
  std::uint64_t base, bytes;
  bool of_sub_core;
};
inline constexpr std::uint64_t kSubCorePolicies = 0x2000, kSubCoreStride = 0x400;
inline constexpr PolicyWindow kPolicyWindows[] = {
    {"memory_side", 0x1000, 0x100, false},      {"instruction_source", 0x1100, 0x100, false},
    {"l1_prefetcher", 0x1200, 0x200, false},    {"miss_queue", 0x400, 0xc00, false},
    {"memory_admission", 0x1800, 0x400, false}, {"l1_replacement", 0x1c00, 0x400, false},
    {"warp_scheduler", 0x2000, 0x100, true},    {"fetch_scheduler", 0x2100, 0x100, true},
    {"front_end", 0x2200, 0x100, true},         {"issue_stage", 0x2300, 0x40, true},
    {"operand_stage", 0x2340, 0x40, true},      {"execute_stage", 0x2380, 0x40, true},
};
/// The window of a kind in that of the SM, for sub-core `sub_core` where it has one; 0 bytes: it has none.
inline constexpr PolicyWindow policy_window(std::string_view kind, unsigned sub_core) {
  for (PolicyWindow w : kPolicyWindows)
    if (w.kind == kind) {
      if (w.of_sub_core) w.base += sub_core * kSubCoreStride;
      return w;
    }
  return {kind, 0, 0, false};
}

/// What miss queue "ccbp" has in its window for each kernel slot.
namespace miss_queue {
inline constexpr std::uint64_t kStride = 0x18;
inline constexpr std::uint64_t kQuota = 0x00;  ///< u32, requests an interval in bits 15:0, and:
inline constexpr std::uint32_t kNoQuota = 0xffff, kLatencySensitive = 0x1'0000;
inline constexpr std::uint64_t kRequests = 0x04, kReads = 0x08, kAnswers = 0x0c, kDramAccesses = 0x10,
                               kDemand = 0x14;  ///< u32
inline constexpr std::uint64_t of_slot(unsigned slot) {
  return policy_window("miss_queue", 0).base + slot * kStride;
}
}  // namespace miss_queue
}  // namespace sm

// ---- Banks of the L2: what their policies declare, in a window for each kind.
namespace l2 {
inline constexpr std::uint64_t kBase = 0x0800'0000, kStride = 0x1000;
inline constexpr std::uint64_t window(unsigned bank) { return kBase + bank * kStride; }
struct PolicyWindow {
  std::string_view kind;
  std::uint64_t base, bytes;
};
inline constexpr PolicyWindow kPolicyWindows[] = {{"replacement", 0x000, 0x400},
                                                  {"prefetcher", 0x400, 0x400},
                                                  {"l2_write_policy", 0x800, 0x200},
                                                  {"l2_write_back", 0xa00, 0x200},
                                                  {"l2_inclusion", 0xc00, 0x200}};
/// The window of a kind that is among them.
inline constexpr PolicyWindow policy_window(std::string_view kind) {
  for (const PolicyWindow& w : kPolicyWindows)
    if (w.kind == kind) return w;
  return {kind, 0, 0};
}
}  // namespace l2

}  // namespace warpvp::regmap
