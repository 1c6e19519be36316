#pragma once
// A link over a driver of the operating system (sw/runtime/driver_interface.h, examples/driver): BARs and
// buffers are mapped, memory of the process is pinned page by page.

#include <map>
#include <string>

#include "interconnect/register_map.h"
#include "sw/runtime/mapped_bars.h"

namespace warpvp::rt {

class DriverLink final : public DeviceLink {
 public:
  /// `path` of the device file; with ",interrupts" behind it the process sleeps until the device interrupts
  /// it, and simulated time passes while the device has work, instead of during its waits alone. InputError
  /// if there is no such file, or it is another driver's.
  explicit DriverLink(const std::string& path);
  ~DriverLink() override;
  DriverLink(const DriverLink&) = delete;

  void write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) override;
  void read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) override;
  std::vector<HostInterface::Piece> map(void* data, std::size_t bytes, bool device_writes) override;
  void unmap(std::uint64_t dma_address) override;
  HostInterface::Shared share(std::size_t bytes) override;
  Share client_share() override { return share_; }
  bool paced() const override { return !interrupts_; }
  bool wait(std::uint64_t latest_fs) override;

 private:
  template <class Argument>
  void ask(unsigned long request, Argument* argument, const char* what) const;
  void manage(const void* command);

  int file_ = -1;
  bool interrupts_ = false;
  Share share_;
  MappedBars bars_;
  regmap::mm::Answer answer_;                      // of the last command to the memory manager
  std::map<std::uint64_t, std::uint64_t> pinned_;  // handles by DMA address of the first piece
};

}  // namespace warpvp::rt
