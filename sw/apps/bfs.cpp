// Breadth-first search, a launch a level; the host reads a flag back after each.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct BfsParams {
  std::uint32_t vertices = 4096, degree = 4, block = 128;

  void fields(FieldVisitor& v) {
    v.field("vertices", vertices, "vertices", "Size of the random graph.", Constraint::range(1, 1u << 22));
    v.field("degree", degree, "edges", "Vertices have 0 to twice this many edges.",
            Constraint::range(1, 1024));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
  }
};

class Bfs : public App {
 public:
  explicit Bfs(const BfsParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    Inputs inputs(context.seed, 1);
    std::vector<std::uint32_t> first{0}, neighbour;
    for (std::uint32_t v = 0; v < params_.vertices; ++v) {
      for (std::uint32_t k = inputs.below(2 * params_.degree + 1); k > 0; --k) {
        neighbour.push_back(inputs.below(params_.vertices));
      }
      first.push_back(static_cast<std::uint32_t>(neighbour.size()));
    }
    if (neighbour.empty()) neighbour.push_back(0);  // no edges: the array still needs an address
    std::vector<std::int32_t> level(params_.vertices, -1);
    level[0] = 0;

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "bfs.ptx"), "bfs_level");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::uint32_t> device_first(device, first, s), device_neighbour(device, neighbour, s);
    DeviceArray<std::int32_t> device_level(device, level, s), more(device, 1);
    for (std::int32_t depth = 0;; ++depth) {
      more.fill_zero(s);
      device.launch(kernel, rt::Dim3((params_.vertices + params_.block - 1) / params_.block),
                    rt::Dim3(params_.block),
                    rt::Args::of(device_first.pointer(), device_neighbour.pointer(), device_level.pointer(),
                                 depth, params_.vertices, more.pointer()),
                    s);
      if (more.read(s)[0] == 0) break;
    }
    return compare("level", device_level.read(s), reference::bfs_levels(first, neighbour));
  }

 private:
  BfsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Bfs, BfsParams, "bfs",
                                   "Breadth-first search of a random graph, a launch a level; divergent.");

}  // namespace
}  // namespace warpvp::apps
