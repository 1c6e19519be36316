#pragma once
// What controllers of kernels that run together have in common: the notices of the work distributor, the mix
// of kernels, and the means to hold, limit, ration and measure each of them. A type derives from it and says
// in control() what is to be done with a mix.

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "base/outlook.h"
#include "base/sm_part.h"
#include "interconnect/register_map.h"
#include "modules/bandwidth/bandwidth_controller.h"
#include "modules/bandwidth/bus_master.h"
#include "modules/bandwidth/kernel_mix.h"

namespace warpvp {

/// What to say where SMs' miss queues give no credits.
inline constexpr const char kNeedsCredits[] =
    "needs SMs whose miss queue gives credits; set sm.memory.l1.miss_queue: ccbp";

/// Groups of statistics of kernels, in the order in which they first came.
inline constexpr const char* kKernelKeys[regmap::bandwidth::kMaxKernels] = {
    "kernel_1", "kernel_2", "kernel_3", "kernel_4", "kernel_5", "kernel_6", "kernel_7", "kernel_8"};

/// What a kernel is given.
struct KernelTerms {
  static constexpr std::uint32_t kNoQuota = regmap::sm::miss_queue::kNoQuota;
  std::uint32_t ctas = regmap::sm::kNoCtaLimit;  ///< on each SM
  std::vector<std::uint32_t> ctas_of_sm = {};    ///< instead, for each SM; empty: on all of them alike
  std::uint32_t quota = kNoQuota;                ///< requests of each SM in an interval
  bool latency_sensitive = false;
  bool drains = false;  ///< CTAs above the limit run to their ends instead of waiting

  /// Leaves the kernel its CTAs on one part of the device, and none on its other SMs.
  void keep_to(const SmPart& part, unsigned sms) {
    ctas_of_sm.assign(sms, 0);
    std::fill(ctas_of_sm.begin() + part.begin, ctas_of_sm.begin() + part.end, ctas);
  }
};

class MixController : public BandwidthController, public Foreseeing {
 public:
  struct Options {
    bool rations = true;  ///< SMs have miss queue "ccbp": quotas can be set and traffic measured
    Cycle absent_cycles =
        200'000;  ///< a kernel that has not been launched again for so long has left the mix
  };
  MixController(sc_core::sc_module_name name, const BandwidthControllerPlace& place, const Options& options);

  tlm::tlm_target_socket<>& registers_socket() override { return registers_; }
  tlm::tlm_initiator_socket<>& bus_socket() override { return bus_.socket; }
  const RegisterBlock& register_block() const override { return block_; }
  Outlook outlook() const override { return rests_ && notices_.empty() ? Outlook::kRests : Outlook::kActs; }

 protected:
  /// Decides for the kernels of mix(). Called in a thread whenever a kernel has joined or left, and ends when
  /// there is nothing more to do, or as soon as wait_cycles() or a measurement says that the mix has changed.
  virtual void control() = 0;

  /// What a kernel that joins has from its first CTA on, until control() gives it something else.
  virtual KernelTerms first_terms(const MixKernel&) const { return {}; }

  KernelMix& mix() { return mix_; }
  const KernelMix& mix() const { return mix_; }
  const BandwidthControllerPlace& place() const { return place_; }
  RegisterBlock& block() { return block_; }
  Cycle now() const { return place_.clock.now(); }

  /// Puts terms in force for a kernel, now and for all its later launches.
  void give(MixKernel& kernel, const KernelTerms& terms);
  const KernelTerms& terms_of(const MixKernel& kernel) const { return terms_[kernel.number]; }
  /// Waits. False: the mix has changed meanwhile.
  [[nodiscard]] bool wait_cycles(Cycle cycles);
  enum class Drained : std::uint8_t { kYes, kNotInTime, kMixChanged };
  /// Waits until no kernel has more CTAs on all SMs than `most` says, by its place in `kernels`, for at most
  /// `longest` cycles.
  [[nodiscard]] Drained wait_until_drained(const std::vector<MixKernel*>& kernels,
                                           const std::function<std::uint64_t(std::size_t)>& most,
                                           Cycle longest);
  /// Counts up to now.
  const KernelCounts& look(MixKernel& kernel);
  /// CTAs of it on all SMs.
  std::uint64_t resident_ctas(const MixKernel& kernel);
  /// The configuration asks for what cannot be done: ends the run.
  void fail(const std::string& what);

 private:
  void run();
  void take_notices();
  void started(const regmap::wd::KernelNotice& notice);
  void ended(const regmap::wd::KernelNotice& notice);
  void set_terms(unsigned slot, const KernelTerms& terms);
  void begin_counting(MixKernel& kernel);
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  sc_core::sc_time cycles(Cycle n) const { return static_cast<double>(n) * place_.clock.period(); }

  const BandwidthControllerPlace place_;
  const Options options_;
  RegisterBlock block_;
  tlm_utils::simple_target_socket<MixController> registers_;
  BusMaster bus_;
  KernelMix mix_;
  std::vector<KernelTerms> terms_;  // by number of the kernel
  std::vector<regmap::wd::KernelNotice> notices_;
  sc_core::sc_event noticed_;
  bool changed_ = false;  // the mix, since control() began
  bool rests_ = false;    // until the next notice
};

}  // namespace warpvp
