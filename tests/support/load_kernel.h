#pragma once
// Kernels in device memory as the runtime would have loaded them, for tests that have no runtime.

#include <cstring>

#include "interconnect/device_memory.h"
#include "interconnect/kernel_descriptor.h"
#include "ptx/image/image_writer.h"
#include "ptx/program.h"

namespace warpvp::test {

/// Makes a place for the code of `program`, and writes its image and a descriptor of it; the kernel object.
/// `registers`: per thread, where not those of the program.
inline std::uint64_t load_kernel(DeviceMemory& memory, ptx::Program& program, std::uint32_t registers = 0) {
  KernelDescriptor d;
  d.code_bytes = static_cast<std::uint32_t>(program.code.size() * ptx::Program::kInstBytes);
  d.code_address = program.code_address = *memory.allocate(d.code_bytes);
  d.registers_per_thread = registers != 0 ? registers : program.registers_per_thread;
  d.param_bytes = program.param_bytes;
  d.static_shared_bytes = program.static_shared_bytes;
  d.barriers = program.barriers;
  d.max_threads = program.max_threads;
  d.local_bytes_per_thread = program.depot_bytes;
  const std::vector<std::uint8_t> image = ptx::image::write_image(program);
  d.image_bytes = static_cast<std::uint32_t>(image.size());
  d.image_address = *memory.allocate_last(image.size(), ptx::image::kAlignment, DeviceMemory::kDriver);
  std::memcpy(memory.at(d.image_address), image.data(), image.size());
  const std::uint64_t object = *memory.allocate(256);
  std::memcpy(memory.at(object), &d, sizeof d);
  return object;
}

}  // namespace warpvp::test
