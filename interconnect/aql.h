#pragma once
// Packets in a hardware queue: 64 bytes each, laid out as the HSA Platform System Architecture Specification
// (version 1.2, section 2.9, "Architected Queuing Language") says, with two things of our own that the
// specification leaves room for: a vendor packet for copies, and a vendor extension record.
//
// The extension record carries what schedulers want to know about a packet (launch, stream, context,
// priority, QAWS budget, job and deadline for laxity scheduling). It lies in device memory, 64-byte aligned,
// and the packet's reserved 64-bit word at offset 48 holds its address; 0 means none. Header, setup and the
// remaining reserved fields keep the specification's meaning.

#include <cstddef>
#include <cstdint>

namespace warpvp::aql {

enum class PacketType : std::uint8_t {
  kVendor = 0,
  kInvalid = 1,
  kKernelDispatch = 2,
  kBarrierAnd = 3,
  kAgentDispatch = 4,  // not a thing this device does: refused
  kBarrierOr = 5,
};

inline constexpr std::uint16_t kBarrierBit = 1u << 8;
/// Header word: type in bits 7:0, barrier bit 8, acquire and release fence scopes in bits 10:9 and 12:11 (2
/// is the system scope; this model orders all packets at that scope).
inline constexpr std::uint16_t header(PacketType type, bool barrier) {
  return static_cast<std::uint16_t>(static_cast<unsigned>(type) | (barrier ? kBarrierBit : 0u) | 2u << 9 |
                                    2u << 11);
}
inline constexpr std::uint8_t type_of(std::uint16_t header) {
  return static_cast<std::uint8_t>(header & 0xff);
}

struct KernelDispatch {
  std::uint16_t header = static_cast<std::uint16_t>(PacketType::kInvalid);
  std::uint16_t setup = 3;  ///< bits 1:0: number of grid dimensions
  std::uint16_t workgroup_size[3] = {1, 1, 1};
  std::uint16_t reserved0 = 0;
  std::uint32_t grid_size[3] = {1, 1, 1};  ///< in work-items
  std::uint32_t private_segment_size = 0;
  std::uint32_t group_segment_size = 0;  ///< static and dynamic shared memory of a CTA
  std::uint64_t kernel_object = 0;       ///< device address of a KernelDescriptor
  std::uint64_t kernarg_address = 0;
  std::uint64_t extension = 0;  ///< reserved2 of the specification: address of an Extension, or 0
  std::uint64_t completion_signal = 0;
};
static_assert(sizeof(KernelDispatch) == 64 && offsetof(KernelDispatch, workgroup_size) == 4 &&
              offsetof(KernelDispatch, grid_size) == 12 &&
              offsetof(KernelDispatch, private_segment_size) == 24 &&
              offsetof(KernelDispatch, group_segment_size) == 28 &&
              offsetof(KernelDispatch, kernel_object) == 32 &&
              offsetof(KernelDispatch, kernarg_address) == 40 && offsetof(KernelDispatch, extension) == 48 &&
              offsetof(KernelDispatch, completion_signal) == 56);

/// Barrier-AND waits until all named signals are 0, barrier-OR until one is. Handle 0 names no signal.
struct Barrier {
  std::uint16_t header = static_cast<std::uint16_t>(PacketType::kInvalid);
  std::uint16_t reserved0 = 0;
  std::uint32_t reserved1 = 0;
  std::uint64_t dep_signal[5] = {};
  std::uint64_t extension = 0;  ///< reserved2
  std::uint64_t completion_signal = 0;
};
static_assert(sizeof(Barrier) == 64 && offsetof(Barrier, dep_signal) == 8 &&
              offsetof(Barrier, extension) == 48 && offsetof(Barrier, completion_signal) == 56);

enum class CopyKind : std::uint16_t {
  kCopy = 1,
  kFill = 2,
  kLoad = 3,  ///< PTX text at `source`, `bytes` of it, for the LoadRecord at `destination`: where the host is
              ///< outside of the model
};

/// What a kLoad packet asks for and gets, in device memory at a multiple of 64. When the packet is complete
/// the kernel and all that it needs lie in device memory, or `message` says why not ("module:12:3: ...").
struct LoadRecord {
  static constexpr std::uint32_t kLoaded = 1, kRefused = 2;
  char entry[128] = {};  ///< in: name of the kernel; empty: the only one that there is
  std::uint32_t status = 0;
  std::uint32_t argument_bytes = 0, parameters = 0;
  std::uint32_t registers = 0, static_shared_bytes = 0;
  std::uint32_t reserved = 0;
  std::uint64_t kernel_object = 0;  ///< for dispatch packets
  char message[352] = {};
};
static_assert(sizeof(LoadRecord) == 512);

/// Vendor packet: moves bytes between device memory and host memory (bus addresses tell which), or fills.
struct Copy {
  std::uint16_t header = static_cast<std::uint16_t>(PacketType::kInvalid);
  std::uint16_t kind = 0;   ///< CopyKind
  std::uint32_t value = 0;  ///< kFill: the byte
  std::uint64_t source = 0;
  std::uint64_t destination = 0;
  std::uint64_t bytes = 0;
  /// Bit 0: addresses are those of device memory, of whatever context; the driver's own copies.
  std::uint64_t flags = 0;
  static constexpr std::uint64_t kAnyContext = 1;
  std::uint64_t reserved = 0;
  std::uint64_t extension = 0;
  std::uint64_t completion_signal = 0;
};
static_assert(sizeof(Copy) == 64 && offsetof(Copy, extension) == 48 &&
              offsetof(Copy, completion_signal) == 56);

/// The vendor extension record.
struct Extension {
  static constexpr std::uint32_t kMagic = 0x54584557;  ///< "WEXT"
  std::uint32_t magic = kMagic;
  std::uint32_t launch_id = 0;  ///< counts commands of the whole run; names are kept by the runtime under it
  std::uint32_t job = 0;        ///< commands that share one deadline, numbered from 1; 0: of no job
  std::int32_t priority = 0;    ///< greater is more urgent
  std::uint32_t budget = 1;     ///< QAWS budget
  std::uint16_t stream = 0;
  std::uint16_t context = 0;
  std::uint64_t deadline_ns = 0;  ///< absolute simulated time; 0: none
  std::uint64_t enqueue_ns = 0;   ///< when the host wrote the packet
  // Of packets of a job:
  std::uint64_t job_arrival_ns = 0;  ///< absolute simulated time; the deadline counts from it
  std::uint32_t job_index = 0;       ///< counts the job's packets from 0
  std::uint32_t job_kernels = 0;     ///< kernels that the job will have in all; 0: the host did not say
  std::uint32_t job_flags = 0;       ///< kJobLast
  /// Of a kernel: time that it takes alone on the device, as far as the host knows; 0: it does not.
  std::uint32_t expected_ns = 0;
};
static_assert(sizeof(Extension) == 64);
inline constexpr std::uint32_t kJobLast = 1u << 0;  ///< no packet of the job comes after this one

/// A signal: 64 bytes in device memory. A packet's completion subtracts 1 from `value` and stamps the times;
/// if `mailbox` is not 0, the first three words are also written to that host bus address, which is what a
/// waiting host program sees.
struct Signal {
  std::int64_t value = 0;
  std::uint64_t start_ns = 0;  ///< when the packet began to execute; kRejected | code if it was rejected
  std::uint64_t end_ns = 0;    ///< when it completed
  std::uint64_t mailbox = 0;
  std::uint64_t reserved[4] = {};
};
static_assert(sizeof(Signal) == 64);
inline constexpr unsigned kSignalMailboxBytes = 24;

/// A packet that a scheduler rejected has no start: its signal goes down all the same, and has this there,
/// with the scheduler's code (1 to 65535) in the lower half.
inline constexpr std::uint64_t kRejected = 1ull << 63;
/// The code of packets whose context has ended by a fault, whether they were running or not: no scheduler's.
inline constexpr std::uint32_t kContextEnded = 0x1'0000;
inline constexpr std::uint32_t rejection_code(std::uint64_t start_ns) {
  return (start_ns & kRejected) != 0 ? static_cast<std::uint32_t>(start_ns) : 0;
}

}  // namespace warpvp::aql
