// Sorted lists of numbers merged two by two.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"

namespace warpvp::apps {
namespace {

struct MergeListsParams {
  std::uint32_t fours = 3000, length = 1, passes = 2, block = 256;

  void fields(FieldVisitor& v) {
    v.field("fours", fours, "fours", "Numbers to sort, in fours.", Constraint::range(1, 1u << 22));
    v.field("length", length, "fours", "Length of the sorted lists that are there at the beginning.",
            Constraint::range(1, 1u << 16));
    v.field("passes", passes, "launches", "Passes, each of which merges two lists into one.",
            Constraint::range(1, 6));
    v.field("block", block, "threads", "Threads of a CTA, each for two lists.", Constraint::range(1, 1024));
  }
};

class MergeLists : public App {
 public:
  explicit MergeLists(const MergeListsParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t fours = params_.fours;
    std::vector<float> numbers = Inputs(context.seed, 1).reals(std::size_t{fours} * 4, 0.0f, 1.0f);
    sort_parts(numbers, params_.length);

    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "merge_lists.ptx");
    const rt::Kernel kernel = device.kernel(module, "merge_lists");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> from(device, numbers, s), to(device, numbers.size());
    const DeviceArray<float>*source = &from, *target = &to;
    std::uint32_t length = params_.length;
    for (std::uint32_t pass = 0; pass < params_.passes; ++pass) {
      const std::uint32_t pairs = (fours + 2 * length - 1) / (2 * length);
      device.launch(kernel, rt::Dim3((pairs + params_.block - 1) / params_.block), rt::Dim3(params_.block),
                    rt::Args::of(source->pointer(), target->pointer(), fours, length), s);
      length *= 2;
      std::swap(source, target);
    }
    const std::vector<float> got = source->read(s);
    sort_parts(numbers, length);
    return compare("number", got, numbers);
  }

 private:
  /// Makes sorted lists of `length` fours.
  static void sort_parts(std::vector<float>& numbers, std::uint32_t length) {
    const std::size_t part = std::size_t{length} * 4;
    for (std::size_t first = 0; first < numbers.size(); first += part) {
      const std::size_t last = std::min(first + part, numbers.size());
      std::sort(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                numbers.begin() + static_cast<std::ptrdiff_t>(last));
    }
  }

  MergeListsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, MergeLists, MergeListsParams, "merge_lists",
    "Sorted lists merged two by two, a thread a pair, as the passes of Rodinia's hybridsort.");

}  // namespace
}  // namespace warpvp::apps
