// 3DES of table 5.3: each task encrypts one network packet; packets differ in size.

#include "sw/kernels/pagoda/task_arguments.h"
#include "sw/pagoda/workloads/des.h"
#include "sw/pagoda/workloads/independent_tasks.h"

namespace warpvp::pagoda {
namespace {

struct TripleDesParams {
  std::uint32_t smallest = 2048, largest = 65536;

  void fields(FieldVisitor& v) {
    v.field("smallest", smallest, "bytes", "Size of the smallest packet (table 5.4: 2 KiB).",
            Constraint::pow2(64, 1u << 24));
    v.field("largest", largest, "bytes",
            "Size of the largest packet (table 5.4: 64 KiB). Each doubling between the two is equally "
            "likely, and "
            "each size within it.",
            Constraint::pow2(64, 1u << 24));
    v.require(smallest <= largest, "largest", "must be at least 'smallest'");
  }
};

class TripleDesTasks : public IndependentTasks<std::uint64_t> {
 public:
  explicit TripleDesTasks(const TripleDesParams& params) : params_(params) {}

  std::string module() const override { return "pagoda/triple_des.ptx"; }

  void make(const TaskPlan& plan) override {
    plan_ = plan;
    apps::Inputs sizes(plan.seed, 1), inputs(plan.seed, 2);
    std::uint32_t doublings = 0;
    while (params_.smallest << doublings < params_.largest) ++doublings;
    for (std::uint32_t i = 0; i < plan.tasks; ++i) {
      std::uint32_t bytes = params_.smallest;
      if (doublings > 0) {
        bytes <<= sizes.below(doublings);
        bytes += sizes.below(bytes + 1);
      }
      parts_.add(bytes / 8);
    }
    for (std::uint64_t& key : keys_) key = std::uint64_t{inputs.word()} << 32 | inputs.word();
    tables_.host = {triple_des_tables(keys_)};
    in_.host.resize(parts_.total());
    for (std::uint64_t& block : in_.host) block = std::uint64_t{inputs.word()} << 32 | inputs.word();
    make_arrays({&tables_, &in_, &out_});
  }

  TaskSpec task(std::uint32_t i) const override {
    TripleDesArguments a;
    a.in = in_.at(parts_.first(i));
    a.tables = tables_.at(0);
    a.out = out_.at(parts_.first(i));
    a.blocks = static_cast<std::uint32_t>(parts_.count(i));
    return spec_of(i, "triple_des", a, {in_.copy(parts_.first(i), parts_.count(i))});
  }

  void compute(std::uint32_t i) override {
    for (std::size_t b = parts_.first(i); b < parts_.first(i) + parts_.count(i); ++b)
      expected_[b] = __builtin_bswap64(triple_des(tables_.host[0], __builtin_bswap64(in_.host[b])));
  }

 private:
  const TripleDesParams params_;
  std::array<std::uint64_t, 3> keys_{};
  TaskArray<TripleDesTables> tables_{Filled::kWhenPlaced};
  TaskArray<std::uint64_t> in_;  ///< packets, by blocks of eight bytes as they lie in memory
};

WARPVP_REGISTER_POLICY_WITH_PARAMS(TaskWorkload, TripleDesTasks, TripleDesParams, "triple_des",
                                   "3DES: packets of 2 to 64 KiB, encrypted.");

}  // namespace
}  // namespace warpvp::pagoda
