#include "modules/host/burst_dma_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interconnect/aql.h"
#include "interconnect/launch_counters.h"

namespace warpvp {

using sc_core::sc_time;

void BurstDmaConfig::fields(FieldVisitor& v) {
  v.field("burst_bytes", burst_bytes, "bytes", "Transfers are cut into bursts of this size.",
          Constraint::pow2(64, 65536));
  v.field("bursts", bursts, "bursts",
          "Bursts that an engine has under way at once; a transfer that is to overtake waits for them.",
          Constraint::range(1, 256));
  v.field("memory_requests", memory_requests, "requests",
          "Requests to device memory that one channel has under way at once, each of at most an L2 line.",
          Constraint::range(1, 4096));
  v.field("setup_ns", setup_ns, "ns", "From start until a channel's first burst may be chosen.",
          Constraint::at_least(0));
  v.field("values", values,
          "Move the bytes too. false: a copy takes its time and makes its traffic, and memory stays what it "
          "is; for runs that compute nothing, as sm.type: profile.");
}

void TransferEngine::join(BurstDmaEngine& channel, unsigned id, int priority) {
  if (channels_.size() <= id) channels_.resize(id + 1, nullptr);
  channels_[id] = &channel;
  arbiter_.join(id, priority);
  start_bursts();
}

void TransferEngine::start_bursts() {
  while (under_way_ < most_) {
    const std::optional<unsigned> id = arbiter_.grant();
    if (!id) return;
    if (under_way_++ == 0) since_ = sc_core::sc_time_stamp();
    ++bursts_;
    if (!channels_[*id]->start_burst()) arbiter_.leave(*id);
  }
}

void TransferEngine::burst_done() {
  if (--under_way_ == 0) busy_ += sc_core::sc_time_stamp() - since_;
  start_bursts();
}

double TransferEngine::busy_us() const {
  const sc_time open = under_way_ > 0 ? sc_core::sc_time_stamp() - since_ : sc_core::SC_ZERO_TIME;
  return (busy_ + open).to_seconds() * 1e6;
}

BurstDmaEngine::BurstDmaEngine(sc_core::sc_module_name name, const BurstDmaConfig& config,
                               const DmaPlace& place, std::shared_ptr<TransferEngines> engines)
    : DmaEngine(name),
      registers("registers"),
      bus("bus"),
      link("link", *this),
      config_(config),
      index_(place.index),
      faults_(place.faults),
      engines_(std::move(engines)),
      memory_("memory", {place.line_bytes, config.memory_requests, AccessKind::kCopy, kCopyLaunch},
              place.memory,
              [this](LineRequester::Access& access) {
                accessed(access.command, access.status, static_cast<unsigned>(access.token));
              }),
      window_({[this] { start(); }, [this] { return busy_; }, [this] { return error_; },
               [this] { return done_bytes_; }}),
      bursts_(config.bursts) {
  registers.register_b_transport(this, &BurstDmaEngine::b_transport);
  registers.register_transport_dbg(this, &BurstDmaEngine::transport_dbg);
}

bool BurstDmaEngine::is_fill() const {
  return copy_.kind == static_cast<std::uint16_t>(aql::CopyKind::kFill);
}

TransferEngine& BurstDmaEngine::engine() const {
  if (!is_fill() && regmap::is_host_bus(copy_.source)) return engines_->to_device;
  return regmap::is_host_bus(copy_.destination) ? engines_->to_host : engines_->on_device;
}

void BurstDmaEngine::start() {
  copy_ = window_.descriptor();
  busy_ = true;
  next_offset_ = done_bytes_ = 0;
  error_ = 0;
  under_way_ = 0;
  free_bursts_.clear();
  for (unsigned i = config_.bursts; i-- > 0;) free_bursts_.push_back(i);
  started_at_ = sc_core::sc_time_stamp();
  tell_begin(record());
  later_.after(sc_time(config_.setup_ns, sc_core::SC_NS), [this] {
    if (copy_.bytes == 0) return finish();
    engine().join(*this, index_, copy_.priority);
  });
}

CopyRecord BurstDmaEngine::record() const {
  return {index_, copy_.source, copy_.destination, copy_.bytes, is_fill(), error_ != 0, started_at_};
}

bool BurstDmaEngine::start_burst() {
  const unsigned i = free_bursts_.back();
  free_bursts_.pop_back();
  Burst& burst = bursts_[i];
  burst.offset = next_offset_;
  const std::uint64_t length = std::min<std::uint64_t>(config_.burst_bytes, copy_.bytes - next_offset_);
  next_offset_ += length;
  ++under_way_;
  burst.data.resize(length);
  if (is_fill()) {
    std::fill(burst.data.begin(), burst.data.end(), static_cast<unsigned char>(copy_.value));
    fetched(i);
  } else {
    const std::uint64_t from = copy_.source + burst.offset;
    if (regmap::is_host_bus(from)) {
      access_host(tlm::TLM_READ_COMMAND, from, i);
    } else {
      access_device(tlm::TLM_READ_COMMAND, from, i);
    }
  }
  return next_offset_ < copy_.bytes;
}

void BurstDmaEngine::fetched(unsigned i) {
  const std::uint64_t to = copy_.destination + bursts_[i].offset;
  if (regmap::is_host_bus(to)) {
    access_host(tlm::TLM_WRITE_COMMAND, to, i);
  } else {
    access_device(tlm::TLM_WRITE_COMMAND, to, i);
  }
}

void BurstDmaEngine::stored(unsigned i) {
  done_bytes_ += bursts_[i].data.size();
  stats_.bytes += bursts_[i].data.size();
  ended(i);
}

void BurstDmaEngine::ended(unsigned i) {
  free_bursts_.push_back(i);
  --under_way_;
  const bool over = under_way_ == 0 && (error_ != 0 || next_offset_ == copy_.bytes);
  engine().burst_done();
  if (over) finish();
}

void BurstDmaEngine::accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned i) {
  if (status != tlm::TLM_OK_RESPONSE) {
    if (error_ == 0) error_ = static_cast<std::uint32_t>(-static_cast<int>(status)) & 0xff;
    engine().leave(index_);  // the rest of the copy is not moved
    ended(i);
  } else if (command == tlm::TLM_READ_COMMAND) {
    fetched(i);
  } else {
    stored(i);
  }
}

void BurstDmaEngine::access_device(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  LineRequester::Access& access = bursts_[i].access;
  access.command = command;
  access.address = address;
  access.bytes = bursts_[i].data.size();
  access.data = config_.values ? bursts_[i].data.data() : nullptr;
  access.token = i;
  memory_.start(access);
}

void BurstDmaEngine::access_host(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  Transaction& t = pool_.make(command, address, 0);
  const auto length = static_cast<unsigned>(bursts_[i].data.size());
  t.set_data_ptr(bursts_[i].data.data());
  t.set_data_length(length);
  t.set_streaming_width(length);
  t.ext.kind = AccessKind::kCopy;
  t.ext.token = i;
  to_send_.push_back(&t);
  send_next();
}

void BurstDmaEngine::send_next() {
  while (!to_send_.empty() && link.idle()) {
    tlm::tlm_generic_payload* next = to_send_.front();
    to_send_.pop_front();
    link.send(*next);
  }
}

bool BurstDmaEngine::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  const auto burst = static_cast<unsigned>(MemExtension::of(payload).token);
  const tlm::tlm_command command = payload.get_command();
  const tlm::tlm_response_status status = payload.get_response_status();
  // Continue from a process of our own: what follows may send on this link.
  later_.after(sc_core::SC_ZERO_TIME, [this, command, status, burst] { accessed(command, status, burst); });
  payload.release();
  return true;
}

void BurstDmaEngine::finish() {
  busy_ = false;
  stats_.busy_us += (sc_core::sc_time_stamp() - started_at_).to_seconds() * 1e6;
  ++(error_ == 0 ? stats_.copies : stats_.failed);
  tell_end(record());
  report_copy_done(bus, {index_, copy_.tag, error_}, faults_);
}

DmaStats BurstDmaEngine::statistics() const {
  DmaStats stats = stats_;
  const LineRequester::Traffic& memory = memory_.traffic();
  stats.memory_reads = memory.reads;
  stats.memory_writes = memory.writes;
  stats.memory_read_bytes = memory.read_bytes;
  stats.memory_written_bytes = memory.written_bytes;
  if (index_ != 0) return stats;
  const TransferEngines& e = *engines_;
  stats.to_device_busy_us = e.to_device.busy_us();
  stats.to_host_busy_us = e.to_host.busy_us();
  stats.on_device_busy_us = e.on_device.busy_us();
  stats.bursts = e.to_device.bursts() + e.to_host.bursts() + e.on_device.bursts();
  stats.switches = e.to_device.switches() + e.to_host.switches() + e.on_device.switches();
  return stats;
}

std::string BurstDmaEngine::describe() const {
  if (!busy_) return {};
  return fmt::format("copy of {} bytes from {:#x} to {:#x}, priority {}: {} bytes done, {} bursts under way",
                     copy_.bytes, copy_.source, copy_.destination, copy_.priority, done_bytes_, under_way_);
}

namespace {

class BurstDmaType : public DmaEngineType {
 public:
  explicit BurstDmaType(const BurstDmaConfig& config)
      : config_(config), engines_(std::make_shared<TransferEngines>(config.bursts)) {}
  std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const override {
    return std::make_unique<BurstDmaEngine>(name, config_, place, engines_);
  }

 private:
  BurstDmaConfig config_;
  std::shared_ptr<TransferEngines> engines_;
};

WARPVP_REGISTER_BLOCK(DmaEngineType, BurstDmaType, BurstDmaConfig, "burst",
                      "Channels whose copies take turns burst by burst, by priority, on an engine for each "
                      "direction.");

}  // namespace
}  // namespace warpvp
