// A Gpu by its sockets alone: a scripted CPU on the example's bus, a driver that writes packets by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "examples/foreign_platform/driver.h"
#include "examples/foreign_platform/platform.h"
#include "interconnect/register_map.h"
#include "interconnect/systemc_context.h"
#include "modules/host/interrupt_registers.h"
#include "platform/build/platform.h"
#include "tests/gpu/design.h"
#include "tests/simulation/support.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace reg = regmap::interrupts;

constexpr std::uint64_t kInterrupts = address::kBar0 + reg::kBase;
constexpr const char* kBoardGpu = "platform: {extends: small, sms: 2}\n";

/// The example's platform with a Gpu whose links are checked, and a script for its CPU.
struct Board : sc_core::sc_module {
  Board(sc_core::sc_module_name name, std::function<void(Board&)> script)
      : sc_module(name), device("gpu", kBoardGpu), cpu("cpu", [this, script = std::move(script)](Cpu&) {
          script(*this);
          ended = true;
        }) {
    cpu.socket.bind(bus.from_cpu);
    bus.to_memory.bind(memory.socket);
    bus.to_bar0.bind(device.bar0());
    bus.to_bar2.bind(device.bar2());
    device.dma().bind(bus.from_gpu);
    device.gpu.interrupt.bind(line);
    cpu.interrupt.bind(line);
  }
  /// One access, at once as the payload has it: its response.
  tlm::tlm_response_status access(tlm::tlm_generic_payload& payload) {
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time delay;
    cpu.socket->b_transport(payload, delay);
    return payload.get_response_status();
  }
  Memory memory{"memory"};
  Bus bus{"bus"};
  CheckedGpu device;
  Cpu cpu;
  sc_core::sc_signal<bool> line{"line"};
  bool ended = false;
};

/// What a script found, in a process of its own; what it expects of the design is among it.
void on_a_board(const std::function<void(Board&)>& script) {
  EXPECT_EQ(in_child([&]() -> std::string {
              configure_time();
              Board board("board", script);
              sc_core::sc_start();
              EXPECT_TRUE(board.ended) << "the script still waits";
              EXPECT_EQ(board.device.violations(), "");
              return ::testing::Test::HasFailure() ? "wrong" : "right";
            }),
            "right");
}

tlm::tlm_generic_payload& set(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t at,
                              void* data, unsigned bytes) {
  payload.set_command(command);
  payload.set_address(at);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  return payload;
}

/// The device reports to `mirror` in the platform's memory that a barrier packet is done.
void report_to(Board& board, std::uint64_t mirror, std::uint64_t number) {
  static std::uint64_t ring, signal;
  const std::uint64_t queue = address::kBar0 + regmap::cp::queue(3);
  if (number == 1) {
    ring = regmap::kMemoryBase + (64 << 20);  // nobody allocates there
    signal = ring + 4096;
    board.cpu.store(queue + regmap::cp::kRingBase, ring);
    board.cpu.store(queue + regmap::cp::kRingPackets, std::uint32_t{16});
    board.cpu.store(queue + regmap::cp::kControl, std::uint32_t{1});
  }
  aql::Signal done;
  done.value = 1;
  done.mailbox = Driver::in_host_memory(mirror);
  board.cpu.store(address::kBar2 + (signal - regmap::kMemoryBase), done);
  aql::Barrier packet;
  packet.header = aql::header(aql::PacketType::kBarrierAnd, true);
  packet.completion_signal = signal;
  board.cpu.store(address::kBar2 + (ring - regmap::kMemoryBase) + 64 * (number - 1), packet);
  board.cpu.store(address::kBar0 + regmap::cp::doorbell(3), number);
}

TEST(GpuSockets, ShowRegistersAndMemory) {
  on_a_board([](Board& board) {
    EXPECT_EQ(board.cpu.load<std::uint32_t>(address::kBar0 + regmap::cp::kBase + regmap::cp::kQueueCount),
              128u);
    const std::uint64_t last = address::kBar2 + board.device.gpu.memory_bytes() - 8,
                        word = 0x0123456789abcdef;
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    board.cpu.store(last, word);
    const sc_core::sc_time written = sc_core::sc_time_stamp();
    EXPECT_EQ(board.cpu.load<std::uint64_t>(last), word);
    // A write is posted; a read goes there and comes back: 400 ns each way on this link.
    EXPECT_LT(written - before, sc_core::sc_time(100, sc_core::SC_NS));
    EXPECT_GT(sc_core::sc_time_stamp() - written, sc_core::sc_time(800, sc_core::SC_NS));
    EXPECT_LT(sc_core::sc_time_stamp() - written, sc_core::sc_time(2, sc_core::SC_US));
    std::uint64_t seen = 0;
    tlm::tlm_generic_payload debug;
    set(debug, tlm::TLM_READ_COMMAND, board.device.gpu.memory_bytes() - 8, &seen, sizeof seen);
    EXPECT_EQ(board.bus.to_bar2->transport_dbg(debug), sizeof seen);
    EXPECT_EQ(seen, word);
    EXPECT_EQ(debug.get_address(), board.device.gpu.memory_bytes() - 8);
  });
}

TEST(GpuSockets, RefuseWhatTheyCannotDo) {
  on_a_board([](Board& board) {
    unsigned char data[8] = {}, enable = TLM_BYTE_ENABLED;
    const std::uint64_t end = address::kBar2 + board.device.gpu.memory_bytes();
    tlm::tlm_generic_payload p;
    EXPECT_EQ(board.access(set(p, tlm::TLM_READ_COMMAND, end - 4, data, 8)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(board.access(set(p, tlm::TLM_WRITE_COMMAND, end, data, 8)), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(board.access(set(p, tlm::TLM_WRITE_COMMAND, address::kBar0 + Gpu::kRegisterBytes, data, 4)),
              tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(board.access(set(p, tlm::TLM_READ_COMMAND, address::kBar0, data, 4)),
              tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "no register lies there";
    EXPECT_EQ(board.access(set(p, tlm::TLM_IGNORE_COMMAND, address::kBar2, data, 4)),
              tlm::TLM_COMMAND_ERROR_RESPONSE);
    set(p, tlm::TLM_WRITE_COMMAND, address::kBar2, data, 8).set_streaming_width(4);
    EXPECT_EQ(board.access(p), tlm::TLM_BURST_ERROR_RESPONSE);
    set(p, tlm::TLM_WRITE_COMMAND, address::kBar2, data, 8).set_byte_enable_ptr(&enable);
    p.set_byte_enable_length(1);
    EXPECT_EQ(board.access(p), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    tlm::tlm_dmi dmi;
    tlm::tlm_generic_payload direct;
    set(direct, tlm::TLM_READ_COMMAND, 0, data, 4);
    EXPECT_FALSE(board.bus.to_bar2->get_direct_mem_ptr(direct, dmi));
    EXPECT_EQ(board.device.gpu.fault(), nullptr);
  });
}

// Under the base protocol, many at once and faster than the link takes them; who asks is slow to take
// answers.
TEST(GpuSockets, TakeAccessesFasterThanTheLink) {
  EXPECT_EQ(in_child([]() -> std::string {
              configure_time();
              CheckedGpu device("gpu", kBoardGpu);
              Memory memory("memory");
              ClockDomain clock("clock", 1000);
              Requester to_bar0("to_bar0", clock), to_bar2("to_bar2", clock);
              to_bar0.port.socket.bind(device.bar0());
              to_bar2.port.socket.bind(device.bar2());
              device.dma().bind(memory.socket);
              to_bar2.hold_cycles = 7;
              for (std::uint64_t i = 0; i < 100; ++i) {
                const std::uint64_t word = 1000 + i;
                std::memcpy(device.gpu.platform().memory().at(Gpu::kDeviceMemory + 64 * i), &word,
                            sizeof word);
                to_bar2.requests.push_back({i % 10 == 9 ? kWrite : kRead, 64 * i, 32});
                if (i % 20 == 0)
                  to_bar0.requests.push_back({kRead, regmap::cp::kBase + regmap::cp::kTimestamp, 8});
              }
              to_bar2.requests.push_back({kRead, device.gpu.memory_bytes() - 16, 32});
              sc_core::sc_start();
              std::string wrong = device.violations();
              for (std::uint64_t i = 0; i < 101; ++i) {
                const Requester::Result& r = to_bar2.results.at(i);
                const bool inside = i < 100;
                if (r.status != (inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE))
                  wrong += "status of " + std::to_string(i) + "\n";
                if (inside && i % 10 != 9 && r.data != 1000 + i)
                  wrong += "data of " + std::to_string(i) + "\n";
              }
              for (const Requester::Result& r : to_bar0.results)
                if (r.status != tlm::TLM_OK_RESPONSE) wrong += "a register\n";
              return wrong + std::to_string(to_bar2.live_transactions() + to_bar0.live_transactions());
            }),
            "0");
}

TEST(GpuSockets, RaiseTheLineUntilItIsCleared) {
  on_a_board([](Board& board) {
    const std::uint64_t mirror = address::kMemory + 4096;
    board.cpu.store(kInterrupts + reg::kEnable, reg::kLine);
    board.cpu.store(mirror, std::int64_t{1});
    EXPECT_FALSE(board.line.read());
    report_to(board, mirror, 1);
    board.cpu.wait_for_interrupt();
    EXPECT_EQ(board.cpu.load<std::int64_t>(mirror), 0) << "the line rose before its cause had been written";
    EXPECT_EQ(board.cpu.load<std::uint32_t>(kInterrupts + reg::kPending), reg::kHostMemoryWritten);
    board.cpu.store(kInterrupts + reg::kPending, reg::kHostMemoryWritten);
    EXPECT_EQ(board.cpu.load<std::uint32_t>(kInterrupts + reg::kPending), 0u);
    EXPECT_FALSE(board.line.read());
    report_to(board, mirror, 2);
    board.cpu.wait_for_interrupt();
    board.cpu.store(kInterrupts + reg::kEnable, std::uint32_t{0});
    board.cpu.load<std::uint32_t>(kInterrupts + reg::kPending);  // the write before it has arrived
    EXPECT_FALSE(board.line.read());
  });
}

TEST(GpuSockets, SendAMessageForEachTimeItIsCleared) {
  on_a_board([](Board& board) {
    const std::uint64_t mirror = address::kMemory + 4096, message = address::kMemory + 8192;
    const auto settle = [] { sc_core::wait(sc_core::sc_time(20, sc_core::SC_US)); };
    board.cpu.store(kInterrupts + reg::kMessageAddress, message);
    board.cpu.store(kInterrupts + reg::kMessageData, std::uint32_t{0xfeed});
    board.cpu.store(kInterrupts + reg::kEnable, reg::kMessages);
    report_to(board, mirror, 1);
    settle();
    EXPECT_EQ(board.cpu.load<std::uint64_t>(message), 0xfeedu) << "32 bits, and no more";
    EXPECT_FALSE(board.line.read());
    board.cpu.store(message, std::uint64_t{0});
    report_to(board, mirror, 2);  // not cleared: no further message
    settle();
    EXPECT_EQ(board.cpu.load<std::uint64_t>(message), 0u);
    board.cpu.store(kInterrupts + reg::kPending, reg::kHostMemoryWritten);
    settle();
    EXPECT_EQ(board.cpu.load<std::uint64_t>(message), 0u);
    report_to(board, mirror, 3);
    settle();
    EXPECT_EQ(board.cpu.load<std::uint64_t>(message), 0xfeedu);
  });
}

// Copies are no news for the host: their packet's signal is.
TEST(GpuSockets, ReachThePlatformsMemoryByCopies) {
  on_a_board([](Board& board) {
    constexpr std::uint64_t kFrom = address::kMemory, kTo = address::kMemory + (1 << 20), kBytes = 20000;
    std::vector<unsigned char> bytes(kBytes), back(kBytes);
    for (std::size_t i = 0; i < kBytes; ++i) bytes[i] = static_cast<unsigned char>(i * 7);
    board.cpu.store(kFrom, bytes.data(), kBytes);
    Driver driver(board.cpu);
    const std::uint64_t on_device = driver.allocate(kBytes);
    driver.copy(on_device, Driver::in_host_memory(kFrom), kBytes);
    driver.copy(Driver::in_host_memory(kTo), on_device, kBytes);
    sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
    EXPECT_FALSE(board.line.read());
    driver.finish();
    board.cpu.load(kTo, back.data(), kBytes);
    EXPECT_EQ(back, bytes);
  });
}

// The platform's memory takes 100 us for each access; the link goes on meanwhile.
TEST(GpuSockets, MemoryThatWaitsHoldsUpNothingElse) {
  struct SlowMemory : sc_core::sc_module {
    explicit SlowMemory(sc_core::sc_module_name name) : sc_module(name) {
      socket.register_b_transport(this, &SlowMemory::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
      wait(sc_core::sc_time(100, sc_core::SC_US));
      ++accesses;
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
    tlm_utils::simple_target_socket<SlowMemory> socket{"socket"};
    unsigned accesses = 0;
    tlm_utils::simple_initiator_socket<SlowMemory> nobody{"nobody"};  // who else may bind the bus
  };
  EXPECT_EQ(in_child([]() -> std::string {
              configure_time();
              CheckedGpu device("gpu", kBoardGpu);
              SlowMemory slow("slow");
              Memory memory("memory");
              Bus bus("bus");
              sc_core::sc_signal<bool> line("line");
              std::string found = "the script still waits";
              Cpu cpu("cpu", [&](Cpu& c) {
                Driver driver(c);
                const std::uint64_t on_device = driver.allocate(4096);
                driver.copy(Driver::in_host_memory(address::kMemory), on_device, 4096);
                sc_core::wait(sc_core::sc_time(30, sc_core::SC_US));
                const sc_core::sc_time before = sc_core::sc_time_stamp();
                c.load<std::uint64_t>(address::kBar2);
                const bool quick = sc_core::sc_time_stamp() - before < sc_core::sc_time(3, sc_core::SC_US);
                const bool under_way = slow.accesses == 0;
                sc_core::wait(sc_core::sc_time(10, sc_core::SC_MS));
                found = std::string(quick ? "quick" : "held up") + (under_way ? ", " : ", too late, ") +
                        (slow.accesses > 0 ? "written" : "never written");
              });
              cpu.socket.bind(bus.from_cpu);
              slow.nobody.bind(bus.from_gpu);
              bus.to_memory.bind(memory.socket);
              bus.to_bar0.bind(device.bar0());
              bus.to_bar2.bind(device.bar2());
              device.dma().bind(slow.socket);
              device.gpu.interrupt.bind(line);
              cpu.interrupt.bind(line);
              sc_core::sc_start();
              return found;
            }),
            "quick, written");
}

// A driver that gives launches no numbers: the device counts them, so that each is seen.
TEST(GpuSockets, LaunchesWithoutNumbersAreToldApart) {
  const std::string result = in_child([] {
    configure_time();
    Board board("board", [](Board& b) {
      Driver driver(b.cpu);
      const std::uint64_t kernel = driver.load("examples/foreign_platform/axpy.ptx", "axpy");
      std::vector<unsigned char> arguments(24);
      const std::uint64_t memory = driver.allocate(4096);
      std::memcpy(arguments.data(), &memory, 8);
      std::memcpy(arguments.data() + 8, &memory, 8);
      for (const std::uint32_t count : {64u, 256u}) {
        std::memcpy(arguments.data() + 20, &count, 4);
        driver.launch(kernel, count / 64, 64, arguments);
      }
      driver.finish();
    });
    sc_core::sc_start();
    if (!board.ended) throw std::runtime_error("the script still waits");
    return board.device.gpu.end();
  });
  const nlohmann::json kernels = nlohmann::json::parse(result)["kernels"];
  ASSERT_EQ(kernels.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    EXPECT_EQ(kernels[i]["launch"], i);
    EXPECT_EQ(kernels[i]["name"], "axpy");
    EXPECT_EQ(kernels[i]["ctas_done"], i == 0 ? 1 : 4);
    EXPECT_EQ(kernels[i]["warp_instructions"], kernels[0]["warp_instructions"].get<int>() * (i == 0 ? 1 : 4));
  }
}

/// What sc_start() throws of a script's doings, and what the Gpu says then.
std::string fault_of(const std::function<void(Board&)>& script) {
  return in_child([&]() -> std::string {
    configure_time();
    Board board("board", script);
    std::string said = "nothing was thrown";
    try {
      sc_core::sc_start();
    } catch (const sc_core::sc_report& report) {
      said = std::string(report.get_msg_type()) + " " + report.get_msg();
    }
    const std::string fault = board.device.gpu.fault() ? board.device.gpu.fault()->summary() : "no fault";
    const nlohmann::json result = nlohmann::json::parse(board.device.gpu.end());
    if (result["message"] != fault) return "the result says " + result["message"].dump();
    return said + "\n" + fault + "\n" + result["exit_code"].dump();
  });
}

TEST(GpuSockets, AFaultOfTheDeviceEndsTheSimulation) {
  const std::string null_pointer = fault_of([](Board& b) {
    Driver driver(b.cpu);
    const std::uint64_t kernel = driver.load("examples/foreign_platform/axpy.ptx", "axpy");
    std::vector<unsigned char> arguments(24);
    arguments[20] = 32;  // of arrays at address 0
    driver.launch(kernel, 1, 32, arguments);
    driver.finish();
  });
  EXPECT_THAT(null_pointer,
              StartsWith("/warpvp/device_fault board.gpu: global load through a null pointer of 4 bytes"));
  EXPECT_THAT(null_pointer,
              HasSubstr("\nglobal load through a null pointer of 4 bytes at address 0x0, kernel axpy"));
  EXPECT_THAT(null_pointer, EndsWith("\n3"));
}

// Nobody waits for the answer to a posted write.
TEST(GpuSockets, AWriteThatIsRefusedIsAFault) {
  EXPECT_THAT(
      fault_of([](Board& b) {
        Driver driver(b.cpu);
        driver.copy(Driver::in_host_memory(0x1000), driver.allocate(64), 64);  // no memory there
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
      }),
      HasSubstr("board.gpu: device write of 64 bytes over PCIe answered TLM_ADDRESS_ERROR_RESPONSE at "
                "address 0x400000001000"));
  EXPECT_THAT(fault_of([](Board& b) {
                b.cpu.store(address::kBar0, std::uint32_t{1});  // no register there
                sc_core::wait(sc_core::sc_time(1, sc_core::SC_MS));
              }),
              HasSubstr("board.gpu: host write of 4 bytes over PCIe answered TLM_ADDRESS_ERROR_RESPONSE at "
                        "address 0x0"));
}

}  // namespace
}  // namespace warpvp::test
