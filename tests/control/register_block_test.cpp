// Register blocks and the register bus: every kind of access gets the right TLM response and nothing else.
#include "interconnect/register_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/control/rig.h"

namespace warpvp::test {
namespace {

struct Access {
  tlm::tlm_command command;
  std::uint64_t address;
  unsigned bytes;
  tlm::tlm_response_status expected;
};

class RegisterBlockTest : public ::testing::Test {
 protected:
  RegisterBlockTest() : block("Test", 0x100, "A block.") {
    block.add({"ID", 0x00, 4, 1, 0, RegisterAccess::kReadOnly, 0xabcd, "Identity."});
    control = block.add({"CONTROL",
                         0x04,
                         4,
                         1,
                         0,
                         RegisterAccess::kReadWrite,
                         7,
                         "Control.",
                         {},
                         [this](unsigned i, std::uint64_t v) {
                           written.push_back({i, v});
                         }});
    wide = block.add({"WIDE", 0x08, 8, 1, 0, RegisterAccess::kReadWrite, 0, "Wide."});
    block.add({"KICK",
               0x10,
               4,
               1,
               0,
               RegisterAccess::kWriteOnly,
               0,
               "Kick.",
               {},
               [this](unsigned i, std::uint64_t v) {
                 written.push_back({i, v});
               }});
    // Two interleaved arrays: a table of structures.
    base = block.add({"T_BASE", 0x40, 8, 4, 0x10, RegisterAccess::kReadWrite, 0, "Base."});
    block.add({"T_SIZE", 0x48, 4, 4, 0x10, RegisterAccess::kReadOnly, 0, "Size.",
               [](unsigned i) { return 100 + i; }});
    block.add(MailboxSpec{"BOX", 0x80, 12, "Box.", [this](const unsigned char* d) {
                            std::memcpy(box, d, sizeof box);
                            ++deliveries;
                          }});
  }
  tlm::tlm_response_status go(tlm::tlm_command command, std::uint64_t address, void* data, unsigned bytes) {
    tlm::tlm_generic_payload p;
    p.set_command(command);
    p.set_address(address);
    p.set_data_ptr(static_cast<unsigned char*>(data));
    p.set_data_length(bytes);
    p.set_streaming_width(bytes);
    block.transport(p);
    return p.get_response_status();
  }

  RegisterBlock block;
  RegisterBlock::Id control, wide, base;
  std::vector<std::pair<unsigned, std::uint64_t>> written;
  unsigned char box[12] = {};
  int deliveries = 0;
};

TEST_F(RegisterBlockTest, EveryForbiddenAccessHasItsResponse) {
  using tlm::TLM_ADDRESS_ERROR_RESPONSE;
  using tlm::TLM_BURST_ERROR_RESPONSE;
  using tlm::TLM_COMMAND_ERROR_RESPONSE;
  using tlm::TLM_OK_RESPONSE;
  using tlm::TLM_READ_COMMAND;
  using tlm::TLM_WRITE_COMMAND;
  const Access table[] = {
      {TLM_READ_COMMAND, 0x00, 4, TLM_OK_RESPONSE},
      {TLM_WRITE_COMMAND, 0x00, 4, TLM_COMMAND_ERROR_RESPONSE},   // read only
      {TLM_READ_COMMAND, 0x10, 4, TLM_COMMAND_ERROR_RESPONSE},    // write only
      {TLM_READ_COMMAND, 0x14, 4, TLM_ADDRESS_ERROR_RESPONSE},    // nothing there
      {TLM_READ_COMMAND, 0x100, 4, TLM_ADDRESS_ERROR_RESPONSE},   // past the block
      {TLM_READ_COMMAND, 0x08, 4, TLM_BURST_ERROR_RESPONSE},      // half a register
      {TLM_READ_COMMAND, 0x0c, 4, TLM_BURST_ERROR_RESPONSE},      // its other half
      {TLM_READ_COMMAND, 0x00, 2, TLM_BURST_ERROR_RESPONSE},      // bytes of one
      {TLM_READ_COMMAND, 0x02, 4, TLM_BURST_ERROR_RESPONSE},      // misaligned
      {TLM_READ_COMMAND, 0x00, 0, TLM_BURST_ERROR_RESPONSE},      // empty
      {TLM_READ_COMMAND, 0x00, 16, TLM_OK_RESPONSE},              // ID, CONTROL, WIDE as a burst
      {TLM_READ_COMMAND, 0x00, 20, TLM_COMMAND_ERROR_RESPONSE},   // the burst runs into KICK
      {TLM_READ_COMMAND, 0x00, 12, TLM_BURST_ERROR_RESPONSE},     // the burst ends within WIDE
      {TLM_READ_COMMAND, 0x70, 12, TLM_OK_RESPONSE},              // last structure of the table
      {TLM_READ_COMMAND, 0x4c, 4, TLM_ADDRESS_ERROR_RESPONSE},    // gap in the table
      {TLM_WRITE_COMMAND, 0x40, 12, TLM_COMMAND_ERROR_RESPONSE},  // its second half is read only
      {TLM_READ_COMMAND, 0x80, 12, TLM_COMMAND_ERROR_RESPONSE},   // mailboxes take, never give
      {TLM_WRITE_COMMAND, 0x80, 8, TLM_BURST_ERROR_RESPONSE},     // and only whole records
      {TLM_WRITE_COMMAND, 0x84, 8, TLM_BURST_ERROR_RESPONSE},
      {TLM_WRITE_COMMAND, 0x80, 12, TLM_OK_RESPONSE},
  };
  for (const Access& a : table) {
    unsigned char data[32] = {};
    EXPECT_EQ(go(a.command, a.address, data, a.bytes), a.expected) << std::hex << a.address << " " << a.bytes;
  }
}

TEST_F(RegisterBlockTest, HalvesAreAccessibleOnTheirOwn) {
  RegisterSpec spec{"HALVES", 0x18, 8, 1, 0, RegisterAccess::kReadWrite, 0x1111111122222222, "In halves."};
  spec.write = [this](unsigned i, std::uint64_t v) { written.push_back({i, v}); };
  const RegisterBlock::Id id = block.add(in_halves(spec));
  std::uint32_t half = 0;
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x18, &half, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(half, 0x22222222u);
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x1c, &half, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(half, 0x11111111u);
  half = 0x33333333;
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x1c, &half, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(block.get(id), 0x3333333322222222u);
  half = 0x44444444;
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x18, &half, 4), tlm::TLM_OK_RESPONSE);
  std::uint64_t whole = 5;
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x18, &whole, 8), tlm::TLM_OK_RESPONSE);
  using Write = std::pair<unsigned, std::uint64_t>;
  EXPECT_THAT(written, ::testing::ElementsAre(Write{0, 0x3333333322222222}, Write{0, 0x3333333344444444},
                                              Write{0, 5}));
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x1a, &half, 4), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_THROW(
      block.add(RegisterSpec{"NO", 0x20, 4, 1, 0, RegisterAccess::kReadOnly, 0, "", {}, {}, {}, true}),
      std::logic_error);
}

TEST_F(RegisterBlockTest, ARegisterMayBeARowOfValues) {
  RegisterSpec spec{"ROW", 0x90, 4, 2, 0x10, RegisterAccess::kReadWrite, 0, "A row of three, twice."};
  spec.repeat = 3;
  const RegisterBlock::Id id = block.add(spec);
  std::uint32_t row[3] = {1, 2, 3};
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0xa0, row, 12), tlm::TLM_OK_RESPONSE);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(block.get(id, 3 + i), i + 1);
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x94, row, 8), tlm::TLM_OK_RESPONSE);  // some of them
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x9c, row, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(block.name_of(0xa8), "ROW[1][2]");
  EXPECT_EQ(block.name_of(0x9c), "");
}

TEST_F(RegisterBlockTest, TheCHeaderHasAddressesWithTheirMeaning) {
  const std::string one = block.c_header("T", 0x1000);
  EXPECT_THAT(one, ::testing::HasSubstr("#define T_BASE 0x00001000u\n"));
  EXPECT_THAT(one, ::testing::HasSubstr("/* RW, 32 bits: Control. */\n#define T_CONTROL 0x00001004u\n"));
  EXPECT_THAT(one, ::testing::HasSubstr(
                       "#define T_T_SIZE(n) (0x00001048u + (n) * 0x10u)\n#define T_T_SIZE_AT 0x8u\n"));
  EXPECT_THAT(one, ::testing::HasSubstr("/* W, a record of 12 bytes: Box. */\n#define T_BOX 0x00001080u\n"));
  const std::string many = block.c_header("T", 0x1000, 4, 0x100);
  EXPECT_THAT(many, ::testing::HasSubstr("#define T_CONTROL(i) (0x00001004u + (i) * 0x100u)\n"));
  EXPECT_THAT(many,
              ::testing::HasSubstr("#define T_T_SIZE(i, n) (0x00001048u + (i) * 0x100u + (n) * 0x10u)\n"));
}

TEST_F(RegisterBlockTest, ByteEnablesAndNarrowStreamingAreRefused) {
  unsigned char data[4] = {}, enables[4] = {0xff, 0, 0, 0};
  tlm::tlm_generic_payload p;
  p.set_read();
  p.set_address(0);
  p.set_data_ptr(data);
  p.set_data_length(4);
  p.set_streaming_width(4);
  p.set_byte_enable_ptr(enables);
  p.set_byte_enable_length(4);
  block.transport(p);
  EXPECT_EQ(p.get_response_status(), tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
  p.set_byte_enable_ptr(nullptr);
  p.set_streaming_width(2);
  block.transport(p);
  EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
}

TEST_F(RegisterBlockTest, ARefusedBurstChangesNothing) {
  const std::uint32_t data[6] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x04, const_cast<std::uint32_t*>(data), 24),
            tlm::TLM_ADDRESS_ERROR_RESPONSE);  // CONTROL, WIDE, KICK, then nothing
  EXPECT_EQ(block.get(control), 7u);
  EXPECT_EQ(block.get(wide), 0u);
  EXPECT_TRUE(written.empty());
}

TEST_F(RegisterBlockTest, BurstsReachEachRegisterOnceAndInOrder) {
  const std::uint32_t data[4] = {0x11, 0x22222222, 0x33333333, 0x44};
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x04, const_cast<std::uint32_t*>(data), 16), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(block.get(wide), 0x3333333322222222u);
  EXPECT_THAT(written, ::testing::ElementsAre(std::make_pair(0u, 0x11ull), std::make_pair(0u, 0x44ull)));
}

TEST_F(RegisterBlockTest, ArraysAreIndexedByStride) {
  std::uint64_t value = 0x1234;
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x60, &value, 8), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(block.get(base, 2), 0x1234u);
  EXPECT_EQ(block.get(base, 1), 0u);
  std::uint32_t size = 0;
  EXPECT_EQ(go(tlm::TLM_READ_COMMAND, 0x78, &size, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(size, 103u);
}

TEST_F(RegisterBlockTest, MailboxGetsTheWholeRecord) {
  unsigned char record[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  EXPECT_EQ(go(tlm::TLM_WRITE_COMMAND, 0x80, record, 12), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(deliveries, 1);
  EXPECT_EQ(std::memcmp(box, record, 12), 0);
}

TEST_F(RegisterBlockTest, DebugReadsEverythingWithoutSideEffects) {
  unsigned char data[16] = {};
  tlm::tlm_generic_payload p;
  p.set_read();
  p.set_address(0x08);
  p.set_data_ptr(data);
  p.set_data_length(12);
  EXPECT_EQ(block.transport_dbg(p), 12u);  // includes the write-only KICK
  p.set_write();
  EXPECT_EQ(block.transport_dbg(p), 0u);
  EXPECT_TRUE(written.empty());
}

TEST_F(RegisterBlockTest, MarkdownListsEveryRegisterInOrderOfOffset) {
  const std::string text = block.markdown(0x1000, 2, 0x100);
  EXPECT_THAT(text, ::testing::HasSubstr("## Test"));
  EXPECT_THAT(text, ::testing::HasSubstr("| `0x0000` | ID | 32 | R | 0xabcd | Identity. |"));
  EXPECT_THAT(text, ::testing::HasSubstr("| `0x0040 + 0x10 n, n < 4` | T_BASE | 64 | RW | 0x0 | Base. |"));
  EXPECT_THAT(text, ::testing::HasSubstr("2 instances"));
  EXPECT_LT(text.find("KICK"), text.find("T_BASE"));
  EXPECT_LT(text.find("T_SIZE"), text.find("BOX"));
}

TEST_F(RegisterBlockTest, OverlapsAreProgrammingErrors) {
  const auto spec_at = [](std::uint64_t offset) {
    RegisterSpec spec;
    spec.name = "X";
    spec.offset = offset;
    return spec;
  };
  EXPECT_THROW(block.add(spec_at(0x0c)), std::logic_error);
  EXPECT_THROW(block.add(spec_at(0x100)), std::logic_error);
  EXPECT_THROW(block.add(MailboxSpec{"X", 0x84, 8, "", {}}), std::logic_error);
}

struct BusBench : sc_core::sc_module {
  RegisterBus bus;
  Driver driver{"driver"};
  Target low{"low"}, high{"high"};
  explicit BusBench(sc_core::sc_module_name name) : sc_module(name), bus("bus", RegisterBusConfig{30}) {
    driver.socket.bind(bus.add_initiator("driver"));
    bus.add_target("low", 0x1000, 0x100).bind(low.socket);
    bus.add_target("high", 0x8000'0000, 0x100, true).bind(high.socket);
    EXPECT_THROW(bus.add_target("clash", 0x10f0, 0x100), std::logic_error);
    EXPECT_THROW(bus.add_target("clash", 0xff0, 0x11), std::logic_error);
  }
};

TEST(RegisterBus, DecodesWindowsAndAnnotatesItsLatency) {
  BusBench bench("bench");
  Target &low = bench.low, &high = bench.high;
  Driver& driver = bench.driver;
  sc_core::sc_start(sc_core::SC_ZERO_TIME);

  std::vector<std::uint64_t> seen;
  low.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time& d) {
    seen.push_back(p.get_address());
    d += in_ns(5);
  };
  high.on_access = [&](tlm::tlm_generic_payload& p, sc_core::sc_time&) { seen.push_back(p.get_address()); };
  std::uint32_t data = 0;
  sc_core::sc_time time;
  EXPECT_EQ(access(driver.socket, tlm::TLM_READ_COMMAND, 0x10fc, &data, 4, &time), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(time, in_ns(35));
  EXPECT_EQ(access(driver.socket, tlm::TLM_WRITE_COMMAND, 0x8000'0010, &data, 4), tlm::TLM_OK_RESPONSE);
  EXPECT_THAT(seen, ::testing::ElementsAre(0xfc, 0x8000'0010));
  EXPECT_EQ(access(driver.socket, tlm::TLM_READ_COMMAND, 0xffc, &data, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(access(driver.socket, tlm::TLM_READ_COMMAND, 0x1100, &data, 4), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  EXPECT_EQ(access(driver.socket, tlm::TLM_READ_COMMAND, 0x10fe, &data, 4), tlm::TLM_BURST_ERROR_RESPONSE);
  EXPECT_EQ(seen.size(), 2u);
}

}  // namespace
}  // namespace warpvp::test
