#include "sw/apps/launch_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <tuple>

#include "interconnect/host_interface.h"

namespace warpvp::apps {

std::map<std::string, std::vector<std::uint8_t>> run_launch_list(rt::Runtime& device,
                                                                 const LaunchList& list) {
  const auto located = [](const LaunchList::Launch& launch, const std::string& what) {
    return InputError(launch.place.empty() ? what : launch.place + ": " + what);
  };

  // Contexts, streams and kernels by the user's numbers and names. Context 0 is there from the start.
  std::map<unsigned, unsigned> contexts{{0, 0}};
  std::map<std::tuple<unsigned, unsigned, int>, rt::Stream> streams;
  std::map<std::pair<std::string, unsigned>, rt::ModuleHandle> modules;
  std::vector<rt::Kernel> kernels;
  std::vector<rt::Stream> stream_of;
  std::vector<SimTime> start_of;
  const auto context_of = [&](unsigned number) {
    const auto it = contexts.find(number);
    if (it != contexts.end()) return it->second;
    return contexts[number] = device.create_context();
  };
  for (const auto& launch : list.launches) {
    try {
      const unsigned context = context_of(launch.context);
      const std::pair<std::string, unsigned> module_key{launch.ptx, context};
      if (modules.count(module_key) == 0) modules[module_key] = device.load_module(launch.ptx, context);
      kernels.push_back(device.kernel(modules[module_key], launch.entry));
      const std::tuple<unsigned, unsigned, int> stream_key{launch.stream, context, launch.priority};
      if (streams.count(stream_key) == 0) {
        rt::StreamOptions options;
        options.name = fmt::format("stream{}", launch.stream);
        options.context = context;
        options.priority = launch.priority;
        streams[stream_key] = device.create_stream(options);
      }
      stream_of.push_back(streams[stream_key]);
      start_of.push_back(SimTime::from_us(launch.start_us));
    } catch (const InputError& error) {
      // Errors within the PTX file have a place of their own.
      if (std::strncmp(error.what(), launch.ptx.c_str(), launch.ptx.size()) == 0) throw;
      throw located(launch, error.what());
    }
  }

  std::map<std::string, rt::DevicePtr> addresses;
  for (const auto& buffer : list.buffers) {
    const rt::DevicePtr at = device.malloc(buffer.contents.size(), context_of(buffer.context));
    addresses[buffer.name] = at;
    device.copy_to_device_async(at, buffer.contents.data(), buffer.contents.size(), rt::Stream{0});
  }
  device.synchronize();
  // Texture and surface objects, in the order of the arguments that want them.
  std::map<const LaunchList::Argument*, rt::ImageHandle> images;
  for (const auto& launch : list.launches) {
    for (const auto& argument : launch.arguments) {
      if (argument.as == LaunchList::Argument::As::kAddress) continue;
      const auto it = addresses.find(argument.buffer);
      if (it == addresses.end()) throw located(launch, fmt::format("no buffer '{}'", argument.buffer));
      try {
        images[&argument] = argument.as == LaunchList::Argument::As::kTexture
                                ? device.create_texture(it->second, argument.image)
                                : device.create_surface(it->second, argument.image);
      } catch (const InputError& error) {
        throw InputError(argument.place.empty() ? error.what() : argument.place + ": " + error.what());
      }
    }
  }

  std::vector<std::size_t> order(list.launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return list.launches[a].start_us < list.launches[b].start_us;
  });
  const SimTime begin = device.host().now();
  for (std::size_t i : order) {
    const auto& launch = list.launches[i];
    const SimTime due = begin + start_of[i];
    if (due > device.host().now()) device.host().sleep(due - device.host().now());
    rt::Args arguments;
    for (const auto& argument : launch.arguments) {
      if (argument.buffer.empty()) {
        arguments.add(argument.bytes.data(), argument.bytes.size());
        continue;
      }
      if (argument.as != LaunchList::Argument::As::kAddress) {
        arguments.add(&images.at(&argument), sizeof(rt::ImageHandle));
        continue;
      }
      const auto it = addresses.find(argument.buffer);
      if (it == addresses.end()) throw located(launch, fmt::format("no buffer '{}'", argument.buffer));
      arguments.add(&it->second, sizeof it->second);
    }
    rt::LaunchOptions options;
    options.name = launch.name;
    options.dynamic_shared_bytes = launch.dynamic_shared_bytes;
    options.registers = launch.registers;
    options.budget = launch.budget;
    options.deadline_us = launch.deadline_us;
    try {
      device.launch(kernels[i], rt::Dim3(launch.grid[0], launch.grid[1], launch.grid[2]),
                    rt::Dim3(launch.block[0], launch.block[1], launch.block[2]), arguments, stream_of[i],
                    options);
    } catch (const InputError& error) {
      throw located(launch, error.what());
    }
  }
  device.synchronize();

  std::map<std::string, std::vector<std::uint8_t>> result;
  for (const std::string& name : list.read_back) {
    const auto it = addresses.find(name);
    if (it == addresses.end()) throw InputError(fmt::format("no buffer '{}' to read back", name));
    const auto buffer = std::find_if(list.buffers.begin(), list.buffers.end(),
                                     [&](const LaunchList::Buffer& b) { return b.name == name; });
    std::vector<std::uint8_t>& bytes = result[name];
    bytes.resize(buffer->contents.size());
    device.copy_to_host(bytes.data(), it->second, bytes.size());
  }
  return result;
}

}  // namespace warpvp::apps
