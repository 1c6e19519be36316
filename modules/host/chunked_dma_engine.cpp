#include "modules/host/chunked_dma_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/launch_counters.h"

namespace warpvp {

using sc_core::sc_time;

ChunkedDmaEngine::ChunkedDmaEngine(sc_core::sc_module_name name, const DmaConfig& config, unsigned index,
                                   DeviceMemory& memory, unsigned line_bytes, FaultSink& faults)
    : DmaEngine(name),
      registers("registers"),
      bus("bus"),
      link("link", *this),
      config_(config),
      index_(index),
      faults_(faults),
      memory_("memory", {line_bytes, config.memory_requests, AccessKind::kCopy, kCopyLaunch}, memory,
              [this](LineRequester::Access& access) {
                accessed(access.command, access.status, static_cast<unsigned>(access.token));
              }),
      window_({[this] { start(); }, [this] { return busy_; }, [this] { return error_; },
               [this] { return done_bytes_; }}),
      chunks_(config.outstanding) {
  registers.register_b_transport(this, &ChunkedDmaEngine::b_transport);
  registers.register_transport_dbg(this, &ChunkedDmaEngine::transport_dbg);
}

void ChunkedDmaEngine::start() {
  copy_ = window_.descriptor();
  busy_ = true;
  next_offset_ = done_bytes_ = 0;
  error_ = 0;
  under_way_ = 0;
  free_chunks_.clear();
  for (unsigned i = config_.outstanding; i-- > 0;) free_chunks_.push_back(i);
  started_at_ = sc_core::sc_time_stamp();
  tell_begin(record());
  later_.after(sc_time(config_.setup_ns, sc_core::SC_NS), [this] { start_chunks(); });
}

CopyRecord ChunkedDmaEngine::record() const {
  const bool fill = copy_.kind == static_cast<std::uint16_t>(aql::CopyKind::kFill);
  return {index_, copy_.source, copy_.destination, copy_.bytes, fill, error_ != 0, started_at_};
}

void ChunkedDmaEngine::start_chunks() {
  while (error_ == 0 && next_offset_ < copy_.bytes && !free_chunks_.empty()) {
    const unsigned i = free_chunks_.back();
    free_chunks_.pop_back();
    Chunk& chunk = chunks_[i];
    chunk.offset = next_offset_;
    const std::uint64_t length = std::min<std::uint64_t>(config_.chunk_bytes, copy_.bytes - next_offset_);
    next_offset_ += length;
    ++under_way_;
    if (copy_.kind == static_cast<std::uint16_t>(aql::CopyKind::kFill)) {
      chunk.data.assign(length, static_cast<unsigned char>(copy_.value));
      fetched(i);
    } else {
      chunk.data.resize(length);
      const std::uint64_t from = copy_.source + chunk.offset;
      if (regmap::is_host_bus(from)) {
        access_host(tlm::TLM_READ_COMMAND, from, i);
      } else {
        access_device(tlm::TLM_READ_COMMAND, from, i);
      }
    }
  }
  if (under_way_ == 0 && busy_) finish();
}

void ChunkedDmaEngine::fetched(unsigned i) {
  const std::uint64_t to = copy_.destination + chunks_[i].offset;
  if (regmap::is_host_bus(to)) {
    access_host(tlm::TLM_WRITE_COMMAND, to, i);
  } else {
    access_device(tlm::TLM_WRITE_COMMAND, to, i);
  }
}

void ChunkedDmaEngine::stored(unsigned i) {
  done_bytes_ += chunks_[i].data.size();
  stats_.bytes += chunks_[i].data.size();
  --under_way_;
  free_chunks_.push_back(i);
  start_chunks();
}

void ChunkedDmaEngine::accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned chunk) {
  if (status != tlm::TLM_OK_RESPONSE) {
    fail(status);
  } else if (command == tlm::TLM_READ_COMMAND) {
    fetched(chunk);
  } else {
    stored(chunk);
  }
}

void ChunkedDmaEngine::access_device(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  LineRequester::Access& access = chunks_[i].access;
  access.command = command;
  access.address = address;
  access.bytes = chunks_[i].data.size();
  access.data = chunks_[i].data.data();
  access.token = i;
  memory_.start(access);
}

void ChunkedDmaEngine::access_host(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  Transaction& t = pool_.make(command, address, 0);
  const auto length = static_cast<unsigned>(chunks_[i].data.size());
  t.set_data_ptr(chunks_[i].data.data());
  t.set_data_length(length);
  t.set_streaming_width(length);
  t.ext.kind = AccessKind::kCopy;
  t.ext.token = i;
  to_send_.push_back(&t);
  send_next();
}

void ChunkedDmaEngine::send_next() {
  while (!to_send_.empty() && link.idle()) {
    tlm::tlm_generic_payload* next = to_send_.front();
    to_send_.pop_front();
    link.send(*next);
  }
}

bool ChunkedDmaEngine::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  const auto chunk = static_cast<unsigned>(MemExtension::of(payload).token);
  const tlm::tlm_command command = payload.get_command();
  const tlm::tlm_response_status status = payload.get_response_status();
  // Continue from a process of our own: what follows may send on this link.
  later_.after(sc_core::SC_ZERO_TIME, [this, command, status, chunk] { accessed(command, status, chunk); });
  payload.release();
  return true;
}

void ChunkedDmaEngine::fail(tlm::tlm_response_status status) {
  if (error_ == 0) error_ = static_cast<std::uint32_t>(-static_cast<int>(status)) & 0xff;
  --under_way_;
  if (under_way_ == 0) finish();
}

void ChunkedDmaEngine::finish() {
  busy_ = false;
  stats_.busy_us += (sc_core::sc_time_stamp() - started_at_).to_seconds() * 1e6;
  ++(error_ == 0 ? stats_.copies : stats_.failed);
  tell_end(record());
  report_copy_done(bus, {index_, copy_.tag, error_}, faults_);
}

DmaStats ChunkedDmaEngine::statistics() const {
  DmaStats stats = stats_;
  const LineRequester::Traffic& memory = memory_.traffic();
  stats.memory_reads = memory.reads;
  stats.memory_writes = memory.writes;
  stats.memory_read_bytes = memory.read_bytes;
  stats.memory_written_bytes = memory.written_bytes;
  return stats;
}

std::string ChunkedDmaEngine::describe() const {
  if (!busy_) return {};
  return fmt::format("copy of {} bytes from {:#x} to {:#x}: {} bytes done, {} chunks under way", copy_.bytes,
                     copy_.source, copy_.destination, done_bytes_, under_way_);
}

namespace {

class ChunkedDmaType : public DmaEngineType {
 public:
  explicit ChunkedDmaType(const DmaConfig& config) : config_(config) {}
  std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const override {
    return std::make_unique<ChunkedDmaEngine>(name, config_, place.index, place.memory, place.line_bytes,
                                              place.faults);
  }

 private:
  DmaConfig config_;
};

WARPVP_REGISTER_BLOCK(DmaEngineType, ChunkedDmaType, DmaConfig, "chunked",
                      "Cuts a copy into chunks, several of which are under way at once.");

}  // namespace
}  // namespace warpvp
