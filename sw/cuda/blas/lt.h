#pragma once
// cuBLASLt: what its descriptors hold, and what products and changes of order make of them. Numbers of
// attributes and values are those of the cuBLAS library documentation.

#include <algorithm>

#include "sw/cuda/blas/handle.h"
#include "sw/kernels/blas/lt_arguments.h"

struct cublasLtContext {};
using cublasLtHandle_t = cublasLtContext*;

namespace warpvp::cuda::blas {

/// Of the pointers to factors.
enum LtPointers : std::uint32_t {
  kOnHost,
  kOnDevice,
  kVectors,
  kAlphaVectorBetaZero,
  kAlphaVectorBetaOnHost
};
enum LtEpilogue : std::uint32_t {
  kDefault = 1,
  kReluOf = 2,
  kBias = 4,
  kReluGradientOf = 8,
  kGradientOfBias = 16,
  kGeluOf = 32,
  kGeluGradientOf = 64,
  kAux = 128,
  kGradientOfBiasA = 256,
  kGradientOfBiasB = 512
};

// Descriptors lie in memory of the caller's or of ours; callers see words. They fit into those of CUDA 11.8
// and later.

struct LtOperation {
  std::uint32_t computed_in, scale_type, pointers, epilogue = kDefault;
  std::uint32_t bias_type = ~0u, aux_type = ~0u;  ///< ~0: that of D
  std::uint32_t sms = 0;                          ///< taken, and of no effect; so is fast_sums
  std::uint8_t of_a = 0, of_b = 0, of_c = 0, fill = CUBLAS_FILL_MODE_FULL, fast_sums = 0;
  std::uint8_t mode_a = 0, mode_b = 0, mode_c = 0, mode_d = 0, mode_aux = 0, mode_d_out = 0;
  const void* bias = nullptr;
  std::int64_t bias_stride = 0;
  void* aux = nullptr;
  std::int64_t aux_leading = 0, aux_stride = 0, alpha_stride = 0;
  const void *scale_a = nullptr, *scale_b = nullptr, *scale_c = nullptr, *scale_d = nullptr;
  void* greatest_d = nullptr;
  const void* scale_aux = nullptr;
  void* greatest_aux = nullptr;
  void* scale_d_out = nullptr;
  const void* emulation = nullptr;
};
static_assert(sizeof(LtOperation) <= 184);
struct LtLayout {
  std::uint32_t type, order = kColumns;
  std::uint64_t rows, columns;
  std::int64_t leading, stride = 0, plane = 0;
  std::int32_t batches = 1;
  std::uint32_t batch_mode = 0;  ///< 1: a list of addresses
};
static_assert(sizeof(LtLayout) <= 64);
struct LtChange {
  std::uint32_t scale_type, pointers = kOnHost, of_a = 0, of_b = 0;
};
static_assert(sizeof(LtChange) <= 64);
/// An algorithm, of which there is one: how callers would have it is kept, and of no effect.
struct LtAlgorithm {
  std::uint32_t id, tile, split, reduction, swizzle, option, stages;
  std::uint16_t inner, cluster;
};
static_assert(sizeof(LtAlgorithm) <= 64);

/// Of a matrix of the layout that begins there, for kernels.
LtMatrix matrix_in(const LtLayout& layout, const void* first);
/// Columns, rows and groups of them are long enough, and elements of the type can lie so.
bool is_sound(const LtLayout& layout);
/// A factor as the pointer mode has it.
LtFactor factor_in(std::uint32_t type, const void* value, bool on_device);

/// Matrices of a product.
struct LtOperands {
  const LtLayout &a, &b, &c, &d;
};
struct LtKernel {
  const char* name;
  const char* large;  ///< of larger tiles; null: there is none
  bool in_float;      ///< what follows the sums is: it can be more than a bias
  bool any_order;     ///< matrices may lie in groups of columns
};
/// The product without the places of its matrices, and the kernel that makes it. What does not fit together
/// is an invalid value; of what is not offered the name is said.
cublasStatus_t describe(const LtOperation& operation, const LtOperands& matrices, LtProduct& product,
                        const LtKernel*& kernel);
/// Calls `start(first, count)` for batches in parts that a grid holds.
template <class Start>
cublasStatus_t in_parts(int batches, Start&& start) {
  constexpr int kMost = 65535;
  for (int first = 0; first < batches; first += kMost)
    BLAS_TRY(start(static_cast<unsigned>(first), static_cast<unsigned>(std::min(batches - first, kMost))));
  return CUBLAS_STATUS_SUCCESS;
}
/// Says on standard error, once, what of cuBLASLt is not offered. CUBLAS_STATUS_NOT_SUPPORTED.
cublasStatus_t not_offered(const char* what);

}  // namespace warpvp::cuda::blas
