#include "tools/on-chip/chip_runtime.h"

#include <fmt/format.h>

#include <exception>

#include "base/error.h"
#include "base/input_file.h"
#include "tools/on-chip/host_clock.h"

namespace warpvp::chip {

CuHandle load_ptx(const std::string& name, const std::string& ptx, unsigned level) {
  const CudaDriver& cuda = CudaDriver::get();
  // CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES and CU_JIT_OPTIMIZATION_LEVEL.
  std::string log(4096, '\0');
  int options[] = {5, 6, 7};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size()),
                    reinterpret_cast<void*>(static_cast<std::uintptr_t>(level))};
  CuHandle module = nullptr;
  const int status = cuda.ModuleLoadDataEx(&module, ptx.c_str(), 3, options, values);
  log.resize(log.find('\0'));
  for (char& c : log)
    if (c == '\n') c = ' ';
  cuda.check(status, name + (log.empty() ? "" : ": " + log));
  return module;
}

ChipRuntime::ChipRuntime() : cuda_(CudaDriver::get()), host_(std::make_unique<HostClock>()) {
  sms_ = static_cast<unsigned>(chip_info().multiprocessors);
  create_stream();  // stream 0
}

ChipRuntime::~ChipRuntime() {
  // After an error a kernel may run that nobody will end; it goes with the process.
  if (std::uncaught_exceptions() > 0) return;
  cuda_.CtxSynchronize();
  for (const LoadedModule& m : modules_) cuda_.ModuleUnload(m.handle);
}

rt::Stream ChipRuntime::create_stream(const rt::StreamOptions& options) {
  CuHandle made = nullptr;
  constexpr unsigned kNonBlocking = 1;
  // Lower numbers are more urgent to CUDA, which cuts what is out of its range.
  cuda_.check(cuda_.StreamCreateWithPriority(&made, kNonBlocking, -options.priority), "cuStreamCreate");
  streams_.push_back(made);
  return rt::Stream{static_cast<unsigned>(streams_.size() - 1)};
}

rt::DevicePtr ChipRuntime::malloc(std::size_t bytes, unsigned) {
  CuDevicePtr pointer = 0;
  cuda_.check(cuda_.MemAlloc(&pointer, std::max<std::size_t>(bytes, 1)),
              fmt::format("cuMemAlloc of {}", bytes));
  return pointer;
}

void ChipRuntime::free(rt::DevicePtr pointer) {
  if (pointer != 0) cuda_.check(cuda_.MemFree(pointer), "cuMemFree");
}

void ChipRuntime::copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                                       rt::Stream s) {
  if (bytes != 0)
    cuda_.check(cuda_.MemcpyHtoDAsync(destination, source, bytes, stream(s)), "cuMemcpyHtoDAsync");
}

void ChipRuntime::copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes,
                                     rt::Stream s) {
  if (bytes != 0)
    cuda_.check(cuda_.MemcpyDtoHAsync(destination, source, bytes, stream(s)), "cuMemcpyDtoHAsync");
}

void ChipRuntime::copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source, std::size_t bytes,
                                       rt::Stream s) {
  if (bytes != 0)
    cuda_.check(cuda_.MemcpyDtoDAsync(destination, source, bytes, stream(s)), "cuMemcpyDtoDAsync");
}

void ChipRuntime::memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes,
                               rt::Stream s) {
  if (bytes != 0) cuda_.check(cuda_.MemsetD8Async(destination, value, bytes, stream(s)), "cuMemsetD8Async");
}

rt::ModuleHandle ChipRuntime::load_module(const std::string& ptx_path, unsigned context) {
  return load_module_text(ptx_path, read_input_file(ptx_path, input_limit::kPtx), context);
}

rt::ModuleHandle ChipRuntime::load_module_text(const std::string& name, const std::string& text, unsigned) {
  LoadedModule m;
  m.text = ptx::Module::parse(text, name);
  m.handle = load_ptx(name, text);
  modules_.push_back(std::move(m));
  return rt::ModuleHandle{static_cast<unsigned>(modules_.size() - 1)};
}

rt::Kernel ChipRuntime::kernel(rt::ModuleHandle module, const std::string& entry) {
  LoadedModule& m = modules_.at(module.id);
  const auto program = m.text->entry(entry);
  CuHandle function = nullptr;
  cuda_.check(cuda_.ModuleGetFunction(&function, m.handle, program->name.c_str()), "kernel " + program->name);
  m.programs.push_back(program);
  m.functions.push_back(function);
  return rt::Kernel{module.id, static_cast<unsigned>(m.functions.size() - 1)};
}

std::vector<rt::ParameterInfo> ChipRuntime::parameters(rt::Kernel kernel) {
  std::vector<rt::ParameterInfo> all;
  for (const ptx::Param& p : modules_.at(kernel.module).programs.at(kernel.entry)->params)
    all.push_back({p.name, p.type, p.bytes, p.offset});
  return all;
}

rt::DevicePtr ChipRuntime::symbol(rt::ModuleHandle module, const std::string& name) {
  CuDevicePtr pointer = 0;
  std::size_t bytes = 0;
  cuda_.check(cuda_.ModuleGetGlobal(&pointer, &bytes, modules_.at(module.id).handle, name.c_str()),
              "variable " + name);
  return pointer;
}

void ChipRuntime::bind_texture(rt::ModuleHandle, const std::string& name, rt::DevicePtr,
                               const rt::TextureDescription&) {
  throw InputError(fmt::format("texture '{}': .texref variables are not to be had here", name));
}

rt::ImageHandle ChipRuntime::create_texture(rt::DevicePtr memory, const rt::TextureDescription& t) {
  if (t.geometry != rt::Geometry::d2) throw InputError("only textures of two dimensions are to be had here");
  // CUarray_format of f32, s32, u32, s16, u16, s8, u8, f16.
  constexpr std::uint32_t kFormats[] = {0x20, 0x0a, 0x03, 0x09, 0x02, 0x08, 0x01, 0x10};
  // CUaddress_mode of clamp, border, wrap, mirror.
  constexpr std::uint32_t kAddressing[] = {1, 3, 0, 2};
  CuPitch2D image;
  image.memory = memory;
  image.format = kFormats[static_cast<unsigned>(t.type)];
  image.channels = t.channels;
  image.width = t.width;
  image.height = t.height;
  image.pitch_bytes =
      t.pitch_bytes != 0 ? t.pitch_bytes : std::size_t{t.width} * t.channels * ptx::texel_type_bytes(t.type);
  CuTextureView view;
  for (int i = 0; i < 3; ++i) view.addressing[i] = kAddressing[static_cast<unsigned>(t.addressing[i])];
  view.filter = t.filter == rt::TextureFilter::kLinear;
  const bool floats = t.type == rt::TexelType::f32 || t.type == rt::TexelType::f16;
  view.flags = (floats || t.normalised_values ? 0u : 1u) | (t.normalised_coordinates ? 2u : 0u);
  CuTexture texture = 0;
  cuda_.check(cuda_.TexObjectCreate(&texture, &image, &view, nullptr), "cuTexObjectCreate");
  return texture;
}

rt::ImageHandle ChipRuntime::create_surface(rt::DevicePtr, const rt::SurfaceDescription&) {
  throw InputError("surfaces are not to be had here");
}

void ChipRuntime::destroy_image(rt::ImageHandle handle) {
  synchronize();
  cuda_.check(cuda_.TexObjectDestroy(handle), "cuTexObjectDestroy");
}

void ChipRuntime::launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args, rt::Stream s,
                         const rt::LaunchOptions& options) {
  const LoadedModule& m = modules_.at(kernel.module);
  const ptx::Program& program = *m.programs.at(kernel.entry);
  const CuHandle function = m.functions.at(kernel.entry);
  std::vector<void*> values;
  for (const auto& value : args.values()) {
    const std::size_t i = values.size();
    if (i >= program.params.size() || program.params[i].bytes != value.size())
      throw InputError(fmt::format("kernel '{}': argument {} does not fit its parameters", program.name, i));
    values.push_back(const_cast<std::uint8_t*>(value.data()));
  }
  if (values.size() != program.params.size())
    throw InputError(fmt::format("kernel '{}': {} arguments given, {} expected", program.name, values.size(),
                                 program.params.size()));
  constexpr int kMaxDynamicSharedBytes = 8;  // CU_FUNC_ATTRIBUTE_...
  constexpr unsigned kWithoutAsking = 48u << 10;
  if (options.dynamic_shared_bytes > kWithoutAsking)
    cuda_.check(cuda_.FuncSetAttribute(function, kMaxDynamicSharedBytes,
                                       static_cast<int>(options.dynamic_shared_bytes)),
                "dynamic shared memory of " + program.name);
  cuda_.check(cuda_.LaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                 options.dynamic_shared_bytes, stream(s), values.data(), nullptr),
              "launch of " + program.name);
}

unsigned ChipRuntime::occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes,
                                unsigned /*registers*/) {
  int ctas = 0;
  cuda_.check(cuda_.OccupancyMaxActiveBlocksPerMultiprocessor(
                  &ctas, modules_.at(kernel.module).functions.at(kernel.entry),
                  static_cast<int>(block_threads), dynamic_shared_bytes),
              "occupancy");
  return static_cast<unsigned>(ctas);
}

rt::Event ChipRuntime::record(rt::Stream s) {
  CuHandle event = nullptr;
  cuda_.check(cuda_.EventCreate(&event, 0), "cuEventCreate");
  cuda_.check(cuda_.EventRecord(event, stream(s)), "cuEventRecord");
  events_.push_back(event);
  return rt::Event{static_cast<unsigned>(events_.size() - 1)};
}

void ChipRuntime::wait(rt::Stream s, rt::Event e) {
  cuda_.check(cuda_.StreamWaitEvent(stream(s), events_.at(e.id), 0), "cuStreamWaitEvent");
}

void ChipRuntime::synchronize(rt::Event e) {
  cuda_.check(cuda_.EventSynchronize(events_.at(e.id)), "cuEventSynchronize");
}

bool ChipRuntime::completed(rt::Event e) {
  const int status = cuda_.EventQuery(events_.at(e.id));
  if (status != CudaDriver::kNotReady) cuda_.check(status, "cuEventQuery");
  return status != CudaDriver::kNotReady;
}

void ChipRuntime::synchronize(rt::Stream s) {
  cuda_.check(cuda_.StreamSynchronize(stream(s)), "cuStreamSynchronize");
}

void ChipRuntime::synchronize() { cuda_.check(cuda_.CtxSynchronize(), "cuCtxSynchronize"); }

double ChipRuntime::elapsed_us(rt::Event from, rt::Event to) {
  float milliseconds = 0;
  cuda_.check(cuda_.EventElapsedTime(&milliseconds, events_.at(from.id), events_.at(to.id)),
              "cuEventElapsedTime");
  return double{milliseconds} * 1e3;
}

}  // namespace warpvp::chip
