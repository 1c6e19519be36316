#pragma once
// The device from a process of its own: HostInterface over a link to a served device (docs/serve.md), as a
// RuntimeImpl inside the simulator has it over the simulated CPU. Time is the simulator's: it passes during
// accesses, waits and sleeps alone (PACE).

#include <memory>

#include "sw/runtime/device_link.h"

namespace warpvp::rt {

class DeviceTransport final : public HostInterface {
 public:
  explicit DeviceTransport(std::unique_ptr<DeviceLink> link);

  void write(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void read(std::uint64_t device_address, void* data, std::size_t bytes) override;
  void write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) override;
  std::uint64_t map(void* data, std::size_t bytes) override;
  void unmap(std::uint64_t bus_address) override;
  std::vector<Piece> map_pieces(void* data, std::size_t bytes, bool device_writes) override;
  Shared share(std::size_t bytes) override;
  void wait_until(const std::function<bool()>& done) override;
  bool wait_until(const std::function<bool()>& done, SimTime latest) override;
  void sleep(SimTime duration) override;
  SimTime now() const override;

  DeviceLink& link() const { return *link_; }

 private:
  /// While a failure ends the program, what its destructors still do to the device does nothing.
  bool over() const;
  template <class Call>
  auto guarded(const Call& call) const;
  void access(bool write, std::uint64_t device_address, void* data, std::size_t bytes, bool untimed) const;

  const std::unique_ptr<DeviceLink> link_;
  std::uint64_t dma_base_ = 0;
  mutable bool failed_ = false;
};

}  // namespace warpvp::rt
