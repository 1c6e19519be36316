// Sparse matrix times vector: irregular row lengths and gathers.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct SpmvParams {
  std::uint32_t rows = 2048, columns = 2048, shortest = 0, longest = 40, band = 0, block = 128;
  bool warp_per_row = false, diagonals = false;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "rows", "Rows of the matrix.", Constraint::range(1, 1u << 22));
    v.field("columns", columns, "columns", "Columns of the matrix.", Constraint::range(1, 1u << 22));
    v.field("longest", longest, "elements", "Rows have `shortest` to this many elements, uniformly.",
            Constraint::range(0, 1u << 12));
    v.field("shortest", shortest, "elements", "Least elements of a row.", Constraint::range(0, 1u << 12));
    v.require(shortest <= longest, "shortest", "must not exceed longest");
    v.field("band", band, "columns",
            "Elements lie at most this far from the diagonal, as in meshes; 0: anywhere.",
            Constraint::range(0, 1u << 22));
    v.field("block", block, "threads", "Threads a CTA, whole warps.", Constraint::range(32, 1024));
    v.require(block % 32 == 0, "block", "must be a multiple of 32");
    v.field("warp_per_row", warp_per_row, "A warp a row instead of a thread a row.");
    v.field("diagonals", diagonals, "A thread a row, rows sorted by length and stored by jagged diagonals.");
    v.require(!(warp_per_row && diagonals), "diagonals", "excludes warp_per_row");
  }
};

class Spmv : public App {
 public:
  explicit Spmv(const SpmvParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    Inputs inputs(context.seed, 1);
    reference::SparseRows a;
    a.row_start.push_back(0);
    for (std::uint32_t row = 0; row < params_.rows; ++row) {
      const std::uint32_t length = params_.shortest + inputs.below(params_.longest - params_.shortest + 1);
      const std::uint32_t centre = std::min(row, params_.columns - 1);
      const std::uint32_t low = params_.band == 0 || centre < params_.band ? 0 : centre - params_.band;
      const std::uint32_t high = params_.band == 0 || params_.columns - centre <= params_.band
                                     ? params_.columns
                                     : centre + params_.band + 1;
      for (std::uint32_t k = 0; k < length; ++k) {
        a.column.push_back(low + inputs.below(high - low));
        a.value.push_back(inputs.real(-1.0f, 1.0f));
      }
      a.row_start.push_back(static_cast<std::uint32_t>(a.column.size()));
    }
    if (a.column.empty()) {  // every row is empty: the arrays still need an address
      a.column.push_back(0);
      a.value.push_back(0.0f);
    }
    const std::vector<float> x = inputs.reals(params_.columns, -1.0f, 1.0f);

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "spmv.ptx");
    const rt::Stream s = device.create_stream();
    if (params_.diagonals)
      return compare("y", by_diagonals(device, module, s, a, x), reference::spmv_rows(a, x));
    DeviceArray<std::uint32_t> row_start(device, a.row_start, s), column(device, a.column, s);
    DeviceArray<float> value(device, a.value, s), device_x(device, x, s), y(device, params_.rows);
    const std::uint64_t threads = static_cast<std::uint64_t>(params_.rows) * (params_.warp_per_row ? 32 : 1);
    device.launch(device.kernel(module, params_.warp_per_row ? "spmv_warps" : "spmv_rows"),
                  rt::Dim3(static_cast<std::uint32_t>((threads + params_.block - 1) / params_.block)),
                  rt::Dim3(params_.block),
                  rt::Args::of(row_start.pointer(), column.pointer(), value.pointer(), device_x.pointer(),
                               y.pointer(), params_.rows),
                  s);
    return compare("y", y.read(s),
                   params_.warp_per_row ? reference::spmv_warps(a, x) : reference::spmv_rows(a, x));
  }

 private:
  std::vector<float> by_diagonals(rt::Runtime& device, rt::ModuleHandle module, rt::Stream s,
                                  const reference::SparseRows& a, const std::vector<float>& x) {
    const auto length_of = [&](std::uint32_t r) { return a.row_start[r + 1] - a.row_start[r]; };
    std::vector<std::uint32_t> row(params_.rows), length, start, column;
    std::vector<float> value;
    for (std::uint32_t r = 0; r < params_.rows; ++r) row[r] = r;
    std::stable_sort(row.begin(), row.end(),
                     [&](std::uint32_t p, std::uint32_t q) { return length_of(p) > length_of(q); });
    for (std::uint32_t r : row) length.push_back(length_of(r));
    for (std::uint32_t k = 0; k < std::max(length[0], 1u); ++k) {
      start.push_back(static_cast<std::uint32_t>(column.size()));
      for (std::uint32_t i = 0; i < params_.rows && length[i] > k; ++i) {
        column.push_back(a.column[a.row_start[row[i]] + k]);
        value.push_back(a.value[a.row_start[row[i]] + k]);
      }
      // Each begins at a line of the caches.
      while (column.size() % 32 != 0) {
        column.push_back(0);
        value.push_back(0.0f);
      }
    }
    if (column.empty()) {
      column.push_back(0);
      value.push_back(0.0f);
    }
    DeviceArray<std::uint32_t> device_start(device, start, s), device_length(device, length, s),
        device_row(device, row, s), device_column(device, column, s);
    DeviceArray<float> device_value(device, value, s), device_x(device, x, s), y(device, params_.rows);
    device.launch(device.kernel(module, "spmv_diagonals"),
                  rt::Dim3((params_.rows + params_.block - 1) / params_.block), rt::Dim3(params_.block),
                  rt::Args::of(device_start.pointer(), device_length.pointer(), device_row.pointer(),
                               device_column.pointer(), device_value.pointer(), device_x.pointer(),
                               y.pointer(), params_.rows),
                  s);
    return y.read(s);
  }

  SpmvParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Spmv, SpmvParams, "spmv",
                                   "Sparse matrix in compressed rows times a vector; divergent, gathers.");

}  // namespace
}  // namespace warpvp::apps
