#include "platform/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/data_folder.h"
#include "base/error.h"
#include "base/registry.h"
#include "interconnect/device_memory.h"
#include "platform/config/buffer_data.h"
#include "platform/results/result_writer.h"
#include "sw/apps/launch_list.h"

namespace warpvp {

namespace {

ptx::TexelType texel_type(const std::string& name) {
  static const std::pair<const char*, ptx::TexelType> kTypes[] = {
      {"f32", ptx::TexelType::f32}, {"f16", ptx::TexelType::f16}, {"s32", ptx::TexelType::s32},
      {"u32", ptx::TexelType::u32}, {"s16", ptx::TexelType::s16}, {"u16", ptx::TexelType::u16},
      {"s8", ptx::TexelType::s8},   {"u8", ptx::TexelType::u8}};
  for (const auto& [word, type] : kTypes)
    if (name == word) return type;
  throw InputError(fmt::format("unknown type of texels '{}'", name));
}

ptx::TextureAddressing addressing(const std::string& name) {
  if (name == "border") return ptx::TextureAddressing::kBorder;
  if (name == "wrap") return ptx::TextureAddressing::kWrap;
  return name == "mirror" ? ptx::TextureAddressing::kMirror : ptx::TextureAddressing::kClamp;
}

rt::TextureDescription describe(const ImageConfig& image) {
  using ptx::Geometry;
  rt::TextureDescription t;
  const bool array = image.layers != 0;
  const std::size_t sizes = image.size.size();
  t.geometry = image.cube   ? array ? Geometry::acube : Geometry::cube
               : sizes == 1 ? array ? Geometry::a1d : Geometry::d1
               : sizes == 2 ? array ? Geometry::a2d : Geometry::d2
                            : Geometry::d3;
  t.width = image.size[0];
  if (sizes > 1) t.height = image.size[1];
  if (sizes > 2) t.depth = image.size[2];
  if (array) t.layers = image.layers;
  t.pitch_bytes = image.pitch_bytes;
  t.slice_pitch_bytes = image.slice_pitch_bytes;
  t.type = texel_type(image.type);
  t.channels = image.channels;
  if (image.filter == "linear") t.filter = ptx::TextureFilter::kLinear;
  const std::string* modes[3] = {&image.address, &image.address_y, &image.address_z};
  for (unsigned k = 0; k < 3; ++k)
    t.addressing[k] = addressing(modes[k]->empty() ? image.address : *modes[k]);
  t.normalised_coordinates = image.normalized;
  t.normalised_values = image.normalized_values;
  return t;
}

/// Checks the image as far as that goes before there is memory.
apps::LaunchList::Argument image_argument(const ArgumentConfig& config, const BufferConfig& buffer) {
  using As = apps::LaunchList::Argument::As;
  const bool texture = config.type == "texture";
  apps::LaunchList::Argument argument;
  argument.buffer = config.text;
  argument.as = texture ? As::kTexture : As::kSurface;
  argument.place = config.place;
  argument.image = describe(config.image);
  try {
    const std::uint64_t base = DeviceMemory::kBase;
    const ptx::ImageDescriptor d = texture ? ptx::make_texture_descriptor(config.text, base, argument.image)
                                           : ptx::make_surface_descriptor(config.text, base, argument.image);
    if (ptx::image_bytes(d) > buffer.bytes())
      throw InputError(fmt::format("{} '{}': its texels take {} bytes, the buffer has {}", config.type,
                                   config.text, ptx::image_bytes(d), buffer.bytes()));
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", config.place, error.what()));
  }
  return argument;
}

/// The launch list of a run file as a host program.
class LaunchListApp : public apps::App {
 public:
  LaunchListApp(const RunConfig& run, std::string folder)
      : workload_(run.workload), seed_(run.seed), folder_(std::move(folder)) {
    for (const auto& [name, buffer] : workload_.buffers)
      list_.buffers.push_back({name, initial_contents(name, buffer, seed_), context_of(name)});
    for (const LaunchConfig& launch : workload_.launches) list_.launches.push_back(convert(launch));
    for (const CheckConfig& check : workload_.checks) want(check.buffer);
    for (const DumpConfig& dump : workload_.dumps) want(dump.buffer);
  }

  apps::AppResult run(rt::Runtime& device, const apps::AppContext&) override {
    const auto contents = apps::run_launch_list(device, list_);
    for (const DumpConfig& dump : workload_.dumps) {
      const auto& bytes = contents.at(dump.buffer);
      write_file_atomically(std::filesystem::path(folder_) / dump.file,
                            std::string(bytes.begin(), bytes.end()));
    }
    apps::AppResult result;
    result.checked = !workload_.checks.empty();
    result.verified = result.checked;
    for (const CheckConfig& check : workload_.checks) {
      const BufferConfig& buffer = *workload_.buffer(check.buffer);
      const Comparison comparison =
          compare_contents(check.buffer, buffer.element_type(), contents.at(check.buffer),
                           expected_contents(check, buffer, seed_), check.tolerance);
      if (comparison.differing == 0) continue;
      result.verified = false;
      if (result.message.empty()) result.message = comparison.message;
    }
    return result;
  }

 private:
  /// A buffer belongs to the context of the first launch that is given it.
  unsigned context_of(const std::string& buffer) const {
    for (const LaunchConfig& launch : workload_.launches)
      for (const ArgumentConfig& argument : launch.args.items)
        if (argument.names_buffer() && argument.text == buffer) return launch.context;
    return 0;
  }
  apps::LaunchList::Launch convert(const LaunchConfig& config) const {
    apps::LaunchList::Launch launch;
    launch.place = config.ptx.place;
    launch.ptx = config.ptx.resolved;
    launch.entry = config.entry;
    std::copy_n(config.grid.begin(), 3, launch.grid);
    std::copy_n(config.block.begin(), 3, launch.block);
    launch.dynamic_shared_bytes = config.shared_bytes;
    launch.registers = config.registers;
    launch.context = config.context;
    launch.stream = config.stream;
    launch.priority = config.priority;
    launch.budget = config.budget;
    launch.start_us = config.start_us;
    launch.deadline_us = static_cast<std::uint64_t>(config.deadline_us);
    for (const ArgumentConfig& argument : config.args.items) {
      if (argument.is_image()) {
        launch.arguments.push_back(image_argument(argument, *workload_.buffer(argument.text)));
      } else {
        launch.arguments.push_back(argument.type == "buffer"
                                       ? apps::LaunchList::Argument{argument.text, {}}
                                       : apps::LaunchList::Argument{"", argument.bytes()});
      }
    }
    return launch;
  }
  void want(const std::string& buffer) {
    if (std::find(list_.read_back.begin(), list_.read_back.end(), buffer) == list_.read_back.end())
      list_.read_back.push_back(buffer);
  }

  WorkloadConfig workload_;
  std::uint64_t seed_;
  std::string folder_;
  apps::LaunchList list_;
};

}  // namespace

std::unique_ptr<apps::App> make_workload(const RunConfig& run, const std::string& folder) {
  if (!run.workload.app.name.empty()) return Registry<apps::App>::instance().make(run.workload.app);
  return std::make_unique<LaunchListApp>(run, folder);
}

apps::AppContext app_context(const RunConfig& run) { return {run.seed, data_folder("sw/kernels").string() + "/"}; }

}  // namespace warpvp
