// Sparse matrix times vector: irregular row lengths and gathers.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct SpmvParams {
  std::uint32_t rows = 2048, columns = 2048, longest = 40, block = 128;
  bool warp_per_row = false;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "rows", "Rows of the matrix.", Constraint::range(1, 1u << 22));
    v.field("columns", columns, "columns", "Columns of the matrix.", Constraint::range(1, 1u << 22));
    v.field("longest", longest, "elements", "Rows have 0 to this many elements, uniformly.",
            Constraint::range(0, 1u << 12));
    v.field("block", block, "threads", "Threads a CTA, whole warps.", Constraint::range(32, 1024));
    v.require(block % 32 == 0, "block", "must be a multiple of 32");
    v.field("warp_per_row", warp_per_row, "A warp a row instead of a thread a row.");
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
      const std::uint32_t length = inputs.below(params_.longest + 1);
      for (std::uint32_t k = 0; k < length; ++k) {
        a.column.push_back(inputs.below(params_.columns));
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
  SpmvParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Spmv, SpmvParams, "spmv",
                                   "Sparse matrix in compressed rows times a vector; divergent, gathers.");

}  // namespace
}  // namespace warpvp::apps
