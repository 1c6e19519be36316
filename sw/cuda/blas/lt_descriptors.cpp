// cuBLASLt: making, setting and reading descriptors.

#include <cstring>
#include <new>

#include "sw/cuda/blas/lt.h"

using namespace warpvp::cuda::blas;

namespace {

/// A field of a descriptor by its number in the API, which shows it in so many bytes.
struct Field {
  int attribute;
  std::size_t at, bytes, shown;
};
#define FIELD(attribute, type, member) \
  { attribute, offsetof(type, member), sizeof(type::member), sizeof(type::member) }
// Enumerations of four bytes that have one here.
#define NARROW(attribute, type, member) \
  { attribute, offsetof(type, member), sizeof(type::member), sizeof(std::uint32_t) }
constexpr Field kOfOperation[] = {FIELD(0, LtOperation, computed_in),   FIELD(1, LtOperation, scale_type),
                                  FIELD(2, LtOperation, pointers),      NARROW(3, LtOperation, of_a),
                                  NARROW(4, LtOperation, of_b),         NARROW(5, LtOperation, of_c),
                                  NARROW(6, LtOperation, fill),         FIELD(7, LtOperation, epilogue),
                                  FIELD(8, LtOperation, bias),          FIELD(10, LtOperation, bias_stride),
                                  FIELD(11, LtOperation, aux),          FIELD(12, LtOperation, aux_leading),
                                  FIELD(13, LtOperation, aux_stride),   FIELD(14, LtOperation, alpha_stride),
                                  FIELD(15, LtOperation, sms),          FIELD(17, LtOperation, scale_a),
                                  FIELD(18, LtOperation, scale_b),      FIELD(19, LtOperation, scale_c),
                                  FIELD(20, LtOperation, scale_d),      FIELD(21, LtOperation, greatest_d),
                                  FIELD(22, LtOperation, aux_type),     FIELD(23, LtOperation, scale_aux),
                                  FIELD(24, LtOperation, greatest_aux), FIELD(25, LtOperation, fast_sums),
                                  FIELD(26, LtOperation, bias_type),    NARROW(31, LtOperation, mode_a),
                                  NARROW(32, LtOperation, mode_b),      NARROW(33, LtOperation, mode_c),
                                  NARROW(34, LtOperation, mode_d),      NARROW(35, LtOperation, mode_aux),
                                  FIELD(36, LtOperation, scale_d_out),  NARROW(37, LtOperation, mode_d_out),
                                  FIELD(38, LtOperation, emulation)};
constexpr Field kOfLayout[] = {
    FIELD(0, LtLayout, type),    FIELD(1, LtLayout, order),   FIELD(2, LtLayout, rows),
    FIELD(3, LtLayout, columns), FIELD(4, LtLayout, leading), FIELD(5, LtLayout, batches),
    FIELD(6, LtLayout, stride),  FIELD(7, LtLayout, plane),   FIELD(8, LtLayout, batch_mode)};
constexpr Field kOfChange[] = {FIELD(0, LtChange, scale_type), FIELD(1, LtChange, pointers),
                               FIELD(2, LtChange, of_a), FIELD(3, LtChange, of_b)};
/// What chooses among algorithms, of which there is one: kept, and of no effect.
struct Preference {
  std::uint32_t search = 0, schemes = 7, align_a = 256, align_b = 256, align_c = 256, align_d = 256;
  std::uint32_t math = ~0u, gauss = ~0u, pointers = 0, epilogues = 0;  // of CUDA 11
  float waves = 0;
  std::uint64_t most_workspace = 0, kinds = ~std::uint64_t{0};
};
static_assert(sizeof(Preference) <= 80);
constexpr Field kOfPreference[] = {
    FIELD(0, Preference, search),    FIELD(1, Preference, most_workspace), FIELD(3, Preference, schemes),
    FIELD(5, Preference, align_a),   FIELD(6, Preference, align_b),        FIELD(7, Preference, align_c),
    FIELD(8, Preference, align_d),   FIELD(9, Preference, waves),          FIELD(12, Preference, kinds),
    FIELD(2, Preference, math),      FIELD(4, Preference, gauss),          FIELD(10, Preference, pointers),
    FIELD(11, Preference, epilogues)};
/// How double precision is made of integers on chips that do: here it is double precision.
struct Emulation {
  std::uint32_t strategy = 0, special = 0xffff, control = 0;
  std::int32_t most_bits = 0, offset = 0;
  std::int32_t* bits = nullptr;
};
constexpr Field kOfEmulation[] = {FIELD(0, Emulation, strategy), FIELD(1, Emulation, special),
                                  FIELD(2, Emulation, control),  FIELD(3, Emulation, most_bits),
                                  FIELD(4, Emulation, offset),   FIELD(5, Emulation, bits)};
constexpr Field kOfAlgorithm[] = {
    FIELD(0, LtAlgorithm, id),        FIELD(1, LtAlgorithm, tile),    FIELD(2, LtAlgorithm, split),
    FIELD(3, LtAlgorithm, reduction), FIELD(4, LtAlgorithm, swizzle), FIELD(5, LtAlgorithm, option),
    FIELD(6, LtAlgorithm, stages),    FIELD(7, LtAlgorithm, inner),   FIELD(8, LtAlgorithm, cluster)};
#undef FIELD
#undef NARROW

template <std::size_t N>
const Field* find(const Field (&fields)[N], int attribute) {
  for (const Field& field : fields)
    if (field.attribute == attribute) return &field;
  return nullptr;
}
template <std::size_t N>
cublasStatus_t set(void* descriptor, const Field (&fields)[N], int attribute, const void* from,
                   std::size_t bytes) {
  const Field* const field = find(fields, attribute);
  if (field == nullptr) return not_offered("an attribute of a newer version");
  if (descriptor == nullptr || from == nullptr || bytes < field->shown) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(static_cast<char*>(descriptor) + field->at, from,
              field->bytes);  // of enumerations the low byte
  return CUBLAS_STATUS_SUCCESS;
}
template <std::size_t N>
cublasStatus_t get(const void* descriptor, const Field (&fields)[N], int attribute, void* to,
                   std::size_t bytes, std::size_t* written) {
  const Field* const field = find(fields, attribute);
  if (field == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (written != nullptr) *written = field->shown;
  if (bytes == 0 && written != nullptr) return CUBLAS_STATUS_SUCCESS;
  if (descriptor == nullptr || to == nullptr || bytes < field->shown) return CUBLAS_STATUS_INVALID_VALUE;
  std::memset(to, 0, field->shown);
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
LtOperation operation_of(cublasComputeType_t computed_in, cudaDataType scale_type) {
  LtOperation made{};
  made.computed_in = computed_in;
  made.scale_type = scale_type;
  made.pointers = kOnHost;
  return made;
}
LtLayout layout_of(cudaDataType type, std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  LtLayout made{};
  made.type = type;
  made.rows = rows;
  made.columns = columns;
  made.leading = leading;
  return made;
}
LtChange change_of(cudaDataType scale_type) {
  LtChange made{};
  made.scale_type = scale_type;
  return made;
}

}  // namespace

// Functions to make one of ours and to destroy it, and to set and to read a field. Creating and initializing
// take what the kind of descriptor does.
#define DESCRIPTOR(Name, Type, fields)                                                                      \
  WARPVP_API cublasStatus_t cublasLt##Name##Destroy(Type* descriptor) { return destroy(descriptor); }       \
  WARPVP_API cublasStatus_t cublasLt##Name##SetAttribute(Type* descriptor, int attribute, const void* from, \
                                                         std::size_t bytes) {                               \
    return set(descriptor, fields, attribute, from, bytes);                                                 \
  }                                                                                                         \
  WARPVP_API cublasStatus_t cublasLt##Name##GetAttribute(const Type* descriptor, int attribute, void* to,   \
                                                         std::size_t bytes, std::size_t* written) {         \
    return get(descriptor, fields, attribute, to, bytes, written);                                          \
  }
DESCRIPTOR(MatmulDesc, LtOperation, kOfOperation)
DESCRIPTOR(MatrixLayout, LtLayout, kOfLayout)
DESCRIPTOR(MatrixTransformDesc, LtChange, kOfChange)
DESCRIPTOR(MatmulPreference, Preference, kOfPreference)
DESCRIPTOR(EmulationDesc, Emulation, kOfEmulation)

WARPVP_API cublasStatus_t cublasLtMatmulDescInit_internal(LtOperation* descriptor, std::size_t bytes,
                                                          cublasComputeType_t computed_in,
                                                          cudaDataType scale_type) {
  return make_in(descriptor, bytes, operation_of(computed_in, scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatmulDescCreate(LtOperation** descriptor, cublasComputeType_t computed_in,
                                                   cudaDataType scale_type) {
  return make(descriptor, operation_of(computed_in, scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatrixLayoutInit_internal(LtLayout* descriptor, std::size_t bytes,
                                                            cudaDataType type, std::uint64_t rows,
                                                            std::uint64_t columns, std::int64_t leading) {
  return make_in(descriptor, bytes, layout_of(type, rows, columns, leading));
}
WARPVP_API cublasStatus_t cublasLtMatrixLayoutCreate(LtLayout** descriptor, cudaDataType type,
                                                     std::uint64_t rows, std::uint64_t columns,
                                                     std::int64_t leading) {
  return make(descriptor, layout_of(type, rows, columns, leading));
}
WARPVP_API cublasStatus_t cublasLtMatrixTransformDescInit_internal(LtChange* descriptor, std::size_t bytes,
                                                                   cudaDataType scale_type) {
  return make_in(descriptor, bytes, change_of(scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatrixTransformDescCreate(LtChange** descriptor, cudaDataType scale_type) {
  return make(descriptor, change_of(scale_type));
}
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceInit_internal(Preference* preference, std::size_t bytes) {
  return make_in(preference, bytes, Preference());
}
WARPVP_API cublasStatus_t cublasLtMatmulPreferenceCreate(Preference** preference) {
  return make(preference, Preference());
}
WARPVP_API cublasStatus_t cublasLtEmulationDescInit_internal(Emulation* descriptor, std::size_t bytes) {
  return make_in(descriptor, bytes, Emulation());
}
WARPVP_API cublasStatus_t cublasLtEmulationDescCreate(Emulation** descriptor) {
  return make(descriptor, Emulation());
}

WARPVP_API cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(LtAlgorithm* algorithm, int attribute,
                                                               const void* from, std::size_t bytes) {
  return set(algorithm, kOfAlgorithm, attribute, from, bytes);
}
WARPVP_API cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const LtAlgorithm* algorithm, int attribute,
                                                               void* to, std::size_t bytes,
                                                               std::size_t* written) {
  return get(algorithm, kOfAlgorithm, attribute, to, bytes, written);
}
