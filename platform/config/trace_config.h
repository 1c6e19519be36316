#pragma once
// `trace` of a run file: the timeline for Perfetto.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

/// SMs by number: a list, or `all`.
struct SmSelection : CustomValue {
  bool all = false;
  std::vector<unsigned> sms;
  std::string place;  ///< "file:line:column"

  bool empty() const { return !all && sms.empty(); }
  /// The numbers, of a platform with so many SMs, in order and each once. InputError for one that it lacks.
  std::vector<unsigned> of(unsigned sm_count) const;

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

struct TraceConfig {
  bool enabled = false;
  std::string file = "trace.json";
  SmSelection warps;
  std::string ctas = "auto";
  double start_us = 0;
  double end_us = 0;  ///< 0: the end of the run
  std::uint32_t limit_mib = 256;
  void fields(ConfigVisitor& v);
};

}  // namespace warpvp
