// Looking at packets behind the head, in rings anywhere in device memory.
#include <gtest/gtest.h>

#include <cstring>

#include "interconnect/aql.h"
#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

template <class Record>
std::vector<std::uint32_t> words(const Record& record) {
  static_assert(sizeof record == 64);
  std::vector<std::uint32_t> out(16);
  std::memcpy(out.data(), &record, 64);
  return out;
}

struct Seen {
  std::uint32_t pending = 0;
  std::vector<std::uint64_t> objects;
  std::vector<std::uint64_t> deadlines;
  bool beyond = true;
};
Seen seen;

void look(unsigned queue) {
  seen = {};
  seen.pending = fw_pending(queue);
  fw_packet packet;
  for (std::uint32_t k = 0; fw_peek(queue, k, &packet); ++k) {
    EXPECT_EQ(packet.header & FW_TYPE_MASK, static_cast<unsigned>(FW_KERNEL));
    seen.objects.push_back(packet.kernel.kernel_object);
    fw_extension extension;
    if (fw_peek_extension(&packet, &extension)) seen.deadlines.push_back(extension.deadline_ns);
  }
  seen.beyond = fw_peek(queue, seen.pending, &packet);
}
fw_policy looking() {
  fw_policy p{};
  p.name = "looking";
  p.pick = none;
  p.head = look;
  return p;
}

class LookAhead : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LookAhead, SeesEveryPacketAroundTheEndOfTheRing) {
  const std::uint64_t ring = GetParam(), extensions = 0x2'8000'0000;
  ScriptedMachine m;
  m.fills_rings = false;
  m.set_ring(3, ring, 8);
  m.set_first_index(3, 6);
  m.push(3, std::vector<ScriptedPacket>(5));  // which also fills the ring
  for (unsigned i = 0; i < 5; ++i) {
    aql::KernelDispatch packet;
    packet.header = aql::header(aql::PacketType::kKernelDispatch, true);
    packet.kernel_object = 1000 + i;
    if (i % 2 == 0) {
      packet.extension = extensions + 64 * i;
      aql::Extension extension;
      extension.deadline_ns = 0x1'0000'0000 * i + 7;
      m.records[packet.extension] = words(extension);
    }
    m.records[ring + 64 * ((6 + i) % 8)] = words(packet);
  }
  const fw_policy p = looking();
  m.run(p);
  EXPECT_EQ(seen.pending, 5u);
  EXPECT_EQ(seen.objects, (std::vector<std::uint64_t>{1000, 1001, 1002, 1003, 1004}));
  EXPECT_EQ(seen.deadlines, (std::vector<std::uint64_t>{7, 0x2'0000'0007, 0x4'0000'0007}));
  EXPECT_FALSE(seen.beyond);
}

std::string place(const ::testing::TestParamInfo<std::uint64_t>& info) {
  static const char* const names[] = {"AtTheStart", "AtTheEndOfTheFirstGiB", "JustBeyond", "FarBeyond"};
  return names[info.index];
}
// In reach of the apertures as they are reset, and beyond, where one has to move to and fro.
INSTANTIATE_TEST_SUITE_P(Rings, LookAhead,
                         ::testing::Values(0x1'0000'1000, 0x1'3fff'fe00, 0x1'4000'0000, 0x3'7654'3200),
                         place);

TEST(LookAheadAlone, ARecordWithoutTheMagicIsNoExtension) {
  ScriptedMachine m;
  m.fills_rings = false;
  aql::KernelDispatch packet;
  packet.header = aql::header(aql::PacketType::kKernelDispatch, true);
  packet.extension = 0x1'0000'2000;
  m.set_ring(0, 0x1'0000'1000, 8);
  m.push(0, {{}});
  m.records[0x1'0000'1000] = words(packet);
  m.records[packet.extension] = std::vector<std::uint32_t>(16);
  const fw_policy p = looking();
  m.run(p);
  EXPECT_EQ(seen.objects.size(), 1u);
  EXPECT_TRUE(seen.deadlines.empty());
}

}  // namespace
}  // namespace warpvp::test
