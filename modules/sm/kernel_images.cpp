#include "modules/sm/kernel_images.h"

#include <fmt/format.h>

#include <cstring>

#include "interconnect/kernel_descriptor.h"
#include "ptx/image/image_reader.h"

namespace warpvp {

using ptx::image::ImageError;

KernelImages::Found KernelImages::find(std::uint64_t kernel_object, std::uint32_t launch) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = kernels_.find(kernel_object);
  if (known != kernels_.end() && launch <= known->second.checked) {
    const auto& programs = known->second.programs;
    auto at = programs.end() - 1;
    while (at != programs.begin() && at->first > launch) --at;
    return {at->second, {}};
  }
  try {
    auto program = decode(kernel_object);
    Kernel& kernel = kernels_[kernel_object];
    kernel.checked = launch;
    if (kernel.programs.empty() || kernel.programs.back().second != program)
      kernel.programs.emplace_back(launch, program);
    return {std::move(program), {}};
  } catch (const ImageError& e) {
    return {nullptr, e.what()};
  }
}

std::shared_ptr<const ptx::Program> KernelImages::decode(std::uint64_t kernel_object) {
  KernelDescriptor descriptor;
  if (!memory_.contains(kernel_object, sizeof descriptor))
    throw ImageError("CTA launched for an unknown kernel object");
  std::memcpy(&descriptor, memory_.at(kernel_object), sizeof descriptor);
  if (descriptor.magic != KernelDescriptor::kMagic)
    throw ImageError("CTA launched for an unknown kernel object");
  const std::uint64_t at = descriptor.image_address, size = descriptor.image_bytes;
  const auto refuse = [&](const std::string& why) {
    throw ImageError(fmt::format("the kernel image at {:#x} cannot be used: {}", at, why));
  };
  const auto range = memory_.range_of(at), owner = memory_.range_of(kernel_object);
  if (!range || size > range->end - at || size == 0)
    refuse(fmt::format("its {} bytes are not in one allocation", size));
  if (range->context != DeviceMemory::kDriver && (!owner || owner->context != range->context))
    refuse("it is of " + DeviceMemory::owner_name(range->context));

  const auto* bytes = reinterpret_cast<const std::uint8_t*>(memory_.at(at));
  const auto known = images_.find(at);
  std::shared_ptr<const ptx::Program> program;
  if (known != images_.end() && known->second.bytes.size() == size &&
      std::memcmp(known->second.bytes.data(), bytes, size) == 0) {
    program = known->second.program;
  } else {
    try {
      if (ptx::image::image_bytes(bytes, size) != size)
        throw ImageError("its length is not that of its descriptor");
      program = ptx::image::read_image(bytes, size, {memory_.base(), memory_.size()});
    } catch (const ImageError& e) {
      refuse(e.what());
    }
    images_[at] = {{bytes, bytes + size}, program};
  }
  if (descriptor.code_address != program->code_address ||
      descriptor.code_bytes != program->code.size() * ptx::Program::kInstBytes ||
      descriptor.param_bytes != program->param_bytes || descriptor.barriers != program->barriers ||
      descriptor.static_shared_bytes != program->static_shared_bytes ||
      descriptor.local_bytes_per_thread != program->depot_bytes)
    refuse("its descriptor says other sizes");
  return program;
}

}  // namespace warpvp
