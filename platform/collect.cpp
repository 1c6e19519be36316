#include "platform/collect.h"

#include <algorithm>
#include <map>

#include "platform/results/summed_stats.h"

namespace warpvp {

namespace {

KernelResult kernel_result(Platform& platform, const KernelRecord& record) {
  KernelResult kernel;
  kernel.record = record;
  kernel.info = platform.launch(record.launch_id);
  if (const sc_core::sc_time* doorbell = platform.command_processor().doorbell_of_launch(record.launch_id))
    kernel.doorbell = *doorbell;
  kernel.counters = counters_of_launch(platform, record.launch_id);
  for (const auto& sm : platform.sms())
    if (const SmMemoryCounters* c = sm->memory_counters(record.launch_id)) kernel.memory.add(*c);
  if (const Mmu* mmu = platform.memory_system().mmu()) kernel.mmu = mmu->at(record.launch_id);
  kernel.noc = platform.memory_system().crossbar().launches().at(record.launch_id);
  kernel.l2 = platform.memory_system().l2_of(record.launch_id);
  kernel.dram = platform.memory_system().dram_of(record.launch_id);
  return kernel;
}

std::vector<StreamResult> streams_of(const std::vector<KernelResult>& kernels) {
  std::map<std::uint64_t, StreamResult> streams;
  for (const KernelResult& kernel : kernels) streams[kernel.record.stream].add(kernel);
  std::vector<StreamResult> list;
  for (const auto& [id, stream] : streams) list.push_back(stream);
  return list;
}

/// Cycles during which at least one kernel was in the distributor.
std::uint64_t kernel_cycles_of(const std::vector<KernelRecord>& records, Cycle end) {
  std::vector<std::pair<Cycle, Cycle>> spans;
  for (const KernelRecord& r : records) spans.emplace_back(r.launched, r.finished() ? r.ended : end);
  std::sort(spans.begin(), spans.end());
  std::uint64_t sum = 0;
  Cycle covered = 0;
  for (const auto& [from, to] : spans) {
    if (to <= covered) continue;
    sum += to - std::max(from, covered);
    covered = to;
  }
  return sum;
}

RunTotals totals_of(Platform& platform, const std::vector<KernelResult>& kernels) {
  RunTotals totals;
  totals.cycles = platform.sm_clock().now();
  totals.kernel_cycles = kernel_cycles_of(platform.distributor().records(), totals.cycles);
  totals.simulated_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
  for (const KernelResult& kernel : kernels) {
    totals.warp_instructions += kernel.counters.warp_instructions;
    totals.expansion_instructions += kernel.counters.expansion_instructions;
    totals.thread_instructions += kernel.counters.thread_instructions;
  }
  for (const auto& sm : platform.sms()) {
    totals.nops += sm->counters().fetch.nops;
    totals.scheduling.add(sm->counters().scheduling);
  }
  return totals;
}

/// The statistics of all `parts`, added up.
template <class Visit, class Parts>
BlockStats sum_over(const Parts& parts, Visit visit) {
  return {[&parts, visit](StatVisitor& v) {
    SummedStats sum;
    for (const auto& part : parts) visit(*part, sum);
    sum.stats(v);
  }};
}

/// What kernels moved by the most that the channels could have in that time; nothing without such a bound.
std::optional<double> bandwidth_share(const Platform& platform, const MemoryCounters& of_kernels,
                                      const RunTotals& totals) {
  const std::uint64_t bytes = of_kernels.read_bytes + of_kernels.written_bytes;
  const double seconds = static_cast<double>(totals.kernel_cycles) / (platform.config().sm_clock_mhz * 1e6);
  const double peak = platform.memory_system().peak_dram_bytes_per_second();
  if (!(peak > 0 && seconds > 0)) return {};
  return static_cast<double>(bytes) / seconds / peak;
}

std::vector<ContextResult> contexts_of(const std::vector<KernelResult>& kernels) {
  std::map<unsigned, MmuCounters> sums;
  for (const KernelResult& kernel : kernels)
    if (kernel.mmu) sums[kernel.record.context] += *kernel.mmu;
  std::vector<ContextResult> contexts;
  for (const auto& [context, mmu] : sums) contexts.push_back({context, mmu});
  return contexts;
}

}  // namespace

SmLaunchCounters counters_of_launch(const Platform& platform, std::uint32_t launch) {
  SmLaunchCounters sum;
  for (const auto& sm : platform.sms())
    if (const SmLaunchCounters* counters = sm->launch_counters(launch)) sum.add(*counters);
  return sum;
}

void settle(Platform& platform) {
  for (const auto& sm : platform.sms()) sm->settle(platform.sm_clock().now());
}

RunResult collect(Platform& platform) {
  RunResult result;
  for (const KernelRecord& record : platform.distributor().records())
    result.kernels.push_back(kernel_result(platform, record));
  result.totals = totals_of(platform, result.kernels);
  result.streams = streams_of(result.kernels);
  if (platform.jobs().size() != 0)
    result.jobs = job_results(platform.jobs(), platform.launches(), platform.distributor().records());
  for (const auto& sm : platform.sms())
    result.sms.push_back({sm->counters(), {[&sm = *sm](StatVisitor& v) { sm.memory_stats(v); }}});

  const MemorySystem& memory = platform.memory_system();
  if (memory.mmu()) {
    result.mmu = memory.mmu()->total();
    result.contexts = contexts_of(result.kernels);
  }
  result.noc = {[&memory](StatVisitor& v) { memory.crossbar().stats(v); }};
  result.l2 = sum_over(memory.banks(), [](const L2Bank& bank, StatVisitor& v) { bank.stats(v); });
  result.dram.channels =
      sum_over(memory.channels(), [](const MemoryChannel& channel, StatVisitor& v) { channel.stats(v); });
  result.traffic = {memory.kernel_traffic(), memory.copy_traffic(), memory.command_traffic()};
  result.dram.bandwidth_share = bandwidth_share(platform, result.traffic.kernels.dram, result.totals);

  ControlResult& control = result.control;
  control.work_distributor = platform.distributor().statistics();
  control.command_processor = {[&platform](StatVisitor& v) { platform.command_processor().stats(v); }};
  control.pcie = platform.pcie().statistics();
  control.hub = platform.hub().statistics();
  control.dma =
      sum_over(platform.dma(), [](const DmaEngine& engine, StatVisitor& v) { engine.statistics().stats(v); });
  return result;
}

}  // namespace warpvp
