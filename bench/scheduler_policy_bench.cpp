// Nanoseconds per decision of every registered warp scheduler: sixteen warps, as many as a sub-core of a full
// SM holds, of two kernels with different budgets; most stall now and then.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "base/registry.h"
#include "modules/sm/policies.h"

void register_benchmarks();  // called by sc_main.cpp

namespace warpvp {
namespace {

constexpr unsigned kWarps = 16;

void pick(benchmark::State& state, const std::string& name) {
  const auto policy = Registry<WarpSchedulerPolicy>::instance().make(name.c_str());
  for (unsigned warp = 0; warp < kWarps; ++warp) {
    WarpInfo info;
    info.age = warp;
    info.launch_id = warp % 2;
    info.budget = warp % 2 ? 4 : 1;
    policy->warp_started(warp, info);
  }
  std::mt19937 rng(1);
  std::vector<WarpMask> ready(4096);
  for (WarpMask& mask : ready) mask = (rng() & rng() & 0xffff) | WarpMask{1} << rng() % kWarps;
  IssueView view;
  view.resident = 0xffff;
  unsigned sum = 0;
  for (auto _ : state) {
    view.ready = ready[view.cycle % ready.size()];
    ++view.cycle;
    sum += policy->pick(view);
  }
  benchmark::DoNotOptimize(sum);
}

}  // namespace
}  // namespace warpvp

void register_benchmarks() {
  using namespace warpvp;
  for (const RegistryEntryInfo& entry : all_registry_entries())
    if (entry.kind == WarpSchedulerPolicy::kKind)
      benchmark::RegisterBenchmark(("pick/" + entry.name).c_str(),
                                   [name = entry.name](benchmark::State& state) { pick(state, name); });
}
