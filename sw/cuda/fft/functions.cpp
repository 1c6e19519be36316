// The functions of cuFFT: plans by number, and their execution.

#include <algorithm>
#include <map>
#include <mutex>

#include "sw/cuda/fft/plan.h"

using namespace warpvp::cuda;
using namespace warpvp::cuda::fft;

namespace {

struct Plan {
  Request request;
  std::unique_ptr<Transforms> transforms;  ///< null until the plan is made
  CUstream stream = nullptr;
  bool allocates = true;
  DeviceMemory own;
  void* scratch = nullptr;
};
struct Plans {
  std::mutex mutex;
  std::map<cufftHandle, std::unique_ptr<Plan>> all;
  cufftHandle next = 1;
};
Plans& plans() {
  static auto* const all = new Plans;  // programs use it in destructors of their own
  return *all;
}
Plan* find(cufftHandle handle) {
  const std::lock_guard<std::mutex> lock(plans().mutex);
  const auto found = plans().all.find(handle);
  return found == plans().all.end() ? nullptr : found->second.get();
}

bool is_type(cufftType type) {
  return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z ||
         type == CUFFT_D2Z || type == CUFFT_Z2D;
}

/// Sizes of up to three dimensions, and the embeddings of both sides, which are given or null both.
template <class Int>
cufftResult request_of(int rank, const Int* n, const Int* in_embed, long long in_stride,
                       long long in_distance, const Int* out_embed, long long out_stride,
                       long long out_distance, cufftType type, long long batches, Request* request) {
  if (!is_type(type)) return CUFFT_INVALID_TYPE;
  if (rank < 1 || rank > 3 || n == nullptr) return CUFFT_INVALID_VALUE;
  if (batches < 1) return CUFFT_INVALID_SIZE;
  request->type = type;
  request->batches = batches;
  long long all = batches;
  for (int d = 0; d < rank; ++d) {
    constexpr long long kMost = 1LL << 40;
    if (n[d] < 1 || n[d] > kMost / all) return CUFFT_INVALID_SIZE;
    request->n[3 - rank + d] = n[d];
    all *= n[d];
  }
  const auto embedded = [&](const Int* embed, long long stride, long long distance, Embedding* e) {
    e->given = true;
    e->stride = stride;
    e->distance = distance;
    for (int d = 0; d < rank; ++d) e->n[3 - rank + d] = embed[d];
    return stride >= 1 && distance >= 0;
  };
  // Without both the layout is the basic one (cuFFT documentation, 2.6).
  if (in_embed == nullptr || out_embed == nullptr) return CUFFT_SUCCESS;
  return embedded(in_embed, in_stride, in_distance, &request->in) &&
                 embedded(out_embed, out_stride, out_distance, &request->out)
             ? CUFFT_SUCCESS
             : CUFFT_INVALID_VALUE;
}

cufftResult create(cufftHandle* handle) {
  if (handle == nullptr) return CUFFT_INVALID_VALUE;
  if (!have_context()) return CUFFT_SETUP_FAILED;
  const std::lock_guard<std::mutex> lock(plans().mutex);
  *handle = plans().next++;
  plans().all[*handle] = std::make_unique<Plan>();
  return CUFFT_SUCCESS;
}
cufftResult destroy(cufftHandle handle) {
  const std::lock_guard<std::mutex> lock(plans().mutex);
  return plans().all.erase(handle) != 0 ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}
cufftResult make(cufftHandle handle, cufftResult valid, const Request& request, std::size_t* bytes) {
  Plan* const plan = find(handle);
  if (plan == nullptr || plan->transforms) return CUFFT_INVALID_PLAN;
  if (valid != CUFFT_SUCCESS) return valid;
  std::unique_ptr<Transforms> made;
  if (const cufftResult result = make_transforms(request, &made)) return result;
  if (bytes != nullptr) *bytes = made->scratch_bytes();
  if (plan->allocates) {
    if (plan->own.get(made->scratch_bytes()) != 0) return CUFFT_ALLOC_FAILED;
    plan->scratch = plan->own.as<void>();
  }
  plan->request = request;
  plan->transforms = std::move(made);
  return CUFFT_SUCCESS;
}
/// Creates the plan too, or nothing.
cufftResult make_new(cufftHandle* handle, cufftResult valid, const Request& request) {
  if (valid != CUFFT_SUCCESS) return valid;
  if (const cufftResult result = create(handle)) return result;
  const cufftResult result = make(*handle, valid, request, nullptr);
  if (result != CUFFT_SUCCESS) destroy(*handle);
  return result;
}
cufftResult simple(const std::vector<int>& n, cufftType type, long long batches, Request* request) {
  const int* const none = nullptr;
  return request_of(static_cast<int>(n.size()), n.data(), none, 1, 1, none, 1, 1, type, batches, request);
}
/// As the tables are not made, what a plan would take is known only by making it.
cufftResult estimate(cufftResult valid, const Request& request, std::size_t* bytes) {
  if (valid != CUFFT_SUCCESS) return valid;
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  if (!have_context()) return CUFFT_SETUP_FAILED;
  std::unique_ptr<Transforms> made;
  if (const cufftResult result = make_transforms(request, &made)) return result;
  *bytes = made->scratch_bytes();
  return CUFFT_SUCCESS;
}

cufftResult execute(cufftHandle handle, cufftType type, void* in, void* out, int direction) {
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->transforms) return CUFFT_INVALID_PLAN;
  if (plan->request.type != type) return CUFFT_INVALID_TYPE;
  if (in == nullptr || out == nullptr || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE))
    return CUFFT_INVALID_VALUE;
  if (plan->scratch == nullptr && plan->transforms->scratch_bytes() != 0) return CUFFT_INVALID_PLAN;
  return plan->transforms->run(plan->stream, in, out, direction == CUFFT_INVERSE, plan->scratch);
}

/// What a type of numbers on each side asks for.
bool type_of(cudaDataType in, cudaDataType out, cudaDataType by, cufftType* type) {
  struct Known {
    cudaDataType in, out, by;
    cufftType type;
  };
  constexpr Known kAll[] = {
      {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
      {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
      {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
  for (const Known& k : kAll)
    if (k.in == in && k.out == out && k.by == by) {
      *type = k.type;
      return true;
    }
  return false;
}

}  // namespace

WARPVP_API cufftResult cufftCreate(cufftHandle* plan) { return create(plan); }
WARPVP_API cufftResult cufftDestroy(cufftHandle plan) { return destroy(plan); }
WARPVP_API cufftResult cufftGetVersion(int* version) {
  if (version == nullptr) return CUFFT_INVALID_VALUE;
  *version = WARPVP_CUDA_VERSION * 1000;
  return CUFFT_SUCCESS;
}
/// `property`: 0 major version, 1 minor version, 2 patch level.
WARPVP_API cufftResult cufftGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return CUFFT_INVALID_VALUE;
  *value = property == 0 ? WARPVP_CUDA_VERSION : 0;
  return CUFFT_SUCCESS;
}
WARPVP_API cufftResult cufftSetStream(cufftHandle handle, CUstream stream) {
  Plan* const plan = find(handle);
  if (plan == nullptr) return CUFFT_INVALID_PLAN;
  plan->stream = stream;
  return CUFFT_SUCCESS;
}
WARPVP_API cufftResult cufftSetAutoAllocation(cufftHandle handle, int allocates) {
  Plan* const plan = find(handle);
  if (plan == nullptr || plan->transforms) return CUFFT_INVALID_PLAN;
  plan->allocates = allocates != 0;
  return CUFFT_SUCCESS;
}
WARPVP_API cufftResult cufftSetWorkArea(cufftHandle handle, void* scratch) {
  Plan* const plan = find(handle);
  if (plan == nullptr || !plan->transforms) return CUFFT_INVALID_PLAN;
  plan->scratch = scratch;
  return CUFFT_SUCCESS;
}
WARPVP_API cufftResult cufftGetSize(cufftHandle handle, std::size_t* bytes) {
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->transforms) return CUFFT_INVALID_PLAN;
  if (bytes == nullptr) return CUFFT_INVALID_VALUE;
  *bytes = plan->transforms->scratch_bytes();
  return CUFFT_SUCCESS;
}

WARPVP_API cufftResult cufftPlan1d(cufftHandle* plan, int n, cufftType type, int batches) {
  Request request;
  const cufftResult valid = simple({n}, type, batches, &request);
  return make_new(plan, valid, request);
}
WARPVP_API cufftResult cufftPlan2d(cufftHandle* plan, int n0, int n1, cufftType type) {
  Request request;
  const cufftResult valid = simple({n0, n1}, type, 1, &request);
  return make_new(plan, valid, request);
}
WARPVP_API cufftResult cufftPlan3d(cufftHandle* plan, int n0, int n1, int n2, cufftType type) {
  Request request;
  const cufftResult valid = simple({n0, n1, n2}, type, 1, &request);
  return make_new(plan, valid, request);
}
WARPVP_API cufftResult cufftPlanMany(cufftHandle* plan, int rank, int* n, int* in_embed, int in_stride,
                                     int in_distance, int* out_embed, int out_stride, int out_distance,
                                     cufftType type, int batches) {
  Request request;
  const cufftResult valid = request_of(rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                                       out_distance, type, batches, &request);
  return make_new(plan, valid, request);
}
WARPVP_API cufftResult cufftMakePlan1d(cufftHandle plan, int n, cufftType type, int batches,
                                       std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n}, type, batches, &request);
  return make(plan, valid, request, bytes);
}
WARPVP_API cufftResult cufftMakePlan2d(cufftHandle plan, int n0, int n1, cufftType type, std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n0, n1}, type, 1, &request);
  return make(plan, valid, request, bytes);
}
WARPVP_API cufftResult cufftMakePlan3d(cufftHandle plan, int n0, int n1, int n2, cufftType type,
                                       std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n0, n1, n2}, type, 1, &request);
  return make(plan, valid, request, bytes);
}

// For layouts: with int and with long long; made, estimated, or asked for a plan that is there.
#define FOR_LAYOUTS(SUFFIX, INT)                                                                           \
  WARPVP_API cufftResult cufftMakePlanMany##SUFFIX(                                                        \
      cufftHandle plan, int rank, INT* n, INT* in_embed, INT in_stride, INT in_distance, INT* out_embed,   \
      INT out_stride, INT out_distance, cufftType type, INT batches, std::size_t* bytes) {                 \
    Request request;                                                                                       \
    const cufftResult valid = request_of(rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, \
                                         out_distance, type, batches, &request);                           \
    return make(plan, valid, request, bytes);                                                              \
  }                                                                                                        \
  WARPVP_API cufftResult cufftGetSizeMany##SUFFIX(                                                         \
      cufftHandle plan, int rank, INT* n, INT* in_embed, INT in_stride, INT in_distance, INT* out_embed,   \
      INT out_stride, INT out_distance, cufftType type, INT batches, std::size_t* bytes) {                 \
    if (find(plan) == nullptr) return CUFFT_INVALID_PLAN;                                                  \
    Request request;                                                                                       \
    const cufftResult valid = request_of(rank, n, in_embed, in_stride, in_distance, out_embed, out_stride, \
                                         out_distance, type, batches, &request);                           \
    return estimate(valid, request, bytes);                                                                \
  }
FOR_LAYOUTS(, int)
FOR_LAYOUTS(64, long long)
#undef FOR_LAYOUTS
WARPVP_API cufftResult cufftEstimateMany(int rank, int* n, int* in_embed, int in_stride, int in_distance,
                                         int* out_embed, int out_stride, int out_distance, cufftType type,
                                         int batches, std::size_t* bytes) {
  Request request;
  const cufftResult valid = request_of(rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                                       out_distance, type, batches, &request);
  return estimate(valid, request, bytes);
}
WARPVP_API cufftResult cufftEstimate1d(int n, cufftType type, int batches, std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n}, type, batches, &request);
  return estimate(valid, request, bytes);
}
WARPVP_API cufftResult cufftEstimate2d(int n0, int n1, cufftType type, std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n0, n1}, type, 1, &request);
  return estimate(valid, request, bytes);
}
WARPVP_API cufftResult cufftEstimate3d(int n0, int n1, int n2, cufftType type, std::size_t* bytes) {
  Request request;
  const cufftResult valid = simple({n0, n1, n2}, type, 1, &request);
  return estimate(valid, request, bytes);
}
WARPVP_API cufftResult cufftGetSize1d(cufftHandle plan, int n, cufftType type, int batches,
                                      std::size_t* bytes) {
  return find(plan) == nullptr ? CUFFT_INVALID_PLAN : cufftEstimate1d(n, type, batches, bytes);
}
WARPVP_API cufftResult cufftGetSize2d(cufftHandle plan, int n0, int n1, cufftType type, std::size_t* bytes) {
  return find(plan) == nullptr ? CUFFT_INVALID_PLAN : cufftEstimate2d(n0, n1, type, bytes);
}
WARPVP_API cufftResult cufftGetSize3d(cufftHandle plan, int n0, int n1, int n2, cufftType type,
                                      std::size_t* bytes) {
  return find(plan) == nullptr ? CUFFT_INVALID_PLAN : cufftEstimate3d(n0, n1, n2, type, bytes);
}
WARPVP_API cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* in_embed,
                                           long long in_stride, long long in_distance, cudaDataType in,
                                           long long* out_embed, long long out_stride, long long out_distance,
                                           cudaDataType out, long long batches, std::size_t* bytes,
                                           cudaDataType by) {
  cufftType type;
  if (!type_of(in, out, by, &type)) return CUFFT_NOT_SUPPORTED;
  return cufftMakePlanMany64(plan, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                             out_distance, type, batches, bytes);
}

WARPVP_API cufftResult cufftExecC2C(cufftHandle plan, void* in, void* out, int direction) {
  return execute(plan, CUFFT_C2C, in, out, direction);
}
WARPVP_API cufftResult cufftExecR2C(cufftHandle plan, void* in, void* out) {
  return execute(plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
WARPVP_API cufftResult cufftExecC2R(cufftHandle plan, void* in, void* out) {
  return execute(plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
WARPVP_API cufftResult cufftExecZ2Z(cufftHandle plan, void* in, void* out, int direction) {
  return execute(plan, CUFFT_Z2Z, in, out, direction);
}
WARPVP_API cufftResult cufftExecD2Z(cufftHandle plan, void* in, void* out) {
  return execute(plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
WARPVP_API cufftResult cufftExecZ2D(cufftHandle plan, void* in, void* out) {
  return execute(plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}
WARPVP_API cufftResult cufftXtExec(cufftHandle handle, void* in, void* out, int direction) {
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->transforms) return CUFFT_INVALID_PLAN;
  const cufftType type = plan->request.type;
  return execute(handle, type, in, out,
                 from_real(type) ? CUFFT_FORWARD
                 : to_real(type) ? CUFFT_INVERSE
                                 : direction);
}
