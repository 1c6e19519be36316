#pragma once
// What a runtime outside has to know of the device, so that it makes the code and takes the time that one
// inside does. A served device has it as text in its endpoint (regmap::ep::kProperties): a line KEY=VALUE for
// each field, with the keys of groups as "sm.warps".

#include <cstdint>
#include <string>

#include "base/sm_resources.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

struct DeviceProperties {
  std::uint32_t image_version = 0;  ///< of kernel images that it takes (ptx/image/kernel_image.h)
  std::uint32_t sms = 1, queues = 1, copy_engines = 1;
  double sm_clock_mhz = 1;
  std::uint64_t local_bytes = 0, l2_bytes = 0;
  std::uint32_t memory_bus_bits = 0;
  double memory_bytes_per_second = 0;
  bool firmware = false;
  // Code of kernels, as ptx::CodeOptions has it.
  bool machine_code = false, convergence_barriers = false, nop_before_barriers = false;
  std::uint32_t least_registers = 0;
  SmResources sm;
  RuntimeConfig runtime;

  void fields(FieldVisitor& v);
};

std::string properties_text(const DeviceProperties& properties);
/// InputError if a field is not there or is no value; keys that are not known are passed over.
DeviceProperties properties_of_text(const std::string& text);
/// Those of services, without what is code.
DeviceProperties properties_of(const RuntimeServices& services);

}  // namespace warpvp::rt
