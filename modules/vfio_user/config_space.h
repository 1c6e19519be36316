#pragma once
// The configuration space of the device: 4096 bytes, a type 0 header (PCI Local Bus Specification 3.0,
// section 6.1) with capabilities for power management, PCI Express and MSI-X (PCI Express Base
// Specification 4.0, sections 7.5.2, 7.5.3 and 7.7.2).

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpvp::vfio_user {

/// Identity. The vendor is Red Hat's id for devices of virtual machines; the device and subsystem ids are
/// ours and not registered.
inline constexpr std::uint16_t kVendorId = 0x1b36, kDeviceId = 0x7770, kSubsystemId = 0x0001;
/// Base class 0x12, processing accelerators.
inline constexpr std::uint32_t kClassCode = 0x12'0000;

class ConfigSpace {
 public:
  static constexpr std::size_t kBytes = 4096;
  struct Shape {
    std::uint64_t bar0_bytes = 0;                    ///< registers, 32 bits, not prefetchable
    std::uint64_t bar2_bytes = 0;                    ///< device memory, 64 bits, prefetchable
    std::uint64_t bar4_bytes = 0;                    ///< MSI-X table and pending bits, 32 bits
    unsigned vectors = 1;                            ///< of MSI-X, 1 to 2048
    std::uint32_t msix_table = 0, msix_pending = 0;  ///< offsets in BAR 4, multiples of 8
  };
  explicit ConfigSpace(const Shape& shape);

  /// False: [offset, offset + bytes) is not within it.
  bool read(std::uint64_t offset, void* data, std::size_t bytes) const;
  /// Bits that are read-only keep their values. A BAR keeps the address bits above its size, so that writing
  /// ones and reading back tells the size.
  bool write(std::uint64_t offset, const void* data, std::size_t bytes);
  /// The last write has asked for a reset of the function (Initiate Function Level Reset, PCI Express Base
  /// Specification 4.0, section 7.5.3.4).
  bool reset_asked() const { return reset_asked_; }
  /// As after a reset.
  void reset();

  /// Command register, bit 1: the device answers accesses to its memory. A client of this protocol reaches
  /// the regions either way.
  bool memory_enabled() const { return (bytes_[0x04] & 2) != 0; }
  /// Bit 2: it may access the client's memory.
  bool bus_master() const { return (bytes_[0x04] & 4) != 0; }
  bool msix_enabled() const { return (bytes_[kMsix + 3] & 0x80) != 0; }

 private:
  static constexpr std::size_t kPower = 0x40, kExpress = 0x50, kMsix = 0xa0;

  void put(std::size_t at, std::uint64_t value, unsigned bytes);
  void allow(std::size_t at, std::uint64_t mask, unsigned bytes);

  bool reset_asked_ = false;
  std::array<std::uint8_t, kBytes> bytes_{}, after_reset_{}, writable_{};
};

}  // namespace warpvp::vfio_user
