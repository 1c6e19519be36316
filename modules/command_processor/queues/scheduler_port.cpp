#include "modules/command_processor/queues/scheduler_port.h"

#include <algorithm>

namespace warpvp {

namespace qc = regmap::qc;

namespace {

const ParsedPacket kNoHead;

std::uint64_t ns(const sc_core::sc_time& time) {
  return time.value() / sc_core::sc_time(1, sc_core::SC_NS).value();
}

}  // namespace

SchedulerPort::SchedulerPort(sc_core::sc_module_name name, QueueController& queues)
    : sc_module(name),
      registers("registers"),
      queues_(queues),
      block_(
          "Scheduler port", qc::kBytes,
          "The queues as the firmware sees them. Values with a queue and a destination are destination << 16 "
          "| "
          "queue; destinations are kernel slots for kernels, DMA engines for copies and 0xffff for barrier "
          "packets. Writes that name what does not exist, or what nobody forwarded, are refused (generic "
          "error); writes about a head that vanished because its queue was unmapped or stopped, with event 5 "
          "still waiting, are not."),
      changed_(queues.queue_count(), false),
      told_(queues.queue_count(), false),
      announced_(queues.queue_count(), 0) {
  registers.register_b_transport(this, &SchedulerPort::b_transport);
  registers.register_transport_dbg(this, &SchedulerPort::transport_dbg);
  declare_registers();
  declare_heads();
  declare_assistance();
}

// ---- What happened

void SchedulerPort::queue_event(Event event, std::uint32_t index) {
  events_.push_back(static_cast<std::uint32_t>(event) << 24 | index);
  if (on_event) on_event();
}

void SchedulerPort::head_ready(unsigned) {
  if (on_head) on_head();
}

// The host may have changed a signal that the head waits for; if so it rings the doorbell again.
void SchedulerPort::doorbell(unsigned queue) {
  note_doorbell(queue);
  if (head(queue).is_barrier()) queue_event(Event::kSignalsChanged, 0);
}

// One event waits for a queue at most: who looks at its packets sees all that have come.
void SchedulerPort::note_doorbell(unsigned queue) {
  if (on_doorbell) on_doorbell();
  const bool more = queues_.write_index(queue) != announced_[queue];
  announced_[queue] = queues_.write_index(queue);
  if ((options_ & qc::kDoorbellEvents) == 0 || !more || told_[queue]) return;
  if (queues_.waiting(queue) <= 1 && queues_.in_flight(queue) == 0) return;  // HEAD will tell
  told_[queue] = true;
  queue_event(Event::kDoorbell, queue);
}

void SchedulerPort::signals_changed(std::uint64_t signal, Cycle due) {
  signals_.push_back({due, static_cast<std::uint32_t>(signal >> 6) & 0xffffff});
  queues_.wake(due);
}

void SchedulerPort::queue_changed(unsigned queue) {
  if (changed_[queue]) return;
  changed_[queue] = true;
  queue_event(Event::kQueueChanged, queue);
}

Cycle SchedulerPort::step(Cycle now) {
  Cycle next = kNever;
  for (std::size_t i = 0; i < signals_.size();) {
    if (signals_[i].due > now) {
      next = std::min(next, signals_[i++].due);
      continue;
    }
    const std::uint32_t index = signals_[i].index;
    signals_.erase(signals_.begin() + static_cast<std::ptrdiff_t>(i));
    queue_event(Event::kSignalsChanged, index);
  }
  return next;
}

bool SchedulerPort::head_level() const {
  for (unsigned q = 0; q < queues_.queue_count(); ++q)
    if (assistance_ ? assistance_->gated(q) : queues_.ready(q)) return true;
  return false;
}

// ---- Registers

const ParsedPacket& SchedulerPort::head(unsigned queue) const {
  return queues_.ready(queue) || stale(queue) ? queues_.head(queue) : kNoHead;
}

std::uint32_t SchedulerPort::ready_word(unsigned word) const {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 32 && 32 * word + i < queues_.queue_count(); ++i)
    bits |= static_cast<std::uint32_t>(queues_.ready(32 * word + i)) << i;
  return bits;
}

void SchedulerPort::command(const char* name, std::uint64_t offset, const char* doc,
                            std::function<void(std::uint32_t)> write) {
  block_.add({name,
              offset,
              4,
              1,
              0,
              RegisterAccess::kWriteOnly,
              0,
              doc,
              {},
              [write = std::move(write)](unsigned, std::uint64_t value) {
                write(static_cast<std::uint32_t>(value));
              }});
}

void SchedulerPort::declare_registers() {
  const auto ro = RegisterAccess::kReadOnly;
  const auto rw = RegisterAccess::kReadWrite;
  const auto halves = [&](const char* name, std::uint64_t offset, const char* doc) {
    return block_.add(in_halves({name, offset, 8, 1, 0, rw, 0, doc}));
  };
  block_.add({"READY", qc::kReady, 4, regmap::cp::kMaxQueues / 32, 4, ro, 0,
              "Bit q % 32 of word q / 32: queue q has a parsed head that has not been taken.",
              [this](unsigned word) { return std::uint64_t{ready_word(word)}; }});
  block_.add({"EVENT_COUNT", qc::kEventCount, 4, 1, 0, ro, 0, "Events waiting.",
              [this](unsigned) { return std::uint64_t{events_.size()}; }});
  block_.add(
      {"EVENT", qc::kEvent, 4, 1, 0, ro, 0,
       "The oldest event: kind << 24 | index; 0: none. Kinds: 1 kernel done (index: kernel slot), 2 copy "
       "done, 3 copy failed (DMA engine), 4 a signal changed (bits 29:6 of its address; 0: any may have), "
       "5 queue mapped, unmapped or stopped (queue), 6 packets behind the head (queue; if OPTIONS says so), 7 the "
       "host wrote Q_LIVE_PRIORITY (queue), 8 the log is half full.",
       [this](unsigned) { return std::uint64_t{events_.empty() ? 0 : events_.front()}; }});
  command("EVENT_POP", qc::kEventPop,
          "Drops the oldest event; refused when there is none. Dropping event 5 gives back what was "
          "forwarded from "
          "the queue and not taken, and lets its packets be parsed again.",
          [this](std::uint32_t) { pop_event(); });
  command(
      "FORWARD", qc::kForward,
      "Destination and queue: copies the head's payload in one burst into that kernel status register or DMA "
      "engine, which must be free, and reserves it. The write takes the burst's time. READY tells afterwards "
      "whether the head was still there; if not, zeros were written and nothing is reserved.",
      [this](std::uint32_t value) { forward(value); });
  command(
      "TAKE", qc::kTake,
      "Destination and queue: the head has been started where it was forwarded to. Read index and packets in "
      "flight go up by 1, and the next packet is parsed.",
      [this](std::uint32_t value) { take(value); });
  command("STOP", qc::kStop,
          "Error and queue: stops the queue at packet STOP_INDEX and gives back what was forwarded and not "
          "taken. "
          "Ignored for a queue that has stopped.",
          [this](std::uint32_t value) { stop(value); });
  command("REJECT", qc::kReject,
          "Code << 16 | queue: the head is never started. When everything before it is complete (without the "
          "barrier "
          "bit: at once) it leaves the queue; its signal goes down by 1 and gets bit 63 and the code as its "
          "start "
          "time. The queue goes on. What was forwarded and not taken is given back. Refused for code 0 and "
          "when there is no head.",
          [this](std::uint32_t value) { reject(value, false); });
  command("REJECT_JOB", qc::kRejectJob,
          "As REJECT, for the head and all later packets of the queue with the same job, whenever they come, "
          "until its last one.",
          [this](std::uint32_t value) { reject(value, true); });
  stop_index_ = halves("STOP_INDEX", qc::kStopIndex, "Packet index that STOP reports.");
  signal_ = halves("SIGNAL", qc::kSignal, "Completion signal for COMPLETE, or 0.");
  start_ns_ = halves("START_NS", qc::kStartNs, "Start time that COMPLETE stamps.");
  command("COMPLETE", qc::kComplete,
          "Queue: one of its packets is complete. Packets in flight go down by 1; if SIGNAL is not 0, that "
          "signal "
          "goes down by 1, gets START_NS and the current time, and is posted to its mirror in host memory; "
          "event 4 "
          "follows when that is visible. Refused when nothing of the queue is in flight.",
          [this](std::uint32_t value) { complete(value); });
}

void SchedulerPort::declare_heads() {
  const auto add = [&](const char* name, std::uint64_t offset, unsigned width, const char* doc,
                       std::function<std::uint64_t(unsigned)> read, unsigned repeat = 1) {
    RegisterSpec spec = in_halves({name, qc::kHeads + offset, width, queues_.queue_count(), qc::kHeadStride,
                                   RegisterAccess::kReadOnly, 0, doc, std::move(read)});
    spec.repeat = repeat;
    block_.add(std::move(spec));
  };
  add("HEAD_TYPE", qc::kType, 4,
      "Of the queue's head: AQL packet type, in bit 8 the barrier bit. 1 (invalid): there is no head, and "
      "its other "
      "registers but IN_FLIGHT are 0.",
      [this](unsigned q) {
        const ParsedPacket& p = head(q);
        return static_cast<std::uint64_t>(p.type) | (p.barrier_bit ? aql::kBarrierBit : 0);
      });
  add("HEAD_INDEX", qc::kIndex, 4, "Low half of the packet's index.",
      [this](unsigned q) { return std::uint64_t{static_cast<std::uint32_t>(head(q).index)}; });
  add("HEAD_IN_FLIGHT", qc::kHeadInFlight, 4, "Packets of the queue that were taken and are not complete.",
      [this](unsigned q) { return std::uint64_t{queues_.in_flight(q)}; });
  add("HEAD_SIGNAL", qc::kHeadSignal, 8, "Completion signal, or 0.",
      [this](unsigned q) { return head(q).signal; });
  add("HEAD_DOORBELL_NS", qc::kDoorbellNs, 8, "When the doorbell came that announced the packet.",
      [this](unsigned q) {
        return head(q).type != aql::PacketType::kInvalid ? ns(queues_.doorbell_time(q)) : 0;
      });
  struct Word {
    const char* name;
    std::uint64_t offset;
    unsigned width;
    const char* doc;
    std::uint64_t (*read)(const aql::Extension&);
  };
  using X = aql::Extension;
  static constexpr Word kWords[] = {
      {"HEAD_LAUNCH_ID", qc::kLaunchId, 4, "Counts commands of the whole run.",
       [](const X& x) { return std::uint64_t{x.launch_id}; }},
      {"HEAD_STREAM", qc::kStream, 4, "Stream it came from.",
       [](const X& x) { return std::uint64_t{x.stream}; }},
      {"HEAD_CONTEXT", qc::kHeadContext, 4, "Context it belongs to.",
       [](const X& x) { return std::uint64_t{x.context}; }},
      {"HEAD_PRIORITY", qc::kHeadPriority, 4, "Signed; greater is more urgent.",
       [](const X& x) { return std::uint64_t{static_cast<std::uint32_t>(x.priority)}; }},
      {"HEAD_BUDGET", qc::kBudget, 4, "QAWS budget.", [](const X& x) { return std::uint64_t{x.budget}; }},
      {"HEAD_JOB", qc::kJob, 4, "Job it belongs to: commands that share one deadline; 0: none.",
       [](const X& x) { return std::uint64_t{x.job}; }},
      {"HEAD_DEADLINE_NS", qc::kDeadlineNs, 8, "Absolute simulated time; 0: none.",
       [](const X& x) { return x.deadline_ns; }},
      {"HEAD_ENQUEUE_NS", qc::kEnqueueNs, 8, "When the host wrote the packet.",
       [](const X& x) { return x.enqueue_ns; }},
      {"HEAD_JOB_ARRIVAL_NS", qc::kJobArrivalNs, 8, "When its job arrived, absolute simulated time.",
       [](const X& x) { return x.job_arrival_ns; }},
      {"HEAD_JOB_INDEX", qc::kJobIndex, 4, "Number of the packet in its job, from 0.",
       [](const X& x) { return std::uint64_t{x.job_index}; }},
      {"HEAD_JOB_KERNELS", qc::kJobKernels, 4,
       "Kernels that its job will have in all; 0: the host did not say.",
       [](const X& x) { return std::uint64_t{x.job_kernels}; }},
      {"HEAD_JOB_FLAGS", qc::kJobFlags, 4, "Bit 0: the last packet of its job.",
       [](const X& x) { return std::uint64_t{x.job_flags}; }},
      {"HEAD_EXPECTED_NS", qc::kExpectedNs, 4,
       "Time that the kernel takes alone on the device, as the host expects; 0: it did not say.",
       [](const X& x) { return std::uint64_t{x.expected_ns}; }},
  };
  for (const Word& word : kWords) {
    const auto read = word.read;
    add(word.name, word.offset, word.width, word.doc,
        [this, read](unsigned q) { return queues_.ready(q) ? read(queues_.head(q).extension) : 0; });
  }
  add("HEAD_KERNEL", qc::kKernel, 4, "Of a kernel: bits 37:6 of its kernel object, which tell kernels apart.",
      [this](unsigned q) { return std::uint64_t{queues_.ready(q) ? queues_.head(q).kernel() : 0}; });
  add("HEAD_CTAS", qc::kCtas, 4, "Of a kernel: CTAs in all.",
      [this](unsigned q) { return std::uint64_t{queues_.ready(q) ? queues_.head(q).ctas() : 0}; });
  constexpr unsigned kWordsOfPayload = sizeof(regmap::wd::KernelSlotImage) / 4;
  add(
      "HEAD_PAYLOAD", qc::kPayload, 4,
      "What FORWARD copies: the image of a kernel status register (KSR_KERNEL_OBJECT to KSR_DEADLINE) or a "
      "DMA "
      "engine's SOURCE to TAG; of a barrier packet five signal addresses of 64 bits, 0 where none is named.",
      [this](unsigned i) { return std::uint64_t{head(i / kWordsOfPayload).payload[i % kWordsOfPayload]}; },
      kWordsOfPayload);
}

void SchedulerPort::declare_assistance() {
  const auto ro = RegisterAccess::kReadOnly;
  const auto wo = RegisterAccess::kWriteOnly;
  const unsigned queues = queues_.queue_count();
  block_.add({"OPTIONS",
              qc::kOptions,
              4,
              1,
              0,
              RegisterAccess::kReadWrite,
              0,
              "What else firmware wants. Bit 0: event 6. The others are for type assisted, and refused without it. "
              "Bit 1: heads wait until ADMIT is written; 2: RANK is the priority of kernels that run, too; 3: LOG; 4: "
              "equal ranks take turns; 5: of equal ranks goes the first queue after the one that started last. With "
              "neither 4 nor 5, and with 1, the one admitted first.",
              [this](unsigned) { return std::uint64_t{options_}; },
              [this](unsigned, std::uint64_t value) {
                const auto options = static_cast<std::uint32_t>(value);
                const std::uint32_t known = assistance_ ? qc::kAllOptions : qc::kDoorbellEvents;
                refused_ = (options & ~known) != 0;
                if (refused_) return;
                options_ = options;
                if (assistance_) assistance_->set_options(options);
              }});
  block_.add({"GATED", qc::kGated, 4, regmap::cp::kMaxQueues / 32, 4, ro, 0,
              "Type assisted. Bit q % 32 of word q / 32: the head of queue q waits for ADMIT.",
              [this](unsigned word) {
                std::uint64_t bits = 0;
                for (unsigned i = 0; assistance_ && i < 32 && 32 * word + i < queues_.queue_count(); ++i)
                  bits |= std::uint64_t{assistance_->gated(32 * word + i)} << i;
                return bits;
              }});
  block_.add({"ADMIT",
              qc::kAdmit,
              4,
              queues,
              4,
              wo,
              0,
              "Type assisted. Writing 1 lets the queue's head start; if it belongs to a job, all packets of it up to "
              "its last one.",
              {},
              [this](unsigned q, std::uint64_t value) {
                if (!by_firmware() && value == 1) assistance_->admit(q);
              }});
  block_.add({"RANK",
              qc::kRank,
              4,
              queues,
              4,
              wo,
              0,
              "Type assisted. Of the heads that could start that of the queue with the smallest rank goes first. With "
              "bit 2 of OPTIONS its kernels' KSR_PRIORITY is 0x7fffffff - RANK / 2.",
              {},
              [this](unsigned q, std::uint64_t value) {
                if (!by_firmware()) assistance_->set_rank(q, static_cast<std::uint32_t>(value));
              }});
  block_.add({"LOG_COUNT", qc::kLogCount, 4, 1, 0, ro, 0, "Type assisted. Entries of the log.",
              [this](unsigned) { return assistance_ ? std::uint64_t{assistance_->log().size()} : 0; }});
  command("LOG_POP", qc::kLogPop, "Drops so many of the oldest entries; refused where there are not so many.",
          [this](std::uint32_t entries) {
            if (by_firmware()) return;
            refused_ = entries > assistance_->log().size();
            if (!refused_) assistance_->drop_log(entries);
          });
  RegisterSpec log{"LOG",
                   qc::kLog,
                   4,
                   qc::kLogWindow,
                   sizeof(qc::LogEntry),
                   ro,
                   0,
                   "Type assisted, bit 3 of OPTIONS: the oldest entries of what was started and what ended, four words "
                   "each, 0 where there is none: kind (1 started, 2 ended) << 30 | destination (0x3fff: barrier "
                   "packet) << 16 | 1 << 15 if it was the job's last packet, or of no job | queue; time in ns, lower "
                   "half; bits 37:6 of the kernel object, or 0; CTAs.",
                   [this](unsigned i) {
                     const unsigned entry = i / 4;
                     if (!assistance_ || entry >= assistance_->log().size()) return std::uint64_t{0};
                     const qc::LogEntry& e = assistance_->log()[entry];
                     const std::uint32_t words[] = {e.what, e.ns, e.kernel, e.ctas};
                     return std::uint64_t{words[i % 4]};
                   }};
  log.repeat = 4;
  block_.add(std::move(log));
}

void SchedulerPort::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  access_delay_ = sc_core::SC_ZERO_TIME;
  refused_ = false;
  block_.transport(payload);
  if (refused_) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  delay += access_delay_;
}

// ---- Commands

// Refuses what the hardware does by itself.
bool SchedulerPort::by_hardware() {
  if (assistance_ != nullptr) refused_ = true;
  return assistance_ != nullptr;
}

// Refuses what only hardware that starts packets obeys.
bool SchedulerPort::by_firmware() {
  if (assistance_ == nullptr) refused_ = true;
  return assistance_ == nullptr;
}

void SchedulerPort::pop_event() {
  if (events_.empty()) {
    refused_ = true;
    return;
  }
  const std::uint32_t event = events_.front();
  events_.pop_front();
  if (event >> 24 == static_cast<std::uint32_t>(Event::kDoorbell)) told_[event & 0xffffff] = false;
  if (event >> 24 != static_cast<std::uint32_t>(Event::kQueueChanged)) return;
  const std::uint32_t queue = event & 0xffffff;
  changed_[queue] = false;
  queues_.give_back(queue);  // what firmware has not taken by now, it gave up when it saw the head vanish
  queues_.wake();
}

void SchedulerPort::forward(std::uint32_t value) {
  if (by_hardware()) return;
  const std::uint32_t queue = value & 0xffff, destination = value >> 16;
  refused_ = queue >= queues_.queue_count() || (!queues_.ready(queue) && !changed_[queue]);
  if (refused_ || (!queues_.ready(queue) && !stale(queue))) return;
  refused_ = !queues_.can_forward(queue, destination) || !queues_.forward(queue, destination, access_delay_);
}

void SchedulerPort::take(std::uint32_t value) {
  if (by_hardware()) return;
  const std::uint32_t queue = value & 0xffff, destination = value >> 16;
  refused_ = queue >= queues_.queue_count() || (!queues_.ready(queue) && !changed_[queue]);
  if (refused_) return;
  if (queues_.can_take(queue, destination)) {
    queues_.take(queue, destination);
    queues_.wake();
  } else {
    refused_ = !changed_[queue];
  }
}

void SchedulerPort::stop(std::uint32_t value) {
  const std::uint32_t queue = value & 0xffff, error = value >> 16;
  refused_ = queue >= queues_.queue_count() || error == 0;
  if (refused_) return;
  if (changed_[queue]) {
    queues_.give_back(queue);  // the queue that firmware means is no more
  } else {
    queues_.stop(queue, static_cast<QueueError>(error), block_.get(stop_index_));
  }
  queues_.wake();
}

void SchedulerPort::reject(std::uint32_t value, bool job) {
  const std::uint32_t queue = value & 0xffff, code = value >> 16;
  refused_ = queue >= queues_.queue_count() || code == 0 || (!queues_.ready(queue) && !changed_[queue]);
  if (refused_) return;
  if (changed_[queue]) {
    queues_.give_back(queue);  // the head that firmware means is no more
  } else if (job) {
    queues_.reject_job(queue, code);
  } else {
    queues_.reject(queue, code);
  }
  queues_.wake();
}

void SchedulerPort::complete(std::uint32_t queue) {
  if (by_hardware()) return;
  refused_ = queue >= queues_.queue_count() || queues_.in_flight(queue) == 0;
  if (refused_) return;
  queues_.complete(queue, block_.get(signal_), block_.get(start_ns_));
  queues_.wake();
}

}  // namespace warpvp
