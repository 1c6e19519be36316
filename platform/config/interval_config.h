#pragma once
// `output.intervals` of a run file: which counters are written every so many cycles.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

/// Names of counters: `default`, a name, or a list of names. A name is a key of result.json, its components
/// separated by dots; `*` in a component stands for any text without a dot. `sms[3].issued` is
/// `sms.3.issued`.
struct CounterList : CustomValue {
  struct Name {
    std::string text;   ///< with dots instead of brackets
    std::string place;  ///< "file:line:column"; empty for a default
  };
  std::vector<Name> names = {{kDefault, ""}};
  static constexpr const char* kDefault = "default";

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;
};

/// What `default` stands for: enough for the charts of a report.
const std::vector<std::string>& default_interval_counters();

struct IntervalConfig {
  std::uint64_t cycles = 0;  ///< of the SM clock; 0: no interval statistics
  CounterList counters;
  void fields(ConfigVisitor& v);
};

/// The file in the run's folder.
inline constexpr const char kIntervalFile[] = "intervals.csv";

}  // namespace warpvp
