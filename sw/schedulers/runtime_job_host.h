#pragma once
// JobHost over the public runtime: one host thread that takes jobs as they arrive, hands completions to the
// scheduler, and does what it asks for.

#include <map>
#include <memory>
#include <vector>

#include "interconnect/host_interface.h"
#include "sw/apps/job_kernels.h"
#include "sw/schedulers/host_scheduler.h"
#include "sw/schedulers/knowledge.h"

namespace warpvp::sched {

struct JobHostOptions {
  unsigned queues = 128;  ///< jobs under way at once; those that arrive meanwhile wait for a queue
};

class RuntimeJobHost : public JobHost {
 public:
  /// What is referred to outlives it. `kernels`: real ones, prepared; without them loads a module of empty
  /// ones, as the SMs know kernels by their profiles.
  RuntimeJobHost(rt::Runtime& device, const apps::JobStream& stream, const JobHostOptions& options,
                 apps::JobKernels* kernels = nullptr);

  /// Until all jobs are over.
  void run(HostScheduler& scheduler);

  SimTime now() const override { return device_.host().now(); }
  const apps::JobStream& stream() const override { return stream_; }
  const JobProgress& progress(unsigned job) const override { return jobs_[job].progress; }
  const std::vector<unsigned>& open_jobs() const override { return open_; }
  SimTime arrival(unsigned job) const override { return begin_ + stream_.jobs[job].arrival; }
  unsigned room_for(unsigned kernel) const override { return kernels_[kernel].room; }
  void launch(unsigned job, unsigned kernels, double delay_us) override;
  void launch_batch(const std::vector<unsigned>& jobs, double delay_us) override;
  void reject(unsigned job, std::uint32_t code) override;
  void set_priority(unsigned job, int priority) override;

 private:
  struct KnownKernel {
    rt::Kernel kernel;
    rt::Args args;
    unsigned registers = 0, shared_bytes = 0;  ///< 0: what the kernel needs
    unsigned room = 0;
    bool real = false;
  };
  struct OpenJob {
    JobProgress progress;
    rt::Job handle;
    rt::Stream stream;
    unsigned submitted = 0;  ///< kernels that the runtime has
  };
  struct Due {
    std::vector<unsigned> jobs;  ///< several: a batch
    unsigned kernels = 1;
    bool batch = false;
  };

  struct BatchStream {
    rt::Stream stream;
    unsigned job = 0, done = 0;  ///< its last batch is over when the job has this many kernels done
  };

  void load_kernels(apps::JobKernels* real);
  rt::LaunchOptions options_of(unsigned kernel) const;
  void take_arrivals(HostScheduler& scheduler);
  void take_completions(HostScheduler& scheduler);
  void submit(const Due& due);
  void submit_batch(const std::vector<unsigned>& jobs);
  void submitted(unsigned job, unsigned kernels);
  void close(unsigned job);
  BatchStream& stream_for_batch();

  rt::Runtime& device_;
  const apps::JobStream& stream_;
  SimTime begin_;
  std::vector<KnownKernel> kernels_;
  Knowledge known_;
  std::vector<OpenJob> jobs_;
  std::vector<unsigned> open_;
  std::map<std::uint32_t, unsigned> by_handle_;
  std::vector<rt::Stream> free_;  // each with a queue of its own; the last one is taken next
  std::vector<BatchStream> batch_streams_;
  std::multimap<SimTime, Due> due_;
  std::vector<unsigned> over_;  // not told to the scheduler yet
  std::size_t next_arrival_ = 0;
};

}  // namespace warpvp::sched
