// Textures and surfaces: descriptors in device memory that handles point to (ptx/texture.h).
#include <fmt/format.h>

#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

void RuntimeImpl::bind_texture(ModuleHandle handle, const std::string& name, DevicePtr pointer,
                               const TextureDescription& description) {
  const DevicePtr at = symbol(handle, name);
  const LoadedModule& m = module(handle, "bind_texture");
  for (const ptx::GlobalVariable& variable : m.module->globals()) {
    if (variable.name == name && !variable.is_texture)
      throw InputError(fmt::format("{}: variable '{}' is not a texture", m.path, name));
  }
  const ptx::ImageDescriptor descriptor = ptx::make_texture_descriptor(name, pointer, description);
  check_range(pointer, ptx::image_bytes(descriptor), fmt::format("texture '{}'", name).c_str());
  synchronize();  // kernels launched earlier read what was bound then
  host_.write(at, &descriptor, sizeof descriptor);
}

ImageHandle RuntimeImpl::create_texture(DevicePtr memory, const TextureDescription& description) {
  return create_image("texture", memory, ptx::make_texture_descriptor("object", memory, description));
}

ImageHandle RuntimeImpl::create_surface(DevicePtr memory, const SurfaceDescription& description) {
  return create_image("surface", memory, ptx::make_surface_descriptor("object", memory, description));
}

ImageHandle RuntimeImpl::create_image(const std::string& kind, DevicePtr memory,
                                      const ptx::ImageDescriptor& descriptor) {
  check_range(memory, ptx::image_bytes(descriptor), (kind + " 'object'").c_str());
  const unsigned context = services_.memory.range_of(memory)->context;
  const DevicePtr at =
      allocate(sizeof descriptor, ptx::kTextureBytes, context, "the descriptor of a " + kind);
  host_.write(at, &descriptor, sizeof descriptor);
  images_.insert(at);
  return at;
}

void RuntimeImpl::destroy_image(ImageHandle handle) {
  if (images_.erase(handle) == 0)
    throw InputError(fmt::format("destroy_image: {:#x} is no texture and no surface", handle));
  free(handle);
}

}  // namespace warpvp::rt
