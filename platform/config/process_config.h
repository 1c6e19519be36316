#pragma once
// `workload.processes` and `workload.mix`: host programs that share the device, each with a context and
// streams of its own (docs/processes.md).

#include <cstdint>
#include <string>
#include <vector>

#include "base/sm_resources.h"
#include "platform/config/application_config.h"
#include "platform/config/config_visitor.h"

namespace warpvp {

struct ProcessConfig {
  std::string name;  ///< empty: of its application or app, with a number where it stands more than once
  ApplicationRef application;  ///< one of both
  PolicyChoice app;
  std::int32_t priority = 0;
  double arrival_us = 0;
  double deadline_us = 0;  ///< of each request (sw/runtime/request_runtime.h); 0: it has none
  void fields(ConfigVisitor& v);
  /// "parboil/lbm", or the app's name.
  std::string what() const { return app.name.empty() ? application.file.written : app.name; }
};

/// Processes drawn at random.
struct MixConfig {
  std::uint32_t size = 0;  ///< 0: no mix
  std::string kind = "short_long";
  std::string by = "cta";
  std::uint32_t number = 1;
  std::string applications = "parboil";
  std::uint32_t urgent = 0;
  std::string place;
  void fields(ConfigVisitor& v);
  /// The processes, the same for the same settings and seed. Applications are short or long by `length_of`:
  /// the shorter half is short (CUsched, section IV-A, says no more than that the time decides). Within a
  /// class all are equally likely; none comes twice before all have come.
  std::vector<ProcessConfig> draw(std::uint64_t seed) const;
  /// By `by`; 0: not known.
  double length_of(const ApplicationFile& application) const;
  /// `kind`; with in_turn the seeds 1, 2, 3, ... have short_short, long_long, short_long in turn.
  std::string kind_of(std::uint64_t seed) const;
};

/// InputError for a launch of an application whose CTA does not fit an SM of that kind.
void check_applications_fit(const std::vector<ProcessConfig>& processes, const SmResources& sm);

}  // namespace warpvp
