#pragma once
// A way to a device that is served (docs/serve.md): accesses to its BARs, and memory that it reaches. Over a
// vfio-user socket, over a driver of the operating system, or whatever else carries them; DeviceTransport
// makes the runtime's host of it.

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "interconnect/host_interface.h"

namespace warpvp::rt {

/// The device has refused an access, has stopped, or has gone. While one of these ends a program, calls from
/// its destructors do nothing.
class TransportError : public std::runtime_error {
 public:
  enum class Why { kRefused, kDeviceFault, kGone };
  explicit TransportError(const std::string& what, Why why = Why::kRefused)
      : std::runtime_error(what), why(why) {}
  const Why why;
};

class DeviceLink {
 public:
  enum class Bar { kRegisters, kMemory };  ///< 0 and 2
  /// What of the device is the client's.
  struct Share {
    unsigned context = 0, first_queue = 0, queues = 1;
    bool whole_device = true;  ///< False: registers that others use too are not written.
  };

  virtual ~DeviceLink() = default;

  /// One access, as far as the link has any of that size; untimed ones take no simulated time and are for
  /// device memory and the memory manager. TransportError as it says.
  virtual void write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) = 0;
  virtual void read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) = 0;
  /// Memory of the process for the device, by DMA address; as HostInterface has it.
  virtual std::vector<HostInterface::Piece> map(void* data, std::size_t bytes, bool device_writes) = 0;
  virtual void unmap(std::uint64_t dma_address) = 0;
  virtual HostInterface::Shared share(std::size_t bytes) = 0;
  virtual Share client_share();
  /// True: simulated time is to pass during this client's accesses and waits alone (PACE), as in a run
  /// inside.
  virtual bool paced() const { return true; }
  /// Until the device writes this process's memory or raises an interrupt of it; at the latest when simulated
  /// time is `latest_fs`, or (all ones) when the device rests. False: nothing has come, and nothing will. The
  /// default asks the device (WAIT).
  virtual bool wait(std::uint64_t latest_fs);

  std::uint32_t endpoint(std::uint64_t offset);
  std::uint64_t endpoint64(std::uint64_t offset);
  void write_endpoint(std::uint64_t offset, std::uint64_t value, unsigned bytes);
  /// KEY=VALUE lines (device_properties.h).
  std::string properties();
  /// Empty: the device is well. Else what the device's fault, or the fault of the client's context, is.
  /// TransportError if there is no device any more.
  std::string fault();
  /// InputError unless what is there is a device of ours that speaks as this does; `where` for the message.
  void check_identity(const std::string& where);

 protected:
  /// TransportError, of an access that was refused with errno `error`: with the device's own words if it has
  /// stopped.
  [[noreturn]] void refuse(const std::string& what, int error);
};

/// "vfio-user:PATH", a socket at which `warpvp serve` serves; "driver:PATH", a device file of
/// examples/driver; "pci:0000:00:04.0", a function that is bound to vfio-pci behind an IOMMU. InputError if
/// it is none of these, or nothing is there.
std::unique_ptr<DeviceLink> open_device(const std::string& address);

}  // namespace warpvp::rt
