// Naive matrix multiplication with accesses that cannot be coalesced (SWaS paper, table I and section VI-B1).

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct SgemmParams {
  std::uint32_t m = 32, n = 32, k = 4, block_x = 32, block_y = 32;

  void fields(FieldVisitor& v) {
    v.field("m", m, "rows", "Rows of A and C.", Constraint::range(1, 1u << 12));
    v.field("n", n, "columns", "Columns of B and C.", Constraint::range(1, 1u << 12));
    v.field("k", k, "columns", "Columns of A, rows of B.", Constraint::range(1, 1u << 12));
    v.field("block_x", block_x, "threads", "Rows of C of a CTA; lanes run along them.",
            Constraint::range(1, 1024));
    v.field("block_y", block_y, "threads", "Columns of C of a CTA.", Constraint::range(1, 1024));
    v.require(block_x * block_y <= 1024, "block_y", "block_x * block_y must be at most 1024 threads");
  }
};

class Sgemm : public App {
 public:
  explicit Sgemm(const SgemmParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::size_t m = params_.m, n = params_.n, k = params_.k;
    const std::vector<float> a = Inputs(context.seed, 1).reals(m * k, -1.0f, 1.0f);
    const std::vector<float> b = Inputs(context.seed, 2).reals(k * n, -1.0f, 1.0f);
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "sgemm.ptx"), "sgemm");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_a(device, a, s), device_b(device, b, s), device_c(device, m * n);
    device.launch(kernel,
                  rt::Dim3((params_.m + params_.block_x - 1) / params_.block_x,
                           (params_.n + params_.block_y - 1) / params_.block_y),
                  rt::Dim3(params_.block_x, params_.block_y),
                  rt::Args::of(device_a.pointer(), device_b.pointer(), device_c.pointer(), params_.m,
                               params_.n, params_.k),
                  s);
    return compare("c", device_c.read(s), reference::matmul(a, b, params_.m, params_.n, params_.k));
  }

 private:
  SgemmParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Sgemm, SgemmParams, "sgemm",
    "C = A B in fp32, a thread a result, straight from global memory, uncoalesced.");

}  // namespace
}  // namespace warpvp::apps
