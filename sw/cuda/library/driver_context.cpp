// Contexts: handles, and a stack of them in each thread. What belongs to a context in CUDA belongs to the
// process here.

#include <algorithm>
#include <atomic>

#include "sw/cuda/library/device_attributes.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"
#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

namespace {

constexpr unsigned kApiVersion = 3020;  // of contexts since cuCtxCreate_v2
constexpr unsigned kAllFlags = 0xff;

std::atomic<bool> began{false};

Handles<Context>& contexts() {
  static auto* const all = new Handles<Context>;
  return *all;
}

/// Those that were pushed, the current one last.
std::vector<Context*>& stack() {
  static thread_local std::vector<Context*> all;
  return all;
}

struct Primary {
  std::mutex mutex;
  Context* context = nullptr;
  unsigned retained = 0;
};
Primary& primary() {
  static auto* const one = [] {
    auto* const made = new Primary;
    Context context;
    context.alive = false;
    made->context = contexts().add(context);
    return made;
  }();
  return *one;
}

CUcontext handle(Context* context) { return reinterpret_cast<CUcontext>(context); }

/// What was set, of those in kDefaultLimits.
std::atomic<std::size_t>* limits() {
  static std::atomic<std::size_t> all[] = {{kDefaultLimits[0]}, {kDefaultLimits[1]}, {kDefaultLimits[2]}};
  return all;
}
bool is_limit(int limit) { return limit >= 0 && limit < 3; }

/// One that may be made current, or asked. nullptr: `error` says why not.
Context* usable(CUcontext context, Error& error) {
  Context* const found = contexts().find(context);
  error = found == nullptr ? kInvalidContext : found->alive ? kSuccess : kContextIsDestroyed;
  return found;
}

/// `context`, or the current one in place of what no handle is. For the second versions of functions that had
/// no context in their first: Python's Numba (to 0.61) looks for `NAME_v2` of every function and calls it
/// with the arguments of the first, so that anything may stand where the context is read.
CUcontext given_or_current(CUcontext context) {
  return contexts().find(context) != nullptr ? context : nullptr;
}

/// usable(), where null means the current one.
Context* usable_or_current(CUcontext context, Error& error) {
  if (context != nullptr) return usable(context, error);
  error = in_context();
  return current_context();
}

}  // namespace

Error set_initialized() {
  const Error error = Connection::instance().open();
  if (error == kSuccess) began = true;
  return error;
}
Error initialized() {
  return began || runtime_in_use() ? Connection::instance().open() : kInitializationError;
}

Error in_context() {
  if (const Error error = initialized()) return error;
  const Context* const context = current_context();
  if (context == nullptr) return kInvalidContext;
  return context->alive ? kSuccess : kContextIsDestroyed;
}

Error in_context_of(CUstream stream) {
  constexpr std::uintptr_t kPerThread = 2;  // CU_STREAM_PER_THREAD; CU_STREAM_LEGACY is 1
  return reinterpret_cast<std::uintptr_t>(stream) > kPerThread ? initialized() : in_context();
}

Context* current_context() {
  if (!stack().empty()) return stack().back();
  // The runtime has it retained, and current in all threads that have made no other so.
  if (!runtime_in_use()) return nullptr;
  primary().context->alive = true;
  began = true;
  return primary().context;
}

Answer request(Call call, std::uint64_t a, std::uint64_t b) {
  Writer arguments;
  arguments.put(a).put(b);
  return Connection::instance().call(call, arguments);
}

CUresult ask(Call call, std::uint64_t a, std::uint64_t b) { return driver_error(request(call, a, b).error); }

}  // namespace warpvp::cuda

using namespace warpvp::cuda;

WARPVP_API CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  if (context == nullptr || flags > kAllFlags) return kInvalidValue;
  Context made;
  made.id = contexts().size() + 1;
  made.flags = flags;
  stack().push_back(contexts().add(made));
  *context = handle(current_context());
  return kSuccess;
}
WARPVP_API CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v2(context, flags, device);
}
WARPVP_API CUresult cuCtxCreate_v3(CUcontext* context, void*, int count, unsigned flags, CUdevice device) {
  if (count != 0) return kUnsupportedExecAffinity;
  return cuCtxCreate_v2(context, flags, device);
}
WARPVP_API CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                                   CUdevice device) {
  if (parameters != nullptr && parameters->numExecAffinityParams != 0) return kUnsupportedExecAffinity;
  if (parameters != nullptr && parameters->cigParams != nullptr) return kNotSupported;
  return cuCtxCreate_v2(context, flags, device);
}

// Its work ends first.
WARPVP_API CUresult cuCtxDestroy_v2(CUcontext context) {
  if (const Error error = initialized()) return error;
  Error error;
  Context* const found = usable(context, error);
  if (error != kSuccess) return error;
  if (found == primary().context) return kInvalidContext;
  const CUresult result = ask(Call::kSynchronizeDevice);
  found->alive = false;
  if (current_context() == found) stack().pop_back();
  return result;
}
WARPVP_API CUresult cuCtxDestroy(CUcontext context) { return cuCtxDestroy_v2(context); }
WARPVP_API CUresult cuCtxAttach(CUcontext* context, unsigned flags) {
  if (const Error error = in_context()) return error;
  if (context == nullptr || flags != 0) return kInvalidValue;
  ++current_context()->uses;
  *context = handle(current_context());
  return kSuccess;
}
WARPVP_API CUresult cuCtxDetach(CUcontext context) {
  if (const Error error = initialized()) return error;
  Error error;
  Context* const found = usable(context, error);
  if (error != kSuccess) return error;
  if (found->uses == 1) return cuCtxDestroy_v2(context);
  --found->uses;
  return kSuccess;
}

WARPVP_API CUresult cuCtxPushCurrent_v2(CUcontext context) {
  if (const Error error = initialized()) return error;
  Error error;
  Context* const found = usable(context, error);
  if (error == kSuccess) stack().push_back(found);
  return error;
}
WARPVP_API CUresult cuCtxPushCurrent(CUcontext context) { return cuCtxPushCurrent_v2(context); }
WARPVP_API CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  if (const Error error = initialized()) return error;
  if (stack().empty()) return kInvalidContext;
  if (context != nullptr) *context = handle(current_context());
  stack().pop_back();
  return kSuccess;
}
WARPVP_API CUresult cuCtxPopCurrent(CUcontext* context) { return cuCtxPopCurrent_v2(context); }

WARPVP_API CUresult cuCtxSetCurrent(CUcontext context) {
  if (const Error error = initialized()) return error;
  Context* found = nullptr;
  if (context != nullptr) {
    Error error;
    found = usable(context, error);
    if (error != kSuccess) return error;
  }
  if (!stack().empty()) stack().pop_back();
  if (found != nullptr) stack().push_back(found);
  return kSuccess;
}
WARPVP_API CUresult cuCtxGetCurrent(CUcontext* context) {
  if (const Error error = initialized()) return error;
  if (context == nullptr) return kInvalidValue;
  *context = handle(current_context());
  return kSuccess;
}

WARPVP_API CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  if (const Error error = initialized()) return error;
  if (device == nullptr) return kInvalidValue;
  Error error;
  usable_or_current(given_or_current(context), error);
  if (error == kSuccess) *device = 0;
  return error;
}
WARPVP_API CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }
WARPVP_API CUresult cuCtxGetFlags(unsigned* flags) {
  if (const Error error = in_context()) return error;
  if (flags == nullptr) return kInvalidValue;
  *flags = current_context()->flags;
  return kSuccess;
}
WARPVP_API CUresult cuCtxSetFlags(unsigned flags) {
  if (const Error error = in_context()) return error;
  if (flags > kAllFlags) return kInvalidValue;
  current_context()->flags = flags;
  return kSuccess;
}
WARPVP_API CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  if (const Error error = initialized()) return error;
  if (id == nullptr) return kInvalidValue;
  Error error;
  const Context* const found = usable_or_current(context, error);
  if (error == kSuccess) *id = found->id;
  return error;
}
WARPVP_API CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  if (const Error error = initialized()) return error;
  if (version == nullptr) return kInvalidValue;
  Error error;
  usable_or_current(context, error);
  if (error == kSuccess) *version = kApiVersion;
  return error;
}

WARPVP_API CUresult cuCtxSynchronize_v2(CUcontext context) {
  if (const Error error = initialized()) return error;
  Error error;
  usable_or_current(given_or_current(context), error);
  return error != kSuccess ? CUresult{error} : ask(Call::kSynchronizeDevice);
}
WARPVP_API CUresult cuCtxSynchronize() { return cuCtxSynchronize_v2(nullptr); }

// Stack, buffer of printf and heap are the platform's (platform.runtime): what is set is only read again.
WARPVP_API CUresult cuCtxGetLimit(std::size_t* value, int limit) {
  if (const Error error = in_context()) return error;
  if (value == nullptr) return kInvalidValue;
  if (!is_limit(limit)) return kUnsupportedLimit;
  *value = limits()[limit];
  return kSuccess;
}
WARPVP_API CUresult cuCtxSetLimit(int limit, std::size_t value) {
  if (const Error error = in_context()) return error;
  if (!is_limit(limit)) return kUnsupportedLimit;
  limits()[limit] = value;
  return kSuccess;
}

// Preferences: how the L1 and shared memory are divided is the SM's own choice.
WARPVP_API CUresult cuCtxGetCacheConfig(int* config) {
  if (const Error error = in_context()) return error;
  if (config == nullptr) return kInvalidValue;
  *config = current_context()->cache_config;
  return kSuccess;
}
WARPVP_API CUresult cuCtxSetCacheConfig(int config) {
  if (const Error error = in_context()) return error;
  if (config < 0 || config > 3) return kInvalidValue;
  current_context()->cache_config = config;
  return kSuccess;
}
WARPVP_API CUresult cuCtxGetSharedMemConfig(int* config) {
  if (const Error error = in_context()) return error;
  if (config == nullptr) return kInvalidValue;
  *config = 1;  // banks of four bytes
  return kSuccess;
}
WARPVP_API CUresult cuCtxSetSharedMemConfig(int) { return in_context(); }

WARPVP_API CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  if (const Error error = in_context()) return error;
  if (least != nullptr) *least = Connection::instance().facts().least_priority;
  if (greatest != nullptr) *greatest = Connection::instance().facts().greatest_priority;
  return kSuccess;
}
WARPVP_API CUresult cuCtxEnablePeerAccess(CUcontext, unsigned) {
  const Error error = in_context();
  return error != kSuccess ? error : kPeerAccessUnsupported;
}
WARPVP_API CUresult cuCtxDisablePeerAccess(CUcontext) {
  const Error error = in_context();
  return error != kSuccess ? error : kPeerAccessNotEnabled;
}

// ---- the primary context

WARPVP_API CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  if (context == nullptr) return kInvalidValue;
  const std::lock_guard<std::mutex> lock(primary().mutex);
  ++primary().retained;
  primary().context->alive = true;
  *context = handle(primary().context);
  return kSuccess;
}
WARPVP_API CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  return ask(Call::kSynchronizeDevice);
}
WARPVP_API CUresult cuDevicePrimaryCtxReset(CUdevice device) { return cuDevicePrimaryCtxReset_v2(device); }
WARPVP_API CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  const std::lock_guard<std::mutex> lock(primary().mutex);
  if (primary().retained == 0) return kInvalidContext;
  if (--primary().retained != 0) return kSuccess;
  const CUresult result = ask(Call::kSynchronizeDevice);
  primary().context->alive = false;
  return result;
}
WARPVP_API CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return cuDevicePrimaryCtxRelease_v2(device);
}
WARPVP_API CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  if (flags > kAllFlags) return kInvalidValue;
  primary().context->flags = flags;
  return kSuccess;
}
WARPVP_API CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
  return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}
WARPVP_API CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (const Error error = initialized()) return error;
  if (const Error error = check_device(device)) return error;
  const std::lock_guard<std::mutex> lock(primary().mutex);
  if (flags != nullptr) *flags = primary().context->flags;
  if (active != nullptr) *active = primary().retained != 0;
  return kSuccess;
}
