#pragma once
// A link over Linux's VFIO, for a function that is bound to vfio-pci behind an IOMMU: no driver of ours is
// needed, one program has the whole device, and memory of the program has consecutive DMA addresses, as the
// IOMMU maps it.

#include <map>
#include <string>

#include "sw/runtime/mapped_bars.h"

namespace warpvp::rt {

class VfioLink final : public DeviceLink {
 public:
  /// `address` as sysfs has it, "0000:00:04.0"; with ",interrupts" behind it as DriverLink. InputError if
  /// there is no such function, it is behind no IOMMU or not bound to vfio-pci, or somebody else has it.
  explicit VfioLink(const std::string& address);
  ~VfioLink() override;
  VfioLink(const VfioLink&) = delete;

  void write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) override;
  void read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) override;
  std::vector<HostInterface::Piece> map(void* data, std::size_t bytes, bool device_writes) override;
  void unmap(std::uint64_t dma_address) override;
  HostInterface::Shared share(std::size_t bytes) override;
  bool paced() const override { return event_ < 0; }
  bool wait(std::uint64_t latest_fs) override;

 private:
  void open_group(const std::string& address);
  void open_device(const std::string& address);
  void map_bar(Bar bar, unsigned region, const std::string& address);
  void enable(const std::string& address);
  void raise_interrupts(const std::string& address);
  void close_files();

  int container_ = -1, group_ = -1, device_ = -1;
  int event_ = -1;  ///< of interrupts; -1: the program asks the device instead
  MappedBars bars_;
  std::uint64_t next_address_ = 0x100000;
  std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>>
      mappings_;  ///< IOVA and bytes, whole pages
};

}  // namespace warpvp::rt
