#pragma once
// The device from a process of its own: HostInterface over a vfio-user socket (docs/serve.md), as a
// RuntimeImpl inside the simulator has it over the simulated CPU. Accesses are messages to the served
// device's BARs, memory that is mapped is read and written by the device's messages while a call is under
// way, and time is the simulator's: it passes during accesses, waits and sleeps alone (PACE).

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "interconnect/host_interface.h"
#include "interconnect/vfio_user.h"

namespace warpvp::rt {

/// The served device has refused an access, has stopped, or has gone. While one of these ends a program,
/// calls from its destructors do nothing.
class TransportError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class VfioUserTransport final : public HostInterface {
 public:
  /// Connects. InputError if nobody listens at `path`, or what does is no device of ours of this version.
  explicit VfioUserTransport(const std::string& path);
  ~VfioUserTransport() override;
  VfioUserTransport(const VfioUserTransport&) = delete;

  void write(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void read(std::uint64_t device_address, void* data, std::size_t bytes) override;
  void write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) override;
  void read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) override;
  std::uint64_t map(void* data, std::size_t bytes) override;
  void unmap(std::uint64_t bus_address) override;
  void wait_until(const std::function<bool()>& done) override;
  bool wait_until(const std::function<bool()>& done, SimTime latest) override;
  void sleep(SimTime duration) override;
  SimTime now() const override;

  /// A register of the endpoint (regmap::ep) or of the device, without simulated time.
  std::uint32_t endpoint(std::uint64_t offset) const;

 private:
  using Bytes = std::vector<std::uint8_t>;
  struct Mapping {
    unsigned char* data;
    std::size_t bytes;
    std::uint64_t region;  // DMA address of the region that it lies in, whole pages
    std::uint64_t region_bytes;
  };

  /// Sends a command and returns the reply's payload; serves the device's accesses to memory meanwhile.
  Bytes ask(vfio_user::Command command, const Bytes& payload) const;
  Bytes exchange(vfio_user::Command command, const Bytes& payload) const;
  void send(const vfio_user::Header& header, const Bytes& payload) const;
  vfio_user::Header receive(Bytes& payload) const;
  void serve(const vfio_user::Header& header, Bytes payload) const;
  void access(bool write, std::uint64_t device_address, void* data, std::size_t bytes) const;
  void write_endpoint(std::uint64_t offset, std::uint64_t value, unsigned bytes) const;
  void set_untimed(bool untimed);
  /// Throws what the device has to say of itself, if it has stopped.
  [[noreturn]] void fail(const std::string& what, int error) const;

  int socket_ = -1;
  mutable std::uint16_t next_id_ = 1;
  std::uint64_t dma_base_ = 0;
  std::uint64_t next_address_ = 0x1000;
  std::map<std::uint64_t, Mapping> mappings_;  // by DMA address of the first byte
  bool untimed_ = false;
  mutable bool failed_ = false;
};

}  // namespace warpvp::rt
