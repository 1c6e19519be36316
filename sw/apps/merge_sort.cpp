// Sorting of stretches of 1024 keys with values.

#include <algorithm>
#include <numeric>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kStretch = 1024;

struct MergeSortParams {
  std::uint32_t stretches = 3, distinct = 65536;

  void fields(FieldVisitor& v) {
    v.field("stretches", stretches, "", "Stretches of 1024 keys, one a CTA.", Constraint::range(1, 1u << 16));
    v.field("distinct", distinct, "keys", "Keys are less than this; few make many equal ones.",
            Constraint::range(1, 1u << 31));
  }
};

class MergeSort : public App {
 public:
  explicit MergeSort(const MergeSortParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::size_t count = std::size_t{params_.stretches} * kStretch;
    std::vector<std::uint32_t> keys(count), values(count);
    Inputs numbers(context.seed, 1);
    for (std::uint32_t& k : keys) k = numbers.below(params_.distinct);
    std::iota(values.begin(), values.end(), 0u);
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "merge_sort.ptx"), "merge_sort");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> in_keys(device, keys, s), in_values(device, values, s),
        out_keys(device, count), out_values(device, count);
    device.launch(kernel, rt::Dim3(params_.stretches), rt::Dim3(kStretch / 2),
                  rt::Args::of(out_keys.pointer(), out_values.pointer(), in_keys.pointer(),
                               in_values.pointer(), kStretch),
                  s);
    const std::vector<std::uint32_t> got_keys = out_keys.read(s), got_values = out_values.read(s);
    // The sort keeps the order of equal keys.
    for (std::size_t first = 0; first < count; first += kStretch)
      std::stable_sort(&values[first], &values[first] + kStretch,
                       [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    std::vector<std::uint32_t> sorted;
    for (std::uint32_t place : values) sorted.push_back(keys[place]);
    const AppResult result = compare("keys", got_keys, sorted);
    return result.verified ? compare("values", got_values, values) : result;
  }

 private:
  MergeSortParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, MergeSort, MergeSortParams, "merge_sort",
                                   "Sorts stretches of 1024 keys with values by merging in shared memory.");

}  // namespace
}  // namespace warpvp::apps
