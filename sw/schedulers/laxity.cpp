#include "sw/schedulers/laxity.h"

#include <algorithm>
#include <iterator>

namespace warpvp::sched {

CompletionRates::CompletionRates(const JobHost& host, const Knowledge& known, Estimate estimate)
    : estimate_(estimate) {
  // Before anything has run: what fits beside each other at once, over the work of all kernels.
  double alone = 0, together = 0;
  for (unsigned k = 0; k < host.stream().kernels.size(); ++k) {
    alone_us_.push_back(known.alone_us(k));
    alone += known.alone_us(k);
    together += known.alone_us(k) * known.share(k);
  }
  kernel_us_ = alone_us_;
  seen_.resize(alone_us_.size());
  if (together > 0) device_rate_ = alone / together;
}

/// Together with what it touches; kernels complete in about the order in which they begin, so that is near
/// the end.
void CompletionRates::add(std::vector<Interval>& active, Interval more) {
  auto first = active.end();
  while (first != active.begin() && std::prev(first)->end_us >= more.start_us) --first;
  auto last = first;
  for (; last != active.end() && last->start_us <= more.end_us; ++last) {
    more.start_us = std::min(more.start_us, last->start_us);
    more.end_us = std::max(more.end_us, last->end_us);
  }
  active.insert(active.erase(first, last), more);
}

void CompletionRates::completed(unsigned kernel, double start_us, double end_us) {
  Seen& seen = seen_[kernel];
  seen.sum_us += end_us - start_us;
  ++seen.count;
  if (estimate_ == Estimate::kKernels) add(seen.active, {std::max(start_us, seen.counted_us), end_us});
  alone_done_us_ += alone_us_[kernel];
}

void CompletionRates::refresh(double interval_us, bool full) {
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    Seen& seen = seen_[k];
    if (seen.count == 0) continue;
    double time_us = seen.sum_us;
    if (estimate_ == Estimate::kKernels) {
      time_us = 0;
      for (const Interval& i : seen.active) time_us += i.end_us - i.start_us;
    }
    kernel_us_[k] = time_us / seen.count;
    seen = {0, 0, {}, seen.active.empty() ? 0 : seen.active.back().end_us};
  }
  full_us_ = full ? full_us_ + interval_us : 0;
  if (!full) alone_done_us_ = 0;
  // Kernels may be longer than the interval: one in which none came to its end counts for the next one.
  if (alone_done_us_ > 0) {
    device_rate_ = alone_done_us_ / full_us_;
    alone_done_us_ = full_us_ = 0;
  }
}

double remaining_us(const JobHost& host, const CompletionRates& rates, unsigned job) {
  double sum = 0;
  for (unsigned i = host.progress(job).done; i < host.kernels_of(job); ++i)
    sum += rates.kernel_us(host.kernel(job, i));
  return sum;
}

double drain_us(const JobHost& host, const CompletionRates& rates, const std::vector<unsigned>& jobs) {
  double sum = 0;
  for (const unsigned job : jobs)
    for (unsigned i = host.progress(job).done; i < host.kernels_of(job); ++i)
      sum += rates.work_us(host.kernel(job, i));
  return sum / rates.rate();
}

bool in_time(const JobHost& host, const CompletionRates& rates, const std::vector<unsigned>& taken,
             unsigned job) {
  return drain_us(host, rates, taken) + remaining_us(host, rates, job) < left_us(host, job);
}

double priority_of(double deadline_us, double remaining_us, double age_us) {
  if (age_us > deadline_us) return kHopeless;
  const double completion = remaining_us + age_us;
  return deadline_us > completion ? deadline_us - completion : completion;
}

double priority_of(const JobHost& host, const CompletionRates& rates, unsigned job) {
  const double told = host.stream().jobs[job].told_deadline_us;
  return priority_of(told > 0 ? told : kHopeless, remaining_us(host, rates, job),
                     us(host.now() - host.arrival(job)));
}

}  // namespace warpvp::sched
