// A Gpu by its sockets alone: a scripted CPU on the example's bus, a driver that writes packets by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "interconnect/register_map.h"
#include "interconnect/systemc_context.h"
#include "modules/host/interrupt_pulses.h"
#include "platform/build/platform.h"
#include "tests/gpu/board.h"
#include "tests/simulation/support.h"
#include "tests/support/tlm_agents.h"

namespace warpvp::test {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
namespace cp = regmap::cp;
namespace ep = regmap::ep;

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
    EXPECT_EQ(board.access(set(p, tlm::TLM_READ_COMMAND, address::kBar0 + 0x600000, data, 4)),
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

TEST(GpuSockets, RaiseTheVectorThatAQueueNames) {
  on_a_board([](Board& board) {
    const std::uint64_t mirror = address::kMemory + 4096;
    const std::uint64_t vector_of_queue =
        address::kBar0 + cp::kBase + cp::kInterrupts + 3 * cp::kInterruptStride;
    board.cpu.store(mirror, std::int64_t{1});
    board.cpu.store(vector_of_queue, cp::kInterruptOn | 31u);
    report_to(board, mirror, 1);
    EXPECT_EQ(board.cpu.wait_for_interrupts(), 1u << 31);
    EXPECT_EQ(board.cpu.load<std::int64_t>(mirror), 0) << "it came before its cause had been written";
    for (std::uint64_t packet = 2; packet < 5; ++packet) {
      board.cpu.store(mirror, std::int64_t{1});
      report_to(board, mirror, packet);
      EXPECT_EQ(board.cpu.wait_for_interrupts(), 1u << 31) << "each completion interrupts";
      EXPECT_EQ(board.cpu.load<std::int64_t>(mirror), 0);
    }
    board.cpu.store(vector_of_queue, std::uint32_t{0});
    board.cpu.store(mirror, std::int64_t{1});
    report_to(board, mirror, 5);
    sc_core::wait(sc_core::sc_time(20, sc_core::SC_US));
    EXPECT_EQ(board.cpu.load<std::int64_t>(mirror), 0);
    EXPECT_EQ(board.cpu.pending_interrupts(), 0u) << "nobody has asked for one";
  });
}

// A platform whose memory answers with a delay that has yet to pass.
TEST(GpuSockets, InterruptsComeWhenThePlatformHasWhatWasWritten) {
  EXPECT_EQ(in_child([]() -> std::string {
              struct LateMemory : sc_core::sc_module {
                explicit LateMemory(sc_core::sc_module_name name) : sc_module(name) {
                  socket.register_b_transport(this, &LateMemory::b_transport);
                }
                void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
                  delay += sc_core::sc_time(5, sc_core::SC_US);
                  written = sc_core::sc_time_stamp() + delay;
                  payload.set_response_status(tlm::TLM_OK_RESPONSE);
                }
                tlm_utils::simple_target_socket<LateMemory> socket{"socket"};
                sc_core::sc_time written;
              };
              configure_time();
              LateMemory late("late");
              std::string found = "the script still waits";
              Board board(
                  "board",
                  [&](Board& b) {
                    b.cpu.store(address::kBar0 + cp::kBase + cp::kInterrupts + 3 * cp::kInterruptStride,
                                cp::kInterruptOn | 2u);
                    report_to(b, address::kMemory, 1);
                    b.cpu.wait_for_interrupts();
                    found = late.written == sc_core::sc_time_stamp() ? "in time" : "at another time";
                  },
                  &late.socket);
              sc_core::sc_start();
              return found;
            }),
            "in time");
}

TEST(GpuSockets, PulsesOfAVectorDoNotRunTogether) {
  EXPECT_EQ(in_child([]() -> std::string {
              configure_time();
              struct Pulsing : sc_core::sc_module {
                SC_HAS_PROCESS(Pulsing);
                explicit Pulsing(sc_core::sc_module_name name) : sc_module(name) {
                  ports[1].bind(line);
                  SC_THREAD(raise);
                  SC_METHOD(note);
                  sensitive << line;
                  dont_initialize();
                }
                void raise() {
                  pulses.raise(0);                         // nobody has bound it
                  for (const int at : {3, 0, 4, 5, 88}) {  // at 3, 3, 7, 12, 100 ns
                    sc_core::wait(sc_core::sc_time(at, sc_core::SC_NS));
                    pulses.raise(1);
                  }
                }
                void note() {
                  seen += std::to_string(std::lround(sc_core::sc_time_stamp().to_seconds() * 1e9)) +
                          (line.read() ? " high " : " low ");
                }
                sc_core::sc_vector<InterruptPort> ports{"ports", 2};
                sc_core::sc_signal<bool> line{"line"};
                TimedCalls calls;
                InterruptPulses pulses{ports, calls};
                std::string seen;
              } pulsing("pulsing");
              sc_core::sc_start();
              return pulsing.seen;
            }),
            "3 high 13 low 23 high 33 low 100 high 110 low ");
}

TEST(GpuSockets, TellOfAnInterruptThatThereIsNot) {
  on_a_board([](Board& board) {
    board.cpu.store(address::kBar0 + cp::kBase + cp::kInterrupts + 3 * cp::kInterruptStride,
                    cp::kInterruptOn | 32u);
    report_to(board, address::kMemory, 1);
    EXPECT_EQ(board.cpu.wait_for_interrupts(), 1u);
    expect_error(board, ep::kDmaRefused, regmap::kInterruptBase + 4 * 32, "interrupt 32 of 32");
  });
}

TEST(GpuSockets, ShowTheEndpoint) {
  on_a_board([](Board& board) {
    const auto word = [&](std::uint64_t at) { return board.cpu.load<std::uint32_t>(address::kBar0 + at); };
    const auto pair = [&](std::uint64_t at) { return board.cpu.load<std::uint64_t>(address::kBar0 + at); };
    const std::uint64_t before = sc_core::sc_time_stamp().value();
    EXPECT_EQ(word(ep::kIdentity), ep::kIdentityValue);
    EXPECT_EQ(pair(ep::kDmaBase), Gpu::kHostMemory);
    EXPECT_EQ(pair(ep::kMemoryBase), Gpu::kDeviceMemory);
    EXPECT_EQ(pair(ep::kMemoryBytes), board.device.gpu.memory_bytes());
    EXPECT_EQ(word(ep::kQueues), 128u);
    EXPECT_EQ(word(ep::kVectors), Gpu::kVectors);
    EXPECT_EQ(word(ep::kError), 0u);
    char properties[ep::kPropertiesBytes];
    board.cpu.load(address::kBar0 + ep::kProperties, properties, sizeof properties);
    EXPECT_THAT(std::string(properties), HasSubstr("\nsms=2\n"));
    std::uint32_t data = 0;
    tlm::tlm_generic_payload p;
    EXPECT_EQ(board.access(set(p, tlm::TLM_READ_COMMAND, address::kBar0 + ep::kPace, &data, 4)),
              tlm::TLM_ADDRESS_ERROR_RESPONSE)
        << "time is the platform's";
    // But for the bus, an access takes no time.
    EXPECT_LT(sc_core::sc_time_stamp().value() - before, 100'000'000u);  // fs
    const std::uint64_t time = pair(ep::kTime);
    EXPECT_EQ(time, sc_core::sc_time_stamp().value());
  });
}

// Software of the platform's that has no front end for PTX.
TEST(GpuSockets, LoadPtxTextByAPacket) {
  on_a_board([](Board& board) {
    Driver driver(board.cpu);
    std::ifstream file("examples/foreign_platform/axpy.ptx");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const auto load = [&](const std::string& ptx) {
      const std::uint64_t at = driver.allocate(ptx.size()), record = driver.allocate(sizeof(aql::LoadRecord));
      board.cpu.store(address::kBar2 + (at - regmap::kMemoryBase), ptx.data(), ptx.size());
      board.cpu.store(address::kBar2 + (record - regmap::kMemoryBase), aql::LoadRecord());
      driver.load_text(record, at, ptx.size());
      driver.finish();
      return board.cpu.load<aql::LoadRecord>(address::kBar2 + (record - regmap::kMemoryBase));
    };
    const aql::LoadRecord wrong = load(text + "}");
    EXPECT_EQ(wrong.status, aql::LoadRecord::kRefused);
    EXPECT_THAT(std::string(wrong.message), StartsWith("module:"));
    const aql::LoadRecord loaded = load(text);
    ASSERT_EQ(loaded.status, aql::LoadRecord::kLoaded) << loaded.message;
    std::vector<float> y(64, 5);
    const std::uint64_t memory = driver.allocate(256);
    board.cpu.store(address::kBar2 + (memory - regmap::kMemoryBase), y.data(), 256);
    driver.launch(loaded.kernel_object, 1, 64, axpy_arguments(memory, memory, 64));
    driver.finish();
    board.cpu.load(address::kBar2 + (memory - regmap::kMemoryBase), y.data(), 256);
    EXPECT_EQ(y, std::vector<float>(64, 15));
  });
}

/// Writes that many words to BURST_DATA, the offset and the size, by halves or whole.
void burst(Board& board, std::uint64_t at, std::uint64_t what, const std::vector<std::uint32_t>& words,
           bool halves) {
  for (std::size_t i = 0; i < words.size(); ++i)
    board.cpu.store(address::kBar0 + ep::kBurstData + 4 * i, words[i]);
  if (!halves) return board.cpu.store(address::kBar0 + at, what);
  board.cpu.store(address::kBar0 + at + 4, static_cast<std::uint32_t>(what >> 32));
  board.cpu.store(address::kBar0 + at, static_cast<std::uint32_t>(what));
}

// For a CPU that has words only.
TEST(GpuSockets, WriteRecordsWholeFromWords) {
  on_a_board([](Board& board) {
    namespace mm = regmap::mm;
    const auto in_use = [&] {
      return board.cpu.load<std::uint64_t>(address::kBar0 + mm::kBase + mm::kInUse);
    };
    std::vector<std::uint32_t> words(8);
    words[0] = static_cast<std::uint32_t>(mm::Operation::kAllocate);
    words[4] = 4096;
    words[6] = 256;
    for (const bool halves : {false, true, true}) {
      const std::uint64_t before = in_use();
      const std::uint64_t began = sc_core::sc_time_stamp().value();
      burst(board, ep::kBurst, std::uint64_t{32} << 32 | (mm::kBase + mm::kCommand), words, halves);
      EXPECT_EQ(in_use(), before + 4096) << (halves ? "by halves" : "whole");
      EXPECT_GT(sc_core::sc_time_stamp().value() - began, 800'000'000u) << "over the link";
    }
    const auto seen = [&](std::uint64_t at) { return board.cpu.load<std::uint64_t>(address::kBar2 + at); };
    const std::uint64_t at = 64 << 20;
    for (const bool halves : {false, true}) {
      board.cpu.store(address::kBar2, std::uint64_t{7});
      board.cpu.store(address::kBar2 + at, std::uint64_t{0});
      burst(board, ep::kMemoryBurst, std::uint64_t{5} << 48 | at, {0x11223344, 0x55}, halves);
      EXPECT_EQ(seen(at), 0x5511223344u);
      burst(board, ep::kMemoryBurst, std::uint64_t{1} << 63 | std::uint64_t{4} << 48 | at, {0x66778899},
            halves);
      EXPECT_EQ(seen(at), 0x5566778899u);
      EXPECT_EQ(seen(0), 7u) << "the upper half alone writes nothing";
    }
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
    EXPECT_EQ(board.cpu.pending_interrupts(), 0u);
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
              sc_core::sc_vector<sc_core::sc_signal<bool>> lines("lines", Cpu::kInterrupts);
              device.gpu.interrupts.bind(lines);
              cpu.interrupts.bind(lines);
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

}  // namespace
}  // namespace warpvp::test
