// The runtime's host over a link, here one that a test makes: BARs, memory, waits.
#include "sw/runtime/device_transport.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "interconnect/register_map.h"
#include "sw/runtime/driver_link.h"

namespace warpvp::rt {
namespace {

namespace ep = regmap::ep;

/// A device of bytes, whose memory lies in pages of 64 bytes that go the other way round.
class FakeLink : public DeviceLink {
 public:
  struct Access {
    bool write;
    Bar bar;
    std::uint64_t offset;
    std::size_t bytes;
    bool untimed;
  };

  FakeLink() {
    set(ep::kIdentity, ep::kIdentityValue);
    set(ep::kVersion, ep::kVersionValue);
    const std::uint64_t base = 0x4000'0000'0000;
    std::memcpy(&registers[ep::kDmaBase], &base, sizeof base);
  }
  void set(std::uint64_t at, std::uint32_t value) { std::memcpy(&registers[at], &value, sizeof value); }

  void write(Bar bar, std::uint64_t offset, const void* data, std::size_t bytes, bool untimed) override {
    accesses.push_back({true, bar, offset, bytes, untimed});
    if (refuse_with != 0) refuse("a write", refuse_with);
    std::memcpy(place(bar) + offset, data, bytes);
    if (bar == Bar::kRegisters && offset == ep::kWait && on_wait) on_wait();
  }
  void read(Bar bar, std::uint64_t offset, void* data, std::size_t bytes, bool untimed) override {
    accesses.push_back({false, bar, offset, bytes, untimed});
    std::memcpy(data, place(bar) + offset, bytes);
  }
  std::vector<HostInterface::Piece> map(void*, std::size_t bytes, bool) override {
    std::vector<HostInterface::Piece> pieces;
    for (std::size_t done = 0; done < bytes; done += 64)
      pieces.push_back({0x10000 - done, std::min<std::size_t>(64, bytes - done)});
    return pieces;
  }
  void unmap(std::uint64_t address) override { unmapped.push_back(address); }
  HostInterface::Shared share(std::size_t bytes) override {
    return {std::shared_ptr<void>(std::calloc(1, bytes), std::free), 0x200};
  }

  std::vector<std::uint8_t> registers = std::vector<std::uint8_t>(0x2000),
                            memory = std::vector<std::uint8_t>(0x2000);
  std::vector<Access> accesses;
  std::vector<std::uint64_t> unmapped;
  std::function<void()> on_wait;
  int refuse_with = 0;

 private:
  std::uint8_t* place(Bar bar) { return bar == Bar::kRegisters ? registers.data() : memory.data(); }
};

class Transport : public ::testing::Test {
 protected:
  void pass_time() { link_.registers[ep::kTime] = static_cast<std::uint8_t>(link_.registers[ep::kTime] + 1); }

  FakeLink& link_ = *new FakeLink;
  DeviceTransport host_{std::unique_ptr<DeviceLink>(&link_)};
};

TEST_F(Transport, SaysWhoseTimeItIs) { EXPECT_EQ(link_.endpoint(ep::kPace), 1u); }

TEST_F(Transport, AddressesAreThoseOfTheDevice) {
  const std::uint32_t value = 0x12345678;
  link_.accesses.clear();
  host_.write(regmap::kMemoryBase + 0x40, &value, sizeof value);
  host_.write_untimed(0x1004, &value, sizeof value);
  std::uint32_t back = 0;
  host_.read(regmap::kMemoryBase + 0x40, &back, sizeof back);
  EXPECT_EQ(back, value);
  ASSERT_EQ(link_.accesses.size(), 3u);
  EXPECT_EQ(link_.accesses[0].bar, DeviceLink::Bar::kMemory);
  EXPECT_EQ(link_.accesses[0].offset, 0x40u);
  EXPECT_FALSE(link_.accesses[0].untimed);
  EXPECT_EQ(link_.accesses[1].bar, DeviceLink::Bar::kRegisters);
  EXPECT_TRUE(link_.accesses[1].untimed);
}

TEST_F(Transport, MemoryIsMappedPieceByPieceAtBusAddresses) {
  char data[150];
  const auto pieces = host_.map_pieces(data, sizeof data, true);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].bus, 0x4000'0000'0000u + 0x10000);
  EXPECT_EQ(pieces[2].bus, 0x4000'0000'0000u + 0x10000 - 128);
  EXPECT_EQ(pieces[2].bytes, 22u);
  host_.unmap(pieces[0].bus);
  EXPECT_EQ(link_.unmapped, std::vector<std::uint64_t>{0x10000});
  EXPECT_EQ(host_.share(64).bus, 0x4000'0000'0000u + 0x200);
}

TEST_F(Transport, MemoryInPiecesHasNoSingleAddress) {
  char data[150];
  EXPECT_THROW(host_.map(data, sizeof data), TransportError);
  EXPECT_EQ(link_.unmapped.size(), 1u) << "what was mapped is unmapped";
}

TEST_F(Transport, WaitsUntilItHolds) {
  int waits = 0;
  link_.on_wait = [&] {
    ++waits;
    pass_time();
  };
  host_.wait_until([&] { return waits == 3; });
  EXPECT_EQ(waits, 3);
}

std::string what_is_thrown(const std::function<void()>& call) {
  try {
    call();
  } catch (const TransportError& error) {
    return std::to_string(static_cast<int>(error.why)) + " " + error.what();
  }
  return "";
}

TEST_F(Transport, ADeviceThatRestsIsNotWaitedForForEver) {
  EXPECT_EQ(what_is_thrown([&] { host_.wait_until([] { return false; }); }),
            "0 the device rests, and what the program waits for has not come");
}

TEST_F(Transport, ADeviceThatHasStoppedSaysWhy) {
  link_.set(ep::kError, ep::kDeviceFault);
  std::strcpy(reinterpret_cast<char*>(&link_.registers[ep::kErrorText]), "it broke");
  EXPECT_EQ(what_is_thrown([&] { host_.wait_until([] { return false; }); }), "1 it broke");
  link_.refuse_with = EIO;
  EXPECT_EQ(what_is_thrown([&] { host_.write(0x1000, "abcd", 4); }), "1 it broke");
}

TEST_F(Transport, ADeviceThatHasGoneFromTheBusIsNoticed) {
  std::fill(link_.registers.begin(), link_.registers.end(), std::uint8_t{0xff});
  EXPECT_EQ(what_is_thrown([&] { host_.wait_until([] { return false; }); }),
            "2 the device does not answer any more");
}

TEST_F(Transport, RefusedAccessesHaveTheirReason) {
  link_.refuse_with = EPERM;
  EXPECT_EQ(what_is_thrown([&] { host_.write(0x1000, "abcd", 4); }), "0 a write: Operation not permitted");
}

std::string not_opened(const std::string& address) {
  try {
    open_device(address);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(OpenDevice, SaysWhatAnAddressIs) {
  EXPECT_EQ(not_opened("/tmp/gpu.sock"),
            "'/tmp/gpu.sock' is no address of a device; allowed: vfio-user:SOCKET, driver:DEVICE_FILE, "
            "pci:FUNCTION");
  EXPECT_EQ(not_opened("vfio-user:/no/such.sock"),
            "no device is served at /no/such.sock: No such file or directory");
  EXPECT_EQ(not_opened("driver:/no/such"), "no device at /no/such: No such file or directory");
  EXPECT_EQ(not_opened("driver:/dev/null"), "/dev/null is no device file of a driver of this version");
  EXPECT_EQ(not_opened("driver:/dev/null,polling"),
            "'driver:/dev/null,polling': allowed behind the device file: ,interrupts");
  EXPECT_EQ(not_opened("pci:ffff:00:1f.7"),
            "no device at ffff:00:1f.7: there is no /sys/bus/pci/devices/ffff:00:1f.7");
  EXPECT_EQ(not_opened("pci:0000:00:00.0,now"),
            "'pci:0000:00:00.0,now': allowed behind the address: ,interrupts");
}

}  // namespace
}  // namespace warpvp::rt
