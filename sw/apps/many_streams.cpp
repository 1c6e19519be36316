// Many streams of small kernels: what the command processor is asked to choose between.

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct ManyStreamsParams {
  std::uint32_t streams = 16, launches = 4, count = 128, block = 128;
  std::string mode = "burst";
  std::vector<std::uint32_t> priorities, deadlines_us;

  void fields(FieldVisitor& v) {
    v.field("streams", streams, "", "Streams, each a hardware queue while there are queues left.",
            Constraint::range(1, 4096));
    v.field("launches", launches, "", "Kernels in each stream, one after the other.",
            Constraint::range(1, 4096));
    v.field("count", count, "elements", "Length of the vectors that a kernel works on.",
            Constraint::range(1, 1u << 24));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("mode", mode,
            "burst: everything is submitted behind one event, so that all streams become ready at once; "
            "open: submitted "
            "as fast as the host can; alone: each kernel when the one before it has ended, in stream after "
            "stream.",
            Constraint::words({"burst", "open", "alone"}));
    v.field("priorities", priorities, "", "Priority of each stream, repeated as needed; empty: 0 for all.",
            Constraint::range(0, 100));
    v.field("deadlines_us", deadlines_us, "us",
            "Deadline of each stream's kernels after their launch, 0: none; repeated as needed; empty: none.",
            Constraint::at_least(0));
  }
};

class ManyStreams : public App {
 public:
  explicit ManyStreams(const ManyStreamsParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const rt::Kernel kernel = device.kernel(device.load_module(context.kernel_folder + "saxpy.ptx"), "saxpy");
    const std::vector<float> x = Inputs(context.seed, 1).reals(params_.count, -1.0f, 1.0f);
    const std::vector<float> zero(params_.count, 0.0f);
    const DeviceArray<float> device_x(device, x, rt::Stream{0});

    std::vector<rt::Stream> streams;
    std::vector<std::unique_ptr<DeviceArray<float>>> sums;
    for (std::uint32_t s = 0; s < params_.streams; ++s) {
      rt::StreamOptions options;
      options.name = fmt::format("S{}", s);
      if (!params_.priorities.empty())
        options.priority = static_cast<int>(params_.priorities[s % params_.priorities.size()]);
      streams.push_back(device.create_stream(options));
      sums.push_back(std::make_unique<DeviceArray<float>>(device, zero, rt::Stream{0}));
    }
    device.synchronize();

    std::unique_ptr<DeviceArray<float>> gate;  // alive until all is done
    if (params_.mode == "burst") gate = hold(device, kernel, streams);
    for (std::uint32_t l = 0; l < params_.launches; ++l) {
      for (std::uint32_t s = 0; s < params_.streams; ++s) {
        rt::LaunchOptions options;
        options.name = fmt::format("S{}.{}", s, l);
        if (!params_.deadlines_us.empty())
          options.deadline_us = params_.deadlines_us[s % params_.deadlines_us.size()];
        device.launch(kernel, rt::Dim3((params_.count + params_.block - 1) / params_.block),
                      rt::Dim3(params_.block),
                      rt::Args::of(factor(s, l), device_x.pointer(), sums[s]->pointer(), params_.count),
                      streams[s], options);
        if (params_.mode == "alone") device.synchronize(streams[s]);
      }
    }
    device.synchronize();

    for (std::uint32_t s = 0; s < params_.streams; ++s) {
      std::vector<float> expected = zero;
      for (std::uint32_t l = 0; l < params_.launches; ++l)
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = std::fma(factor(s, l), x[i], expected[i]);
      const AppResult one = compare(fmt::format("sum[{}]", s), sums[s]->read(rt::Stream{0}), expected);
      if (!one.verified) return one;
    }
    return {true, ""};
  }

 private:
  /// Different for every launch, so that one lost, doubled or out of order within its stream shows.
  static float factor(std::uint32_t stream, std::uint32_t launch) {
    return 1.0f / static_cast<float>(stream + 2) + 0.37f * static_cast<float>(launch + 1);
  }

  /// Makes all streams wait for a kernel that runs while the host submits; what it works on is returned.
  std::unique_ptr<DeviceArray<float>> hold(rt::Runtime& device, rt::Kernel kernel,
                                           const std::vector<rt::Stream>& streams) {
    const rt::Stream gate = device.create_stream({"gate", 0, 0});
    // One thread strides over a vector; that takes it more than 20 ns an element, and the host less than 4 us
    // a launch.
    const std::uint32_t elements = 50 * params_.streams * (params_.launches + 1);
    auto vector = std::make_unique<DeviceArray<float>>(device, elements);
    vector->fill_zero(gate);
    device.synchronize(gate);
    rt::LaunchOptions options;
    options.name = "gate";
    device.launch(kernel, rt::Dim3(1), rt::Dim3(1),
                  rt::Args::of(0.0f, vector->pointer(), vector->pointer(), elements), gate, options);
    const rt::Event open = device.record(gate);
    for (const rt::Stream s : streams) device.wait(s, open);
    return vector;
  }

  ManyStreamsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, ManyStreams, ManyStreamsParams, "many_streams",
    "Small kernels in many streams, for the command processor to choose from.");

}  // namespace
}  // namespace warpvp::apps
