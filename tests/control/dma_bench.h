#pragma once
// Host memory and device memory with DMA engines of one type between; a driver plays the command processor.
// The link moves 10 bytes a ns each way, without headers and latency.

#include <gtest/gtest.h>

#include "tests/control/rig.h"

namespace warpvp::test {

template <class Engine>
struct DmaBench : sc_core::sc_module {
  FaultSink faults;
  DeviceMemory memory{16 << 20};
  ThreadedHost host;
  PacketLink link;
  RegisterBus bus;
  MemoryStub stub;
  Driver driver;
  Target mailbox, unused;
  std::vector<std::unique_ptr<Engine>> engines;
  struct Done {
    double at_ns;
    regmap::cp::CopyDone record;
  };
  std::vector<Done> done;

  /// Memory answers after `memory_ns` and moves `memory_bytes_per_ns`.
  DmaBench(sc_core::sc_module_name name, unsigned count, double memory_ns, double memory_bytes_per_ns)
      : sc_module(name),
        host("host", HostConfig{0}, faults),
        link("link", pcie(), faults),
        bus("bus", RegisterBusConfig{0}),
        stub("stub", memory, count, memory_ns, memory_bytes_per_ns),
        driver("driver"),
        mailbox("mailbox"),
        unused("unused") {
    host.pcie.socket.bind(link.host().socket);
    link.host_memory.bind(host.memory);
    link.device.socket.bind(unused.socket);
    driver.socket.bind(bus.add_initiator("driver"));
    bus.add_target("mailbox", regmap::cp::kBase + regmap::cp::kCopyDone, 16).bind(mailbox.socket);
    mailbox.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time&) {
      Done d{ns(sc_core::sc_time_stamp()), {}};
      std::memcpy(&d.record, p.get_data_ptr(), sizeof d.record);
      done.push_back(d);
    };
  }
  static PcieConfig pcie() {
    PcieConfig c;
    c.gb_per_s = 10;
    c.latency_ns = 0;
    c.header_bytes = 0;
    return c;
  }
  /// The next engine, made of what follows its name.
  template <class... Arguments>
  void add_engine(const Arguments&... arguments) {
    const auto i = static_cast<unsigned>(engines.size());
    const std::string id = std::to_string(i);
    engines.push_back(std::make_unique<Engine>(("dma" + id).c_str(), arguments...));
    engines[i]->bus.bind(bus.add_initiator("dma" + id));
    engines[i]->memory_socket().bind(stub.port(i));
    engines[i]->link.socket.bind(link.add_device_master("dma" + id));
    bus.add_target("dma" + id, regmap::dma::engine(i), regmap::dma::kStride).bind(engines[i]->registers);
  }
  void start(unsigned engine, const regmap::dma::Descriptor& descriptor) {
    if (sc_core::sc_get_status() == sc_core::SC_ELABORATION) sc_core::sc_start(sc_core::SC_ZERO_TIME);
    regmap::dma::Descriptor d = descriptor;
    EXPECT_EQ(
        access(driver.socket, tlm::TLM_WRITE_COMMAND, regmap::dma::engine(engine), &d, regmap::dma::kStart),
        tlm::TLM_OK_RESPONSE);
    driver.write<std::uint32_t>(regmap::dma::engine(engine) + regmap::dma::kStart, 1);
  }
  void run_us(double us) { sc_core::sc_start(sc_core::sc_time(us, sc_core::SC_US)); }
};

/// Bytes that differ from place to place, and by `seed`.
inline std::vector<unsigned char> pattern(std::size_t n, unsigned seed) {
  std::vector<unsigned char> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<unsigned char>(i * 131 + seed * 7 + (i >> 8));
  return v;
}

}  // namespace warpvp::test
