#include "sw/schedulers/laxity.h"

namespace warpvp::sched {

CompletionRates::CompletionRates(const JobHost& host, const Knowledge& known) {
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

void CompletionRates::completed(unsigned kernel, double took_us) {
  seen_[kernel].sum_us += took_us;
  ++seen_[kernel].count;
  alone_done_us_ += alone_us_[kernel];
}

void CompletionRates::refresh(double interval_us, bool full) {
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (seen_[k].count > 0) kernel_us_[k] = seen_[k].sum_us / seen_[k].count;
    seen_[k] = {};
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

double drain_us(const JobHost& host, const Knowledge& known, const CompletionRates& rates,
                const std::vector<unsigned>& jobs) {
  double alone = 0;
  for (const unsigned job : jobs) alone += known.remaining_us(host, job, host.progress(job).done);
  return alone / rates.device_rate();
}

bool in_time(const JobHost& host, const Knowledge& known, const CompletionRates& rates,
             const std::vector<unsigned>& taken, unsigned job) {
  return drain_us(host, known, rates, taken) + remaining_us(host, rates, job) < left_us(host, job);
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
