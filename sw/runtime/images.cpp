// Textures and surfaces: descriptors in device memory that handles point to (ptx/image/texture.h).
#include <fmt/format.h>

#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

void RuntimeImpl::bind_texture(ModuleHandle handle, const std::string& name, DevicePtr pointer,
                               const TextureDescription& description) {
  const DevicePtr at = symbol(handle, name);
  const LoadedModule& m = module(handle, "bind_texture");
  for (const ptx::ModuleVariable& variable : m.module->variables()) {
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
  const unsigned context = memory_.range_of(memory)->owner;
  ImageHandle handle = 0;
  DevicePtr at = 0;
  if (page_bytes_ != 0) {
    for (handle = 1; services_.texture_places.count(handle) != 0;) ++handle;
    if (handle == ptx::kTextureTableEntries)
      throw InputError(
          fmt::format("create_{}: with page tables there are at most {} textures and surfaces at once", kind,
                      ptx::kTextureTableEntries - 1));
    at = texture_table(context) + handle * sizeof descriptor;
    services_.texture_places.insert(handle);
  } else {
    handle = at = allocate(sizeof descriptor, ptx::kTextureBytes, context, "the descriptor of a " + kind);
  }
  host_.write(at, &descriptor, sizeof descriptor);
  images_[handle] = at;
  return handle;
}

// Made when a context has its first texture. The distributor hears of it before the launches that use it.
DevicePtr RuntimeImpl::texture_table(unsigned context) {
  DevicePtr& table = services_.texture_tables[context];
  if (table != 0) return table;
  const std::vector<std::uint8_t> empty(ptx::kTextureTableEntries * ptx::kTextureBytes);
  table = allocate(empty.size(), ptx::kTextureBytes, context, "a texture table");
  host_.write(table, empty.data(), empty.size());
  host_.write(regmap::wd::context(context) + regmap::wd::kContextTextures, &table, sizeof table);
  return table;
}

void RuntimeImpl::destroy_image(ImageHandle handle) {
  const auto image = images_.find(handle);
  if (image == images_.end())
    throw InputError(fmt::format("destroy_image: {:#x} is no texture and no surface", handle));
  if (page_bytes_ != 0) {
    synchronize();  // work that reads it ends first
    const ptx::ImageDescriptor none{};
    host_.write(image->second, &none, sizeof none);
    services_.texture_places.erase(handle);
  } else {
    free(handle);
  }
  images_.erase(image);
}

}  // namespace warpvp::rt
