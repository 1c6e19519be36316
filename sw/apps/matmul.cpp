// Matrix multiplication in fp32 ("mm" of QAWS Table I); the bench's SGEMM.

#include <algorithm>
#include <cmath>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct MatmulParams : LaunchForm {
  std::uint32_t m = 256, n = 256, k = 64, tile = 16;
  bool naive = false;

  void fields(FieldVisitor& v) {
    v.field("m", m, "rows", "Rows of A and C.", Constraint::range(1, 1u << 13));
    v.field("n", n, "columns", "Columns of B and C.", Constraint::range(1, 1u << 13));
    v.field("k", k, "columns", "Columns of A, rows of B.", Constraint::range(1, 1u << 13));
    v.field("tile", tile, "", "Side of a tile and of a CTA: 16, or 32.", Constraint::range(16, 32));
    v.require(tile == 16 || tile == 32, "tile", "must be 16 or 32");
    v.field("naive", naive, "Read every operand from global memory instead of tiles in shared memory.");
    LaunchForm::fields(v);
    v.require(!(naive && persistent), "naive", "the naive kernel has no persistent form");
    v.require(!naive || tile == 16, "tile", "must be 16 for the naive kernel, which has CTAs of 16x16");
  }
};

class Matmul : public Workload {
 public:
  explicit Matmul(const MatmulParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    const double side = std::sqrt(factor);
    params_.m = static_cast<std::uint32_t>(std::clamp(params_.m * side, 1.0, 0x1p13));
    params_.n = static_cast<std::uint32_t>(std::clamp(params_.n * side, 1.0, 0x1p13));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    const std::size_t m = params_.m, n = params_.n, k = params_.k;
    a_ = Inputs(context.seed + seed_offset, 1).reals(m * k, -1.0f, 1.0f);
    b_ = Inputs(context.seed + seed_offset, 2).reals(k * n, -1.0f, 1.0f);
    c_.assign(m * n, 0.0f);
    const rt::ModuleHandle module =
        device.load_module(context.kernel_folder + (params_.tile == 16 ? "matmul.ptx" : "matmul_32.ptx"));
    forms_ = load_forms(device, module, "matmul", rt::Dim3(params_.tile, params_.tile), true);
    if (params_.naive) forms_.normal = device.kernel(module, "matmul_naive");
    device_a_ = upload(device, a_, s);
    device_b_ = upload(device, b_, s);
    device_c_ = upload(device, c_, s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_,
                 rt::Dim3(ctas_for(params_.n, params_.tile), ctas_for(params_.m, params_.tile)),
                 rt::Args::of(device_a_, device_b_, device_c_, params_.m, params_.n, params_.k), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, c_, device_c_, s); }

  AppResult verify() const override {
    return compare("c", c_, reference::matmul(a_, b_, params_.m, params_.n, params_.k));
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  MatmulParams params_;
  std::vector<float> a_, b_, c_;
  Forms forms_;
  rt::DevicePtr device_a_ = 0, device_b_ = 0, device_c_ = 0;
};

WARPVP_REGISTER_WORKLOAD(
    Matmul, MatmulParams, "matmul", "mm",
    "C = A B in fp32 on tiles in shared memory, 16x16 or 32x32, or naively from global memory.");

}  // namespace
}  // namespace warpvp::apps
