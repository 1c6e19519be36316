// 256-bin histogram of bytes ("his" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct HistogramParams : LaunchForm {
  std::uint32_t words = 131072;
  std::uint32_t block = 256;
  std::uint32_t spread = 256;
  bool global_only = false;

  void fields(FieldVisitor& v) {
    v.field("words", words, "words", "Input words of four bytes each.", Constraint::range(1, 1u << 28));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field("spread", spread, "bins",
            "Different byte values in the input; 1 sends every atomic to one address.",
            Constraint::range(1, 256));
    v.field("global_only", global_only, "Count with global atomics alone, without bins in shared memory.");
    LaunchForm::fields(v);
    v.require(!(global_only && persistent), "global_only",
              "the kernel with global atomics has no persistent form");
  }
};

class Histogram : public Workload {
 public:
  explicit Histogram(const HistogramParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.words = static_cast<std::uint32_t>(std::clamp(params_.words * factor, 1.0, 0x1p28));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    Inputs inputs(context.seed + seed_offset, 1);
    words_.resize(params_.words);
    for (std::uint32_t& word : words_) {
      word = 0;
      for (unsigned shift = 0; shift < 32; shift += 8) word |= inputs.below(params_.spread) << shift;
    }
    bins_.assign(256, 0);
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "histogram.ptx");
    forms_ = load_forms(device, module, "histogram", rt::Dim3(params_.block));
    if (params_.global_only) forms_.normal = device.kernel(module, "histogram_global");
    device_words_ = upload(device, words_, s);
    device_bins_ = allocate(device, bins_.size() * sizeof bins_[0]);
  }

  void reset(rt::Runtime& device, rt::Stream s) override {
    device.memset_async(device_bins_, 0, bins_.size() * sizeof bins_[0], s);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    launch_forms(device, forms_, rt::Dim3(ctas_for(params_.words, params_.block)),
                 rt::Args::of(device_words_, device_bins_, params_.words), s, options);
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, bins_, device_bins_, s); }

  AppResult verify() const override { return compare("bin", bins_, reference::histogram(words_)); }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  HistogramParams params_;
  std::vector<std::uint32_t> words_, bins_;
  Forms forms_;
  rt::DevicePtr device_words_ = 0, device_bins_ = 0;
};

WARPVP_REGISTER_WORKLOAD(
    Histogram, HistogramParams, "histogram", "his",
    "256-bin histogram of bytes with atomics in shared memory, or in global memory alone.");

}  // namespace
}  // namespace warpvp::apps
