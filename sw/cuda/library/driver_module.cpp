#include "sw/cuda/library/driver_module.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>

#include "sw/cuda/library/device_code.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_ranges.h"

namespace warpvp::cuda {

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kElfMagic = 0x464c457f;

struct DriverModule {
  std::uint64_t id = 0;
  std::map<std::string, DriverKernel*> kernels;
};

Handles<DriverModule>& modules() {
  static auto* const all = new Handles<DriverModule>;
  return *all;
}
Handles<DriverKernel>& kernels() {
  static auto* const all = new Handles<DriverKernel>;
  return *all;
}
/// Of names looked up in them.
std::mutex& turn() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

Error no_machine_code() {
  fflush(stdout);
  fprintf(
      stderr,
      "warpvp: the program loads machine code (a cubin), which has no PTX in it; compile its kernels with "
      "nvcc -ptx or -fatbin\n");
  return kNoKernelImageForDevice;
}

Error load_image(const void* image, CUmodule& module) {
  if (magic_of(image) == kElfMagic) return no_machine_code();
  DriverModule loaded;
  if (const Error error = load_module({image, bytes_of(image)}, loaded.id)) return error;
  module = reinterpret_cast<CUmodule>(modules().add(loaded));
  return kSuccess;
}

}  // namespace

DriverKernel* find_driver_kernel(const void* function_or_kernel) {
  return kernels().find(function_or_kernel);
}

Error load_driver_module(const void* image, CUmodule& module) {
  if (image == nullptr) return kInvalidValue;
  if (magic_of(image) == kWrapperMagic) {
    std::memcpy(&image, static_cast<const char*>(image) + 8, sizeof image);
    if (image == nullptr) return kInvalidKernelImage;
  }
  return load_image(image, module);
}

Error load_driver_module_file(const char* file, CUmodule& module) {
  if (file == nullptr) return kInvalidValue;
  std::ifstream in(file, std::ios::binary);
  if (!in) return kFileNotFound;
  std::string image{std::istreambuf_iterator<char>(in), {}};
  // It may be cut off.
  if (magic_of(image.c_str()) == kBinaryMagic &&
      (image.size() < 16 || bytes_of(image.c_str()) > image.size()))
    return kInvalidKernelImage;
  return load_image(image.c_str(), module);
}

Error unload_driver_module(CUmodule module) {
  const std::lock_guard<std::mutex> lock(turn());
  const DriverModule* const found = modules().find(module);
  if (found == nullptr) return kInvalidResourceHandle;
  for (const auto& [name, kernel] : found->kernels) kernels().remove(kernel);
  modules().remove(module);
  return kSuccess;
}

Error find_in_module(CUmodule module, const char* name, DriverKernel*& kernel) {
  if (name == nullptr) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(turn());
  DriverModule* const found = modules().find(module);
  if (found == nullptr) return kInvalidResourceHandle;
  const auto known = found->kernels.find(name);
  if (known != found->kernels.end()) {
    kernel = known->second;
    return kSuccess;
  }
  if (*name == '\0') return kSymbolNotFound;
  Writer arguments;
  arguments.put(found->id).put_text(name);
  Answer answer = Connection::instance().call(Call::kKernel, arguments);
  if (answer.error != kSuccess) return answer.error;
  DriverKernel made;
  made.module = module;
  made.name = name;
  made.id = answer.in.get<std::uint64_t>();
  made.facts = answer.in.get<KernelFacts>();
  made.parameters.resize(answer.in.get<std::uint32_t>());
  for (DriverKernel::Parameter& parameter : made.parameters) parameter.bytes = answer.in.get<std::uint32_t>();
  for (DriverKernel::Parameter& parameter : made.parameters)
    parameter.offset = answer.in.get<std::uint32_t>();
  // Until it asks for more.
  const int without_opt_in = static_cast<int>(Connection::instance().facts().shared_per_cta);
  made.most_dynamic_shared = without_opt_in - static_cast<int>(made.facts.static_shared_bytes);
  kernel = found->kernels[name] = kernels().add(std::move(made));
  return kSuccess;
}

Error find_variable_in_module(CUmodule module, const char* name, CUdeviceptr* address, std::size_t* bytes) {
  if (name == nullptr || (address == nullptr && bytes == nullptr)) return kInvalidValue;
  const DriverModule* const found = modules().find(module);
  if (found == nullptr) return kInvalidResourceHandle;
  Writer arguments;
  arguments.put(found->id).put_text(name).put(std::uint64_t{0});
  Answer answer = Connection::instance().call(Call::kVariable, arguments);
  if (answer.error != kSuccess) return answer.error;
  const auto at = answer.in.get<std::uint64_t>();
  const auto size = answer.in.get<std::uint64_t>();
  add_range(at, size, RangeKind::kVariable);
  if (address != nullptr) *address = at;
  if (bytes != nullptr) *bytes = size;
  return kSuccess;
}

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

WARPVP_API CUresult cuModuleLoad(CUmodule* module, const char* file) {
  if (const Error error = in_context()) return error;
  return module == nullptr ? kInvalidValue : driver_error(load_driver_module_file(file, *module));
}
WARPVP_API CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const Error error = in_context()) return error;
  return module == nullptr ? kInvalidValue : driver_error(load_driver_module(image, *module));
}
WARPVP_API CUresult cuModuleLoadFatBinary(CUmodule* module, const void* binary) {
  return cuModuleLoadData(module, binary);
}
// There is nothing to choose, and nothing that a compiler has to say: messages are the simulator's.
WARPVP_API CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count,
                                       CUjit_option* options, void** values) {
  if (const Error error = in_context()) return error;
  if (count != 0 && (options == nullptr || values == nullptr)) return kInvalidValue;
  // Sizes before they are overwritten by how much was said.
  std::size_t info_bytes = 0, error_bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::size_t>(values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES) info_bytes = number;
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) error_bytes = number;
  }
  for (unsigned i = 0; i < count; ++i) {
    const bool info = options[i] == CU_JIT_INFO_LOG_BUFFER, errors = options[i] == CU_JIT_ERROR_LOG_BUFFER;
    if (((info && info_bytes != 0) || (errors && error_bytes != 0)) && values[i] != nullptr)
      *static_cast<char*>(values[i]) = '\0';
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES ||
        options[i] == CU_JIT_WALL_TIME)
      values[i] = nullptr;
  }
  return cuModuleLoadData(module, image);
}
WARPVP_API CUresult cuModuleUnload(CUmodule module) {
  if (const Error error = initialized()) return error;
  return unload_driver_module(module);
}
WARPVP_API CUresult cuModuleGetLoadingMode(int* mode) {
  if (const Error error = initialized()) return error;
  if (mode == nullptr) return kInvalidValue;
  *mode = 1;  // CU_MODULE_EAGER_LOADING
  return kSuccess;
}
WARPVP_API CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const Error error = in_context()) return error;
  if (function == nullptr) return kInvalidValue;
  DriverKernel* kernel = nullptr;
  const Error error = find_in_module(module, name, kernel);
  *function = reinterpret_cast<CUfunction>(kernel);
  return driver_error(error);
}
WARPVP_API CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                                         const char* name) {
  if (const Error error = in_context()) return error;
  return driver_error(find_variable_in_module(module, name, address, bytes));
}
