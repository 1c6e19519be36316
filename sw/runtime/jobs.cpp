// Jobs, and the host's side of the firmware's mailbox.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sw/runtime/runtime_impl.h"

namespace warpvp::rt {

namespace mailbox = regmap::mailbox;

namespace {

std::uint64_t ns(SimTime time) { return time.fs() / 1'000'000; }
SimTime from_ns(std::uint64_t ns) { return SimTime::from_fs(ns * 1'000'000); }

bool has_all_kernels(const JobInfo& info) {
  return info.expected_kernels != 0 && info.kernels == info.expected_kernels;
}

/// Nothing may follow, and the device knows.
bool is_whole(const JobInfo& info) {
  return info.expected_commands != 0 ? info.status.commands == info.expected_commands : has_all_kernels(info);
}

void check_deadline(double us, const std::string& what) {
  if (std::isfinite(us) && us >= 0 && us <= 1e9) return;
  throw InputError(fmt::format("{} of {} us{}; allowed: from 0 (none) to 1e9 us after the job's arrival",
                               what, us, us < 0 ? ", before the job's arrival" : ""));
}

void name_job(const JobInfo& info, aql::Extension& extension) {
  extension.job = info.id;
  extension.deadline_ns = ns(info.told_deadline);
  extension.job_arrival_ns = ns(info.status.arrival);
  extension.job_kernels = info.expected_kernels;
}

}  // namespace

JobInfo& RuntimeImpl::job(Job job, const char* call) {
  if (job.id >= 1 && job.id <= services_.jobs.size()) return services_.jobs.at(job.id);
  throw InputError(fmt::format("{}: no job {}; {} were begun", call, job.id, services_.jobs.size()));
}

Job RuntimeImpl::begin_job(Stream s, const JobOptions& options) {
  StreamState& st = stream(s, "begin_job");
  const std::string what = options.name.empty() ? "begin_job" : fmt::format("begin_job '{}'", options.name);
  if (st.job != 0)
    throw InputError(fmt::format("{}: stream '{}' has job '{}' open; end that first", what, st.name,
                                 services_.jobs.at(st.job).name));
  check_deadline(options.deadline_us, what + ": a deadline");
  const double told = options.told_deadline_us.value_or(options.deadline_us);
  check_deadline(told, what + ": the device is told a deadline");
  const SimTime arrival = options.arrival.value_or(host_.now());
  if (arrival > host_.now())
    throw InputError(
        fmt::format("{}: it arrives at {} us, which is in the future", what, arrival.to_seconds() * 1e6));
  JobInfo info;
  info.name = options.name.empty() ? fmt::format("job{}", services_.jobs.size() + 1) : options.name;
  info.stream = st.name;
  info.stream_id = st.id;
  info.context = st.context;
  info.priority = st.priority;
  info.expected_kernels = options.kernels;
  info.expected_commands = options.commands;
  info.status.arrival = arrival;
  if (options.deadline_us > 0) info.status.deadline = arrival + SimTime::from_us(options.deadline_us);
  if (told > 0) info.told_deadline = arrival + SimTime::from_us(told);
  st.job = services_.jobs.add(std::move(info)).id;
  return Job{st.job};
}

void RuntimeImpl::add_to_job(std::uint32_t job, bool kernel, aql::Extension& extension) {
  JobInfo& info = services_.jobs.at(job);
  const auto full = [&](std::uint32_t number, const char* what, const char* which) {
    throw InputError(fmt::format("job '{}' was begun with {} {} and has them; {} may follow", info.name,
                                 number, what, which));
  };
  if (is_whole(info) && info.expected_commands != 0) full(info.expected_commands, "commands", "nothing");
  if (is_whole(info)) full(info.expected_kernels, "kernels", "nothing");
  if (kernel && has_all_kernels(info)) full(info.expected_kernels, "kernels", "no other kernel");
  if (kernel) ++info.kernels;
  name_job(info, extension);
  extension.job_index = info.status.commands++;
  if (is_whole(info)) extension.job_flags = aql::kJobLast;
}

// Where the host has not said how many kernels come, the device learns of the end from a packet that does
// nothing else.
void RuntimeImpl::end_job(Job handle) {
  JobInfo& info = job(handle, "end_job");
  const auto open = std::find_if(streams_.begin(), streams_.end(),
                                 [&](const StreamState& st) { return st.job == info.id; });
  if (open == streams_.end())
    throw InputError(fmt::format("end_job: job '{}' has ended already, or is another program's", info.name));
  if (info.status.commands == 0)
    throw InputError(fmt::format("end_job: job '{}' has no commands; launch a kernel before", info.name));
  if (info.expected_kernels != 0 && info.kernels != info.expected_kernels)
    throw InputError(fmt::format("end_job: job '{}' was begun with {} kernels and has {}", info.name,
                                 info.expected_kernels, info.kernels));
  if (info.expected_commands != 0 && !is_whole(info))
    throw InputError(fmt::format("end_job: job '{}' was begun with {} commands and has {}", info.name,
                                 info.expected_commands, info.status.commands));
  if (!is_whole(info)) {
    aql::Extension extension;
    name_job(info, extension);
    extension.job_index = info.status.commands;
    extension.job_flags = aql::kJobLast;
    submit(*open, aql::Barrier{}, aql::PacketType::kBarrierAnd, extension, {}, 0, nullptr);
  }
  open->job = 0;
  info.ended = true;
  poll();
}

void RuntimeImpl::check_batch(const StreamState& st, const std::vector<Job>& batch,
                              const std::string& launch) {
  if (batch.empty()) return;
  if (st.job != 0)
    throw InputError(fmt::format("launch of '{}': a batch in stream '{}', which has job '{}' open", launch,
                                 st.name, services_.jobs.at(st.job).name));
  std::set<std::uint32_t> seen;
  for (const Job& of : batch) {
    const JobInfo& info = job(of, "launch");
    if (info.ended)
      throw InputError(fmt::format("launch of '{}': job '{}' of its batch has ended", launch, info.name));
    if (!seen.insert(of.id).second)
      throw InputError(fmt::format("launch of '{}': job '{}' is in its batch twice", launch, info.name));
  }
}

void RuntimeImpl::reject_job(Job handle, std::uint32_t code) {
  JobInfo& info = job(handle, "reject_job");
  if (code < 1 || code > 65535)
    throw InputError(fmt::format("reject_job: job '{}' with code {}; allowed: 1 to 65535", info.name, code));
  const auto open = std::find_if(streams_.begin(), streams_.end(),
                                 [&](const StreamState& st) { return st.job == info.id; });
  if (open == streams_.end() || info.status.commands != 0)
    throw InputError(fmt::format(
        "reject_job: job '{}' has {}", info.name,
        open == streams_.end() ? "ended already, or is another program's" : "commands that the device has"));
  open->job = 0;
  info.ended = true;
  info.status.code = code;
  info.status.end = host_.now();
}

std::optional<JobCompletion> RuntimeImpl::next_completion() {
  keep_completions_ = true;
  poll();
  if (completions_.empty()) return std::nullopt;
  const JobCompletion next = completions_.front();
  completions_.pop_front();
  return next;
}

void RuntimeImpl::note_in_jobs(const Command& command) {
  for (const std::uint32_t job : command.jobs) {
    note_in_job(command, services_.jobs.at(job).status);
    if (keep_completions_)
      completions_.push_back({Job{job}, command.code, from_ns(command.start_ns), from_ns(command.end_ns)});
  }
}

void RuntimeImpl::note_in_job(const Command& command, JobStatus& status) {
  ++status.commands_done;
  if (command.code != 0) {
    ++status.commands_rejected;
    if (status.code == 0) {
      status.code = command.code;
      status.end = from_ns(command.end_ns);
    }
    return;
  }
  const SimTime start = from_ns(command.start_ns), end = from_ns(command.end_ns);
  if (!status.start || start < *status.start) status.start = start;
  if (status.code == 0 && (!status.end || end > *status.end)) status.end = end;
}

JobStatus RuntimeImpl::job_status(Job handle) {
  const JobInfo& info = job(handle, "job_status");
  poll();
  return status_of(info);
}

JobStatus RuntimeImpl::synchronize(Job handle) {
  const JobInfo& info = job(handle, "synchronize");
  if (!info.ended) throw InputError(fmt::format("synchronize: job '{}' is open; end it before", info.name));
  host_.wait_until([&] {
    poll();
    return info.status.commands_done == info.status.commands;
  });
  return status_of(info);
}

// ---- Words to and from the firmware

void RuntimeImpl::open_mailbox(const char* call) {
  if (!services_.firmware)
    throw InputError(
        fmt::format("{}: the command processor of this platform runs no firmware; "
                    "command_processor.type riscv, native and assisted do",
                    call));
  if (services_.words.memory) return;
  services_.words = host_.share(RuntimeServices::kWords * sizeof(mailbox::HostRecord));
  const std::uint32_t records = RuntimeServices::kWords;
  host_.write(mailbox::kBase + mailbox::kHostRecords, &records, sizeof records);
  host_.write(mailbox::kBase + mailbox::kHostAddress, &services_.words.bus, sizeof services_.words.bus);
}

void RuntimeImpl::send_to_firmware(std::uint32_t word) {
  open_mailbox("send_to_firmware");
  for (;;) {
    std::uint32_t waiting = 0;
    host_.read(mailbox::kBase + mailbox::kToCoreCount, &waiting, sizeof waiting);
    if (waiting < mailbox::kDepth) break;
    host_.sleep(SimTime::from_us(1));
  }
  host_.write(mailbox::kBase + mailbox::kSend, &word, sizeof word);
}

std::optional<std::uint32_t> RuntimeImpl::receive_from_firmware(bool wait) {
  open_mailbox("receive_from_firmware");
  const auto next_word = [this]() -> const mailbox::HostRecord& {
    return static_cast<const mailbox::HostRecord*>(
        services_.words.memory.get())[services_.words_taken % RuntimeServices::kWords];
  };
  const auto come = [&] {
    poll();
    const mailbox::HostRecord& next = next_word();
    return static_cast<std::int32_t>(next.count - services_.words_taken) > 0;
  };
  if (!come()) {
    if (!wait) return std::nullopt;
    host_.wait_until(come);
  }
  const mailbox::HostRecord& next = next_word();
  if (next.count != services_.words_taken + 1)
    throw InputError(fmt::format("receive_from_firmware: {} words of the firmware are lost; at most {} wait",
                                 next.count - services_.words_taken - 1, RuntimeServices::kWords));
  ++services_.words_taken;
  return next.word;
}

}  // namespace warpvp::rt
