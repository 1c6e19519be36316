#include "sw/cuda/library/program.h"

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "sw/cuda/library/connection.h"
#include "sw/cuda/library/device_code.h"
#include "sw/cuda/library/shared_memory.h"

namespace warpvp::cuda {

namespace {

/// Never destroyed: destructors of the program still call.
struct Tables {
  std::recursive_mutex mutex;
  std::unordered_map<const void*, KernelOfProgram*> kernels;  // by stub and by handle
  std::unordered_map<const void*, VariableOfProgram*> variables;
  std::vector<VariableOfProgram*> managed;  // that have no memory yet
};
Tables& tables() {
  static auto* const all = new Tables;
  return *all;
}

Error look_up(VariableOfProgram& variable) {
  if (variable.address != 0 || variable.error != kSuccess) return variable.error;
  if ((variable.error = load(*variable.binary)) != kSuccess) return variable.error;
  Writer arguments;
  arguments.put(variable.binary->module).put_text(variable.name);
  arguments.put(static_cast<std::uint64_t>(variable.bytes));
  Answer answer = Connection::instance().call(Call::kVariable, arguments);
  variable.error = answer.error;
  variable.address = answer.in.get<std::uint64_t>();
  return variable.error;
}

}  // namespace

Error load(FatBinary& binary) {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  if (binary.module != 0 || binary.error != kSuccess) return binary.error;
  if (binary.linked.empty()) {
    binary.error = load_module({binary.data, bytes_of(binary.data)}, binary.module);
    return binary.error;
  }
  std::vector<Image> images;
  for (const void* image : binary.linked) images.push_back({image, bytes_of(image)});
  std::string ptx;
  binary.error = link_images(images, ptx);
  if (binary.error == kSuccess) binary.error = load_module({ptx.data(), ptx.size()}, binary.module);
  return binary.error;
}

Error& last_error() {
  static thread_local Error error = kSuccess;
  return error;
}

namespace {
std::atomic<bool> in_use{false};
}

bool runtime_in_use() { return in_use; }

cudaError_t done(Error error) {
  in_use = true;
  if (error != kSuccess && error != kNotReady) last_error() = error;
  return error;
}

void add_kernel(const void* stub, KernelOfProgram* kernel) {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  tables().kernels[stub] = kernel;
  tables().kernels[kernel] = kernel;
}

void add_variable(const void* shadow, VariableOfProgram* variable) {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  tables().variables[shadow] = variable;
  if (variable->managed != nullptr) tables().managed.push_back(variable);
}

KernelOfProgram* kernel_handle(const void* stub) {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  const auto found = tables().kernels.find(stub);
  return found == tables().kernels.end() ? nullptr : found->second;
}

KernelOfProgram* find_kernel(const void* stub_or_handle, Error& error) {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  KernelOfProgram* const kernel = kernel_handle(stub_or_handle);
  error = kInvalidDeviceFunction;
  if (kernel == nullptr) return nullptr;
  if (kernel->id == 0 && kernel->error == kSuccess && (kernel->error = load(*kernel->binary)) == kSuccess) {
    Writer arguments;
    arguments.put(kernel->binary->module).put_text(kernel->name);
    Answer answer = Connection::instance().call(Call::kKernel, arguments);
    kernel->error = answer.error;
    kernel->id = answer.in.get<std::uint64_t>();
    kernel->facts = answer.in.get<KernelFacts>();
    kernel->parameters.resize(answer.in.get<std::uint32_t>());
    kernel->offsets.resize(kernel->parameters.size());
    for (std::uint32_t& bytes : kernel->parameters) bytes = answer.in.get<std::uint32_t>();
    for (std::uint32_t& offset : kernel->offsets) offset = answer.in.get<std::uint32_t>();
  }
  error = kernel->error;
  return error == kSuccess ? kernel : nullptr;
}

VariableOfProgram* find_variable(const void* shadow, Error& error) {
  prepare_managed_variables();
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  const auto found = tables().variables.find(shadow);
  error = kInvalidSymbol;
  if (found == tables().variables.end()) return nullptr;
  error = look_up(*found->second);
  return error == kSuccess ? found->second : nullptr;
}

void prepare_managed_variables() {
  const std::lock_guard<std::recursive_mutex> lock(tables().mutex);
  const std::vector<VariableOfProgram*> all = std::exchange(tables().managed, {});
  for (VariableOfProgram* variable : all) {
    if (look_up(*variable) != kSuccess) continue;
    variable->error = share_variable(variable->address, variable->bytes);
    if (variable->error != kSuccess) continue;
    *variable->managed = reinterpret_cast<void*>(variable->address);
  }
}

std::uint64_t stream_id(cudaStream_t stream) {
  std::uint64_t id = 0;
  return find_stream(stream, id) == kSuccess ? id : ~std::uint64_t{0};
}

}  // namespace warpvp::cuda
