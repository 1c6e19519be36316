// Every command of the protocol, and what is wrong with one, against a scripted core.

#include "modules/command_processor/gdb/session.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "modules/command_processor/gdb/packet_codec.h"
#include "tests/gdb/scripted_target.h"

namespace warpvp::gdb {
namespace {

using Action = Answer::Action;
using testing::HasSubstr;
using testing::StartsWith;

class SessionTest : public testing::Test {
 protected:
  /// The one payload of an answer that leaves the core stopped.
  std::string ask(const std::string& packet) {
    const Answer answer = session.handle(packet);
    EXPECT_EQ(answer.action, Action::kStay) << packet;
    EXPECT_EQ(answer.payloads.size(), 1u) << packet;
    return answer.payloads.empty() ? "" : answer.payloads[0];
  }
  Action action(const std::string& packet) { return session.handle(packet).action; }

  ScriptedTarget target;
  RunControl run;
  std::vector<MonitorCommand> monitor{{"time", "Simulated time.", [] { return std::string("12 ns\n"); }},
                                      {"long", "Much.", [] { return std::string(30000, 'x'); }}};
  Session session{target, run, monitor};
};

TEST_F(SessionTest, RegistersAreLittleEndian) {
  target.x[1] = 0x80000010;
  target.x[31] = 0x12345678;
  target.pc = 0x80000004;
  const std::string all = ask("g");
  ASSERT_EQ(all.size(), 33u * 8);
  EXPECT_EQ(all.substr(0, 8), "00000000");
  EXPECT_EQ(all.substr(8, 8), "10000080");
  EXPECT_EQ(all.substr(31 * 8, 8), "78563412");
  EXPECT_EQ(all.substr(32 * 8), "04000080");
  EXPECT_EQ(ask("p1f"), "78563412");
  EXPECT_EQ(ask("p20"), "04000080");
  EXPECT_EQ(ask("P5=01020304"), "OK");
  EXPECT_EQ(target.x[5], 0x04030201u);
  EXPECT_EQ(ask("P20=08000080"), "OK");
  EXPECT_EQ(target.pc, 0x80000008u);
}

TEST_F(SessionTest, AllRegistersAtOnceOrNone) {
  std::string all;
  for (int i = 0; i < 33; ++i) all += to_hex(std::string({static_cast<char>(i), 0, 0, 0}));
  EXPECT_EQ(ask("G" + all.substr(8)), "E01");
  EXPECT_EQ(target.x[2], 0u);
  EXPECT_EQ(ask("G" + all), "OK");
  EXPECT_EQ(target.x[2], 2u);
  EXPECT_EQ(target.pc, 32u);
}

TEST_F(SessionTest, CsrsFollowTheRegisters) {
  EXPECT_EQ(ask("p341"), "00180000");  // 65 + 0x300
  EXPECT_EQ(ask("p383"), "0b000000");
  EXPECT_EQ(ask("P383=02000000"), "OK");
  EXPECT_EQ(target.csr_values[0x342], 2u);
  EXPECT_EQ(ask("Pf55=02000000"), "E01") << "mhartid is read-only";
  EXPECT_EQ(ask("p342"), "E01") << "no such CSR";
  EXPECT_EQ(ask("p21"), "E01") << "no floating point";
  EXPECT_EQ(ask("pffffffffffffffff"), "E01");
}

TEST_F(SessionTest, MemoryIsReadAsFarAsItGoes) {
  target.memory[0] = 0xab;
  target.memory[0xfff] = 0xcd;
  EXPECT_EQ(ask("m80000000,2"), "ab00");
  EXPECT_EQ(ask("m80000fff,4"), "cd");
  EXPECT_EQ(ask("m80001000,1"), "E01");
  EXPECT_EQ(ask("m0,4"), "E01");
  EXPECT_EQ(ask("m80000000,ffffffffffffffff").size(), 2u * ScriptedTarget::kMemoryBytes);
  EXPECT_EQ(ask("mffffffff,10"), "E01");
  EXPECT_EQ(ask("m180000000,1"), "E01") << "the core has 32 address bits";
}

TEST_F(SessionTest, MemoryIsWrittenInHexadecimalAndInBinary) {
  EXPECT_EQ(ask("M80000010,2:beef"), "OK");
  EXPECT_EQ(target.memory[0x10], 0xbe);
  EXPECT_EQ(target.memory[0x11], 0xef);
  EXPECT_EQ(ask(std::string("X80000010,2:\x00#", 14)), "OK");
  EXPECT_EQ(target.memory[0x10], 0);
  EXPECT_EQ(target.memory[0x11], '#');
  EXPECT_EQ(ask("X80000000,0:"), "OK") << "how the client asks whether there is such a command";
  for (const char* wrong : {"M80000010,2:be", "M80000010,1:beef", "M80000010,2:bexx", "M80000010,2",
                            "X80000010,3:ab", "M80001000,1:00", "Mffffffff,2:0000", "M,1:00"})
    EXPECT_EQ(ask(wrong), "E01") << wrong;
}

TEST_F(SessionTest, PointsOfFiveKinds) {
  for (const char* packet :
       {"Z0,80000008,2", "Z1,80000008,4", "Z2,80000100,4", "Z3,80000100,4", "Z4,80000100,4"})
    EXPECT_EQ(ask(packet), "OK") << packet;
  EXPECT_TRUE(run.before_instruction(0x80000008));
  EXPECT_EQ(ask("z0,80000008,2"), "OK");
  EXPECT_EQ(ask("z1,80000008,4"), "OK");
  EXPECT_FALSE(run.before_instruction(0x80000008));
  EXPECT_EQ(ask("Z5,0,4"), "");
  for (const char* wrong : {"Z2,80000100,0", "Z2,ffffffff,2", "Z0", "Z0,", "Z0,80000008", "Z0,180000000,2",
                            "Z2,0,100000000", "Z0,80000008,2;X1,ff"})
    EXPECT_NE(ask(wrong), "OK") << wrong;
}

TEST_F(SessionTest, WaysToLetTheCoreGo) {
  EXPECT_EQ(action("c"), Action::kContinue);
  EXPECT_EQ(action("s"), Action::kStep);
  EXPECT_EQ(action("C05"), Action::kContinue);
  EXPECT_EQ(action("vCont;c"), Action::kContinue);
  EXPECT_EQ(action("vCont;s:1;c"), Action::kStep);
  EXPECT_EQ(action("vCont;C05:1"), Action::kContinue);
  EXPECT_EQ(action("D"), Action::kDetach);
  EXPECT_EQ(action("k"), Action::kKill);
  EXPECT_EQ(action("vKill;1"), Action::kKill);
  EXPECT_EQ(target.pc, ScriptedTarget::kCode);
  EXPECT_EQ(action("s80000020"), Action::kStep);
  EXPECT_EQ(target.pc, 0x80000020u);
  EXPECT_EQ(action("C05;80000024"), Action::kContinue);
  EXPECT_EQ(target.pc, 0x80000024u);
  for (const char* wrong : {"cx", "c180000000", "C", "C05,0", "vCont;", "vCont;t:1"})
    EXPECT_EQ(ask(wrong), "E01") << wrong;
}

TEST_F(SessionTest, TheStopSaysWhyAndWhere) {
  target.pc = 0x80000004;
  target.x[2] = 0x80000f00;
  const std::string where = "02:000f0080;20:04000080;thread:1;";
  EXPECT_EQ(ask("?"), "T05" + where);
  session.stopped({Stop::Cause::kInterrupt});
  EXPECT_EQ(ask("?"), "T02" + where);
  session.stopped({Stop::Cause::kFault});
  EXPECT_EQ(ask("?"), "T06" + where);
  session.stopped({Stop::Cause::kWatchpoint, PointKind::kAccess, 0x80000104});
  EXPECT_EQ(ask("?"), "T05awatch:80000104;" + where);
  session.stopped({Stop::Cause::kBreakpoint, PointKind::kSoftware, 0x80000004});
  EXPECT_EQ(ask("?"), "T05" + where) << "a client that does not know the word is not told";
  ask("qSupported:swbreak+;hwbreak+");
  EXPECT_EQ(ask("?"), "T05swbreak:;" + where);
  session.stopped({Stop::Cause::kBreakpoint, PointKind::kHardware, 0x80000004});
  EXPECT_EQ(ask("?"), "T05hwbreak:;" + where);
}

TEST_F(SessionTest, TheTargetDescriptionComesInPieces) {
  EXPECT_THAT(ask("qSupported:multiprocess+"), HasSubstr("qXfer:features:read+"));
  std::string xml;
  for (;;) {
    const std::string piece =
        ask("qXfer:features:read:target.xml:" + fmt::format("{:x}", xml.size()) + ",64");
    ASSERT_LE(piece.size(), 0x65u);
    xml += piece.substr(1);
    if (piece[0] == 'l') break;
    ASSERT_EQ(piece[0], 'm');
  }
  EXPECT_THAT(xml, HasSubstr("<architecture>riscv:rv32</architecture>"));
  EXPECT_THAT(xml, HasSubstr("org.gnu.gdb.riscv.cpu"));
  EXPECT_THAT(xml, HasSubstr("<reg name=\"pc\" bitsize=\"32\" type=\"code_ptr\" regnum=\"32\"/>"));
  EXPECT_THAT(xml, HasSubstr("<reg name=\"mstatus\" bitsize=\"32\" type=\"int\" regnum=\"833\""));
  EXPECT_EQ(ask("qXfer:features:read:target.xml:ffffffffffff,64"), "l");
  EXPECT_EQ(ask("qXfer:features:read:other.xml:0,64"), "E01");
  EXPECT_EQ(ask("qXfer:features:read:target.xml:0"), "E01");
}

TEST_F(SessionTest, OneThread) {
  EXPECT_EQ(ask("qfThreadInfo"), "m1");
  EXPECT_EQ(ask("qsThreadInfo"), "l");
  EXPECT_EQ(ask("qC"), "QC1");
  EXPECT_EQ(ask("Hg0"), "OK");
  EXPECT_EQ(ask("T1"), "OK");
  EXPECT_EQ(ask("qAttached"), "1");
}

TEST_F(SessionTest, MonitorCommands) {
  const auto monitor_text = [&](const std::string& line) {
    const Answer answer = session.handle("qRcmd," + to_hex(line));
    EXPECT_EQ(answer.payloads.back(), "OK");
    std::string text, piece;
    for (std::size_t i = 0; i + 1 < answer.payloads.size(); ++i) {
      EXPECT_LE(answer.payloads[i].size(), kPacketBytes);
      EXPECT_TRUE(from_hex(answer.payloads[i].substr(1), piece));
      text += piece;
    }
    return text;
  };
  EXPECT_EQ(monitor_text("time"), "12 ns\n");
  EXPECT_EQ(monitor_text(" time "), "12 ns\n");
  EXPECT_EQ(monitor_text("long"), std::string(30000, 'x'));
  EXPECT_THAT(monitor_text("help"), HasSubstr("time          Simulated time.\n"));
  EXPECT_THAT(monitor_text("tiem"), StartsWith("unknown command 'tiem'; there are:\ntime "));
  EXPECT_EQ(ask("qRcmd,7"), "E01");
}

TEST_F(SessionTest, WhatIsNotKnownGetsTheEmptyAnswer) {
  for (const char* packet :
       {"", "!", "R00", "vMustReplyEmpty", "qNonsense", "QNonsense", "vFile:open:", "\xff"})
    EXPECT_EQ(ask(packet), "") << packet;
}

TEST_F(SessionTest, NoAcknowledgementsFromNowOn) {
  EXPECT_FALSE(session.handle("qC").stop_acknowledging);
  EXPECT_TRUE(session.handle("QStartNoAckMode").stop_acknowledging);
}

}  // namespace
}  // namespace warpvp::gdb
