// The server with a scripted core on a thread of its own, and clients that behave and clients that do not.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "base/error.h"
#include "modules/command_processor/gdb/gdb_server.h"
#include "tests/gdb/raw_client.h"
#include "tests/gdb/scripted_target.h"

namespace warpvp {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint32_t kCode = ScriptedTarget::kCode;

/// A simulation: executes instructions, asks the server before each, looks after it while the core sleeps.
class ServerTest : public testing::Test {
 protected:
  ~ServerTest() override { end(); }

  void start(bool wait = false) {
    GdbServerOptions options;
    options.wait = wait;
    options.kill = [this] { killed = true; };
    options.interrupted = &interrupted;
    options.monitor = {{"count", "Instructions.", [this] { return std::to_string(target.executed); }}};
    server = std::make_unique<GdbServer>(target, std::move(options));
    simulation = std::thread([this] {
      while (!over && !interrupted && !killed) {
        if (target.sleeping) {
          server->poll();
          if (wake.exchange(false)) target.sleeping = false;
        } else {
          server->before_instruction();
          if (target.pc == fault_at) server->faulted("load access fault");
          target.execute(*server);
        }
        progress = target.executed;
      }
      server->finish(exit_status);
    });
  }
  void end() {
    interrupted = true;  // lets a stopped core go
    if (simulation.joinable()) simulation.join();
  }
  /// The core executes, in the end.
  void expect_progress() {
    const std::uint64_t before = progress;
    for (int i = 0; i < 2000 && progress < before + 5000; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_GE(progress.load(), before + 5000);
  }

  ScriptedTarget target;
  std::uint32_t fault_at = 0;
  int exit_status = 0;
  std::unique_ptr<GdbServer> server;
  std::thread simulation;
  std::atomic<std::uint64_t> progress{0};
  std::atomic<bool> over{false}, interrupted{false}, killed{false}, wake{false};
};

std::uint32_t pc_of(RawClient& client) {
  std::string bytes;
  if (!gdb::from_hex(client.ask("p20"), bytes) || bytes.size() != 4) return 0;
  std::uint32_t value = 0;
  for (unsigned i = 0; i < 4; ++i) value |= std::uint32_t(static_cast<unsigned char>(bytes[i])) << 8 * i;
  return value;
}

TEST_F(ServerTest, AClientStopsTheCoreAndStepsIt) {
  start();
  RawClient client(server->port());
  EXPECT_THAT(client.ask("qSupported"), HasSubstr("PacketSize=4000"));
  EXPECT_THAT(client.ask("?"), StartsWith("T05"));
  const std::string count = client.ask("qRcmd," + gdb::to_hex("count"));
  EXPECT_EQ(client.packet(), "OK");
  client.ask("P20=00000080");
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 4);
  EXPECT_THAT(client.ask("vCont;s:1;c"), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 8);
  const std::uint64_t executed = progress;
  end();
  std::string text;
  ASSERT_TRUE(gdb::from_hex(count.substr(1), text));
  EXPECT_EQ(executed, std::stoull(text) + 2) << "nothing was executed but the two steps";
}

TEST_F(ServerTest, WaitsBeforeTheFirstInstruction) {
  start(true);
  RawClient stranger(server->port());
  stranger.send("GET / HTTP/1.1\r\n\r\n");
  stranger.vanish();
  RawClient client(server->port());
  client.ask("qSupported");
  client.ask("qRcmd," + gdb::to_hex("count"));
  EXPECT_EQ(client.packet(), "OK");
  EXPECT_EQ(progress, 0u);
  EXPECT_EQ(pc_of(client), kCode);
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 4);
  EXPECT_EQ(client.ask("D"), "OK");
  expect_progress();
}

TEST_F(ServerTest, BreakpointsStopEveryTimeRound) {
  start(true);
  RawClient client(server->port());
  client.ask("qSupported:swbreak+;hwbreak+");
  EXPECT_EQ(client.ask("Z0,80000040,4"), "OK");
  EXPECT_THAT(client.ask("c"), StartsWith("T05swbreak:;"));
  EXPECT_EQ(pc_of(client), kCode + 0x40);
  EXPECT_THAT(client.ask("c"), StartsWith("T05swbreak:;"));
  EXPECT_EQ(progress, 16u + 32);
  EXPECT_EQ(client.ask("z0,80000040,4"), "OK");
  EXPECT_EQ(client.ask("Z1,80000050,4"), "OK");
  EXPECT_THAT(client.ask("c"), StartsWith("T05hwbreak:;"));
  EXPECT_EQ(pc_of(client), kCode + 0x50);
}

TEST_F(ServerTest, APcMovedOntoABreakpointStopsThere) {
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("Z0,80000040,4"), "OK");
  EXPECT_THAT(client.ask("c80000040"), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 0x40);
  EXPECT_EQ(progress, 0u);
}

TEST_F(ServerTest, WatchpointsStopBehindTheAccess) {
  target.effects[kCode + 0x20] = {ScriptedTarget::Effect::Kind::kLoad, 0x80000800};
  target.effects[kCode + 0x30] = {ScriptedTarget::Effect::Kind::kStore, 0x80000800};
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("Z2,80000800,4"), "OK");
  EXPECT_THAT(client.ask("c"), StartsWith("T05watch:80000800;"));
  EXPECT_EQ(pc_of(client), kCode + 0x34);
  EXPECT_EQ(client.ask("m80000800,1"), "01");
  EXPECT_EQ(client.ask("Z3,80000802,1"), "OK");
  EXPECT_THAT(client.ask("c"), StartsWith("T05rwatch:80000802;"));
  EXPECT_EQ(pc_of(client), kCode + 0x24);
}

TEST_F(ServerTest, CtrlCStopsARunningCore) {
  start();
  RawClient client(server->port());
  client.ask("?");
  client.say("c");
  expect_progress();
  client.send("\x03");
  EXPECT_THAT(client.packet().value_or(""), StartsWith("T02"));
  // One that crosses a stop is not kept for the next run.
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  client.send("\x03");
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
}

TEST_F(ServerTest, CtrlCBehindTheContinueIsNotLost) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  client.send(gdb::frame_packet("c") + "\x03");
  EXPECT_THAT(client.packet().value_or(""), StartsWith("T02"));
}

TEST_F(ServerTest, CtrlCStopsACoreAsleep) {
  target.effects[kCode + 0x10] = {ScriptedTarget::Effect::Kind::kSleep};
  start(true);
  RawClient client(server->port());
  client.ask("?");
  client.say("c");
  while (progress < 5) std::this_thread::yield();
  client.send("\x03");
  EXPECT_THAT(client.packet().value_or(""), StartsWith("T02"));
  EXPECT_EQ(pc_of(client), kCode + 0x14);
  // Still asleep when let go; awake it stops at the breakpoint on its next instruction.
  EXPECT_EQ(client.ask("Z0,80000014,4"), "OK");
  client.say("c");
  wake = true;
  EXPECT_THAT(client.packet().value_or(""), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 0x14);
}

TEST_F(ServerTest, AClientComesWhileTheCoreSleeps) {
  target.effects[kCode + 0x10] = {ScriptedTarget::Effect::Kind::kSleep};
  start();
  RawClient client(server->port());
  EXPECT_THAT(client.ask("?"), StartsWith("T05"));
  EXPECT_EQ(pc_of(client), kCode + 0x14);
  EXPECT_EQ(client.ask("D"), "OK");
  wake = true;
  RawClient next(server->port());
  EXPECT_THAT(next.ask("?"), StartsWith("T05"));
}

TEST_F(ServerTest, DetachingForgetsBreakpointsAndAnotherClientMayCome) {
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("Z0,80000040,4"), "OK");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_TRUE(client.ends());
  expect_progress();
  RawClient next(server->port());
  EXPECT_THAT(next.ask("?"), StartsWith("T05"));
  next.say("c");
  expect_progress();
  next.send("\x03");
  EXPECT_THAT(next.packet().value_or(""), StartsWith("T02"));
}

TEST_F(ServerTest, AClientThatVanishesWhileStoppedLetsTheCoreGo) {
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("Z0,80000040,4"), "OK");
  client.vanish();
  expect_progress();
}

TEST_F(ServerTest, AClientThatVanishesWhileTheCoreRunsTakesItsBreakpointsAlong) {
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("Z2,80000f00,4"), "OK");
  client.say("c");
  expect_progress();
  client.vanish();
  expect_progress();
}

TEST_F(ServerTest, AClientThatVanishesInAPacketLeavesNothingBehind) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  client.send("$m80000000,");
  client.vanish();
  RawClient next(server->port());
  EXPECT_EQ(next.ask("m80000000,1"), "00");
}

TEST_F(ServerTest, OneClientAtATime) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  RawClient second(server->port());
  EXPECT_TRUE(second.ends());
  EXPECT_THAT(client.ask("?"), StartsWith("T05"));
}

TEST_F(ServerTest, WhoNeverSpeaksTheProtocolNeitherStopsTheCoreNorStandsInTheWay) {
  start();
  RawClient stranger(server->port());
  stranger.send(std::string(100000, 'x') + "\x03\x03");
  expect_progress();
  RawClient client(server->port());
  EXPECT_THAT(client.ask("?"), StartsWith("T05"));
  EXPECT_TRUE(stranger.ends());
}

TEST_F(ServerTest, RubbishIsAnsweredOrDropped) {
  start();
  std::mt19937 random(7);
  const std::string alphabet = "$#}+-\x03gGmMXzZpPcsvqQHTD?,;:=0123456789abcdef";
  for (int round = 0; round < 30; ++round) {
    RawClient client(server->port());
    std::string bytes;
    for (int i = 0; i < 3000; ++i) {
      if (random() % 4 == 0) {
        std::string payload;
        for (unsigned n = random() % 12; n > 0; --n) payload += alphabet[random() % alphabet.size()];
        if (!payload.empty() && payload[0] == 'k') continue;
        bytes += gdb::frame_packet(payload);
      } else {
        bytes += static_cast<char>(random());
      }
    }
    client.send(bytes);  // which may fail: the server may have hung up
  }
  RawClient client(server->port());
  EXPECT_THAT(client.ask("?"), StartsWith("T"));
  EXPECT_EQ(client.ask("D"), "OK");
  expect_progress();
}

TEST_F(ServerTest, APacketTooLongEndsTheConversation) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  client.send("$" + std::string(10 * gdb::kPacketBytes, 'a'));
  EXPECT_TRUE(client.ends());
  expect_progress();
}

TEST_F(ServerTest, WhoNeverReadsIsDropped) {
  start(true);
  RawClient client(server->port());
  std::string many;
  for (int i = 0; i < 2000; ++i) many += gdb::frame_packet("m80000000,1000");
  client.send(many);
  expect_progress();
}

TEST_F(ServerTest, DamagedPacketsAreAskedForAgain) {
  start(true);
  RawClient client(server->port());
  client.send("$?#00");
  EXPECT_EQ(client.byte(), '-');
  client.send("$qC#b4");
  EXPECT_EQ(client.byte(), '+');
  EXPECT_EQ(client.packet(), "QC1");
  client.send("-");
  EXPECT_EQ(client.packet(), "QC1");
}

TEST_F(ServerTest, NoAcknowledgementsWhereTheyAreNotWanted) {
  start(true);
  RawClient client(server->port());
  EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
  client.send("-");
  client.say("qC");
  EXPECT_EQ(client.byte(), '$') << "neither an acknowledgement nor the last packet again";
  client.vanish();
  RawClient next(server->port());
  next.say("qC");
  EXPECT_EQ(next.byte(), '+') << "a new client begins with acknowledgements";
}

TEST_F(ServerTest, KillEndsTheRun) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  client.say("k");
  EXPECT_TRUE(client.ends());
  simulation.join();
  EXPECT_TRUE(killed);
}

TEST_F(ServerTest, TheEndOfTheRunIsTold) {
  exit_status = 3;
  start(true);
  RawClient client(server->port());
  client.say("c");
  expect_progress();
  over = true;
  EXPECT_EQ(client.packet(), "W03");
  EXPECT_TRUE(client.ends());
}

TEST_F(ServerTest, AFaultStopsTheCoreWhereItHappens) {
  fault_at = kCode + 0x18;
  start(true);
  RawClient client(server->port());
  const std::string said = client.ask("c");
  EXPECT_EQ(said, "O" + gdb::to_hex("load access fault\n"));
  EXPECT_THAT(client.packet().value_or(""), StartsWith("T06"));
  EXPECT_EQ(pc_of(client), kCode + 0x18);
  EXPECT_EQ(client.ask("D"), "OK");
  expect_progress();
}

TEST_F(ServerTest, AFaultWithoutAClientTakesItsCourse) {
  fault_at = kCode + 0x18;
  start();
  expect_progress();
}

TEST_F(ServerTest, InterruptingTheProgramEndsAStop) {
  start(true);
  RawClient client(server->port());
  client.ask("?");
  interrupted = true;
  EXPECT_TRUE(client.ends());
  simulation.join();
}

TEST_F(ServerTest, InterruptingTheProgramEndsTheWaitForAClient) {
  start(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  end();
}

TEST_F(ServerTest, APortThatIsTakenIsAnInputError) {
  start();
  GdbServerOptions options;
  options.port = server->port();
  try {
    GdbServer second(target, std::move(options));
    FAIL() << "two servers on one port";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("--gdb " + std::to_string(server->port())));
    EXPECT_THAT(e.what(), HasSubstr("allowed: a free port, or 0"));
  }
}

}  // namespace
}  // namespace warpvp
