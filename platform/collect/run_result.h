#pragma once
// Everything that result.json holds but the configuration, each key declared once with its unit and a
// sentence.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interconnect/crossbar.h"
#include "modules/dram/memory_channel.h"
#include "modules/host/dma_engine.h"
#include "modules/host/memory_hub.h"
#include "modules/host/pcie_link.h"
#include "modules/l2/l2_bank.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/statistics.h"
#include "modules/work_distributor/work_distributor.h"
#include "platform/build/memory_system.h"
#include "platform/collect/block_visits.h"
#include "platform/collect/job_result.h"
#include "platform/collect/process_result.h"
#include "platform/collect/redundancy_result.h"
#include "platform/energy/energy_meter.h"
#include "platform/results/provenance.h"
#include "platform/results/result_visitor.h"
#include "platform/results/result_writer.h"
#include "sw/runtime/launch_directory.h"

namespace warpvp {

/// Statistics of a block whose type decides what they are.
struct BlockStats {
  std::function<void(StatVisitor&)> visit;
  void stats(StatVisitor& v) const {
    if (visit) visit(v);
  }
  /// `visit`, if it visits anything; nothing otherwise.
  static BlockStats if_any(std::function<void(StatVisitor&)> visit) {
    StatProbe probe;
    visit(probe);
    return {probe.found ? std::move(visit) : nullptr};
  }
};

/// The run as seen from outside.
struct RunTotals {
  std::uint64_t cycles = 0;         ///< SM clock, from time zero to the end
  std::uint64_t kernel_cycles = 0;  ///< of these, with at least one kernel resident
  std::uint64_t warp_instructions = 0;
  std::uint64_t expansion_instructions = 0;
  std::uint64_t thread_instructions = 0;
  double simulated_us = 0;
  std::uint64_t nops = 0;
  SchedulingCounters scheduling;
  std::optional<RedundancyResult> redundancy;  ///< where it is watched
  void stats(StatVisitor& v) const;
};

/// What profilers of chips call these counters (Nsight Compute on Volta), for tables that compare with them.
/// Each is one of the counters of the blocks under the name of such a table.
struct ProfilerCounters {
  const SmMemoryCounters& memory;
  const L2Counters& l2;
  const MemoryCounters& dram;
  void stats(StatVisitor& v) const;
};

/// How a launch was sampled (docs/sampling.md).
struct SampledResult {
  SampledKernel kernel;
  std::uint64_t ctas = 0;                   ///< of the grid
  std::uint64_t instructions_detailed = 0;  ///< of warps
  void stats(ResultVisitor& v) const;
};

/// One kernel launch.
struct KernelResult {
  KernelRecord record;
  rt::LaunchInfo info;
  std::optional<sc_core::sc_time> doorbell;
  SmLaunchCounters counters;             ///< as the rest, summed over SMs, banks and channels
  std::optional<SampledResult> sampled;  ///< where kernels are sampled
  SmMemoryCounters memory;
  std::optional<MmuCounters> mmu;  ///< with address translation
  CrossbarLaunchCounters noc;
  L2Counters l2;
  MemoryCounters dram;
  std::optional<RedundancyResult> redundancy;  ///< where it is watched
  std::optional<KernelEnergy> energy;          ///< with a table of energies

  std::optional<std::uint64_t> response_cycles() const;
  std::optional<std::uint64_t> execution_cycles() const;
  void stats(ResultVisitor& v) const;

 private:
  void launch_stats(ResultVisitor& v) const;
  void time_stats(ResultVisitor& v) const;
};

/// The kernels of one stream together.
struct StreamResult {
  std::uint64_t stream = 0;
  std::string name;
  std::uint64_t kernels = 0;
  std::uint64_t warp_instructions = 0, skipped = 0;
  std::uint64_t response_cycles = 0;
  std::uint64_t execution_cycles = 0;
  Cycle first_start = kNever, last_end = 0;
  StallCycles stalls{};
  SmMemoryCounters memory;
  void add(const KernelResult& kernel);
  void stats(ResultVisitor& v) const;
};

struct SmResult {
  SmCounters counters;
  BlockStats memory;
  BlockStats policies;
  void stats(StatVisitor& v) const;
};

/// Traffic in the memory system by whose it is.
struct TrafficResult {
  MemorySystem::Traffic kernels, copies, commands;
  void stats(StatVisitor& v) const;
};

/// DRAM, all channels.
struct DramResult {
  BlockStats channels;
  std::optional<double> bandwidth_share;
  void stats(StatVisitor& v) const;
};

/// What the kernels of a context did together.
struct ContextResult {
  unsigned context = 0;
  MmuCounters mmu;
  void stats(ResultVisitor& v) const;
};

struct ControlResult {
  WorkDistributorStats work_distributor;
  BlockStats policies;
  BlockStats bandwidth_controller;
  BlockStats command_processor;
  PcieStats pcie;
  MemoryHubStats hub;
  BlockStats dma;
  void stats(StatVisitor& v) const;
};

/// What the run cost the host; the only figures that differ from run to run.
struct HostResult {
  double wall_seconds = 0;
  double kilo_warp_instructions_per_second = 0;
  double peak_memory_mib = 0;
  std::optional<std::vector<std::pair<std::string, double>>> time_shares;  ///< part and share
  std::vector<BlockVisits> visits;                                         ///< with time_shares
  void stats(ResultVisitor& v) const;
};

struct RunResult {
  ResultHeader header;
  std::string remark;                                    ///< what the app measured; empty: nothing
  std::vector<std::pair<std::string, double>> measured;  ///< the same as numbers
  RunTotals totals;
  std::vector<KernelResult> kernels;
  std::uint64_t kernels_left_out = 0;  ///< launches after these
  std::vector<StreamResult> streams;
  std::optional<std::vector<ProcessResult>> processes;
  std::optional<MultiprogramResult> multiprogram;
  std::optional<std::vector<JobResult>> jobs;
  std::vector<SmResult> sms;
  std::optional<MmuCounters> mmu;                      ///< with address translation
  std::optional<std::vector<ContextResult>> contexts;  ///< those with kernels, with address translation
  BlockStats noc, l2;
  DramResult dram;
  TrafficResult traffic;
  ControlResult control;
  std::optional<EnergyResult> energy;  ///< with a table of energies
  HostResult host;
  Provenance provenance;
  /// `config` comes last and is written by whoever has it.
  void stats(ResultVisitor& v) const;
};

}  // namespace warpvp
