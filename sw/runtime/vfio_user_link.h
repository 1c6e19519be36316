#pragma once
// A link over a vfio-user socket: accesses are messages to the served device's BARs, and memory that is
// mapped is read and written by the device's messages while an access is under way.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "interconnect/vfio_user.h"
#include "sw/runtime/device_link.h"

namespace warpvp::rt {

class VfioUserLink final : public DeviceLink {
 public:
  /// Connects. InputError if nobody listens at `path`, or what does is no device of ours of this version.
  explicit VfioUserLink(const std::string& path);
  ~VfioUserLink() override;
  VfioUserLink(const VfioUserLink&) = delete;

  void write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) override;
  void read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) override;
  std::vector<HostInterface::Piece> map(void* data, std::size_t bytes, bool device_writes) override;
  void unmap(std::uint64_t dma_address) override;
  HostInterface::Shared share(std::size_t bytes) override;

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Mapping {
    unsigned char* data;
    std::size_t bytes;
    std::uint64_t region;  // DMA address of the region that it lies in, whole pages
    std::uint64_t region_bytes;
    std::shared_ptr<void> shared;  // of share()
  };

  /// Sends a command and returns the reply's payload; serves the device's accesses to memory meanwhile.
  Bytes ask(vfio_user::Command command, const Bytes& payload);
  void send(const vfio_user::Header& header, const Bytes& payload);
  vfio_user::Header receive(Bytes& payload);
  void serve(const vfio_user::Header& header, Bytes payload);
  void access(bool write, Bar bar, std::uint64_t offset, void* data, std::size_t bytes);
  void set_untimed(bool untimed);

  int socket_ = -1;
  std::uint16_t next_id_ = 1;
  std::uint64_t next_address_ = 0x1000;
  std::map<std::uint64_t, Mapping> mappings_;  // by DMA address of the first byte
  bool untimed_ = false;
};

}  // namespace warpvp::rt
