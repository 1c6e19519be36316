// A portfolio of swaptions in the LIBOR market model by Monte Carlo.

#include <cmath>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_darsie.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kMostBonds = 40;  // of the kernel

struct LiborParams {
  std::uint32_t paths = 256, rates = 80, steps = 40, options = 15, block = 256;
  std::string normals = "own";

  void fields(FieldVisitor& v) {
    v.field("paths", paths, "paths", "Paths, one a thread, a multiple of block.",
            Constraint::range(32, 1u << 20));
    v.field("rates", rates, "rates", "Forward rates.", Constraint::range(2, 80));
    v.field("steps", steps, "steps",
            "Maturities that a path goes through; what is left of the rates are bonds.",
            Constraint::range(1, 79));
    v.field("options", options, "options", "Swaptions valued on each path.", Constraint::range(1, 1024));
    v.field("normals", normals,
            "own: normal variates of its own for each path; alike: the same for all, as in the original.",
            Constraint::words({"own", "alike"}));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(32, 1024));
    v.require(block != 0 && paths % block == 0, "paths", "must be a multiple of block");
    v.require(steps < rates && rates - steps <= kMostBonds, "steps", "must leave 1 to 40 of the rates");
  }
};

/// As the kernel takes it.
struct Portfolio {
  rt::DevicePtr volatility, maturity, swap_rate;
  float first_rate, delta;
  std::uint32_t rates, steps, options;
};

class Libor : public App {
 public:
  explicit Libor(const LiborParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const bool own = params_.normals == "own";
    reference::SwaptionMarket market;
    market.rates = params_.rates;
    market.steps = params_.steps;
    market.volatility.assign(market.rates, 0.2f);
    Inputs numbers(context.seed, 1);
    for (std::uint32_t i = 0; i < params_.options; ++i) {
      market.maturity.push_back(1 + numbers.below(market.rates - market.steps));
      market.swap_rate.push_back(0.045f + 0.005f * static_cast<float>(i % 3));
    }
    std::vector<float> normals(std::size_t{market.steps} * (own ? params_.paths : 1));
    // The sum of twelve uniform numbers is close to normal and the same everywhere, as logarithms are not.
    for (float& n : normals) {
      n = -6.0f;
      for (unsigned i = 0; i < 12; ++i) n += numbers.real(0.0f, 1.0f);
    }

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "libor.ptx"), own ? "libor" : "libor_alike");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_normals(device, normals, s), volatility(device, market.volatility, s),
        swap_rate(device, market.swap_rate, s), values(device, params_.paths);
    DeviceArray<std::uint32_t> maturity(device, market.maturity, s);
    const Portfolio portfolio{volatility.pointer(), maturity.pointer(), swap_rate.pointer(),
                              market.first_rate,    market.delta,       market.rates,
                              market.steps,         params_.options};
    device.launch(kernel, rt::Dim3(params_.paths / params_.block), rt::Dim3(params_.block),
                  rt::Args::of(values.pointer(), device_normals.pointer(), portfolio), s);
    // Rates carry the rounding of `steps` products and exponentials, 2^-21 each; the swaps, of which a value
    // is a hundred times the sum, are differences of numbers near 1.
    const double rounding = std::ldexp(1.0, -21);
    return compare("values", values.read(s), reference::swaption_paths(market, normals, params_.paths),
                   {100 * rounding * params_.options, rounding * params_.steps});
  }

 private:
  LiborParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, Libor, LiborParams, "libor",
    "Swaptions in the LIBOR market model by Monte Carlo, a path a thread; parameters at uniform addresses.");

}  // namespace
}  // namespace warpvp::apps
