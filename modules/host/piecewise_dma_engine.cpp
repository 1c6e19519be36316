#include "modules/host/piecewise_dma_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "interconnect/aql.h"
#include "interconnect/launch_counters.h"
#include "interconnect/no_bytes.h"
#include "modules/host/copy_access.h"

namespace warpvp {

using sc_core::sc_time;

PiecewiseDmaEngine::PiecewiseDmaEngine(sc_core::sc_module_name name, const Pieces& pieces,
                                       const DmaPlace& place)
    : DmaEngine(name),
      registers("registers"),
      bus("bus"),
      link("link", *this),
      pieces_config_(pieces),
      index_(place.index),
      faults_(place.faults),
      spaces_(place.spaces),
      memory_("memory",
              {place.line_bytes, pieces.memory_requests, AccessKind::kCopy, kCopyLaunch, pieces.traffic},
              place.memory,
              [this](LineRequester::Access& access) {
                accessed(access.command, access.status, static_cast<unsigned>(access.token));
              }),
      window_({[this] { start(); }, [this] { return busy_; }, [this] { return error_; },
               [this] { return done_bytes_; }}),
      pieces_(pieces.most_under_way),
      nothing_(pieces.values ? 0 : pieces.bytes) {
  registers.register_b_transport(this, &PiecewiseDmaEngine::b_transport);
  registers.register_transport_dbg(this, &PiecewiseDmaEngine::transport_dbg);
}

bool PiecewiseDmaEngine::is_fill() const {
  return copy_.kind == static_cast<std::uint16_t>(aql::CopyKind::kFill);
}

void PiecewiseDmaEngine::start() {
  copy_ = window_.descriptor();
  busy_ = true;
  next_offset_ = done_bytes_ = 0;
  error_ = 0;
  under_way_ = 0;
  free_.clear();
  for (unsigned i = pieces_config_.most_under_way; i-- > 0;) free_.push_back(i);
  started_at_ = sc_core::sc_time_stamp();
  tell_begin(record());
  if (auto fault = foreign_access(copy_, memory_.memory(), spaces_)) {
    if (!faults_.raise(std::move(*fault))) return;
    error_ = static_cast<std::uint32_t>(-tlm::TLM_ADDRESS_ERROR_RESPONSE);  // a copy that has moved nothing
  }
  later_.after(sc_time(pieces_config_.setup_ns, sc_core::SC_NS), [this] {
    if (copy_.bytes == 0 || error_ != 0) return finish();
    ready();
  });
}

CopyRecord PiecewiseDmaEngine::record() const {
  return {index_,    copy_.source, copy_.destination, copy_.bytes,
          is_fill(), error_ != 0,  started_at_,       copy_.priority};
}

void PiecewiseDmaEngine::start_piece() {
  const unsigned i = free_.back();
  free_.pop_back();
  Piece& piece = pieces_[i];
  piece.offset = next_offset_;
  piece.length =
      static_cast<unsigned>(std::min<std::uint64_t>(pieces_config_.bytes, copy_.bytes - next_offset_));
  next_offset_ += piece.length;
  ++under_way_;
  if (pieces_config_.values) piece.data.resize(piece.length);
  if (is_fill()) {
    std::fill(piece.data.begin(), piece.data.end(), static_cast<unsigned char>(copy_.value));
    fetched(i);
  } else {
    access_at(tlm::TLM_READ_COMMAND, copy_.source + piece.offset, i);
  }
}

void PiecewiseDmaEngine::fetched(unsigned i) {
  access_at(tlm::TLM_WRITE_COMMAND, copy_.destination + pieces_[i].offset, i);
}

void PiecewiseDmaEngine::stored(unsigned i) {
  done_bytes_ += pieces_[i].length;
  stats_.bytes += pieces_[i].length;
  ended(i);
}

void PiecewiseDmaEngine::ended(unsigned i) {
  free_.push_back(i);
  --under_way_;
  const bool over = under_way_ == 0 && (error_ != 0 || next_offset_ == copy_.bytes);
  piece_ended();
  if (over) finish();
}

void PiecewiseDmaEngine::accessed(tlm::tlm_command command, tlm::tlm_response_status status, unsigned i) {
  if (status != tlm::TLM_OK_RESPONSE) {
    if (error_ == 0) error_ = static_cast<std::uint32_t>(-static_cast<int>(status)) & 0xff;
    failed();
    ended(i);
  } else if (command == tlm::TLM_READ_COMMAND) {
    fetched(i);
  } else {
    stored(i);
  }
}

void PiecewiseDmaEngine::access_at(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  if (regmap::is_host_bus(address)) {
    access_host(command, address, i);
  } else {
    access_device(command, address, i);
  }
}

void PiecewiseDmaEngine::access_device(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  LineRequester::Access& access = pieces_[i].access;
  access.command = command;
  access.address = address;
  access.bytes = pieces_[i].length;
  access.data = pieces_config_.values ? pieces_[i].data.data() : nullptr;
  access.token = i;
  memory_.start(access);
}

void PiecewiseDmaEngine::access_host(tlm::tlm_command command, std::uint64_t address, unsigned i) {
  Transaction& t = pool_.make(command, address, 0);
  t.set_data_ptr(pieces_config_.values ? pieces_[i].data.data() : nothing_.data());
  t.set_data_length(pieces_[i].length);
  t.set_streaming_width(pieces_[i].length);
  if (!pieces_config_.values) disable_bytes(t);
  t.ext.kind = AccessKind::kCopy;
  t.ext.token = i;
  to_send_.push_back(&t);
  send_next();
}

void PiecewiseDmaEngine::send_next() {
  while (!to_send_.empty() && link.idle()) {
    tlm::tlm_generic_payload* next = to_send_.front();
    to_send_.pop_front();
    link.send(*next);
  }
}

bool PiecewiseDmaEngine::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  const auto piece = static_cast<unsigned>(MemExtension::of(payload).token);
  const tlm::tlm_command command = payload.get_command();
  const tlm::tlm_response_status status = payload.get_response_status();
  // Continue from a process of our own: what follows may send on this link.
  later_.after(sc_core::SC_ZERO_TIME, [this, command, status, piece] { accessed(command, status, piece); });
  payload.release();
  return true;
}

void PiecewiseDmaEngine::finish() {
  busy_ = false;
  stats_.busy_us += (sc_core::sc_time_stamp() - started_at_).to_seconds() * 1e6;
  ++(error_ == 0 ? stats_.copies : stats_.failed);
  tell_end(record());
  report_copy_done(bus, {index_, copy_.tag, error_}, faults_);
}

DmaStats PiecewiseDmaEngine::statistics() const {
  DmaStats stats = stats_;
  const LineRequester::Traffic& memory = memory_.traffic();
  stats.memory_reads = memory.reads;
  stats.memory_writes = memory.writes;
  stats.memory_read_bytes = memory.read_bytes;
  stats.memory_written_bytes = memory.written_bytes;
  return stats;
}

std::string PiecewiseDmaEngine::describe() const {
  if (!busy_) return {};
  return fmt::format(
      "copy of {} bytes from {:#x} to {:#x}, priority {}: {} bytes done, {} pieces of it under way",
      copy_.bytes, copy_.source, copy_.destination, copy_.priority, done_bytes_, under_way_);
}

}  // namespace warpvp
