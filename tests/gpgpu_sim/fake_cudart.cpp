#include "tests/gpgpu_sim/fake_cudart.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

namespace warpvp::gpgpusim {
namespace {

std::vector<std::string> calls;
std::map<const void*, std::string> functions, variables;

int note(std::string call) {
  calls.push_back(std::move(call));
  return 0;
}

}  // namespace

std::vector<std::string> take_calls() { return std::exchange(calls, {}); }

}  // namespace warpvp::gpgpusim

using namespace warpvp::gpgpusim;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  note("binary");
  return reinterpret_cast<void**>(1);
}
void __cudaRegisterFunction(void**, const char* host_function, char* device_function, const char*, int, void*,
                            void*, void*, void*) {
  functions[host_function] = device_function;
}
void __cudaRegisterVar(void**, char* host_variable, char* device_address, const char*, int, int size,
                       int constant, int) {
  variables[host_variable] = fmt::format("{} {}", device_address, constant != 0 ? "const" : "global");
  note(fmt::format("variable {} of {}", variables[host_variable], size));
}
int cudaMalloc(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return 0;
}
int cudaFree(void* memory) {
  std::free(memory);
  return 0;
}
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  std::memcpy(to, from, bytes);
  return note(fmt::format("copy {} kind {} stream {}", bytes, kind, stream == nullptr ? 0 : 1));
}
int cudaMemcpyToSymbol(const char* host_variable, const void* from, std::size_t bytes, std::size_t offset,
                       int) {
  std::uint32_t first = 0;
  std::memcpy(&first, from, sizeof first);
  return note(fmt::format("{} at {}: {} bytes, {}", variables[host_variable], offset, bytes, first));
}
int cudaMemset(void* memory, int value, std::size_t bytes) {
  std::memset(memory, value, bytes);
  return 0;
}
int cudaThreadSynchronize() { return note("synchronize"); }
int cudaThreadExit() { return note("exit"); }
int cudaDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 16 ? 80 : 0;
  return 0;
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* ctas, const char* host_function, int block,
                                                           std::size_t shared, unsigned) {
  *ctas = functions.count(host_function) != 0 ? block + static_cast<int>(shared) : -1;
  return 0;
}
/// Of vector_add's arguments: three pointers and a count.
int cuLaunchKernel(const void* host_function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void*, void** arguments, void**) {
  float *a = nullptr, *b = nullptr, *c = nullptr;
  std::uint32_t count = 0;
  std::memcpy(&a, arguments[0], sizeof a);
  std::memcpy(&b, arguments[1], sizeof b);
  std::memcpy(&c, arguments[2], sizeof c);
  std::memcpy(&count, arguments[3], sizeof count);
  for (std::uint32_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
  return note(fmt::format("launch {} {} {} {} of {} {} {}, {} shared", functions[host_function], gx, gy, gz,
                          bx, by, bz, shared));
}
}
