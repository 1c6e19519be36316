// Products of sparse vectors and matrices.

#include "tests/cuda/sparse_checks.h"

namespace warpvp::test {
namespace {

/// Two matrices of which `sum` says what comes of their elements.
Matrix combined(const Matrix& a, const Matrix& b, const std::function<Number(Number, Number)>& sum) {
  Matrix c(a.rows, a.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) c.put(i, j, sum(a(i, j), b(i, j)));
  return c;
}
Matrix column_of(const Numbers& x) {
  Matrix m(static_cast<int>(x.size()), 1);
  m.at = x;
  m.has.assign(x.size(), true);
  return m;
}

struct Mix {
  cudaDataType a, x, y, compute;
};
constexpr Mix kMixes[] = {
    {CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
    {CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F},
    {CUDA_R_16F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F}, {CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
    {CUDA_R_8I, CUDA_R_8I, CUDA_R_32F, CUDA_R_32F},   {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F},
    {CUDA_R_32F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F}, {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F}};

void times_vector(const Mix& mix, const Form& form, cusparseOperation_t operation, int rows, int columns,
                  unsigned one_in, bool by_addresses) {
  const Matrix a = random_matrix(mix.a, rows, columns, one_in), op = a.after(operation);
  const Numbers x = random_numbers(mix.x, static_cast<std::size_t>(op.columns)),
                y = random_numbers(mix.y, static_cast<std::size_t>(op.rows));
  const SparseThere a_there(a, mix.a, form);
  const VectorThere x_there(mix.x, x), y_there(mix.y, y);
  const Number alpha = alpha_of(mix.compute), beta = beta_of(mix.compute);
  const Scalar alpha_here(mix.compute, alpha), beta_here(mix.compute, beta);
  const Array alpha_there(mix.compute, {alpha}), beta_there(mix.compute, {beta});
  const void* const by =
      by_addresses ? static_cast<void*>(alpha_there) : static_cast<const void*>(alpha_here);
  const void* const with =
      by_addresses ? static_cast<void*>(beta_there) : static_cast<const void*>(beta_here);
  if (by_addresses) ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), "SetPointerMode");
  std::size_t bytes = 0;
  ok(cusparseSpMV_bufferSize(handle, operation, by, a_there.descr, x_there.descr, with, y_there.descr,
                             mix.compute, 0, &bytes),
     "SpMV_bufferSize");
  const OnDevice<std::uint8_t> buffer(Bytes(bytes, 0xee));
  ok(cusparseSpMV(handle, operation, by, a_there.descr, x_there.descr, with, y_there.descr, mix.compute, 0,
                  static_cast<std::uint8_t*>(buffer)),
     "SpMV");
  ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "SetPointerMode");
  const Matrix wanted = combined(product(op, column_of(x)), column_of(y),
                                 [&](Number ax, Number was) { return alpha * ax + beta * was; });
  compare(mix.y, y_there.get(), wanted.at, op.columns,
          "SpMV, " + text_of(form) + ", operation " + std::to_string(operation));
}

}  // namespace

void sparse_vectors() {
  for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16F}) {
    for (const int bits : {32, 64}) {
      const cudaDataType compute = type == CUDA_R_16F ? CUDA_R_32F : type;
      const int base = bits == 64;
      constexpr std::size_t kSize = 300;
      std::vector<long long> at;
      for (std::size_t i = 0; i < kSize; ++i)
        if (below(3) == 0) at.push_back(static_cast<long long>(i));
      const Numbers x = random_numbers(type, at.size()), y = random_numbers(type, kSize);
      const Places places(at, bits, base);
      const Array x_there(type, x);
      cusparseSpVecDescr_t sparse = nullptr;
      ok(cusparseCreateSpVec(&sparse, kSize, static_cast<std::int64_t>(at.size()), places, x_there,
                             bits == 32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I,
                             static_cast<cusparseIndexBase_t>(base), type),
         "CreateSpVec");
      const VectorThere y_there(type, y);
      const Number alpha = alpha_of(compute), beta = beta_of(compute);
      // The sum of products first: nothing is changed by it.
      for (const cusparseOperation_t operation : {kPlain, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE}) {
        Number wanted = 0;
        for (std::size_t i = 0; i < at.size(); ++i)
          wanted += (operation == kPlain ? x[i] : std::conj(x[i])) * y[static_cast<std::size_t>(at[i])];
        Bytes result(bytes_of(compute));
        ok(cusparseSpVV(handle, operation, sparse, y_there.descr, result.data(), compute, nullptr), "SpVV");
        compare(compute, decoded(compute, result), {wanted}, 300, "SpVV");
        const Array there(compute, {Number(0)});
        ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), "SetPointerMode");
        ok(cusparseSpVV(handle, operation, sparse, y_there.descr, there, compute, nullptr), "SpVV");
        ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "SetPointerMode");
        compare(compute, there.get(), {wanted}, 300, "SpVV to the device");
      }
      ok(cusparseAxpby(handle, Scalar(compute, alpha), sparse, Scalar(compute, beta), y_there.descr),
         "Axpby");
      Numbers wanted = y;
      for (Number& v : wanted) v *= beta;
      for (std::size_t i = 0; i < at.size(); ++i) wanted[static_cast<std::size_t>(at[i])] += alpha * x[i];
      compare(type, y_there.get(), wanted, 4, "Axpby");
      // With 0 for beta y is not read.
      const VectorThere nothing(type, Numbers(kSize, Number(std::nan(""))));
      ok(cusparseAxpby(handle, Scalar(compute, 1), sparse, Scalar(compute, 0), nothing.descr), "Axpby");
      Numbers alone(kSize);
      for (std::size_t i = 0; i < at.size(); ++i) alone[static_cast<std::size_t>(at[i])] = x[i];
      compare(type, nothing.get(), alone, 0, "Axpby with a beta of 0");
      wanted = y_there.get();
      ok(cusparseScatter(handle, sparse, y_there.descr), "Scatter");
      for (std::size_t i = 0; i < at.size(); ++i) wanted[static_cast<std::size_t>(at[i])] = x[i];
      compare(type, y_there.get(), wanted, 0, "Scatter");

      const VectorThere other(type, y);
      ok(cusparseGather(handle, other.descr, sparse), "Gather");
      Numbers gathered;
      for (const long long i : at) gathered.push_back(y[static_cast<std::size_t>(i)]);
      compare(type, x_there.get(), gathered, 0, "Gather");
      if (type == CUDA_R_16F) {
        cusparseDestroySpVec(sparse);
        continue;
      }
      const Number c(0.5), s(0.25);
      const VectorThere turned(type, wanted);
      ok(cusparseRot(handle, Scalar(compute, c), Scalar(compute, s), sparse, turned.descr), "Rot");
      Numbers x_wanted = gathered, y_wanted = wanted;
      for (std::size_t i = 0; i < at.size(); ++i) {
        Number& to = y_wanted[static_cast<std::size_t>(at[i])];
        x_wanted[i] = c * gathered[i] + s * to;
        to = c * to - s * gathered[i];
      }
      compare(type, x_there.get(), x_wanted, 4, "Rot of x");
      compare(type, turned.get(), y_wanted, 4, "Rot of y");
      cusparseDestroySpVec(sparse);
    }
  }
}

void sparse_times_vector() {
  for (const Mix& mix : kMixes)
    for (const cusparseOperation_t operation : kOperations)
      times_vector(mix, kForms[0], operation, 37, 53, 5, false);
  for (const Form& form : kForms)
    for (const cusparseOperation_t operation : kOperations)
      times_vector(kMixes[3], form, operation, 41, 29, 4, true);
  // Rows long enough for a warp each.
  for (const cudaDataType type : kTypes)
    times_vector({type, type, type, type}, kForms[1], kPlain, 70, 200, 2, false);
  times_vector({CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I}, kForms[0], kPlain, 70, 200, 2, false);
  // A transpose without memory of the program's own to make it in.
  const Matrix wide = random_matrix(CUDA_R_64F, 20, 30, 3);
  const SparseThere wide_there(wide, CUDA_R_64F, kForms[0]);
  const Numbers tall = random_numbers(CUDA_R_64F, 20);
  const VectorThere tall_there(CUDA_R_64F, tall), long_there(CUDA_R_64F, Numbers(30));
  ok(cusparseSpMV(handle, CUSPARSE_OPERATION_TRANSPOSE, Scalar(CUDA_R_64F, 1), wide_there.descr,
                  tall_there.descr, Scalar(CUDA_R_64F, 0), long_there.descr, CUDA_R_64F, 0, nullptr),
     "SpMV");
  compare(CUDA_R_64F, long_there.get(), product(wide.after(CUSPARSE_OPERATION_TRANSPOSE), column_of(tall)).at,
          20, "SpMV without a buffer");
  // What is not to be read is not: no number times 0 is no number.
  const Matrix a = random_matrix(CUDA_R_32F, 5, 5, 2);
  const SparseThere a_there(a, CUDA_R_32F, kForms[0]);
  const Numbers x = random_numbers(CUDA_R_32F, 5);
  const VectorThere x_there(CUDA_R_32F, x), y_there(CUDA_R_32F, Numbers(5, Number(std::nan(""))));
  ok(cusparseSpMV(handle, kPlain, Scalar(CUDA_R_32F, 1), a_there.descr, x_there.descr, Scalar(CUDA_R_32F, 0),
                  y_there.descr, CUDA_R_32F, 0, nullptr),
     "SpMV");
  compare(CUDA_R_32F, y_there.get(), product(a, column_of(x)).at, 5, "SpMV with a beta of 0");
}

void sparse_times_dense() {
  const auto one = [](const Mix& mix, const Form& form, cusparseOperation_t of_a, cusparseOperation_t of_b,
                      cusparseOrder_t order_b, cusparseOrder_t order_c) {
    const Matrix a = random_matrix(mix.a, 19, 23, 4), op_a = a.after(of_a);
    const Matrix op_b = dense_matrix(mix.x, op_a.columns, 35);
    const Matrix b = op_b.after(of_b), c = dense_matrix(mix.y, op_a.rows, 35);
    const SparseThere a_there(a, mix.a, form);
    const DenseThere b_there(b, mix.x, order_b), c_there(c, mix.y, order_c);
    const Number alpha = alpha_of(mix.compute), beta = beta_of(mix.compute);
    std::size_t bytes = 0;
    ok(cusparseSpMM_bufferSize(handle, of_a, of_b, Scalar(mix.compute, alpha), a_there.descr, b_there.descr,
                               Scalar(mix.compute, beta), c_there.descr, mix.compute, 0, &bytes),
       "SpMM_bufferSize");
    const OnDevice<std::uint8_t> buffer(Bytes(bytes, 0xee));
    ok(cusparseSpMM(handle, of_a, of_b, Scalar(mix.compute, alpha), a_there.descr, b_there.descr,
                    Scalar(mix.compute, beta), c_there.descr, mix.compute, 0,
                    static_cast<std::uint8_t*>(buffer)),
       "SpMM");
    c_there.check(
        combined(product(op_a, op_b), c, [&](Number ab, Number was) { return alpha * ab + beta * was; }), 23,
        "SpMM, " + text_of(form) + ", operations " + std::to_string(of_a) + " and " + std::to_string(of_b));
  };
  for (const Mix& mix : kMixes) one(mix, kForms[0], kPlain, kPlain, CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW);
  for (const Form& form : kForms)
    one(kMixes[3], form, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, kPlain, CUSPARSE_ORDER_ROW,
        CUSPARSE_ORDER_COL);
  for (const cusparseOperation_t of_a : kOperations)
    for (const cusparseOperation_t of_b : kOperations)
      one(kMixes[2], kForms[1], of_a, of_b, CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_ROW);
}

void sampled_products() {
  for (const cudaDataType type : kTypes)
    for (const Form& form : kForms)
      for (const cusparseOperation_t operation : kOperations) {
        const Matrix c = random_matrix(type, 21, 17, 3), op_a = dense_matrix(type, 21, 13),
                     op_b = dense_matrix(type, 13, 17);
        const SparseThere c_there(c, type, form);
        const DenseThere a_there(op_a.after(operation), type, CUSPARSE_ORDER_ROW),
            b_there(op_b.after(operation), type, CUSPARSE_ORDER_COL);
        const Number alpha = alpha_of(type), beta = beta_of(type);
        ok(cusparseSDDMM(handle, operation, operation, Scalar(type, alpha), a_there.descr, b_there.descr,
                         Scalar(type, beta), c_there.descr, type, 0, nullptr),
           "SDDMM");
        const Matrix ab = product(op_a, op_b);
        Numbers wanted;
        for (const auto& place : c_there.places)
          wanted.push_back(alpha * ab(place.first, place.second) + beta * c(place.first, place.second));
        compare(type, c_there.values(), wanted, 13, "SDDMM, " + text_of(form));
      }
}

/// Several matrices in one call: each has its own values, and of CSR its own rows too.
void batches() {
  constexpr int kCount = 3, kRows = 9, kColumns = 7, kWide = 5;
  const cudaDataType type = CUDA_R_64F;
  std::vector<Matrix> a, b, c, wanted;
  std::vector<long long> starts, line, columns;
  Numbers values, all_b, all_c;
  std::size_t most = 0;
  for (int i = 0; i < kCount; ++i) {
    a.push_back(random_matrix(type, kRows, kColumns, 3));
    most = std::max(most, static_cast<std::size_t>(a.back().entries()));
  }
  for (int i = 0; i < kCount; ++i) {
    b.push_back(dense_matrix(type, kColumns, kWide));
    c.push_back(dense_matrix(type, kRows, kWide));
    wanted.push_back(product(a[static_cast<std::size_t>(i)], b.back()));
    all_b.insert(all_b.end(), b.back().at.begin(), b.back().at.end());
    all_c.insert(all_c.end(), c.back().at.begin(), c.back().at.end());
    const Matrix& m = a[static_cast<std::size_t>(i)];
    long long here = 0;
    for (int row = 0; row < kRows; ++row) {
      starts.push_back(here);
      for (int k = 0; k < kColumns; ++k)
        if (m.has[m.place(row, k)]) {
          line.push_back(row);
          columns.push_back(k);
          values.push_back(m(row, k));
          ++here;
        }
    }
    starts.push_back(here);
    // In COO all have as many entries: zeros at the end.
    columns.resize(most * static_cast<std::size_t>(i + 1), 0);
    line.resize(columns.size(), kRows - 1);
    values.resize(columns.size());
  }
  const Places starts_there(starts, 32, 0), line_there(line, 32, 0), columns_there(columns, 32, 0);
  const Array values_there(type, values), b_there(type, all_b), c_there(type, all_c);
  cusparseSpMatDescr_t sparse = nullptr, in_coo = nullptr;
  cusparseDnMatDescr_t dense = nullptr, result = nullptr;
  ok(cusparseCreateCoo(&in_coo, kRows, kColumns, static_cast<std::int64_t>(most), line_there, columns_there,
                       values_there, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
     "CreateCoo");
  ok(cusparseCooSetStridedBatch(in_coo, kCount, static_cast<std::int64_t>(most)), "CooSetStridedBatch");
  ok(cusparseCreateCsr(&sparse, kRows, kColumns, static_cast<std::int64_t>(most), starts_there, columns_there,
                       values_there, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type),
     "CreateCsr");
  ok(cusparseCsrSetStridedBatch(sparse, kCount, kRows + 1, static_cast<std::int64_t>(most)),
     "CsrSetStridedBatch");
  ok(cusparseCreateDnMat(&dense, kColumns, kWide, kWide, b_there, type, CUSPARSE_ORDER_ROW), "CreateDnMat");
  ok(cusparseDnMatSetStridedBatch(dense, kCount, kColumns * kWide), "DnMatSetStridedBatch");
  ok(cusparseCreateDnMat(&result, kRows, kWide, kWide, c_there, type, CUSPARSE_ORDER_ROW), "CreateDnMat");
  ok(cusparseDnMatSetStridedBatch(result, kCount, kRows * kWide), "DnMatSetStridedBatch");
  Numbers all_wanted;
  for (const Matrix& m : wanted) all_wanted.insert(all_wanted.end(), m.at.begin(), m.at.end());
  for (const cusparseSpMatDescr_t form : {sparse, in_coo}) {
    ok(cusparseSpMM(handle, kPlain, kPlain, Scalar(type, 1), form, dense, Scalar(type, 0), result, type, 0,
                    nullptr),
       "SpMM");
    compare(type, c_there.get(), all_wanted, 7,
            form == sparse ? "SpMM of a batch" : "SpMM of a batch in COO");
    cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(static_cast<void*>(c_there)), 0,
                    all_c.size() * sizeof(double), nullptr);
  }
  // Only as many as fit.
  ok(cusparseDnMatSetStridedBatch(dense, 2, kColumns * kWide), "DnMatSetStridedBatch");
  expect(cusparseSpMM(handle, kPlain, kPlain, Scalar(type, 1), sparse, dense, Scalar(type, 0), result, type,
                      0, nullptr) == CUSPARSE_STATUS_INVALID_VALUE,
         "batches of other sizes");
  cusparseDestroySpMat(sparse);
  cusparseDestroySpMat(in_coo);
  cusparseDestroyDnMat(dense);
  cusparseDestroyDnMat(result);
}

void sparse_times_sparse() {
  for (const cudaDataType type : kTypes)
    for (const int base : {0, 1}) {
      const Form form = {CUSPARSE_FORMAT_CSR, 32, 32, base};
      const Matrix a = random_matrix(type, 31, 26, 6), b = random_matrix(type, 26, 37, 5),
                   wanted = product(a, b);
      const SparseThere a_there(a, type, form), b_there(b, type, form);
      const Number alpha = alpha_of(type);
      const Scalar by(type, alpha), none(type, 0);
      for (const bool again : {false, true}) {
        const Places starts(std::vector<long long>(static_cast<std::size_t>(a.rows + 1), -5), 32, base);
        cusparseSpMatDescr_t c = nullptr;
        ok(cusparseCreateCsr(&c, a.rows, b.columns, 0, starts, nullptr, nullptr, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_32I, static_cast<cusparseIndexBase_t>(base), type),
           "CreateCsr");
        cusparseSpGEMMDescr_t work = nullptr;
        ok(cusparseSpGEMM_createDescr(&work), "SpGEMM_createDescr");
        std::size_t bytes = 0, bytes_3 = 0, bytes_4 = 0;
        const OnDevice<std::uint8_t> buffer(Bytes(64));
        void* const at = static_cast<std::uint8_t*>(buffer);
        for (void* const given : {static_cast<void*>(nullptr), at})
          ok(again ? cusparseSpGEMMreuse_workEstimation(handle, kPlain, kPlain, a_there.descr, b_there.descr,
                                                        c, 0, work, &bytes, given)
                   : cusparseSpGEMM_workEstimation(handle, kPlain, kPlain, by, a_there.descr, b_there.descr,
                                                   none, c, type, 0, work, &bytes, given),
             "SpGEMM_workEstimation");
        std::int64_t all = 0, rows = 0, columns = 0, entries = 0;
        ok(cusparseSpGEMM_getNumProducts(work, &all), "SpGEMM_getNumProducts");
        for (void* const given : {static_cast<void*>(nullptr), at})
          ok(again ? cusparseSpGEMMreuse_nnz(handle, kPlain, kPlain, a_there.descr, b_there.descr, c, 0, work,
                                             &bytes, given, &bytes_3, given, &bytes_4, given)
                   : cusparseSpGEMM_compute(handle, kPlain, kPlain, by, a_there.descr, b_there.descr, none, c,
                                            type, 0, work, &bytes, given),
             "SpGEMM_compute");
        ok(cusparseSpMatGetSize(c, &rows, &columns, &entries), "SpMatGetSize");
        expect(entries == wanted.entries() && all >= entries, "SpGEMM: how many entries");
        const Places column_at(std::vector<long long>(static_cast<std::size_t>(entries), -5), 32, base);
        const Array values(type, Numbers(static_cast<std::size_t>(entries), Number(std::nan(""))));
        ok(cusparseCsrSetPointers(c, starts, column_at, values), "CsrSetPointers");
        if (again) {
          ok(cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, a_there.descr, b_there.descr, c, 0, work,
                                      &bytes, nullptr),
             "SpGEMMreuse_copy");
          ok(cusparseSpGEMMreuse_copy(handle, kPlain, kPlain, a_there.descr, b_there.descr, c, 0, work,
                                      &bytes, at),
             "SpGEMMreuse_copy");
          ok(cusparseSpGEMMreuse_compute(handle, kPlain, kPlain, by, a_there.descr, b_there.descr, none, c,
                                         type, 0, work),
             "SpGEMMreuse_compute");
        } else {
          ok(cusparseSpGEMM_copy(handle, kPlain, kPlain, by, a_there.descr, b_there.descr, none, c, type, 0,
                                 work),
             "SpGEMM_copy");
        }
        Numbers values_wanted;
        std::vector<long long> columns_wanted, starts_wanted(1, 0);
        for (int row = 0; row < wanted.rows; ++row) {
          for (int k = 0; k < wanted.columns; ++k)
            if (wanted.has[wanted.place(row, k)]) {
              columns_wanted.push_back(k);
              values_wanted.push_back(alpha * wanted(row, k));
            }
          starts_wanted.push_back(static_cast<long long>(columns_wanted.size()));
        }
        expect(starts.get() == starts_wanted && column_at.get() == columns_wanted,
               "SpGEMM: where entries are");
        compare(type, values.get(), values_wanted, 26, again ? "SpGEMMreuse" : "SpGEMM");
        if (!again) {
          // Once more, added to what is there.
          const Number beta = beta_of(type);
          ok(cusparseSpGEMM_copy(handle, kPlain, kPlain, by, a_there.descr, b_there.descr, Scalar(type, beta),
                                 c, type, 0, work),
             "SpGEMM_copy");
          for (Number& v : values_wanted) v += beta * v;
          compare(type, values.get(), values_wanted, 26, "SpGEMM with a beta");
        }
        cusparseSpGEMM_destroyDescr(work);
        cusparseDestroySpMat(c);
      }
    }
}

}  // namespace warpvp::test
