#include "tests/apps/functional_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/error.h"
#include "tests/support/code_mode.h"

namespace warpvp::test {

struct FunctionalDevice::LoadedModule {
  std::unique_ptr<ptx::Module> module;
  std::map<std::string, std::uint64_t> symbols;
  std::vector<std::shared_ptr<ptx::Program>> programs;
};

FunctionalDevice::FunctionalDevice(unsigned sms) : sms_(sms), memory_(64u << 20), runner_(memory_) {
  runner_.print = [this](const std::string& text) { printed_ += text; };
}
FunctionalDevice::~FunctionalDevice() = default;

unsigned FunctionalDevice::create_context() { return next_context_++; }
rt::Stream FunctionalDevice::create_stream(const rt::StreamOptions&) { return {next_stream_++}; }

rt::DevicePtr FunctionalDevice::malloc(std::size_t bytes, unsigned) {
  const std::uint64_t address = memory_.allocate(bytes);
  // What fresh memory holds is not defined; something else than zero shows who relies on it.
  const std::vector<std::uint8_t> pattern(bytes, 0xa5);
  memory_.write(address, pattern.data(), bytes);
  ++allocations_;
  return address;
}
void FunctionalDevice::free(rt::DevicePtr pointer) {
  memory_.release(pointer);
  --allocations_;
}

std::optional<rt::Runtime::Allocation> FunctionalDevice::allocation_at(rt::DevicePtr address) const {
  const auto range = memory_.range_of(address, 0);
  if (address < range.begin || address >= range.end) return std::nullopt;
  return Allocation{range.begin, range.end - range.begin, 0};
}

void FunctionalDevice::require_allocated(rt::DevicePtr pointer, std::size_t bytes) const {
  const auto range = memory_.range_of(pointer, 0);
  if (pointer < range.begin || pointer + bytes > range.end) throw InputError("copy outside an allocation");
}
void FunctionalDevice::copy_to_device_async(rt::DevicePtr d, const void* s, std::size_t n, rt::Stream) {
  require_allocated(d, n);
  memory_.write(d, s, n);
}
void FunctionalDevice::copy_to_host_async(void* d, rt::DevicePtr s, std::size_t n, rt::Stream) {
  require_allocated(s, n);
  memory_.read(s, d, n);
}
void FunctionalDevice::copy_on_device_async(rt::DevicePtr d, rt::DevicePtr s, std::size_t n,
                                            rt::Stream stream) {
  std::vector<std::uint8_t> bytes(n);
  copy_to_host_async(bytes.data(), s, n, stream);
  copy_to_device_async(d, bytes.data(), n, stream);
}
void FunctionalDevice::memset_async(rt::DevicePtr d, std::uint8_t value, std::size_t n, rt::Stream stream) {
  copy_to_device_async(d, std::vector<std::uint8_t>(n, value).data(), n, stream);
}

rt::ModuleHandle FunctionalDevice::load_module(const std::string& ptx_path, unsigned) {
  return place(ptx::Module::load(ptx_path, code_mode()));
}
rt::ModuleHandle FunctionalDevice::load_module_text(const std::string& name, const std::string& ptx,
                                                    unsigned) {
  return place(ptx::Module::parse(ptx, name, code_mode()));
}
rt::ModuleHandle FunctionalDevice::place(std::unique_ptr<ptx::Module> module) {
  auto loaded = std::make_unique<LoadedModule>();
  loaded->module = std::move(module);
  loaded->module->place(
      [&](const ptx::GlobalVariable& variable) {
        const std::uint64_t address = memory_.allocate(std::max<std::uint64_t>(variable.bytes, 1));
        loaded->symbols[variable.name] = address;
        return address;
      },
      [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
        memory_.write(address, bytes.data(), bytes.size());
      });
  modules_.push_back(std::move(loaded));
  return {static_cast<unsigned>(modules_.size() - 1)};
}
rt::Kernel FunctionalDevice::kernel(rt::ModuleHandle module, const std::string& entry) {
  LoadedModule& loaded = *modules_.at(module.id);
  loaded.programs.push_back(loaded.module->entry(entry));
  return {module.id, static_cast<unsigned>(loaded.programs.size() - 1)};
}
std::vector<rt::ParameterInfo> FunctionalDevice::parameters(rt::Kernel kernel) {
  std::vector<rt::ParameterInfo> all;
  for (const ptx::Param& p : modules_.at(kernel.module)->programs.at(kernel.entry)->params)
    all.push_back({p.name, p.type, p.bytes, p.offset});
  return all;
}
rt::DevicePtr FunctionalDevice::symbol(rt::ModuleHandle module, const std::string& name) {
  return modules_.at(module.id)->symbols.at(name);
}

void FunctionalDevice::bind_texture(rt::ModuleHandle module, const std::string& name, rt::DevicePtr pointer,
                                    const rt::TextureDescription& description) {
  const ptx::ImageDescriptor descriptor = ptx::make_texture_descriptor(name, pointer, description);
  require_allocated(pointer, ptx::image_bytes(descriptor));
  memory_.write(symbol(module, name), &descriptor, sizeof descriptor);
}

rt::ImageHandle FunctionalDevice::create_texture(rt::DevicePtr memory,
                                                 const rt::TextureDescription& description) {
  return create_image(memory, ptx::make_texture_descriptor("object", memory, description));
}
rt::ImageHandle FunctionalDevice::create_surface(rt::DevicePtr memory,
                                                 const rt::SurfaceDescription& description) {
  return create_image(memory, ptx::make_surface_descriptor("object", memory, description));
}
rt::ImageHandle FunctionalDevice::create_image(rt::DevicePtr memory, const ptx::ImageDescriptor& descriptor) {
  require_allocated(memory, ptx::image_bytes(descriptor));
  const rt::ImageHandle handle = malloc(sizeof descriptor, 0);
  memory_.write(handle, &descriptor, sizeof descriptor);
  return handle;
}
void FunctionalDevice::destroy_image(rt::ImageHandle handle) { free(handle); }

void FunctionalDevice::launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
                              rt::Stream s, const rt::LaunchOptions& options) {
  const ptx::Program& program = *modules_.at(kernel.module)->programs.at(kernel.entry);
  if (args.values().size() != program.params.size()) {
    throw InputError(fmt::format("{} takes {} arguments, got {}", program.name, program.params.size(),
                                 args.values().size()));
  }
  std::vector<std::uint8_t> params(program.param_bytes);
  for (std::size_t i = 0; i < program.params.size(); ++i) {
    const std::vector<std::uint8_t>& value = args.values()[i];
    if (value.size() != program.params[i].bytes) {
      throw InputError(fmt::format("argument {} of {} has {} bytes, got {}", i, program.name,
                                   program.params[i].bytes, value.size()));
    }
    std::copy(value.begin(), value.end(), params.begin() + program.params[i].offset);
  }
  runner_.limit = instruction_limit;
  const ptx::FunctionalResult result = runner_.run(
      program, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, params, options.dynamic_shared_bytes);
  if (result.fault) throw std::runtime_error(result.fault->summary() + "\n" + result.fault->detail);
  launches_.push_back(
      {program.name, options.name, s.id, options.budget, grid.x * grid.y * grid.z, result.warp_instructions});
}

unsigned FunctionalDevice::occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes,
                                     unsigned given_registers) {
  const ptx::Program& program = *modules_.at(kernel.module)->programs.at(kernel.entry);
  const unsigned threads = (block_threads + 31) / 32 * 32;
  const unsigned registers =
      std::max(given_registers != 0 ? given_registers : program.registers_per_thread, 1u);
  const unsigned shared = std::max(program.static_shared_bytes + dynamic_shared_bytes, 1u);
  return std::min({32u, 2048 / threads, 65536 / (registers * threads), 98304 / shared});
}

}  // namespace warpvp::test
