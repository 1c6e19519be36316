// Other forms of the same entries: dense and sparse, sorted, transposed, added.

#include <algorithm>
#include <numeric>

#include "tests/cuda/sparse_checks.h"

namespace warpvp::test {
namespace {

std::vector<long long> random_permutation(std::size_t n) {
  std::vector<long long> all(n);
  std::iota(all.begin(), all.end(), 0);
  for (std::size_t i = n; i > 1; --i) std::swap(all[i - 1], all[below(i)]);
  return all;
}
std::vector<long long> rising(std::size_t n) {
  std::vector<long long> all(n);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

template <class T>
void counted(cusparseStatus_t (*nnz)(cusparseHandle_t, cusparseDirection_t, int, int, const cusparseMatDescr*,
                                     const T*, int, int*, int*),
             cudaDataType type) {
  const Matrix m = random_matrix(type, 13, 9, 3);
  constexpr int kLeading = 15;
  Numbers laid(kLeading * 9, Number(8));
  for (int i = 0; i < 13; ++i)
    for (int j = 0; j < 9; ++j) laid[static_cast<std::size_t>(j * kLeading + i)] = m(i, j);
  const Array there(type, laid);
  cusparseMatDescr_t descr = nullptr;
  cusparseCreateMatDescr(&descr);
  for (const bool by_rows : {true, false}) {
    std::vector<long long> wanted(by_rows ? 13 : 9, 0);
    for (int i = 0; i < 13; ++i)
      for (int j = 0; j < 9; ++j) wanted[static_cast<std::size_t>(by_rows ? i : j)] += m.has[m.place(i, j)];
    const Places each(std::vector<long long>(wanted.size(), -1), 32, 0);
    int all = -1;
    ok(nnz(handle, by_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN, 13, 9, descr,
           static_cast<T*>(static_cast<void*>(there)), kLeading, each.ints(), &all),
       "nnz");
    expect(all == m.entries() && each.get() == wanted, std::string(name_of(type)) + " nnz");
    const Places all_there({-1}, 32, 0);
    ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE), "SetPointerMode");
    ok(nnz(handle, CUSPARSE_DIRECTION_ROW, 13, 9, descr, static_cast<T*>(static_cast<void*>(there)), kLeading,
           Places(std::vector<long long>(13, 0), 32, 0).ints(), all_there.ints()),
       "nnz");
    ok(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "SetPointerMode");
    expect(all_there.get()[0] == m.entries(), "nnz to the device");
  }
  cusparseDestroyMatDescr(descr);
}

template <class T, class Bytes_, class Sum>
void added(Bytes_ sum_bytes, Sum sum, cudaDataType type) {
  const Matrix a = random_matrix(type, 27, 18, 4), b = random_matrix(type, 27, 18, 5);
  const SparseThere a_there(a, type, {CUSPARSE_FORMAT_CSR, 32, 32, 0}),
      b_there(b, type, {CUSPARSE_FORMAT_CSR, 32, 32, 1});
  cusparseMatDescr_t from_0 = nullptr, from_1 = nullptr;
  cusparseCreateMatDescr(&from_0);
  cusparseCreateMatDescr(&from_1);
  ok(cusparseSetMatIndexBase(from_1, CUSPARSE_INDEX_BASE_ONE), "SetMatIndexBase");
  expect(cusparseGetMatIndexBase(from_1) == CUSPARSE_INDEX_BASE_ONE, "GetMatIndexBase");
  const auto parts = [](const SparseThere& m) {
    const void *starts = nullptr, *columns = nullptr, *values = nullptr;
    cusparseConstCsrGet(m.descr, nullptr, nullptr, nullptr, &starts, &columns, &values, nullptr, nullptr,
                        nullptr, nullptr);
    return std::make_tuple(static_cast<const int*>(starts), static_cast<const int*>(columns),
                           static_cast<const T*>(values));
  };
  const auto [a_starts, a_columns, a_values] = parts(a_there);
  const auto [b_starts, b_columns, b_values] = parts(b_there);
  const auto entries_a = static_cast<int>(a_there.places.size()),
             entries_b = static_cast<int>(b_there.places.size());
  const Scalar alpha(type, alpha_of(type)), beta(type, beta_of(type));
  const auto* const by_a = static_cast<const T*>(static_cast<const void*>(alpha));
  const auto* const by_b = static_cast<const T*>(static_cast<const void*>(beta));
  const Places starts(std::vector<long long>(28, 0), 32, 1);
  std::size_t bytes = 0;
  ok(sum_bytes(handle, 27, 18, by_a, from_0, entries_a, a_values, a_starts, a_columns, by_b, from_1,
               entries_b, b_values, b_starts, b_columns, from_1, nullptr, starts.ints(), nullptr, &bytes),
     "csrgeam2_bufferSizeExt");
  const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
  void* const scratch = static_cast<std::uint8_t*>(buffer);
  int all = 0;
  ok(cusparseXcsrgeam2Nnz(handle, 27, 18, from_0, entries_a, a_starts, a_columns, from_1, entries_b, b_starts,
                          b_columns, from_1, starts.ints(), &all, scratch),
     "Xcsrgeam2Nnz");
  std::vector<long long> starts_wanted(1, 0), columns_wanted;
  Numbers wanted;
  for (int i = 0; i < 27; ++i) {
    for (int j = 0; j < 18; ++j) {
      if (!a.has[a.place(i, j)] && !b.has[b.place(i, j)]) continue;
      columns_wanted.push_back(j);
      wanted.push_back(alpha_of(type) * a(i, j) + beta_of(type) * b(i, j));
    }
    starts_wanted.push_back(static_cast<long long>(wanted.size()));
  }
  expect(static_cast<std::size_t>(all) == wanted.size() && starts.get() == starts_wanted,
         "csrgeam2: how many");
  const Places columns(std::vector<long long>(wanted.size(), 0), 32, 1);
  const Array values(type, Numbers(wanted.size()));
  ok(sum(handle, 27, 18, by_a, from_0, entries_a, a_values, a_starts, a_columns, by_b, from_1, entries_b,
         b_values, b_starts, b_columns, from_1, static_cast<T*>(static_cast<void*>(values)), starts.ints(),
         columns.ints(), scratch),
     "csrgeam2");
  expect(columns.get() == columns_wanted, "csrgeam2: where");
  compare(type, values.get(), wanted, 4, "csrgeam2");
  cusparseDestroyMatDescr(from_0);
  cusparseDestroyMatDescr(from_1);
}

}  // namespace

void dense_and_sparse() {
  counted(cusparseSnnz, CUDA_R_32F);
  counted(cusparseDnnz, CUDA_R_64F);
  counted(cusparseCnnz, CUDA_C_32F);
  counted(cusparseZnnz, CUDA_C_64F);
  for (const cudaDataType type : {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F, CUDA_R_16F, CUDA_R_16BF})
    for (const Form& form : kForms)
      for (const cusparseOrder_t order : {CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW}) {
        const Matrix m = random_matrix(type, 22, 31, 4);
        const SparseThere sparse(m, type, form);
        const DenseThere dense(dense_matrix(type, 22, 31), type, order);
        ok(cusparseSparseToDense(handle, sparse.descr, dense.descr, 0, nullptr), "SparseToDense");
        dense.check(m, 0, "SparseToDense, " + text_of(form));

        // And back: a matrix that knows its form alone.
        const bool coo = form.format == CUSPARSE_FORMAT_COO;
        const int lines = form.format == CUSPARSE_FORMAT_CSC ? 31 : 22;
        const Places starts(std::vector<long long>(static_cast<std::size_t>(lines + 1), 0), form.first_bits,
                            form.base);
        const auto width = [](int bits) { return bits == 32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I; };
        const auto base = static_cast<cusparseIndexBase_t>(form.base);
        cusparseSpMatDescr_t made = nullptr;
        ok(coo ? cusparseCreateCoo(&made, 22, 31, 0, nullptr, nullptr, nullptr, width(form.first_bits), base,
                                   type)
               : (form.format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
                     &made, 22, 31, 0, starts, nullptr, nullptr, width(form.first_bits),
                     width(form.second_bits), base, type),
           "Create");
        std::size_t bytes = 0;
        ok(cusparseDenseToSparse_bufferSize(handle, dense.descr, made, 0, &bytes),
           "DenseToSparse_bufferSize");
        const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
        void* const scratch = static_cast<std::uint8_t*>(buffer);
        ok(cusparseDenseToSparse_analysis(handle, dense.descr, made, 0, scratch), "DenseToSparse_analysis");
        std::int64_t rows = 0, columns = 0, entries = 0;
        ok(cusparseSpMatGetSize(made, &rows, &columns, &entries), "SpMatGetSize");
        expect(entries == m.entries(), "DenseToSparse: how many");
        const auto n = static_cast<std::size_t>(m.entries());
        const Places line(std::vector<long long>(n, 0), form.first_bits, form.base),
            other(std::vector<long long>(n, 0), form.second_bits, form.base);
        const Array values(type, Numbers(n));
        ok(coo                                  ? cusparseCooSetPointers(made, line, other, values)
           : form.format == CUSPARSE_FORMAT_CSR ? cusparseCsrSetPointers(made, starts, other, values)
                                                : cusparseCscSetPointers(made, starts, other, values),
           "SetPointers");
        ok(cusparseDenseToSparse_convert(handle, dense.descr, made, 0, scratch), "DenseToSparse_convert");
        compare(type, values.get(), sparse.values(), 0, "DenseToSparse, " + text_of(form));
        std::vector<long long> line_wanted, other_wanted;
        for (const auto& place : sparse.places) {
          const bool by_columns = form.format == CUSPARSE_FORMAT_CSC;
          line_wanted.push_back(by_columns ? place.second : place.first);
          other_wanted.push_back(by_columns ? place.first : place.second);
        }
        expect(other.get() == other_wanted && (!coo || line.get() == line_wanted), "DenseToSparse: where");
        if (!coo) {
          std::vector<long long> starts_wanted(static_cast<std::size_t>(lines + 1), 0);
          for (const long long l : line_wanted) ++starts_wanted[static_cast<std::size_t>(l) + 1];
          std::partial_sum(starts_wanted.begin(), starts_wanted.end(), starts_wanted.begin());
          expect(starts.get() == starts_wanted, "DenseToSparse: where lines begin");
        }
        cusparseDestroySpMat(made);
      }
}

namespace {

void sorted(int rows, int columns, int base) {
  const Matrix m = random_matrix(CUDA_R_64F, rows, columns, 3);
  std::vector<long long> starts(1, 0), row_at, column_at;
  Numbers values;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      if (m.has[m.place(i, j)]) {
        row_at.push_back(i);
        column_at.push_back(j);
        values.push_back(m(i, j));
      }
    starts.push_back(static_cast<long long>(row_at.size()));
  }
  const std::size_t n = row_at.size();
  const int entries = static_cast<int>(n);
  const auto index_base = static_cast<cusparseIndexBase_t>(base);
  cusparseMatDescr_t descr = nullptr;
  cusparseCreateMatDescr(&descr);
  cusparseSetMatIndexBase(descr, index_base);
  const Places starts_there(starts, 32, base), rows_there(row_at, 32, base),
      columns_there(column_at, 32, base);
  const Places none(std::vector<long long>(n, -7), 32, 0);
  ok(cusparseCreateIdentityPermutation(handle, entries, none.ints()), "CreateIdentityPermutation");
  expect(none.get() == rising(n), "CreateIdentityPermutation");

  // An index for each entry, and where rows begin.
  const Places made_rows(std::vector<long long>(n, -7), 32, base),
      made_starts(std::vector<long long>(static_cast<std::size_t>(rows) + 1, -7), 32, base);
  ok(cusparseXcsr2coo(handle, starts_there.ints(), entries, rows, made_rows.ints(), index_base), "Xcsr2coo");
  expect(made_rows.get() == row_at, "Xcsr2coo");
  ok(cusparseXcoo2csr(handle, rows_there.ints(), entries, rows, made_starts.ints(), index_base), "Xcoo2csr");
  expect(made_starts.get() == starts, "Xcoo2csr");

  // Entries of each row in some order.
  std::vector<long long> mixed = column_at, from(n);
  for (int i = 0; i < rows; ++i) {
    const auto first = static_cast<std::size_t>(starts[static_cast<std::size_t>(i)]);
    const std::size_t count = static_cast<std::size_t>(starts[static_cast<std::size_t>(i) + 1]) - first;
    const std::vector<long long> order = random_permutation(count);
    for (std::size_t k = 0; k < count; ++k) {
      mixed[first + k] = column_at[first + static_cast<std::size_t>(order[k])];
      from[first + static_cast<std::size_t>(order[k])] = static_cast<long long>(first + k);
    }
  }
  for (const bool by_columns : {false, true}) {  // the function for columns does the same with rows
    const Places sorted(mixed, 32, base), permutation(rising(n), 32, 0);
    std::size_t bytes = 0;
    ok(cusparseXcsrsort_bufferSizeExt(handle, rows, columns, entries, starts_there.ints(), sorted.ints(),
                                      &bytes),
       "Xcsrsort_bufferSizeExt");
    const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
    void* const scratch = static_cast<std::uint8_t*>(buffer);
    ok(by_columns ? cusparseXcscsort(handle, columns, rows, entries, descr, starts_there.ints(),
                                     sorted.ints(), permutation.ints(), scratch)
                  : cusparseXcsrsort(handle, rows, columns, entries, descr, starts_there.ints(),
                                     sorted.ints(), permutation.ints(), scratch),
       "Xcsrsort");
    expect(sorted.get() == column_at, "Xcsrsort");
    expect(permutation.get() == from, "Xcsrsort's permutation");
  }

  // All entries in some order.
  std::vector<long long> order = random_permutation(n);
  order.back() = order[n / 2];  // an entry twice
  for (const bool by_columns : {false, true}) {
    std::vector<long long> rows_mixed, columns_mixed;
    for (const long long i : order) {
      rows_mixed.push_back(row_at[static_cast<std::size_t>(i)]);
      columns_mixed.push_back(column_at[static_cast<std::size_t>(i)]);
    }
    const Places rows_sorted(rows_mixed, 32, base), columns_sorted(columns_mixed, 32, base),
        permutation(rising(n), 32, 0);
    std::size_t bytes = 0;
    ok(cusparseXcoosort_bufferSizeExt(handle, rows, columns, entries, rows_sorted.ints(),
                                      columns_sorted.ints(), &bytes),
       "Xcoosort_bufferSizeExt");
    const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
    ok((by_columns ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(
           handle, rows, columns, entries, rows_sorted.ints(), columns_sorted.ints(), permutation.ints(),
           static_cast<std::uint8_t*>(buffer)),
       "Xcoosort");
    std::vector<std::pair<long long, long long>> keys;
    for (std::size_t i = 0; i < n; ++i)
      keys.emplace_back(by_columns ? columns_mixed[i] : rows_mixed[i],
                        by_columns ? rows_mixed[i] : columns_mixed[i]);
    std::vector<long long> wanted = rising(n);
    std::stable_sort(wanted.begin(), wanted.end(), [&](long long i, long long j) {
      return keys[static_cast<std::size_t>(i)] < keys[static_cast<std::size_t>(j)];
    });
    std::vector<long long> rows_wanted, columns_wanted;
    for (const long long i : wanted) {
      rows_wanted.push_back(rows_mixed[static_cast<std::size_t>(i)]);
      columns_wanted.push_back(columns_mixed[static_cast<std::size_t>(i)]);
    }
    expect(rows_sorted.get() == rows_wanted && columns_sorted.get() == columns_wanted &&
               permutation.get() == wanted,
           by_columns ? "XcoosortByColumn" : "XcoosortByRow");
  }

  // Column by column, with values of each size.
  std::vector<long long> by_column = rising(n);
  std::sort(by_column.begin(), by_column.end(), [&](long long i, long long j) {
    const auto key = [&](long long e) {
      return std::make_pair(column_at[static_cast<std::size_t>(e)], row_at[static_cast<std::size_t>(e)]);
    };
    return key(i) < key(j);
  });
  for (const cudaDataType type : {CUDA_R_8I, CUDA_R_16F, CUDA_R_32F, CUDA_R_64F, CUDA_C_64F}) {
    const Numbers mine = random_numbers(type, n);
    const Array there(type, mine), turned(type, Numbers(n));
    const Places column_starts(std::vector<long long>(static_cast<std::size_t>(columns) + 1, -7), 32, base),
        rows_made(std::vector<long long>(n, -7), 32, base);
    std::size_t bytes = 0;
    ok(cusparseCsr2cscEx2_bufferSize(handle, rows, columns, entries, there, starts_there.ints(),
                                     columns_there.ints(), turned, column_starts.ints(), rows_made.ints(),
                                     type, CUSPARSE_ACTION_NUMERIC, index_base, 1, &bytes),
       "Csr2cscEx2_bufferSize");
    const OnDevice<std::uint8_t> buffer((Bytes(bytes)));
    ok(cusparseCsr2cscEx2(handle, rows, columns, entries, there, starts_there.ints(), columns_there.ints(),
                          turned, column_starts.ints(), rows_made.ints(), type, CUSPARSE_ACTION_NUMERIC,
                          index_base, 1, static_cast<std::uint8_t*>(buffer)),
       "Csr2cscEx2");
    Numbers wanted;
    std::vector<long long> rows_wanted, starts_wanted(static_cast<std::size_t>(columns) + 1, 0);
    for (const long long e : by_column) {
      wanted.push_back(mine[static_cast<std::size_t>(e)]);
      rows_wanted.push_back(row_at[static_cast<std::size_t>(e)]);
      ++starts_wanted[static_cast<std::size_t>(column_at[static_cast<std::size_t>(e)]) + 1];
    }
    std::partial_sum(starts_wanted.begin(), starts_wanted.end(), starts_wanted.begin());
    expect(column_starts.get() == starts_wanted && rows_made.get() == rows_wanted, "Csr2cscEx2: where");
    compare(type, turned.get(), wanted, 0, "Csr2cscEx2");
  }
  cusparseDestroyMatDescr(descr);
}

}  // namespace

void sorted_entries() {
  sorted(29, 24, 0);
  sorted(29, 24, 1);
  sorted(20, 2500, 0);  // more lines than a CTA has threads
}

void sums_of_sparse() {
  added<float>(cusparseScsrgeam2_bufferSizeExt, cusparseScsrgeam2, CUDA_R_32F);
  added<double>(cusparseDcsrgeam2_bufferSizeExt, cusparseDcsrgeam2, CUDA_R_64F);
  added<std::complex<float>>(cusparseCcsrgeam2_bufferSizeExt, cusparseCcsrgeam2, CUDA_C_32F);
  added<std::complex<double>>(cusparseZcsrgeam2_bufferSizeExt, cusparseZcsrgeam2, CUDA_C_64F);
}

}  // namespace warpvp::test
