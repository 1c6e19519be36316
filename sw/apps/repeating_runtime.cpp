#include "sw/apps/repeating_runtime.h"

#include <algorithm>

namespace warpvp::apps {

using rt::DevicePtr;
using rt::Stream;

void RepeatingRuntime::add(Stream s, Command command, bool launch) {
  steps_.push_back({s, std::move(command), launch});
}

void RepeatingRuntime::flush() {
  if (steps_.empty()) return;
  const bool launches =
      std::any_of(steps_.begin(), steps_.end(), [](const Step& step) { return step.launch; });
  if (launches && rounds_++ == chosen_) repeat_round();
  const std::vector<Step> steps = std::move(steps_);
  steps_.clear();
  for (const Step& step : steps) step.command(step.stream, {});
}

void RepeatingRuntime::repeat_round() {
  inner_.synchronize();
  std::map<DevicePtr, std::vector<std::uint8_t>> kept;
  for (const auto& [pointer, bytes] : allocated_) {
    std::vector<std::uint8_t>& copy = kept[pointer];
    copy.resize(bytes);
    inner_.copy_to_host_async(copy.data(), pointer, bytes, Stream{0});
  }
  inner_.synchronize();
  repeat_([this](Stream s, const std::string& name) {
    for (const Step& step : steps_) step.command(s, name);
  });
  inner_.synchronize();
  for (const auto& [pointer, copy] : kept)
    inner_.copy_to_device_async(pointer, copy.data(), copy.size(), Stream{0});
  inner_.synchronize();
}

bool RepeatingRuntime::finish() {
  flush();
  inner_.synchronize();
  return rounds_ > chosen_;
}

DevicePtr RepeatingRuntime::malloc(std::size_t bytes, unsigned context) {
  const DevicePtr pointer = inner_.malloc(bytes, context);
  if (bytes != 0) allocated_[pointer] = bytes;
  return pointer;
}

void RepeatingRuntime::free(DevicePtr pointer) {
  flush();
  allocated_.erase(pointer);
  inner_.free(pointer);
}

void RepeatingRuntime::copy_to_device_async(DevicePtr destination, const void* source, std::size_t bytes,
                                            Stream s) {
  flush();
  inner_.copy_to_device_async(destination, source, bytes, s);
}

void RepeatingRuntime::copy_to_host_async(void* destination, DevicePtr source, std::size_t bytes, Stream s) {
  flush();
  inner_.copy_to_host_async(destination, source, bytes, s);
}

void RepeatingRuntime::copy_on_device_async(DevicePtr destination, DevicePtr source, std::size_t bytes,
                                            Stream s) {
  add(
      s, [=](Stream to, const std::string&) { inner_.copy_on_device_async(destination, source, bytes, to); },
      false);
}

void RepeatingRuntime::memset_async(DevicePtr destination, std::uint8_t value, std::size_t bytes, Stream s) {
  add(
      s, [=](Stream to, const std::string&) { inner_.memset_async(destination, value, bytes, to); }, false);
}

void RepeatingRuntime::launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
                              Stream s, const rt::LaunchOptions& options) {
  add(
      s,
      [=](Stream to, const std::string& name) {
        rt::LaunchOptions named = options;
        if (!name.empty()) named.name = name;
        if (budget_ != 0) named.budget = budget_;
        inner_.launch(kernel, grid, block, args, to, named);
      },
      true);
}

void RepeatingRuntime::bind_texture(rt::ModuleHandle module, const std::string& name, DevicePtr pointer,
                                    const rt::TextureDescription& description) {
  flush();
  inner_.bind_texture(module, name, pointer, description);
}

void RepeatingRuntime::destroy_image(rt::ImageHandle handle) {
  flush();
  inner_.destroy_image(handle);
}

rt::Event RepeatingRuntime::record(Stream s) {
  flush();
  return inner_.record(s);
}

rt::Event RepeatingRuntime::mark(Stream s) {
  flush();
  return inner_.mark(s);
}

void RepeatingRuntime::wait(Stream s, rt::Event e) {
  flush();
  inner_.wait(s, e);
}

void RepeatingRuntime::synchronize(rt::Event e) {
  flush();
  inner_.synchronize(e);
}

void RepeatingRuntime::synchronize(Stream s) {
  flush();
  inner_.synchronize(s);
}

void RepeatingRuntime::synchronize() {
  flush();
  inner_.synchronize();
}

rt::Job RepeatingRuntime::begin_job(Stream s, const rt::JobOptions& options) {
  flush();
  return inner_.begin_job(s, options);
}

HostInterface& RepeatingRuntime::host() {
  flush();
  return inner_.host();
}

}  // namespace warpvp::apps
