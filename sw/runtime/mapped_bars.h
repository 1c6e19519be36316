#pragma once
// The BARs of a PCI function as memory of the process, by loads and stores of words: what links over an
// operating system have. An access has the widest words that fit; device memory is also written in bursts, as
// a processor's write-combining buffer would (regmap::ep::kMemoryBurst).

#include <cstdint>

#include "sw/runtime/device_link.h"

namespace warpvp::rt {

class MappedBars {
 public:
  MappedBars() = default;
  ~MappedBars();
  MappedBars(const MappedBars&) = delete;

  /// Maps `bytes` of `file` from `offset` on as that BAR. False, with errno: it cannot be mapped.
  bool map(DeviceLink::Bar bar, int file, std::uint64_t bytes, std::uint64_t offset);
  /// TransportError for what is beyond the end, or no words of registers.
  void read(DeviceLink::Bar bar, std::uint64_t offset, void* data, std::size_t bytes) const;
  void write(DeviceLink::Bar bar, std::uint64_t offset, const void* data, std::size_t bytes) const;
  /// At most regmap::ep::kBurstBytes.
  void burst_to_memory(std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) const;
  void burst_to_registers(std::uint64_t offset, const void* data, std::size_t bytes) const;

 private:
  struct Window {
    volatile unsigned char* at = nullptr;
    std::uint64_t bytes = 0;
  };

  const Window& window(DeviceLink::Bar bar) const {
    return windows_[bar == DeviceLink::Bar::kMemory ? 1 : 0];
  }
  volatile unsigned char* place(DeviceLink::Bar bar, std::uint64_t offset, std::size_t bytes) const;
  void fill_burst_data(const void* data, std::size_t bytes) const;
  void write_endpoint(std::uint64_t offset, std::uint64_t value) const;

  Window windows_[2];
};

}  // namespace warpvp::rt
