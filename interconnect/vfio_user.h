#pragma once
// The vfio-user protocol, version 0.1: messages between a client that has a PCI device mapped (a virtual
// machine, a native program) and the process that is the device. Source: "vfio-user Protocol Specification"
// in QEMU's documentation (docs/interop/vfio-user.rst); numbers of regions, interrupts and flags are those of
// Linux's VFIO (linux/vfio.h). Structures lie in messages as they stand here, in the host's byte order.

#include <cstdint>

namespace warpvp::vfio_user {

inline constexpr std::uint16_t kMajor = 0, kMinor = 1;
/// Most bytes of data in one message, in both directions (`max_data_xfer_size`).
inline constexpr std::uint32_t kMaxTransfer = 1u << 20;
/// Most file descriptors in one message to the server (`max_msg_fds`).
inline constexpr std::uint32_t kMaxFds = 16;
/// Most DMA regions of a client (`max_dma_maps`).
inline constexpr std::uint32_t kMaxDmaRegions = 65535;

enum class Command : std::uint16_t {
  kVersion = 1,
  kDmaMap = 2,
  kDmaUnmap = 3,
  kDeviceGetInfo = 4,
  kDeviceGetRegionInfo = 5,
  kDeviceGetRegionIoFds = 6,
  kDeviceGetIrqInfo = 7,
  kDeviceSetIrqs = 8,
  kRegionRead = 9,
  kRegionWrite = 10,
  kDmaRead = 11,   ///< server to client
  kDmaWrite = 12,  ///< server to client
  kDeviceReset = 13,
};

struct Header {
  static constexpr std::uint32_t kTypeMask = 0xf, kCommandType = 0, kReplyType = 1;
  static constexpr std::uint32_t kNoReply = 1u << 4, kError = 1u << 5;
  std::uint16_t id = 0;
  std::uint16_t command = 0;
  std::uint32_t bytes = 0;  ///< of the whole message
  std::uint32_t flags = 0;
  std::uint32_t error = 0;  ///< errno, in replies with kError

  bool is_reply() const { return (flags & kTypeMask) == kReplyType; }
};
static_assert(sizeof(Header) == 16);

/// Most bytes of a message: data with the longest fixed part before it.
inline constexpr std::uint32_t kMaxMessage = sizeof(Header) + 64 + kMaxTransfer;

struct Version {
  std::uint16_t major = 0, minor = 0;  ///< then JSON with a NUL
};

struct DmaMap {
  static constexpr std::uint32_t kReadable = 1, kWriteable = 2;
  std::uint32_t argsz = 0, flags = 0;
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t address = 0, bytes = 0;
};
static_assert(sizeof(DmaMap) == 32);

struct DmaUnmap {
  static constexpr std::uint32_t kAll = 2;
  std::uint32_t argsz = 0, flags = 0;
  std::uint64_t address = 0, bytes = 0;  ///< in the reply what was unmapped
};
static_assert(sizeof(DmaUnmap) == 24);

struct DeviceInfo {
  static constexpr std::uint32_t kReset = 1, kPci = 2;
  std::uint32_t argsz = 0, flags = 0, regions = 0, irqs = 0;
};
static_assert(sizeof(DeviceInfo) == 16);

struct RegionInfo {
  static constexpr std::uint32_t kRead = 1, kWrite = 2, kMmap = 4;
  std::uint32_t argsz = 0, flags = 0, index = 0, capabilities = 0;
  std::uint64_t bytes = 0, offset = 0;
};
static_assert(sizeof(RegionInfo) == 32);

struct IrqInfo {
  static constexpr std::uint32_t kEventfd = 1, kNoResize = 8;
  std::uint32_t argsz = 0, flags = 0, index = 0, count = 0;
};
static_assert(sizeof(IrqInfo) == 16);

struct IrqSet {
  static constexpr std::uint32_t kDataNone = 1, kDataBool = 2, kDataEventfd = 4;
  static constexpr std::uint32_t kMask = 8, kUnmask = 16, kTrigger = 32;
  std::uint32_t argsz = 0, flags = 0, index = 0, start = 0, count = 0;
};
static_assert(sizeof(IrqSet) == 20);

/// Of reads and writes of regions; data follow.
struct RegionAccess {
  std::uint64_t offset = 0;
  std::uint32_t region = 0, count = 0;
};
static_assert(sizeof(RegionAccess) == 16);

/// Of reads and writes of the client's memory; data follow.
struct DmaAccess {
  std::uint64_t address = 0, count = 0;
};
static_assert(sizeof(DmaAccess) == 16);

/// Regions of a PCI device, and its kinds of interrupts.
inline constexpr std::uint32_t kBar0 = 0, kBar2 = 2, kBar4 = 4, kConfigRegion = 7, kRegions = 9;
inline constexpr std::uint32_t kMsixIrq = 2, kIrqs = 5;

}  // namespace warpvp::vfio_user
