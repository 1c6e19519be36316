#pragma once
// What a host's scheduler can compute of kernels before they run: from profiles taken offline, and from how
// much of the device each takes.

#include <algorithm>
#include <cmath>
#include <vector>

#include "sw/schedulers/host_scheduler.h"

namespace warpvp::sched {

class Knowledge {
 public:
  Knowledge() = default;
  explicit Knowledge(const JobHost& host) {
    const auto& kernels = host.stream().kernels;
    for (unsigned k = 0; k < kernels.size(); ++k) {
      const double room = std::max(1u, host.room_for(k)), ctas = static_cast<double>(kernels[k].ctas());
      const double waves = std::max(1.0, std::ceil(ctas / room));
      alone_us_.push_back(waves * kernels[k].knowledge.cta_us);
      share_.push_back(std::min(1.0, ctas / room));
    }
  }

  /// Time of the kernel with the device to itself.
  double alone_us(unsigned kernel) const { return alone_us_[kernel]; }
  /// Of the device that it takes meanwhile: of the resource that it takes most of.
  double share(unsigned kernel) const { return share_[kernel]; }
  /// Of the job's kernels from `index` on.
  double remaining_us(const JobHost& host, unsigned job, unsigned index, double kernel_us = 0) const {
    Remaining& last = last_of(job);
    if (last.time_index != index || last.kernel_us != kernel_us) {
      double sum = 0;
      for (unsigned i = index; i < host.kernels_of(job); ++i)
        sum += alone_us(host.kernel(job, i)) + kernel_us;
      last.time_index = index;
      last.kernel_us = kernel_us;
      last.time_us = sum;
    }
    return last.time_us;
  }
  /// Mean share over the time of these kernels.
  double remaining_share(const JobHost& host, unsigned job, unsigned index) const {
    Remaining& last = last_of(job);
    if (last.share_index != index) {
      double time = 0, taken = 0;
      for (unsigned i = index; i < host.kernels_of(job); ++i) {
        const unsigned k = host.kernel(job, i);
        time += alone_us(k);
        taken += alone_us(k) * share(k);
      }
      last.share_index = index;
      last.share = time > 0 ? taken / time : 0;
    }
    return last.share;
  }

 private:
  /// What was computed last: schedulers ask for it again at each event, and it changes with the job's kernels
  /// alone.
  struct Remaining {
    unsigned time_index = ~0u, share_index = ~0u;
    double kernel_us = 0, time_us = 0, share = 0;
  };
  Remaining& last_of(unsigned job) const {
    if (job >= remaining_.size()) remaining_.resize(job + 1);
    return remaining_[job];
  }

  std::vector<double> alone_us_, share_;
  mutable std::vector<Remaining> remaining_;
};

inline double us(SimTime time) { return time.to_seconds() * 1e6; }
/// From now to the deadline, negative when it has passed; a time beyond all where there is none.
inline double left_us(const JobHost& host, unsigned job) {
  const auto deadline = host.deadline(job);
  if (!deadline) return 1e12;
  return *deadline >= host.now() ? us(*deadline - host.now()) : -us(host.now() - *deadline);
}

}  // namespace warpvp::sched
