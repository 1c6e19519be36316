// Ranges of keys in a B+ tree.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct BtreeParams {
  std::uint32_t records = 5000, order = 256, ranges = 6, length = 30;
  std::string starts = "seed";

  void fields(FieldVisitor& v) {
    v.field("records", records, "records",
            "Records in the tree, inserted one by one in the order of their keys.",
            Constraint::range(2, 1u << 24));
    v.field("order", order, "children", "Most children of a node; a node that would get more is halved.",
            Constraint::range(3, reference::BtreeNode::kOrder));
    v.field("ranges", ranges, "ranges", "Ranges looked up, one a CTA.", Constraint::range(1, 65535));
    v.field("length", length, "records", "Distance from the first to the last record of a range.",
            Constraint::range(0, 1u << 23));
    v.field("starts", starts,
            "Where ranges start: drawn by the workload's seed, or by rand() of the GNU C library without a "
            "seed, as in "
            "the original.",
            Constraint::words({"seed", "rand"}));
    v.require(length < records, "length", "must be less than records");
  }
};

/// First keys of the ranges.
std::vector<std::int32_t> first_keys(const BtreeParams& params, std::uint64_t seed) {
  std::vector<std::int32_t> out(params.ranges);
  if (params.starts == "seed") {
    Inputs numbers(seed, 1);
    for (std::int32_t& first : out)
      first = static_cast<std::int32_t>(numbers.below(params.records - params.length));
    return out;
  }
  // In single precision, which rounds, as in the original; a range that would not end is moved before the
  // end.
  const std::vector<std::int32_t> words = gnu_rand(params.ranges);
  const auto records = static_cast<std::int32_t>(params.records),
             length = static_cast<std::int32_t>(params.length);
  for (std::uint32_t i = 0; i < params.ranges; ++i) {
    const float unit = static_cast<float>(words[i]) / static_cast<float>(0x7fffffff);
    const auto first = static_cast<std::int32_t>(unit * static_cast<float>(records));
    out[i] = std::min(first, records - length);
  }
  return out;
}

class Btree : public App {
 public:
  explicit Btree(const BtreeParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::uint32_t height = 0;
    const std::vector<reference::BtreeNode> nodes = reference::btree(params_.records, params_.order, height);
    const std::uint32_t n = params_.ranges;
    const std::vector<std::int32_t> start = first_keys(params_, context.seed);
    std::vector<std::int32_t> end(n), lengths(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      end[i] = static_cast<std::int32_t>(
          std::min(static_cast<std::uint32_t>(start[i]) + params_.length, params_.records - 1));
      lengths[i] = end[i] - start[i] + 1;
    }
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "btree.ptx"), "btree_ranges");
    const rt::Stream s = device.create_stream();
    DeviceArray<reference::BtreeNode> device_nodes(device, nodes, s);
    DeviceArray<std::int32_t> device_start(device, start, s), device_end(device, end, s), record(device, n),
        records(device, n);
    DeviceArray<std::int64_t> current(device, n), next(device, n), last(device, n), next_last(device, n);
    for (DeviceArray<std::int64_t>* array : {&current, &next, &last, &next_last}) array->fill_zero(s);
    for (DeviceArray<std::int32_t>* array : {&record, &records}) array->fill_zero(s);
    device.launch(
        kernel, rt::Dim3(n), rt::Dim3(reference::BtreeNode::kOrder),
        rt::Args::of(std::int64_t{height}, device_nodes.pointer(), std::int64_t(nodes.size()),
                     current.pointer(), next.pointer(), last.pointer(), next_last.pointer(),
                     device_start.pointer(), device_end.pointer(), record.pointer(), records.pointer()),
        s);
    const AppResult result = compare("record", record.read(s), start);  // record i has the key i
    return result.verified ? compare("records", records.read(s), lengths) : result;
  }

 private:
  BtreeParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Btree, BtreeParams, "btree",
                                   "Ranges of keys in a B+ tree of order 256, as Rodinia's b+tree.");

}  // namespace
}  // namespace warpvp::apps
