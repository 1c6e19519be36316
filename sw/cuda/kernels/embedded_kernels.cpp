#include "sw/cuda/kernels/embedded_kernels.h"

#include <map>
#include <mutex>

namespace warpvp::cuda {
namespace {

/// Of the process: contexts are handles of what it has (docs/cuda.md).
struct Loaded {
  std::mutex mutex;
  std::map<const char*, CUmodule> modules;  ///< looked up, never walked through
  std::map<std::pair<const char*, std::string>, CUfunction> functions;
};
Loaded& loaded() {
  static auto* const all = new Loaded;  // programs use it in destructors of their own
  return *all;
}

CUresult find(const char* ptx, const std::string& name, CUfunction* function) {
  Loaded& all = loaded();
  const std::lock_guard<std::mutex> lock(all.mutex);
  CUfunction& known = all.functions[{ptx, name}];
  if (known == nullptr) {
    CUmodule& module = all.modules[ptx];
    if (module == nullptr)
      if (const CUresult result = cuModuleLoadData(&module, ptx)) return result;
    if (const CUresult result = cuModuleGetFunction(&known, module, name.c_str())) return result;
  }
  *function = known;
  return 0;
}

}  // namespace

bool have_context() {
  if (cuInit(0) != 0) return false;
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  return context != nullptr || (cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0);
}

CUresult start_kernel(const char* ptx, const std::string& name, const Grid& grid, const Grid& block,
                      CUstream stream, void** arguments) {
  for (const unsigned size : grid)
    if (size == 0) return 0;
  CUfunction function = nullptr;
  if (const CUresult result = find(ptx, name, &function)) return result;
  return cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], 0, stream,
                        arguments, nullptr);
}

CUresult copy_result(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  if (bytes != 0)
    if (const CUresult result = cuMemcpyDtoHAsync_v2(to, from, bytes, stream)) return result;
  int captured = 0;
  if (cuStreamIsCapturing(stream, &captured) == 0 && captured != 0) return 0;
  return cuStreamSynchronize(stream);
}

}  // namespace warpvp::cuda
