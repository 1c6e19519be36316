#include "platform/collect/collect.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/summed_stats.h"

namespace warpvp {

namespace {

KernelResult kernel_result(Platform& platform, const KernelRecord& record) {
  KernelResult kernel;
  kernel.record = record;
  kernel.info = platform.launch(record.launch_id);
  if (const sc_core::sc_time* doorbell = platform.command_processor().doorbell_of_launch(record.launch_id))
    kernel.doorbell = *doorbell;
  kernel.counters = counters_of_launch(platform, record.launch_id);
  if (record.sampled) {
    SmLaunchCounters skipped;
    for (const auto& sm : platform.sms())
      if (const SmLaunchCounters* counters = sm->functional_counters(record.launch_id))
        skipped.add(*counters);
    kernel.sampled = SampledResult{*record.sampled, record.ctas, kernel.counters.warp_instructions};
    kernel.counters.add(skipped);
  }
  for (const auto& sm : platform.sms())
    if (const SmMemoryCounters* c = sm->memory_counters(record.launch_id)) kernel.memory.add(*c);
  if (const Mmu* mmu = platform.memory_system().mmu()) kernel.mmu = mmu->at(record.launch_id);
  kernel.noc = platform.memory_system().crossbar().launches().at(record.launch_id);
  kernel.l2 = platform.memory_system().l2_of(record.launch_id);
  kernel.dram = platform.memory_system().dram_of(record.launch_id);
  return kernel;
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

/// What is summed over the kernels, so that none of them has to be kept for it.
class KernelSums {
 public:
  void add(const KernelResult& kernel) {
    totals_.warp_instructions += kernel.counters.warp_instructions;
    totals_.expansion_instructions += kernel.counters.expansion_instructions;
    totals_.thread_instructions += kernel.counters.thread_instructions;
    streams_[kernel.record.stream].add(kernel);
    if (kernel.mmu) mmu_[kernel.record.context] += *kernel.mmu;
  }

  RunTotals totals(Platform& platform) const {
    RunTotals totals = totals_;
    totals.cycles = platform.sm_clock().now();
    totals.kernel_cycles = kernel_cycles_of(platform.distributor().records(), totals.cycles);
    totals.simulated_us = sc_core::sc_time_stamp().to_seconds() * 1e6;
    for (const auto& sm : platform.sms()) {
      totals.nops += sm->counters().fetch.nops;
      totals.scheduling.add(sm->counters().scheduling);
    }
    return totals;
  }
  std::vector<StreamResult> streams() const {
    std::vector<StreamResult> list;
    for (const auto& [id, stream] : streams_) list.push_back(stream);
    return list;
  }
  std::vector<ContextResult> contexts() const {
    std::vector<ContextResult> list;
    for (const auto& [context, mmu] : mmu_) list.push_back({context, mmu});
    return list;
  }

 private:
  RunTotals totals_;
  std::map<std::uint64_t, StreamResult> streams_;
  std::map<unsigned, MmuCounters> mmu_;
};

/// The statistics of all `parts`, added up.
template <class Visit, class Parts>
BlockStats sum_over(const Parts& parts, Visit visit) {
  return {[&parts, visit](StatVisitor& v) {
    SummedStats sum;
    for (const auto& part : parts) visit(*part, sum);
    sum.stats(v);
  }};
}

/// What the run cost, for itself and for its kernels.
void add_energy(EnergyMeter& meter, const Platform& platform, RunResult& result) {
  EnergyTime time;
  time.sm_clock_mhz = platform.config().sm_clock_mhz;
  time.sms = platform.sms().size();
  time.cycles = result.totals.cycles;
  for (const auto& sm : platform.sms()) time.active_sm_cycles += sm->counters().active_cycles;
  EnergyTime while_kernels = time;
  while_kernels.cycles = result.totals.kernel_cycles;
  result.energy = meter.result([&](ResultVisitor& v) { result.stats(v); }, time, while_kernels);
  std::vector<KernelEnergy> of_kernels = meter.kernels();
  for (std::size_t k = 0; k < result.kernels.size(); ++k) result.kernels[k].energy = std::move(of_kernels[k]);
}

/// What kernels moved by the most that the channels could have in that time; nothing without such a bound.
std::optional<double> bandwidth_share(Platform& platform, const MemoryCounters& of_kernels,
                                      const RunTotals& totals) {
  const std::uint64_t bytes = of_kernels.read_bytes + of_kernels.written_bytes;
  for (const KernelRecord& record : platform.distributor().records())
    if (record.sampled && record.sampled->ctas_skipped != 0) return {};  // bytes of some CTAs, time of all
  const double seconds = static_cast<double>(totals.kernel_cycles) / (platform.config().sm_clock_mhz * 1e6);
  const double peak = platform.memory_system().peak_dram_bytes_per_second();
  if (!(peak > 0 && seconds > 0)) return {};
  return static_cast<double>(bytes) / seconds / peak;
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

RunResult collect(Platform& platform, std::size_t listed, const EnergyTable* energies,
                  const RedundancySource* redundancy) {
  RunResult result;
  KernelSums sums;
  std::optional<EnergyMeter> meter;
  if (energies != nullptr) meter.emplace(*energies);
  const std::vector<KernelRecord>& records = platform.distributor().records();
  listed = std::min(listed, records.size());
  result.kernels.reserve(listed);
  result.kernels_left_out = records.size() - listed;
  for (const KernelRecord& record : records) {
    const bool is_listed = result.kernels.size() < listed;
    KernelResult kernel = kernel_result(platform, record);
    sums.add(kernel);
    if (redundancy) kernel.redundancy = RedundancyResult{redundancy->of_launch(record.launch_id)};
    if (meter) meter->add_kernel([&](ResultVisitor& v) { kernel.stats(v); }, is_listed);
    if (is_listed) result.kernels.push_back(std::move(kernel));
  }
  result.totals = sums.totals(platform);
  if (redundancy) result.totals.redundancy = RedundancyResult{redundancy->total()};
  result.streams = sums.streams();
  if (platform.jobs().size() != 0)
    result.jobs = job_results(platform.jobs(), platform.launches(), platform.distributor().records());
  for (const auto& sm : platform.sms())
    result.sms.push_back({sm->counters(),
                          {[&sm = *sm](StatVisitor& v) { sm.memory_stats(v); }},
                          BlockStats::if_any([&sm = *sm](StatVisitor& v) { sm.policy_stats(v); })});

  const MemorySystem& memory = platform.memory_system();
  if (memory.mmu()) {
    result.mmu = memory.mmu()->total();
    result.contexts = sums.contexts();
  }
  result.noc = {[&memory](StatVisitor& v) { memory.crossbar().stats(v); }};
  result.l2 = sum_over(memory.banks(), [](const L2Bank& bank, StatVisitor& v) { bank.stats(v); });
  result.dram.channels =
      sum_over(memory.channels(), [](const MemoryChannel& channel, StatVisitor& v) { channel.stats(v); });
  result.traffic = {memory.kernel_traffic(), memory.copy_traffic(), memory.command_traffic()};
  result.dram.bandwidth_share = bandwidth_share(platform, result.traffic.kernels.dram, result.totals);

  ControlResult& control = result.control;
  control.work_distributor = platform.distributor().statistics();
  control.policies =
      BlockStats::if_any([&platform](StatVisitor& v) { platform.distributor().policy_stats(v); });
  if (const BandwidthController* controller = platform.bandwidth_controller())
    control.bandwidth_controller = BlockStats::if_any([controller](StatVisitor& v) { controller->stats(v); });
  control.command_processor = {[&platform](StatVisitor& v) { platform.command_processor().stats(v); }};
  control.pcie = platform.pcie().statistics();
  control.hub = platform.hub().statistics();
  control.dma =
      sum_over(platform.dma(), [](const DmaEngine& engine, StatVisitor& v) { engine.statistics().stats(v); });
  if (meter) add_energy(*meter, platform, result);
  return result;
}

}  // namespace warpvp
