// One layer of a neural network: its sums, or the correction of its weights.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct BackpropParams {
  std::uint32_t inputs = 256;
  std::string kernel = "layer_forward";

  void fields(FieldVisitor& v) {
    v.field("inputs", inputs, "units", "Units of the input layer, a multiple of 16.",
            Constraint::range(16, 1u << 20));
    v.require(inputs % 16 == 0, "inputs", "must be a multiple of 16");
    v.field("kernel", kernel,
            "layer_forward: sums of the hidden layer; adjust_weights: correction of the weights.",
            Constraint::words({"layer_forward", "adjust_weights"}));
  }
};

class Backprop : public App {
 public:
  explicit Backprop(const BackpropParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    reference::BackpropLayer layer;
    layer.inputs = params_.inputs;
    const std::size_t weights = std::size_t{layer.inputs + 1} * (layer.hidden + 1);
    layer.units = Inputs(context.seed, 1).reals(layer.inputs + 1, 0.0f, 1.0f);
    layer.delta = Inputs(context.seed, 2).reals(layer.hidden + 1, -0.5f, 0.5f);
    layer.weights = Inputs(context.seed, 3).reals(weights, 0.0f, 1.0f);
    layer.old = Inputs(context.seed, 4).reals(weights, -0.1f, 0.1f);

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "backprop.ptx"), params_.kernel);
    const rt::Stream s = device.create_stream();
    DeviceArray<float> units(device, layer.units, s), device_weights(device, layer.weights, s);
    const rt::Dim3 grid(1, layer.inputs / 16), block(16, 16);
    if (params_.kernel == "layer_forward") {
      DeviceArray<float> sums(device, std::size_t{layer.inputs / 16} * layer.hidden);
      device.launch(kernel, grid, block,
                    rt::Args::of(units.pointer(), device_weights.pointer(), sums.pointer(), layer.hidden), s);
      const std::vector<float> got = sums.read(s), got_weights = device_weights.read(s);
      const AppResult result = compare("partial_sums", got, reference::layer_forward(layer));
      return result.verified ? compare("weights", got_weights, layer.weights) : result;
    }
    DeviceArray<float> delta(device, layer.delta, s), old(device, layer.old, s);
    device.launch(
        kernel, grid, block,
        rt::Args::of(delta.pointer(), layer.hidden, units.pointer(), device_weights.pointer(), old.pointer()),
        s);
    const std::vector<float> got_weights = device_weights.read(s), got_old = old.read(s);
    reference::adjust_weights(layer);
    const AppResult result = compare("weights", got_weights, layer.weights);
    return result.verified ? compare("old", got_old, layer.old) : result;
  }

 private:
  BackpropParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Backprop, BackpropParams, "backprop",
                                   "One layer of a neural network in training, as Rodinia's backprop.");

}  // namespace
}  // namespace warpvp::apps
