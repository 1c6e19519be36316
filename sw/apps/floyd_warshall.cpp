// Shortest paths between all pairs of vertices.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference_darsie.h"

namespace warpvp::apps {
namespace {

constexpr std::uint32_t kFloydTile = 16;  // of the kernels

struct FloydWarshallParams {
  std::uint32_t vertices = 64, degree = 4;
  std::string kernel = "vertex";

  void fields(FieldVisitor& v) {
    v.field("vertices", vertices, "vertices", "Vertices of the graph, a multiple of 16.",
            Constraint::range(16, 4096));
    v.field("degree", degree, "edges", "Edges from each vertex, to random ones.", Constraint::range(0, 4096));
    v.field(
        "kernel", kernel,
        "vertex: a launch for each vertex that paths may go through; tiles: the blocked form, three launches "
        "for 16 vertices.",
        Constraint::words({"vertex", "tiles"}));
    v.require(vertices % kFloydTile == 0, "vertices", "must be a multiple of 16");
  }
};

class FloydWarshall : public App {
 public:
  explicit FloydWarshall(const FloydWarshallParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    const std::uint32_t size = params_.vertices;
    std::vector<std::int32_t> edge(std::size_t{size} * size, reference::kNoPath);
    Inputs numbers(context.seed, 1);
    for (std::uint32_t from = 0; from < size; ++from) {
      for (std::uint32_t i = 0; i < params_.degree; ++i) {
        const std::uint32_t to = numbers.below(size);
        edge[std::size_t{from} * size + to] = 1 + static_cast<std::int32_t>(numbers.below(1000));
      }
      edge[std::size_t{from} * size + from] = 0;
    }
    const rt::ModuleHandle module = device.load_module(context.kernel_folder + "floyd_warshall.ptx");
    const rt::Stream s = device.create_stream();
    DeviceArray<std::int32_t> distance(device, edge, s);
    if (params_.kernel == "vertex") {
      through_vertices(device, module, distance.pointer(), s);
    } else {
      through_tiles(device, module, distance.pointer(), s);
    }
    return compare("distance", distance.read(s), reference::shortest_paths(edge, size));
  }

 private:
  void through_vertices(rt::Runtime& device, rt::ModuleHandle module, rt::DevicePtr distance, rt::Stream s) {
    const rt::Kernel kernel = device.kernel(module, "floyd_warshall");
    const std::uint32_t size = params_.vertices, tiles = size / kFloydTile;
    for (std::uint32_t k = 0; k < size; ++k)
      device.launch(kernel, rt::Dim3(tiles, tiles), rt::Dim3(kFloydTile, kFloydTile),
                    rt::Args::of(distance, size, k), s);
  }

  void through_tiles(rt::Runtime& device, rt::ModuleHandle module, rt::DevicePtr distance, rt::Stream s) {
    const std::uint32_t size = params_.vertices, others = size / kFloydTile - 1;
    const rt::Kernel diagonal = device.kernel(module, "floyd_warshall_diagonal"),
                     strips = device.kernel(module, "floyd_warshall_strips"),
                     rest = device.kernel(module, "floyd_warshall_rest");
    for (std::uint32_t round = 0; round <= others; ++round) {
      const rt::Dim3 block(kFloydTile, kFloydTile);
      const rt::Args args = rt::Args::of(distance, size, round);
      device.launch(diagonal, rt::Dim3(1), block, args, s);
      if (others == 0) continue;
      device.launch(strips, rt::Dim3(others, 2), block, args, s);
      device.launch(rest, rt::Dim3(others, others), block, args, s);
    }
  }

  FloydWarshallParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(
    App, FloydWarshall, FloydWarshallParams, "floyd_warshall",
    "Shortest paths between all pairs of vertices: many short launches, or tiles in shared memory.");

}  // namespace
}  // namespace warpvp::apps
