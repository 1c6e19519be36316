// Breadth-first search, a launch a level; the host reads a flag back after each.

#include <algorithm>

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct BfsParams {
  std::uint32_t vertices = 4096, degree = 4, levels = 0, block = 128;
  bool marks = false;
  std::string kernel = "all";

  void fields(FieldVisitor& v) {
    v.field("vertices", vertices, "vertices", "Size of the random graph.", Constraint::range(1, 1u << 22));
    v.field("degree", degree, "edges", "Vertices have 0 to twice this many edges.",
            Constraint::range(1, 1024));
    v.field("levels", levels, "levels", "Levels searched at most; 0: all.", Constraint::range(0, 1u << 22));
    v.field("marks", marks, "Marks of a byte and two launches a level, as Rodinia's bfs.");
    v.field(
        "kernel", kernel,
        "all; or expand, with `marks` and `levels`: only the expansion of the last of the levels, whose "
        "marks "
        "the host has computed and which stay as they are, so that a repeated launch does the same again.",
        Constraint::words({"all", "expand"}));
    v.require(kernel == "all" || (marks && levels > 0), "kernel", "expand is with `marks` and `levels`");
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

    std::vector<std::int32_t> expected = reference::bfs_levels(first, neighbour);
    for (std::int32_t& l : expected) {
      if (params_.levels != 0 && l > static_cast<std::int32_t>(params_.levels)) l = -1;
    }
    const rt::ModuleHandle module =
        device.load_module(context.kernel_folder + (params_.marks ? "bfs_marks.ptx" : "bfs.ptx"));
    const rt::Kernel kernel = device.kernel(module, params_.marks ? "bfs_expand" : "bfs_level");
    const rt::Stream s = device.create_stream();
    if (params_.kernel == "expand") {
      for (std::size_t v = 0; v < level.size(); ++v)
        if (expected[v] < static_cast<std::int32_t>(params_.levels)) level[v] = expected[v];
    }
    if (params_.marks)
      return compare("level", with_marks(device, module, s, first, neighbour, level), expected);
    DeviceArray<std::uint32_t> device_first(device, first, s), device_neighbour(device, neighbour, s);
    DeviceArray<std::int32_t> device_level(device, level, s), more(device, 1);
    for (std::int32_t depth = 0;; ++depth) {
      more.fill_zero(s);
      device.launch(kernel, rt::Dim3((params_.vertices + params_.block - 1) / params_.block),
                    rt::Dim3(params_.block),
                    rt::Args::of(device_first.pointer(), device_neighbour.pointer(), device_level.pointer(),
                                 depth, params_.vertices, more.pointer()),
                    s);
      if (more.read(s)[0] == 0 || last(depth)) break;
    }
    return compare("level", device_level.read(s), expected);
  }

 private:
  bool last(std::int32_t depth) const { return static_cast<std::uint32_t>(depth) + 1 == params_.levels; }

  std::vector<std::int32_t> with_marks(rt::Runtime& device, rt::ModuleHandle module, rt::Stream s,
                                       const std::vector<std::uint32_t>& first,
                                       const std::vector<std::uint32_t>& neighbour,
                                       const std::vector<std::int32_t>& level) {
    std::vector<std::uint32_t> vertex;  // first edge and number of edges of each
    for (std::size_t v = 0; v + 1 < first.size(); ++v)
      vertex.insert(vertex.end(), {first[v], first[v + 1] - first[v]});
    const bool again = params_.kernel == "expand";
    const std::int32_t front = *std::max_element(level.begin(), level.end());
    std::vector<std::uint8_t> start(params_.vertices, 0), reached(params_.vertices, 0);
    for (std::size_t v = 0; v < level.size(); ++v) {
      start[v] = level[v] == front;
      reached[v] = level[v] >= 0;
    }
    // The graph comes last: as the larger part, it is what copies leave in the L2.
    DeviceArray<std::uint8_t> now(device, start, s), seen(device, reached, s), found(device, start.size());
    found.fill_zero(s);
    DeviceArray<std::int32_t> device_level(device, level, s), more(device, 1);
    DeviceArray<std::uint32_t> device_vertex(device, vertex, s), device_neighbour(device, neighbour, s);
    const rt::Kernel expand = device.kernel(module, again ? "bfs_expand_again" : "bfs_expand"),
                     advance = device.kernel(module, "bfs_advance");
    const rt::Dim3 grid((params_.vertices + params_.block - 1) / params_.block), block(params_.block);
    for (std::int32_t depth = 0;; ++depth) {
      more.fill_zero(s);
      device.launch(expand, grid, block,
                    rt::Args::of(device_vertex.pointer(), device_neighbour.pointer(), now.pointer(),
                                 found.pointer(), seen.pointer(), device_level.pointer(), params_.vertices),
                    s);
      if (again) return device_level.read(s);
      device.launch(
          advance, grid, block,
          rt::Args::of(now.pointer(), found.pointer(), seen.pointer(), more.pointer(), params_.vertices), s);
      if (more.read(s)[0] == 0 || last(depth)) return device_level.read(s);
    }
  }

  BfsParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Bfs, BfsParams, "bfs",
                                   "Breadth-first search of a random graph, a launch a level; divergent.");

}  // namespace
}  // namespace warpvp::apps
