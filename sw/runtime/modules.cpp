// The upper half of the runtime: device memory, modules, kernels and launches.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "interconnect/kernel_descriptor.h"
#include "ptx/image/kernel_image.h"
#include "sw/runtime/context_fault.h"
#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

namespace {
std::uint64_t whole_pages(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = HostInterface::kPageBytes;
  return (std::max<std::uint64_t>(bytes, 1) + kPage - 1) / kPage * kPage;
}
}  // namespace

DevicePtr RuntimeImpl::allocate(std::uint64_t bytes, std::uint64_t alignment, unsigned context,
                                const std::string& what) {
  if (const auto address = memory_.allocate(bytes, alignment, context)) return *address;
  exhausted(what, bytes);
}

void RuntimeImpl::exhausted(const std::string& what, std::uint64_t bytes) const {
  throw DeviceMemoryExhausted(
      fmt::format("device memory exhausted: {} of {} bytes asked for, {} of {} bytes in use; raise "
                  "platform.memory.capacity_mib or choose a smaller workload",
                  what, bytes, memory_.bytes_in_use(), memory_.size()));
}

DevicePtr RuntimeImpl::malloc(std::size_t bytes, unsigned context) {
  check_context(context, "malloc");
  return allocate(bytes, 256, context, "an allocation");
}

DevicePtr RuntimeImpl::malloc_pages(std::size_t bytes, unsigned context) {
  check_context(context, "malloc_pages");
  const std::uint64_t whole = whole_pages(bytes);
  if (const auto address = memory_.allocate_last(whole, HostInterface::kPageBytes, context)) return *address;
  exhausted("an allocation of pages", whole);
}

bool RuntimeImpl::grow(DevicePtr begin, std::size_t bytes, unsigned context) {
  check_context(context, "grow");
  return memory_.grow(begin, bytes, context);
}

void RuntimeImpl::free(DevicePtr pointer) {
  if (pointer == 0) return;
  if (!ended()) {
    try {
      synchronize();  // as in CUDA: work that uses the memory ends first
    } catch (const ContextFault&) {
      // Nothing uses it any more. The next other call says so: this one may be a destructor's.
    }
  }
  if (!memory_.release(pointer))
    throw InputError(fmt::format("free: {:#x} is not the start of an allocation", pointer));
}

std::optional<Runtime::Allocation> RuntimeImpl::allocation_at(DevicePtr address) const {
  const auto range = memory_.range_of(address);
  if (!range || range->owner >= services_.next_context) return std::nullopt;
  return Allocation{range->begin, range->end - range->begin, range->owner};
}

void RuntimeImpl::check_range(DevicePtr pointer, std::size_t bytes, const char* what) const {
  if (bytes == 0) return;
  const auto range = memory_.range_of(pointer);
  if (!range)
    throw InputError(fmt::format("{}: {:#x} is not in an allocation of device memory", what, pointer));
  if (bytes > range->end - pointer)
    throw InputError(
        fmt::format("{}: {} bytes at {:#x} run past the end of the allocation, {} bytes are left", what,
                    bytes, pointer, range->end - pointer));
}

// ---- Modules

RuntimeImpl::LoadedModule& RuntimeImpl::module(ModuleHandle m, const char* call) {
  if (m.id < modules_.size()) return modules_[m.id];
  throw InputError(fmt::format("{}: no module {}; {} are loaded", call, m.id, modules_.size()));
}

RuntimeImpl::Entry& RuntimeImpl::entry(Kernel k, const char* call) {
  LoadedModule& m = module(ModuleHandle{k.module}, call);
  if (k.entry < m.entries.size()) return m.entries[k.entry];
  throw InputError(fmt::format("{}: no kernel {} in {}", call, k.entry, m.path));
}

void RuntimeImpl::check_context(unsigned context, const char* call) const {
  if (context >= services_.next_context)
    throw InputError(fmt::format("{}: no context {}; there are {}", call, context, services_.next_context));
}

ModuleHandle RuntimeImpl::load_module(const std::string& ptx_path, unsigned context) {
  check_context(context, "load_module");
  return place_module(ptx_path, context, services_.loader->load(ptx_path));
}

ModuleHandle RuntimeImpl::load_module_text(const std::string& name, const std::string& ptx,
                                           unsigned context) {
  check_context(context, "load_module_text");
  return place_module(name, context, services_.loader->parse(name, ptx));
}

ModuleHandle RuntimeImpl::place_module(const std::string& name, unsigned context,
                                       std::unique_ptr<ptx::LoadableModule> module) {
  LoadedModule loaded;
  loaded.path = name;
  loaded.context = context;
  loaded.module = std::move(module);
  // Memory that was used before is not zero: what has no initial value gets one.
  for (const ptx::ModuleVariable& variable : loaded.module->variables()) {
    std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1), alignment = variable.alignment;
    // The CPU may want it too (share_device_memory).
    if (variable.managed) bytes = whole_pages(bytes), alignment = HostInterface::kPageBytes;
    const DevicePtr at = allocate(bytes, alignment, context, "variable " + variable.name);
    loaded.symbols[variable.name] = at;
    if (!variable.has_value) memset_async(at, 0, bytes, Stream{0});
  }
  synchronize(Stream{0});
  loaded.module->place([&](const ptx::ModuleVariable& v) { return loaded.symbols.at(v.name); },
                       [&](std::uint64_t address, const std::vector<std::uint8_t>& bytes) {
                         host_.write(address, bytes.data(), bytes.size());
                       });
  modules_.push_back(std::move(loaded));
  return ModuleHandle{static_cast<unsigned>(modules_.size() - 1)};
}

Kernel RuntimeImpl::kernel(ModuleHandle handle, const std::string& name) {
  LoadedModule& m = module(handle, "kernel");
  Entry entry;
  entry.facts = m.module->kernel(name);
  for (unsigned i = 0; i < m.entries.size(); ++i)
    if (m.entries[i].facts.name == entry.facts.name) return Kernel{handle.id, i};
  const std::uint64_t heap_bytes = std::uint64_t{services_.config.heap_kib} << 10;
  if (entry.facts.uses_heap && !memory_.create_heap(heap_bytes, m.context)) {
    throw InputError(
        fmt::format("device memory exhausted: kernel '{}' uses malloc and needs a heap of {} bytes "
                    "(platform.runtime.heap_kib); {} of {} bytes are in use",
                    name, heap_bytes, memory_.bytes_in_use(), memory_.size()));
  }
  // Instructions are fetched from addresses of their own, 16 bytes each as on the chip: the image is longer,
  // and what the pipeline fetches has no bytes.
  entry.code = allocate(entry.facts.code_bytes, 256, m.context, "code of " + name);
  load_image(m, entry);
  m.entries.push_back(std::move(entry));
  return Kernel{handle.id, static_cast<unsigned>(m.entries.size() - 1)};
}

// At the end of memory and the driver's: there it moves no allocation of a program, and no kernel reaches it.
void RuntimeImpl::load_image(LoadedModule& module, Entry& entry) {
  const std::vector<std::uint8_t> image = module.module->image(entry.facts.name, entry.code);
  const auto at = memory_.allocate_last(image.size(), ptx::image::kAlignment, memory_owner::kDriver);
  if (!at) exhausted("image of kernel " + entry.facts.name, image.size());
  entry.image = *at;
  entry.image_bytes = static_cast<std::uint32_t>(image.size());
  if (services_.config.load_images == "free") return host_.write_untimed(*at, image.data(), image.size());
  copy_mapped(const_cast<std::uint8_t*>(image.data()), *at, image.size(), true, Stream{0});
  synchronize(Stream{0});
}

std::vector<ParameterInfo> RuntimeImpl::parameters(Kernel kernel) {
  std::vector<ParameterInfo> all;
  for (const ptx::KernelParameter& p : entry(kernel, "parameters").facts.parameters)
    all.push_back({p.name, p.type, p.bytes, p.offset});
  return all;
}

KernelNeeds RuntimeImpl::needs(Kernel kernel) {
  const ptx::KernelFacts& facts = entry(kernel, "needs").facts;
  return {facts.registers_per_thread, facts.static_shared_bytes, facts.local_bytes_per_thread,
          facts.max_threads};
}

DeviceInfo RuntimeImpl::device_info() const {
  DeviceInfo info;
  info.name = services_.config.device_name;
  info.capability = static_cast<std::uint32_t>(std::lround(services_.config.compute_capability * 10));
  info.sm = services_.resources;
  info.copy_engines = services_.copy_engines;
  info.memory_base = regmap::kMemoryBase;
  info.memory_bytes = memory_.size();
  info.memory_in_use = memory_.bytes_in_use();
  info.l2_bytes = services_.l2_bytes;
  info.memory_bus_bits = services_.memory_bus_bits;
  if (info.memory_bus_bits != 0)
    info.memory_clock_mhz = services_.memory_bytes_per_second / (2 * info.memory_bus_bits / 8.0) / 1e6;
  return info;
}

void RuntimeImpl::set_printer(std::function<void(const std::string&)> print, unsigned context) {
  check_context(context, "set_printer");
  if (print)
    services_.printers[context] = std::move(print);
  else
    services_.printers.erase(context);
}

DevicePtr RuntimeImpl::symbol(ModuleHandle handle, const std::string& name) {
  const LoadedModule& m = module(handle, "symbol");
  return m.symbols.at(m.module->variable(name).name);
}

std::uint64_t RuntimeImpl::symbol_bytes(ModuleHandle handle, const std::string& name) {
  return module(handle, "symbol_bytes").module->variable(name).bytes;
}

DevicePtr RuntimeImpl::object_of(Entry& entry, unsigned registers, unsigned context) {
  const auto it = entry.objects.find(registers);
  if (it != entry.objects.end()) return it->second;
  const ptx::KernelFacts& facts = entry.facts;
  KernelDescriptor descriptor;
  descriptor.registers_per_thread = registers;
  descriptor.code_address = entry.code;
  descriptor.code_bytes = static_cast<std::uint32_t>(facts.code_bytes);
  descriptor.param_bytes = facts.parameter_bytes;
  descriptor.static_shared_bytes = facts.static_shared_bytes;
  descriptor.barriers = facts.barriers;
  descriptor.max_threads = facts.max_threads;
  descriptor.local_bytes_per_thread = facts.local_bytes_per_thread;
  descriptor.image_address = entry.image;
  descriptor.image_bytes = entry.image_bytes;
  const DevicePtr object = allocate(sizeof descriptor, 256, context, "kernel descriptor of " + facts.name);
  host_.write(object, &descriptor, sizeof descriptor);
  entry.objects[registers] = object;
  return object;
}

// ---- Launches

unsigned RuntimeImpl::occupancy(Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes,
                                unsigned registers) {
  const ptx::KernelFacts& facts = entry(kernel, "occupancy").facts;
  return cta_needs(services_.resources, block_threads,
                   registers != 0 ? registers : facts.registers_per_thread,
                   facts.static_shared_bytes + dynamic_shared_bytes, facts.barriers)
      .most_ctas;
}

void RuntimeImpl::check_launch(const Entry& entry, Dim3 grid, Dim3 block, const Args& args,
                               const LaunchOptions& options) const {
  const ptx::KernelFacts& facts = entry.facts;
  const SmResources& sm = services_.resources;
  const std::string kernel = fmt::format("kernel '{}'", facts.name);
  const auto fail = [&](const std::string& what) { throw InputError(kernel + ": " + what); };

  const auto& values = args.values();
  if (values.size() != facts.parameters.size()) {
    std::string wanted;
    for (const ptx::KernelParameter& p : facts.parameters)
      wanted += (wanted.empty() ? "" : ", ") + p.type + " " + p.name;
    fail(fmt::format("{} arguments given, {} expected{}{}{}", values.size(), facts.parameters.size(),
                     wanted.empty() ? "" : " (", wanted, wanted.empty() ? "" : ")"));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].size() != facts.parameters[i].bytes)
      fail(fmt::format("argument {} has {} bytes, parameter {} {} takes {}", i, values[i].size(),
                       facts.parameters[i].type, facts.parameters[i].name, facts.parameters[i].bytes));
  }

  // CUDA's limits of dimensions, and the packet's: grid sizes count work-items in 32 bits.
  const std::uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  constexpr std::uint32_t kMostGrid[3] = {0x7fffffffu, 65535u, 65535u}, kMostBlockZ = 64;
  std::uint64_t threads = 1;
  for (int d = 0; d < 3; ++d) {
    const char axis = "xyz"[d];
    if (g[d] == 0 || g[d] > kMostGrid[d])
      fail(fmt::format("grid.{} is {}, allowed are 1 to {}", axis, g[d], kMostGrid[d]));
    const std::uint32_t most = d == 2 ? std::min(kMostBlockZ, sm.threads_per_cta) : sm.threads_per_cta;
    if (b[d] == 0 || b[d] > most) fail(fmt::format("block.{} is {}, allowed are 1 to {}", axis, b[d], most));
    if (std::uint64_t{g[d]} * b[d] > 0xffffffffu)
      fail(fmt::format("grid.{} times block.{} is {}, more than 2^32 - 1 work-items", axis, axis,
                       std::uint64_t{g[d]} * b[d]));
    threads *= b[d];
  }
  if (std::uint64_t{g[0]} * g[1] * g[2] > kMostCtas)
    fail(fmt::format("a grid of {} x {} x {} has {} CTAs, at most {} are allowed", g[0], g[1], g[2],
                     std::uint64_t{g[0]} * g[1] * g[2], kMostCtas));
  if (threads > sm.threads_per_cta)
    fail(fmt::format("a block of {} x {} x {} has {} threads, at most {} are allowed", b[0], b[1], b[2],
                     threads, sm.threads_per_cta));
  if (facts.max_threads != 0 && threads > facts.max_threads)
    fail(fmt::format("a block of {} threads, but .maxntid allows {}", threads, facts.max_threads));
  const auto& required = facts.required_block;
  if (required[0] != 0 && (required[0] != b[0] || required[1] != b[1] || required[2] != b[2]))
    fail(fmt::format("a block of {} x {} x {}, but .reqntid requires {} x {} x {}", b[0], b[1], b[2],
                     required[0], required[1], required[2]));
  if (options.budget == 0) fail("budget is 0, it must be at least 1");

  const std::uint64_t shared = std::uint64_t{facts.static_shared_bytes} + options.dynamic_shared_bytes;
  if (shared > sm.shared_bytes_per_cta)
    fail(fmt::format("a CTA needs {} bytes of shared memory ({} static, {} dynamic), at most {} are allowed",
                     shared, facts.static_shared_bytes, options.dynamic_shared_bytes,
                     sm.shared_bytes_per_cta));
  const unsigned registers = options.registers != 0 ? options.registers : facts.registers_per_thread;
  const CtaNeeds needs = cta_needs(sm, static_cast<std::uint32_t>(threads), registers,
                                   static_cast<std::uint32_t>(shared), facts.barriers);
  if (needs.most_ctas == 0)
    fail(fmt::format(
        "a CTA never fits on an SM, for lack of {}: it needs {} warps, {} registers ({} a thread), {} "
        "bytes of shared memory and {} barriers; an SM has {}, {}, {} and {}",
        needs.limited_by, needs.warps, needs.registers, registers, needs.shared_bytes, needs.barriers,
        sm.warps, sm.registers, sm.shared_bytes, sm.barriers));
}

void RuntimeImpl::launch(Kernel kernel, Dim3 grid, Dim3 block, const Args& args, Stream s,
                         const LaunchOptions& options) {
  StreamState& st = stream(s, "launch");
  Entry& e = entry(kernel, "launch");
  const LoadedModule& m = modules_[kernel.module];
  if (m.context != st.context)
    throw InputError(fmt::format("kernel '{}' of context {} launched into stream '{}' of context {}",
                                 e.facts.name, m.context, st.name, st.context));
  check_launch(e, grid, block, args, options);
  const ptx::KernelFacts& facts = e.facts;
  const unsigned registers = options.registers != 0 ? options.registers : facts.registers_per_thread;

  LaunchInfo info;
  info.name = options.name.empty() ? e.facts.name : options.name;
  info.entry = e.facts.name;
  info.file = facts.file;
  info.stream = st.name;
  info.stream_id = st.id;
  info.queue = queues_[st.queue].number;
  info.context = st.context;
  info.priority = st.priority;
  info.budget = options.budget;
  info.deadline_us = options.deadline_us;
  info.job = st.job;
  check_batch(st, options.batch, info.name);
  for (const Job& of : options.batch) info.batch.push_back(of.id);
  if (st.job != 0 && options.deadline_us != 0)
    throw InputError(fmt::format(
        "launch of '{}': a launch of a job has the job's deadline; give it to begin_job", info.name));
  if (!(options.expected_us >= 0 && options.expected_us <= kLongestExpectedUs))
    throw InputError(
        fmt::format("launch of '{}': an expected time of {} us; allowed: from 0 (not known) to {}", info.name,
                    options.expected_us, kLongestExpectedUs));
  info.registers_per_thread = registers;
  info.static_shared_bytes = facts.static_shared_bytes;
  info.dynamic_shared_bytes = options.dynamic_shared_bytes;
  info.enqueued = host_.now();

  aql::KernelDispatch packet;
  const std::uint32_t g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  for (int d = 0; d < 3; ++d) {
    info.grid[d] = g[d];
    info.block[d] = b[d];
    packet.workgroup_size[d] = static_cast<std::uint16_t>(b[d]);
    packet.grid_size[d] = g[d] * b[d];
  }
  packet.group_segment_size = facts.static_shared_bytes + options.dynamic_shared_bytes;
  packet.kernel_object = object_of(e, registers, m.context);

  std::vector<std::uint8_t> arguments(facts.parameter_bytes, 0);
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const auto& value = args.values()[i];
    std::copy(value.begin(), value.end(), arguments.begin() + facts.parameters[i].offset);
  }
  aql::Extension extension;
  extension.budget = options.budget;
  if (options.deadline_us != 0)
    extension.deadline_ns =
        static_cast<std::uint64_t>(host_.now().to_seconds() * 1e9) + options.deadline_us * 1000;
  extension.expected_ns = static_cast<std::uint32_t>(std::lround(options.expected_us * 1000));
  extension.launch_id = services_.launches.add(std::move(info));
  submit(st, packet, aql::PacketType::kKernelDispatch, extension, arguments, 0, nullptr, options.batch);
}

}  // namespace warpvp::rt
