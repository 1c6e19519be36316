#include "sw/cuda/sparse/levels.h"

#include <algorithm>

namespace warpvp::cuda::sparse {

cusparseStatus_t LevelPlan::make(const std::vector<long long>& starts, const std::vector<long long>& columns,
                                 bool backwards) {
  const std::size_t n = starts.size() - 1;
  std::vector<std::size_t> level(n, 0);
  std::size_t levels = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = backwards ? n - 1 - i : i;
    for (auto e = static_cast<std::size_t>(starts[row]); e < static_cast<std::size_t>(starts[row + 1]); ++e)
      level[row] = std::max(level[row], level[static_cast<std::size_t>(columns[e])] + 1);
    levels = std::max(levels, level[row] + 1);
  }
  std::vector<long long> begin(levels + 1, 0), rows(n);
  for (const std::size_t l : level) ++begin[l + 1];
  for (std::size_t l = 0; l < levels; ++l) begin[l + 1] += begin[l];
  std::vector<long long> next = begin;
  for (std::size_t row = 0; row < n; ++row)
    rows[static_cast<std::size_t>(next[level[row]]++)] = static_cast<long long>(row);

  constexpr unsigned kNarrow = 256, kThreads = 128;
  parts_.clear();
  bool open = false;  // whether the last part takes more narrow levels
  for (std::size_t l = 0; l < levels; ++l) {
    const auto width = static_cast<unsigned>(begin[l + 1] - begin[l]);
    const int from = static_cast<int>(l);
    if (width > kNarrow) {
      parts_.push_back({from, from + 1, parts(width, kThreads), kThreads});
      open = false;
      continue;
    }
    const unsigned threads = parts(width, 32) * 32;
    if (open) {
      parts_.back().to = from + 1;
      parts_.back().threads = std::max(parts_.back().threads, threads);
    } else {
      parts_.push_back({from, from + 1, 1, threads});
      open = true;
    }
  }
  SPARSE_TRY(status_of(rows_.put(rows.data(), sizeof(long long) * n)));
  return status_of(starts_.put(begin.data(), sizeof(long long) * begin.size()));
}

cusparseStatus_t read_indices(cusparseHandle_t handle, const Indices& indices, long long n,
                              std::vector<long long>* to) {
  const auto size = static_cast<std::size_t>(n);
  to->resize(size);
  if (indices.bits == 64) {
    SPARSE_TRY(read_back(handle, to->data(), indices.at, sizeof(long long) * size));
  } else {
    std::vector<int> narrow(size);
    SPARSE_TRY(read_back(handle, narrow.data(), indices.at, sizeof(int) * size));
    std::copy(narrow.begin(), narrow.end(), to->begin());
  }
  for (long long& i : *to) i -= indices.base;
  return CUSPARSE_STATUS_SUCCESS;
}

}  // namespace warpvp::cuda::sparse
