#include "modules/vfio_user/config_space.h"

#include <cstring>

namespace warpvp::vfio_user {

void ConfigSpace::put(std::size_t at, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
}

void ConfigSpace::allow(std::size_t at, std::uint64_t mask, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) writable_[at + i] = static_cast<std::uint8_t>(mask >> (8 * i));
}

ConfigSpace::ConfigSpace(const Shape& shape) {
  put(0x00, kVendorId, 2);
  put(0x02, kDeviceId, 2);
  allow(0x04, 0x0506, 2);  // memory space, bus master, SERR, interrupt disable
  put(0x06, 0x0010, 2);    // there is a list of capabilities
  put(0x08, 0x01, 1);      // revision
  put(0x09, kClassCode, 3);
  allow(0x0c, 0xff, 1);  // cache line size
  const auto mask = [](std::uint64_t size) { return ~(size - 1); };
  allow(0x10, mask(shape.bar0_bytes) & 0xffff'fff0u, 4);
  put(0x18, 0xc, 4);  // 64 bits, prefetchable
  allow(0x18, mask(shape.bar2_bytes) & ~std::uint64_t{0xf}, 8);
  allow(0x20, mask(shape.bar4_bytes) & 0xffff'fff0u, 4);
  put(0x2c, kVendorId, 2);
  put(0x2e, kSubsystemId, 2);
  put(0x34, kPower, 1);
  allow(0x3c, 0xff, 1);  // interrupt line

  put(kPower, 0x01, 1);
  put(kPower + 1, kExpress, 1);
  put(kPower + 2, 0x0003, 2);    // version 1.2; no PME
  put(kPower + 4, 0x0008, 2);    // no soft reset: D3hot to D0 keeps state
  allow(kPower + 4, 0x0003, 2);  // power state

  put(kExpress, 0x10, 1);
  put(kExpress + 1, kMsix, 1);
  put(kExpress + 2, 0x0002, 2);  // version 2, endpoint
  // Payloads of 512 bytes, extended tags, errors by role, a reset of the function.
  put(kExpress + 4, 0x1000'8022, 4);
  put(kExpress + 8, 0x2810, 2);  // reads of 512 bytes
  allow(kExpress + 8, 0x7fff, 2);
  put(kExpress + 0xc, 0x0000'0103, 4);  // 8 GT/s, 16 lanes
  put(kExpress + 0x12, 0x0103, 2);
  allow(kExpress + 0x10, 0x00c3, 2);
  put(kExpress + 0x2c, 0x0000'000e, 4);  // 2.5, 5 and 8 GT/s

  put(kMsix, 0x11, 1);
  put(kMsix + 1, 0x00, 1);
  put(kMsix + 2, shape.vectors - 1, 2);
  allow(kMsix + 2, 0xc000, 2);  // enable, mask all
  put(kMsix + 4, shape.msix_table | 4, 4);
  put(kMsix + 8, shape.msix_pending | 4, 4);
  after_reset_ = bytes_;
}

bool ConfigSpace::read(std::uint64_t offset, void* data, std::size_t bytes) const {
  if (offset > kBytes || bytes > kBytes - offset) return false;
  std::memcpy(data, bytes_.data() + offset, bytes);
  return true;
}

bool ConfigSpace::write(std::uint64_t offset, const void* data, std::size_t bytes) {
  if (offset > kBytes || bytes > kBytes - offset) return false;
  const auto* values = static_cast<const std::uint8_t*>(data);
  constexpr std::uint64_t kResetByte = kExpress + 9;  // of Device Control, whose bit 15 reads as 0
  reset_asked_ =
      offset <= kResetByte && kResetByte - offset < bytes && (values[kResetByte - offset] & 0x80) != 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    std::uint8_t& byte = bytes_[offset + i];
    const std::uint8_t mask = writable_[offset + i];
    byte = static_cast<std::uint8_t>((byte & ~mask) | (values[i] & mask));
  }
  return true;
}

void ConfigSpace::reset() { bytes_ = after_reset_; }

}  // namespace warpvp::vfio_user
