#include "platform/config/cpu_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "platform/config/record_file.h"
#include "platform/config/trace_reader.h"

namespace warpvp {

namespace fs = std::filesystem;

void CpuRate::fields(FieldVisitor& v) {
  const Constraint any = Constraint::range(0, 1e12);
  v.field("ns", ns, "ns", "What a unit takes.", any);
  v.field("low", low, "ns", "The least that nothing contradicts.", any);
  v.field("high", high, "ns", "The most that nothing contradicts.", any);
  v.field("unit", unit, "What is counted.");
  v.field("source", source, "Where the numbers come from.");
  v.require(low <= ns && ns <= high, "ns", "is not from 'low' to 'high'");
  v.require(!source.empty(), "source", "is missing; allowed: where the numbers come from");
}

CpuRates read_cpu_rates(const Setting& path) {
  if (!path.is_scalar()) refuse(path.place, "'rates' is " + shown(path), "the path of a file of rates");
  CpuRates out;
  out.file = {path.text, (fs::path(path.directory) / path.text).lexically_normal().string(), path.place};
  read_records(out.file, "rates", "rates", [&](const std::string& name, const std::string&, FieldVisitor& v) {
    out.by_name[name].fields(v);
  });
  return out;
}

void CpuRateChoice::load(const Setting& setting, const std::string& path) {
  entries.clear();
  const auto add = [&](const std::string& rate, const Setting& value) {
    double ns = 0;
    const bool word =
        value.is_scalar() && (value.text == "stated" || value.text == "low" || value.text == "high");
    if (!word &&
        (rate == "all" || !value.is_scalar() || !parse_double(value.text, ns) || !(ns >= 0) || ns > 1e12))
      refuse(value.place, fmt::format("'{}' is {}", rate == "all" ? path : path + "." + rate, shown(value)),
             syntax());
    entries.push_back({rate, value.text, value.place});
  };
  if (!setting.is_mapping()) {
    add("all", setting);
  } else {
    for (const SettingEntry& entry : setting.entries) add(entry.key, entry.value);
  }
  // In one order, so that the same choice is the same text however it is written.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.rate < b.rate; });
  if (entries.size() == 1 && entries[0].rate == "all" && entries[0].value == "stated") entries.clear();
}

Setting CpuRateChoice::print(const PrintStyle&) const {
  if (entries.empty()) return {};
  Setting out = Setting::mapping();
  for (const Entry& entry : entries) out.put(entry.rate, Setting::scalar(entry.value));
  return out;
}

std::string CpuRateChoice::text() const {
  std::string out;
  for (const Entry& entry : entries)
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", entry.rate, entry.value);
  return out;
}

double CpuRateChoice::ns_of(const std::string& name, const CpuRate& rate) const {
  const Entry* found = nullptr;
  for (const Entry& entry : entries)
    if (entry.rate == name || (!found && entry.rate == "all")) found = &entry;
  if (!found || found->value == "stated") return rate.ns;
  if (found->value == "low") return rate.low;
  if (found->value == "high") return rate.high;
  double ns = 0;
  parse_double(found->value, ns);
  return ns;
}

void set_cpu_phases(std::vector<apps::TraceStep>& steps, const CpuRates& rates, const CpuRateChoice& choice) {
  for (apps::TraceStep& step : steps) {
    if (!step.work.empty()) {
      step.us = 0;
      for (const auto& [name, amount] : step.work)
        step.us += amount * choice.ns_of(name, rates.by_name.at(name)) / 1000;
    }
    set_cpu_phases(step.body, rates, choice);
  }
}

}  // namespace warpvp
