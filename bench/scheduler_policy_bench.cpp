// Nanoseconds per decision of every registered warp and fetch scheduler: sixteen warps, as many as a sub-core
// of a full SM holds, of two kernels with different budgets; most stall now and then.

#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "base/registry.h"
#include "modules/sm/policies.h"

void register_benchmarks();  // called by sc_main.cpp

namespace warpvp {
namespace {

constexpr unsigned kWarps = 16;

unsigned decide(WarpSchedulerPolicy& policy, Cycle cycle, WarpMask ready, const std::uint8_t* buffered) {
  return policy.pick({cycle, 0xffff, ready, 0, buffered});
}
unsigned decide(FetchPolicy& policy, Cycle cycle, WarpMask ready, const std::uint8_t* buffered) {
  return policy.pick({cycle, 0xffff, ready}, buffered);
}

template <class Policy>
void pick(benchmark::State& state, const std::string& name) {
  const auto policy = Registry<Policy>::instance().make(name.c_str());
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
  std::vector<std::uint8_t> buffered(4096 + 64);
  for (std::uint8_t& count : buffered) count = static_cast<std::uint8_t>(rng() % 5);
  Cycle cycle = 0;
  unsigned sum = 0;
  for (auto _ : state) {
    const std::size_t i = cycle++ % ready.size();
    sum += decide(*policy, cycle, ready[i], &buffered[i]);
  }
  benchmark::DoNotOptimize(sum);
}

template <class Policy>
void register_all(const std::string& title) {
  for (const std::string& name : Registry<Policy>::instance().names())
    benchmark::RegisterBenchmark((title + "/" + name).c_str(),
                                 [name](benchmark::State& state) { pick<Policy>(state, name); });
}

}  // namespace
}  // namespace warpvp

void register_benchmarks() {
  warpvp::register_all<warpvp::WarpSchedulerPolicy>("issue");
  warpvp::register_all<warpvp::FetchPolicy>("fetch");
}
