// Sparse triangles solved, for one right side (SpSV) and for several (SpSM).

#include <new>

#include "sw/cuda/sparse/levels.h"

using namespace warpvp::cuda::sparse;

/// What the analysis found, and a copy of the values, which the program may change afterwards.
struct cusparseTriangleDescr {
  std::int64_t rows = -1, entries = 0;
  cudaDataType type = CUDA_R_32F;
  LevelPlan plan;
  DeviceMemory starts, columns, places, diagonal, values;

  Triangle view() const {
    return {plan.view(),
            starts.as<long long>(),
            columns.as<long long>(),
            places.as<long long>(),
            diagonal.as<long long>(),
            warpvp::cuda::sparse::values(values.as<void>(), type)};
  }
};

namespace {

cusparseStatus_t put(DeviceMemory& memory, const std::vector<long long>& from) {
  return status_of(memory.put(from.data(), sizeof(long long) * from.size()));
}

cusparseStatus_t analyse(cusparseHandle_t handle, const cusparseSpMatDescr& a, cusparseOperation_t operation,
                         cusparseTriangleDescr& found) {
  const Sparse view_of_a = view(a);
  const auto entries = static_cast<std::size_t>(a.entries), n = static_cast<std::size_t>(a.rows);
  std::vector<long long> line, other;
  SPARSE_TRY(read_indices(handle, view_of_a.other, a.entries, &other));
  if (a.format == CUSPARSE_FORMAT_COO) {
    SPARSE_TRY(read_indices(handle, view_of_a.line, a.entries, &line));
  } else {
    std::vector<long long> starts;
    SPARSE_TRY(read_indices(handle, view_of_a.starts, view_of_a.lines + 1, &starts));
    line.resize(entries);
    for (std::size_t i = 0; i < n; ++i)
      for (auto e = static_cast<std::size_t>(starts[i]); e < static_cast<std::size_t>(starts[i + 1]); ++e)
        line.at(e) = static_cast<long long>(i);
  }
  // The transpose of a lower triangle is an upper one.
  const bool exchanged = a.by_columns() != transposes(operation);
  const std::vector<long long>&row = exchanged ? other : line, &column = exchanged ? line : other;
  const bool upper = (a.fill == CUSPARSE_FILL_MODE_UPPER) != transposes(operation);
  std::vector<long long> starts(n + 1, 0),
      diagonal(n, a.diagonal == CUSPARSE_DIAG_TYPE_UNIT ? Triangle::kOne : Triangle::kMissing);
  const auto belongs = [&](std::size_t e) { return upper ? column[e] > row[e] : column[e] < row[e]; };
  for (std::size_t e = 0; e < entries; ++e) {
    if (belongs(e)) ++starts[static_cast<std::size_t>(row[e]) + 1];
    if (row[e] == column[e] && a.diagonal == CUSPARSE_DIAG_TYPE_NON_UNIT)
      diagonal[static_cast<std::size_t>(row[e])] = static_cast<long long>(e);
  }
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  std::vector<long long> next = starts, columns(static_cast<std::size_t>(starts[n])), places(columns.size());
  for (std::size_t e = 0; e < entries; ++e) {
    if (!belongs(e)) continue;
    const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(row[e])]++);
    columns[to] = column[e];
    places[to] = static_cast<long long>(e);
  }
  SPARSE_TRY(found.plan.make(starts, columns, upper));
  SPARSE_TRY(put(found.starts, starts));
  SPARSE_TRY(put(found.columns, columns));
  SPARSE_TRY(put(found.places, places));
  SPARSE_TRY(put(found.diagonal, diagonal));
  const std::size_t bytes = size_of(a.type) * entries;
  SPARSE_TRY(status_of(found.values.get(bytes + 1)));
  SPARSE_TRY(copy(handle, found.values.as<void>(), a.values, bytes));
  found.rows = a.rows;
  found.entries = a.entries;
  found.type = a.type;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t solve(cusparseHandle_t handle, cusparseOperation_t operation, const void* alpha,
                       cudaDataType compute, const cusparseTriangleDescr& found, std::int64_t sides,
                       const Dense& b, bool conjugates_b, const Dense& x) {
  return with_floating(compute, [&](auto type) {
    using T = decltype(type);
    // A launch has so many right sides at most.
    constexpr std::int64_t kMostSides = 65535;
    for (std::int64_t side = 0; side < sides; side += kMostSides) {
      Dense from = b, to = x;
      const auto move = [&](Dense& d) {
        d.values.at = static_cast<char*>(d.values.at) +
                      static_cast<std::int64_t>(size_of(static_cast<cudaDataType>(d.values.type))) * side *
                          d.column_step;
      };
      move(from);
      move(to);
      SPARSE_TRY(found.plan.launch_levels(
          handle, KernelName<T>("solve"),
          static_cast<unsigned>(sides - side < kMostSides ? sides - side : kMostSides), found.view(),
          static_cast<int>(conjugates(operation)), factor<T>(handle, alpha), from,
          static_cast<int>(conjugates_b), to));
    }
    return CUSPARSE_STATUS_SUCCESS;
  });
}

cusparseStatus_t update(cusparseHandle_t handle, cusparseTriangleDescr_t found, const void* values,
                        cusparseUpdate_t part) {
  SPARSE_CHECK(handle, found && values && found->rows >= 0 && part <= CUSPARSE_UPDATE_DIAGONAL);
  if (part == CUSPARSE_UPDATE_GENERAL)
    return copy(handle, found->values.as<void>(), values,
                size_of(found->type) * static_cast<std::size_t>(found->entries));
  return with_floating(found->type, [&](auto type) {
    using T = decltype(type);
    return launch_for(handle, KernelName<T>("set_diagonal"), found->rows, static_cast<long long>(found->rows),
                      found->diagonal.as<long long>(), values, found->values.as<T>());
  });
}
cusparseStatus_t create(cusparseTriangleDescr_t* found) {
  if (found == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *found = new (std::nothrow) cusparseTriangleDescr;
  return *found == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t destroy(cusparseTriangleDescr_t found) {
  delete found;
  return CUSPARSE_STATUS_SUCCESS;
}
/// All have the one type; both vectors, or the columns of both matrices, fit the square matrix.
bool fits(const cusparseSpMatDescr& a, cudaDataType compute, cudaDataType b, cudaDataType x) {
  return a.type == compute && b == compute && x == compute && a.rows == a.columns;
}
Dense column(const cusparseDnVecDescr& v) { return {values(v.values, v.type), 1, 0, 0}; }

}  // namespace

WARPVP_API cusparseStatus_t cusparseSpSV_createDescr(cusparseTriangleDescr_t* found) { return create(found); }
WARPVP_API cusparseStatus_t cusparseSpSM_createDescr(cusparseTriangleDescr_t* found) { return create(found); }
WARPVP_API cusparseStatus_t cusparseSpSV_destroyDescr(cusparseTriangleDescr_t found) {
  return destroy(found);
}
WARPVP_API cusparseStatus_t cusparseSpSM_destroyDescr(cusparseTriangleDescr_t found) {
  return destroy(found);
}

WARPVP_API cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t handle, cusparseOperation_t, const void*,
                                                    const cusparseSpMatDescr* a, const cusparseDnVecDescr* b,
                                                    cusparseDnVecDescr* x, cudaDataType, int,
                                                    cusparseTriangleDescr_t found, std::size_t* bytes) {
  SPARSE_CHECK(handle, a && b && x && found && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t handle, cusparseOperation_t operation,
                                                  const void*, const cusparseSpMatDescr* a,
                                                  const cusparseDnVecDescr* b, cusparseDnVecDescr* x,
                                                  cudaDataType compute, int, cusparseTriangleDescr_t found,
                                                  void*) {
  SPARSE_CHECK(handle, a && b && x && found && is_operation(operation));
  if (!fits(*a, compute, b->type, x->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return analyse(handle, *a, operation, *found);
}
WARPVP_API cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t handle, cusparseOperation_t operation,
                                               const void* alpha, const cusparseSpMatDescr* a,
                                               const cusparseDnVecDescr* b, cusparseDnVecDescr* x,
                                               cudaDataType compute, int, cusparseTriangleDescr_t found) {
  SPARSE_CHECK(handle, a && b && x && found && alpha && is_operation(operation) && found->rows == a->rows &&
                           b->size == a->rows && x->size == a->rows);
  if (!fits(*a, compute, b->type, x->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return solve(handle, operation, alpha, compute, *found, 1, column(*b), false, column(*x));
}
WARPVP_API cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t handle, cusparseTriangleDescr_t found,
                                                      void* all, cusparseUpdate_t part) {
  return update(handle, found, all, part);
}

WARPVP_API cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t handle, cusparseOperation_t,
                                                    cusparseOperation_t, const void*,
                                                    const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                                    cusparseDnMatDescr* x, cudaDataType, int,
                                                    cusparseTriangleDescr_t found, std::size_t* bytes) {
  SPARSE_CHECK(handle, a && b && x && found && bytes);
  *bytes = 0;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t handle, cusparseOperation_t operation,
                                                  cusparseOperation_t, const void*,
                                                  const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                                  cusparseDnMatDescr* x, cudaDataType compute, int,
                                                  cusparseTriangleDescr_t found, void*) {
  SPARSE_CHECK(handle, a && b && x && found && is_operation(operation));
  if (!fits(*a, compute, b->type, x->type)) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return analyse(handle, *a, operation, *found);
}
WARPVP_API cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t handle, cusparseOperation_t operation_a,
                                               cusparseOperation_t operation_b, const void* alpha,
                                               const cusparseSpMatDescr* a, const cusparseDnMatDescr* b,
                                               cusparseDnMatDescr* x, cudaDataType compute, int,
                                               cusparseTriangleDescr_t found) {
  SPARSE_CHECK(handle, a && b && x && found && alpha && is_operation(operation_a) &&
                           is_operation(operation_b) && found->rows == a->rows && x->rows == a->rows);
  const bool turned = transposes(operation_b);
  if ((turned ? b->columns : b->rows) != x->rows || (turned ? b->rows : b->columns) != x->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!fits(*a, compute, b->type, x->type) || b->batches > 1 || x->batches > 1)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return solve(handle, operation_a, alpha, compute, *found, x->columns, view(*b, turned),
               conjugates(operation_b), view(*x));
}
WARPVP_API cusparseStatus_t cusparseSpSM_updateMatrix(cusparseHandle_t handle, cusparseTriangleDescr_t found,
                                                      void* all, cusparseUpdate_t part) {
  return update(handle, found, all, part);
}
