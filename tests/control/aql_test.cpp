// Packet layout against the offsets of the HSA specification, as bytes.
#include "interconnect/aql.h"

#include <gtest/gtest.h>

#include <cstring>

namespace warpvp::aql {
namespace {

template <class T, class Packet>
T at(const Packet& packet, unsigned offset) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(&packet) + offset, sizeof value);
  return value;
}

TEST(Aql, HeaderBits) {
  EXPECT_EQ(header(PacketType::kKernelDispatch, false), 0x1402);
  EXPECT_EQ(header(PacketType::kBarrierAnd, true), 0x1503);
  EXPECT_EQ(header(PacketType::kBarrierOr, true) & 0xff, 5);
  EXPECT_EQ(type_of(0x1503), 3);
}

TEST(Aql, KernelDispatchBytes) {
  KernelDispatch p;
  p.header = header(PacketType::kKernelDispatch, true);
  p.setup = 3;
  p.workgroup_size[2] = 7;
  p.grid_size[0] = 0x11111111;
  p.grid_size[2] = 0x33333333;
  p.group_segment_size = 0x44444444;
  p.kernel_object = 0x5555555555555555;
  p.kernarg_address = 0x6666666666666666;
  p.extension = 0x7777777777777777;
  p.completion_signal = 0x8888888888888888;
  EXPECT_EQ(at<std::uint16_t>(p, 2), 3);
  EXPECT_EQ(at<std::uint16_t>(p, 8), 7);
  EXPECT_EQ(at<std::uint32_t>(p, 12), 0x11111111u);
  EXPECT_EQ(at<std::uint32_t>(p, 20), 0x33333333u);
  EXPECT_EQ(at<std::uint32_t>(p, 28), 0x44444444u);
  EXPECT_EQ(at<std::uint64_t>(p, 32), 0x5555555555555555u);
  EXPECT_EQ(at<std::uint64_t>(p, 40), 0x6666666666666666u);
  EXPECT_EQ(at<std::uint64_t>(p, 48), 0x7777777777777777u);
  EXPECT_EQ(at<std::uint64_t>(p, 56), 0x8888888888888888u);
}

TEST(Aql, BarrierAndCopyShareTheTail) {
  Barrier b;
  b.dep_signal[0] = 1;
  b.dep_signal[4] = 5;
  b.completion_signal = 9;
  EXPECT_EQ(at<std::uint64_t>(b, 8), 1u);
  EXPECT_EQ(at<std::uint64_t>(b, 40), 5u);
  EXPECT_EQ(at<std::uint64_t>(b, 56), 9u);
  Copy c;
  c.source = 2;
  c.destination = 3;
  c.bytes = 4;
  c.completion_signal = 9;
  EXPECT_EQ(at<std::uint64_t>(c, 8), 2u);
  EXPECT_EQ(at<std::uint64_t>(c, 16), 3u);
  EXPECT_EQ(at<std::uint64_t>(c, 24), 4u);
  EXPECT_EQ(at<std::uint64_t>(c, 56), 9u);
}

TEST(Aql, AFreshPacketIsInvalid) {
  EXPECT_EQ(type_of(KernelDispatch{}.header), static_cast<int>(PacketType::kInvalid));
  EXPECT_EQ(type_of(Copy{}.header), static_cast<int>(PacketType::kInvalid));
}

}  // namespace
}  // namespace warpvp::aql
