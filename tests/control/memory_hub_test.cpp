// The hub: which way each access goes, in what order, and what it takes.
#include "modules/host/memory_hub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interconnect/launch_counters.h"
#include "interconnect/protocol_checker.h"
#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t kRegister = 0x40;
constexpr unsigned kHubLine = 128;

/// Sends what it is told, without waiting for answers.
struct Sender : sc_core::sc_module, private InitiatorPort::Client {
  struct Answer {
    double at_ns;
    tlm::tlm_response_status status;
    std::vector<unsigned char> data;
  };
  InitiatorPort port;
  std::map<std::uint64_t, Answer> answers;  ///< by number of the request
  double hold_ns = 0;                       ///< how long the first answer takes up the link
  explicit Sender(sc_core::sc_module_name name) : sc_module(name), port("port", *this) {}
  /// At once, or when those before are taken. Returns the request's number.
  std::uint64_t send(tlm::tlm_command command, std::uint64_t address, std::vector<unsigned char> data) {
    kept_.push_back(std::move(data));
    Transaction& t = pool_.make(command, address, 0);
    t.set_data_ptr(kept_.back().data());
    t.set_data_length(static_cast<unsigned>(kept_.back().size()));
    t.set_streaming_width(t.get_data_length());
    t.ext.token = kept_.size() - 1;
    waiting_.push_back(&t);
    go();
    return kept_.size() - 1;
  }

 private:
  void go() {
    while (!waiting_.empty() && port.idle()) {
      tlm::tlm_generic_payload* next = waiting_.front();
      waiting_.pop_front();
      port.send(*next);
    }
  }
  void link_free(InitiatorPort&) override {
    later_.after(sc_core::SC_ZERO_TIME, [this] { go(); });
  }
  bool response(InitiatorPort&, tlm::tlm_generic_payload& p) override {
    const std::uint64_t number = MemExtension::of(p).token;
    answers[number] = {ns(sc_core::sc_time_stamp()), p.get_response_status(), kept_[number]};
    if (hold_ns > 0 && answers.size() == 1) {
      later_.after(in_ns(hold_ns), [this, &p] {
        p.release();
        port.accept_response();
      });
      return false;
    }
    p.release();
    return true;
  }
  TransactionPool pool_;
  TimedCalls later_;
  std::deque<std::vector<unsigned char>> kept_;
  std::deque<tlm::tlm_generic_payload*> waiting_;
};

/// A hub of 10 ns before a memory of 1000 ns; registers behind a bus without latency.
struct HubBench : sc_core::sc_module {
  DeviceMemory memory{4 << 20};
  MemoryStub stub;
  MemoryHub hub;
  Sender host, processor;
  ProtocolChecker host_link, processor_link, memory_link;
  Target registers;
  Driver bus;
  struct RegisterAccess {
    double at_ns;
    std::uint64_t address;
  };
  std::vector<RegisterAccess> accesses;

  explicit HubBench(sc_core::sc_module_name name, MemoryHubConfig config = {10, 64})
      : sc_module(name),
        stub("stub", memory, 1, 1000),
        hub("hub", config, memory, kHubLine),
        host("host"),
        processor("processor"),
        host_link("host_link"),
        processor_link("processor_link"),
        memory_link("memory_link"),
        registers("registers"),
        bus("bus") {
    bind(host.port.socket, host_link, hub.host.socket);
    bind(processor.port.socket, processor_link, hub.processor.socket);
    bind(hub.memory(), memory_link, stub.port(0));
    hub.registers.bind(registers.socket);
    bus.socket.bind(hub.bus);
    registers.on_access = [this](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
      accesses.push_back({ns(sc_core::sc_time_stamp()), p.get_address()});
      delay += in_ns(7);
      if (p.is_read()) std::memset(p.get_data_ptr(), 0x3c, p.get_data_length());
      if (p.get_address() >= 0xdead'0000) p.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    };
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  ~HubBench() override {
    for (const ProtocolChecker* link : {&host_link, &processor_link, &memory_link}) {
      EXPECT_EQ(link->count(), 0u) << link->violations()[0].text;
      EXPECT_EQ(link->in_flight(), 0u);
    }
  }
  static void bind(tlm::tlm_initiator_socket<>& from, ProtocolChecker& checker,
                   tlm::tlm_target_socket<>& to) {
    from.bind(checker.target);
    checker.initiator.bind(to);
  }
  void run_ns(double t) { sc_core::sc_start(in_ns(t)); }
  int at(std::uint64_t address) { return static_cast<int>(*memory.at(address)); }
};

std::vector<unsigned char> bytes(std::size_t n, unsigned char value) {
  return std::vector<unsigned char>(n, value);
}

TEST(MemoryHub, HostWritesBecomeRequestsOfLinesAndAppearWhenAnswered) {
  HubBench b("bench");
  const std::uint64_t to = *b.memory.allocate(1024) + 100;
  const auto write = b.host.send(tlm::TLM_WRITE_COMMAND, to, bytes(300, 9));
  b.run_ns(1009);
  ASSERT_EQ(b.stub.seen.size(), 4u);
  const unsigned pieces[] = {28, 128, 128, 16};
  std::uint64_t address = to;
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(b.stub.seen[i].bytes, pieces[i]);
    EXPECT_EQ(b.stub.seen[i].address, address);
    EXPECT_EQ(b.stub.seen[i].launch, kCommandLaunch);
    EXPECT_EQ(b.stub.seen[i].kind, AccessKind::kCommand);
    address += pieces[i];
  }
  EXPECT_EQ(b.at(to), 0);
  b.run_ns(2);
  EXPECT_EQ(b.at(to), 9);
  EXPECT_EQ(b.at(to + 299), 9);
  EXPECT_EQ(b.at(to + 300), 0);
  EXPECT_NEAR(b.host.answers.at(write).at_ns, 1010, 1e-6);
  EXPECT_EQ(b.host.answers.at(write).status, tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(b.hub.statistics().host_writes, 1u);
  EXPECT_EQ(b.hub.statistics().memory.written_bytes, 300u);
}

TEST(MemoryHub, ADoorbellNeverOvertakesItsPacket) {
  HubBench b("bench");
  const std::uint64_t packet = *b.memory.allocate(64), more = *b.memory.allocate(64);
  b.host.send(tlm::TLM_WRITE_COMMAND, packet, bytes(64, 1));
  b.host.send(tlm::TLM_WRITE_COMMAND, more, bytes(64, 2));
  b.host.send(tlm::TLM_WRITE_COMMAND, kRegister, bytes(8, 3));
  int seen = -1;
  const auto plain = b.registers.on_access;
  b.registers.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time& delay) {
    seen = b.at(packet) * 10 + b.at(more);
    plain(p, delay);
  };
  b.run_ns(1005);
  EXPECT_TRUE(b.accesses.empty());
  b.run_ns(100);
  ASSERT_EQ(b.accesses.size(), 1u);
  EXPECT_NEAR(b.accesses[0].at_ns, 1010, 1e-6);  // both writes were under way together
  EXPECT_EQ(seen, 12);
}

TEST(MemoryHub, AReadOfTheHostSeesItsEarlierWrites) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  b.host.send(tlm::TLM_WRITE_COMMAND, at, bytes(64, 5));
  const auto read = b.host.send(tlm::TLM_READ_COMMAND, at, bytes(64, 0));
  b.run_ns(5000);
  EXPECT_EQ(b.host.answers.at(read).data, bytes(64, 5));
  EXPECT_NEAR(b.host.answers.at(read).at_ns, 2020, 1e-6);
}

TEST(MemoryHub, RegistersDoNotWaitForReadsOrForTheProcessor) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  b.processor.send(tlm::TLM_WRITE_COMMAND, at, bytes(24, 5));
  b.host.send(tlm::TLM_READ_COMMAND, at, bytes(64, 0));
  const auto read = b.host.send(tlm::TLM_READ_COMMAND, kRegister, bytes(4, 0));
  b.run_ns(100);
  ASSERT_TRUE(b.host.answers.count(read));
  EXPECT_EQ(b.host.answers.at(read).data, bytes(4, 0x3c));
  EXPECT_NEAR(b.host.answers.at(read).at_ns, 7, 1e-6);
  b.run_ns(2000);
}

TEST(MemoryHub, MoreThanFitsIsHeldBackAndNothingIsLost) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64 * 200);
  for (unsigned i = 0; i < 100; ++i) {
    b.host.send(tlm::TLM_WRITE_COMMAND, at + 64 * i, bytes(64, static_cast<unsigned char>(i + 1)));
    b.host.send(tlm::TLM_READ_COMMAND, at + 64 * i, bytes(64, 0));
  }
  b.run_ns(300000);
  ASSERT_EQ(b.host.answers.size(), 200u);
  for (unsigned i = 0; i < 100; ++i) EXPECT_EQ(b.host.answers.at(2 * i + 1).data[63], i + 1);
}

// Sixteen accesses of the host wait in the hub, and the next one on its link; as places become free, others
// follow, though the hub is not empty.
TEST(MemoryHub, SixteenAccessesOfTheHostWaitInTheHub) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  for (unsigned i = 0; i < 40; ++i) {
    b.host.send(tlm::TLM_WRITE_COMMAND, at, bytes(64, 1));
    b.host.send(tlm::TLM_READ_COMMAND, at, bytes(64, 0));
  }
  b.run_ns(100);
  EXPECT_EQ(b.host_link.in_flight(), 1u + 16 + 1);  // the first write, those that wait behind it, the link
  b.run_ns(1000);                                   // the first read and the second write go on
  EXPECT_EQ(b.host_link.in_flight(), 2u + 16 + 1);
  b.run_ns(200000);
  EXPECT_EQ(b.host.answers.size(), 80u);
}

TEST(MemoryHub, TheHostDoesNotWaitForWritesOfTheProcessor) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  b.processor.send(tlm::TLM_WRITE_COMMAND, at, bytes(24, 5));
  b.run_ns(2000);
  const auto read = b.host.send(tlm::TLM_READ_COMMAND, kRegister, bytes(4, 0));
  b.run_ns(100);
  EXPECT_TRUE(b.host.answers.count(read))
      << "a write that ended is under way no more, and was not the host's";
}

TEST(MemoryHub, OnlySoManyRequestsAreUnderWay) {
  HubBench b("bench", {10, 3});
  const std::uint64_t at = *b.memory.allocate(10 * kHubLine);
  b.host.send(tlm::TLM_WRITE_COMMAND, at, bytes(10 * kHubLine, 1));
  b.run_ns(10000);
  EXPECT_EQ(b.stub.most_under_way, 3u);
}

TEST(MemoryHub, TheProcessorReachesMemoryAndNothingElse) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  std::memset(b.memory.at(at), 0x11, 64);
  const auto read = b.processor.send(tlm::TLM_READ_COMMAND, at, bytes(64, 0));
  const auto wrong = b.processor.send(tlm::TLM_READ_COMMAND, kRegister, bytes(64, 0));
  const auto beyond =
      b.processor.send(tlm::TLM_READ_COMMAND, b.memory.base() + b.memory.size() - 8, bytes(64, 0));
  b.run_ns(2000);
  EXPECT_EQ(b.processor.answers.at(read).data, bytes(64, 0x11));
  EXPECT_NEAR(b.processor.answers.at(read).at_ns, 1010, 1e-6);
  EXPECT_EQ(b.processor.answers.at(wrong).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(b.processor.answers.at(beyond).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_TRUE(b.accesses.empty());
  EXPECT_EQ(b.stub.seen.size(), 1u);
}

TEST(MemoryHub, TheBusIsLooselyTimedAndItsTrafficFollows) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(256) + 64;
  auto data = bytes(128, 0x21);
  sc_core::sc_time delay;
  EXPECT_EQ(access(b.bus.socket, tlm::TLM_WRITE_COMMAND, at, data.data(), 128, &delay), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, in_ns(1010));
  EXPECT_EQ(b.at(at + 127), 0x21);  // at once
  std::memset(b.memory.at(at), 0x22, 128);
  b.run_ns(3000);
  ASSERT_EQ(b.stub.seen.size(), 2u);
  EXPECT_EQ(b.stub.seen[1].address, at + 64);
  EXPECT_EQ(b.at(at), 0x22) << "the requests carry no values";
  EXPECT_EQ(access(b.bus.socket, tlm::TLM_READ_COMMAND, kRegister, data.data(), 4),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// What is refused takes no time and causes no traffic: by the hub itself, or by the memory system.
TEST(MemoryHub, AnAccessOfTheBusThatIsRefusedCausesNoTraffic) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(256);
  auto data = bytes(64, 0);
  sc_core::sc_time delay;
  EXPECT_EQ(access(b.bus.socket, tlm::TLM_IGNORE_COMMAND, at, data.data(), 64, &delay),
            tlm::TLM_COMMAND_ERROR_RESPONSE);
  EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
  b.stub.blocking_answer = tlm::TLM_GENERIC_ERROR_RESPONSE;
  EXPECT_EQ(access(b.bus.socket, tlm::TLM_READ_COMMAND, at, data.data(), 64),
            tlm::TLM_GENERIC_ERROR_RESPONSE);
  b.run_ns(3000);
  EXPECT_TRUE(b.stub.seen.empty());
}

TEST(MemoryHub, ErrorsComeBackFromWhereTheyAre) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(384);
  b.stub.answer = [&](const MemoryStub::Seen& seen) {
    return seen.address == at + kHubLine       ? tlm::TLM_GENERIC_ERROR_RESPONSE
           : seen.address == at + 2 * kHubLine ? tlm::TLM_COMMAND_ERROR_RESPONSE
                                               : tlm::TLM_OK_RESPONSE;
  };
  const auto memory = b.host.send(tlm::TLM_WRITE_COMMAND, at, bytes(384, 1));
  const auto nowhere = b.host.send(tlm::TLM_READ_COMMAND, 0xdead'0000, bytes(4, 0));
  b.run_ns(3000);
  EXPECT_EQ(b.host.answers.at(memory).status, tlm::TLM_GENERIC_ERROR_RESPONSE) << "the first of several";
  EXPECT_EQ(b.at(at), 1);
  EXPECT_EQ(b.at(at + kHubLine), 0);
  EXPECT_EQ(b.host.answers.at(nowhere).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

TEST(MemoryHub, AnswersThatWaitForTheLinkFollowEachOther) {
  HubBench b("bench");
  b.host.hold_ns = 50;
  for (unsigned i = 0; i < 3; ++i) b.host.send(tlm::TLM_READ_COMMAND, kRegister, bytes(4, 0));
  b.run_ns(40);
  EXPECT_EQ(b.host.answers.size(), 1u);
  b.run_ns(40);
  ASSERT_EQ(b.host.answers.size(), 3u);
  for (unsigned i = 1; i < 3; ++i) EXPECT_NEAR(b.host.answers.at(i).at_ns, 7 + 50, 1e-6);
}

TEST(MemoryHub, ALinkToMemoryThatIsTakenHoldsTheNextRequestUp) {
  HubBench b("bench");
  b.stub.taking = in_ns(30);
  const std::uint64_t to = *b.memory.allocate(1024);
  b.host.send(tlm::TLM_WRITE_COMMAND, to, bytes(3 * kHubLine, 1));
  b.run_ns(5000);
  ASSERT_EQ(b.stub.seen.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) EXPECT_NEAR(b.stub.seen[i].at_ns, 10 + 30 * (i + 1), 1e-6);
}

// A memory behind the sockets may keep data of its own; the device's are in DeviceMemory.
TEST(MemoryHub, ValuesOfTheBusAreThoseOfDeviceMemory) {
  HubBench b("bench");
  b.stub.foreign_data = true;
  const std::uint64_t at = *b.memory.allocate(64);
  std::memset(b.memory.at(at), 0x11, 64);
  auto data = bytes(64, 0);
  EXPECT_EQ(access(b.bus.socket, tlm::TLM_READ_COMMAND, at, data.data(), 64), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(data, bytes(64, 0x11));
  b.run_ns(3000);
}

TEST(MemoryHub, BlockingAccessesOfTheHostGoTheSameWays) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(64);
  auto data = bytes(4, 0);
  sc_core::sc_time delay;
  EXPECT_EQ(access(b.host.port.socket, tlm::TLM_READ_COMMAND, kRegister, data.data(), 4, &delay),
            tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(data, bytes(4, 0x3c));
  EXPECT_EQ(delay, in_ns(7));
  EXPECT_EQ(access(b.host.port.socket, tlm::TLM_WRITE_COMMAND, at, data.data(), 4, &delay),
            tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(delay, in_ns(1010));
  EXPECT_EQ(b.at(at), 0x3c);
  EXPECT_EQ(access(b.processor.port.socket, tlm::TLM_READ_COMMAND, kRegister, data.data(), 4),
            tlm::TLM_ADDRESS_ERROR_RESPONSE)
      << "the command processor reaches no registers by this way";
  EXPECT_EQ(b.accesses.size(), 1u);
  b.run_ns(3000);
}

// Every figure of the hub, each with a value of its own.
TEST(MemoryHub, CountsWhatEachOneDoes) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(1024);
  const auto times = [](unsigned n, auto call) {
    for (unsigned i = 0; i < n; ++i) call();
  };
  times(1, [&] { b.host.send(tlm::TLM_READ_COMMAND, at, bytes(256, 0)); });
  times(2, [&] { b.host.send(tlm::TLM_WRITE_COMMAND, at, bytes(64, 0)); });
  times(3, [&] { b.host.send(tlm::TLM_READ_COMMAND, kRegister, bytes(4, 0)); });
  times(5, [&] { b.processor.send(tlm::TLM_READ_COMMAND, at, bytes(32, 0)); });
  times(6, [&] { b.processor.send(tlm::TLM_WRITE_COMMAND, at, bytes(16, 0)); });
  auto data = bytes(8, 0);
  times(7, [&] { access(b.bus.socket, tlm::TLM_READ_COMMAND, at, data.data(), 8); });
  times(4, [&] { access(b.host.port.socket, tlm::TLM_READ_COMMAND, kRegister, data.data(), 4); });
  b.run_ns(20000);
  const MemoryHubStats s = b.hub.statistics();
  EXPECT_EQ(s.host_reads, 1u);
  EXPECT_EQ(s.host_writes, 2u);
  EXPECT_EQ(s.host_registers, 3u + 4);
  EXPECT_EQ(s.processor_reads, 5u);
  EXPECT_EQ(s.processor_writes, 6u);
  EXPECT_EQ(s.bus_accesses, 7u);
  EXPECT_EQ(s.memory.reads, 2u + 5 + 7);
  EXPECT_EQ(s.memory.writes, 2u + 6);
  EXPECT_EQ(s.memory.read_bytes, 256u + 5 * 32 + 7 * 8);
  EXPECT_EQ(s.memory.written_bytes, 2u * 64 + 6 * 16);
}

TEST(MemoryHub, DebugAccessesStayWhereTheirsBegin) {
  HubBench b("bench");
  auto data = bytes(64, 0);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_data_ptr(data.data());
  payload.set_data_length(64);
  payload.set_streaming_width(64);
  payload.set_address(b.memory.base() + b.memory.size() - 8);
  EXPECT_EQ(b.host.port.socket->transport_dbg(payload), 8u) << "as much as there is";
  EXPECT_EQ(b.registers.debug_accesses, 0u);
  payload.set_address(kRegister);
  EXPECT_EQ(b.host.port.socket->transport_dbg(payload), 64u);
  EXPECT_EQ(b.registers.debug_accesses, 1u);
  EXPECT_EQ(b.processor.port.socket->transport_dbg(payload), 0u) << "it reaches no registers";
  EXPECT_EQ(b.registers.debug_accesses, 1u);
}

TEST(MemoryHub, DebugAccessesTakeNoTimeAndCauseNoTraffic) {
  HubBench b("bench");
  const std::uint64_t at = *b.memory.allocate(512);
  std::memset(b.memory.at(at), 0x44, 512);
  auto data = bytes(512, 0);
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_READ_COMMAND);
  payload.set_address(at);
  payload.set_data_ptr(data.data());
  payload.set_data_length(512);
  payload.set_streaming_width(512);
  EXPECT_EQ(b.bus.socket->transport_dbg(payload), 512u);
  EXPECT_EQ(data, bytes(512, 0x44));
  std::fill(data.begin(), data.end(), static_cast<unsigned char>(0));
  EXPECT_EQ(b.host.port.socket->transport_dbg(payload), 512u);
  EXPECT_EQ(data, bytes(512, 0x44));
  b.run_ns(100);
  EXPECT_TRUE(b.stub.seen.empty());
}

}  // namespace
}  // namespace warpvp::test
