// cuGetProcAddress: functions of this library by name.

#include <dlfcn.h>

#include <cstring>
#include <string>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

constexpr int kHighestSuffix = 4;

/// Names with a suffix that came after CUDA 11.0, which is older than any program that looks names up: with
/// the version from which on the plain name means them. All other names are found whatever version is asked
/// for.
struct Later {
  const char* name;
  int version;
};
const Later kLater[] = {
    {"cuCtxCreate_v3", 11040},
    {"cuCtxCreate_v4", 12050},
    {"cuCtxGetDevice_v2", 13000},
    {"cuCtxSynchronize_v2", 13000},
    {"cuDeviceGetUuid_v2", 11040},
    {"cuEventElapsedTime_v2", 12080},
    {"cuGetProcAddress_v2", 12000},
    {"cuMemAdvise_v2", 12020},
    {"cuMemPrefetchAsync_v2", 12020},
    {"cuStreamGetCtx_v2", 12050},
    {"cuGraphAddDependencies_v2", 12030},
    {"cuGraphAddKernelNode_v2", 12000},
    {"cuGraphAddNode_v2", 12030},
    {"cuGraphExecKernelNodeSetParams_v2", 12000},
    {"cuGraphExecUpdate_v2", 12000},
    {"cuGraphGetEdges_v2", 12030},
    {"cuGraphKernelNodeGetParams_v2", 12000},
    {"cuGraphKernelNodeSetParams_v2", 12000},
    {"cuGraphNodeGetDependencies_v2", 12030},
    {"cuGraphNodeGetDependentNodes_v2", 12030},
    {"cuGraphRemoveDependencies_v2", 12030},
    {"cuStreamGetCaptureInfo_v2", 11030},
    {"cuStreamGetCaptureInfo_v3", 12030},
    {"cuStreamUpdateCaptureDependencies_v2", 12030},
};
int since(const std::string& name) {
  for (const Later& later : kLater)
    if (name == later.name) return later.version;
  return 0;
}

void* own_symbol(const std::string& name) {
  static void* const self = [] {
    // By an object, as the address of a function may be that of the program's way to it.
    static const char here = 0;
    Dl_info info{};
    return dladdr(&here, &info) != 0 ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  }();
  return self != nullptr ? dlsym(self, name.c_str()) : nullptr;
}

/// The variant for a default stream of each thread, where that is asked for and there is one.
void* variant(const std::string& name, bool per_thread) {
  void* found = nullptr;
  if (per_thread) found = own_symbol(name + "_ptsz");
  if (per_thread && found == nullptr) found = own_symbol(name + "_ptds");
  return found != nullptr ? found : own_symbol(name);
}

}  // namespace

// Of the names that are made of `symbol` with _vN behind it, or with nothing, the one with the highest N that
// came no later than `version`. What is only there to be refused is found, too: it says so when it is called.
WARPVP_API CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, std::uint64_t flags,
                                        CUdriverProcAddressQueryResult* status) {
  if (symbol == nullptr || function == nullptr || version > kDriverVersion) return kInvalidValue;
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  std::string plain = std::strncmp(symbol, "cu", 2) == 0 ? symbol : "";
  // CUDA 12 gave the name to another function.
  if (plain == "cuGraphInstantiate" && version >= 12000) plain = "cuGraphInstantiateWithFlags";
  bool too_late = false;
  *function = nullptr;
  for (int suffix = kHighestSuffix; suffix >= 1 && *function == nullptr; --suffix) {
    const std::string name = suffix == 1 ? plain : plain + "_v" + std::to_string(suffix);
    void* const found = variant(name, per_thread);
    if (found == nullptr) continue;
    if (since(name) > version)
      too_late = true;
    else
      *function = found;
  }
  if (status != nullptr)
    *status = *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
              : too_late           ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                   : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return kSuccess;  // the status says whether it was found
}
// Programs of CUDA 11, which look at the error.
WARPVP_API CUresult cuGetProcAddress(const char* symbol, void** function, int version, std::uint64_t flags) {
  if (const CUresult error = cuGetProcAddress_v2(symbol, function, version, flags, nullptr)) return error;
  return *function != nullptr ? kSuccess : kSymbolNotFound;
}
