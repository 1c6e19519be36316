#include "platform/collect/run_result.h"

namespace warpvp {

namespace {

double microseconds(const sc_core::sc_time& t) { return t.to_seconds() * 1e6; }

/// null while `known` does not hold.
template <class Value>
std::optional<Value> only_if(bool known, Value value) {
  return known ? std::optional<Value>(value) : std::nullopt;
}

/// Warp-cycles without issue of a launch: in sum, and by scheduler.
struct Stalls {
  const std::vector<StallCycles>& counters;

  struct Scheduler {
    StallCycles cycles{};
    void stats(StatVisitor& v) const { visit_stalls(v, cycles); }
  };

  void stats(ResultVisitor& v) const {
    StallCycles sum{};
    std::vector<Scheduler> schedulers;
    for (const StallCycles& cycles : counters) {
      schedulers.push_back({cycles});
      for (std::size_t r = 0; r < cycles.size(); ++r) sum[r] += cycles[r];
    }
    visit_stalls(v, sum);
    v.list("by_scheduler", schedulers, "The same for each scheduler of an SM, summed over SMs.");
  }
};

constexpr const char kNocSentence[] = "What went through the crossbar.";
constexpr const char kL2Sentence[] = "What the L2 did, summed over banks.";
constexpr const char kDramSentence[] = "What DRAM did, summed over channels.";
constexpr const char kWithEnergy[] = "with `energy.table`";

void mmu_stats(StatVisitor& v, const std::optional<MmuCounters>& mmu) {
  v.when(mmu.has_value(), "with address translation", [&] {
    v.group("mmu", mmu.value_or(MmuCounters()), "Translation of the addresses that SMs asked memory for.");
  });
}

void redundancy_stats(StatVisitor& v, const std::optional<RedundancyResult>& redundancy) {
  v.when(redundancy.has_value(), kWithRedundancy, [&] {
    v.group("redundancy", redundancy.value_or(RedundancyResult()),
            "How many instructions compute what other lanes, warps and CTAs compute.");
  });
}

}  // namespace

void RunTotals::stats(StatVisitor& v) const {
  v.value("cycles", cycles, "cycles", "Simulated time in cycles of the SM clock.");
  v.value("kernel_cycles", kernel_cycles, "cycles",
          "Cycles of the SM clock during which at least one kernel was in the work distributor.");
  v.value("time_us", simulated_us, "us", "Simulated time.");
  v.value("warp_instructions", warp_instructions, "warp instructions",
          "Warp instructions issued by all kernels.");
  v.value(
      "ptx_instructions", warp_instructions - expansion_instructions, "warp instructions",
      "Of these, PTX instructions. The others, in machine code, are what the chip needs besides for some of "
      "them.");
  v.value("thread_instructions", thread_instructions, "thread instructions",
          "Lanes that executed, summed over the warp instructions.");
  v.value("nops", nops, "NOPs",
          "NOPs issued in place of instructions (coordinated mode), by all SMs; they are no warp "
          "instructions.");
  v.when(scheduling.cycles != 0, kWithOracle,
         [&] { v.group("scheduling", scheduling, kSchedulingSentence); });
  redundancy_stats(v, redundancy);
}

std::optional<std::uint64_t> KernelResult::response_cycles() const {
  return only_if<std::uint64_t>(record.finished(), record.ended - record.launched);
}

std::optional<std::uint64_t> KernelResult::execution_cycles() const {
  return only_if<std::uint64_t>(record.finished() && record.first_cta != kNever,
                                record.ended - record.first_cta);
}

void KernelResult::launch_stats(ResultVisitor& v) const {
  v.text("name", info.name, "Name that the host program gave the launch, else the kernel's.");
  v.text("entry", info.entry, "The kernel's name in its PTX.");
  v.number("launch", record.launch_id, "Number of the launch, from 0 in the order of the host's calls.");
  v.number("stream", record.stream, "Number of its stream.");
  v.text("stream_name", info.stream, "Name of its stream.");
  v.number("context", record.context, "Number of its context.");
  v.number("priority", record.priority, "Priority of its stream; greater is more urgent.");
  v.when(info.job != 0, "when it belongs to a job", [&] { v.number("job", info.job, "Number of its job."); });
  v.number("budget", record.budget, "Its budget for QoS-aware warp scheduling.");
  const auto three = [](const std::uint32_t(&d)[3]) { return std::vector<std::uint64_t>(d, d + 3); };
  v.values("grid", three(record.grid), "CTAs", "Size of the grid in x, y and z.");
  v.values("block", three(record.block), "threads", "Size of a CTA in x, y and z.");
  v.value("ctas", record.ctas, "CTAs", "CTAs of the grid.");
  v.value("ctas_done", record.ctas_done, "CTAs", "CTAs that had completed when the run ended.");
  v.flag("killed", record.killed,
         "It ended unfinished, because its context had faulted (docs/protection.md).");
  v.value("ctas_per_sm", std::uint64_t{record.needs.most_ctas}, "CTAs",
          "Occupancy: CTAs that fit an otherwise empty SM.");
  v.text("limited_by", record.needs.limited_by, "The resource that sets the occupancy.");
}

void KernelResult::time_stats(ResultVisitor& v) const {
  v.value("enqueued_us", info.enqueued.to_seconds() * 1e6, "us", "Time at which the host called the launch.");
  v.value("doorbell_us",
          only_if(doorbell.has_value(), microseconds(doorbell.value_or(sc_core::SC_ZERO_TIME))), "us",
          "Time at which the doorbell of its packet was rung; null: not yet, or not known.");
  v.value("launch_us", microseconds(record.launched_at), "us",
          "Time at which the work distributor got the kernel.");
  v.value("launch_cycle", record.launched, "cycles",
          "SM cycle at which the work distributor got the kernel.");
  const bool started = record.first_cta != kNever, ended = record.finished();
  v.value("start_cycle", only_if(started, record.first_cta), "cycles",
          "SM cycle at which its first CTA was sent to an SM; null: not yet.");
  v.value("end_cycle", only_if(ended, record.ended), "cycles",
          "SM cycle at which its last CTA was done; null: not yet.");
  v.value("start_us", only_if(started, microseconds(record.first_cta_at)), "us",
          "Time at which its first CTA was sent to an SM; null: not yet.");
  v.value("end_us", only_if(ended, microseconds(record.ended_at)), "us",
          "Time at which its last CTA was done; null: not yet.");
  v.value("response_cycles", response_cycles(), "cycles",
          "From the launch to the end (end_cycle - launch_cycle); null: not ended.");
  v.value("execution_cycles", execution_cycles(), "cycles",
          "From the first CTA to the end (end_cycle - start_cycle); null: not ended.");
  v.value("elapsed_cycles",
          only_if<std::uint64_t>(record.reported != kNever, record.reported - record.launched), "cycles",
          "From the launch until the command processor was told of the end: response_cycles and "
          "work_distributor.drain_cycles, as profilers count; null: not yet, or not known.");
}

void SampledResult::stats(ResultVisitor& v) const {
  const auto skipped = static_cast<double>(kernel.instructions_skipped);
  const auto detailed = static_cast<double>(instructions_detailed);
  v.when(!kernel.why_not.empty(), "when all its CTAs were simulated in cycle detail",
         [&] { v.text("why_not", kernel.why_not, "Why it was not sampled."); });
  v.value("ctas_detailed", ctas - kernel.ctas_skipped, "CTAs", "CTAs simulated in cycle detail.");
  v.value("ctas_functional", kernel.ctas_skipped, "CTAs",
          "CTAs computed without cycles; what they would have taken is in the kernel's end_cycle.");
  v.value("samples", std::uint64_t{kernel.samples}, "samples", "Samples from which that was worked out.");
  v.value("cycles_added", kernel.cycles_added, "cycles", "Cycles that end_cycle has for these CTAs.");
  v.value("half_width_95", kernel.half_width, "cycles",
          "Half the width of the 95 % interval around execution_cycles, from the spread of the samples.");
  v.value("cycles_per_instruction", kernel.cycles_per_instruction, "cycles/warp instruction",
          "Cycles of the device by warp instructions of all SMs, in the samples.");
  v.value(
      "detail_share", detailed + skipped > 0 ? detailed / (detailed + skipped) : 1.0, "share",
      "Warp instructions issued in cycle detail, of all. Of them alone are frontend, stalls, l1, mmu, noc, "
      "l2, dram and profiler; instructions, operations and times are of all CTAs.");
}

void KernelResult::stats(ResultVisitor& v) const {
  launch_stats(v);
  time_stats(v);
  v.when(sampled.has_value(), "with `platform.sampling.skip`", [&] {
    v.group("sampled", sampled.value_or(SampledResult()),
            "Which of its CTAs took cycles (docs/sampling.md).");
  });
  v.value("warp_instructions", counters.warp_instructions, "warp instructions", "Warp instructions issued.");
  v.value(
      "ptx_instructions", counters.warp_instructions - counters.expansion_instructions, "warp instructions",
      "Of these, PTX instructions. The others, in machine code, are what the chip needs besides for some of "
      "them.");
  v.value("thread_instructions", counters.thread_instructions, "thread instructions",
          "Lanes that executed, summed over the warp instructions.");
  v.value("fp32_operations", counters.flops[0], "operations",
          "Operations in single precision, by its PTX and summed over lanes: additions, multiplications, "
          "divisions, reciprocals and roots count one, fused multiply-adds two.");
  v.value("fp64_operations", counters.flops[1], "operations", "The same in double precision.");
  const bool took_time = record.finished() && record.ended > record.first_cta;
  v.when(took_time, "when the kernel has ended", [&] {
    const double cycles = took_time ? static_cast<double>(record.ended - record.first_cta) : 1;
    v.value("ipc", static_cast<double>(counters.warp_instructions) / cycles, "warp instructions/cycle",
            "Warp instructions by execution_cycles, over all SMs.");
    v.value("thread_ipc", static_cast<double>(counters.thread_instructions) / cycles,
            "thread instructions/cycle", "Thread instructions by execution_cycles, over all SMs.");
  });
  v.group("frontend", counters.fetch, "What fetching its instructions took.");
  v.when(counters.scheduling.cycles != 0, kWithOracle,
         [&] { v.group("scheduling", counters.scheduling, kSchedulingSentence); });
  v.group("stalls", Stalls{counters.stalls}, "Why its warps did not issue, summed over schedulers and SMs.");
  v.value("l1_kib_least", std::uint64_t{counters.l1_bytes_most ? counters.l1_bytes_least / 1024 : 0}, "KiB",
          "Least size of the L1 while CTAs of the kernel ran, over all SMs.");
  v.value("l1_kib_most", std::uint64_t{counters.l1_bytes_most / 1024}, "KiB",
          "Greatest size of the L1 while CTAs of the kernel ran, over all SMs.");
  v.group("l1", memory, "What the memory sides of the SMs did for it.");
  mmu_stats(v, mmu);
  v.group("noc", noc, kNocSentence);
  v.group("l2", l2, kL2Sentence);
  v.group("dram", dram, kDramSentence);
  v.group("profiler", ProfilerCounters{memory, l2, dram},
          "The counters above that profilers of chips have too, by the names of published tables.");
  v.when(counters.executed.any(), kWithExecuted,
         [&] { v.group("executed", counters.executed, kExecutedSentence); });
  redundancy_stats(v, redundancy);
  v.when(energy.has_value(), kWithEnergy, [&] {
    v.group("energy", energy.value_or(KernelEnergy()),
            "What the events of the launch cost; power is paid by the run as a whole.");
  });
}

void ProfilerCounters::stats(StatVisitor& v) const {
  v.value("l1_read_hit_sectors", memory.l1_read_hit_sectors, "sectors",
          "Metric l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit: l1.l1_read_hit_sectors.");
  v.value("l1_read_miss_sectors", memory.l1_read_miss_sectors, "sectors",
          "Metric l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss: l1.l1_read_miss_sectors.");
  v.value("l1_write_hit_sectors", memory.l1_write_hit_sectors, "sectors",
          "Metric l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit: l1.l1_write_hit_sectors.");
  v.value("l1_write_miss_sectors", memory.l1_write_miss_sectors, "sectors",
          "Metric l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_miss: l1.l1_write_miss_sectors.");
  v.value("l2_read_hit_sectors", l2.read_hit_sectors, "sectors",
          "Metric lts__t_sectors_srcunit_tex_op_read_lookup_hit: l2.read_hit_sectors.");
  v.value("l2_read_miss_sectors", l2.read_miss_sectors, "sectors",
          "Metric lts__t_sectors_srcunit_tex_op_read_lookup_miss: l2.read_miss_sectors.");
  v.value("l2_write_hit_sectors", l2.write_hit_sectors, "sectors",
          "Metric lts__t_sectors_srcunit_tex_op_write_lookup_hit: l2.write_hit_sectors.");
  v.value("l2_write_miss_sectors", l2.write_miss_sectors, "sectors",
          "Metric lts__t_sectors_srcunit_tex_op_write_lookup_miss: l2.write_miss_sectors.");
  v.value("dram_read_sectors", dram.read_bytes / 32, "sectors",
          "Metric dram__sectors_read: dram.read_sectors.");
  v.value("dram_write_sectors", dram.written_bytes / 32, "sectors",
          "Metric dram__sectors_write: dram.written_sectors.");
  v.value("shared_warp_instructions", memory.shared_accesses, "warp instructions",
          "Metric sm__sass_inst_executed_op_shared_ld and _st: l1.shared_accesses.");
  v.value("constant_requests", memory.constant_requests, "words",
          "Metric idc__requests: l1.constant_requests.");
}

void StreamResult::add(const KernelResult& kernel) {
  stream = kernel.record.stream;
  name = kernel.info.stream;
  ++kernels;
  if (kernel.record.finished()) {
    first_start = std::min(first_start, kernel.record.first_cta);
    last_end = std::max(last_end, kernel.record.ended);
  }
  warp_instructions += kernel.counters.warp_instructions;
  skipped += kernel.counters.fetch.skipped;
  response_cycles += kernel.response_cycles().value_or(0);
  execution_cycles += kernel.execution_cycles().value_or(0);
  for (const StallCycles& cycles : kernel.counters.stalls)
    for (std::size_t r = 0; r < cycles.size(); ++r) stalls[r] += cycles[r];
  memory.add(kernel.memory);
}

void StreamResult::stats(ResultVisitor& v) const {
  v.number("stream", stream, "Number of the stream.");
  v.text("name", name, "Name of the stream.");
  v.value("kernels", kernels, "kernels", "Kernels launched in it.");
  v.value("warp_instructions", warp_instructions, "warp instructions", "Warp instructions of its kernels.");
  v.value("skipped", skipped, "warp instructions",
          "Instructions of its kernels that took effect without being issued, as a front end left them out.");
  v.value("response_cycles", response_cycles, "cycles",
          "Sum of response_cycles over its kernels that ended.");
  v.value("execution_cycles", execution_cycles, "cycles",
          "Sum of execution_cycles over its kernels that ended.");
  const bool ended = last_end > first_start;
  v.value("ipc",
          ended ? static_cast<double>(warp_instructions) / static_cast<double>(last_end - first_start) : 0.0,
          "warp instructions per cycle",
          "Warp instructions over the cycles from the first start to the last end of its kernels.");
  v.group("stalls", Stalls::Scheduler{stalls}, "Why warps of its kernels did not issue.");
  v.group("l1", memory, "What the memory sides of the SMs did for its kernels.");
}

void SmResult::stats(StatVisitor& v) const {
  counters.stats(v);
  v.group("memory", memory, "What the SM's memory side did.");
  if (policies.visit)
    v.when(true, "where a policy or a stage counts anything", [&] {
      v.group("policies", policies, "What policies and stages count, summed over the sub-cores.");
    });
}

void TrafficResult::stats(StatVisitor& v) const {
  v.group("kernels", kernels, "Caused by kernels.");
  v.group("copies", copies, "Caused by copies.");
  v.group("commands", commands, "Caused by host and command processor: packets, arguments, signals.");
}

void DramResult::stats(StatVisitor& v) const {
  channels.stats(v);
  v.when(
      bandwidth_share.has_value(),
      "when the channels have a peak bandwidth, and a kernel ran and was not sampled", [&] {
        v.value(
            "bandwidth_share", bandwidth_share.value_or(0), "share",
            "Bytes that kernels moved per second of simulation.kernel_cycles, over the peak bandwidth of all "
            "channels.");
      });
}

void ControlResult::stats(StatVisitor& v) const {
  v.group("work_distributor", work_distributor, "The work distributor.");
  if (policies.visit)
    v.when(true, "where one of them counts anything",
           [&] { v.group("policies", policies, "What policies of the control path count."); });
  if (bandwidth_controller.visit)
    v.when(true, "with a controller that counts anything", [&] {
      v.group("bandwidth_controller", bandwidth_controller,
              "Who divides CTAs and bandwidth among kernels that run together.");
    });
  v.group("command_processor", command_processor, "The command processor.");
  v.group("pcie", pcie, "The PCIe link.");
  v.group("hub", hub, "The hub, through which host and command processor reach device memory.");
  v.group("dma", dma, "The copy engines, summed.");
}

void ContextResult::stats(ResultVisitor& v) const {
  v.number("context", context, "Number of the context.");
  v.group("mmu", mmu, "Translation of the addresses that its kernels asked memory for.");
}

void HostResult::stats(ResultVisitor& v) const {
  v.value("wall_seconds", wall_seconds, "s", "Wall-clock time of the simulation.");
  v.value("kilo_warp_instructions_per_second", kilo_warp_instructions_per_second, "kilo-warp-instructions/s",
          "Speed of the simulation.");
  v.value("peak_memory_mib", peak_memory_mib, "MiB", "Most memory that the process had.");
  v.when(time_shares.has_value(), "with `profile: true`", [&] {
    v.named("time_shares", time_shares.value_or(std::vector<std::pair<std::string, double>>{}), "PART",
            "share", "Where host time went, by sampling.", "Share of the samples in this part.");
    v.list("edges", visits, "How often blocks were evaluated, most first.");
  });
}

void RunResult::stats(ResultVisitor& v) const {
  header.stats(v);
  v.when(!remark.empty(), "when the app has something to say",
         [&] { v.text("remark", remark, "What the app measured or checked, in words."); });
  v.when(!measured.empty(), "when the app measured something", [&] {
    v.named("measured", measured, "FIGURE", "its own", "What the app measured, by names of its own.",
            "What the app measured under this name.");
  });
  v.group("simulation", totals, "The run as a whole.");
  v.list("kernels", kernels, "Each kernel launch, in the order in which the work distributor got them.");
  v.when(kernels_left_out != 0, "when `output` has not all of them listed", [&] {
    v.value("kernels_left_out", kernels_left_out, "kernels", "Launches after those that are listed.");
  });
  v.list("streams", streams, "The kernels of each stream together, by the stream's number.");
  v.when(processes.has_value(), "when the workload has processes", [&] {
    v.list("processes", processes.value_or(std::vector<ProcessResult>()), "Each process, in their order.");
    v.group("multiprogram", multiprogram.value_or(MultiprogramResult()), "How processes shared the device.");
  });
  v.when(jobs.has_value(), "when the host has begun jobs", [&] {
    v.list("jobs", jobs.value_or(std::vector<JobResult>()), "Each job, in the order of its begin.");
    v.group("job_summary", JobSummary::of(jobs.value_or(std::vector<JobResult>())), "The jobs together.");
  });
  v.list("sms", sms, "Each SM.");
  mmu_stats(v, mmu);
  v.when(contexts.has_value(), "with address translation", [&] {
    v.list("contexts", contexts.value_or(std::vector<ContextResult>()),
           "Each context that had a kernel, by its number.");
  });
  v.group("noc", noc, kNocSentence);
  v.group("l2", l2, kL2Sentence);
  v.group("dram", dram, kDramSentence);
  v.group("traffic", traffic,
          "Whose traffic it was: `noc`, `l2` and `dram` are sums over kernels, copies and commands.");
  v.group("control", control, "The control path.");
  v.when(energy.has_value(), kWithEnergy, [&] {
    v.group("energy", energy.value_or(EnergyResult()), "What the run cost, by a table (docs/energy.md).");
  });
  v.group("host", host, "What the run cost the host. The only figures that differ from run to run.");
  v.group("provenance", provenance,
          "Where the result comes from. Besides `host` the only part that differs between runs of the same "
          "settings.");
  v.apart("config", "The settings of the run, resolved: docs/configuration.md.");
}

}  // namespace warpvp
