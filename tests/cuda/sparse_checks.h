#pragma once
// What a program that calls cuSPARSE checks it with: matrices of complex numbers in double precision on the
// CPU, and the same in any type and form on the device.

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <random>

#include "tests/cuda/on_device.h"
#include "tests/cuda/sparse_functions.h"

namespace warpvp::test {

inline cusparseHandle_t handle = nullptr;
inline void ok(cusparseStatus_t status, const std::string& what) {
  expect(status == CUSPARSE_STATUS_SUCCESS, what + ": " + cusparseGetErrorName(status));
}

using Number = std::complex<double>;
using Numbers = std::vector<Number>;
using Bytes = std::vector<std::uint8_t>;

// ---- numbers of any type

std::size_t bytes_of(cudaDataType type);
bool is_complex(cudaDataType type);
const char* name_of(cudaDataType type);
/// As a type stores them.
Bytes encoded(cudaDataType type, const Numbers& numbers);
Numbers decoded(cudaDataType type, const Bytes& bytes);
/// Numbers that the type has exactly: of magnitude 1 and below, and whole ones of bytes and ints.
Numbers random_numbers(cudaDataType type, std::size_t count);
std::size_t below(std::size_t n);

/// What a factor is, for functions that take its address.
class Scalar {
 public:
  Scalar(cudaDataType compute, Number value) : bytes_(encoded(compute, {value})) {}
  operator const void*() const { return bytes_.data(); }

 private:
  Bytes bytes_;
};

/// Numbers on the device, among `bytes` that nobody is to touch.
class Array {
 public:
  Array(cudaDataType type, const Numbers& numbers) : type_(type), bytes_(encoded(type, numbers)) {}
  operator void*() const { return static_cast<std::uint8_t*>(bytes_); }
  Numbers get() const { return decoded(type_, bytes_.get()); }

 private:
  cudaDataType type_;
  OnDevice<std::uint8_t> bytes_;
};

/// Each is what it is to be, but for what `terms` numbers of the type may lose.
void compare(cudaDataType type, const Numbers& got, const Numbers& wanted, double terms,
             const std::string& what);

// ---- matrices

/// On the host, row by row; whether there is an entry is said apart from its value.
struct Matrix {
  int rows, columns;
  Numbers at;
  std::vector<bool> has;
  Matrix(int r, int c)
      : rows(r),
        columns(c),
        at(static_cast<std::size_t>(r * c)),
        has(static_cast<std::size_t>(r * c), false) {}
  std::size_t place(int row, int column) const { return static_cast<std::size_t>(row * columns + column); }
  void put(int row, int column, Number v) {
    at[place(row, column)] = v;
    has[place(row, column)] = true;
  }
  Number operator()(int row, int column) const { return at[place(row, column)]; }
  int entries() const;
  Matrix after(cusparseOperation_t operation) const;
};
/// With an entry in one of `one_in` places, some rows empty and one full.
Matrix random_matrix(cudaDataType type, int rows, int columns, unsigned one_in);
/// Full.
Matrix dense_matrix(cudaDataType type, int rows, int columns);

/// A form of a sparse matrix.
struct Form {
  cusparseFormat_t format;
  int first_bits, second_bits, base;
};
extern const std::vector<Form> kForms;
std::string text_of(const Form& form);

/// Indices on the device.
class Places {
 public:
  Places(const std::vector<long long>& values, int bits, int base);
  operator void*() const { return static_cast<std::uint8_t*>(bytes_); }
  int* ints() const { return reinterpret_cast<int*>(static_cast<std::uint8_t*>(bytes_)); }
  std::vector<long long> get() const;

 private:
  int bits_, base_;
  OnDevice<std::uint8_t> bytes_;
};

/// A sparse matrix on the device, with its descriptor.
class SparseThere {
 public:
  SparseThere(const Matrix& matrix, cudaDataType type, const Form& form);
  SparseThere(const SparseThere&) = delete;
  ~SparseThere() { cusparseDestroySpMat(descr); }
  /// The entries' values as they are now, in the order that they lie in.
  Numbers values() const { return values_.get(); }
  /// Where its entries are, in that order.
  std::vector<std::pair<int, int>> places;

  cusparseSpMatDescr_t descr = nullptr;

 private:
  struct Parts {
    std::vector<long long> first, second;
    std::vector<std::pair<int, int>> places;
    Numbers values;
  };
  static Parts parts_of(const Matrix& matrix, const Form& form);
  SparseThere(const Matrix& matrix, cudaDataType type, const Form& form, Parts parts);
  Places first_, second_;
  Array values_;
};

/// A dense matrix on the device, with a row or column more than it needs between one and the next.
class DenseThere {
 public:
  DenseThere(const Matrix& matrix, cudaDataType type, cusparseOrder_t order);
  DenseThere(const DenseThere&) = delete;
  ~DenseThere() { cusparseDestroyDnMat(descr); }
  /// As wanted, and what is between untouched.
  void check(const Matrix& wanted, double terms, const std::string& what) const;

  cusparseDnMatDescr_t descr = nullptr;

 private:
  Numbers laid(const Matrix& matrix) const;
  cudaDataType type_;
  bool by_rows_;
  int leading_, lines_;
  Array values_;
};
class VectorThere {
 public:
  VectorThere(cudaDataType type, const Numbers& numbers) : values_(type, numbers) {
    ok(cusparseCreateDnVec(&descr, static_cast<std::int64_t>(numbers.size()), values_, type), "CreateDnVec");
  }
  VectorThere(const VectorThere&) = delete;
  ~VectorThere() { cusparseDestroyDnVec(descr); }
  Numbers get() const { return values_.get(); }
  void* at() const { return values_; }

  cusparseDnVecDescr_t descr = nullptr;

 private:
  Array values_;
};

inline constexpr cudaDataType kTypes[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
inline constexpr cusparseOperation_t kOperations[] = {
    CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
inline constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
inline const Number kAlpha(0.5, 0), kBeta(-0.25, 0), kComplexAlpha(0.5, 0.75), kComplexBeta(-0.25, 0.5);
inline Number alpha_of(cudaDataType type) {
  return is_complex(type) ? kComplexAlpha : type == CUDA_R_32I ? Number(3) : kAlpha;
}
inline Number beta_of(cudaDataType type) {
  return is_complex(type) ? kComplexBeta : type == CUDA_R_32I ? Number(-2) : kBeta;
}
/// A product of matrices on the host.
Matrix product(const Matrix& a, const Matrix& b);

// ---- cases: a file each for products, for solving, and for forms
void sparse_vectors();
void sparse_times_vector();
void sparse_times_dense();
void sampled_products();
void batches();
void sparse_times_sparse();
void triangles();
void incomplete_factors();
void tridiagonal_systems();
void dense_and_sparse();
void sorted_entries();
void sums_of_sparse();

}  // namespace warpvp::test
