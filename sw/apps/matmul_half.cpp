// Matrix multiplication of f16 with sums in f32, on matrix instructions.

#include <algorithm>
#include <cstring>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kSide = 32, kDepth = 16, kThreads = 128;  // of the kernel

struct MatmulHalfParams {
  std::uint32_t m = 64, n = 64, k = 64;

  void fields(FieldVisitor& v) {
    v.field("m", m, "rows", "Rows of A and C, a multiple of 32.", Constraint::range(kSide, 1u << 13));
    v.field("n", n, "columns", "Columns of B and C, a multiple of 32.", Constraint::range(kSide, 1u << 13));
    v.field("k", k, "columns", "Columns of A, rows of B, a multiple of 16.",
            Constraint::range(kDepth, 1u << 13));
    v.require(m % kSide == 0, "m", "must be a multiple of 32");
    v.require(n % kSide == 0, "n", "must be a multiple of 32");
    v.require(k % kDepth == 0, "k", "must be a multiple of 16");
  }
};

/// A number that f16 holds exactly as a normal one, or 0, as its bits.
std::uint16_t half_bits(float v) {
  std::uint32_t u;
  std::memcpy(&u, &v, sizeof u);
  if (v == 0) return 0;
  constexpr std::uint32_t kBiasDifference = 127 - 15;
  return static_cast<std::uint16_t>((u >> 16 & 0x8000) | ((u >> 23 & 0xff) - kBiasDifference) << 10 |
                                    (u >> 13 & 0x3ff));
}

class MatmulHalf : public App {
 public:
  explicit MatmulHalf(const MatmulHalfParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t m = params_.m, n = params_.n, k = params_.k;
    // Sixteenths from -1 to 1: all sums are exact in single precision, whatever their order.
    const auto elements = [&](std::uint64_t salt, std::size_t count) {
      Inputs inputs(context.seed, salt);
      std::vector<float> values(count);
      for (float& v : values) v = (static_cast<float>(inputs.below(33)) - 16) / 16;
      return values;
    };
    const auto halves = [](const std::vector<float>& values) {
      std::vector<std::uint16_t> bits(values.size());
      std::transform(values.begin(), values.end(), bits.begin(), &half_bits);
      return bits;
    };
    const std::vector<float> a = elements(1, std::size_t{m} * k), b = elements(2, std::size_t{k} * n);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "matmul_half.ptx");
    const rt::Stream s = device.create_stream();
    const std::vector<std::uint16_t> bits_a = halves(a), bits_b = halves(b);
    const DeviceArray<std::uint16_t> device_a(device, bits_a, s), device_b(device, bits_b, s);
    DeviceArray<float> device_c(device, std::size_t{m} * n);
    device.launch(device.kernel(module, "matmul_half"), rt::Dim3(n / kSide, m / kSide), rt::Dim3(kThreads),
                  rt::Args::of(device_a.pointer(), device_b.pointer(), device_c.pointer(), n, k), s);
    return compare("c", device_c.read(s), reference::matmul(a, b, m, n, k));
  }

 private:
  MatmulHalfParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, MatmulHalf, MatmulHalfParams, "matmul_half",
                                   "C = A B of f16 with sums in f32, on matrix instructions.");

}  // namespace
}  // namespace warpvp::apps
