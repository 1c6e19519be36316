#pragma once
// In which order rows that depend on one another can be worked on at once.

#include <vector>

#include "sw/cuda/sparse/kernels.h"

namespace warpvp::cuda::sparse {

/// Rows by level: a row's level is one above the highest of the rows that it depends on. Found on the host,
/// from indices that are read back.
class LevelPlan {
 public:
  /// `starts` and `columns`: of each row those that it depends on, all before it, or all behind it if
  /// `backwards`.
  cusparseStatus_t make(const std::vector<long long>& starts, const std::vector<long long>& columns,
                        bool backwards);
  Levels view() const { return {rows_.as<long long>(), starts_.as<long long>()}; }

  /// Starts a kernel for all levels in turn. Its parameters begin with `what` and the two numbers of the
  /// levels that a launch takes. Wide levels have launches with many CTAs, of narrow ones a CTA takes as many
  /// as come.
  template <class What, class... Arguments>
  cusparseStatus_t launch_levels(cusparseHandle_t handle, const char* name, unsigned sides, const What& what,
                                 Arguments... arguments) const {
    for (const Part& part : parts_)
      SPARSE_TRY(launch(handle, name, {part.ctas, sides, 1}, {part.threads, 1, 1}, what, part.from, part.to,
                        arguments...));
    return CUSPARSE_STATUS_SUCCESS;
  }

 private:
  struct Part {
    int from, to;
    unsigned ctas, threads;
  };
  std::vector<Part> parts_;
  DeviceMemory rows_, starts_;
};

/// What `indices` hold, counted from 0.
cusparseStatus_t read_indices(cusparseHandle_t handle, const Indices& indices, long long n,
                              std::vector<long long>* to);

}  // namespace warpvp::cuda::sparse
