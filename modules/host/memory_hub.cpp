#include "modules/host/memory_hub.h"

#include "interconnect/launch_counters.h"
#include "interconnect/memory_access.h"
#include "interconnect/outstanding.h"

namespace warpvp {

using sc_core::sc_time;
using tlm::tlm_generic_payload;

namespace {
constexpr unsigned kHost = 0, kProcessor = 1;
constexpr std::size_t kHostQueue = 16;  // what waits beyond stays on the link
}  // namespace

void MemoryHubStats::stats(StatVisitor& v) const {
  v.value("host_reads", host_reads, "accesses", "Reads of device memory by the host.");
  v.value("host_writes", host_writes, "accesses", "Writes of device memory by the host.");
  v.value("host_registers", host_registers, "accesses", "Accesses to registers by the host.");
  v.value("processor_reads", processor_reads, "accesses", "Reads of device memory by the command processor.");
  v.value("processor_writes", processor_writes, "accesses",
          "Writes of device memory by the command processor.");
  v.value("bus_accesses", bus_accesses, "accesses", "Accesses to device memory from the register bus.");
  v.value("memory_reads", memory.reads, "requests", "Reads that the hub sent to the crossbar.");
  v.value("memory_writes", memory.writes, "requests", "Writes that the hub sent to the crossbar.");
  v.value("memory_read_bytes", memory.read_bytes, "bytes", "Bytes that the hub read from device memory.");
  v.value("memory_written_bytes", memory.written_bytes, "bytes",
          "Bytes that the hub wrote to device memory.");
}

MemoryHub::MemoryHub(sc_core::sc_module_name name, const MemoryHubConfig& config, DeviceMemory& memory,
                     unsigned line_bytes)
    : sc_module(name),
      host("host", *this, kHost),
      processor("processor", *this, kProcessor),
      bus("bus"),
      registers("registers"),
      config_(config),
      memory_(memory),
      requester_("memory", {line_bytes, config.requests, AccessKind::kCommand, kCommandLaunch}, memory,
                 [this](LineRequester::Access& access) { done(access); }) {
  bus.register_b_transport(this, &MemoryHub::bus_transport);
  bus.register_transport_dbg(this, &MemoryHub::bus_debug);
}

bool MemoryHub::request(TargetPort& port, tlm_generic_payload& payload) {
  if (&port == &processor) {
    ++(payload.is_write() ? stats_.processor_writes : stats_.processor_reads);
    start(&port, payload);
    return true;
  }
  if (host_queue_.size() >= kHostQueue) return false;
  host_queue_.push_back(&payload);
  later_.after(sc_core::SC_ZERO_TIME, [this] { serve_host(); });
  return true;
}

void MemoryHub::serve_host() {
  while (!host_queue_.empty()) {
    tlm_generic_payload& payload = *host_queue_.front();
    const bool to_memory = in_memory(payload);
    if (host_writes_under_way_ > 0 && !(to_memory && payload.is_write())) break;
    host_queue_.pop_front();
    if (to_memory) {
      ++(payload.is_write() ? stats_.host_writes : stats_.host_reads);
      if (payload.is_write()) ++host_writes_under_way_;
      start(&host, payload);
    } else {
      ++stats_.host_registers;
      sc_time delay = sc_core::SC_ZERO_TIME;
      registers->b_transport(payload, delay);
      later_.after(delay, [this, &payload] { respond(host, payload); });
    }
  }
  if (host_queue_.size() < kHostQueue) host.retry_request();
}

void MemoryHub::start(TargetPort* port, tlm_generic_payload& payload) {
  if (free_jobs_.empty()) {
    jobs_.push_back(std::make_unique<Job>());
    jobs_.back()->access.token = jobs_.size() - 1;
    free_jobs_.push_back(jobs_.back().get());
  }
  Job& job = *free_jobs_.back();
  free_jobs_.pop_back();
  job.port = port;
  job.payload = port ? &payload : nullptr;
  job.access.command = payload.get_command();
  job.access.address = payload.get_address();
  job.access.bytes = payload.get_data_length();
  job.access.data = port ? payload.get_data_ptr() : nullptr;
  later_.after(sc_time(config_.latency_ns, sc_core::SC_NS), [this, &job] { requester_.start(job.access); });
}

void MemoryHub::done(LineRequester::Access& access) {
  Job& job = *jobs_[access.token];
  if (job.port != nullptr) {
    job.payload->set_response_status(access.status);
    if (job.port == &host && job.payload->is_write()) --host_writes_under_way_;
    respond(*job.port, *job.payload);
    if (job.port == &host) serve_host();
  } else if (access.status != tlm::TLM_OK_RESPONSE) {
    // The requests behind a loosely timed access, which was answered when it was made.
    tlm_generic_payload failed;
    failed.set_command(access.command);
    failed.set_address(access.address);
    failed.set_data_length(static_cast<unsigned>(access.bytes));
    failed.set_response_status(access.status);
    require_answer_ok(failed, memory(), "access over the register bus");
  }
  free_jobs_.push_back(&job);
}

void MemoryHub::respond(TargetPort& port, tlm_generic_payload& payload) {
  responses_[port.index()].push_back(&payload);
  send_responses(port);
}

void MemoryHub::send_responses(TargetPort& port) {
  auto& waiting = responses_[port.index()];
  while (!waiting.empty() && port.response_idle()) {
    tlm_generic_payload* next = waiting.front();
    waiting.pop_front();
    port.respond(*next);
  }
}

// Loosely timed: values move at once, the memory system says what the access takes when nothing else is under
// way; its requests follow, so that they are counted and compete.
void MemoryHub::bus_transport(tlm_generic_payload& payload, sc_time& delay) {
  ++stats_.bus_accesses;
  if (!in_memory(payload)) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  access_memory(memory_, payload);
  if (!payload.is_response_ok()) return;
  delay += sc_time(config_.latency_ns, sc_core::SC_NS);
  // What the memory behind the sockets stores, or returns, is no value of the device's; one that keeps its
  // data in DeviceMemory stores the same once more.
  std::vector<unsigned char> scratch(payload.get_data_ptr(),
                                     payload.get_data_ptr() + payload.get_data_length());
  tlm_generic_payload timed;
  timed.set_command(payload.get_command());
  timed.set_address(payload.get_address());
  timed.set_data_ptr(scratch.data());
  timed.set_data_length(payload.get_data_length());
  timed.set_streaming_width(payload.get_data_length());
  timed.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  memory()->b_transport(timed, delay);
  payload.set_response_status(timed.get_response_status());
  if (payload.is_response_ok()) start(nullptr, payload);
}

void MemoryHub::b_transport(TargetPort& port, tlm_generic_payload& payload, sc_time& delay) {
  if (&port == &host && !in_memory(payload)) {
    ++stats_.host_registers;
    registers->b_transport(payload, delay);
  } else {
    bus_transport(payload, delay);
  }
}

unsigned MemoryHub::transport_dbg(TargetPort& port, tlm_generic_payload& payload) {
  const bool outside = !memory_.contains(payload.get_address(), 1);
  return &port == &host && outside ? registers->transport_dbg(payload)
                                   : access_memory_debug(memory_, payload);
}

MemoryHubStats MemoryHub::statistics() const {
  MemoryHubStats stats = stats_;
  stats.memory = requester_.traffic();
  return stats;
}

}  // namespace warpvp
