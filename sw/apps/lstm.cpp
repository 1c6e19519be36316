// Inference with an LSTM of one layer and batch size 1, kernel by kernel as a library launches it: of each
// step a matrix product, three activations, three operations on vectors.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/job_kernels.h"
#include "sw/apps/reference_jobs.h"

namespace warpvp::apps {
namespace {

struct LstmParams {
  std::uint32_t hidden = 128, steps = 4, block = 128;

  void fields(FieldVisitor& v) {
    v.field("hidden", hidden, "elements", "Size of the hidden layer, and of an input.",
            Constraint::range(1, 4096));
    v.field("steps", steps, "steps", "Length of the sequence.", Constraint::range(1, 10000));
    v.field("block", block, "threads", "Threads a CTA of the matrix product.", Constraint::range(1, 1024));
  }
};

class Lstm : public App, public JobKernels {
 public:
  explicit Lstm(const LstmParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    prepare(device, context);
    const std::uint32_t h = params_.hidden;
    const std::uint64_t part = std::uint64_t{h} * sizeof(float);
    for (std::uint32_t step = 0; step < params_.steps; ++step) {
      device.copy_on_device_async(v_.pointer(), x_.pointer() + step * part, part, stream_);
      const JobLaunch product = launch("lstm_gemm", 4 * h);
      device.launch(product.kernel, rt::Dim3((4 * h + params_.block - 1) / params_.block),
                    rt::Dim3(params_.block), product.args, stream_);
      const rt::DevicePtr input = gates_.pointer(), forget = input + part, output = input + 2 * part,
                          candidate = input + 3 * part, cell = cell_.pointer();
      activation(device, input, input, 3 * h, 0);
      activation(device, candidate, candidate, h, 1);
      tensor(device, forget, cell, 0, product_.pointer());
      tensor(device, input, candidate, product_.pointer(), cell);
      activation(device, cell, squashed_.pointer(), h, 1);
      tensor(device, output, squashed_.pointer(), 0, v_.pointer() + part);
    }
    const std::vector<float> v = v_.read(stream_);
    const std::vector<float> got(v.begin() + static_cast<std::ptrdiff_t>(h), v.end());
    for (auto* array : {&weights_, &bias_, &x_, &v_, &gates_, &cell_, &product_, &squashed_}) array->reset();
    return compare("state", got, reference::lstm(layer_, sequence_), Tolerance{1e-4, 1e-4});
  }

  void prepare(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t h = params_.hidden, rows = 4 * h;
    Inputs inputs(context.seed, 1);
    layer_.hidden = h;
    const float scale = 2.0f / static_cast<float>(h);
    layer_.weights = inputs.reals(std::size_t{rows} * 2 * h, -scale, scale);
    layer_.bias = inputs.reals(rows, -0.5f, 0.5f);
    sequence_ = inputs.reals(std::size_t{params_.steps} * h, -1.0f, 1.0f);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "lstm.ptx");
    gemm_ = device.kernel(module, "lstm_gemm");
    activation_ = device.kernel(module, "lstm_activation");
    tensor_ = device.kernel(module, "lstm_tensor");
    stream_ = device.create_stream();
    weights_.emplace(device, layer_.weights, stream_);
    bias_.emplace(device, layer_.bias, stream_);
    x_.emplace(device, sequence_, stream_);
    v_.emplace(device, 2 * h);
    gates_.emplace(device, rows);
    cell_.emplace(device, h);
    product_.emplace(device, h);
    squashed_.emplace(device, h);
    v_.fill_zero(stream_);
    cell_.fill_zero(stream_);
    device.synchronize(stream_);
  }
  JobLaunch launch(const std::string& name, std::uint32_t threads) override {
    const std::uint32_t h = params_.hidden;
    if (name == "lstm_activation") {
      require_kernel(name, name, threads, 4 * h);
      return {activation_, rt::Args::of(gates_.pointer(), gates_.pointer(), threads, std::uint32_t{0})};
    }
    if (name == "lstm_tensor") {
      require_kernel(name, name, threads, h);
      return {tensor_, rt::Args::of(gates_.pointer(), cell_.pointer(), product_.pointer(),
                                    squashed_.pointer(), threads)};
    }
    require_kernel(name, "lstm_gemm", threads, 4 * h);
    return {gemm_,
            rt::Args::of(weights_.pointer(), v_.pointer(), bias_.pointer(), gates_.pointer(), 4 * h, 2 * h)};
  }

 private:
  void activation(rt::Runtime& device, rt::DevicePtr in, rt::DevicePtr out, std::uint32_t count,
                  std::uint32_t is_tanh) {
    device.launch(activation_, rt::Dim3((count + 127) / 128), rt::Dim3(128),
                  rt::Args::of(in, out, count, is_tanh), stream_);
  }
  void tensor(rt::Runtime& device, rt::DevicePtr a, rt::DevicePtr b, rt::DevicePtr c, rt::DevicePtr out) {
    device.launch(tensor_, rt::Dim3((params_.hidden + 63) / 64), rt::Dim3(64),
                  rt::Args::of(a, b, c, out, params_.hidden), stream_);
  }

  LstmParams params_;
  reference::LstmLayer layer_;
  std::vector<float> sequence_;
  rt::Kernel gemm_, activation_, tensor_;
  rt::Stream stream_;
  HeldArray<float> weights_, bias_, x_, v_, gates_, cell_, product_, squashed_;
};

WARPVP_REGISTER_JOB_APP(Lstm, LstmParams, "lstm",
                        "Inference with an LSTM: a matrix product and six small kernels a step.");

}  // namespace
}  // namespace warpvp::apps
