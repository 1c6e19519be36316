// Framing of GDB's remote protocol, with examples from its manual and from damaged input.

#include "modules/command_processor/gdb/packet_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpvp::gdb {
namespace {

using Kind = PacketEvent::Kind;

std::vector<PacketEvent> read(const std::vector<std::string>& pieces) {
  PacketReader reader;
  std::vector<PacketEvent> events;
  for (const std::string& piece : pieces) reader.feed(piece, events);
  return events;
}

std::vector<Kind> kinds(const std::vector<PacketEvent>& events) {
  std::vector<Kind> out;
  for (const PacketEvent& event : events) out.push_back(event.kind);
  return out;
}

std::vector<std::string> payloads(const std::vector<PacketEvent>& events) {
  std::vector<std::string> out;
  for (const PacketEvent& event : events)
    if (event.kind == Kind::kPacket) out.push_back(event.payload);
  return out;
}

TEST(PacketCodec, FramesWithTheSumOfTheBytes) {
  EXPECT_EQ(frame_packet("OK"), "$OK#9a");
  EXPECT_EQ(frame_packet(""), "$#00");
  EXPECT_EQ(frame_packet("m80000000,4"), "$m80000000,4#55");
}

TEST(PacketCodec, EscapesWhatHasAMeaningInTheFraming) {
  // '}' is 7d; each escaped byte travels as 7d and itself ^ 20.
  EXPECT_EQ(frame_packet("#"), std::string("$}\x03#80"));
  EXPECT_EQ(frame_packet("$}*"), std::string("$}\x04}]}\x0a#e2"));
}

TEST(PacketCodec, EveryByteSurvivesTheJourney) {
  std::string all;
  for (int c = 0; c < 256; ++c) all += static_cast<char>(c);
  EXPECT_THAT(payloads(read({frame_packet(all)})), testing::ElementsAre(all));
}

TEST(PacketCodec, PacketsMayComeInPieces) {
  std::vector<std::string> bytes;
  for (const char c : std::string("+$qC#b4$g#67")) bytes.emplace_back(1, c);
  EXPECT_THAT(payloads(read(bytes)), testing::ElementsAre("qC", "g"));
}

TEST(PacketCodec, ChecksumsCountInEitherCase) {
  EXPECT_THAT(payloads(read({"$vCont?#49", "$k#6B", "$k#6b"})), testing::ElementsAre("vCont?", "k", "k"));
}

TEST(PacketCodec, DamagedPacketsAreTold) {
  EXPECT_THAT(kinds(read({"$g#68"})), testing::ElementsAre(Kind::kBadChecksum));
  EXPECT_THAT(kinds(read({"$g#zz"})), testing::ElementsAre(Kind::kBadChecksum));
  // The packet behind a damaged one is read.
  EXPECT_THAT(payloads(read({"$g#00$g#67"})), testing::ElementsAre("g"));
}

TEST(PacketCodec, APacketThatLostItsEndGivesWayToTheNext) {
  EXPECT_THAT(payloads(read({"$m8000$g#67"})), testing::ElementsAre("g"));
}

TEST(PacketCodec, WhatIsBetweenPacketsIsSkippedButForCtrlCAndTheWishForMore) {
  EXPECT_THAT(kinds(read({"+hello\r\n\x03#-$#00"})),
              testing::ElementsAre(Kind::kInterrupt, Kind::kResend, Kind::kPacket));
}

TEST(PacketCodec, ACtrlCWithinAPacketIsItsByte) {
  EXPECT_THAT(payloads(read({frame_packet("X0,1:\x03")})), testing::ElementsAre("X0,1:\x03"));
}

TEST(PacketCodec, TheLongestPayloadFitsAndALongerOneIsRefusedOnce) {
  const std::string longest(kPacketBytes, 'a');
  EXPECT_THAT(payloads(read({frame_packet(longest)})), testing::ElementsAre(longest));
  const std::vector<PacketEvent> events = read({frame_packet(longest + longest + "b"), "$g#67"});
  EXPECT_THAT(kinds(events), testing::ElementsAre(Kind::kTooLong, Kind::kPacket));
}

TEST(PacketCodec, HexadecimalBothWays) {
  std::string bytes;
  EXPECT_EQ(to_hex(std::string("\x00\xff\x5a", 3)), "00ff5a");
  ASSERT_TRUE(from_hex("00fF5A", bytes));
  EXPECT_EQ(bytes, std::string("\x00\xff\x5a", 3));
  EXPECT_FALSE(from_hex("0", bytes));
  EXPECT_FALSE(from_hex("0g", bytes));
}

TEST(PacketCodec, NumbersHaveAtMostSixteenDigits) {
  std::uint64_t value = 0;
  std::string_view text = "80000000,4";
  ASSERT_TRUE(take_number(text, value));
  EXPECT_EQ(value, 0x80000000u);
  EXPECT_EQ(text, ",4");
  EXPECT_FALSE(take_number(text, value));
  text = "ffffffffffffffff";
  ASSERT_TRUE(take_number(text, value));
  EXPECT_EQ(value, ~std::uint64_t{0});
  text = "10000000000000000";
  EXPECT_FALSE(take_number(text, value));
}

}  // namespace
}  // namespace warpvp::gdb
