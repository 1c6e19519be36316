#pragma once
// A device that another process serves, with the runtime over it: what a program outside the simulator opens.
// It asks the device for all that a runtime inside knows of it, so that kernels take the same cycles.

#include <memory>
#include <string>

#include "base/fault.h"
#include "ptx/image/loadable_module.h"
#include "sw/runtime/device_properties.h"
#include "sw/runtime/device_transport.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

class RemoteDevice {
 public:
  /// Opens the device at `address` (open_device). InputError as it says, or if the device takes other kernel
  /// images; TransportError if it has stopped.
  explicit RemoteDevice(const std::string& address);

  Runtime& runtime() { return *runtime_; }
  DeviceTransport& transport() { return transport_; }
  /// TransportError if a fault has ended this program's context, or stopped the device.
  void check_fault() const;

 private:
  DeviceTransport transport_;
  const DeviceProperties properties_;
  FaultSink faults_;
  LaunchDirectory launches_;
  JobDirectory jobs_;
  std::unique_ptr<ptx::ModuleLoader> loader_;
  std::unique_ptr<RuntimeServices> services_;
  std::unique_ptr<RuntimeImpl> runtime_;
};

}  // namespace warpvp::rt
