#pragma once
// What the CPU's work in application traces takes (docs/processes.md): a trace counts it, `cpu:
// {written_byte: 4096}`, and a file in configs/rates says what a unit takes, with the range in which nothing
// contradicts that.

#include <map>
#include <string>
#include <vector>

#include "base/fields.h"
#include "platform/config/config_visitor.h"
#include "sw/apps/application_trace.h"

namespace warpvp {

struct CpuRate {
  double ns = 0;             ///< of a unit
  double low = 0, high = 0;  ///< nothing contradicts a value from low to high
  std::string unit, source;
  void fields(FieldVisitor& v);
};

struct CpuRates {
  PathValue file;
  std::map<std::string, CpuRate> by_name;
};

/// The file that `rates: PATH` names, read. InputError for whatever is wrong with it.
CpuRates read_cpu_rates(const Setting& path);

/// `workload.cpu_rates`: which value of the rates counts. A word for all, or a mapping of rates, `all` among
/// them, to words or numbers.
struct CpuRateChoice : CustomValue {
  struct Entry {
    std::string rate, value, place;
  };
  std::vector<Entry> entries;  ///< empty: all as stated

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override {
    return "stated, low or high, or a mapping of rates (`all`: those not named) to one of these or to ns";
  }
  bool stated() const { return entries.empty(); }
  /// "all=low,context=0": the same choice, the same text.
  std::string text() const;
  double ns_of(const std::string& name, const CpuRate& rate) const;
};

/// The times of the phases whose work is counted, as `choice` has it.
void set_cpu_phases(std::vector<apps::TraceStep>& steps, const CpuRates& rates, const CpuRateChoice& choice);

}  // namespace warpvp
