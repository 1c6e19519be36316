#include "sw/cuda/server/client_session.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "interconnect/host_interface.h"
#include "ptx/link.h"
#include "sw/cuda/server/device_runtime.h"
#include "sw/cuda/server/fat_binary.h"
#include "sw/cuda/server/fault_text.h"
#include "sw/cuda/server/source_lines.h"
#include "sw/runtime/context_fault.h"
#include "sw/runtime/request_runtime.h"

namespace warpvp::cuda {

namespace {
/// What asking whether something has ended takes the CPU. Without it a program that asks until it has would
/// ask forever, as no time passes between calls.
constexpr double kQueryUs = 1;
/// CUDA has six priorities on current chips: 0 and five that are more urgent.
constexpr std::int32_t kGreatestPriority = -5;
/// What a CTA may have of shared memory without asking for more (CUDA C++ Programming Guide, technical
/// specifications).
constexpr std::uint32_t kSharedWithoutOptIn = 49152;
constexpr std::uint64_t kWorkspaceBytes = 256;
}  // namespace

ClientSession::ClientSession(rt::Runtime& device, std::function<void(const std::string&)> tell,
                             std::string& printed)
    : device_(device),
      tell_(std::move(tell)),
      printed_(printed),
      info_(device.device_info()),
      name_("program") {
  streams_.emplace_back();
  streams_[0].stream = rt::Stream{0};
}

ClientSession::~ClientSession() {
  if (given_ >= 0) close(given_);
}

void ClientSession::answer(Call call, std::vector<std::uint8_t>& request, Header& header,
                           std::vector<std::uint8_t>& bytes) {
  Reader in(request.data(), request.size());
  request_ = &request;
  out_.clear();
  deliveries_.clear();
  delivered_ = 0;
  give(-1);
  Error error;
  try {
    error = fault_.empty() ? carry_out(call, in) : fault_error_;
    if (error == kSuccess && !in.good()) error = kInvalidValue;
  } catch (const rt::ContextFault& fault) {
    end_by(fault.what());
    error = fault_error_;
  } catch (const rt::RequestRejected&) {
    // As its scheduler tells it; the context goes on. What should have come of the request is not there, and
    // the program may have given up the memory that it was to come to.
    error = kNotPermitted;
    const auto is_result = [&](const Held& held) { return held.to != 0 && device_.completed(held.end); };
    held_.erase(std::remove_if(held_.begin(), held_.end(), is_result), held_.end());
  } catch (const NoPtx& none) {
    tell_(none.what());
    error = kNoKernelImageForDevice;
  } catch (const InputError& wrong) {
    tell_(wrong.what());
    error = call == Call::kAllocate     ? kMemoryAllocation
            : call == Call::kLoadModule ? kInvalidPtx
            : call == Call::kLink       ? kInvalidPtx
            : call == Call::kKernel     ? kInvalidDeviceFunction
            : call == Call::kVariable   ? kInvalidSymbol
            : call == Call::kLaunch     ? kInvalidConfiguration
                                        : kInvalidValue;
  }
  if (error != kSuccess) out_.clear();
  deliver_print();
  header.what = error;
  header.deliveries = delivered_;
  deliveries_.put_bytes(out_.bytes().data(), out_.bytes().size());
  deliveries_.exchange(bytes);
  header.bytes = bytes.size();
}

void ClientSession::end_by(const std::string& fault) {
  fault_ = fault;
  held_.clear();
  const FaultText read = read_fault(fault);
  fault_error_ = read.error;
  if (!read.place || read.place->module == 0 || read.place->module > modules_.size()) return;
  const std::string source = source_of(modules_[read.place->module - 1].ptx, read.place->line);
  if (!source.empty()) tell_(fmt::format("{}: fault in {}", source, plain_name(read.place->kernel)));
}

void ClientSession::deliver_print() {
  if (printed_.empty()) return;
  deliveries_.put(std::uint64_t{0}).put(static_cast<std::uint64_t>(printed_.size()));
  deliveries_.put_bytes(printed_.data(), printed_.size());
  ++delivered_;
  printed_.clear();
}

void ClientSession::wait_at_end() {
  try {
    device_.synchronize();
  } catch (const rt::RequestRejected&) {  // and nobody is left to be told
  }
}

void ClientSession::end() {
  try {
    if (fault_.empty()) {
      wait_at_end();
      for (const std::uint64_t image : images_) device_.destroy_image(image);
      for (const auto& [address, bytes] : allocated_) device_.free(address);
    }
  } catch (const rt::ContextFault& fault) {
    end_by(fault.what());
  }
  images_.clear();
  allocated_.clear();
  shared_.clear();
  held_.clear();
}

Error ClientSession::carry_out(Call call, Reader& in) {
  switch (call) {
    case Call::kHello:
      return hello(in);
    case Call::kLoadModule:
      return load_module(in);
    case Call::kLink:
      return link(in);
    case Call::kKernel:
      return kernel(in);
    case Call::kVariable:
      return variable(in);
    case Call::kAllocate:
      return allocate(in, false);
    case Call::kFree:
      return free(in);
    case Call::kCopyIn:
      return copy_in(in);
    case Call::kCopyOut:
      return copy_out(in);
    case Call::kCopyOnDevice:
      return copy_on_device(in);
    case Call::kFill:
      return fill(in);
    case Call::kLaunch:
      return launch(in);
    case Call::kCreateStream:
      return create_stream(in);
    case Call::kDestroyStream: {
      const auto id = in.get<std::uint64_t>();
      if (id == kLegacyStream || stream(id) == nullptr) return kInvalidResourceHandle;
      streams_[id].alive = false;
      return kSuccess;
    }
    case Call::kSynchronizeStream: {
      const auto id = in.get<std::uint64_t>();
      if (stream(id) == nullptr) return kInvalidResourceHandle;
      // What waits for the legacy stream, and what that waits for, is waited for with it.
      device_.synchronize(enter(id));
      deliver();
      return kSuccess;
    }
    case Call::kQueryStream: {
      const StreamEntry* const entry = stream(in.get<std::uint64_t>());
      if (entry == nullptr) return kInvalidResourceHandle;
      return entry->commands == 0 ? kSuccess : query(device_.mark(entry->stream));
    }
    case Call::kStreamWaits:
      return stream_waits(in);
    case Call::kCreateEvent:
      events_.emplace_back();
      out_.put(static_cast<std::uint64_t>(events_.size()));
      return kSuccess;
    case Call::kDestroyEvent: {
      EventEntry* const entry = event(in.get<std::uint64_t>());
      if (entry == nullptr) return kInvalidResourceHandle;
      entry->alive = false;
      return kSuccess;
    }
    case Call::kRecordEvent: {
      EventEntry* const entry = event(in.get<std::uint64_t>());
      const auto id = in.get<std::uint64_t>();
      if (entry == nullptr || stream(id) == nullptr) return kInvalidResourceHandle;
      entry->event = device_.record(enter(id));
      entry->recorded = true;
      entered(id);
      return kSuccess;
    }
    case Call::kSynchronizeEvent: {
      EventEntry* const entry = event(in.get<std::uint64_t>());
      if (entry == nullptr) return kInvalidResourceHandle;
      if (entry->recorded) device_.synchronize(entry->event);
      deliver();
      return kSuccess;
    }
    case Call::kQueryEvent: {
      EventEntry* const entry = event(in.get<std::uint64_t>());
      if (entry == nullptr) return kInvalidResourceHandle;
      return entry->recorded ? query(entry->event) : kSuccess;
    }
    case Call::kElapsed:
      return elapsed(in);
    case Call::kSynchronizeDevice:
      device_.synchronize();
      deliver();
      return kSuccess;
    case Call::kMemoryUse: {
      const rt::DeviceInfo now = device_.device_info();
      out_.put(now.memory_bytes - now.memory_in_use).put(now.memory_bytes);
      return kSuccess;
    }
    case Call::kOccupancy:
      return occupancy(in);
    case Call::kCreateTexture:
      return create_image(in, true);
    case Call::kCreateSurface:
      return create_image(in, false);
    case Call::kDestroyImage: {
      const auto handle = in.get<std::uint64_t>();
      if (images_.erase(handle) == 0) return kInvalidValue;
      device_.destroy_image(handle);
      return kSuccess;
    }
    case Call::kBindTexture:
      return bind_texture(in);
    case Call::kBytesAt: {
      const auto address = in.get<std::uint64_t>();
      const auto range = range_at(address);
      if (!range) return kInvalidValue;
      out_.put(range->end - address).put(range->begin);
      return kSuccess;
    }
    case Call::kAllocatePages:
      return allocate(in, true);
    case Call::kGrow:
      return grow(in);
    case Call::kShare:
      return share(in);
    case Call::kCopyShared:
      return copy_shared(in);
  }
  return kInvalidValue;
}

Error ClientSession::hello(Reader& in) {
  if (in.get<std::uint32_t>() != kProtocolVersion) {
    tell_("the program's libcudart is of another version of warpvp");
    return kInsufficientDriver;
  }
  name_ = in.get_text();
  DeviceFacts facts;
  std::copy_n(info_.name.data(), std::min(info_.name.size(), sizeof facts.name - 1), facts.name);
  facts.major = info_.capability / 10;
  facts.minor = info_.capability % 10;
  facts.sms = device_.sm_count();
  facts.ctas_per_sm = info_.sm.ctas;
  facts.threads_per_sm = info_.sm.threads;
  facts.threads_per_cta = info_.sm.threads_per_cta;
  facts.registers_per_sm = info_.sm.registers;
  facts.shared_per_sm = info_.sm.shared_bytes;
  facts.shared_per_cta_opt_in = info_.sm.shared_bytes_per_cta;
  facts.shared_per_cta = std::min(info_.sm.shared_bytes_per_cta, kSharedWithoutOptIn);
  facts.copy_engines = info_.copy_engines;
  facts.sm_clock_khz = device_.sm_clock_mhz() * 1000;
  facts.memory_clock_khz = info_.memory_clock_mhz * 1000;
  facts.memory_bus_bits = info_.memory_bus_bits;
  facts.l2_bytes = info_.l2_bytes;
  facts.memory_base = info_.memory_base;
  facts.memory_bytes = info_.memory_bytes;
  facts.greatest_priority = kGreatestPriority;
  out_.put(facts);
  return kSuccess;
}

std::uint64_t ClientSession::allocate_zeros(std::uint64_t bytes) {
  const rt::DevicePtr address = device_.malloc(bytes);
  allocated_[address] = bytes;
  device_.memset_async(address, 0, bytes, rt::Stream{0});
  device_.synchronize(rt::Stream{0});
  return address;
}

std::string ClientSession::with_grid_workspace(const std::string& ptx) {
  if (!has_grid_workspace(ptx)) return ptx;
  if (grid_workspace_ == 0) grid_workspace_ = allocate_zeros(kWorkspaceBytes);
  return with_grid_workspace_at(ptx, grid_workspace_);
}

Error ClientSession::load_module(Reader& in) {
  const std::uint64_t bytes = in.left();
  const std::uint8_t* const data = in.get_bytes(bytes);
  const std::string place = fmt::format("{}: module {}", name_, modules_.size() + 1);
  const std::string ptx = ptx_for(place, data, bytes, info_.capability);
  if (waits_for_launches(ptx))
    throw InputError(fmt::format(
        "{}: a kernel waits for kernels that it has launched (cudaDeviceSynchronize in device code, "
        "which CUDA 12 has no more); allowed: cudaStreamTailLaunch for what comes behind them",
        place));
  std::string text = with_device_runtime(with_grid_workspace(ptx));
  std::vector<std::string> launched;
  if (has_device_launches(ptx)) {
    if (!launches_) launches_.emplace(allocate_zeros(DeviceLaunches::kBytes));
    text = launches_->with_runtime(text, static_cast<std::uint32_t>(modules_.size() + 1));
    launched = kernel_names(ptx);
  }
  modules_.push_back({device_.load_module_text(place, text), architecture_of(ptx), ptx, std::move(launched)});
  out_.put(static_cast<std::uint64_t>(modules_.size()));
  return kSuccess;
}

Error ClientSession::link(Reader& in) {
  std::vector<ptx::ModuleText> modules(std::min<std::uint64_t>(in.get<std::uint32_t>(), in.left()));
  for (ptx::ModuleText& module : modules) {
    module.file = fmt::format("{}: linked module {}", name_, &module - modules.data() + 1);
    const auto bytes = in.get<std::uint64_t>();
    const std::uint8_t* const data = in.get_bytes(bytes);
    if (data == nullptr) return kInvalidValue;
    module.text = ptx_for(module.file, data, bytes, info_.capability);
  }
  const auto own = std::remove_if(modules.begin(), modules.end(), [](const ptx::ModuleText& module) {
    return is_device_runtime(module.text);
  });
  modules.erase(own, modules.end());
  if (modules.empty()) return kInvalidValue;
  out_.put_text(modules.size() == 1 ? modules[0].text : ptx::link_modules(modules));
  return kSuccess;
}

Error ClientSession::kernel(Reader& in) {
  const auto module = in.get<std::uint64_t>();
  const std::string name = in.get_text();
  if (module == 0 || module > modules_.size() || name.empty()) return kInvalidResourceHandle;
  KernelEntry entry;
  entry.kernel = device_.kernel(modules_[module - 1].handle, name);
  entry.launches = !modules_[module - 1].launched.empty();
  const rt::KernelNeeds needs = device_.needs(entry.kernel);
  const std::vector<rt::ParameterInfo> parameters = device_.parameters(entry.kernel);
  kernels_.push_back(entry);
  out_.put(static_cast<std::uint64_t>(kernels_.size()));
  out_.put(KernelFacts{needs.registers, needs.static_shared_bytes, needs.local_bytes,
                       needs.threads_per_cta != 0 ? needs.threads_per_cta : info_.sm.threads_per_cta,
                       modules_[module - 1].architecture});
  out_.put(static_cast<std::uint32_t>(parameters.size()));
  for (const rt::ParameterInfo& parameter : parameters) {
    kernels_.back().parameters.push_back(parameter.bytes);
    kernels_.back().bytes += parameter.bytes;
    out_.put(static_cast<std::uint32_t>(parameter.bytes));
  }
  for (const rt::ParameterInfo& parameter : parameters) out_.put(parameter.offset);
  return kSuccess;
}

Error ClientSession::variable(Reader& in) {
  const auto module = in.get<std::uint64_t>();
  const std::string name = in.get_text();
  auto bytes = in.get<std::uint64_t>();
  if (!in.good() || module == 0 || module > modules_.size()) return kInvalidResourceHandle;
  const rt::DevicePtr address = device_.symbol(modules_[module - 1].handle, name);
  if (bytes == 0) bytes = device_.symbol_bytes(modules_[module - 1].handle, name);
  variables_[address] = bytes;
  out_.put(address).put(bytes);
  return kSuccess;
}

// ---- launches

Error ClientSession::launch(Reader& in) {
  const auto what = in.get<Launch>();
  if (!in.good() || what.kernel == 0 || what.kernel > kernels_.size()) return kInvalidDeviceFunction;
  if (stream(what.stream) == nullptr) return kInvalidResourceHandle;
  const KernelEntry& entry = kernels_[what.kernel - 1];
  if (in.left() != entry.bytes) return kInvalidValue;
  const std::uint64_t threads = std::uint64_t{what.block[0]} * what.block[1] * what.block[2];
  const std::uint64_t ctas = std::uint64_t{what.grid[0]} * what.grid[1] * what.grid[2];
  if (threads == 0 || ctas == 0 || threads > info_.sm.threads_per_cta) return kInvalidConfiguration;
  if (what.cooperative != 0 &&
      ctas > std::uint64_t{device_.occupancy(entry.kernel, static_cast<unsigned>(threads),
                                             what.dynamic_shared_bytes)} *
                 device_.sm_count())
    return kCooperativeLaunchTooLarge;
  rt::Args args;
  for (const std::size_t bytes : entry.parameters) args.add(in.get_bytes(bytes), bytes);
  rt::LaunchOptions options;
  options.dynamic_shared_bytes = what.dynamic_shared_bytes;
  const rt::Stream s = enter(what.stream);
  device_.launch(entry.kernel, {what.grid[0], what.grid[1], what.grid[2]},
                 {what.block[0], what.block[1], what.block[2]}, args, s, options);
  entered(what.stream);
  if (entry.launches) launch_children(what.stream);
  return kSuccess;
}

void ClientSession::launch_children(std::uint64_t stream) {
  std::vector<DeviceLaunches::Record> next;  // the last one is the next
  do {
    device_.synchronize(streams_[stream].stream);
    std::uint32_t lost = 0;
    std::vector<DeviceLaunches::Record> more = launches_->take(device_.host(), lost);
    if (lost != 0)
      tell_(fmt::format("{} launches by kernels are lost; allowed: {} that wait at a time", lost,
                        DeviceLaunches::kMost));
    std::move(more.rbegin(), more.rend(), std::back_inserter(next));
    if (next.empty()) return;
    const DeviceLaunches::Record record = std::move(next.back());
    next.pop_back();
    if (record.copy)
      copy_for_kernel(*record.copy, stream);
    else
      launch_child(record, stream);
  } while (true);
}

void ClientSession::launch_child(const DeviceLaunches::Record& record, std::uint64_t stream) {
  if (record.module == 0 || record.module > modules_.size()) return;
  const Module& module = modules_[record.module - 1];
  if (record.kernel == 0 || record.kernel > module.launched.size()) return;
  const rt::Kernel kernel = device_.kernel(module.handle, module.launched[record.kernel - 1]);
  rt::Args args;
  for (const rt::ParameterInfo& parameter : device_.parameters(kernel)) {
    if (parameter.offset + parameter.bytes > record.parameters.size())
      throw InputError(fmt::format("{}: launched by a kernel with more than {} bytes of arguments",
                                   module.launched[record.kernel - 1], record.parameters.size()));
    args.add(record.parameters.data() + parameter.offset, parameter.bytes);
  }
  rt::LaunchOptions options;
  options.dynamic_shared_bytes = record.shared_bytes;
  device_.launch(kernel, {record.grid[0], record.grid[1], record.grid[2]},
                 {record.block[0], record.block[1], record.block[2]}, args, streams_[stream].stream, options);
  entered(stream);
}

void ClientSession::copy_for_kernel(const DeviceCopy& copy, std::uint64_t stream) {
  if (copy.empty()) return;
  const auto check = [&](const DeviceCopy::Side& side, const char* what) {
    const auto range = range_at(side.address);
    if (range && copy.reach(side) <= range->end - side.address) return;
    throw rt::ContextFault(fmt::format(
        "a {} by a kernel of {} bytes by {} rows by {} slices {} {:#x} is outside of the program's "
        "device memory",
        copy.fill ? "fill" : "copy", copy.width, copy.height, copy.depth, what, side.address));
  };
  check(copy.to, "to");
  if (!copy.fill) check(copy.from, "from");
  // Rows that follow each other are one.
  const bool one_piece =
      copy.depth == 1 &&
      (copy.height == 1 || (copy.to.pitch == copy.width && (copy.fill || copy.from.pitch == copy.width)));
  const std::uint64_t bytes = one_piece ? copy.width * copy.height : copy.width,
                      height = one_piece ? 1 : copy.height;
  const rt::Stream s = streams_[stream].stream;
  for (std::uint64_t slice = 0; slice < copy.depth; ++slice)
    for (std::uint64_t row = 0; row < height; ++row) {
      const auto at = [&](const DeviceCopy::Side& side) {
        return side.address + (slice * side.rows + row) * side.pitch;
      };
      if (copy.fill)
        device_.memset_async(at(copy.to), static_cast<std::uint8_t>(copy.value), bytes, s);
      else
        device_.copy_on_device_async(at(copy.to), at(copy.from), bytes, s);
    }
  entered(stream);
}

Error ClientSession::occupancy(Reader& in) {
  const auto kernel = in.get<std::uint64_t>();
  const auto threads = in.get<std::uint32_t>(), shared = in.get<std::uint32_t>();
  if (kernel == 0 || kernel > kernels_.size()) return kInvalidDeviceFunction;
  out_.put(std::uint32_t{device_.occupancy(kernels_[kernel - 1].kernel, threads, shared)});
  return kSuccess;
}

// ---- streams and events

ClientSession::StreamEntry* ClientSession::stream(std::uint64_t id) {
  return id < streams_.size() && streams_[id].alive ? &streams_[id] : nullptr;
}

ClientSession::EventEntry* ClientSession::event(std::uint64_t id) {
  return id != 0 && id <= events_.size() && events_[id - 1].alive ? &events_[id - 1] : nullptr;
}

rt::Stream ClientSession::enter(std::uint64_t id) {
  StreamEntry& entry = streams_[id];
  StreamEntry& legacy = streams_[kLegacyStream];
  if (id == kLegacyStream) {
    for (StreamEntry& other : streams_) {
      if (&other == &entry || !other.waits_for_legacy || other.commands == other.seen_by_legacy) continue;
      device_.wait(entry.stream, device_.mark(other.stream));
      other.seen_by_legacy = other.commands;
      ++entry.commands;
    }
  } else if (entry.waits_for_legacy && legacy.commands != entry.legacy_seen) {
    device_.wait(entry.stream, device_.mark(legacy.stream));
    entry.legacy_seen = legacy.commands;
    ++entry.commands;
  }
  return entry.stream;
}

Error ClientSession::create_stream(Reader& in) {
  const auto priority = std::clamp(in.get<std::int32_t>(), kGreatestPriority, 0);
  const bool waits = in.get<std::uint32_t>() != 0;
  // One that was destroyed, as the device has no end of them.
  for (std::size_t id = 1; id < streams_.size(); ++id) {
    StreamEntry& entry = streams_[id];
    if (entry.alive || entry.priority != priority || entry.waits_for_legacy != waits) continue;
    entry.alive = true;
    out_.put(static_cast<std::uint64_t>(id));
    return kSuccess;
  }
  StreamEntry entry;
  entry.priority = priority;
  entry.waits_for_legacy = waits;
  rt::StreamOptions options;
  options.priority = -priority;
  entry.stream = device_.create_stream(options);
  streams_.push_back(entry);
  out_.put(static_cast<std::uint64_t>(streams_.size() - 1));
  return kSuccess;
}

Error ClientSession::stream_waits(Reader& in) {
  const auto id = in.get<std::uint64_t>();
  EventEntry* const entry = event(in.get<std::uint64_t>());
  if (stream(id) == nullptr || entry == nullptr) return kInvalidResourceHandle;
  if (!entry->recorded) return kSuccess;
  device_.wait(enter(id), entry->event);
  entered(id);
  return kSuccess;
}

Error ClientSession::query(rt::Event event) {
  device_.host().compute(SimTime::from_us(kQueryUs));
  if (!device_.completed(event)) return kNotReady;
  deliver();
  return kSuccess;
}

Error ClientSession::elapsed(Reader& in) {
  const EventEntry* const from = event(in.get<std::uint64_t>());
  const EventEntry* const to = event(in.get<std::uint64_t>());
  if (from == nullptr || to == nullptr || !from->recorded || !to->recorded) return kInvalidResourceHandle;
  if (!device_.completed(from->event) || !device_.completed(to->event)) return kNotReady;
  out_.put(device_.elapsed_us(from->event, to->event) / 1000);
  return kSuccess;
}

// ---- textures and surfaces

Error ClientSession::create_image(Reader& in, bool texture) {
  const auto memory = in.get<std::uint64_t>();
  if (!owns(memory, 1)) return kInvalidValue;
  rt::ImageHandle handle;
  if (texture) {
    const auto description = in.get<ptx::TextureDescription>();
    if (!in.good()) return kInvalidValue;
    handle = device_.create_texture(memory, description);
  } else {
    const auto description = in.get<ptx::SurfaceDescription>();
    if (!in.good()) return kInvalidValue;
    handle = device_.create_surface(memory, description);
  }
  images_.insert(handle);
  out_.put(handle);
  return kSuccess;
}

Error ClientSession::bind_texture(Reader& in) {
  const auto module = in.get<std::uint64_t>();
  const std::string name = in.get_text();
  const auto memory = in.get<std::uint64_t>();
  const auto description = in.get<ptx::TextureDescription>();
  if (!in.good() || module == 0 || module > modules_.size() || !owns(memory, 1)) return kInvalidValue;
  device_.bind_texture(modules_[module - 1].handle, name, memory, description);
  return kSuccess;
}

}  // namespace warpvp::cuda
