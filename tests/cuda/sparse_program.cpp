// A program that calls cuSPARSE and checks what it gets. `program CASE`; status 0: all was right, else a line
// a mistake.

#include <map>

#include "tests/cuda/sparse_checks.h"

using namespace warpvp::test;

namespace {

void streams() {
  CUstream stream = nullptr;
  expect(cuStreamCreate(&stream, 0) == 0, "a stream");  // one that copies wait for
  ok(cusparseSetStream(handle, stream), "SetStream");
  sampled_products();
  ok(cusparseSetStream(handle, nullptr), "SetStream");
  int version = 0;
  ok(cusparseGetVersion(handle, &version), "GetVersion");
  expect(version / 1000 == 12, "the version");
}

/// A result on the host, of a product in a graph: it is there after each launch, and not before.
void captured() {
  CUstream stream = nullptr;
  expect(cuStreamCreate(&stream, 1) == 0, "a stream");
  ok(cusparseSetStream(handle, stream), "SetStream");
  const VectorThere y(CUDA_R_32F, Numbers{1, 2, 3, 4});
  const Array x(CUDA_R_32F, {Number(5), Number(6)});
  OnDevice<int> at(std::vector<int>{1, 3});
  cusparseSpVecDescr_t sparse = nullptr;
  ok(cusparseCreateSpVec(&sparse, 4, 2, at, x, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
     "CreateSpVec");
  float result = -1;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  expect(cuStreamBeginCapture_v2(stream, 0) == 0, "BeginCapture");
  ok(cusparseSpVV(handle, kPlain, sparse, y.descr, &result, CUDA_R_32F, nullptr), "SpVV");
  expect(cuStreamEndCapture(stream, &graph) == 0, "EndCapture");
  expect(result == -1, "nothing is computed while a stream is captured");
  expect(cuGraphInstantiateWithFlags(&executable, graph, 0) == 0, "Instantiate");
  for (int launch = 0; launch < 2; ++launch) {
    result = -1;
    expect(cuGraphLaunch(executable, stream) == 0 && cuStreamSynchronize(stream) == 0, "Launch");
    expect(result == 34, "a result of a graph");
  }
  cuGraphExecDestroy(executable);
  cuGraphDestroy(graph);
  cusparseDestroySpVec(sparse);
  ok(cusparseSetStream(handle, nullptr), "SetStream");
}

void mistakes_of_callers() {
  const Matrix a = random_matrix(CUDA_R_32F, 6, 5, 2);
  const SparseThere there(a, CUDA_R_32F, kForms[0]), by_columns(a, CUDA_R_32F, kForms[3]);
  const VectorThere five(CUDA_R_32F, Numbers(5)), six(CUDA_R_32F, Numbers(6)), whole(CUDA_R_32I, Numbers(6));
  const Scalar one(CUDA_R_32F, 1);
  const auto product_of = [&](cusparseHandle_t by, const VectorThere& x, const VectorThere& y) {
    return cusparseSpMV(by, kPlain, one, there.descr, x.descr, one, y.descr, CUDA_R_32F, 0, nullptr);
  };
  ok(product_of(handle, five, six), "SpMV");
  expect(product_of(nullptr, five, six) == CUSPARSE_STATUS_NOT_INITIALIZED, "no handle");
  expect(product_of(handle, six, five) == CUSPARSE_STATUS_INVALID_VALUE, "sizes that do not fit");
  expect(product_of(handle, five, whole) == CUSPARSE_STATUS_NOT_SUPPORTED, "types that do not go together");
  expect(cusparseCsrSetPointers(by_columns.descr, nullptr, nullptr, nullptr) == CUSPARSE_STATUS_INVALID_VALUE,
         "another form");
  cusparseSpMatDescr_t none = nullptr;
  expect(cusparseCreateCsr(&none, -1, 5, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F) == CUSPARSE_STATUS_INVALID_VALUE,
         "a size below 0");
  cusparseDnMatDescr_t matrix = nullptr;
  expect(cusparseCreateDnMat(&matrix, 6, 5, 5, nullptr, CUDA_R_32F, CUSPARSE_ORDER_COL) ==
             CUSPARSE_STATUS_INVALID_VALUE,
         "columns that overlap");
  cusparseConstSpMatDescr_t fixed = nullptr;
  ok(cusparseCreateConstCsr(&fixed, 6, 5, 1, nullptr, nullptr, nullptr, CUSPARSE_INDEX_64I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F),
     "CreateConstCsr");
  std::int64_t rows = 0, columns = 0, entries = 0;
  const void *starts = nullptr, *at = nullptr, *values = nullptr;
  cusparseIndexType_t first, second;
  cusparseIndexBase_t base;
  cudaDataType type;
  ok(cusparseConstCsrGet(fixed, &rows, &columns, &entries, &starts, &at, &values, &first, &second, &base,
                         &type),
     "ConstCsrGet");
  expect(rows == 6 && columns == 5 && entries == 1 && first == CUSPARSE_INDEX_64I &&
             second == CUSPARSE_INDEX_32I && base == CUSPARSE_INDEX_BASE_ONE && type == CUDA_R_64F,
         "a matrix is what it was made as");
  cusparseDestroySpMat(fixed);
  expect(cusparseSbsrmv() == CUSPARSE_STATUS_NOT_SUPPORTED, "matrices of blocks");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  cuInit(0);
  CUcontext context = nullptr;
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  ok(cusparseCreate(&handle), "Create");
  const std::map<std::string, void (*)()> cases = {{"vectors", sparse_vectors},
                                                   {"spmv", sparse_times_vector},
                                                   {"spmm", sparse_times_dense},
                                                   {"sddmm", sampled_products},
                                                   {"batches", batches},
                                                   {"spgemm", sparse_times_sparse},
                                                   {"triangles", triangles},
                                                   {"factors", incomplete_factors},
                                                   {"tridiagonal", tridiagonal_systems},
                                                   {"dense", dense_and_sparse},
                                                   {"sorts", sorted_entries},
                                                   {"sums", sums_of_sparse},
                                                   {"streams", streams},
                                                   {"captured", captured},
                                                   {"mistakes", mistakes_of_callers}};
  const auto found = cases.find(name);
  expect(found != cases.end(), "no case " + name);
  if (found != cases.end()) found->second();
  ok(cusparseDestroy(handle), "Destroy");
  return mistakes == 0 ? 0 : 1;
}
