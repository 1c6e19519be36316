// A client's commands, over a socket pair, with a scripted device behind them.
#include "modules/vfio_user/session.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace warpvp::vfio_user {
namespace {

class ScriptedDevice : public Device {
 public:
  int access(Session&, bool write, std::uint32_t region, std::uint64_t offset, std::uint8_t* data,
             std::size_t bytes) override {
    log += (write ? "w" : "r") + std::to_string(region) + ":" + std::to_string(offset) + "+" +
           std::to_string(bytes) + " ";
    if (!write) std::memset(data, 0x5a, bytes);
    return error;
  }
  void reset(Session&) override { log += "reset "; }

  std::string log;
  int error = 0;
};

struct Reply {
  Header header;
  std::vector<std::uint8_t> payload;
  bool has(int error) const {
    return (header.flags & Header::kError) != 0 && header.error == static_cast<std::uint32_t>(error) &&
           payload.empty();
  }
  bool ok() const { return header.is_reply() && (header.flags & Header::kError) == 0; }
};

class SessionTest : public testing::Test {
 protected:
  SessionTest() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    client = FileDescriptor(ends[0]);
    DeviceShape shape;
    shape.bar0_bytes = 1u << 28;
    shape.bar2_bytes = 1u << 20;
    shape.memory_bytes = 1u << 20;
    shape.vectors = 4;
    shape.dma_limit = std::uint64_t{1} << 40;
    session = std::make_unique<Session>(Connection(FileDescriptor(ends[1])), shape, device);
  }

  void put(Command command, const void* payload, std::size_t bytes, std::uint32_t flags = 0) {
    Header header{++id, static_cast<std::uint16_t>(command),
                  static_cast<std::uint32_t>(sizeof header + bytes), flags, 0};
    ASSERT_EQ(write(client.get(), &header, sizeof header), static_cast<ssize_t>(sizeof header));
    if (bytes != 0) {
      ASSERT_EQ(write(client.get(), payload, bytes), static_cast<ssize_t>(bytes));
    }
  }
  void carry_out() {
    ASSERT_TRUE(session->connection().receive());
    while (!session->over() && session->connection().has_command()) session->handle_next();
  }
  Reply take() {
    Reply reply;
    EXPECT_EQ(recv(client.get(), &reply.header, sizeof reply.header, MSG_WAITALL),
              static_cast<ssize_t>(sizeof reply.header));
    reply.payload.resize(reply.header.bytes - sizeof reply.header);
    if (!reply.payload.empty()) {
      EXPECT_EQ(recv(client.get(), reply.payload.data(), reply.payload.size(), MSG_WAITALL),
                static_cast<ssize_t>(reply.payload.size()));
    }
    return reply;
  }
  template <class Part>
  Reply ask(Command command, const Part& part) {
    put(command, &part, sizeof part);
    carry_out();
    return take();
  }
  Reply ask(Command command, const std::vector<std::uint8_t>& payload) {
    put(command, payload.data(), payload.size());
    carry_out();
    return take();
  }
  Reply greet(std::uint16_t major = 0, std::uint16_t minor = 1, const std::string& text = "") {
    std::vector<std::uint8_t> payload(sizeof(Version));
    const Version version{major, minor};
    std::memcpy(payload.data(), &version, sizeof version);
    payload.insert(payload.end(), text.begin(), text.end());
    if (!text.empty()) payload.push_back(0);
    return ask(Command::kVersion, payload);
  }
  std::vector<std::uint8_t> region_write(std::uint32_t region, std::uint64_t offset, std::uint32_t count,
                                         std::size_t data) {
    std::vector<std::uint8_t> payload(sizeof(RegionAccess) + data);
    const RegionAccess access{offset, region, count};
    std::memcpy(payload.data(), &access, sizeof access);
    return payload;
  }

  FileDescriptor client;
  ScriptedDevice device;
  std::unique_ptr<Session> session;
  std::uint16_t id = 0;
};

TEST_F(SessionTest, AgreesOnAVersion) {
  const Reply reply = greet(0, 7, R"({"capabilities":{"max_data_xfer_size":4096}})");
  ASSERT_TRUE(reply.ok());
  EXPECT_EQ(reply.header.id, 1);
  Version version;
  std::memcpy(&version, reply.payload.data(), sizeof version);
  EXPECT_EQ(version.major, 0);
  EXPECT_EQ(version.minor, 1);
  const RegionAccess long_read{0, kBar0, 8192};
  EXPECT_TRUE(ask(Command::kRegionRead, long_read).has(EINVAL)) << "more than the client takes";
}

TEST_F(SessionTest, SendsAwayWhoHasAnotherVersion) {
  EXPECT_TRUE(greet(1, 0).has(ENOTSUP));
  EXPECT_TRUE(session->over());
  EXPECT_NE(session->problem(), "");
}

TEST_F(SessionTest, SendsAwayWhoDoesNotBeginWithIt) {
  EXPECT_TRUE(ask(Command::kDeviceGetInfo, DeviceInfo{16, 0, 0, 0}).has(EINVAL));
  EXPECT_TRUE(session->over());
}

TEST_F(SessionTest, RefusesCapabilitiesThatAreNoJson) {
  EXPECT_TRUE(greet(0, 1, "{\"capabilities\": [").has(EINVAL));
  EXPECT_TRUE(session->over());
}

TEST_F(SessionTest, AccessesRegionsWithinTheirSizes) {
  greet();
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{0x100, kBar0, 4}).ok());
  EXPECT_TRUE(ask(Command::kRegionWrite, region_write(kBar2, 0xffff8, 8, 8)).ok());
  EXPECT_EQ(device.log, "r0:256+4 w2:1048568+8 ");
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{(1u << 28) - 2, kBar0, 4}).has(EINVAL));
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{~std::uint64_t{0}, kBar0, 4}).has(EINVAL));
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{0, 1, 4}).has(EINVAL)) << "there is no BAR 1";
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{0, 99, 4}).has(EINVAL));
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{0, kBar0, 0}).has(EINVAL));
  EXPECT_TRUE(ask(Command::kRegionWrite, region_write(kBar0, 0, 8, 4)).has(EINVAL)) << "data are missing";
  EXPECT_TRUE(ask(Command::kRegionRead, std::vector<std::uint8_t>{1, 2, 3}).has(EINVAL));
  device.error = EIO;
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{0, kBar0, 4}).has(EIO)) << "what the device says";
}

TEST_F(SessionTest, AnswersNothingToWhoWantsNoAnswer) {
  greet();
  const std::vector<std::uint8_t> write = region_write(kBar0, 0, 4, 4);
  put(Command::kRegionWrite, write.data(), write.size(), Header::kNoReply);
  const Reply reply = ask(Command::kRegionRead, RegionAccess{0, kBar0, 4});
  EXPECT_EQ(reply.header.id, 3);
  EXPECT_EQ(device.log, "w0:0+4 r0:0+4 ");
}

TEST_F(SessionTest, RefusesCommandsThatItDoesNotHave) {
  greet();
  EXPECT_TRUE(ask(static_cast<Command>(77), std::vector<std::uint8_t>()).has(ENOTSUP));
  EXPECT_TRUE(ask(Command::kDmaRead, DmaAccess{0, 4}).has(ENOTSUP)) << "that is the server's to send";
  EXPECT_FALSE(session->over());
}

TEST_F(SessionTest, KnowsWhichCommandsNeedTheDevice) {
  greet();
  const auto needs = [&](Command command, const auto& part) {
    put(command, &part, sizeof part);
    EXPECT_TRUE(session->connection().receive());
    const bool device = session->next_needs_device();
    session->handle_next();
    take();
    return device;
  };
  EXPECT_TRUE(needs(Command::kRegionRead, RegionAccess{0, kBar0, 4}));
  EXPECT_TRUE(needs(Command::kRegionRead, RegionAccess{0, kBar2, 4}));
  EXPECT_FALSE(needs(Command::kRegionRead, RegionAccess{0, kConfigRegion, 4}));
  EXPECT_FALSE(needs(Command::kDeviceGetInfo, DeviceInfo{16, 0, 0, 0}));
}

TEST_F(SessionTest, MovesTheClientsMemoryByMessages) {
  greet(0, 1, R"({"capabilities":{"max_data_xfer_size":8}})");
  ASSERT_TRUE(ask(Command::kDmaMap, DmaMap{32, 3, 0, 0x1000, 0x1000}).ok());
  std::vector<std::uint8_t> memory(0x1000, 0x11);
  std::thread other([&] {
    for (unsigned i = 0; i < 4; ++i) {  // 12 bytes there and back, 8 at most at a time
      Reply asked = take();
      DmaAccess access;
      std::memcpy(&access, asked.payload.data(), sizeof access);
      ASSERT_LE(access.count, 8u);
      std::uint8_t* const at = memory.data() + access.address - 0x1000;
      std::vector<std::uint8_t> answer(asked.payload.begin(), asked.payload.begin() + sizeof access);
      if (asked.header.command == static_cast<std::uint16_t>(Command::kDmaRead))
        answer.insert(answer.end(), at, at + access.count);
      else
        std::copy(asked.payload.begin() + sizeof access, asked.payload.end(), at);
      Header header = asked.header;
      header.flags = Header::kReplyType;
      header.bytes = static_cast<std::uint32_t>(sizeof header + answer.size());
      ASSERT_EQ(write(client.get(), &header, sizeof header), static_cast<ssize_t>(sizeof header));
      ASSERT_EQ(write(client.get(), answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    }
  });
  std::uint8_t data[12];
  EXPECT_TRUE(session->access_memory(false, 0x1100, data, 12, 10'000));
  EXPECT_EQ(data[11], 0x11);
  std::fill(std::begin(data), std::end(data), 0x22);
  EXPECT_TRUE(session->access_memory(true, 0x1104, data, 12, 10'000));
  other.join();
  EXPECT_EQ(memory[0x103], 0x11);
  EXPECT_EQ(memory[0x104], 0x22);
  EXPECT_EQ(memory[0x10f], 0x22);
  EXPECT_FALSE(session->access_memory(false, 0x3000, data, 4, 10'000)) << "nothing is open there";
}

TEST_F(SessionTest, SendsAwayWhoDoesNotAnswer) {
  greet();
  ASSERT_TRUE(ask(Command::kDmaMap, DmaMap{32, 3, 0, 0x1000, 0x1000}).ok());
  std::uint8_t data[4];
  EXPECT_FALSE(session->access_memory(false, 0x1000, data, 4, 20));
  EXPECT_TRUE(session->over());
  EXPECT_NE(session->problem().find("within 20 ms"), std::string::npos);
}

TEST_F(SessionTest, RaisesInterruptsByEventfds) {
  greet();
  const auto set = [&](std::uint32_t flags, std::uint32_t start, std::uint32_t count,
                       std::uint32_t index = kMsixIrq) {
    return ask(Command::kDeviceSetIrqs, IrqSet{20, flags, index, start, count});
  };
  session->interrupts().raise(2);
  EXPECT_TRUE(session->interrupts().pending(2));
  FileDescriptor event(eventfd(0, EFD_NONBLOCK));
  std::vector<FileDescriptor> files;
  files.emplace_back(dup(event.get()));
  EXPECT_EQ(session->interrupts().set({20, IrqSet::kDataEventfd | IrqSet::kTrigger, kMsixIrq, 2, 1}, nullptr,
                                      0, std::move(files)),
            0);
  std::uint64_t count = 0;
  EXPECT_EQ(read(event.get(), &count, sizeof count), 8) << "what was pending comes";
  session->interrupts().raise(2);
  session->interrupts().raise(2);
  EXPECT_EQ(read(event.get(), &count, sizeof count), 8);
  EXPECT_EQ(count, 2u);
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 2, 1).ok()) << "a client may raise one itself";
  EXPECT_EQ(read(event.get(), &count, sizeof count), 8);
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 3, 2).has(EINVAL)) << "there are four vectors";
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 0xffff'ffff, 2).has(EINVAL));
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kMask, 2, 1).has(ENOTSUP));
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 0, 1, 0).has(EINVAL)) << "there is no INTx";
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 0, 0, 0).ok());
  EXPECT_TRUE(set(IrqSet::kDataNone | IrqSet::kTrigger, 0, 0).ok());
  session->interrupts().raise(2);
  EXPECT_LT(read(event.get(), &count, sizeof count), 0) << "all are off";
}

TEST_F(SessionTest, KeepsTheTableOfInterrupts) {
  greet();
  std::vector<std::uint8_t> payload = region_write(kBar4, 16, 4, 4);
  payload.back() = 0x77;
  EXPECT_TRUE(ask(Command::kRegionWrite, payload).ok());
  EXPECT_EQ(ask(Command::kRegionRead, RegionAccess{16, kBar4, 4}).payload.back(), 0x77);
  session->interrupts().raise(1);
  EXPECT_EQ(ask(Command::kRegionRead, RegionAccess{0x800, kBar4, 4}).payload[16], 2) << "pending";
  EXPECT_TRUE(ask(Command::kRegionRead, RegionAccess{2, kBar4, 4}).has(EINVAL));
  put(Command::kDeviceReset, nullptr, 0);
  carry_out();
  EXPECT_TRUE(take().ok());
  EXPECT_EQ(ask(Command::kRegionRead, RegionAccess{16, kBar4, 4}).payload.back(), 0);
  EXPECT_EQ(device.log, "reset ");
}

}  // namespace
}  // namespace warpvp::vfio_user
