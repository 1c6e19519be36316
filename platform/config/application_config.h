#pragma once
// Application traces as YAML (docs/processes.md): `configs/applications/**/NAME.yaml`.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config_visitor.h"
#include "platform/config/cpu_rates.h"
#include "sw/apps/application_trace.h"

namespace warpvp {

/// A trace with what its kernels' profiles say of them.
struct ApplicationFile {
  std::string path;
  std::string profiles;  ///< file of the profiles that it names; empty: none
  apps::ApplicationTrace trace;
  CpuRates rates;  ///< of the file that it names, if it names one
  /// Of a CTA, mean over all CTAs of its kernels as their profiles have it (cta_us), 0: not known.
  double mean_cta_us = 0;
  /// Of a launch, mean over all launches (launch_us), and the same by the launch's CTAs; 0: not known.
  double mean_launch_us = 0, mean_share_us = 0;
};

/// Reads a trace. InputError, "file:line:column: what; what is allowed", for whatever is wrong with it or
/// with the profiles that it names.
ApplicationFile load_application(const std::string& path);
/// The file that a name means: one in configs/applications (`lbm`, `parboil/lbm`) or a path.
std::string find_application(const std::string& name, const std::string& directory, const std::string& place);
/// Names in a folder of configs/applications, sorted; InputError if it has none.
std::vector<std::string> applications_in(const std::string& folder, const std::string& place);
/// All names, those in folders too.
std::vector<std::string> all_applications();

/// YAML that load_application() reads as the same trace.
std::string application_yaml(const apps::ApplicationTrace& trace, const std::string& comment);

/// `application: NAME`, read at once.
struct ApplicationRef : CustomValue {
  PathValue file;
  ApplicationFile application;  ///< when `file` is given

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override { return "the name of an application, or the path of its trace"; }
};

}  // namespace warpvp
