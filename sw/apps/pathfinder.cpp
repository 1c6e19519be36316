// Cheapest paths down a grid, `height` rows a launch ("pf" of QAWS Table I).

#include <algorithm>

#include "sw/apps/reference.h"
#include "sw/apps/workload.h"

namespace warpvp::apps {
namespace {

struct PathfinderParams : LaunchForm {
  std::uint32_t columns = 69120;
  std::uint32_t rows = 21;
  std::uint32_t height = 20;
  std::uint32_t block = 256;

  void fields(FieldVisitor& v) {
    v.field("columns", columns, "columns", "Width of the grid.", Constraint::range(1, 1u << 24));
    v.field("rows", rows, "rows", "Rows of the grid, the first being the start.",
            Constraint::range(2, 1u << 16));
    v.field("height", height, "rows", "Rows computed by one launch.", Constraint::range(1, 127));
    v.field("block", block, "threads", "Threads a CTA: 256, or 1024.", Constraint::range(256, 1024));
    v.require(block == 256 || block == 1024, "block", "must be 256 or 1024");
    LaunchForm::fields(v);
  }
};

class Pathfinder : public Workload {
 public:
  explicit Pathfinder(const PathfinderParams& params) : Workload(params), params_(params) {}

  void scale(double factor) override {
    params_.columns = static_cast<std::uint32_t>(std::clamp(params_.columns * factor, 1.0, 0x1p24));
  }

  void prepare(rt::Runtime& device, const AppContext& context, std::uint64_t seed_offset,
               rt::Stream s) override {
    Inputs inputs(context.seed + seed_offset, 1);
    wall_.resize(static_cast<std::size_t>(params_.rows) * params_.columns);
    for (std::int32_t& cost : wall_) cost = static_cast<std::int32_t>(inputs.below(10));
    result_.assign(params_.columns, 0);
    const char* const file = params_.block == 256 ? "pathfinder.ptx" : "pathfinder_1024.ptx";
    forms_ = load_forms(device, device.load_module(context.kernel_folder + file), "pathfinder",
                        rt::Dim3(params_.block));
    device_wall_ = upload(device, wall_, s);
    for (rt::DevicePtr& p : device_row_) p = allocate(device, result_.size() * sizeof result_[0]);
  }

  void launch(rt::Runtime& device, rt::Stream s, const rt::LaunchOptions& options) override {
    // The first launch reads row 0 of the wall itself; later ones the row the last one left.
    rt::DevicePtr source = device_wall_;
    unsigned target = 0;
    for (std::uint32_t row = 1; row < params_.rows; row += params_.height) {
      const std::uint32_t steps = std::min(params_.height, params_.rows - row);
      launch_forms(device, forms_, rt::Dim3(ctas_for(params_.columns, params_.block - 2 * steps)),
                   rt::Args::of(device_wall_, source, device_row_[target], params_.columns, row, steps), s,
                   options);
      source = device_row_[target];
      target ^= 1;
    }
    device_result_ = source;
  }

  void collect(rt::Runtime& device, rt::Stream s) override { download(device, result_, device_result_, s); }

  AppResult verify() const override {
    return compare("cost", result_, reference::pathfinder(wall_, params_.rows, params_.columns));
  }

  unsigned warps_per_cta() const override { return forms_.warps(); }
  unsigned occupancy(rt::Runtime& device) const override { return occupancy_of(device, forms_); }

 private:
  PathfinderParams params_;
  std::vector<std::int32_t> wall_, result_;
  Forms forms_;
  rt::DevicePtr device_wall_ = 0, device_row_[2] = {0, 0}, device_result_ = 0;
};

WARPVP_REGISTER_WORKLOAD(
    Pathfinder, PathfinderParams, "pathfinder", "pf",
    "Dynamic programming over the rows of a grid, in shared memory with a shrinking halo.");

}  // namespace
}  // namespace warpvp::apps
