// Streaming reads, copies and scales of 16-byte elements; the message tells the rate reached.

#include <fmt/format.h>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct StreamParams {
  std::uint32_t elements = 16384, ctas = 32, block = 256;
  std::string kernel = "copy";

  void fields(FieldVisitor& v) {
    v.field("elements", elements, "elements", "16-byte elements in each array.",
            Constraint::range(1, 1u << 26));
    v.field("ctas", ctas, "CTAs", "Grid; the kernels stride over the arrays with it.",
            Constraint::range(1, 1u << 16));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("kernel", kernel, "What to do with the elements.", Constraint::words({"read", "copy", "scale"}));
  }
};

class StreamApp : public App {
 public:
  explicit StreamApp(const StreamParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t n = params_.elements, threads = params_.ctas * params_.block;
    const rt::Stream s = device.create_stream();
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "stream.ptx"), "stream_" + params_.kernel);
    const rt::Dim3 grid(params_.ctas), block(params_.block);
    if (params_.kernel == "scale") {
      const float factor = 1.5f;
      const std::vector<float> in = Inputs(context.seed, 1).reals(std::size_t{4} * n, -1.0f, 1.0f);
      std::vector<float> expected(in);
      for (float& v : expected) v *= factor;
      DeviceArray<float> device_in(device, in, s), out(device, in.size());
      const double us =
          timed(device, kernel, grid, block, rt::Args::of(device_in.pointer(), out.pointer(), factor, n), s);
      return report(compare("out", out.read(s), expected), 32.0 * n, us);
    }
    const std::vector<std::uint32_t> in = Inputs(context.seed, 1).words(std::size_t{4} * n);
    DeviceArray<std::uint32_t> device_in(device, in, s);
    if (params_.kernel == "copy") {
      DeviceArray<std::uint32_t> out(device, in.size());
      const double us =
          timed(device, kernel, grid, block, rt::Args::of(device_in.pointer(), out.pointer(), n), s);
      return report(compare("out", out.read(s), in), 32.0 * n, us);
    }
    std::vector<std::uint32_t> folded(threads, 0);
    for (std::size_t i = 0; i < in.size(); ++i) folded[i / 4 % threads] ^= in[i];
    DeviceArray<std::uint32_t> out(device, threads);
    const double us =
        timed(device, kernel, grid, block, rt::Args::of(device_in.pointer(), out.pointer(), n), s);
    return report(compare("folded", out.read(s), folded), 16.0 * n + 4.0 * threads, us);
  }

 private:
  static double timed(rt::Runtime& device, rt::Kernel kernel, rt::Dim3 grid, rt::Dim3 block,
                      const rt::Args& args, rt::Stream s) {
    const rt::Event start = device.record(s);
    device.launch(kernel, grid, block, args, s);
    const rt::Event end = device.record(s);
    device.synchronize(s);
    return device.elapsed_us(start, end);
  }
  static AppResult report(AppResult result, double bytes, double us) {
    if (result.verified) {
      result.measured = {{"gigabytes_per_second", bytes / us * 1e-3}};
      result.message = fmt::format("{:.0f} bytes in {:.3f} us: {:.2f} GB/s", bytes, us, bytes / us * 1e-3);
    }
    return result;
  }
  StreamParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, StreamApp, StreamParams, "stream",
                                   "Streaming reads, copies or scales: memory bandwidth.");

}  // namespace
}  // namespace warpvp::apps
