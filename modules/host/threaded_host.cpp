#include "modules/host/threaded_host.h"

#include <fmt/format.h>

#include <cctype>
#include <cstring>

#include "interconnect/device_memory.h"
#include "interconnect/no_bytes.h"
#include "interconnect/register_map.h"
#include "interconnect/sim_time.h"

namespace warpvp {

namespace {
// Host programs parse PTX and keep arrays on their stack.
constexpr int kStackBytes = 4 << 20;
constexpr std::uint64_t kMapAlignment = 4096;

/// The name as SystemC takes one: without points and white space (IEEE 1666-2011, section 5.16.2).
std::string object_name(std::string name) {
  for (char& c : name)
    if (c == '.' || std::isspace(static_cast<unsigned char>(c)) != 0) c = '_';
  return name;
}
}  // namespace

ThreadedHost::ThreadedHost(sc_core::sc_module_name name, const HostConfig& config, FaultSink& faults)
    : HostCpu(name),
      pcie("pcie", *this),
      memory("memory"),
      config_(config),
      faults_(faults),
      next_bus_address_(regmap::kHostBusBase) {
  if (config.cores != 0) cores_.emplace(config.cores);
  memory.register_b_transport(this, &ThreadedHost::memory_transport);
  memory.register_transport_dbg(this, &ThreadedHost::memory_debug);
}

void ThreadedHost::add_program(const std::string& name, std::function<void(HostInterface&)> program) {
  ++running_;
  sc_core::sc_spawn_options options;
  options.set_stack_size(kStackBytes);
  sc_core::sc_spawn([this, program = std::move(program)] { run(program); },
                    sc_core::sc_gen_unique_name(object_name(name).c_str()), &options);
}

unsigned ThreadedHost::start(const std::string& name, std::function<void(HostInterface&)> program) {
  const auto number = static_cast<unsigned>(ended_.size());
  ended_.push_back(false);
  add_program(name, [this, number, program = std::move(program)](HostInterface& host) {
    program(host);
    ended_[number] = true;
    thread_ended_.notify(sc_core::SC_ZERO_TIME);
  });
  return number;
}

void ThreadedHost::join(unsigned thread) {
  if (thread >= ended_.size())
    throw InputError(fmt::format("join: no host thread {}; {} were started", thread, ended_.size()));
  while (!ended_[thread]) sc_core::wait(thread_ended_);
}

void ThreadedHost::run(const std::function<void(HostInterface&)>& program) {
  try {
    program(*this);
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the kernel is taking the thread down
  } catch (...) {
    if (!failure_) failure_ = std::current_exception();
  }
  --running_;
  if (finished_ || (running_ > 0 && !failure_)) return;
  finished_ = true;
  if (on_finished) on_finished();
}

tlm::tlm_response_status ThreadedHost::transfer(tlm::tlm_command command, std::uint64_t address, void* data,
                                                std::size_t bytes) {
  while (!pcie.idle()) sc_core::wait(link_free_);
  Access access;
  Transaction& t = pool_.make(command, address, 0);
  t.set_data_ptr(static_cast<unsigned char*>(data));
  t.set_data_length(static_cast<unsigned>(bytes));
  t.set_streaming_width(static_cast<unsigned>(bytes));
  t.ext.kind = AccessKind::kCommand;
  t.ext.token = reinterpret_cast<std::uintptr_t>(&access);
  pcie.send(t);
  while (!access.complete) sc_core::wait(access.done);
  ++activity_;
  const tlm::tlm_response_status answer = t.get_response_status();
  t.release();
  return answer;
}

void ThreadedHost::access(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes) {
  if (bytes == 0) return;
  const tlm::tlm_response_status answer = transfer(command, address, data, bytes);
  if (answer == tlm::TLM_OK_RESPONSE) return;
  tlm::tlm_generic_payload answered;
  answered.set_response_status(answer);
  DeviceFault fault;
  fault.what =
      fmt::format("host {} of {} bytes answered {}", command == tlm::TLM_READ_COMMAND ? "read" : "write",
                  bytes, answered.get_response_string());
  fault.address = address;
  faults_.raise(fault);
}

void ThreadedHost::link_free(InitiatorPort&) { link_free_.notify(sc_core::SC_ZERO_TIME); }

bool ThreadedHost::response(InitiatorPort&, tlm::tlm_generic_payload& payload) {
  auto* access = reinterpret_cast<Access*>(static_cast<std::uintptr_t>(MemExtension::of(payload).token));
  access->complete = true;
  access->done.notify(sc_core::SC_ZERO_TIME);
  return true;
}

void ThreadedHost::write(std::uint64_t device_address, const void* data, std::size_t bytes) {
  access(tlm::TLM_WRITE_COMMAND, device_address, const_cast<void*>(data), bytes);
}

void ThreadedHost::write_untimed(std::uint64_t device_address, const void* data, std::size_t bytes) {
  access_untimed(tlm::TLM_WRITE_COMMAND, device_address, const_cast<void*>(data), bytes);
}

void ThreadedHost::read_untimed(std::uint64_t device_address, void* data, std::size_t bytes) {
  access_untimed(tlm::TLM_READ_COMMAND, device_address, data, bytes);
}

int ThreadedHost::share_device_memory(std::uint64_t device_address, std::size_t bytes) {
  return device_memory_ != nullptr && device_memory_->contains(device_address, bytes)
             ? device_memory_->share(device_address, bytes)
             : -1;
}

unsigned ThreadedHost::transfer_untimed(tlm::tlm_command command, std::uint64_t address, void* data,
                                        std::size_t bytes) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  return pcie.socket->transport_dbg(payload);
}

void ThreadedHost::access_untimed(tlm::tlm_command command, std::uint64_t address, void* data,
                                  std::size_t bytes) {
  const unsigned done = transfer_untimed(command, address, data, bytes);
  if (done == bytes) return;
  DeviceFault fault;
  fault.what = fmt::format("{} of {} bytes by the driver, of which {} were moved",
                           command == tlm::TLM_READ_COMMAND ? "read" : "write", bytes, done);
  fault.address = address;
  faults_.raise(fault);
}

void ThreadedHost::read(std::uint64_t device_address, void* data, std::size_t bytes) {
  access(tlm::TLM_READ_COMMAND, device_address, data, bytes);
}

std::uint64_t ThreadedHost::map(void* data, std::size_t bytes) {
  const std::uint64_t address = next_bus_address_;
  next_bus_address_ += (bytes + kMapAlignment) / kMapAlignment * kMapAlignment;  // a gap after each
  mappings_[address] = {static_cast<unsigned char*>(data), bytes};
  return address;
}

void ThreadedHost::unmap(std::uint64_t bus_address) { mappings_.erase(bus_address); }

tlm::tlm_response_status ThreadedHost::access_memory(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address();
  auto it = mappings_.upper_bound(address);
  if (it == mappings_.begin()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  --it;
  const std::uint64_t offset = address - it->first;
  const unsigned bytes = payload.get_data_length();
  if (offset > it->second.bytes || bytes > it->second.bytes - offset) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (moves_no_bytes(payload)) return tlm::TLM_OK_RESPONSE;
  if (payload.is_write()) {
    std::memcpy(it->second.data + offset, payload.get_data_ptr(), bytes);
  } else if (payload.is_read()) {
    std::memcpy(payload.get_data_ptr(), it->second.data + offset, bytes);
  }
  return tlm::TLM_OK_RESPONSE;
}

void ThreadedHost::memory_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  const bool empty = moves_no_bytes(payload);
  if (payload.get_byte_enable_ptr() != nullptr && !empty) {
    payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  } else if (payload.get_streaming_width() < payload.get_data_length()) {
    payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  } else {
    payload.set_response_status(access_memory(payload));
    if (!payload.is_response_ok()) return;
    if (payload.is_write() && !empty) memory_written_.notify(sc_core::SC_ZERO_TIME);
    if (payload.is_read()) delay += sc_core::sc_time(config_.memory_latency_ns, sc_core::SC_NS);
  }
}

unsigned ThreadedHost::memory_debug(tlm::tlm_generic_payload& payload) {
  return access_memory(payload) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

void ThreadedHost::wait_until(const std::function<bool()>& done) {
  while (!done()) sc_core::wait(memory_written_);
}

bool ThreadedHost::wait_until(const std::function<bool()>& done, SimTime latest) {
  // A program that will go on by itself counts as sleeping: the run is neither stuck nor without progress.
  struct Sleeping {  // `done` may throw
    unsigned& count;
    explicit Sleeping(unsigned& c) : count(c) { ++count; }
    ~Sleeping() { --count; }
  };
  bool holds = false;
  {
    const Sleeping sleeping(sleeping_);
    holds = done();
    while (!holds && now() < latest) {
      sc_core::wait(to_sc_time(latest - now()), memory_written_);
      holds = done();
    }
  }
  ++activity_;
  return holds;
}

void ThreadedHost::sleep(SimTime duration) {
  ++sleeping_;
  sc_core::wait(to_sc_time(duration));
  --sleeping_;
  ++activity_;
}

void ThreadedHost::compute(SimTime work) {
  if (!cores_) return sleep(work);
  ++sleeping_;
  // Those who compute already look again when they would have ended without it: only an end has to be told.
  const SharedCores::Computation computation = cores_->begin(now(), work);
  for (SimTime end = cores_->done_at(computation, now()); now() < end;
       end = cores_->done_at(computation, now()))
    sc_core::wait(to_sc_time(end - now()), core_given_up_);
  cores_->end(computation, now());
  core_given_up_.notify(sc_core::SC_ZERO_TIME);
  --sleeping_;
  ++activity_;
}

SimTime ThreadedHost::now() const { return to_sim_time(sc_core::sc_time_stamp()); }

namespace {

class ThreadedHostType : public HostType {
 public:
  explicit ThreadedHostType(const HostConfig& config) : config_(config) {}
  std::unique_ptr<HostCpu> build(const char* name, FaultSink& faults) const override {
    return std::make_unique<ThreadedHost>(name, config_, faults);
  }

 private:
  HostConfig config_;
};

WARPVP_REGISTER_BLOCK(HostType, ThreadedHostType, HostConfig, "threads",
                      "Each program is a SystemC thread; host memory is the program's own.");

}  // namespace
}  // namespace warpvp
