#pragma once
// `bandwidth_controller.type: ccbp`: coordinated CTA combination and bandwidth partitioning (TACO 2019,
// section 5). For each mix of kernels it goes through these phases, and then rests until a kernel joins or
// leaves:
//
//   even CTAs -> warm up -> rf and df -> even bandwidth: types -> use by number of CTAs -> allocate ->
//   priorities

#include <string>
#include <vector>

#include "base/fields.h"
#include "modules/bandwidth/ccbp_allocation.h"
#include "modules/bandwidth/mix_controller.h"
#include "modules/bandwidth/speedup_goal.h"

namespace warpvp {

struct CcbpConfig {
  std::uint32_t units = 20;
  std::string detection = "online";
  std::uint32_t drain_cycles = 2'000'000;
  std::uint32_t warm_up_cycles = 50'000, factor_cycles = 20'000, type_cycles = 20'000;
  std::uint32_t throttle_skip_cycles = 10'000, throttle_cycles = 10'000;
  bool adjust = true;
  double prior_lsk = 1.0, prior_step = 0.1;
  std::uint32_t adjust_cycles = 100'000;
  SpeedupGoal goal;
  bool ration_sensitive = true;
  std::string combination = "drain";
  std::uint32_t absent_cycles = 200'000;

  void fields(FieldVisitor& v);
  /// Of a step of the detection that takes `cycles` online.
  Cycle detection_cycles(std::uint32_t cycles) const {
    return Cycle{cycles} * (detection == "offline" ? 10 : 1);
  }
};

class CcbpController : public MixController {
 public:
  CcbpController(sc_core::sc_module_name name, const CcbpConfig& config,
                 const BandwidthControllerPlace& place);

  void stats(StatVisitor& v) const override;
  enum class Phase : std::uint32_t { kAlone, kWarmUp, kFactors, kTypes, kThrottling, kAdjusting, kSettled };

 private:
  /// What was found out about a kernel, and what it has.
  struct Known {
    bool detected = false;
    BandwidthType type = BandwidthType::kLatencySensitive;
    RequestFactors factors;
    double demand = 0, even_rate = 0;   ///< requests of an SM in an interval
    double reference_ipc = 0;           ///< alone, or as measured with even shares
    std::vector<double> network, dram;  ///< nbw and dbw, units by number of CTAs
    CcbpShare share;
    std::uint32_t quota = KernelTerms::kNoQuota;
  };
  struct Rates {
    RequestFactors factors;
    double rate = 0, demand = 0;  ///< requests of an SM in an interval
    double ipc = 0;               ///< warp instructions of the device in a cycle
  };

  void control() override;
  bool detect(const std::vector<MixKernel*>& kernels);
  bool detect_use(const std::vector<MixKernel*>& kernels, MixKernel& kernel);
  bool adjust_priority(const std::vector<MixKernel*>& kernels);
  std::vector<CcbpShare> allocate(const std::vector<MixKernel*>& kernels, double prior_lsk);
  void apply(const std::vector<MixKernel*>& kernels, const std::vector<CcbpShare>& shares);
  std::vector<std::uint32_t> quotas(const std::vector<MixKernel*>& kernels,
                                    const std::vector<CcbpShare>& shares) const;
  /// Measures all of `kernels` over so many cycles. False: the mix has changed meanwhile.
  bool measure(const std::vector<MixKernel*>& kernels, Cycle cycles, std::vector<Rates>& rates);
  double performance(const std::vector<MixKernel*>& kernels, const std::vector<Rates>& rates) const;
  unsigned even_ctas(const MixKernel& kernel, std::size_t kernels) const;
  Known& known(const MixKernel& kernel);
  void enter(Phase phase) { phase_ = phase; }
  void declare_registers();

  const CcbpConfig config_;
  const BandwidthModel model_;
  std::vector<Known> known_;  // by number of the kernel
  Phase phase_ = Phase::kAlone;
  double prior_lsk_ = 1;
  double best_performance_ = 0;
  std::uint64_t detections_ = 0, allocations_ = 0, windows_ = 0;
  Cycle settled_at_ = 0;
};

}  // namespace warpvp
