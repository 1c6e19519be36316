#include "platform/collect/job_result.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

namespace {

std::optional<double> in_us(const std::optional<SimTime>& time) {
  return time ? std::optional<double>(time->to_us()) : std::nullopt;
}

}  // namespace

std::optional<double> JobResult::latency_us() const {
  if (status.state != rt::JobState::kComplete || !status.end) return {};
  return (*status.end - status.arrival).to_us();
}

bool JobResult::successful() const {
  return status.state == rt::JobState::kComplete && status.met.value_or(true);
}

bool JobResult::failed() const {
  return status.state == rt::JobState::kRejected || (status.met && !*status.met);
}

void JobResult::stats(ResultVisitor& v) const {
  const bool has_deadline = status.deadline != SimTime();
  v.text("name", info.name, "Its name.");
  v.number("job", info.id, "Its number, from 1 in the order of the host's calls.");
  v.number("stream", info.stream_id, "Number of its stream.");
  v.number("context", info.context, "Number of its context.");
  v.number("priority", info.priority, "Priority of its stream; greater is more urgent.");
  v.text("state", rt::job_state_text(status.state),
         "One of open (the host has not ended it), queued, running, complete or rejected, as the host knew "
         "when the run ended; running also if no command of it was complete but a kernel of it had begun.");
  v.value("arrival_us", status.arrival.to_us(), "us", "When it arrived.");
  v.value("deadline_us", has_deadline ? std::optional<double>(status.deadline.to_us()) : std::nullopt, "us",
          "Time by which it is to end; null: it has no deadline.");
  v.value("start_us", in_us(status.start), "us",
          "When its first command that ran began; null: none is complete.");
  v.value("end_us", in_us(status.end), "us",
          "When its last command was complete, or its rejection took effect; null: neither.");
  v.value("latency_us", latency_us(), "us", "From its arrival to its end; null: not complete.");
  v.value("met", status.met ? std::optional<std::uint64_t>(*status.met) : std::nullopt, "jobs",
          "Whether it ended by its deadline: 1 it did; 0 later, or it was rejected; null: it has no "
          "deadline, or has not "
          "ended.");
  v.value("rejected", std::uint64_t{status.code != 0}, "jobs",
          "Whether a scheduler rejected it, or part of it: 1 it did.");
  v.number("code", status.code, "Code that the scheduler gave for the rejection; 0: none.");
  v.value("kernels", std::uint64_t{info.kernels}, "kernels", "Kernels that the host launched in it.");
  v.value("kernels_run", kernels_run, "kernels", "Of these, kernels that were started.");
  v.value("ctas", ctas, "CTAs", "CTAs that its kernels have run.");
  v.value("wasted_ctas", wasted_ctas(), "CTAs",
          "The same if it was rejected or missed its deadline, else 0.");
}

LatencyResult LatencyResult::of(std::vector<double> latencies) {
  LatencyResult result;
  if (latencies.empty()) return result;
  std::sort(latencies.begin(), latencies.end());
  const auto percentile = [&](double percent) {
    const double rank = std::ceil(percent / 100 * static_cast<double>(latencies.size()));
    return latencies[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
  };
  result.p50_us = percentile(50);
  result.p95_us = percentile(95);
  result.p99_us = percentile(99);
  result.mean_us =
      std::accumulate(latencies.begin(), latencies.end(), 0.0) / static_cast<double>(latencies.size());
  result.most_us = latencies.back();
  return result;
}

void LatencyResult::stats(ResultVisitor& v) const {
  v.value("p50_us", p50_us, "us", "Median: the least latency that half of the jobs do not exceed.");
  v.value("p95_us", p95_us, "us", "The least latency that 95 % of the jobs do not exceed.");
  v.value("p99_us", p99_us, "us", "The least latency that 99 % of the jobs do not exceed.");
  v.value("mean_us", mean_us, "us", "Mean latency.");
  v.value("most_us", most_us, "us", "Greatest latency.");
}

JobSummary JobSummary::of(const std::vector<JobResult>& jobs) {
  JobSummary s;
  std::vector<double> latencies;
  SimTime first = jobs.empty() ? SimTime() : jobs.front().status.arrival, last = first, due = first;
  for (const JobResult& job : jobs) {
    const rt::JobStatus& status = job.status;
    ++s.jobs;
    if (status.state == rt::JobState::kRejected) {
      ++s.rejected;
    } else if (status.state == rt::JobState::kComplete) {
      ++s.complete;
      if (status.met) ++(*status.met ? s.met : s.missed);
    } else {
      ++s.unfinished;
    }
    if (job.successful()) ++s.successful;
    s.ctas += job.ctas;
    s.wasted_ctas += job.wasted_ctas();
    if (const auto latency = job.latency_us()) latencies.push_back(*latency);
    first = std::min(first, status.arrival);
    if (status.end) last = std::max(last, *status.end);
    due = std::max({due, status.arrival, status.deadline});
  }
  s.span_us = (last - first).to_us();
  s.due_us = (due - first).to_us();
  s.latency = LatencyResult::of(std::move(latencies));
  return s;
}

void JobSummary::stats(ResultVisitor& v) const {
  v.value("jobs", jobs, "jobs", "Jobs in all.");
  v.value("complete", complete, "jobs", "Of these, complete, in time or not.");
  v.value("met", met, "jobs", "Complete by their deadline.");
  v.value("missed", missed, "jobs", "Complete after their deadline.");
  v.value("rejected", rejected, "jobs", "Rejected by a scheduler.");
  v.value("unfinished", unfinished, "jobs", "Neither complete nor rejected when the run ended.");
  v.value("successful", successful, "jobs", "Complete, and not after a deadline.");
  v.value("successful_per_second", span_us > 0 ? static_cast<double>(successful) / span_us * 1e6 : 0,
          "jobs/s", "Successful jobs per second of span_us.");
  v.value("span_us", span_us, "us", "From the first arrival to the last end.");
  v.value(
      "due_us", due_us, "us",
      "From the first arrival to the last deadline, or arrival if that is later: no scheduler changes it.");
  v.value("ctas", ctas, "CTAs", "CTAs that kernels of jobs have run.");
  v.value("wasted_ctas", wasted_ctas, "CTAs",
          "Of these, CTAs of jobs that were rejected or missed their deadline.");
  v.value("wasted_share", ctas > 0 ? static_cast<double>(wasted_ctas) / static_cast<double>(ctas) : 0,
          "share", "Share of wasted_ctas in ctas.");
  v.group("latency", latency, "From arrival to end, over complete jobs.");
}

std::vector<JobResult> job_results(const rt::JobDirectory& jobs, const std::vector<rt::LaunchInfo>& launches,
                                   const std::vector<KernelRecord>& records) {
  std::vector<JobResult> results;
  for (const rt::JobInfo& info : jobs.jobs()) {
    results.emplace_back();
    results.back().info = info;
    results.back().status = rt::status_of(info);
  }
  for (const KernelRecord& record : records) {
    const auto add = [&](std::uint32_t job, std::uint64_t ctas) {
      if (job == 0 || job > results.size()) return;
      JobResult& result = results[job - 1];
      ++result.kernels_run;
      result.ctas += ctas;
      // A kernel that never ends tells the host nothing; that it has CTAs on the SMs, the machine knows.
      if (result.status.state == rt::JobState::kQueued && record.first_cta != kNever)
        result.status.state = rt::JobState::kRunning;
    };
    add(record.job, record.ctas_done);
    if (record.launch_id >= launches.size()) continue;
    const std::vector<std::uint32_t>& batch = launches[record.launch_id].batch;
    for (std::size_t i = 0; i < batch.size(); ++i)
      add(batch[i], record.ctas_done / batch.size() + (i < record.ctas_done % batch.size() ? 1 : 0));
  }
  return results;
}

}  // namespace warpvp
