#include "tests/firmware/scripted_machine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace warpvp::test {

namespace {
ScriptedMachine* machine = nullptr;

void set_half(std::uint64_t& value, bool high, std::uint32_t half) {
  value = high ? (value & 0xffffffffu) | std::uint64_t{half} << 32 : (value & ~0xffffffffull) | half;
}
std::uint32_t half(std::uint64_t value, bool high) {
  return static_cast<std::uint32_t>(high ? value >> 32 : value);
}
}  // namespace

ScriptedMachine::ScriptedMachine(unsigned queues, unsigned slots, unsigned engines)
    : slots_(slots), engines_(engines), queues_(queues), slot_(slots), engine_(engines) {
  machine = this;
  for (unsigned i = 0; i < FW_APERTURES; ++i)
    apertures_[i] = 0x1'0000'0000 + std::uint64_t{i} * FW_APERTURE_BYTES;
}
ScriptedMachine::~ScriptedMachine() { machine = nullptr; }

void ScriptedMachine::at(std::uint64_t ns, std::function<void()> action) {
  actions_.emplace(ns, std::move(action));
}

void ScriptedMachine::push(unsigned queue, std::vector<ScriptedPacket> packets) {
  Queue& q = queues_[queue];
  const bool was_empty = q.packets.empty();
  for (ScriptedPacket& packet : packets) {
    packet.doorbell_ns = now;
    if (q.ring_packets != 0 && fills_rings) put_into_ring(q, q.written(), packet);
    q.packets.push_back(packet);
  }
  if ((options_ & FW_OPTION_DOORBELLS) != 0 && (!was_empty || q.in_flight > 0) && !q.told) {
    q.told = true;
    queue_event(FW_EVENT_DOORBELL, queue);
  }
  if (was_empty) parse_next(queue);
}

std::vector<ScriptedPacket> ScriptedMachine::job(std::uint32_t number, std::uint64_t arrival_ns,
                                                 std::uint64_t deadline_ns,
                                                 const std::vector<ScriptedPacket>& kernels) {
  std::vector<ScriptedPacket> out = kernels;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    out[i].job = number;
    out[i].arrival_ns = arrival_ns;
    out[i].deadline_ns = deadline_ns;
    out[i].job_index = i;
    out[i].job_kernels = static_cast<std::uint32_t>(
        std::count_if(out.begin(), out.end(), [](const ScriptedPacket& p) { return p.type == FW_KERNEL; }));
    out[i].job_last = i + 1 == out.size();
  }
  return out;
}

void ScriptedMachine::put_into_ring(Queue& q, std::uint64_t index, const ScriptedPacket& p) {
  const std::uint64_t place = index % q.ring_packets;
  const std::uint64_t extension = q.ring_base + 64ull * (q.ring_packets + place);
  std::vector<std::uint32_t> packet(16, 0), record(16, 0);
  packet[0] = p.type | (p.barrier ? FW_BARRIER_BIT : 0) | 3u << 16;
  packet[1] = 32 | 1u << 16;  // workgroup size
  packet[2] = 1;
  packet[3] = 32 * p.ctas;
  packet[4] = packet[5] = 1;
  packet[8] = p.kernel << 6;
  packet[9] = p.kernel >> 26;
  packet[12] = half(extension, false);
  packet[13] = half(extension, true);
  record[0] = 0x54584557;
  record[2] = p.job;
  record[12] = p.job_index;
  record[13] = p.job_kernels;
  record[14] = p.job_last ? FW_JOB_LAST : 0;
  record[15] = p.expected_ns;
  records[q.ring_base + 64 * place] = packet;
  records[extension] = record;
}

void ScriptedMachine::parse_next(unsigned queue) {
  const std::uint64_t index = queues_[queue].read;
  at(now + kParseNs, [this, queue, index] {
    Queue& q = queues_[queue];
    if (q.stopped || q.changed || q.ready || q.packets.empty() || q.read != index) return;
    const std::uint32_t job = q.packets.front().job;
    if (std::find(q.rejected_jobs.begin(), q.rejected_jobs.end(), job) != q.rejected_jobs.end()) {
      rejected.emplace_back(job, 0);
      q.packets.pop_front();
      ++q.read;
      if (!q.packets.empty()) parse_next(queue);
      return;
    }
    q.ready = true;
    raise(FW_IRQ_HEAD);
  });
}

void ScriptedMachine::send_word(std::uint32_t word) {
  words_.push_back(word);
  raise(FW_IRQ_MAILBOX);
}

void ScriptedMachine::queue_event(unsigned kind, std::uint32_t index) {
  events_.push_back(kind << 24 | index);
  raise(FW_IRQ_EVENT);
}

void ScriptedMachine::unmap(unsigned queue) {
  change(queue);
  queues_[queue].packets.clear();
}

void ScriptedMachine::change(unsigned queue) {
  Queue& q = queues_[queue];
  if (q.ready) q.head = q.packets.front();
  q.vanished = q.vanished || q.ready;
  q.ready = false;
  if (!q.changed) queue_event(FW_EVENT_QUEUE_CHANGED, queue);
  q.changed = true;
}

void ScriptedMachine::pop_event() {
  ASSERT_FALSE(events_.empty());
  const std::uint32_t event = events_.front();
  events_.pop_front();
  const std::uint32_t index = FW_EVENT_INDEX(event);
  if (FW_EVENT_KIND(event) == FW_EVENT_DOORBELL) queues_.at(index).told = false;
  if (FW_EVENT_KIND(event) != FW_EVENT_QUEUE_CHANGED || index >= queues_.size()) return;
  queues_[index].changed = queues_[index].vanished = false;
  if (!queues_[index].packets.empty()) parse_next(index);
}

void ScriptedMachine::set_ring(unsigned queue, std::uint64_t base, unsigned packets) {
  queues_[queue].ring_base = base;
  queues_[queue].ring_packets = packets;
}

void ScriptedMachine::run(const fw_policy& policy, std::uint64_t until) { go(&policy, until); }
void ScriptedMachine::resume(std::uint64_t until) { go(nullptr, until); }

void ScriptedMachine::go(const fw_policy* start, std::uint64_t until) {
  until_ = until;
  finished_ = false;
  halted = 0;
  if (setjmp(end_) != 0) return;  // only frames of C lie between
  if (start) fw_start(start);
  while (!finished_ && now < until_) fw_step();
}

void ScriptedMachine::halt(int code) {
  halted = code;
  std::longjmp(end_, 1);
}

void ScriptedMachine::advance_to(std::uint64_t ns) {
  while (!actions_.empty() && actions_.begin()->first <= ns) {
    const auto action = actions_.begin()->second;
    now = std::max(now, actions_.begin()->first);
    actions_.erase(actions_.begin());
    action();
  }
  now = std::max(now, ns);
}

void ScriptedMachine::pass(std::uint64_t ns) { advance_to(now + ns); }

void ScriptedMachine::sleep() {
  ++sleeps;
  EXPECT_TRUE(wakeup) << "sleeps with no interrupt enabled";
  while ((pending_ & enabled_) == 0 && !timer_expired()) {
    const std::uint64_t next = actions_.empty() ? timer_ : std::min(timer_, actions_.begin()->first);
    if (next > until_) {
      finished_ = true;
      return;
    }
    advance_to(next);
  }
}

std::uint32_t ScriptedMachine::memory_word(std::uint64_t address) {
  const auto record = records.find(address & ~63ull);
  if (record != records.end()) return record->second.at(address % 64 / 4);
  const auto signal = signals.find(address & ~63ull);
  if (signal == signals.end() || address % 64 >= 8) {
    ADD_FAILURE() << fmt::format("reads {:#x}, where nothing is", address);
    return 0;
  }
  ++signal_reads;
  return half(static_cast<std::uint64_t>(signal->second), address % 8 != 0);
}

std::uint32_t ScriptedMachine::head_register(unsigned queue, std::uint32_t offset) {
  if (queue >= queues_.size()) {
    ADD_FAILURE() << "reads the head of queue " << queue;
    return 0;
  }
  const Queue& q = queues_[queue];
  if (offset == QC_HEAD_IN_FLIGHT(0) - QC_HEAD_TYPE(0)) return q.in_flight;
  if (!q.ready) return offset == 0 ? FW_NO_HEAD : 0;
  const ScriptedPacket& p = q.packets.front();
  const auto is = [&](std::uint32_t address) { return QC_HEAD_TYPE(0) + (offset & ~4u) == address; };
  const bool high = (offset & 4) != 0;
  if (offset == 0) return p.type | (p.barrier ? FW_BARRIER_BIT : 0);
  if (offset == QC_HEAD_INDEX(0) - QC_HEAD_TYPE(0)) return half(q.read, false);
  if (offset == QC_HEAD_PRIORITY(0) - QC_HEAD_TYPE(0)) return static_cast<std::uint32_t>(p.priority);
  if (is(QC_HEAD_SIGNAL(0))) return half(p.signal, high);
  if (is(QC_HEAD_DOORBELL_NS(0))) return half(p.doorbell_ns, high);
  if (is(QC_HEAD_DEADLINE_NS(0))) return half(p.deadline_ns, high);
  if (is(QC_HEAD_ENQUEUE_NS(0))) return half(p.doorbell_ns, high);
  if (is(QC_HEAD_JOB_ARRIVAL_NS(0))) return half(p.arrival_ns, high);
  switch (offset) {
    case QC_HEAD_LAUNCH_ID_AT:
    case QC_HEAD_STREAM_AT:
    case QC_HEAD_CONTEXT_AT:
      return 0;
    case QC_HEAD_BUDGET_AT:
      return 1;
    case QC_HEAD_JOB_AT:
      return p.job;
    case QC_HEAD_JOB_INDEX_AT:
      return p.job_index;
    case QC_HEAD_JOB_KERNELS_AT:
      return p.job_kernels;
    case QC_HEAD_JOB_FLAGS_AT:
      return p.job_last ? FW_JOB_LAST : 0;
    case QC_HEAD_EXPECTED_NS_AT:
      return p.expected_ns;
    case QC_HEAD_KERNEL_AT:
      return p.type == FW_KERNEL ? p.kernel : 0;
    case QC_HEAD_CTAS_AT:
      return p.type == FW_KERNEL ? p.ctas : 0;
  }
  const std::uint32_t payload = offset - (QC_HEAD_PAYLOAD(0) - QC_HEAD_TYPE(0));
  if (payload < 40 && p.type != FW_KERNEL && p.type != FW_COPY)
    return payload / 8 < p.waits_for.size() ? half(p.waits_for[payload / 8], high) : 0;
  ADD_FAILURE() << fmt::format("reads head register {:#x}", offset);
  return 0;
}

std::uint32_t ScriptedMachine::read(std::uint32_t a) {
  ++accesses;
  pass(kAccessNs);
  return value(a);
}

void ScriptedMachine::read_burst(std::uint32_t a, std::uint32_t* to, unsigned words) {
  ASSERT_TRUE(words >= 1 && words <= FW_BURST_WORDS) << words;
  ++accesses;
  pass(kAccessNs);
  for (unsigned i = 0; i < words; ++i) to[i] = value(a + 4 * i);
}

void ScriptedMachine::write_burst(std::uint32_t a, const std::uint32_t*, unsigned) {
  ADD_FAILURE() << fmt::format("writes a burst to {:#x}", a);
}

std::uint32_t ScriptedMachine::value(std::uint32_t a) {
  std::uint32_t other = 0;
  if (more_registers && more_registers(a, other)) return other;
  if (a >= FW_APERTURE_BASE)
    return memory_word(apertures_[(a - FW_APERTURE_BASE) / FW_APERTURE_BYTES] +
                       (a - FW_APERTURE_BASE) % FW_APERTURE_BYTES);
  if (a >= QC_HEAD_TYPE(0) && a < QC_HEAD_TYPE(256))
    return head_register((a - QC_HEAD_TYPE(0)) / 0x100, a % 0x100);
  if (a >= QC_READY(0) && a < QC_READY(FW_SET_WORDS)) {
    std::uint32_t bits = 0;
    for (unsigned q = 0; q < queues_.size(); ++q)
      if (q / 32 == (a - QC_READY(0)) / 4 && queues_[q].ready) bits |= 1u << q % 32;
    return bits;
  }
  if (a >= WD_KSR_START(0) && a < WD_KSR_START(slots_) && (a - WD_KSR_STATUS(0)) % 0x100 == 0)
    return slot_[(a - WD_KSR_STATUS(0)) / 0x100].status;
  if (a >= CP_Q_RING_BASE(0) && a < CP_Q_RING_BASE(256)) {
    const Queue& q = queues_.at((a - CP_Q_RING_BASE(0)) / 0x40);
    const std::uint32_t offset = CP_Q_RING_BASE(0) + (a & 0x38u);
    if (offset == CP_Q_RING_BASE(0)) return half(q.ring_base, a & 4);
    if (offset == CP_Q_RING_PACKETS(0)) return a & 4 ? 1 : q.ring_packets;
    if (offset == CP_Q_READ_INDEX(0)) return half(q.read, a & 4);
    if (offset == CP_Q_WRITE_INDEX(0)) return half(q.written(), a & 4);
  }
  if (a >= SYSCTL_APERTURE(0) && a < SYSCTL_APERTURE(FW_APERTURES))
    return half(apertures_[(a - SYSCTL_APERTURE(0)) / 8], a & 4);
  if (a >= SYSCTL_PARAMETER(0) && a < SYSCTL_PARAMETER(FW_PARAMETERS))
    return parameters[(a - SYSCTL_PARAMETER(0)) / 4];
  if (a >= WD_CTAS_DONE(0) && a < WD_CTAS_DONE(slots_)) {
    const Destination& d = slot_[(a - WD_CTAS_DONE(0)) / 4];
    if (d.status != FW_SLOT_RUNNING) return d.packet.ctas;
    return static_cast<std::uint32_t>((now - d.start_ns) * d.packet.ctas / d.packet.run_ns);
  }
  switch (a) {
    case SYSCTL_PERIOD_NS:
      return period_ns;
    case SYSCTL_AGEING_NS:
      return ageing_ns;
    case QC_EVENT:
      return events_.empty() ? 0 : events_.front();
    case INTC_PENDING:
      return pending_;
    case TIMER_MTIME:
      return half(now, false);
    case TIMER_MTIME + 4:
      return half(now, true);
    case MAILBOX_TO_CORE_COUNT:
      return static_cast<std::uint32_t>(words_.size());
    case MAILBOX_TO_CORE:
      return words_.empty() ? 0 : words_.front();
    case SYSCTL_QUEUES:
      return static_cast<std::uint32_t>(queues_.size());
    case SYSCTL_SLOTS:
      return slots_;
    case SYSCTL_ENGINES:
      return engines_;
    case SYSCTL_SIGNAL_POLL_NS:
      return signal_poll_ns;
  }
  ADD_FAILURE() << fmt::format("reads {:#x}", a);
  return 0;
}

void ScriptedMachine::forward(unsigned queue, unsigned destination) {
  Queue& q = queues_.at(queue);
  ASSERT_TRUE(q.ready || q.vanished) << "forwards no head";
  const ScriptedPacket& p = q.ready ? q.packets.front() : q.head;
  Destination& d = (p.type == FW_KERNEL ? slot_ : engine_).at(destination);
  EXPECT_NE(d.status, static_cast<std::uint32_t>(FW_SLOT_RUNNING)) << "forwards to what is running";
  EXPECT_FALSE(d.forwarded) << "forwards to what was forwarded to";
  d.forwarded = true;
  d.queue = queue;
  d.packet = p;
  if (q.ready) return;  // else zeros: a kernel of no CTAs, a copy of no kind
  d.packet.status = FW_SLOT_BAD_DIMENSIONS;
  d.packet.run_ns = 0;
}

void ScriptedMachine::start(bool kernel, unsigned destination) {
  Destination& d = (kernel ? slot_ : engine_).at(destination);
  EXPECT_TRUE(d.forwarded) << "starts what was not forwarded";
  EXPECT_TRUE(kernel || d.packet.run_ns > 0) << "starts a copy of no kind";
  on_start();
  if (d.packet.job != 0) on_job_start(d.packet.job);
  d.status = kernel ? d.packet.status : static_cast<std::uint32_t>(FW_SLOT_RUNNING);
  d.start_ns = now;
  if (kernel && d.packet.status > FW_SLOT_RUNNING) return;
  at(now + d.packet.run_ns, [this, kernel, destination] {
    Destination& e = (kernel ? slot_ : engine_)[destination];
    e.status = FW_SLOT_FREE;
    if (e.packet.job != 0 && e.packet.job_last) job_ends[e.packet.job] = now;
    queue_event(kernel           ? FW_EVENT_KERNEL_DONE
                : e.packet.fails ? FW_EVENT_COPY_FAILED
                                 : FW_EVENT_COPY_DONE,
                destination);
  });
}

void ScriptedMachine::take(unsigned queue, unsigned destination) {
  Queue& q = queues_.at(queue);
  ASSERT_TRUE(q.ready || q.vanished) << "takes no head";
  const unsigned type = q.ready ? q.packets.front().type : q.head.type;
  if (destination != FW_NO_DESTINATION) {
    Destination& d = (type == FW_KERNEL ? slot_ : engine_).at(destination);
    EXPECT_TRUE(d.forwarded && d.queue == queue) << "takes what was not forwarded";
    d.forwarded = false;
  }
  log.push_back(
      destination == FW_NO_DESTINATION
          ? fmt::format("barrier q{}", queue)
          : fmt::format("start q{} {}{}", queue, type == FW_KERNEL ? "slot" : "engine", destination));
  starts.push_back(queue);
  ++q.in_flight;
  q.vanished = false;
  if (!q.ready) return;
  q.packets.pop_front();
  q.ready = false;
  ++q.read;
  if (!q.packets.empty()) parse_next(queue);
}

void ScriptedMachine::stop(unsigned queue, unsigned error) {
  Queue& q = queues_.at(queue);
  for (auto* all : {&slot_, &engine_})
    for (Destination& d : *all)
      if (d.queue == queue) d.forwarded = false;
  if (q.stopped || q.changed) return;
  q.stopped = true;
  log.push_back(fmt::format("stop q{} error {} packet {}", queue, error, stop_index_));
  change(queue);
}

// The scripted queue forgets what is rejected at once.
void ScriptedMachine::reject(unsigned queue, std::uint32_t code, bool job) {
  Queue& q = queues_.at(queue);
  ASSERT_TRUE(q.ready) << "rejects no head";
  const ScriptedPacket packet = q.packets.front();
  if (job && packet.job != 0) q.rejected_jobs.push_back(packet.job);
  rejected.emplace_back(packet.job, code);
  q.packets.pop_front();
  q.ready = false;
  ++q.read;
  if (!q.packets.empty()) parse_next(queue);
}

void ScriptedMachine::complete(unsigned queue) {
  ASSERT_GT(queues_.at(queue).in_flight, 0u) << "completes what is not in flight";
  --queues_[queue].in_flight;
  log.push_back(signal_ == 0 ? fmt::format("done q{}", queue)
                             : fmt::format("done q{} @{:#x}", queue, signal_));
  if (signal_ == 0) return;
  EXPECT_LE(start_ns_, now);
  const std::uint64_t address = signal_;
  at(now + 50, [this, address] {
    --signals[address];
    queue_event(FW_EVENT_SIGNALS_CHANGED, half(address, false) >> 6 & 0xffffff);
  });
}

void ScriptedMachine::write(std::uint32_t a, std::uint32_t value) {
  ++accesses;
  pass(kAccessNs);
  if (more_writes && more_writes(a, value)) return;
  if (a >= WD_KSR_START(0) - 0x80 && a < WD_KSR_START(slots_) - 0x80) {
    slot_writes.emplace_back(a, value);
    if ((a - WD_KSR_START(0)) % 0x100 == 0 && value == 1) start(true, (a - WD_KSR_START(0)) / 0x100);
    return;
  }
  if (a >= DMA_START(0) && a < DMA_START(engines_) && (a - DMA_START(0)) % 0x100 == 0) {
    EXPECT_EQ(value, 1u);
    start(false, (a - DMA_START(0)) / 0x100);
    return;
  }
  if (a >= SYSCTL_APERTURE(0) && a < SYSCTL_APERTURE(FW_APERTURES)) {
    set_half(apertures_[(a - SYSCTL_APERTURE(0)) / 8], (a & 4) != 0, value);
    return;
  }
  switch (a) {
    case QC_EVENT_POP:
      return pop_event();
    case QC_FORWARD:
      return forward(value & 0xffff, value >> 16);
    case QC_TAKE:
      return take(value & 0xffff, value >> 16);
    case QC_STOP:
      return stop(value & 0xffff, value >> 16);
    case QC_REJECT:
    case QC_REJECT_JOB:
      return reject(value & 0xffff, value >> 16, a == QC_REJECT_JOB);
    case QC_OPTIONS:
      options_ = value;
      return;
    case SYSCTL_LATE_TICKS:
      late_ticks = value;
      return;
    case QC_STOP_INDEX:
    case QC_STOP_INDEX + 4:
      return set_half(stop_index_, a != QC_STOP_INDEX, value);
    case QC_SIGNAL:
    case QC_SIGNAL + 4:
      return set_half(signal_, a != QC_SIGNAL, value);
    case QC_START_NS:
    case QC_START_NS + 4:
      return set_half(start_ns_, a != QC_START_NS, value);
    case QC_COMPLETE:
      return complete(value);
    case INTC_PENDING:
      pending_ &= ~value;
      return;
    case INTC_ENABLE:
      enabled_ = value;
      return;
    case TIMER_MTIMECMP:
    case TIMER_MTIMECMP + 4:
      return set_half(timer_, a != TIMER_MTIMECMP, value);
    case MAILBOX_TO_CORE_POP:
      if (!words_.empty()) words_.pop_front();
      return;
    case MAILBOX_TO_HOST:
      to_host.push_back(value);
      return;
    case UART_DATA:
      console += static_cast<char>(value);
      return;
  }
  ADD_FAILURE() << fmt::format("writes {:#x}", a);
}

const fw_policy& policy(const std::string& name) {
  for (unsigned i = 0; i < fw_native_policy_count; ++i)
    if (name == fw_native_policies[i].name) return *fw_native_policies[i].policy;
  ADD_FAILURE() << "no policy " << name;
  return *fw_native_policies[0].policy;
}

extern "C" {
std::uint32_t hal_read32(std::uint32_t address) { return machine->read(address); }
void hal_write32(std::uint32_t address, std::uint32_t value) { machine->write(address, value); }
void hal_read_burst(std::uint32_t address, std::uint32_t* to, unsigned words) {
  machine->read_burst(address, to, words);
}
void hal_write_burst(std::uint32_t address, const std::uint32_t* from, unsigned words) {
  machine->write_burst(address, from, words);
}
void hal_enable_wakeup() { machine->wakeup = true; }
void hal_sleep() { machine->sleep(); }
bool hal_timer_expired() { return machine->timer_expired(); }
void hal_halt(fw_halt code) { machine->halt(code); }
}

}  // namespace warpvp::test
