#include "study/report/run_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "platform/results/json_stats.h"
#include "platform/results/text_table.h"

namespace warpvp::report {

namespace {

using Json = nlohmann::ordered_json;

std::optional<double> number_in(const Json& object, const std::string& path) {
  const Json* const value = find_value(object, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

std::string text_in(const Json& object, const std::string& path) {
  const Json* const value = find_value(object, path);
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// "16 x 4" of [16, 4, 1].
std::string extent(const Json& object, const char* key) {
  const Json* const values = find_value(object, key);
  if (values == nullptr || !values->is_array()) return {};
  std::string text;
  std::size_t used = values->size();
  while (used > 1 && (*values)[used - 1] == 1) --used;
  for (std::size_t i = 0; i < used; ++i) text += (i ? " x " : "") + (*values)[i].dump();
  return text;
}

StallList stalls_in(const Json& stalls) {
  StallList list;
  for (const auto& [key, value] : stalls.items())
    if (value.is_number()) list.emplace_back(key, value.get<double>());
  return list;
}

void add(StallList& sum, const StallList& more) {
  for (const auto& stall : more) {
    auto same = std::find_if(sum.begin(), sum.end(), [&](const auto& s) { return s.first == stall.first; });
    if (same == sum.end())
      sum.push_back(stall);
    else
      same->second += stall.second;
  }
}

void add(KernelView& sum, const KernelView& k) {
  sum.ctas += k.ctas;
  sum.warp_instructions += k.warp_instructions;
  sum.thread_instructions += k.thread_instructions;
  sum.fp32 += k.fp32;
  sum.fp64 += k.fp64;
  sum.l1_accesses += k.l1_accesses;
  sum.l1_hits += k.l1_hits;
  sum.l2_accesses += k.l2_accesses;
  sum.l2_hits += k.l2_hits;
  sum.l2_read_bytes += k.l2_read_bytes;
  sum.l2_write_bytes += k.l2_write_bytes;
  sum.dram_read_bytes += k.dram_read_bytes;
  sum.dram_written_bytes += k.dram_written_bytes;
  if (k.execution_cycles) sum.execution_cycles = sum.execution_cycles.value_or(0) + *k.execution_cycles;
  add(sum.stalls, k.stalls);
  if (sum.by_scheduler.size() < k.by_scheduler.size()) sum.by_scheduler.resize(k.by_scheduler.size());
  for (std::size_t s = 0; s < k.by_scheduler.size(); ++s) add(sum.by_scheduler[s], k.by_scheduler[s]);
}

KernelView kernel_in(const Json& k) {
  KernelView view;
  view.name = text_in(k, "name");
  view.entry = text_in(k, "entry");
  view.stream = text_in(k, "stream_name");
  view.launch = number_in(k, "launch").value_or(0);
  if (view.stream.empty()) view.stream = fmt::format("stream {}", number_in(k, "stream").value_or(0));
  view.limited_by = text_in(k, "limited_by");
  view.grid = extent(k, "grid");
  view.block = extent(k, "block");
  const auto read = [&](double& to, const char* path) { to = number_in(k, path).value_or(0); };
  read(view.ctas, "ctas");
  read(view.ctas_per_sm, "ctas_per_sm");
  read(view.warp_instructions, "warp_instructions");
  read(view.thread_instructions, "thread_instructions");
  read(view.fp32, "fp32_operations");
  read(view.fp64, "fp64_operations");
  read(view.l1_accesses, "l1.l1_accesses");
  read(view.l1_hits, "l1.l1_hits");
  read(view.l2_accesses, "l2.accesses");
  read(view.l2_hits, "l2.hits");
  read(view.l2_read_bytes, "l1.read_bytes");
  read(view.l2_write_bytes, "l1.write_bytes");
  read(view.dram_read_bytes, "dram.read_bytes");
  read(view.dram_written_bytes, "dram.written_bytes");
  view.enqueued_us = number_in(k, "enqueued_us");
  view.launch_us = number_in(k, "launch_us");
  view.start_us = number_in(k, "start_us");
  view.end_us = number_in(k, "end_us");
  view.response_cycles = number_in(k, "response_cycles");
  view.execution_cycles = number_in(k, "execution_cycles");
  view.ipc = number_in(k, "ipc");
  if (const Json* stalls = find_value(k, "stalls"); stalls != nullptr && stalls->is_object())
    view.stalls = stalls_in(*stalls);
  if (const Json* each = find_value(k, "stalls.by_scheduler"); each != nullptr && each->is_array())
    for (const Json& scheduler : *each) view.by_scheduler.push_back(stalls_in(scheduler));
  return view;
}

}  // namespace

std::optional<double> KernelView::seconds() const {
  if (!start_us || !end_us || *end_us <= *start_us) return std::nullopt;
  return (*end_us - *start_us) * 1e-6;
}

double KernelView::stalled() const {
  double sum = 0;
  for (const auto& [reason, cycles] : stalls) sum += cycles;
  return sum;
}

std::string KernelGroup::label() const {
  return launches.size() == 1 ? name : fmt::format("{} ({} launches)", name, launches.size());
}

std::optional<double> RunView::number(const std::string& path) const { return number_in(result, path); }

std::optional<std::string> RunView::text(const std::string& path) const {
  std::string found = text_in(result, path);
  return found.empty() ? std::nullopt : std::optional<std::string>(std::move(found));
}

RunView view_of(const nlohmann::ordered_json& result, const std::string& file) {
  const auto wrong = [&](const char* what) {
    throw InputError(fmt::format("{}: no result of a run: {}; allowed: what `warpvp run` wrote", file, what));
  };
  if (!result.is_object()) wrong("it is no JSON object");
  for (const char* key : {"simulation", "config"})
    if (!result.contains(key) || !result[key].is_object())
      wrong(("no object '" + std::string(key) + "'").c_str());
  if (!result.contains("kernels") || !result["kernels"].is_array()) wrong("no list 'kernels'");
  for (const auto& kernel : result["kernels"])
    if (!kernel.is_object()) wrong("an item of 'kernels' is no object");

  RunView run{result, {}, {}, {}, {}, {}, {}, {}};
  for (const auto& kernel : result["kernels"]) run.kernels.push_back(kernel_in(kernel));
  for (const KernelView& kernel : run.kernels) {
    auto group = std::find_if(run.groups.begin(), run.groups.end(),
                              [&](const KernelGroup& g) { return g.name == kernel.name; });
    if (group == run.groups.end()) {
      run.groups.push_back({kernel.name, {}, {}});
      group = run.groups.end() - 1;
      group->sum.name = kernel.name;
    }
    group->launches.push_back(&kernel);
    add(group->sum, kernel);
    add(run.all_kernels, kernel);
  }
  if (run.kernels.empty())
    run.all_kernels.warp_instructions = run.number("simulation.warp_instructions").value_or(0);
  if (const auto cycles = run.number("simulation.kernel_cycles"); cycles && *cycles > 0)
    run.all_kernels.ipc = run.all_kernels.warp_instructions / *cycles;
  return run;
}

std::string readable(double value) {
  if (std::abs(value) >= 1000 && std::abs(value) < 1e18)
    return (value < 0 ? "-" : "") + with_thousands(static_cast<std::uint64_t>(std::llround(std::abs(value))));
  if (value == std::floor(value)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f} %", 100 * part / whole) : "-";
}

}  // namespace warpvp::report
