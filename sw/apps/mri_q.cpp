// Waves of sample points summed over an image: constant memory and special functions.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct MriQParams {
  std::uint32_t places = 512, samples = 24, block = 256;

  void fields(FieldVisitor& v) {
    v.field("places", places, "places", "Places in the image, a multiple of block.",
            Constraint::range(1, 1u << 24));
    v.field("samples", samples, "samples", "Sample points in constant memory.", Constraint::range(1, 1024));
    v.field("block", block, "threads", "Threads a CTA, a place each.", Constraint::range(32, 1024));
    v.require(block != 0 && places % block == 0, "places", "must be a multiple of block");
  }
};

class MriQ : public App {
 public:
  explicit MriQ(const MriQParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t n = params_.places;
    std::vector<reference::MriSample> samples(params_.samples);
    Inputs numbers(context.seed, 1);
    for (reference::MriSample& p : samples)
      p = {numbers.real(-0.5f, 0.5f), numbers.real(-0.5f, 0.5f), numbers.real(-0.5f, 0.5f),
           numbers.real(0.0f, 1.0f)};
    const std::vector<float> x = Inputs(context.seed, 2).reals(n, -1.0f, 1.0f),
                             y = Inputs(context.seed, 3).reals(n, -1.0f, 1.0f),
                             z = Inputs(context.seed, 4).reals(n, -1.0f, 1.0f);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "mri_q.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_x(device, x, s), device_y(device, y, s), device_z(device, z, s),
        real(device, n), imaginary(device, n);
    real.fill_zero(s);
    imaginary.fill_zero(s);
    device.copy_to_device_async(device.symbol(module, "samples"), samples.data(),
                                samples.size() * sizeof samples[0], s);
    device.launch(device.kernel(module, "mri_q"), rt::Dim3(n / params_.block), rt::Dim3(params_.block),
                  rt::Args::of(params_.samples, device_x.pointer(), device_y.pointer(), device_z.pointer(),
                               real.pointer(), imaginary.pointer()),
                  s);
    const auto [expected_real, expected_imaginary] = reference::mri_q(samples, x, y, z);
    // Each sample adds an error of the special function unit (2^-20 for angles up to pi) and of the sum's
    // rounding.
    const Tolerance tolerance{4e-6 * params_.samples, 1e-5};
    const AppResult result = compare("real", real.read(s), expected_real, tolerance);
    return result.verified ? compare("imaginary", imaginary.read(s), expected_imaginary, tolerance) : result;
  }

 private:
  MriQParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, MriQ, MriQParams, "mri_q",
    "Waves of samples in constant memory summed over an image, as Parboil's mri-q.");

}  // namespace
}  // namespace warpvp::apps
