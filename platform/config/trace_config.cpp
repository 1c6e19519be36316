#include "platform/config/trace_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"
#include "platform/config/interval_config.h"

namespace warpvp {

std::vector<unsigned> SmSelection::of(unsigned sm_count) const {
  std::set<unsigned> chosen(sms.begin(), sms.end());
  if (all)
    for (unsigned sm = 0; sm < sm_count; ++sm) chosen.insert(sm);
  if (!chosen.empty() && *chosen.rbegin() >= sm_count)
    throw InputError(fmt::format("{}{}'trace.warps': there is no SM {}; allowed: 0 to {}, or all", place,
                                 place.empty() ? "" : ": ", *chosen.rbegin(), sm_count - 1));
  return {chosen.begin(), chosen.end()};
}

void SmSelection::load(const Setting& setting, const std::string& path) {
  const auto refuse = [&](const Setting& at) {
    throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", at.place, path,
                                 at.is_scalar() ? "'" + at.text + "'" : kind_name(at), syntax()));
  };
  const auto add = [&](const Setting& at) {
    std::uint64_t sm = 0;
    if (!at.is_scalar() || !parse_unsigned(at.text, sm) || sm > 65535) refuse(at);
    sms.push_back(static_cast<unsigned>(sm));
  };
  place = setting.place;
  sms.clear();
  all = setting.is_scalar() && setting.text == "all";
  if (all) return;
  if (setting.is_sequence()) {
    for (const Setting& item : setting.items) add(item);
  } else {
    add(setting);
  }
}

Setting SmSelection::print(const PrintStyle&) const {
  if (all) return Setting::string("all");
  Setting out = Setting::sequence();
  for (const unsigned sm : sms) out.items.push_back(Setting::scalar(std::to_string(sm)));
  return out;
}

std::string SmSelection::syntax() const { return "a number of an SM, a list of them, or all"; }

void TraceConfig::fields(ConfigVisitor& v) {
  v.field("enabled", enabled, "Record a timeline for Perfetto (ui.perfetto.dev).");
  v.field("file", file, "Name of the timeline in the run's folder.");
  v.field("ctas", ctas, "Show each CTA on its SM; auto: unless SMs compute nothing (sm.type: profile), as their runs may have "
      "millions.",
      Constraint::words({"auto", "true", "false"}));
  v.custom("warps", warps,
           "SMs whose warps are shown, instruction by instruction, with what they wait for in between.");
  v.field("start_us", start_us, "us", "Simulated time at which the timeline begins.",
          Constraint::range(0, 1e12));
  v.field("end_us", end_us, "us", "Simulated time at which it ends; 0: with the run.",
          Constraint::range(0, 1e12));
  v.field("limit_mib", limit_mib, "MiB", "Size of the file at which recording stops, with a warning.",
          Constraint::range(1, 1e6));
  v.require(
      !file.empty() && file.find('/') == std::string::npos && file != "result.json" && file != kIntervalFile,
      "file", "allowed: a file name without folders, and neither result.json nor intervals.csv");
  v.require(end_us == 0 || end_us > start_us, "end_us",
            fmt::format("{} is not after start_us, {}", end_us, start_us));
}

}  // namespace warpvp
