#include "platform/observe/time_breakdown.h"

#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>

#include "base/part_mark.h"

namespace warpvp {

namespace {

constexpr unsigned kParts = 32;
struct Count {
  std::atomic<const char*> part{nullptr};
  std::atomic<unsigned> samples{0};
};
Count counts[kParts];

// Async-signal-safe: lock-free atomics only. Parts are string literals, so pointers tell them apart.
void sample(int) {
  static const char none[] = "kernel and host";
  const char* part = current_part;
  if (!part) part = none;
  for (Count& count : counts) {
    const char* known = count.part.load(std::memory_order_relaxed);
    if (!known) count.part.store(known = part, std::memory_order_relaxed);
    if (known == part) {
      count.samples.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
}

void set_timer(long microseconds) {
  itimerval timer{};
  timer.it_interval.tv_usec = timer.it_value.tv_usec = microseconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

}  // namespace

TimeBreakdown::TimeBreakdown() {
  for (Count& count : counts) {
    count.part = nullptr;
    count.samples = 0;
  }
  struct sigaction action {};
  action.sa_handler = sample;
  action.sa_flags = SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  set_timer(1000);
}

TimeBreakdown::~TimeBreakdown() { set_timer(0); }

std::vector<std::pair<std::string, double>> TimeBreakdown::stop() {
  set_timer(0);
  double total = 0;
  for (const Count& count : counts) total += count.samples;
  std::vector<std::pair<std::string, double>> shares;
  for (const Count& count : counts)
    if (count.samples != 0) shares.emplace_back(count.part.load(), count.samples / total);
  // The same literal may stand in several files.
  std::sort(shares.begin(), shares.end());
  for (std::size_t i = 1; i < shares.size();) {
    if (shares[i].first != shares[i - 1].first) {
      ++i;
      continue;
    }
    shares[i - 1].second += shares[i].second;
    shares.erase(shares.begin() + static_cast<std::ptrdiff_t>(i));
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return shares;
}

}  // namespace warpvp
