#pragma once
// The command processor with scripted surroundings: the distributor and DMA engines note what they are told,
// and kernels and copies end when the test says so.

#include <gtest/gtest.h>

#include "tests/control/rig.h"

namespace warpvp::test {

/// The address of a register of the queue controller.
constexpr std::uint64_t port(std::uint64_t offset) { return regmap::qc::kBase + offset; }

struct ProcessorBench : sc_core::sc_module, private TargetPort::Client {
  FaultSink faults;
  std::string console;  ///< what the firmware printed
  DeviceMemory memory{4 << 20};
  ClockDomain clock;
  RegisterBus bus;
  MemoryStub stub;
  MemoryHub hub;
  QueuedCommandProcessor processor;
  Driver driver;
  SilentInitiator link_unused;
  Target distributor, dma0, dma1;
  TargetPort host;

  // What the scripted distributor and engines saw.
  struct Started {
    double at_ns;
    unsigned slot;
    regmap::wd::KernelSlotImage image;
  };
  std::vector<Started> kernels;
  struct CopyStarted {
    unsigned engine;
    regmap::dma::Descriptor descriptor;
  };
  std::vector<CopyStarted> copies;
  struct Priority {
    unsigned slot;
    std::int32_t priority;
    bool operator==(const Priority& o) const { return slot == o.slot && priority == o.priority; }
  };
  std::vector<Priority> priorities;  ///< written to kernels that were forwarded
  regmap::wd::SlotStatus answer = regmap::wd::SlotStatus::kRunning;
  std::vector<std::pair<std::uint64_t, std::vector<unsigned char>>> host_writes;

  ProcessorBench(sc_core::sc_module_name name, CommandProcessorConfig config = eager_hardware(),
                 unsigned slots = 4, CoreFactory core = {})
      : sc_module(name),
        clock("clock", 1000),
        bus("bus", RegisterBusConfig{10}),
        stub("stub", memory, 1, 50),
        hub("hub", MemoryHubConfig{10, 64}, memory, 128),
        processor(
            "processor", config, slots, 2, clock, faults,
            [this](const std::string& text) { console += text; }, core),
        driver("driver"),
        link_unused("link_unused"),
        distributor("distributor"),
        dma0("dma0"),
        dma1("dma1"),
        host("host", *this) {
    driver.socket.bind(bus.add_initiator("driver"));
    processor.connect(bus);
    processor.memory.socket.bind(hub.processor.socket);
    hub.memory().bind(stub.port(0));
    hub.registers.bind(bus.add_initiator("hub"));
    link_unused.port.socket.bind(hub.host.socket);
    processor.host.socket.bind(host.socket);
    bus.add_target("memory", DeviceMemory::kBase, memory.size(), true).bind(hub.bus);
    bus.add_target("distributor", regmap::wd::kBase, regmap::wd::kBytes).bind(distributor.socket);
    bus.add_target("dma0", regmap::dma::engine(0), regmap::dma::kStride).bind(dma0.socket);
    bus.add_target("dma1", regmap::dma::engine(1), regmap::dma::kStride).bind(dma1.socket);
    distributor.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      const std::uint64_t offset = p.get_address() - regmap::wd::kSlots;
      const unsigned slot = static_cast<unsigned>(offset / regmap::wd::kSlotStride);
      if (p.get_data_length() == sizeof pending_) {
        std::memcpy(&pending_, p.get_data_ptr(), sizeof pending_);
      } else if (offset % regmap::wd::kSlotStride == regmap::wd::kSlotStart) {
        using Status = regmap::wd::SlotStatus;
        status_ = pending_.grid[0] == 0 ? Status::kRefusedDimensions : answer;
        if (status_ == Status::kRunning) kernels.push_back({ns(sc_core::sc_time_stamp()), slot, pending_});
      } else if (p.is_write()) {
        Priority written{slot, 0};
        EXPECT_EQ(offset % regmap::wd::kSlotStride, offsetof(regmap::wd::KernelSlotImage, priority));
        std::memcpy(&written.priority, p.get_data_ptr(), 4);
        priorities.push_back(written);
      } else {
        std::memcpy(p.get_data_ptr(), &status_, 4);
      }
    };
    for (unsigned e = 0; e < 2; ++e) {
      (e == 0 ? dma0 : dma1).on_access = [this, e](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
        if (p.get_address() == regmap::dma::kSource)
          std::memcpy(static_cast<void*>(&copy_), p.get_data_ptr(), regmap::dma::kStart);
        else
          copies.push_back({e, copy_});
      };
    }
    object = *memory.allocate(64, 64);
    KernelDescriptor d;
    d.registers_per_thread = 24;
    d.static_shared_bytes = 128;
    d.barriers = 1;
    d.param_bytes = 8;
    store(object, d);
    arguments = *memory.allocate(64, 64);
  }

  template <class T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(memory.at(address), &value, sizeof value);
  }
  template <class T>
  T load(std::uint64_t address) {
    T value;
    std::memcpy(&value, memory.at(address), sizeof value);
    return value;
  }
  void run_ns(double t) { sc_core::sc_start(in_ns(t)); }

  void map_queue(unsigned q, std::uint32_t packets = 16) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    rings[q] = *memory.allocate(64 * packets, 64);
    sizes[q] = packets;
    driver.write<std::uint64_t>(regmap::cp::queue(q) + regmap::cp::kRingBase, rings[q]);
    driver.write<std::uint32_t>(regmap::cp::queue(q) + regmap::cp::kRingPackets, packets);
    driver.write<std::uint32_t>(regmap::cp::queue(q) + regmap::cp::kControl, 1);
  }
  std::uint64_t make_signal(std::int64_t value = 1, std::uint64_t mailbox = 0) {
    aql::Signal s;
    s.value = value;
    s.mailbox = mailbox;
    const std::uint64_t at = *memory.allocate(64, 64);
    store(at, s);
    return at;
  }
  template <class Packet>
  void put(unsigned q, const Packet& packet) {
    store(rings[q] + 64 * (written[q]++ % sizes[q]), packet);
  }
  void ring(unsigned q) { driver.write<std::uint64_t>(regmap::cp::doorbell(q), written[q]); }
  aql::KernelDispatch dispatch(bool barrier, std::uint64_t signal = 0, std::uint32_t mark = 32) {
    aql::KernelDispatch p;
    p.header = aql::header(aql::PacketType::kKernelDispatch, barrier);
    p.workgroup_size[0] = 32;
    p.grid_size[0] = mark * 32;  // CTAs tell launches apart
    p.group_segment_size = 128 + 64;
    p.kernel_object = object;
    p.kernarg_address = arguments;
    p.completion_signal = signal;
    return p;
  }
  static aql::Barrier barrier(aql::PacketType type, std::vector<std::uint64_t> signals,
                              std::uint64_t signal = 0) {
    aql::Barrier p;
    p.header = aql::header(type, true);
    for (std::size_t i = 0; i < signals.size(); ++i) p.dep_signal[i] = signals[i];
    p.completion_signal = signal;
    return p;
  }
  void end_kernel(unsigned slot) {
    regmap::cp::KernelDone done{slot, 0};
    EXPECT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, regmap::cp::kBase + regmap::cp::kKernelDone,
                     &done, sizeof done),
              tlm::TLM_OK_RESPONSE);
  }
  void end_copy(unsigned engine, std::uint32_t error = 0) {
    regmap::cp::CopyDone done;
    done.engine = engine;
    done.error = error;
    EXPECT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, regmap::cp::kBase + regmap::cp::kCopyDone, &done,
                     sizeof done),
              tlm::TLM_OK_RESPONSE);
  }
  regmap::cp::QueueError error(unsigned q) {
    return static_cast<regmap::cp::QueueError>(
        driver.read<std::uint32_t>(regmap::cp::queue(q) + regmap::cp::kError));
  }
  regmap::cp::QueueState state(unsigned q) {
    return static_cast<regmap::cp::QueueState>(
        driver.read<std::uint32_t>(regmap::cp::queue(q) + regmap::cp::kState));
  }
  std::uint64_t read_index(unsigned q) {
    return driver.read<std::uint64_t>(regmap::cp::queue(q) + regmap::cp::kReadIndex);
  }
  std::vector<unsigned> marks() const {
    std::vector<unsigned> out;
    for (const Started& k : kernels) out.push_back(k.image.grid[0]);
    return out;
  }

  std::uint64_t object = 0, arguments = 0;
  std::map<unsigned, std::uint64_t> rings, written;
  std::map<unsigned, std::uint32_t> sizes;

 private:
  bool request(TargetPort& port, tlm::tlm_generic_payload& p) override {
    host_writes.push_back({p.get_address(), {p.get_data_ptr(), p.get_data_ptr() + p.get_data_length()}});
    port.respond(p);
    return true;
  }
  void response_link_free(TargetPort&) override {}

  regmap::wd::KernelSlotImage pending_;
  regmap::wd::SlotStatus status_ = regmap::wd::SlotStatus::kFree;
  regmap::dma::Descriptor copy_;
};

}  // namespace warpvp::test
