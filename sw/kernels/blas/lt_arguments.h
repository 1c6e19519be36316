#pragma once
// What the kernels of cuBLASLt (lt.cu) take; the host (sw/cuda/blas) and kernels read the same. Types are numbers of
// cudaDataType.

/// Where a matrix lies and how its elements are stored.
struct LtMatrix {
  const void* first;         ///< the first one of a batch
  const void* const* list;   ///< addresses of a batch on the device, or null: `stride` elements from one to the next
  long long stride;          ///< in elements
  long long row, column;     ///< elements from a row, or column, to the next; in orders of groups column: from a group to the next
  long long plane;           ///< bytes from real to imaginary parts; 0: the two lie together
  int type;
  int order;                 ///< LtOrder
  const void* scales;        ///< a factor for each block of elements; null: none
  int scale_mode;            ///< LtScales: which blocks
};
/// How elements lie (cublasLtOrder_t): in columns, in rows, or in groups of 32 columns.
enum LtOrder : unsigned { kColumns, kRows, kGroups, kGroupsOf8, kGroupsOf32 };
/// What has a factor (cublasLtMatmulMatrixScale_t): the matrix, so many elements along the sum, a row of the product or a column,
/// a square.
enum LtScales : int { kWhole, kBlocks16, kBlocks32, kOuterVector, kBlocks128, kSquares128 };

/// A factor: at the address, of `type`, `per_row` elements from a row to the next and `per_batch` from a matrix to the
/// next; where the address is null, itself.
struct LtFactor {
  const void* at;
  int type, per_row;
  long long per_batch;
  double re, im;
};
enum LtActivation : int { kNoActivation, kRelu, kGelu, kReluGradient, kGeluGradient };

/// D = f(alpha op(A) op(B) + beta C + bias) and what comes with it.
struct LtProduct {
  unsigned first_batch;       ///< of this launch
  LtMatrix a, b, c, d;
  int m, n, k;
  int shape_a, shape_b;       ///< bits kTransposed and kConjugated of types.h
  LtFactor alpha, beta;
  const void* bias;           ///< one a row; null: none
  long long bias_stride;      ///< from a matrix to the next
  int bias_type;
  int activation;             ///< LtActivation
  /// What the gradient of an activation needs: written before the activation, or read by its gradient. Of ReLU a bit an
  /// element. Null: none.
  void* aux;
  int aux_type;
  long long aux_leading, aux_stride;
  // Factors of whole matrices; null: one.
  const float *scale_a, *scale_b, *scale_c, *scale_d, *scale_aux;
  int rows_a, columns_b;      ///< scale_a has one a row of the product, scale_b one a column
  // The greatest magnitudes before scale_d and scale_aux; zero before the kernel begins. Null: not wanted.
  unsigned *greatest_d, *greatest_aux;
};

/// Sums of the rows of op(matrix), `terms` elements each, one after the other: gradients of a bias.
struct LtSums {
  unsigned first_batch;
  LtMatrix matrix;
  int rows, terms, shape;
  void* to;
  int type;
  long long stride;  ///< from those of a matrix of a batch to those of the next
};

/// C = alpha op(A) + beta op(B).
struct LtTransform {
  unsigned first_batch;
  LtMatrix a, b, c;
  int m, n;
  int shape_a, shape_b;
  LtFactor alpha, beta;
};
