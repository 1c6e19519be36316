// Matrix product with a column of tiles in registers.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct SgemmTallParams {
  std::uint32_t m = 128, n = 32, k = 24;

  void fields(FieldVisitor& v) {
    v.field("m", m, "rows", "Rows of A and C, a multiple of 128.", Constraint::range(128, 1u << 14));
    v.field("n", n, "columns", "Columns of C, a multiple of 16.", Constraint::range(16, 1u << 14));
    v.field("k", k, "", "Columns of A and B, a multiple of 8.", Constraint::range(8, 1u << 14));
    v.require(m % 128 == 0, "m", "must be a multiple of 128");
    v.require(n % 16 == 0, "n", "must be a multiple of 16");
    v.require(k % 8 == 0, "k", "must be a multiple of 8");
  }
};

class SgemmTall : public App {
 public:
  explicit SgemmTall(const SgemmTallParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t m = params_.m, n = params_.n, k = params_.k;
    const std::vector<float> a = Inputs(context.seed, 1).reals(std::size_t{m} * k, -1.0f, 1.0f);
    const std::vector<float> b = Inputs(context.seed, 2).reals(std::size_t{n} * k, -1.0f, 1.0f);
    std::vector<float> c = Inputs(context.seed, 3).reals(std::size_t{m} * n, -1.0f, 1.0f);
    const float alpha = 1.0f, beta = 0.5f;
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "sgemm_tall.ptx"), "sgemm_tall");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_a(device, a, s), device_b(device, b, s), device_c(device, c, s);
    device.launch(
        kernel, rt::Dim3(m / 128, n / 16), rt::Dim3(16, 8),
        rt::Args::of(device_a.pointer(), m, device_b.pointer(), n, device_c.pointer(), m, k, alpha, beta), s);
    const std::vector<float> got = device_c.read(s);
    reference::sgemm_tall(a, b, c, m, n, k, alpha, beta);
    return compare("c", got, c);
  }

 private:
  SgemmTallParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, SgemmTall, SgemmTallParams, "sgemm_tall",
                                   "Matrix product with tiles of 128 x 16 in registers, as Parboil's sgemm.");

}  // namespace
}  // namespace warpvp::apps
