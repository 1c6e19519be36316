// Numbers distributed over 1024 buckets.

#include <algorithm>
#include <utility>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kBuckets = 1024, kThreads = 32;  // fixed by the kernel

struct BucketSortParams {
  std::uint32_t count = 20000, band = 128, histogram_ctas = 64;
  std::string kernel = "all";

  void fields(FieldVisitor& v) {
    v.field("count", count, "numbers", "Numbers to sort into buckets.", Constraint::range(1, 1u << 24));
    v.field("band", band, "numbers", "Numbers that a thread takes, at most.", Constraint::range(1, 1u << 12));
    v.field("histogram_ctas", histogram_ctas, "CTAs", "CTAs of the histogram, of 96 threads each.",
            Constraint::range(1, 65535));
    v.field("kernel", kernel,
            "histogram: numbers in equal parts of their range; scatter: numbers to places that the host has "
            "computed; all: histogram, count, offsets, scatter.",
            Constraint::words({"all", "histogram", "scatter"}));
  }
};

class BucketSort : public App {
 public:
  explicit BucketSort(const BucketSortParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t n = params_.count;
    const std::vector<float> numbers = Inputs(context.seed, 1).reals(n, 0.0f, 1.0f);
    std::vector<float> pivots(kBuckets - 1);
    for (std::uint32_t i = 0; i + 1 < kBuckets; ++i) pivots[i] = static_cast<float>(i + 1) / float{kBuckets};
    const std::uint32_t ctas = (n + kThreads * params_.band - 1) / (kThreads * params_.band);
    const Expected expected = distribute(numbers, pivots, ctas);

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "bucket_sort.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_numbers(device, numbers, s);
    if (params_.kernel != "scatter") {
      DeviceArray<std::uint32_t> bins(device, kBuckets);
      bins.fill_zero(s);
      device.launch(device.kernel(module, "bucket_histogram"), rt::Dim3(params_.histogram_ctas), rt::Dim3(96),
                    rt::Args::of(device_numbers.pointer(), bins.pointer(), 0.0f, float{kBuckets}, n), s);
      const AppResult result =
          compare("bin", bins.read(s), expected.totals);  // the pivots cut where the bins do
      if (!result.verified || params_.kernel == "histogram") return result;
    }
    DeviceArray<std::uint32_t> places(device, expected.places, s), counts(device, expected.before, s);
    if (params_.kernel == "all") {
      DeviceArray<float> device_pivots(device, pivots, s);
      DeviceArray<std::uint32_t> totals(device, kBuckets);
      device.launch(device.kernel(module, "bucket_count"), rt::Dim3(ctas), rt::Dim3(kThreads),
                    rt::Args::of(device_numbers.pointer(), device_pivots.pointer(), places.pointer(),
                                 counts.pointer(), n),
                    s);
      device.launch(device.kernel(module, "bucket_offsets"), rt::Dim3(kBuckets / 128), rt::Dim3(128),
                    rt::Args::of(counts.pointer(), totals.pointer(), ctas), s);
      AppResult result = compare("total", totals.read(s), expected.totals);
      if (result.verified) result = compare("before", counts.read(s), expected.before);
      if (!result.verified) return result;
    }
    DeviceArray<std::uint32_t> starts(device, expected.starts, s);
    DeviceArray<float> sorted(device, n);
    device.launch(device.kernel(module, "bucket_scatter"), rt::Dim3(ctas), rt::Dim3(kThreads),
                  rt::Args::of(device_numbers.pointer(), places.pointer(), counts.pointer(), starts.pointer(),
                               sorted.pointer(), n),
                  s);
    // The order within a bucket is that of the atomics; both sides are compared sorted within each.
    std::vector<float> got = sorted.read(s), ordered(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t place = expected.places[i], bucket = place % kBuckets, cta = i / kThreads % ctas;
      ordered[expected.starts[bucket] + expected.before[cta * kBuckets + bucket] + place / kBuckets] =
          numbers[i];
    }
    for (std::uint32_t b = 0; b < kBuckets; ++b) {
      for (std::vector<float>* side : {&got, &ordered})
        std::sort(side->begin() + expected.starts[b],
                  side->begin() + expected.starts[b] + expected.totals[b]);
    }
    return compare("number", got, ordered);
  }

 private:
  /// What the kernels leave, if the threads of a CTA count in their order.
  struct Expected {
    std::vector<std::uint32_t> places, before, totals, starts;
  };
  static Expected distribute(const std::vector<float>& numbers, const std::vector<float>& pivots,
                             std::uint32_t ctas) {
    Expected e;
    e.before.assign(std::size_t{ctas} * kBuckets, 0);
    e.totals.assign(kBuckets, 0);
    e.starts.assign(kBuckets, 0);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint32_t bucket = reference::bucket_of(numbers[i], pivots);
      e.places.push_back(e.before[i / kThreads % ctas * kBuckets + bucket]++ * kBuckets + bucket);
      ++e.totals[bucket];
    }
    for (std::uint32_t b = 0; b < kBuckets; ++b) {
      std::uint32_t sum = 0;
      for (std::uint32_t cta = 0; cta < ctas; ++cta) {
        sum += std::exchange(e.before[std::size_t{cta} * kBuckets + b], sum);
      }
      if (b > 0) e.starts[b] = e.starts[b - 1] + e.totals[b - 1];
    }
    return e;
  }

  BucketSortParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, BucketSort, BucketSortParams, "bucket_sort",
    "Numbers into 1024 buckets: histogram, count, offsets, scatter, as Rodinia's hybridsort.");

}  // namespace
}  // namespace warpvp::apps
