#include "sw/apps/job_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random_factor.h"

namespace warpvp::apps {

namespace {

/// What is drawn: groups of random numbers that have nothing in common.
enum Drawn : std::uint64_t { kArrival = 1, kLength, kWhichKind, kTold, kWhichBenchmark };

/// The item whose part of the sum the number in (0, 1) falls into.
template <class Item, class Share>
std::size_t choose(const std::vector<Item>& items, const Share& share, double number) {
  double sum = 0;
  for (const Item& item : items) sum += share(item);
  double left = number * sum;
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    left -= share(items[i]);
    if (left < 0) return i;
  }
  return items.size() - 1;
}

class Drawing {
 public:
  Drawing(const JobStreamPlan& plan, std::uint64_t seed) : plan_(plan), seed_(seed) {}

  JobStream draw() {
    // Of several independent Poisson processes the next arrival is one of each with the share of its rate.
    double rate = 0;
    for (const JobBenchmark& b : plan_.benchmarks) rate += b.jobs_per_second;
    const double mean_us = 1e6 * static_cast<double>(plan_.benchmarks.size()) / rate * plan_.burst;
    double at_us = 0;
    std::map<std::string, unsigned> numbers;
    for (std::uint32_t i = 0; i < plan_.jobs; ++i) {
      if (i % plan_.burst == 0)
        at_us += plan_.even ? mean_us : mean_us * exponential_factor(seed_, kArrival, i / plan_.burst);
      add(benchmark_of(i), i, at_us, numbers);
    }
    return std::move(stream_);
  }

  std::uint64_t count(std::uint64_t enough) const {
    std::uint64_t sum = 0;
    for (std::uint32_t i = 0; i < plan_.jobs && sum <= enough; ++i) {
      const JobBenchmark& benchmark = benchmark_of(i);
      sum += count(kind_of(benchmark, i).steps, length_of(benchmark, i), enough);
    }
    return sum;
  }

 private:
  const JobBenchmark& benchmark_of(std::uint32_t i) const {
    return plan_.benchmarks[choose(
        plan_.benchmarks, [](const JobBenchmark& b) { return b.jobs_per_second; },
        uniform_number(seed_, kWhichBenchmark, i))];
  }
  const JobKind& kind_of(const JobBenchmark& benchmark, std::uint32_t i) const {
    return benchmark.kinds[choose(
        benchmark.kinds, [](const JobKind& k) { return k.share; }, uniform_number(seed_, kWhichKind, i))];
  }
  std::uint32_t length_of(const JobBenchmark& benchmark, std::uint32_t i) const {
    const LengthLaw& law = benchmark.length;
    const double drawn = std::round(law.mean * log_normal_factor(law.variation, seed_, kLength, i));
    return static_cast<std::uint32_t>(std::min<double>(std::max<double>(drawn, law.least), law.most));
  }

  /// At most about `enough`, so that repeats within repeats do not overflow.
  static std::uint64_t count(const std::vector<TraceStep>& steps, std::uint32_t length,
                             std::uint64_t enough) {
    std::uint64_t sum = 0;
    for (const TraceStep& step : steps) {
      if (step.kind == TraceStep::Kind::kLaunch) ++sum;
      if (step.kind != TraceStep::Kind::kRepeat) continue;
      const std::uint64_t times = step.times == 0 ? length : step.times;
      const std::uint64_t once = count(step.body, length, enough);
      if (once != 0 && times > enough / once) return enough + 1;
      sum += times * once;
    }
    return sum;
  }

  void add(const JobBenchmark& benchmark, std::uint32_t i, double at_us,
           std::map<std::string, unsigned>& numbers) {
    const JobKind& kind = kind_of(benchmark, i);
    const std::uint32_t length = length_of(benchmark, i);
    StreamJob job;
    job.name = fmt::format("{}{}", kind.name, ++numbers[kind.name]);
    job.arrival = SimTime::from_us(at_us);
    job.deadline_us = benchmark.deadline_us;
    job.told_deadline_us = benchmark.deadline_us * plan_.told_deadline *
                           log_normal_factor(plan_.told_deadline_spread, seed_, kTold, i);
    append(kind.steps, length, job.kernels);
    if (job.kernels.empty()) throw InputError(fmt::format("jobs of kind '{}' have no kernels", kind.name));
    stream_.jobs.push_back(std::move(job));
  }

  void append(const std::vector<TraceStep>& steps, std::uint32_t length, std::vector<unsigned>& kernels) {
    for (const TraceStep& step : steps) {
      if (step.kind == TraceStep::Kind::kLaunch) kernels.push_back(number_of(step.launch));
      if (step.kind != TraceStep::Kind::kRepeat) continue;
      const std::uint64_t times = step.times == 0 ? length : step.times;
      for (std::uint64_t t = 0; t < times; ++t) append(step.body, length, kernels);
    }
  }

  unsigned number_of(const TraceLaunch& launch) {
    const auto& g = launch.grid;
    const auto& b = launch.block;
    const std::string key = fmt::format("{} {} {} {} {} {} {} {} {}", launch.kernel, g[0], g[1], g[2], b[0],
                                        b[1], b[2], launch.registers, launch.shared_bytes);
    const auto known = numbers_.find(key);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<unsigned>(stream_.kernels.size());
    stream_.kernels.push_back({launch, {}});
    numbers_[key] = number;
    return number;
  }

  const JobStreamPlan& plan_;
  const std::uint64_t seed_;
  JobStream stream_;
  std::map<std::string, unsigned> numbers_;
};

}  // namespace

JobStream draw_jobs(const JobStreamPlan& plan, std::uint64_t seed) { return Drawing(plan, seed).draw(); }

std::uint64_t count_kernels(const JobStreamPlan& plan, std::uint64_t seed, std::uint64_t enough) {
  return Drawing(plan, seed).count(enough);
}

}  // namespace warpvp::apps
