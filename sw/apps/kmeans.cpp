// k-means clustering (SWaS paper, table I): the device assigns points to centres, the host moves the centres.

#include "sw/apps/compare.h"
#include "sw/apps/device_array.h"
#include "sw/apps/inputs.h"
#include "sw/apps/reference.h"

namespace warpvp::apps {
namespace {

struct KmeansParams {
  std::uint32_t points = 1024, features = 34, clusters = 10, distinct = 1u << 20, rounds = 1, block = 1024;
  std::string kernel = "nearest";

  void fields(FieldVisitor& v) {
    v.field("points", points, "points", "Points to cluster.", Constraint::range(1, 1u << 20));
    v.field("features", features, "", "Coordinates of a point.", Constraint::range(1, 1024));
    v.field("clusters", clusters, "", "Centres; at first the first points.", Constraint::range(1, 1024));
    v.field("distinct", distinct, "values", "Coordinates are drawn from this many values.",
            Constraint::range(1, 1u << 20));
    v.field("rounds", rounds, "", "Times that points are assigned, a launch each.",
            Constraint::range(1, 1000));
    v.field("block", block, "threads", "Threads a CTA.", Constraint::range(1, 1024));
    v.field(
        "kernel", kernel,
        "nearest: points to centres; by_feature: the transposition before it, of points stored one by one.",
        Constraint::words({"nearest", "by_feature"}));
    v.require(clusters <= points, "clusters", "must not exceed the number of points");
  }
};

class Kmeans : public App {
 public:
  explicit Kmeans(const KmeansParams& params) : params_(params) {}

  AppResult run(rt::Runtime& device, const AppContext& context) override {
    reference::PointSet set;
    set.count = params_.points;
    set.features = params_.features;
    set.coordinate.resize(static_cast<std::size_t>(params_.points) * params_.features);
    Inputs inputs(context.seed, 1);
    for (float& v : set.coordinate) v = static_cast<float>(inputs.below(params_.distinct)) * 0x1p-10f;
    if (params_.kernel == "by_feature") return transpose(device, context, set);
    const std::vector<float> first = reference::first_points(set, params_.clusters);

    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "kmeans.ptx"), "kmeans");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> coordinate(device, set.coordinate, s), device_centres(device, first.size());
    DeviceArray<std::uint32_t> device_member(device, set.count);
    std::vector<float> centres = first;
    std::vector<std::uint32_t> member;
    for (std::uint32_t round = 0; round < params_.rounds; ++round) {
      if (round > 0) reference::move_centres(set, member, centres);
      device.copy_to_device_async(device_centres.pointer(), centres.data(), centres.size() * sizeof(float),
                                  s);
      device.launch(kernel, rt::Dim3((params_.points + params_.block - 1) / params_.block),
                    rt::Dim3(params_.block),
                    rt::Args::of(coordinate.pointer(), device_centres.pointer(), device_member.pointer(),
                                 params_.points, params_.features, params_.clusters),
                    s);
      member = device_member.read(s);
    }

    std::vector<float> expected_centres = first;
    std::vector<std::uint32_t> expected = reference::nearest_centres(set, expected_centres);
    for (std::uint32_t round = 1; round < params_.rounds; ++round) {
      reference::move_centres(set, expected, expected_centres);
      expected = reference::nearest_centres(set, expected_centres);
    }
    return compare("member", member, expected);
  }

 private:
  AppResult transpose(rt::Runtime& device, const AppContext& context, const reference::PointSet& set) {
    std::vector<float> by_point(set.coordinate.size());
    for (std::size_t i = 0; i < set.count; ++i) {
      for (std::size_t f = 0; f < set.features; ++f)
        by_point[i * set.features + f] = set.coordinate[f * set.count + i];
    }
    const rt::Kernel kernel =
        device.kernel(device.load_module(context.kernel_folder + "kmeans.ptx"), "kmeans_by_feature");
    const rt::Stream s = device.create_stream();
    DeviceArray<float> device_by_point(device, by_point, s), coordinate(device, set.coordinate.size());
    device.launch(
        kernel, rt::Dim3((params_.points + params_.block - 1) / params_.block), rt::Dim3(params_.block),
        rt::Args::of(device_by_point.pointer(), coordinate.pointer(), params_.points, params_.features), s);
    return compare("coordinate", coordinate.read(s), set.coordinate);
  }

  KmeansParams params_;
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(App, Kmeans, KmeansParams, "kmeans",
                                   "k-means clustering; lanes read neighbouring points and one centre.");

}  // namespace
}  // namespace warpvp::apps
