// DCT of table 5.3: each task is the discrete cosine transform of an image, tile by tile.

#include <algorithm>
#include <cmath>

#include "sw/apps/reference_chip.h"
#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct DctParams {
  std::uint32_t side = 128;

  void fields(FieldVisitor& v) {
    v.field("side", side, "pixels", "Width and height of an image (table 5.4: 128), a multiple of 8.",
            Constraint::range(8, 4096));
    v.require(side % 8 == 0, "side", "must be a multiple of 8");
  }
};

class DctTasks : public IndependentTasks<float> {
 public:
  explicit DctTasks(const DctParams& params, bool shared = false) : params_(params), shared_(shared) {}

  std::string module() const override { return "pagoda/dct.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) {
      side_.push_back(plan.size_of(i, params_.side, 8));
      parts_.add(std::size_t{side_.back()} * side_.back());
    }
    in_.host = apps::Inputs(plan.seed, 1).reals(parts_.total(), -128.0f, 128.0f);
    const std::vector<float> cosines = apps::reference::dct_cosines();  // by place, then frequency
    cosines_.host.resize(64);
    for (unsigned k = 0; k < 64; ++k) cosines_.host[k] = cosines[k % 8 * 8 + k / 8];
    rows_.host.resize(shared_ ? 1 : parts_.total());
    make_arrays({&in_, &cosines_, &rows_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    const std::size_t first = parts_.first(i);
    DctArguments a;
    a.in = in_.at(first);
    a.cosines = cosines_.at(0);
    a.rows = rows_.at(shared_ ? 0 : first);
    a.out = out_.at(first);
    a.width = a.height = side_[i];
    TaskSpec spec = spec_of(i, shared_ ? "dct_shared" : "dct", a, {in_.copy(first, parts_.count(i))});
    spec.sync = true;
    if (shared_) spec.shared_bytes = 256 + std::max(spec.threads / 64, 1u) * 512;
    return spec;
  }

  void compute(std::uint32_t i) override {
    const std::uint32_t side = side_[i];
    const std::vector<float>& c = cosines_.host;
    for (std::uint32_t y = 0; y < side; y += 8) {
      for (std::uint32_t x = 0; x < side; x += 8) {
        const std::size_t tile = parts_.first(i) + std::size_t{y} * side + x;
        float rows[8][8];
        for (unsigned r = 0; r < 8; ++r) {
          for (unsigned v = 0; v < 8; ++v) {
            float sum = 0;
            for (unsigned j = 0; j < 8; ++j) sum = std::fma(in_.host[tile + r * side + j], c[v * 8 + j], sum);
            rows[r][v] = sum;
          }
        }
        for (unsigned u = 0; u < 8; ++u) {
          for (unsigned v = 0; v < 8; ++v) {
            float sum = 0;
            for (unsigned j = 0; j < 8; ++j) sum = std::fma(c[u * 8 + j], rows[j][v], sum);
            expected_[tile + u * side + v] = sum;
          }
        }
      }
    }
  }

 private:
  const DctParams params_;
  const bool shared_;
  std::vector<std::uint32_t> side_;
  TaskArray<float> in_, cosines_{Filled::kWhenPlaced}, rows_;
};

class DctSharedTasks : public DctTasks {
 public:
  explicit DctSharedTasks(const DctParams& params) : DctTasks(params, true) {}
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, DctTasks, DctParams, "dct",
                                   "DCT: cosine transforms of images; threads wait for each other.");
WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, DctSharedTasks, DctParams, "dct_shared",
                                   "DCT with the tiles in shared memory.");

}  // namespace
}  // namespace warpvp::pagoda
