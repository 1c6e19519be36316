#include "sw/runtime/c/remote_device.h"

#include <fmt/format.h>

#include "ptx/image/kernel_image.h"
#include "ptx/image/ptx_loader.h"

namespace warpvp::rt {

namespace {

ptx::CodeOptions code_of(const DeviceProperties& properties) {
  ptx::CodeOptions options;
  options.code = properties.machine_code ? ptx::Code::kMachine : ptx::Code::kPtx;
  options.convergence_barriers = properties.convergence_barriers;
  options.nop_before_barriers = properties.nop_before_barriers;
  options.least_registers = properties.least_registers;
  options.sm = properties.sm;
  return options;
}

}  // namespace

RemoteDevice::RemoteDevice(const std::string& address)
    : transport_(open_device(address)), properties_(properties_of_text(transport_.link().properties())) {
  if (properties_.image_version != ptx::image::kVersion)
    throw InputError(
        fmt::format("the device at {} takes kernel images of version {}; this library makes version {}",
                    address, properties_.image_version, ptx::image::kVersion));
  check_fault();
  faults_.on_fault = [this] {
    throw TransportError(faults_.fault()->summary(), TransportError::Why::kDeviceFault);
  };
  loader_ = ptx::make_ptx_loader(code_of(properties_));
  services_.reset(new RuntimeServices{faults_, launches_, jobs_, properties_.sm});
  const DeviceLink::Share share = transport_.link().client_share();
  services_->sm_count = properties_.sms;
  services_->next_queue = share.first_queue;
  services_->queues = share.first_queue + share.queues;
  services_->device_context = share.context;
  services_->whole_device = share.whole_device;
  services_->copy_engines = properties_.copy_engines;
  services_->config = properties_.runtime;
  services_->loader = loader_.get();
  services_->firmware = properties_.firmware;
  services_->local_bytes = properties_.local_bytes;
  services_->sm_clock_mhz = properties_.sm_clock_mhz;
  services_->l2_bytes = properties_.l2_bytes;
  services_->memory_bus_bits = properties_.memory_bus_bits;
  services_->memory_bytes_per_second = properties_.memory_bytes_per_second;
  runtime_ = std::make_unique<RuntimeImpl>(transport_, *services_);
}

void RemoteDevice::check_fault() const {
  const std::string fault = transport_.link().fault();
  if (!fault.empty()) throw TransportError(fault, TransportError::Why::kDeviceFault);
}

}  // namespace warpvp::rt
