#include "tools/gpgpu-sim/simulator_runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <regex>
#include <utility>

#include "base/error.h"
#include "base/input_file.h"
#include "tools/on-chip/host_clock.h"

namespace warpvp::gpgpusim {
namespace {

// As `cuobjdump -xptx` names what it takes out of a program: the number behind "sm_" goes to ptxas.
constexpr const char* kModuleFile = "module.1.sm_70.ptx";
// Stand-ins for variables lie where GPGPU-Sim, which deals addresses from 0xc0000000 up, has no memory.
constexpr rt::DevicePtr kFirstVariable = 0x7000'0000'0000, kVariableStride = 0x1'0000'0000;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void* pointer(rt::DevicePtr address) { return reinterpret_cast<void*>(address); }

}  // namespace

std::string lowered_version(const std::string& ptx) {
  static const std::regex version(R"(\.version\s+(\d+)\.(\d+))");
  std::smatch found;
  if (!std::regex_search(ptx, found, version)) return ptx;
  if (std::make_pair(std::stoi(found[1]), std::stoi(found[2])) <= std::make_pair(7, 5)) return ptx;
  return found.prefix().str() + ".version 7.5" + found.suffix().str();
}

SimulatorRuntime::Outside SimulatorRuntime::outside() const {
  const double process = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - process_left_;
  const double thread = seconds_of(CLOCK_THREAD_CPUTIME_ID) - thread_left_;
  return {outside_.program + thread, outside_.polling + process - thread};
}

SimulatorRuntime::Call::Call(SimulatorRuntime& runtime) : runtime_(runtime) {
  runtime_.outside_ = runtime_.outside();
}

SimulatorRuntime::Call::~Call() {
  runtime_.process_left_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  runtime_.thread_left_ = seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

SimulatorRuntime::SimulatorRuntime()
    : cuda_(Cudart::get()),
      host_(std::make_unique<chip::HostClock>()),
      process_left_(seconds_of(CLOCK_PROCESS_CPUTIME_ID)),
      thread_left_(seconds_of(CLOCK_THREAD_CPUTIME_ID)) {
  const Call call(*this);
  int sms = 0;
  constexpr int kMultiprocessors = 16;  // cudaDevAttrMultiProcessorCount
  cuda_.check(cuda_.DeviceGetAttribute(&sms, kMultiprocessors, 0), "cudaDeviceGetAttribute");
  sms_ = static_cast<unsigned>(sms);
}

SimulatorRuntime::~SimulatorRuntime() {
  const Call call(*this);
  cuda_.ThreadSynchronize();
  cuda_.ThreadExit();
}

rt::Stream SimulatorRuntime::create_stream(const rt::StreamOptions&) { return rt::Stream{++streams_}; }

rt::DevicePtr SimulatorRuntime::malloc(std::size_t bytes, unsigned) {
  const Call call(*this);
  void* memory = nullptr;
  cuda_.check(cuda_.Malloc(&memory, std::max<std::size_t>(bytes, 1)), fmt::format("cudaMalloc of {}", bytes));
  return reinterpret_cast<rt::DevicePtr>(memory);
}

void SimulatorRuntime::free(rt::DevicePtr address) {
  const Call call(*this);
  if (address != 0) cuda_.check(cuda_.Free(pointer(address)), "cudaFree");
}

std::pair<const SimulatorRuntime::Variable*, std::size_t> SimulatorRuntime::variable_at(
    rt::DevicePtr address) const {
  const auto after = variables_.upper_bound(address);
  if (address < kFirstVariable || after == variables_.begin()) return {nullptr, 0};
  const auto& [begin, variable] = *std::prev(after);
  return {variable.get(), address - begin};
}

void SimulatorRuntime::copy_to_device_async(rt::DevicePtr destination, const void* source, std::size_t bytes,
                                            rt::Stream) {
  if (bytes == 0) return;
  const Call call(*this);
  if (const auto [variable, offset] = variable_at(destination); variable != nullptr) {
    cuda_.check(cuda_.MemcpyToSymbol(reinterpret_cast<const char*>(variable), source, bytes, offset,
                                     Cudart::kToDevice),
                "cudaMemcpyToSymbol of " + variable->name);
    return;
  }
  cuda_.check(cuda_.MemcpyAsync(pointer(destination), source, bytes, Cudart::kToDevice, nullptr),
              "cudaMemcpyAsync to the device");
}

void SimulatorRuntime::copy_to_host_async(void* destination, rt::DevicePtr source, std::size_t bytes,
                                          rt::Stream) {
  if (bytes == 0) return;
  const Call call(*this);
  cuda_.check(cuda_.MemcpyAsync(destination, pointer(source), bytes, Cudart::kToHost, nullptr),
              "cudaMemcpyAsync to the host");
}

void SimulatorRuntime::copy_on_device_async(rt::DevicePtr destination, rt::DevicePtr source,
                                            std::size_t bytes, rt::Stream) {
  if (bytes == 0) return;
  const Call call(*this);
  cuda_.check(cuda_.MemcpyAsync(pointer(destination), pointer(source), bytes, Cudart::kOnDevice, nullptr),
              "cudaMemcpyAsync on the device");
}

void SimulatorRuntime::memset_async(rt::DevicePtr destination, std::uint8_t value, std::size_t bytes,
                                    rt::Stream) {
  if (bytes == 0) return;
  const Call call(*this);
  cuda_.check(cuda_.Memset(pointer(destination), value, bytes), "cudaMemset");
}

rt::ModuleHandle SimulatorRuntime::load_module(const std::string& ptx_path, unsigned context) {
  return load_module_text(ptx_path, read_input_file(ptx_path, input_limit::kPtx), context);
}

rt::ModuleHandle SimulatorRuntime::load_module_text(const std::string& name, const std::string& text,
                                                    unsigned) {
  if (module_) throw InputError(fmt::format("{}: a second module is not to be had on GPGPU-Sim", name));
  module_ = ptx::Module::parse(text, name);
  std::ofstream file(kModuleFile);
  if (!(file << lowered_version(text)).flush()) throw InputError(fmt::format("cannot write {}", kModuleFile));
  const Call call(*this);
  binary_ = cuda_.RegisterFatBinary(nullptr);
  return rt::ModuleHandle{0};
}

rt::Kernel SimulatorRuntime::kernel(rt::ModuleHandle, const std::string& entry) {
  kernels_.push_back(module_->entry(entry));
  ptx::Program& program = *kernels_.back();
  const Call call(*this);
  cuda_.RegisterFunction(binary_, reinterpret_cast<const char*>(&program), program.name.data(),
                         program.name.c_str(), -1, nullptr, nullptr, nullptr, nullptr);
  return rt::Kernel{0, static_cast<unsigned>(kernels_.size() - 1)};
}

std::vector<rt::ParameterInfo> SimulatorRuntime::parameters(rt::Kernel kernel) {
  std::vector<rt::ParameterInfo> all;
  for (const ptx::Param& p : kernels_.at(kernel.entry)->params)
    all.push_back({p.name, p.type, p.bytes, p.offset});
  return all;
}

rt::DevicePtr SimulatorRuntime::symbol(rt::ModuleHandle, const std::string& name) {
  for (const ptx::GlobalVariable& global : module_->globals()) {
    if (global.name != name) continue;
    const rt::DevicePtr address = kFirstVariable + variables_.size() * kVariableStride;
    auto& variable = variables_[address] = std::make_unique<Variable>(Variable{name, global.bytes});
    const Call call(*this);
    cuda_.RegisterVar(binary_, reinterpret_cast<char*>(variable.get()), variable->name.data(),
                      variable->name.c_str(), 0, static_cast<int>(global.bytes),
                      global.space == ptx::Space::kConst ? 1 : 0, 0);
    return address;
  }
  throw InputError(fmt::format("the module has no variable '{}'", name));
}

void SimulatorRuntime::bind_texture(rt::ModuleHandle, const std::string& name, rt::DevicePtr,
                                    const rt::TextureDescription&) {
  throw InputError(fmt::format("texture '{}': textures are not to be had on GPGPU-Sim", name));
}

rt::ImageHandle SimulatorRuntime::create_texture(rt::DevicePtr, const rt::TextureDescription&) {
  throw InputError("texture objects are not to be had on GPGPU-Sim");
}

rt::ImageHandle SimulatorRuntime::create_surface(rt::DevicePtr, const rt::SurfaceDescription&) {
  throw InputError("surfaces are not to be had on GPGPU-Sim");
}

void SimulatorRuntime::destroy_image(rt::ImageHandle) {
  throw InputError("images are not to be had on GPGPU-Sim");
}

void SimulatorRuntime::launch(rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block, const rt::Args& args,
                              rt::Stream, const rt::LaunchOptions& options) {
  const ptx::Program& program = *kernels_.at(kernel.entry);
  if (args.values().size() != program.params.size())
    throw InputError(fmt::format("kernel '{}': {} arguments given, {} expected", program.name,
                                 args.values().size(), program.params.size()));
  std::vector<void*> values;
  for (const auto& value : args.values()) {
    const std::size_t i = values.size();
    if (program.params[i].bytes != value.size())
      throw InputError(fmt::format("kernel '{}': argument {} does not fit its parameter", program.name, i));
    values.push_back(const_cast<std::uint8_t*>(value.data()));
  }
  const Call call(*this);
  cuda_.check(cuda_.LaunchKernel(&program, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                 options.dynamic_shared_bytes, nullptr, values.data(), nullptr),
              "launch of " + program.name);
}

unsigned SimulatorRuntime::occupancy(rt::Kernel kernel, unsigned block_threads, unsigned dynamic_shared_bytes,
                                     unsigned /*registers*/) {
  int ctas = 0;
  const Call call(*this);
  cuda_.check(cuda_.Occupancy(&ctas, reinterpret_cast<const char*>(kernels_.at(kernel.entry).get()),
                              static_cast<int>(block_threads), dynamic_shared_bytes, 0),
              "occupancy");
  return static_cast<unsigned>(ctas);
}

double SimulatorRuntime::elapsed_us(rt::Event, rt::Event) {
  throw InputError("times between events are not to be had on GPGPU-Sim");
}

}  // namespace warpvp::gpgpusim
