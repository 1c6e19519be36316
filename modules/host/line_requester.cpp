#include "modules/host/line_requester.h"

#include <algorithm>
#include <cstring>

namespace warpvp {

LineRequester::LineRequester(const char* name, const Config& config, DeviceMemory& memory,
                             std::function<void(Access&)> done)
    : port(name, *this), config_(config), memory_(memory), done_(std::move(done)) {
  if (config.line_bytes > Transaction::kScratchBytes) long_data_.resize(config.line_bytes);
  sc_core::sc_spawn_options method;
  method.spawn_method();
  method.dont_initialize();
  method.set_sensitivity(&work_);
  sc_core::sc_spawn([this] { send_requests(); }, sc_core::sc_gen_unique_name("line_requester"), &method);
  sc_core::sc_spawn_options thread;
  thread.dont_initialize();
  thread.set_sensitivity(&answered_);
  sc_core::sc_spawn([this] { call_back(); }, sc_core::sc_gen_unique_name("line_requester_done"), &thread);
}

void LineRequester::start(Access& access) {
  access.sent = access.answered = 0;
  access.status = tlm::TLM_OK_RESPONSE;
  if (access.bytes == 0)
    access.status = tlm::TLM_BURST_ERROR_RESPONSE;
  else if (!memory_.contains(access.address, access.bytes))
    access.status = tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (access.status == tlm::TLM_OK_RESPONSE && config_.traffic) {
    queue_.push_back(&access);
    work_.notify(sc_core::SC_ZERO_TIME);
    return;
  }
  if (access.status == tlm::TLM_OK_RESPONSE) move_values(access, access.address, access.bytes);
  finished_.push_back(&access);
  answered_.notify(sc_core::SC_ZERO_TIME);
}

void LineRequester::call_back() {
  for (;;) {
    calling_.swap(finished_);
    for (Access* access : calling_) done_(*access);
    calling_.clear();
    sc_core::wait();
  }
}

void LineRequester::send_requests() {
  while (!queue_.empty() && port.idle() && under_way_ < config_.outstanding) {
    Access& access = *queue_.front();
    send(access);
    if (access.sent == access.bytes) queue_.pop_front();
  }
}

void LineRequester::send(Access& access) {
  const std::uint64_t address = access.address + access.sent;
  const std::uint64_t to_line_end = config_.line_bytes - (address & (config_.line_bytes - 1));
  const auto bytes = static_cast<unsigned>(std::min(to_line_end, access.bytes - access.sent));
  access.sent += bytes;
  const bool fits = bytes <= Transaction::kScratchBytes;
  Transaction& t = pool_.make(access.command, address, fits ? bytes : 0);
  if (!fits) {
    t.set_data_ptr(long_data_.data());
    t.set_data_length(bytes);
    t.set_streaming_width(bytes);
  }
  t.ext.kind = config_.kind;
  t.ext.launch = config_.launch;
  t.ext.token = reinterpret_cast<std::uintptr_t>(&access);
  ++under_way_;
  const bool write = access.command == tlm::TLM_WRITE_COMMAND;
  ++(write ? traffic_.writes : traffic_.reads);
  (write ? traffic_.written_bytes : traffic_.read_bytes) += bytes;
  port.send(t);
}

void LineRequester::move_values(const Access& access, std::uint64_t address, std::uint64_t bytes) {
  if (access.data == nullptr) return;
  std::byte* const there = memory_.at(address);
  unsigned char* const here = access.data + (address - access.address);
  if (access.command == tlm::TLM_WRITE_COMMAND) {
    std::memcpy(there, here, bytes);
  } else {
    std::memcpy(here, there, bytes);
  }
}

bool LineRequester::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  auto& access = *reinterpret_cast<Access*>(static_cast<std::uintptr_t>(MemExtension::of(payload).token));
  const unsigned bytes = payload.get_data_length();
  if (!payload.is_response_ok()) {
    if (access.status == tlm::TLM_OK_RESPONSE) access.status = payload.get_response_status();
  } else {
    move_values(access, payload.get_address(), bytes);
  }
  payload.release();
  --under_way_;
  access.answered += bytes;
  // What follows may send on this very link: not from within the call that answers.
  // (A link that is still taken calls link_free.)
  if (access.answered == access.bytes) {
    finished_.push_back(&access);
    answered_.notify(sc_core::SC_ZERO_TIME);
  }
  if (!queue_.empty() && port.idle()) work_.notify(sc_core::SC_ZERO_TIME);
  return true;
}

}  // namespace warpvp
