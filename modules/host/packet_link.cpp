#include "modules/host/packet_link.h"

#include <fmt/format.h>

#include <cassert>

#include "interconnect/no_bytes.h"

namespace warpvp {

using tlm::tlm_generic_payload;

namespace {
AccessKind kind_of(const tlm_generic_payload& payload) {
  const MemExtension* const ext = MemExtension::find(payload);
  return ext != nullptr ? ext->kind : AccessKind::kCommand;
}
}  // namespace

PacketLink::PacketLink(sc_core::sc_module_name name, const PcieConfig& config, FaultSink& faults)
    : PcieLink(name), device("device", *this), host_memory("host_memory"), config_(config), faults_(faults) {
  down_.to_device = true;
  add_port("host");
}

TargetPort& PacketLink::add_port(const std::string& name) {
  const auto index = static_cast<unsigned>(ports_.size());
  ports_.emplace_back(new TargetPort((std::string(basename()) + "_from_" + name).c_str(), *this, index));
  responses_.emplace_back();
  return *ports_.back();
}

bool PacketLink::request(TargetPort& port, tlm_generic_payload& payload) {
  Job job;
  job.port = port.index();
  job.payload = &payload;
  job.address = payload.get_address();
  job.kind = kind_of(payload);
  ++stats_.transfers;
  enqueue(port.index() == 0 ? down_ : up_, std::move(job));
  return true;
}

void PacketLink::b_transport(TargetPort& port, tlm_generic_payload& payload, sc_core::sc_time& delay) {
  sc_core::wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  sc_core::sc_event done;
  Job job;
  job.port = port.index();
  job.payload = &payload;
  job.address = payload.get_address();
  job.kind = kind_of(payload);
  job.blocking = &done;
  ++stats_.transfers;
  enqueue(port.index() == 0 ? down_ : up_, std::move(job));
  sc_core::wait(done);
}

unsigned PacketLink::transport_dbg(TargetPort& port, tlm_generic_payload& payload) {
  return port.index() == 0 ? device.socket->transport_dbg(payload) : host_memory->transport_dbg(payload);
}

void PacketLink::enqueue(Direction& direction, Job job) {
  direction.queue.push_back(std::move(job));
  start_next(direction);
}

void PacketLink::start_next(Direction& direction) {
  if (direction.busy || direction.queue.empty()) return;
  direction.busy = true;
  Job job = std::move(direction.queue.front());
  direction.queue.pop_front();
  const bool carries_data = job.completion || job.payload->is_write();
  const std::uint64_t bytes = carries_data ? job.payload->get_data_length() : 0;
  (direction.to_device ? stats_.to_device_bytes : stats_.to_host_bytes) += bytes;
  const std::uint64_t wire = config_.wire_bytes(bytes);
  (direction.to_device ? stats_.to_device_wire_bytes : stats_.to_host_wire_bytes) += wire;
  const sc_core::sc_time takes = config_.wire_time(bytes), now = sc_core::sc_time_stamp();
  tell({direction.to_device, now, now + takes, bytes, wire});
  later_.after(takes,
               [this, &direction, job = std::move(job)]() mutable { sent(direction, std::move(job)); });
}

void PacketLink::sent(Direction& direction, Job job) {
  direction.busy = false;
  if (!job.completion && job.payload->is_write()) {
    if (moves_no_bytes(*job.payload)) {
      job.empty_bytes = job.payload->get_data_length();
    } else {
      const unsigned char* data = job.payload->get_data_ptr();
      job.data.assign(data, data + job.payload->get_data_length());
    }
    job.payload->set_response_status(tlm::TLM_OK_RESPONSE);
    respond(job);
    job.payload = nullptr;
  }
  start_next(direction);
  later_.after(sc_core::sc_time(config_.latency_ns, sc_core::SC_NS),
               [this, &direction, job = std::move(job)]() mutable { arrive(direction, std::move(job)); });
}

void PacketLink::arrive(Direction& direction, Job job) {
  if (job.completion) {
    respond(job);
  } else if (direction.to_device) {
    arrived_.push_back(std::move(job));
    hand_over();
  } else if (at_host_) {
    at_host_->after(sc_core::SC_ZERO_TIME,
                    [this, job = std::move(job)]() mutable { arrive_at_host(std::move(job)); });
  } else {
    arrive_at_host(std::move(job));
  }
}

void PacketLink::arrive_at_host(Job job) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  if (job.payload != nullptr) {  // a read
    host_memory->b_transport(*job.payload, delay);
    job.completion = true;
    later_.after(delay, [this, job = std::move(job)]() mutable { enqueue(down_, std::move(job)); });
    return;
  }
  tlm_generic_payload write;
  write.set_command(tlm::TLM_WRITE_COMMAND);
  write.set_address(job.address);
  std::vector<unsigned char>& data = job.empty_bytes > 0 ? nothing_ : job.data;
  if (job.empty_bytes > 0) {
    nothing_.resize(job.empty_bytes);
    disable_bytes(write);
  }
  write.set_data_ptr(data.data());
  write.set_data_length(static_cast<unsigned>(data.size()));
  write.set_streaming_width(static_cast<unsigned>(data.size()));
  write.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  MemExtension extension;
  extension.kind = job.kind;
  write.set_extension(&extension);
  host_memory->b_transport(write, delay);
  write.clear_extension(&extension);  // it is no pool's, as a payload's destructor thinks
  check_write(up_, job, write);
}

// A transaction of the link's own: the host's was answered when the link had taken it (a write), or is under
// way on the host's side (a read).
void PacketLink::hand_over() {
  while (!arrived_.empty() && device.idle()) {
    std::size_t place = handed_over_.size();
    if (free_places_.empty()) {
      handed_over_.emplace_back();
    } else {
      place = free_places_.back();
      free_places_.pop_back();
    }
    handed_over_[place] = std::move(arrived_.front());
    arrived_.pop_front();
    Job& job = handed_over_[place];
    const bool read = job.payload != nullptr;
    Transaction& t = pool_.make(read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, job.address, 0);
    if (read) {
      t.set_data_ptr(job.payload->get_data_ptr());
      t.set_data_length(job.payload->get_data_length());
      t.set_streaming_width(job.payload->get_data_length());
      if (moves_no_bytes(*job.payload)) disable_bytes(t);
    } else {
      t.carry(job.empty_bytes > 0 ? std::vector<unsigned char>(job.empty_bytes) : std::move(job.data));
      if (job.empty_bytes > 0) disable_bytes(t);
    }
    t.ext.kind = AccessKind::kCommand;
    t.ext.token = place;
    device.send(t);
  }
}

void PacketLink::link_free(InitiatorPort&) {
  later_.after(sc_core::SC_ZERO_TIME, [this] { hand_over(); });
}

bool PacketLink::response(InitiatorPort&, tlm_generic_payload& payload) {
  const std::size_t place = MemExtension::of(payload).token;
  Job job = std::move(handed_over_[place]);
  free_places_.push_back(place);
  if (job.payload != nullptr) {
    job.payload->set_response_status(payload.get_response_status());
    job.completion = true;
    enqueue(up_, std::move(job));
  } else {
    check_write(down_, job, payload);
  }
  payload.release();
  return true;
}

// Nobody waits for a posted write: the link reports what went wrong with it.
void PacketLink::check_write(const Direction& direction, const Job& job, const tlm_generic_payload& write) {
  if (write.is_response_ok()) return;
  DeviceFault fault;
  fault.what =
      fmt::format("{} write of {} bytes over PCIe answered {}", direction.to_device ? "host" : "device",
                  write.get_data_length(), write.get_response_string());
  fault.address = job.address;
  fault.host_write = direction.to_device;
  faults_.raise(fault);
}

// A write of the host that is posted counts until device memory has answered it: so long nobody can know what
// a kernel that polls will see.
Outlook PacketLink::outlook() const {
  if (!later_.idle() || (at_host_ && !at_host_->idle())) return Outlook::kActs;
  const bool under_way = !down_.queue.empty() || !up_.queue.empty() || !arrived_.empty() ||
                         handed_over_.size() != free_places_.size();
  return under_way ? Outlook::kAwaits : Outlook::kRests;
}

void PacketLink::respond(const Job& job) {
  if (job.blocking != nullptr) {
    job.blocking->notify(sc_core::SC_ZERO_TIME);
    return;
  }
  TargetPort& port = *ports_[job.port];
  if (port.response_idle() && responses_[job.port].empty()) {
    port.respond(*job.payload);
  } else {
    responses_[job.port].push_back(job.payload);
  }
}

void PacketLink::response_link_free(TargetPort& port) {
  auto& waiting = responses_[port.index()];
  while (!waiting.empty() && port.response_idle()) {
    tlm_generic_payload* next = waiting.front();
    waiting.pop_front();
    port.respond(*next);
  }
}

namespace {

class PacketLinkType : public PcieLinkType {
 public:
  explicit PacketLinkType(const PcieConfig& config) : config_(config) {}
  std::unique_ptr<PcieLink> build(const char* name, FaultSink& faults) const override {
    return std::make_unique<PacketLink>(name, config_, faults);
  }

 private:
  PcieConfig config_;
};

WARPVP_REGISTER_BLOCK(PcieLinkType, PacketLinkType, PcieConfig, "packets",
                      "Packets with headers, in order, one at a time in each direction.");

}  // namespace
}  // namespace warpvp
