#pragma once
// Parts for tests of the control path: plain initiators and scripted stand-ins for the blocks around the one
// under test, and the whole path from host program to scripted SMs.

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "interconnect/clock_domain.h"
#include "interconnect/device_memory.h"
#include "interconnect/kernel_descriptor.h"
#include "interconnect/launch.h"
#include "interconnect/memory_access.h"
#include "interconnect/ports.h"
#include "interconnect/register_bus.h"
#include "interconnect/sim_time.h"
#include "modules/command_processor/queued_command_processor.h"
#include "modules/host/chunked_dma_engine.h"
#include "modules/host/memory_hub.h"
#include "modules/host/memory_manager.h"
#include "modules/host/packet_link.h"
#include "modules/host/threaded_host.h"
#include "modules/sm/sm.h"
#include "modules/work_distributor/status_register_distributor.h"

namespace warpvp::test {

inline double ns(const sc_core::sc_time& t) { return t.to_seconds() * 1e9; }
inline double ns(SimTime t) { return t.to_seconds() * 1e9; }
inline sc_core::sc_time in_ns(double t) { return sc_core::sc_time(t, sc_core::SC_NS); }

/// Performs one blocking access and returns its response; `data` is written or filled.
template <class Socket>
tlm::tlm_response_status access(Socket& socket, tlm::tlm_command command, std::uint64_t address, void* data,
                                unsigned bytes, sc_core::sc_time* time = nullptr) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->b_transport(payload, delay);
  if (time) *time = delay;
  return payload.get_response_status();
}

/// A module that only has an initiator socket, for driving targets from the test body.
struct Driver : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Driver> socket{"socket"};
  explicit Driver(sc_core::sc_module_name name) : sc_module(name) {}

  template <class T>
  T read(std::uint64_t address) {
    T value{};
    EXPECT_EQ(access(socket, tlm::TLM_READ_COMMAND, address, &value, sizeof value), tlm::TLM_OK_RESPONSE)
        << std::hex << address;
    return value;
  }
  template <class T>
  void write(std::uint64_t address, T value) {
    EXPECT_EQ(access(socket, tlm::TLM_WRITE_COMMAND, address, &value, sizeof value), tlm::TLM_OK_RESPONSE)
        << std::hex << address;
  }
};

/// Closes a socket that a test does not use.
struct SilentInitiator : sc_core::sc_module, private InitiatorPort::Client {
  InitiatorPort port;
  explicit SilentInitiator(sc_core::sc_module_name name) : sc_module(name), port("port", *this) {}

 private:
  void link_free(InitiatorPort&) override {}
  bool response(InitiatorPort&, tlm::tlm_generic_payload&) override { return true; }
};

/// A target that hands every access to a function.
struct Target : sc_core::sc_module {
  tlm_utils::simple_target_socket<Target> socket{"socket"};
  std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> on_access;
  explicit Target(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &Target::b_transport);
    socket.register_transport_dbg(this, &Target::transport_dbg);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) {
    ++debug_accesses;
    return payload.get_data_length();
  }
  unsigned debug_accesses = 0;
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    if (on_access) on_access(payload, delay);
  }
};

/// A memory system in miniature: answers each request `latency` after a bus that works them off one by one at
/// `bytes_per_ns` is through with it (0: no limit), in order. One port for each requester.
class MemoryStub : public sc_core::sc_module, private TargetPort::Client {
 public:
  struct Seen {
    double at_ns;
    unsigned port;
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned bytes;
    std::uint32_t launch;
    AccessKind kind;
  };
  MemoryStub(sc_core::sc_module_name name, DeviceMemory& memory, unsigned ports, double latency_ns,
             double bytes_per_ns = 0)
      : sc_module(name), latency(in_ns(latency_ns)), bytes_per_ns_(bytes_per_ns), memory_(memory) {
    TargetPort::Client& client = *this;
    for (unsigned i = 0; i < ports; ++i)
      ports_.push_back(std::make_unique<TargetPort>(("port" + std::to_string(i)).c_str(), client, i));
    waiting_.resize(ports);
  }
  tlm::tlm_target_socket<>& port(unsigned i) { return ports_[i]->socket; }

  sc_core::sc_time latency;
  std::vector<Seen> seen;
  unsigned under_way = 0, most_under_way = 0;
  /// What to answer; the default is OK.
  std::function<tlm::tlm_response_status(const Seen&)> answer;
  /// Instead of what a blocking access comes to, unless it is incomplete.
  tlm::tlm_response_status blocking_answer = tlm::TLM_INCOMPLETE_RESPONSE;
  /// Keeps data of its own, as a foreign memory may: blocking reads are answered with 0xee.
  bool foreign_data = false;
  /// How long a request takes up the link.
  sc_core::sc_time taking;

 private:
  bool request(TargetPort& port, tlm::tlm_generic_payload& p) override {
    if (taking != sc_core::SC_ZERO_TIME && !taken_) {
      later_.after(taking, [this, &port] {
        taken_ = true;
        port.retry_request();
        taken_ = false;
      });
      return false;
    }
    const MemExtension& ext = MemExtension::of(p);
    seen.push_back({ns(sc_core::sc_time_stamp()), port.index(), p.get_command(), p.get_address(),
                    p.get_data_length(), ext.launch, ext.kind});
    p.set_response_status(answer ? answer(seen.back()) : tlm::TLM_OK_RESPONSE);
    most_under_way = std::max(most_under_way, ++under_way);
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    free_at_ = std::max(free_at_, now) + in_ns(bytes_per_ns_ > 0 ? p.get_data_length() / bytes_per_ns_ : 0);
    later_.after(free_at_ - now + latency, [this, &port, &p] {
      --under_way;
      waiting_[port.index()].push_back(&p);
      response_link_free(port);
    });
    return true;
  }
  void response_link_free(TargetPort& port) override {
    auto& waiting = waiting_[port.index()];
    while (!waiting.empty() && port.response_idle()) {
      tlm::tlm_generic_payload* next = waiting.front();
      waiting.pop_front();
      port.respond(*next);
    }
  }
  void b_transport(TargetPort&, tlm::tlm_generic_payload& p, sc_core::sc_time& delay) override {
    access_memory(memory_, p);
    if (foreign_data && p.is_read()) std::memset(p.get_data_ptr(), 0xee, p.get_data_length());
    if (blocking_answer != tlm::TLM_INCOMPLETE_RESPONSE) p.set_response_status(blocking_answer);
    delay += latency;
  }
  unsigned transport_dbg(TargetPort&, tlm::tlm_generic_payload& p) override {
    return access_memory_debug(memory_, p);
  }

  double bytes_per_ns_;
  DeviceMemory& memory_;
  TimedCalls later_;
  sc_core::sc_time free_at_;
  bool taken_ = false;
  std::vector<std::unique_ptr<TargetPort>> ports_;
  std::vector<std::deque<tlm::tlm_generic_payload*>> waiting_;
};

/// SMs that complete every CTA a scripted number of cycles after its launch.
class ScriptedSms : public sc_core::sc_module, private Clocked {
 public:
  struct Launched {
    Cycle cycle;
    unsigned sm;
    CtaLaunch record;
  };
  /// A register written before a launch.
  struct Setup {
    Cycle cycle;
    unsigned sm;
    std::uint64_t offset;
    std::uint64_t value;
  };

  ScriptedSms(sc_core::sc_module_name name, unsigned count, ClockDomain& domain)
      : sc_module(name), domain_(domain), id_(domain.join(*this)) {
    for (unsigned i = 0; i < count; ++i) {
      windows_.push_back(std::make_unique<Target>(("sm" + std::to_string(i)).c_str()));
      windows_.back()->on_access = [this, i](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
        if (answer) p.set_response_status(answer(p.get_address()));
        if (!p.is_response_ok()) return;
        if (p.get_data_length() <= sizeof(std::uint64_t)) {
          std::uint64_t value = 0;
          std::memcpy(&value, p.get_data_ptr(), p.get_data_length());
          setups.push_back({domain_.edge_after(delay), i, p.get_address(), value});
          return;
        }
        ASSERT_EQ(p.get_address(), regmap::sm::kLaunch);
        ASSERT_EQ(p.get_data_length(), sizeof(CtaLaunch));
        CtaLaunch record;
        std::memcpy(&record, p.get_data_ptr(), sizeof record);
        const Cycle start = domain_.edge_after(delay);
        launches.push_back({start, i, record});
        if (on_launch) on_launch(record, i);
        run(record, i, start);
      };
    }
  }
  tlm_utils::simple_target_socket<Target>& window(unsigned i) { return windows_[i]->socket; }
  tlm_utils::simple_initiator_socket<ScriptedSms> bus{"bus"};

  std::function<Cycle(const CtaLaunch&)> cycles = [](const CtaLaunch&) { return Cycle{100}; };
  std::function<void(const CtaLaunch&, unsigned sm)> on_launch;
  /// What to answer to a write at `offset`; one that is not OK has no effect. The default is OK.
  std::function<tlm::tlm_response_status(std::uint64_t offset)> answer;
  /// How many of a CTA and its followers end before the next of them leaves, to run again from the start, and
  /// those behind it with it; the default is that none does.
  std::function<std::optional<unsigned>(const CtaLaunch&)> leave_after;
  bool decline_followers = false;
  std::vector<Launched> launches;
  std::vector<Setup> setups;

 private:
  /// A CTA and its followers, one after the other.
  void run(CtaLaunch record, unsigned sm, Cycle start) {
    if (decline_followers && record.followers != 0) {
      CtaPreempted declined = preempted(record, sm);
      go_to_next_cta(declined.cta, record.grid);
      --declined.followers;
      declined.declined = 1;
      leaving_.insert({start, declined});
      domain_.wake(id_, start);
      record.followers = 0;
    }
    const auto leaves = leave_after ? leave_after(record) : std::nullopt;
    const unsigned ended = leaves ? *leaves : record.followers + 1;
    const Cycle done = start + ended * cycles(record);
    for (unsigned n = 0; n < (leaves ? ended : ended - 1); ++n) go_to_next_cta(record.cta, record.grid);
    if (leaves) {
      record.followers -= ended;
      CtaPreempted left = preempted(record, sm);
      left.before = static_cast<std::uint16_t>(ended);
      leaving_.insert({done, left});
    } else {
      pending_.insert({done, CtaDone{record.launch_id,
                                     record.kernel_slot,
                                     static_cast<std::uint16_t>(sm),
                                     {record.cta[0], record.cta[1], record.cta[2]},
                                     record.followers}});
    }
    domain_.wake(id_, done);
  }
  void evaluate(Cycle) override {}
  Cycle commit(Cycle now) override {
    while (!pending_.empty() && pending_.begin()->first <= now) {
      CtaDone done = pending_.begin()->second;
      pending_.erase(pending_.begin());
      EXPECT_EQ(access(bus, tlm::TLM_WRITE_COMMAND, regmap::wd::kBase + regmap::wd::kCompletion, &done,
                       sizeof done),
                tlm::TLM_OK_RESPONSE);
    }
    while (!leaving_.empty() && leaving_.begin()->first <= now) {
      CtaPreempted left = leaving_.begin()->second;
      leaving_.erase(leaving_.begin());
      EXPECT_EQ(access(bus, tlm::TLM_WRITE_COMMAND, regmap::wd::kBase + regmap::wd::kPreempted, &left,
                       sizeof left),
                tlm::TLM_OK_RESPONSE);
    }
    return std::min(pending_.empty() ? kNever : pending_.begin()->first,
                    leaving_.empty() ? kNever : leaving_.begin()->first);
  }

  ClockDomain& domain_;
  unsigned id_;
  std::vector<std::unique_ptr<Target>> windows_;
  std::multimap<Cycle, CtaDone> pending_;
  std::multimap<Cycle, CtaPreempted> leaving_;
};

/// The hardware sequencer, and parsers that take up packets whenever they are free, so that tests need not
/// reckon with firmware's time and the parsers' interval.
inline CommandProcessorConfig eager_hardware() {
  CommandProcessorConfig config;
  config.type = "hardware";
  config.parse_interval_ns = 0;
  return config;
}

struct ControlPathOptions {
  unsigned sms = 4;
  WorkDistributorConfig distributor;
  CommandProcessorConfig processor = eager_hardware();
  PcieConfig pcie;
  DmaConfig dma;
  unsigned dma_engines = 2;
  SmResources resources;
  std::uint64_t memory_bytes = 64ull << 20;
  CoreFactory core;                 ///< in place of processor.type
  AddressSpaces* spaces = nullptr;  ///< those that the memory manager makes
};

/// The whole control path. SM clock 1 GHz, command processor clock 1 GHz.
struct ControlPath : sc_core::sc_module {
  using Options = ControlPathOptions;

  explicit ControlPath(sc_core::sc_module_name name, const Options& o = {})
      : sc_module(name),
        memory(o.memory_bytes),
        sm_clock("sm_clock", 1000),
        cp_clock("cp_clock", 1000),
        host("host", HostConfig{}, faults),
        link("link", o.pcie, faults),
        bus("bus", RegisterBusConfig{}),
        stub("stub", memory, o.dma_engines + 1, 130),
        hub("hub", MemoryHubConfig{}, memory, 128),
        manager("manager", memory, o.spaces),
        processor("processor", o.processor, o.distributor.slots, o.dma_engines, cp_clock, faults, {}, o.core),
        distributor("distributor", o.distributor, o.resources, o.sms, sm_clock, faults),
        sms("sms", o.sms, sm_clock) {
    host.pcie.socket.bind(link.host().socket);
    link.host_memory.bind(host.memory);
    link.device.socket.bind(hub.host.socket);
    hub.registers.bind(bus.add_initiator("pcie"));
    hub.memory().bind(stub.port(o.dma_engines));
    processor.memory.socket.bind(hub.processor.socket);
    processor.host.socket.bind(link.add_device_master("processor"));
    processor.connect(bus);
    distributor.bus.bind(bus.add_initiator("distributor"));
    sms.bus.bind(bus.add_initiator("sms"));
    bus.add_target("memory", DeviceMemory::kBase, o.memory_bytes, true).bind(hub.bus);
    bus.add_target("manager", regmap::mm::kBase, regmap::mm::kBytes).bind(manager.registers);
    bus.add_target("distributor", regmap::wd::kBase, regmap::wd::kBytes).bind(distributor.registers);
    for (unsigned i = 0; i < o.sms; ++i)
      bus.add_target("sm" + std::to_string(i), regmap::sm::window(i), regmap::sm::kStride)
          .bind(sms.window(i));
    for (unsigned i = 0; i < o.dma_engines; ++i) {
      engines.push_back(std::make_unique<ChunkedDmaEngine>(("dma" + std::to_string(i)).c_str(), o.dma,
                                                           DmaPlace{i, memory, faults, 128}));
      ChunkedDmaEngine& e = *engines.back();
      e.bus.bind(bus.add_initiator("dma" + std::to_string(i)));
      e.memory_socket().bind(stub.port(i));
      e.link.socket.bind(link.add_device_master("dma" + std::to_string(i)));
      bus.add_target("dma" + std::to_string(i), regmap::dma::engine(i), regmap::dma::kStride)
          .bind(e.registers);
    }
    host.on_finished = [] { sc_core::sc_stop(); };
    faults.on_fault = [] { sc_core::sc_stop(); };
  }

  /// Runs one host program to its end; rethrows what ended it.
  void run(std::function<void(HostInterface&)> program) {
    host.add_program("program", std::move(program));
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_SEC));
    if (host.failure()) std::rethrow_exception(host.failure());
  }

  FaultSink faults;
  DeviceMemory memory;
  ClockDomain sm_clock, cp_clock;
  ThreadedHost host;
  PacketLink link;
  RegisterBus bus;
  MemoryStub stub;
  MemoryHub hub;
  MemoryManager manager;
  QueuedCommandProcessor processor;
  StatusRegisterDistributor distributor;
  ScriptedSms sms;
  std::vector<std::unique_ptr<ChunkedDmaEngine>> engines;
};

}  // namespace warpvp::test
