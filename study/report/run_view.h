#pragma once
// A run as the sections of its report look at it: result.json, searched by dotted paths, and its kernels.
// Nothing here fails for want of a key: results of other versions and of partial runs have less.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/results/csv_table.h"

namespace warpvp::report {

/// Warp-cycles by reason, in the order of result.json.
using StallList = std::vector<std::pair<std::string, double>>;

/// One kernel launch.
struct KernelView {
  std::string name, entry, stream, limited_by, grid, block;
  double launch = 0, ctas = 0, ctas_per_sm = 0;
  std::optional<double> enqueued_us, launch_us, start_us, end_us, response_cycles, execution_cycles, ipc;
  double warp_instructions = 0, thread_instructions = 0;
  double fp32 = 0, fp64 = 0;  ///< operations
  double l1_accesses = 0, l1_hits = 0, l2_accesses = 0, l2_hits = 0;
  double l2_read_bytes = 0, l2_write_bytes = 0, dram_read_bytes = 0, dram_written_bytes = 0;
  StallList stalls;
  std::vector<StallList> by_scheduler;

  /// From the first CTA to the end; nullopt: not known.
  std::optional<double> seconds() const;
  double dram_bytes() const { return dram_read_bytes + dram_written_bytes; }
  double stalled() const;
  /// Warp-cycles on an SM: those that issued, and those that waited.
  double warp_cycles() const { return stalled() + warp_instructions; }
};

/// Launches of one name, added up: what charts show where there are many.
struct KernelGroup {
  std::string name;
  std::vector<const KernelView*> launches;
  KernelView sum;  ///< counters only

  /// "vector_add", or "vector_add (12 launches)".
  std::string label() const;
};

struct RunView {
  const nlohmann::ordered_json& result;
  std::string name;  ///< of the run's folder
  std::optional<CsvTable> intervals, instructions;
  std::string firmware_profile;
  std::vector<KernelView> kernels;
  std::vector<KernelGroup> groups;  ///< by name, in the order of their first launches
  /// Counters of all launches; `ipc` over the cycles in which kernels ran. Without a list of launches, the
  /// run's totals.
  KernelView all_kernels;

  /// nullopt: not there, or not of that type.
  std::optional<double> number(const std::string& path) const;
  std::optional<std::string> text(const std::string& path) const;
};

/// Fills `kernels`, `groups` and `all_kernels`. InputError "FILE: ..." if it is no result of a run.
RunView view_of(const nlohmann::ordered_json& result, const std::string& file);

/// "1,234", "12.3", "0.0012": as one reads it.
std::string readable(double value);
/// The share in percent, "12.3 %"; "-" of nothing.
std::string percent(double part, double whole);

}  // namespace warpvp::report
