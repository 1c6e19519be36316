// `sm.type: profile`, and what its SMs have in common: the configuration and the memory bandwidth.
#include <fmt/format.h>

#include "modules/sm_profile/profile_sm.h"

namespace warpvp {
namespace {

class ProfileSmType : public SmType {
 public:
  explicit ProfileSmType(const ProfileSmConfig& config)
      : config_(std::make_shared<const ProfileSmConfig>(config)) {}

  void check(const SmResources& resources, const RequireField&) const override {
    for (const auto& [name, profile] : config_->profiles.by_name) {
      const CtaNeeds needs =
          cta_needs(resources, profile.threads, profile.registers, profile.shared_bytes, 0);
      if (needs.most_ctas == 0)
        throw InputError(fmt::format(
            "{}: a CTA of '{}' never fits on an SM, for lack of {}: it has {} threads of {} "
            "registers and {} bytes of shared memory; sm.resources says what is allowed",
            profile.place, name, needs.limited_by, profile.threads, profile.registers, profile.shared_bytes));
    }
  }
  void visit_memory_stats(StatVisitor& v) const override { SmMemoryCounters().stats(v); }

  std::unique_ptr<Sm> build(const char* name, const SmPlace& place) const override {
    if (!pool_) {
      check_times(place.clock.mhz());
      const double bytes_per_second = config_->memory_gb_s > 0
                                          ? config_->memory_gb_s * 1e9
                                          : place.services.memory_bytes_per_second * config_->memory_share;
      const double bytes_per_cycle = bytes_per_second / (place.clock.mhz() * 1e6);
      pool_ = std::make_shared<MemoryPool>(place.clock, bytes_per_cycle > 0 ? bytes_per_cycle : kNoLevel,
                                           config_->interval_cycles);
      state_bytes_per_cycle_ = bytes_per_cycle > 0 ? bytes_per_cycle / place.services.sm_count : kNoLevel;
    }
    return std::make_unique<ProfileSm>(name, place, config_, pool_, state_bytes_per_cycle_);
  }

 private:
  /// What only the clock tells.
  void check_times(double mhz) const {
    constexpr double kMostBytes = 1 << 20;
    for (const auto& [name, profile] : config_->profiles.by_name) {
      const double cycles = profile.cycles(mhz);
      if (cycles < 1)
        throw InputError(fmt::format("{}: a CTA of '{}' takes {} cycles at {} MHz; allowed: at least one",
                                     profile.place, name, cycles, mhz));
      if (profile.memory_bytes / cycles > kMostBytes)
        throw InputError(fmt::format("{}: a CTA of '{}' asks for {} bytes a cycle; allowed: at most {}",
                                     profile.place, name, profile.memory_bytes / cycles, kMostBytes));
    }
  }

  std::shared_ptr<const ProfileSmConfig> config_;
  mutable std::shared_ptr<MemoryPool> pool_;  // made with the first SM
  mutable double state_bytes_per_cycle_ = 0;  // likewise
};

WARPVP_REGISTER_BLOCK(
    SmType, ProfileSmType, ProfileSmConfig, "profile",
    "Replays kernels as CTAs that take the time of a profile, longer where they compete for issue "
    "slots and memory bandwidth; computes nothing.");

}  // namespace
}  // namespace warpvp
