// Descriptors of vectors and matrices: made, asked and changed. Only addresses are kept; the arrays are the
// program's.

#include "sw/cuda/sparse/descriptors.h"

#include <cstring>
#include <new>

#include "sw/cuda/sparse/kernels.h"

namespace warpvp::cuda::sparse {

std::size_t size_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:  // of which there are no sparse matrices
      return 0;
  }
}

Sparse view(const cusparseSpMatDescr& m) {
  Sparse s = {};
  s.lines = m.lines();
  s.across = m.across();
  s.entries = m.entries;
  const Indices first = indices(m.first, bits_of(m.first_type), static_cast<int>(m.base));
  (m.format == CUSPARSE_FORMAT_COO ? s.line : s.starts) = first;
  s.other = indices(m.second, bits_of(m.second_type), static_cast<int>(m.base));
  s.values = values(m.values, m.type);
  s.starts_stride = m.first_stride;
  s.entries_stride = m.entries_stride;
  return s;
}

Sparse view(int rows, int columns, int entries, const int* starts, const int* others, const void* all,
            cudaDataType type, cusparseIndexBase_t base) {
  Sparse s = {};
  s.lines = rows;
  s.across = columns;
  s.entries = entries;
  s.starts = indices(starts, 32, static_cast<int>(base));
  s.other = indices(others, 32, static_cast<int>(base));
  s.values = values(all, type);
  return s;
}

Dense view(const cusparseDnMatDescr& m, bool transposed) {
  const bool rows_together = (m.order == CUSPARSE_ORDER_ROW) != transposed;
  return {values(m.values, m.type), rows_together ? m.leading : 1, rows_together ? 1 : m.leading,
          m.batch_stride};
}

namespace {

/// Hands over what a function has made.
template <class T, class Const>
cusparseStatus_t give(Const** to, const T& made) {
  *to = new (std::nothrow) T(made);
  return *to == nullptr ? CUSPARSE_STATUS_ALLOC_FAILED : CUSPARSE_STATUS_SUCCESS;
}
/// Says what is asked for: null where the program does not want it.
template <class T, class U>
void tell(T* to, const U& what) {
  if (to != nullptr) *to = what;
}

template <class Descr>
cusparseStatus_t create(Descr** descr, std::int64_t size, std::int64_t entries, const void* indices,
                        const void* all, cusparseIndexType_t index_type, cusparseIndexBase_t base,
                        cudaDataType type) {
  if (descr == nullptr || size < 0 || entries < 0 || entries > size || !is_index_type(index_type) ||
      !is_base(base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (size_of(type) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return give(descr, cusparseSpVecDescr{size, entries, const_cast<void*>(indices), const_cast<void*>(all),
                                        index_type, base, type});
}
template <class Descr>
cusparseStatus_t create(Descr** descr, std::int64_t size, const void* all, cudaDataType type) {
  if (descr == nullptr || size < 0) return CUSPARSE_STATUS_INVALID_VALUE;
  if (size_of(type) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return give(descr, cusparseDnVecDescr{size, const_cast<void*>(all), type});
}
template <class Descr>
cusparseStatus_t create(Descr** descr, cusparseFormat_t format, std::int64_t rows, std::int64_t columns,
                        std::int64_t entries, const void* first, const void* second, const void* all,
                        cusparseIndexType_t first_type, cusparseIndexType_t second_type,
                        cusparseIndexBase_t base, cudaDataType type) {
  if (descr == nullptr || rows < 0 || columns < 0 || entries < 0 || !is_base(base))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (!is_index_type(first_type) || !is_index_type(second_type) || size_of(type) == 0)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  return give(descr, cusparseSpMatDescr{format, rows, columns, entries, const_cast<void*>(first),
                                        const_cast<void*>(second), const_cast<void*>(all), first_type,
                                        second_type, base, type});
}
template <class Descr>
cusparseStatus_t create(Descr** descr, std::int64_t rows, std::int64_t columns, std::int64_t leading,
                        const void* all, cudaDataType type, cusparseOrder_t order) {
  if (descr == nullptr || rows < 0 || columns < 0 ||
      (order != CUSPARSE_ORDER_COL && order != CUSPARSE_ORDER_ROW) ||
      leading < (order == CUSPARSE_ORDER_COL ? rows : columns))
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (size_of(type) == 0) return CUSPARSE_STATUS_NOT_SUPPORTED;
  return give(descr, cusparseDnMatDescr{rows, columns, leading, const_cast<void*>(all), type, order});
}

/// Void of the constness that a function's parameters have: `void*` or `const void*`.
template <class Void>
cusparseStatus_t get(const cusparseSpVecDescr* v, std::int64_t* size, std::int64_t* entries, Void** at,
                     Void** all, cusparseIndexType_t* index_type, cusparseIndexBase_t* base,
                     cudaDataType* type) {
  SPARSE_CHECK(v, true);
  tell(size, v->size);
  tell(entries, v->entries);
  tell(at, v->indices);
  tell(all, v->values);
  tell(index_type, v->index_type);
  tell(base, v->base);
  tell(type, v->type);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Void>
cusparseStatus_t get(const cusparseDnVecDescr* v, std::int64_t* size, Void** all, cudaDataType* type) {
  SPARSE_CHECK(v, true);
  tell(size, v->size);
  tell(all, v->values);
  tell(type, v->type);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Void>
cusparseStatus_t get(const cusparseSpMatDescr* m, cusparseFormat_t format, std::int64_t* rows,
                     std::int64_t* columns, std::int64_t* entries, Void** first, Void** second, Void** all,
                     cusparseIndexType_t* first_type, cusparseIndexType_t* second_type,
                     cusparseIndexBase_t* base, cudaDataType* type) {
  SPARSE_CHECK(m, m->format == format);
  tell(rows, m->rows);
  tell(columns, m->columns);
  tell(entries, m->entries);
  tell(first, m->first);
  tell(second, m->second);
  tell(all, m->values);
  tell(first_type, m->first_type);
  tell(second_type, m->second_type);
  tell(base, m->base);
  tell(type, m->type);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Void>
cusparseStatus_t get(const cusparseDnMatDescr* m, std::int64_t* rows, std::int64_t* columns,
                     std::int64_t* leading, Void** all, cudaDataType* type, cusparseOrder_t* order) {
  SPARSE_CHECK(m, true);
  tell(rows, m->rows);
  tell(columns, m->columns);
  tell(leading, m->leading);
  tell(all, m->values);
  tell(type, m->type);
  tell(order, m->order);
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Descr, class Void>
cusparseStatus_t get_values(const Descr* descr, Void** all) {
  SPARSE_CHECK(descr, all != nullptr);
  *all = descr->values;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Descr>
cusparseStatus_t set_values(Descr* descr, void* all) {
  SPARSE_CHECK(descr, true);
  descr->values = all;
  return CUSPARSE_STATUS_SUCCESS;
}
template <class Descr>
cusparseStatus_t destroy(const Descr* descr) {
  SPARSE_CHECK(descr, true);
  delete descr;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_pointers(cusparseSpMatDescr* m, cusparseFormat_t format, void* first, void* second,
                              void* all) {
  SPARSE_CHECK(m, m->format == format);
  m->first = first;
  m->second = second;
  m->values = all;
  return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t set_batches(cusparseSpMatDescr* m, cusparseFormat_t format, int count,
                             std::int64_t first_stride, std::int64_t entries_stride) {
  SPARSE_CHECK(m, m->format == format && count > 0 && first_stride >= 0 && entries_stride >= 0);
  m->batches = count;
  m->first_stride = first_stride;
  m->entries_stride = entries_stride;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace
}  // namespace warpvp::cuda::sparse

using namespace warpvp::cuda::sparse;

// Each function that makes or tells has a twin for descriptors that cannot be written through.
#define TWINS(NAME, CONST, VOID)                                                                             \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##SpVec(                                                   \
      CONST cusparseSpVecDescr** descr, std::int64_t size, std::int64_t entries, VOID* at, VOID* all,        \
      cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type) {                         \
    return create(descr, size, entries, at, all, index_type, base, type);                                    \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##SpVecGet(                                                      \
      CONST cusparseSpVecDescr* v, std::int64_t* size, std::int64_t* entries, VOID** at, VOID** all,         \
      cusparseIndexType_t* index_type, cusparseIndexBase_t* base, cudaDataType* type) {                      \
    return get(v, size, entries, at, all, index_type, base, type);                                           \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##SpVecGetValues(CONST cusparseSpVecDescr* v, VOID** all) {      \
    return get_values(v, all);                                                                               \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##DnVec(CONST cusparseDnVecDescr** descr,                  \
                                                          std::int64_t size, VOID* all, cudaDataType type) { \
    return create(descr, size, all, type);                                                                   \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##DnVecGet(CONST cusparseDnVecDescr* v, std::int64_t* size,      \
                                                       VOID** all, cudaDataType* type) {                     \
    return get(v, size, all, type);                                                                          \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##DnVecGetValues(CONST cusparseDnVecDescr* v, VOID** all) {      \
    return get_values(v, all);                                                                               \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##Csr(                                                     \
      CONST cusparseSpMatDescr** descr, std::int64_t rows, std::int64_t columns, std::int64_t entries,       \
      VOID* starts, VOID* at, VOID* all, cusparseIndexType_t starts_type, cusparseIndexType_t type_of_at,    \
      cusparseIndexBase_t base, cudaDataType type) {                                                         \
    return create(descr, CUSPARSE_FORMAT_CSR, rows, columns, entries, starts, at, all, starts_type,          \
                  type_of_at, base, type);                                                                   \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##Csc(                                                     \
      CONST cusparseSpMatDescr** descr, std::int64_t rows, std::int64_t columns, std::int64_t entries,       \
      VOID* starts, VOID* at, VOID* all, cusparseIndexType_t starts_type, cusparseIndexType_t type_of_at,    \
      cusparseIndexBase_t base, cudaDataType type) {                                                         \
    return create(descr, CUSPARSE_FORMAT_CSC, rows, columns, entries, starts, at, all, starts_type,          \
                  type_of_at, base, type);                                                                   \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##Coo(                                                     \
      CONST cusparseSpMatDescr** descr, std::int64_t rows, std::int64_t columns, std::int64_t entries,       \
      VOID* row_at, VOID* column_at, VOID* all, cusparseIndexType_t index_type, cusparseIndexBase_t base,    \
      cudaDataType type) {                                                                                   \
    return create(descr, CUSPARSE_FORMAT_COO, rows, columns, entries, row_at, column_at, all, index_type,    \
                  index_type, base, type);                                                                   \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##CsrGet(                                                        \
      CONST cusparseSpMatDescr* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* entries,         \
      VOID** starts, VOID** at, VOID** all, cusparseIndexType_t* starts_type,                                \
      cusparseIndexType_t* type_of_at, cusparseIndexBase_t* base, cudaDataType* type) {                      \
    return get(m, CUSPARSE_FORMAT_CSR, rows, columns, entries, starts, at, all, starts_type, type_of_at,     \
               base, type);                                                                                  \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##CscGet(                                                        \
      CONST cusparseSpMatDescr* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* entries,         \
      VOID** starts, VOID** at, VOID** all, cusparseIndexType_t* starts_type,                                \
      cusparseIndexType_t* type_of_at, cusparseIndexBase_t* base, cudaDataType* type) {                      \
    return get(m, CUSPARSE_FORMAT_CSC, rows, columns, entries, starts, at, all, starts_type, type_of_at,     \
               base, type);                                                                                  \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##CooGet(                                                        \
      CONST cusparseSpMatDescr* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* entries,         \
      VOID** row_at, VOID** column_at, VOID** all, cusparseIndexType_t* index_type,                          \
      cusparseIndexBase_t* base, cudaDataType* type) {                                                       \
    return get(m, CUSPARSE_FORMAT_COO, rows, columns, entries, row_at, column_at, all, index_type,           \
               static_cast<cusparseIndexType_t*>(nullptr), base, type);                                      \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##SpMatGetValues(CONST cusparseSpMatDescr* m, VOID** all) {      \
    return get_values(m, all);                                                                               \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparseCreate##NAME##DnMat(                                                   \
      CONST cusparseDnMatDescr** descr, std::int64_t rows, std::int64_t columns, std::int64_t leading,       \
      VOID* all, cudaDataType type, cusparseOrder_t order) {                                                 \
    return create(descr, rows, columns, leading, all, type, order);                                          \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##DnMatGet(                                                      \
      CONST cusparseDnMatDescr* m, std::int64_t* rows, std::int64_t* columns, std::int64_t* leading,         \
      VOID** all, cudaDataType* type, cusparseOrder_t* order) {                                              \
    return get(m, rows, columns, leading, all, type, order);                                                 \
  }                                                                                                          \
  WARPVP_API cusparseStatus_t cusparse##NAME##DnMatGetValues(CONST cusparseDnMatDescr* m, VOID** all) {      \
    return get_values(m, all);                                                                               \
  }
TWINS(, , void)
TWINS(Const, const, const void)
#undef TWINS

WARPVP_API cusparseStatus_t cusparseDestroySpVec(const cusparseSpVecDescr* v) { return destroy(v); }
WARPVP_API cusparseStatus_t cusparseDestroyDnVec(const cusparseDnVecDescr* v) { return destroy(v); }
WARPVP_API cusparseStatus_t cusparseDestroySpMat(const cusparseSpMatDescr* m) { return destroy(m); }
WARPVP_API cusparseStatus_t cusparseDestroyDnMat(const cusparseDnMatDescr* m) { return destroy(m); }
WARPVP_API cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr* v, void* all) {
  return set_values(v, all);
}
WARPVP_API cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr* v, void* all) {
  return set_values(v, all);
}
WARPVP_API cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr* m, void* all) {
  return set_values(m, all);
}
WARPVP_API cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr* m, void* all) {
  return set_values(m, all);
}

WARPVP_API cusparseStatus_t cusparseSpVecGetIndexBase(const cusparseSpVecDescr* v,
                                                      cusparseIndexBase_t* base) {
  SPARSE_CHECK(v, base != nullptr);
  *base = v->base;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMatGetFormat(const cusparseSpMatDescr* m, cusparseFormat_t* format) {
  SPARSE_CHECK(m, format != nullptr);
  *format = m->format;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMatGetIndexBase(const cusparseSpMatDescr* m,
                                                      cusparseIndexBase_t* base) {
  SPARSE_CHECK(m, base != nullptr);
  *base = m->base;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMatGetSize(const cusparseSpMatDescr* m, std::int64_t* rows,
                                                 std::int64_t* columns, std::int64_t* entries) {
  SPARSE_CHECK(m, rows != nullptr && columns != nullptr && entries != nullptr);
  *rows = m->rows;
  *columns = m->columns;
  *entries = m->entries;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr* m, void* starts, void* at, void* all) {
  return set_pointers(m, CUSPARSE_FORMAT_CSR, starts, at, all);
}
WARPVP_API cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr* m, void* starts, void* at, void* all) {
  return set_pointers(m, CUSPARSE_FORMAT_CSC, starts, at, all);
}
WARPVP_API cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr* m, void* row_at, void* column_at,
                                                   void* all) {
  return set_pointers(m, CUSPARSE_FORMAT_COO, row_at, column_at, all);
}
WARPVP_API cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr* m, int count,
                                                       std::int64_t starts_stride,
                                                       std::int64_t entries_stride) {
  return set_batches(m, CUSPARSE_FORMAT_CSR, count, starts_stride, entries_stride);
}
WARPVP_API cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr* m, int count,
                                                       std::int64_t entries_stride) {
  return set_batches(m, CUSPARSE_FORMAT_COO, count, 0, entries_stride);
}
WARPVP_API cusparseStatus_t cusparseSpMatGetStridedBatch(const cusparseSpMatDescr* m, int* count) {
  SPARSE_CHECK(m, count != nullptr);
  *count = m->batches;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr* m, int count,
                                                         std::int64_t stride) {
  SPARSE_CHECK(m, count > 0 && stride >= 0);
  m->batches = count;
  m->batch_stride = stride;
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseDnMatGetStridedBatch(const cusparseDnMatDescr* m, int* count,
                                                         std::int64_t* stride) {
  SPARSE_CHECK(m, count != nullptr && stride != nullptr);
  *count = m->batches;
  *stride = m->batch_stride;
  return CUSPARSE_STATUS_SUCCESS;
}

WARPVP_API cusparseStatus_t cusparseSpMatGetAttribute(const cusparseSpMatDescr* m,
                                                      cusparseSpMatAttribute_t attribute, void* data,
                                                      std::size_t bytes) {
  SPARSE_CHECK(m, data != nullptr && attribute <= CUSPARSE_SPMAT_DIAG_TYPE && bytes == sizeof m->fill);
  if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
    std::memcpy(data, &m->fill, bytes);
  } else {
    std::memcpy(data, &m->diagonal, bytes);
  }
  return CUSPARSE_STATUS_SUCCESS;
}
WARPVP_API cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr* m,
                                                      cusparseSpMatAttribute_t attribute, void* data,
                                                      std::size_t bytes) {
  SPARSE_CHECK(m, data != nullptr && attribute <= CUSPARSE_SPMAT_DIAG_TYPE && bytes == sizeof m->fill);
  if (attribute == CUSPARSE_SPMAT_FILL_MODE) {
    std::memcpy(&m->fill, data, bytes);
  } else {
    std::memcpy(&m->diagonal, data, bytes);
  }
  return CUSPARSE_STATUS_SUCCESS;
}
