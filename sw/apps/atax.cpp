// y = A^T (A x) in two kernels ("atax" of QAWS Table I).

#include <algorithm>
#include <cmath>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct AtaxParams : LaunchForm {
  std::uint32_t rows = 512, columns = 512;
  std::uint32_t block = 64;

  void fields(FieldVisitor& v) {
    v.field("rows", rows, "rows", "Rows of A.", Constraint::range(1, 1u << 14));
    v.field("columns", columns, "columns", "Columns of A.", Constraint::range(1, 1u << 14));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    LaunchForm::fields(v);
  }
};

class Atax : public Workload {
 public:
  explicit Atax(const AtaxParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    const double side = std::sqrt(factor);  // both kernels get that many times the threads
    params_.rows = static_cast<std::uint32_t>(std::clamp(params_.rows * side, 1.0, 0x1p14));
    params_.columns = static_cast<std::uint32_t>(std::clamp(params_.columns * side, 1.0, 0x1p14));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    a_ = Inputs(context.seed + seed_offset, 1)
             .reals(static_cast<std::size_t>(params_.rows) * params_.columns, -1.0f, 1.0f);
    x_ = Inputs(context.seed + seed_offset, 2).reals(params_.columns, -1.0f, 1.0f);
    y_.assign(params_.columns, 0.0f);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "atax.ptx");
    by_row_ = load_forms(device, module, "atax_rows", rt::Dim3(params_.block));
    by_column_ = load_forms(device, module, "atax_columns", rt::Dim3(params_.block));
    device_a_ = upload(device, a_, s);
    device_x_ = upload(device, x_, s);
    device_tmp_ = allocate(device, params_.rows * sizeof(float));
    device_y_ = upload(device, y_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, by_row_, rt::Dim3(ctas_for(params_.rows, params_.block)),
                 rt::Args::of(device_a_, device_x_, device_tmp_, params_.rows, params_.columns), s, options);
    launch_forms(device, by_column_, rt::Dim3(ctas_for(params_.columns, params_.block)),
                 rt::Args::of(device_a_, device_tmp_, device_y_, params_.rows, params_.columns), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, y_, device_y_, s); }

  AppResult verify() const override {
    return compare("y", y_, reference::atax(a_, x_, params_.rows, params_.columns));
  }

  unsigned warps_per_cta() const override { return by_row_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override {
    return std::min(occupancy_of(device, by_row_), occupancy_of(device, by_column_));
  }

 private:
  AtaxParams params_;
  std::vector<float> a_, x_, y_;
  Forms by_row_, by_column_;
  rt::DevicePtr device_a_ = 0, device_x_ = 0, device_tmp_ = 0, device_y_ = 0;
};

WARPVP_REGISTER_WORKLOAD(Atax, AtaxParams, "atax", "atax",
                         "y = A^T (A x): a thread per row, then a thread per column; latency-bound.");

}  // namespace
}  // namespace warpvp::apps
