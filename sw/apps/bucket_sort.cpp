// Numbers distributed over 1024 buckets.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_ccbp.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kBuckets = 1024, kThreads = 32;  // fixed by the kernel

struct BucketSortParams {
  std::uint32_t count = 20000, band = 128;

  void fields(FieldVisitor& v) {
    v.field("count", count, "numbers", "Numbers to sort into buckets.", Constraint::range(1, 1u << 24));
    v.field("band", band, "numbers", "Numbers that a thread takes, at most.", Constraint::range(1, 1u << 12));
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

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "bucket_sort.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_numbers(device, numbers, s), device_pivots(device, pivots, s);
    DeviceArray<std::uint32_t> places(device, n), counts(device, std::size_t{ctas} * kBuckets),
        totals(device, kBuckets);
    device.launch(device.kernel(module, "bucket_count"), rt::Dim3(ctas), rt::Dim3(kThreads),
                  rt::Args::of(device_numbers.pointer(), device_pivots.pointer(), places.pointer(),
                               counts.pointer(), n),
                  s);
    device.launch(device.kernel(module, "bucket_offsets"), rt::Dim3(kBuckets / 128), rt::Dim3(128),
                  rt::Args::of(counts.pointer(), totals.pointer(), ctas), s);
    const std::vector<std::uint32_t> got_totals = totals.read(s);
    std::vector<std::uint32_t> expected_totals(kBuckets, 0), starts(kBuckets, 0);
    std::vector<std::vector<float>> buckets(kBuckets);
    for (float number : numbers) buckets[reference::bucket_of(number, pivots)].push_back(number);
    for (std::uint32_t b = 0; b < kBuckets; ++b)
      expected_totals[b] = static_cast<std::uint32_t>(buckets[b].size());
    const AppResult result = compare("total", got_totals, expected_totals);
    if (!result.verified) return result;
    for (std::uint32_t b = 1; b < kBuckets; ++b) starts[b] = starts[b - 1] + got_totals[b - 1];
    DeviceArray<std::uint32_t> device_starts(device, starts, s);
    DeviceArray<float> sorted(device, n);
    device.launch(device.kernel(module, "bucket_scatter"), rt::Dim3(ctas), rt::Dim3(kThreads),
                  rt::Args::of(device_numbers.pointer(), places.pointer(), counts.pointer(),
                               device_starts.pointer(), sorted.pointer(), n),
                  s);
    // The order within a bucket is that of the atomics; both sides are compared sorted within each.
    std::vector<float> got = sorted.read(s), expected;
    for (std::uint32_t b = 0; b < kBuckets; ++b) {
      std::sort(got.begin() + starts[b], got.begin() + starts[b] + got_totals[b]);
      std::sort(buckets[b].begin(), buckets[b].end());
      expected.insert(expected.end(), buckets[b].begin(), buckets[b].end());
    }
    return compare("number", got, expected);
  }

 private:
  BucketSortParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, BucketSort, BucketSortParams, "bucket_sort",
    "Numbers into 1024 buckets: count, offsets, scatter, as Rodinia's hybridsort.");

}  // namespace
}  // namespace warpvp::apps
