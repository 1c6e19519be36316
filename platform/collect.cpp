#include "platform/collect.h"

#include <algorithm>
#include <map>

#include "platform/results/json_stats.h"

namespace warpvp {

using nlohmann::ordered_json;

namespace {

/// Adds up the same statistics visited for several parts. Ratios do not add and are left out.
class SumVisitor : public StatVisitor {
 public:
  void value(const char* key, std::uint64_t value, const char*, const char*) override {
    auto& entry = (*stack_.back())[key];
    entry = (entry.is_null() ? 0 : entry.get<std::uint64_t>()) + value;
  }
  void value(const char*, double, const char*, const char*) override {}
  const ordered_json& json() const { return root_; }

 protected:
  void begin_group(const char* key) override {
    auto& group = (*stack_.back())[key];
    if (group.is_null()) group = ordered_json::object();
    stack_.push_back(&group);
  }
  void end_group() override { stack_.pop_back(); }

 private:
  ordered_json root_ = ordered_json::object();
  std::vector<ordered_json*> stack_ = {&root_};
};

double microseconds(const sc_core::sc_time& t) { return t.to_seconds() * 1e6; }

/// Counters of one launch, summed over the SMs.
SmLaunchCounters sum_of(const Platform& platform, std::uint32_t launch_id) {
  SmLaunchCounters sum;
  for (const auto& sm : platform.sms()) {
    const SmLaunchCounters* c = sm->launch_counters(launch_id);
    if (!c) continue;
    sum.warp_instructions += c->warp_instructions;
    sum.thread_instructions += c->thread_instructions;
    sum.ctas += c->ctas;
    sum.fetch.add(c->fetch);
    sum.scheduling.add(c->scheduling);
    sum.first_cycle = std::min(sum.first_cycle, c->first_cycle);
    sum.last_cycle = std::max(sum.last_cycle, c->last_cycle);
    sum.l1_bytes_least = std::min(sum.l1_bytes_least, c->l1_bytes_least);
    sum.l1_bytes_most = std::max(sum.l1_bytes_most, c->l1_bytes_most);
    if (sum.stalls.size() < c->stalls.size()) sum.stalls.resize(c->stalls.size());
    for (std::size_t s = 0; s < c->stalls.size(); ++s)
      for (std::size_t r = 0; r < c->stalls[s].size(); ++r) sum.stalls[s][r] += c->stalls[s][r];
  }
  return sum;
}

ordered_json stalls_json(const SmLaunchCounters& counters) {
  ordered_json json;
  ordered_json schedulers = ordered_json::array();
  for (unsigned r = 0; r < static_cast<unsigned>(Stall::kCount); ++r) {
    std::uint64_t sum = 0;
    for (const auto& scheduler : counters.stalls) sum += scheduler[r];
    json[stall_name(static_cast<Stall>(r))] = sum;
  }
  for (const auto& scheduler : counters.stalls) {
    ordered_json one;
    for (unsigned r = 0; r < static_cast<unsigned>(Stall::kCount); ++r)
      one[stall_name(static_cast<Stall>(r))] = scheduler[r];
    schedulers.push_back(std::move(one));
  }
  json["by_scheduler"] = std::move(schedulers);
  return json;
}

ordered_json kernel_json(Platform& platform, const KernelRecord& record) {
  const SmLaunchCounters counters = sum_of(platform, record.launch_id);
  const rt::LaunchInfo& info = platform.launch(record.launch_id);
  ordered_json json;
  json["name"] = info.name;
  json["entry"] = info.entry;
  json["launch"] = record.launch_id;
  json["stream"] = record.stream;
  json["stream_name"] = info.stream;
  json["context"] = record.context;
  json["priority"] = record.priority;
  json["budget"] = record.budget;
  json["grid"] = record.grid;
  json["block"] = record.block;
  json["ctas"] = record.ctas;
  json["ctas_done"] = record.ctas_done;
  json["ctas_per_sm"] = record.needs.most_ctas;
  json["limited_by"] = record.needs.limited_by;
  json["enqueued_us"] = info.enqueued.to_seconds() * 1e6;
  const sc_core::sc_time* doorbell = platform.command_processor().doorbell_of_launch(record.launch_id);
  json["doorbell_us"] = doorbell ? ordered_json(microseconds(*doorbell)) : ordered_json();
  json["launch_us"] = microseconds(record.launched_at);
  json["launch_cycle"] = record.launched;
  const bool started = record.first_cta != kNever, ended = record.finished();
  json["start_cycle"] = started ? ordered_json(record.first_cta) : ordered_json();
  json["end_cycle"] = ended ? ordered_json(record.ended) : ordered_json();
  json["start_us"] = started ? ordered_json(microseconds(record.first_cta_at)) : ordered_json();
  json["end_us"] = ended ? ordered_json(microseconds(record.ended_at)) : ordered_json();
  json["response_cycles"] = ended ? ordered_json(record.ended - record.launched) : ordered_json();
  json["execution_cycles"] =
      ended && started ? ordered_json(record.ended - record.first_cta) : ordered_json();
  json["warp_instructions"] = counters.warp_instructions;
  json["thread_instructions"] = counters.thread_instructions;
  if (ended && record.ended > record.first_cta) {
    const double cycles = static_cast<double>(record.ended - record.first_cta);
    json["ipc"] = static_cast<double>(counters.warp_instructions) / cycles;
    json["thread_ipc"] = static_cast<double>(counters.thread_instructions) / cycles;
  }
  json["frontend"] = stats_to_json(counters.fetch);
  if (counters.scheduling.cycles) json["scheduling"] = stats_to_json(counters.scheduling);
  json["stalls"] = stalls_json(counters);

  SmMemoryCounters memory;
  for (const auto& sm : platform.sms())
    if (const SmMemoryCounters* c = sm->memory_counters(record.launch_id)) memory.add(*c);
  json["l1_kib_least"] = counters.l1_bytes_most ? counters.l1_bytes_least / 1024 : 0;
  json["l1_kib_most"] = counters.l1_bytes_most / 1024;
  json["l1"] = stats_to_json(memory);
  json["noc"] = stats_to_json(platform.memory_system().crossbar().launches().at(record.launch_id));
  json["l2"] = stats_to_json(platform.memory_system().l2_of(record.launch_id));
  json["dram"] = stats_to_json(platform.memory_system().dram_of(record.launch_id));
  return json;
}

ordered_json streams_json(const ordered_json& kernels) {
  std::map<std::uint64_t, ordered_json> streams;
  for (const auto& kernel : kernels) {
    auto& stream = streams[kernel["stream"]];
    if (stream.is_null()) {
      stream["stream"] = kernel["stream"];
      stream["kernels"] = 0;
      stream["warp_instructions"] = 0;
      stream["response_cycles"] = 0;
      stream["execution_cycles"] = 0;
    }
    stream["kernels"] = stream["kernels"].get<std::uint64_t>() + 1;
    for (const char* key : {"warp_instructions", "response_cycles", "execution_cycles"})
      if (kernel[key].is_number())
        stream[key] = stream[key].get<std::uint64_t>() + kernel[key].get<std::uint64_t>();
  }
  ordered_json list = ordered_json::array();
  for (auto& [id, stream] : streams) list.push_back(std::move(stream));
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

}  // namespace

RunTotals totals_of(Platform& platform) {
  RunTotals totals;
  totals.cycles = platform.sm_clock().now();
  totals.kernel_cycles = kernel_cycles_of(platform.distributor().records(), totals.cycles);
  for (const KernelRecord& record : platform.distributor().records()) {
    const SmLaunchCounters c = sum_of(platform, record.launch_id);
    totals.warp_instructions += c.warp_instructions;
    totals.thread_instructions += c.thread_instructions;
  }
  totals.simulated_us = microseconds(sc_core::sc_time_stamp());
  return totals;
}

void collect(Platform& platform, ordered_json& result) {
  for (const auto& sm : platform.sms()) sm->settle(platform.sm_clock().now());
  const RunTotals totals = totals_of(platform);
  auto& simulation = result["simulation"];
  simulation["cycles"] = totals.cycles;
  simulation["kernel_cycles"] = totals.kernel_cycles;
  simulation["time_us"] = totals.simulated_us;
  simulation["warp_instructions"] = totals.warp_instructions;
  simulation["thread_instructions"] = totals.thread_instructions;

  FetchCounters fetch;
  SchedulingCounters scheduling;
  for (const auto& sm : platform.sms()) {
    fetch.add(sm->counters().fetch);
    scheduling.add(sm->counters().scheduling);
  }
  simulation["nops"] = fetch.nops;
  if (scheduling.cycles) simulation["scheduling"] = stats_to_json(scheduling);

  auto& kernels = result["kernels"] = ordered_json::array();
  for (const KernelRecord& record : platform.distributor().records())
    kernels.push_back(kernel_json(platform, record));
  result["streams"] = streams_json(kernels);

  auto& sms = result["sms"] = ordered_json::array();
  for (const auto& sm : platform.sms()) {
    ordered_json one = stats_to_json(sm->counters());
    JsonStatVisitor memory;
    sm->memory_stats(memory);
    one["memory"] = memory.json();
    sms.push_back(std::move(one));
  }
  const MemorySystem& memory = platform.memory_system();
  result["noc"] = stats_to_json(memory.crossbar());
  SumVisitor l2, dram;
  for (const auto& bank : memory.banks()) bank->stats(l2);
  for (const auto& channel : memory.channels()) channel->stats(dram);
  result["l2"] = l2.json();
  result["dram"] = dram.json();
  // Whose traffic it is: `noc`, `l2` and `dram` above are the sums of these.
  const MemorySystem::Traffic kernel_traffic = memory.kernel_traffic();
  auto& traffic = result["traffic"];
  traffic["kernels"] = stats_to_json(kernel_traffic);
  traffic["copies"] = stats_to_json(memory.copy_traffic());
  traffic["commands"] = stats_to_json(memory.command_traffic());
  const std::uint64_t bytes = kernel_traffic.dram.read_bytes + kernel_traffic.dram.written_bytes;
  const double kernel_seconds =
      static_cast<double>(totals.kernel_cycles) / (platform.config().sm_clock_mhz * 1e6);
  if (memory.peak_dram_bytes_per_second() > 0 && kernel_seconds > 0)
    result["dram"]["bandwidth_share"] =
        static_cast<double>(bytes) / kernel_seconds / memory.peak_dram_bytes_per_second();

  auto& control = result["control"];
  control["work_distributor"] = stats_to_json(platform.distributor().statistics());
  control["command_processor"] = stats_to_json(platform.command_processor());
  control["pcie"] = stats_to_json(platform.pcie().statistics());
  control["hub"] = stats_to_json(platform.hub().statistics());
  SumVisitor dma;
  for (const auto& engine : platform.dma()) engine->statistics().stats(dma);
  control["dma"] = dma.json();
}

}  // namespace warpvp
