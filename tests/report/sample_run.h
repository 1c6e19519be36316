#pragma once
// A result.json made by hand, small enough to reckon with.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "study/report/page_model.h"

namespace warpvp::report::test {

/// Two launches of "add" and one of "look", on 2 SMs of 4 schedulers at 1000 MHz with one 32-bit DRAM
/// channel.
inline nlohmann::ordered_json sample_result() {
  return nlohmann::ordered_json::parse(R"json({
    "version": "9.8.7", "exit_code": 0, "message": "", "verified": true, "seed": 42,
    "simulation": {"time_us": 40.0, "kernel_cycles": 20000, "warp_instructions": 5000},
    "kernels": [
      {"name": "add", "entry": "add", "launch": 0, "stream": 1, "stream_name": "a", "grid": [4, 1, 1], "block": [64, 2, 1],
       "ctas": 4, "ctas_per_sm": 8, "limited_by": "threads", "enqueued_us": 1.0, "launch_us": 2.0, "start_us": 4.0,
       "end_us": 14.0, "execution_cycles": 10000, "response_cycles": 12000, "warp_instructions": 1000, "ipc": 0.1,
       "fp32_operations": 600000, "fp64_operations": 0,
       "stalls": {"fetch": 1000, "raw_long": 2000, "barrier": 0,
                  "by_scheduler": [{"fetch": 1000, "raw_long": 0, "barrier": 0}, {"fetch": 0, "raw_long": 2000, "barrier": 0}]},
       "l1": {"l1_accesses": 100, "l1_hits": 25, "read_bytes": 2048, "write_bytes": 1024},
       "l2": {"accesses": 50, "hits": 40}, "dram": {"read_bytes": 4000, "written_bytes": 2000}},
      {"name": "add", "entry": "add", "launch": 1, "stream": 2, "stream_name": "b", "grid": [4, 1, 1], "block": [64, 2, 1],
       "ctas": 4, "enqueued_us": 1.0, "launch_us": 15.0, "start_us": 15.0, "end_us": 25.0, "execution_cycles": 10000,
       "warp_instructions": 1000, "ipc": 0.1, "fp32_operations": 600000, "fp64_operations": 0,
       "stalls": {"fetch": 500, "raw_long": 500, "barrier": 0}, "l1": {"l1_accesses": 100, "l1_hits": 75},
       "l2": {"accesses": 50, "hits": 40}, "dram": {"read_bytes": 4000, "written_bytes": 2000}},
      {"name": "look", "entry": "look", "launch": 2, "stream": 1, "stream_name": "a", "grid": [1], "block": [32],
       "ctas": 1, "enqueued_us": 20.0, "launch_us": 26.0, "start_us": null, "end_us": null, "execution_cycles": null,
       "warp_instructions": 0, "fp32_operations": 0, "fp64_operations": 0, "stalls": {}, "l1": {}, "l2": {}, "dram": {}}],
    "sms": [{"issued": 1500}, {"issued": 500}],
    "l2": {"accesses": 100, "hits": 80}, "dram": {"row_hits": 5, "row_misses": 4, "row_conflicts": 3, "bandwidth_share": 0.25},
    "config": {"platform": {"sms": 2, "sm_clock_mhz": 1000,
        "sm": {"schedulers": 4, "fp32_unit": {"initiation_interval": 2}, "fp64_unit": {"initiation_interval": 4},
               "warp_scheduler": {"name": "gto"}},
        "address_map": {"channels": 1}, "crossbar": {"flit_bytes": 32},
        "dram": {"type": "controller", "timing": {"clock_mhz": 500, "bus_bits": 32, "beats_per_cycle": 2}}},
      "workload": {"app": "sample", "params": {"count": 12}}}
  })json");
}

inline const Section* find_section(const Page& page, const std::string& id) {
  const auto found =
      std::find_if(page.sections.begin(), page.sections.end(), [&](const Section& s) { return s.id == id; });
  return found == page.sections.end() ? nullptr : &*found;
}

inline const Chart* find_chart(const Section& section, const std::string& id) {
  const auto found =
      std::find_if(section.charts.begin(), section.charts.end(), [&](const Chart& c) { return c.id == id; });
  return found == section.charts.end() ? nullptr : &*found;
}

inline const Series* find_series(const Chart& chart, const std::string& name) {
  const auto found =
      std::find_if(chart.series.begin(), chart.series.end(), [&](const Series& s) { return s.name == name; });
  return found == chart.series.end() ? nullptr : &*found;
}

}  // namespace warpvp::report::test
