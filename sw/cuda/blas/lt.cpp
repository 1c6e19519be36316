// cuBLASLt: products that descriptors describe, with a bias and ReLU or GELU behind them.

#include <cstring>
#include <new>

#include "sw/cuda/blas/gemm.h"

using namespace warpvp::cuda::blas;

namespace {

// Descriptors lie in memory of the caller's or of ours; callers see words. They fit into those of CUDA 11.

struct Operation {
  std::uint32_t computed_in, scale_type, pointers;
  std::uint8_t of_a, of_b, of_c, fill;
  std::uint32_t epilogue, bias_type;
  const void* bias;
  std::int64_t bias_stride;
};
static_assert(sizeof(Operation) <= 64);
struct Layout {
  std::uint32_t type, order;
  std::uint64_t rows, columns;
  std::int64_t leading, stride;
  std::int32_t batches;
};
static_assert(sizeof(Layout) <= 64);
enum Order : std::uint32_t { kColumns = 0, kRows = 1 };
struct Preference {
  std::uint64_t most_workspace;
};
/// Of the algorithms, of which there is one.
struct Heuristic {
  std::uint64_t algorithm[8];
  std::size_t workspace;
  cublasStatus_t state;
  float waves;
  int reserved[4];
};
enum EpilogueBits : std::uint32_t { kDefault = 1, kRelu = 2, kBias = 4, kGelu = 32 };

/// A field of a descriptor by its number in the API.
struct Field {
  int attribute;
  std::size_t at, bytes;
};
#define FIELD(attribute, type, member) \
  { attribute, offsetof(type, member), sizeof(type::member) }
constexpr Field kOfOperation[] = {FIELD(0, Operation, computed_in), FIELD(1, Operation, scale_type),
                                  FIELD(2, Operation, pointers),    FIELD(7, Operation, epilogue),
                                  FIELD(8, Operation, bias),        FIELD(10, Operation, bias_stride),
                                  FIELD(26, Operation, bias_type)};
// Enumerations of four bytes that have one here.
constexpr Field kOperations[] = {FIELD(3, Operation, of_a), FIELD(4, Operation, of_b),
                                 FIELD(5, Operation, of_c), FIELD(6, Operation, fill)};
constexpr Field kOfLayout[] = {
    FIELD(0, Layout, type),    FIELD(1, Layout, order),   FIELD(2, Layout, rows),  FIELD(3, Layout, columns),
    FIELD(4, Layout, leading), FIELD(5, Layout, batches), FIELD(6, Layout, stride)};
#undef FIELD

template <std::size_t N>
const Field* find(const Field (&fields)[N], int attribute) {
  for (const Field& field : fields)
    if (field.attribute == attribute) return &field;
  return nullptr;
}
cublasStatus_t set(void* descriptor, const Field* field, const void* from, std::size_t bytes) {
  if (field == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (descriptor == nullptr || from == nullptr || bytes < field->bytes) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<char*>(descriptor) + field->at, from, field->bytes);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t get(const void* descriptor, const Field* field, std::size_t shown, void* to, std::size_t bytes,
                   std::size_t* written) {
  if (field == nullptr) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (written != nullptr) *written = shown;
  if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (descriptor == nullptr || to == nullptr || bytes < shown) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(to, 0, shown);
  std::memcpy(to, static_cast<const char*>(descriptor) + field->at, field->bytes);
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t make(T** descriptor, const T& value) {
  if (descriptor == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new (std::nothrow) T(value);
  return *descriptor ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}
template <class T>
cublasStatus_t make_in(T* descriptor, std::size_t bytes, const T& value) {
  if (descriptor == nullptr || bytes < sizeof(T)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(static_cast<void*>(descriptor), 0, bytes);
  *descriptor = value;
  return CUBLAS_STATUS_SUCCESS;
}
template <class T>
cublasStatus_t destroy(T* descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}
Operation operation_of(cublasComputeType_t computed_in, cudaDataType scale_type) {
  return {computed_in, scale_type, CUBLAS_POINTER_MODE_HOST, 0, 0, 0, CUBLAS_FILL_MODE_FULL, kDefault, ~0u,
          nullptr,     0};
}
Layout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  return {type, kColumns, rows, columns, leading, 0, 1};
}

/// The type that factors have.
bool scales(cublasComputeType_t computed_in, std::uint32_t type) {
  switch (computed_in) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
      return type == CUDA_R_16F;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return type == CUDA_R_64F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
      return type == CUDA_R_32I;
    default:
      return type == CUDA_R_32F;
  }
}

cublasOperation_t transposed(cublasOperation_t operation, bool also) {
  return (operation != CUBLAS_OP_N) != also ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/// The product of the descriptors, without its places; what is not offered, or does not fit together, is
/// said.
cublasStatus_t describe(const Operation& o, const Layout& a, const Layout& b, const Layout& c,
                        const Layout& d, Product& p) {
  const auto computed_in = static_cast<cublasComputeType_t>(o.computed_in);
  if (o.of_c != 0 || o.fill != CUBLAS_FILL_MODE_FULL || o.pointers > CUBLAS_POINTER_MODE_DEVICE ||
      !scales(computed_in, o.scale_type) || (o.epilogue & ~(kDefault | kRelu | kBias | kGelu)) != 0 ||
      a.order > kRows || b.order > kRows || d.order > kRows || c.order != d.order || c.type != d.type)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (o.bias_type != ~0u && (o.epilogue & kBias) && o.bias_type != d.type) return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool ta = o.of_a != 0, tb = o.of_b != 0;
  const std::uint64_t m = ta ? a.columns : a.rows, k = ta ? a.rows : a.columns, n = tb ? b.rows : b.columns;
  if ((tb ? b.columns : b.rows) != k || d.rows != m || d.columns != n || c.rows != m || c.columns != n ||
      a.batches != d.batches || b.batches != d.batches || c.batches != d.batches)
    return CUBLAS_STATUS_INVALID_VALUE;
  constexpr std::uint64_t kMost = 0x7fffffff;
  for (const std::uint64_t size :
       {m, n, k, static_cast<std::uint64_t>(a.leading), static_cast<std::uint64_t>(b.leading),
        static_cast<std::uint64_t>(c.leading), static_cast<std::uint64_t>(d.leading)})
    if (size > kMost) return CUBLAS_STATUS_INVALID_VALUE;
  // Rows that lie together are columns of the transposed matrix.
  const auto of_a = transposed(static_cast<cublasOperation_t>(o.of_a), a.order == kRows);
  const auto of_b = transposed(static_cast<cublasOperation_t>(o.of_b), b.order == kRows);
  const auto place = [](const Layout& of) {
    return Place{nullptr, nullptr, of.stride, static_cast<int>(of.leading)};
  };
  const auto type = [](std::uint32_t of) { return static_cast<cudaDataType>(of); };
  p.computed_in = computed_in;
  p.c_type = type(d.type);
  p.c = place(c);
  p.d = place(d);
  p.epilogue.bias = o.epilogue & kBias ? o.bias : nullptr;
  p.epilogue.stride = o.bias_stride;
  p.epilogue.activation = o.epilogue & kRelu ? 1 : o.epilogue & kGelu ? 2 : 0;
  const int im = static_cast<int>(m), in = static_cast<int>(n), ik = static_cast<int>(k);
  if (d.order == kColumns) {
    p.sizes = {of_a, of_b, im, in, ik, d.batches};
    p.a = place(a);
    p.b = place(b);
    p.a_type = type(a.type);
    p.b_type = type(b.type);
  } else {
    // D^T = B^T A^T.
    p.sizes = {transposed(of_b, true), transposed(of_a, true), in, im, ik, d.batches};
    p.a = place(b);
    p.b = place(a);
    p.a_type = type(b.type);
    p.b_type = type(a.type);
    p.epilogue.by_column = 1;
  }
  if (!p.sizes.valid(p.a.leading, p.b.leading, p.c.leading) || p.d.leading < std::max(1, p.sizes.m))
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

struct cublasLtContext {};
using cublasLtHandle_t = cublasLtContext*;

WARPVP_API cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (const cublasStatus_t status = be_ready()) return status;
  return make(handle, cublasLtContext());
}
WARPVP_API cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) { return destroy(handle); }
WARPVP_API std::size_t cublasLtGetVersion() { return WARPVP_CUDA_VERSION * 10000; }
WARPVP_API std::size_t cublasLtGetCudartVersion() { return WARPVP_CUDA_VERSION * 1000; }

WARPVP_API cublasStatus_t cublasLtMatmulDescInit_internal(Operation* descriptor, std::size_t bytes,
                                                          cublasComputeType_t computed_in,
                                                          cudaDataType scale_type) {
  return make_in(descriptor, bytes, operation_of(computed_in, scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatmulDescCreate(Operation** descriptor, cublasComputeType_t computed_in,
                                                   cudaDataType scale_type) {
  return make(descriptor, operation_of(computed_in, scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatmulDescDestroy(Operation* descriptor) { return destroy(descriptor); }
WARPVP_API cublasStatus_t cublasLtMatmulDescSetAttribute(Operation* descriptor, int attribute,
                                                         const void* from, std::size_t bytes) {
  if (const Field* const field = find(kOperations, attribute)) {
    if (bytes < sizeof(std::uint32_t)) return CUBLAS_STATUS_INVALID_VALUE;
    return set(descriptor, field, from, bytes);  // its low byte
  }
  return set(descriptor, find(kOfOperation, attribute), from, bytes);
}
WARPVP_API cublasStatus_t cublasLtMatmulDescGetAttribute(const Operation* descriptor, int attribute, void* to,
                                                         std::size_t bytes, std::size_t* written) {
  if (const Field* const field = find(kOperations, attribute))
    return get(descriptor, field, sizeof(std::uint32_t), to, bytes, written);
  const Field* const field = find(kOfOperation, attribute);
  return get(descriptor, field, field ? field->bytes : 0, to, bytes, written);
}

WARPVP_API cublasStatus_t cublasLtMatrixLayoutInit_internal(Layout* descriptor, std::size_t bytes,
                                                            cudaDataType type, std::uint64_t rows,
                                                            std::uint64_t columns, std::int64_t leading) {
  return make_in(descriptor, bytes, layout_of(type, rows, columns, leading));
}
WARPVP_API cublasStatus_t cublasLtMatrixLayoutCreate(Layout** descriptor, cudaDataType type,
                                                     std::uint64_t rows, std::uint64_t columns,
                                                     std::int64_t leading) {
  return make(descriptor, layout_of(type, rows, columns, leading));
}
WARPVP_API cublasStatus_t cublasLtMatrixLayoutDestroy(Layout* descriptor) { return destroy(descriptor); }
WARPVP_API cublasStatus_t cublasLtMatrixLayoutSetAttribute(Layout* descriptor, int attribute,
                                                           const void* from, std::size_t bytes) {
  return set(descriptor, find(kOfLayout, attribute), from, bytes);
}
WARPVP_API cublasStatus_t cublasLtMatrixLayoutGetAttribute(const Layout* descriptor, int attribute, void* to,
                                                           std::size_t bytes, std::size_t* written) {
  const Field* const field = find(kOfLayout, attribute);
  return get(descriptor, field, field ? field->bytes : 0, to, bytes, written);
}

// What a preference asks for chooses among algorithms; here there is one, which needs no memory.
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceInit_internal(Preference* preference, std::size_t bytes) {
  return make_in(preference, bytes, Preference());
}
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceCreate(Preference** preference) {
  return make(preference, Preference());
}
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceDestroy(Preference* preference) {
  return destroy(preference);
}
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceSetAttribute(Preference* preference, int, const void* from,
                                                               std::size_t) {
  return preference != nullptr && from != nullptr ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}

WARPVP_API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, const Operation* operation,
                                                         const Layout* a, const Layout* b, const Layout* c,
                                                         const Layout* d, const Preference*, int wanted,
                                                         Heuristic* results, int* found) {
  BLAS_CHECK(handle, operation && a && b && c && d && wanted >= 1 && results && found);
  Product product{};
  *found = 0;
  if (const auto status = describe(*operation, *a, *b, *c, *d, product)) return status;
  *results = {};
  results->waves = 1;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}
WARPVP_API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, const Operation* operation,
                                         const void* alpha, const void* a, const Layout* of_a, const void* b,
                                         const Layout* of_b, const void* beta, const void* c,
                                         const Layout* of_c, void* d, const Layout* of_d, const void*, void*,
                                         std::size_t, CUstream stream) {
  BLAS_CHECK(handle, operation && of_a && of_b && of_c && of_d && alpha && beta && a && b && d);
  Product product{};
  if (const auto status = describe(*operation, *of_a, *of_b, *of_c, *of_d, product)) return status;
  const bool swapped = product.epilogue.by_column != 0;
  product.alpha = alpha;
  product.beta = beta;
  product.a.first = swapped ? b : a;
  product.b.first = swapped ? a : b;
  product.c.first = c ? c : d;  // without a C beta is zero
  product.d.first = d;
  cublasContext with;
  with.stream = stream;
  with.pointers = static_cast<cublasPointerMode_t>(operation->pointers);
  return multiply(with, product);
}
