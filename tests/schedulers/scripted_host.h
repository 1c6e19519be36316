#pragma once
// A JobHost without a device: the test says when jobs arrive and kernels end, and sees what a scheduler asks
// for.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sw/schedulers/host_scheduler.h"

namespace warpvp::test {

class ScriptedHost : public sched::JobHost {
 public:
  /// A kernel of so many CTAs, of which the device has room for `room`; each takes `cta_us`.
  unsigned add_kernel(const std::string& name, unsigned ctas, unsigned room, double cta_us,
                      double memory_bytes = 0) {
    apps::StreamKernel kernel;
    kernel.launch.kernel = name;
    kernel.launch.grid[0] = ctas;
    kernel.knowledge = {cta_us, 0, memory_bytes};
    stream_.kernels.push_back(kernel);
    room_.push_back(room);
    return static_cast<unsigned>(stream_.kernels.size() - 1);
  }
  unsigned add_job(const std::vector<unsigned>& kernels, double deadline_us) {
    apps::StreamJob job;
    job.name = std::to_string(stream_.jobs.size());
    job.deadline_us = job.told_deadline_us = deadline_us;
    job.kernels = kernels;
    stream_.jobs.push_back(job);
    progress_.emplace_back();
    arrivals_.emplace_back();
    return static_cast<unsigned>(stream_.jobs.size() - 1);
  }
  /// After all kernels and jobs were added.
  void use(const std::string& scheduler,
           const std::function<void(const std::function<void(FieldVisitor&)>&)>& parameters = {}) {
    PolicyChoice choice(scheduler.c_str());
    choice.load = parameters;
    scheduler_ = Registry<sched::HostScheduler>::instance().make(choice);
    scheduler_->begin(*this);
  }

  void arrive(unsigned job) {
    arrivals_[job] = now_;
    open_.push_back(job);
    scheduler_->arrived(*this, job);
  }
  /// The job's next kernel ends now; it has run for so long.
  void finish(unsigned job, double took_us) {
    const unsigned index = progress_[job].done++;
    ASSERT_LE(progress_[job].done, progress_[job].launched) << "job " << job << " has no kernel to end";
    scheduler_->kernel_done(*this, job, index, now_ - SimTime::from_us(took_us), now_);
    if (progress_[job].done == kernels_of(job)) close(job);
    for (const unsigned over : std::exchange(over_, {})) scheduler_->job_over(*this, over);
  }
  /// Lets so much time pass, and the scheduler have its turn; returns what it asked for since the last time.
  std::vector<std::string> turn(double after_us = 0) {
    now_ = now_ + SimTime::from_us(after_us);
    scheduler_->schedule(*this);
    for (const unsigned over : std::exchange(over_, {})) scheduler_->job_over(*this, over);
    return std::exchange(calls_, {});
  }
  std::optional<double> next_call_us() const {
    const auto at = scheduler_->next_call();
    return at ? std::optional<double>(at->to_seconds() * 1e6) : std::nullopt;
  }
  void set_told_deadline(unsigned job, double us) { stream_.jobs[job].told_deadline_us = us; }

  SimTime now() const override { return now_; }
  const apps::JobStream& stream() const override { return stream_; }
  const sched::JobProgress& progress(unsigned job) const override { return progress_[job]; }
  const std::vector<unsigned>& open_jobs() const override { return open_; }
  SimTime arrival(unsigned job) const override { return arrivals_[job]; }
  unsigned room_for(unsigned kernel) const override { return room_[kernel]; }
  void launch(unsigned job, unsigned kernels, double delay_us) override {
    EXPECT_FALSE(progress_[job].over) << "job " << job;
    progress_[job].launched += kernels;
    EXPECT_LE(progress_[job].launched, kernels_of(job)) << "job " << job;
    calls_.push_back(fmt::format("launch {} x{} +{}", job, kernels, delay_us));
  }
  void launch_batch(const std::vector<unsigned>& jobs, double delay_us) override {
    std::string text = "batch";
    const unsigned first = kernel(jobs[0], progress_[jobs[0]].launched);
    for (const unsigned job : jobs) {
      EXPECT_EQ(kernel(job, progress_[job].launched++), first);
      text += fmt::format(" {}", job);
    }
    calls_.push_back(text + fmt::format(" +{}", delay_us));
  }
  void reject(unsigned job, std::uint32_t code) override {
    EXPECT_EQ(progress_[job].launched, 0u) << "job " << job;
    calls_.push_back(fmt::format("reject {} code {}", job, code));
    close(job);
  }
  void set_priority(unsigned job, int priority) override {
    calls_.push_back(fmt::format("priority {} {}", job, priority));
  }

 private:
  void close(unsigned job) {
    progress_[job].over = true;
    open_.erase(std::find(open_.begin(), open_.end(), job));
    over_.push_back(job);
  }

  SimTime now_ = SimTime::from_us(1000);
  apps::JobStream stream_;
  std::vector<unsigned> room_;
  std::vector<sched::JobProgress> progress_;
  std::vector<SimTime> arrivals_;
  std::vector<unsigned> open_, over_;
  std::vector<std::string> calls_;
  std::unique_ptr<sched::HostScheduler> scheduler_;
};

}  // namespace warpvp::test
