// Sums of absolute differences for motion estimation.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

struct SadParams {
  std::uint32_t width = 32, height = 32;
  std::string kernel = "all";

  void fields(FieldVisitor& v) {
    v.field("width", width, "pixels", "Width of the frame, a multiple of 16.", Constraint::range(16, 4096));
    v.field("height", height, "pixels", "Height of the frame, a multiple of 16.",
            Constraint::range(16, 4096));
    v.require(width % 16 == 0, "width", "must be a multiple of 16");
    v.require(height % 16 == 0, "height", "must be a multiple of 16");
    v.field(
        "kernel", kernel,
        "blocks: sums of 4 x 4 pixels; eights, sixteens: those of larger blocks out of them, which the host "
        "has computed; all: one after the other.",
        Constraint::words({"all", "blocks", "eights", "sixteens"}));
  }
};

class Sad : public App {
 public:
  explicit Sad(const SadParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t width = params_.width, height = params_.height;
    const std::uint32_t macroblocks = width / 16 * (height / 16);
    Inputs inputs(context.seed, 1);
    std::vector<std::uint8_t> frame(std::size_t{width} * height), reference_frame(frame.size());
    for (std::vector<std::uint8_t>* pixels : {&frame, &reference_frame}) {
      for (std::uint8_t& pixel : *pixels) pixel = static_cast<std::uint8_t>(inputs.below(256));
    }
    const reference::BlockSums expected = reference::block_sums(frame, reference_frame, width, height);
    const auto chosen = [&](const char* part) { return params_.kernel == "all" || params_.kernel == part; };

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "sad.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint8_t> device_frame(device, frame, s), device_reference(device, reference_frame, s);
    using Sums = DeviceArray<std::uint16_t>;
    Sums fours(device, expected.fours, s), eights(device, expected.eights, s);
    Sums eight_by_four(device, expected.eight_by_four.size()),
        four_by_eight(device, expected.four_by_eight.size());
    Sums sixteen_by_eight(device, expected.sixteen_by_eight.size()),
        eight_by_sixteen(device, expected.eight_by_sixteen.size()),
        sixteens(device, expected.sixteens.size());
    AppResult result{true, ""};
    const auto check = [&](const char* name, const Sums& got, const std::vector<std::uint16_t>& sums) {
      if (result.verified) result = compare(name, got.read(s), sums);
    };
    if (chosen("blocks")) {
      fours.fill_zero(s);
      device.launch(
          device.kernel(module, "sad_blocks"), rt::Dim3(macroblocks * 16), rt::Dim3(61),
          rt::Args::of(device_frame.pointer(), device_reference.pointer(), fours.pointer(), width, height),
          s);
    }
    if (chosen("eights")) {
      device.launch(
          device.kernel(module, "sad_eights"), rt::Dim3(macroblocks), rt::Dim3(32, 4),
          rt::Args::of(fours.pointer(), eight_by_four.pointer(), four_by_eight.pointer(), eights.pointer()),
          s);
    }
    if (chosen("sixteens")) {
      device.launch(device.kernel(module, "sad_sixteens"), rt::Dim3(macroblocks), rt::Dim3(32),
                    rt::Args::of(eights.pointer(), sixteen_by_eight.pointer(), eight_by_sixteen.pointer(),
                                 sixteens.pointer()),
                    s);
    }
    if (chosen("blocks")) check("4x4", fours, expected.fours);
    if (chosen("eights")) {
      check("8x4", eight_by_four, expected.eight_by_four);
      check("4x8", four_by_eight, expected.four_by_eight);
      check("8x8", eights, expected.eights);
    }
    if (chosen("sixteens")) {
      check("16x8", sixteen_by_eight, expected.sixteen_by_eight);
      check("8x16", eight_by_sixteen, expected.eight_by_sixteen);
      check("16x16", sixteens, expected.sixteens);
    }
    return result;
  }

 private:
  SadParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Sad, SadParams, "sad",
                                   "Sums of absolute differences for motion estimation, as Parboil's sad.");

}  // namespace
}  // namespace warpvp::apps
