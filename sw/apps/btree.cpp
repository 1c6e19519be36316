// Ranges of keys in a B+ tree.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_chip.h"

namespace warpvp::apps {
namespace {

struct BtreeParams {
  std::uint32_t records = 5000, fill = 177, ranges = 6, length = 30;

  void fields(FieldVisitor& v) {
    v.field("records", records, "records", "Records in the tree.", Constraint::range(2, 1u << 24));
    v.field("fill", fill, "keys", "Keys a node, of at most 256; random insertion leaves 69 % (177).",
            Constraint::range(2, 256));
    v.field("ranges", ranges, "ranges", "Ranges looked up, one a CTA.", Constraint::range(1, 65535));
    v.field("length", length, "records", "Distance from the first to the last record of a range.",
            Constraint::range(0, 1u << 23));
    v.require(length < records, "length", "must be less than records");
  }
};

class Btree : public App {
 public:
  explicit Btree(const BtreeParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    std::uint32_t height = 0;
    const std::vector<reference::BtreeNode> nodes = reference::btree(params_.records, params_.fill, height);
    const std::uint32_t n = params_.ranges;
    std::vector<std::int32_t> first(n), start(n), end(n);
    Inputs numbers(context.seed, 1);
    for (std::uint32_t i = 0; i < n; ++i) {
      first[i] = static_cast<std::int32_t>(numbers.below(params_.records - params_.length));
      start[i] = 2 * first[i];
      end[i] = 2 * (first[i] + static_cast<std::int32_t>(params_.length));
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
    const AppResult result = compare("record", record.read(s), first);
    return result.verified
               ? compare("records", records.read(s),
                         std::vector<std::int32_t>(n, static_cast<std::int32_t>(params_.length) + 1))
               : result;
  }

 private:
  BtreeParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Btree, BtreeParams, "btree",
                                   "Ranges of keys in a B+ tree of order 256, as Rodinia's b+tree.");

}  // namespace
}  // namespace warpvp::apps
