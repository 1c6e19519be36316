// The switch against what theory and hand counts say.

#include "interconnect/crossbar_switch.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "interconnect/address_map.h"

namespace warpvp {
namespace {

using Packet = CrossbarSwitch::Packet;

Packet packet(unsigned output, unsigned flits = 1, unsigned port = 0) {
  Packet p;
  p.output = output;
  p.flits = flits;
  p.port = port;
  return p;
}

// Packets that leave at each cycle, with every output drained at once.
std::vector<std::pair<Cycle, Packet>> run(CrossbarSwitch& sw, Cycle until, Cycle from = 1) {
  std::vector<std::pair<Cycle, Packet>> out;
  for (Cycle now = from; now <= until; ++now) {
    sw.evaluate(now);
    const auto deliverable = sw.deliverable();
    for (unsigned w = 0; w < deliverable.size(); ++w)
      for (std::uint64_t bits = deliverable[w]; bits; bits &= bits - 1) {
        const unsigned o = w * 64 + __builtin_ctzll(bits);
        out.push_back({now, sw.front(o)});
        sw.pop(o, now);
      }
  }
  return out;
}

// Saturated uniform traffic: every input always has packets for outputs drawn at random.
double saturation(unsigned ports, unsigned flits, Cycle cycles) {
  CrossbarSwitch sw({ports, ports, 3, 4, 4});
  std::mt19937_64 random(12345);
  Cycle measured_from = cycles / 10;
  std::uint64_t delivered = 0;
  for (Cycle now = 1; now <= cycles; ++now) {
    for (unsigned i = 0; i < ports; ++i)
      while (sw.can_push(i)) sw.push(i, packet(static_cast<unsigned>(random() % ports), flits), now + 1);
    sw.evaluate(now);
    const auto deliverable = sw.deliverable();
    for (unsigned w = 0; w < deliverable.size(); ++w)
      for (std::uint64_t bits = deliverable[w]; bits; bits &= bits - 1) {
        sw.pop(w * 64 + __builtin_ctzll(bits), now);
        if (now > measured_from) ++delivered;
      }
  }
  return double(delivered) * flits / (double(cycles - measured_from) * ports);
}

// Input 0 sends packets of 4 flits to output 0 as fast as it can, input 1 as well.
TEST(CrossbarSwitch, PortsMayMoveSeveralFlitsACycle) {
  struct Row {
    unsigned input_flits, output_flits;
    std::vector<Cycle> leave;  // of 2 packets from each input, seen at cycle 1; latency 3
  };
  const std::vector<Row> rows = {
      {1, 1, {7, 11, 15, 19}},  // granted at 1, 5, 9, 13
      {1, 2, {7, 9, 11, 13}},   // the inputs in turn, each of which takes 4 cycles
      {2, 2, {5, 7, 9, 11}},
      {4, 4, {4, 5, 6, 7}},
  };
  for (const Row& row : rows) {
    CrossbarSwitch::Config config{2, 2, 3, 4, 4};
    config.input_flits = row.input_flits;
    config.output_flits = row.output_flits;
    CrossbarSwitch sw(config);
    for (unsigned input : {0, 1})
      for (unsigned i = 0; i < 2; ++i) sw.push(input, packet(0, 4), 1);
    std::vector<Cycle> leave;
    for (const auto& [cycle, p] : run(sw, 40)) leave.push_back(cycle);
    EXPECT_EQ(leave, row.leave) << row.input_flits << " and " << row.output_flits << " flits";
  }
}

// Karol, Hluchyj and Morgan (IEEE Trans. Communications 35(12), 1987), table I: saturation throughput of
// input queueing is 0.75 for 2 ports, 0.6825 for 3, 0.6553 for 4, 0.6302 for 6, 0.6184 for 8, 2 - sqrt(2) =
// 0.5858 in the limit. For 16 and 64 their formula lies between; the excess over the limit falls as 1/N.
TEST(CrossbarSwitch, HeadOfLineLimitOfSmallSwitches) {
  EXPECT_NEAR(saturation(2, 1, 60000), 0.75, 0.006);
  EXPECT_NEAR(saturation(4, 1, 60000), 0.6553, 0.006);
  EXPECT_NEAR(saturation(8, 1, 60000), 0.6184, 0.006);
}
TEST(CrossbarSwitch, HeadOfLineLimitOf16PortsIs060) {
  const double throughput = saturation(16, 1, 60000);
  EXPECT_GT(throughput, 0.592);
  EXPECT_LT(throughput, 0.612);
}
TEST(CrossbarSwitch, HeadOfLineLimitOf64PortsApproaches0586) {
  const double throughput = saturation(64, 1, 20000);
  EXPECT_GT(throughput, 0.584);
  EXPECT_LT(throughput, 0.596);
}
TEST(CrossbarSwitch, TheLimitIsTheSameForLongPacketsOfOneLength) {
  EXPECT_NEAR(saturation(16, 5, 150000), saturation(16, 1, 60000), 0.012);
}

TEST(CrossbarSwitch, ConflictFreePermutationsRunAtFullRate) {
  for (unsigned ports : {5u, 16u, 80u}) {
    CrossbarSwitch sw({ports, ports, 2, 4, 4});
    const Cycle cycles = 1000;
    std::uint64_t delivered = 0;
    for (Cycle now = 1; now <= cycles; ++now) {
      for (unsigned i = 0; i < ports; ++i)
        while (sw.can_push(i)) sw.push(i, packet((i + 7) % ports), now + 1);
      sw.evaluate(now);
      const auto d = sw.deliverable();
      for (unsigned w = 0; w < d.size(); ++w)
        for (std::uint64_t bits = d[w]; bits; bits &= bits - 1) {
          sw.pop(w * 64 + __builtin_ctzll(bits), now);
          ++delivered;
        }
    }
    // First packets are visible at 2 and leave at 3 or later.
    EXPECT_GE(delivered, (cycles - 5) * ports);
  }
}

TEST(CrossbarSwitch, LatencyOfAnIdlePacket) {
  for (unsigned latency : {1u, 4u, 100u}) {
    for (unsigned flits : {1u, 5u}) {
      CrossbarSwitch sw({4, 4, latency, 4, 4});
      sw.push(1, packet(2, flits), 10);
      const auto out = run(sw, 300, 10);
      ASSERT_EQ(out.size(), 1u);
      EXPECT_EQ(out[0].first, 10 + latency + flits - 1);
      EXPECT_EQ(sw.packets_inside(), 0u);
      EXPECT_EQ(sw.next_event(300), kNever);
    }
  }
}

TEST(CrossbarSwitch, APacketHoldsInputAndOutputForItsFlits) {
  CrossbarSwitch sw({2, 2, 1, 4, 4});
  // Input 0 sends 5 flits to output 0, then 1 flit to output 1; input 1 sends 1 flit to output 0.
  sw.push(0, packet(0, 5, 100), 1);
  sw.push(0, packet(1, 1, 101), 1);
  sw.push(1, packet(0, 1, 102), 1);
  const auto out = run(sw, 20);
  ASSERT_EQ(out.size(), 3u);
  std::map<unsigned, Cycle> at;
  for (const auto& [cycle, p] : out) at[p.port] = cycle;
  EXPECT_EQ(at[100], 6u);  // granted at 1, five flits, latency 1
  EXPECT_EQ(at[101], 7u);  // its input is free at 6
  EXPECT_EQ(at[102], 7u);  // its output is free at 6
  EXPECT_EQ(sw.totals().flits, 7u);
  EXPECT_EQ(sw.totals().queueing_cycles, 10u);
}

TEST(CrossbarSwitch, TheHeadBlocksThoseBehindItEvenForFreeOutputs) {
  CrossbarSwitch sw({2, 2, 1, 4, 4});
  sw.push(0, packet(0, 3, 0), 1);
  sw.push(1, packet(0, 1, 1), 1);  // waits for output 0
  sw.push(1, packet(1, 1, 2), 1);  // output 1 is idle, yet it waits
  std::map<unsigned, Cycle> at;
  for (const auto& [cycle, p] : run(sw, 20)) at[p.port] = cycle;
  EXPECT_EQ(at[0], 4u);
  EXPECT_EQ(at[1], 5u);
  EXPECT_EQ(at[2], 6u);
}

TEST(CrossbarSwitch, OutputsServeInputsInTurn) {
  CrossbarSwitch sw({70, 1, 1, 4, 4});  // more inputs than one word of a mask
  for (unsigned i = 0; i < 70; ++i)
    for (unsigned k = 0; k < 3; ++k) sw.push(i, packet(0, 1, i), 1);
  const auto out = run(sw, 400);
  ASSERT_EQ(out.size(), 210u);
  for (unsigned k = 0; k < 210; ++k) EXPECT_EQ(out[k].second.port, k % 70);
}

TEST(CrossbarSwitch, AnOutputWhosePacketsAreNotTakenStopsGranting) {
  CrossbarSwitch sw({1, 2, 3, 64, 2});
  for (unsigned k = 0; k < 20; ++k) sw.push(0, packet(0, 1, k), 1);
  for (Cycle now = 1; now < 50; ++now) sw.evaluate(now);
  EXPECT_EQ(sw.totals().packets, 5u) << "output_packets + latency";
  EXPECT_EQ(sw.next_event(50), kNever) << "it sleeps until room is made";
  sw.pop(0, 50);
  EXPECT_EQ(sw.next_event(50), 51u);
  sw.evaluate(51);
  EXPECT_EQ(sw.totals().packets, 6u);
  // All leave, in order.
  const auto out = run(sw, 200, 52);
  ASSERT_EQ(out.size(), 19u);
  for (unsigned k = 0; k < 19; ++k) EXPECT_EQ(out[k].second.port, k + 1);
}

// A port that becomes free is an event only if a packet waits for it.
// An output that takes nothing for longer than the timing wheel spans, while all wait behind it.
TEST(CrossbarSwitch, GoesOnAfterAnOutputWasBlockedForLong) {
  CrossbarSwitch sw({2, 2, 1, 8, 1});
  for (unsigned i = 0; i < 4; ++i) sw.push(0, packet(0), 1);
  for (Cycle now = 1; sw.next_event(now - 1) != kNever && now < 100; ++now) sw.evaluate(now);
  ASSERT_EQ(sw.next_event(100), kNever) << "all stand still";
  constexpr Cycle kLate = 5000;
  sw.pop(0, kLate);  // room was made, but nothing is granted yet
  EXPECT_EQ(sw.next_event(kLate), kLate + 1);
  sw.push(1, packet(1), kLate + 1);
  const auto left = run(sw, kLate + 10, kLate + 1);
  std::map<unsigned, unsigned> of;
  for (const auto& [cycle, p] : left) ++of[p.output];
  EXPECT_EQ(of[0], 3u);
  EXPECT_EQ(of[1], 1u);
  EXPECT_EQ(sw.packets_inside(), 0u);
}

TEST(CrossbarSwitch, APacketOnItsOwnIsTwoEvents) {
  CrossbarSwitch sw({2, 2, 4, 8, 4});
  sw.push(0, packet(1, 5), 10);
  EXPECT_EQ(sw.next_event(9), 10u) << "its grant";
  sw.evaluate(10);
  EXPECT_EQ(sw.next_event(10), 10u + 4 + 5 - 1) << "it can be taken";
  sw.push(1, packet(1, 1), 12);
  sw.evaluate(12);
  EXPECT_EQ(sw.next_event(12), 15u) << "the output is free for the one that waits";
  sw.evaluate(15);
  sw.evaluate(18);
  sw.pop(1, 18);
  sw.evaluate(19);
  sw.pop(1, 19);
  EXPECT_EQ(sw.next_event(19), kNever);
}

// Every port always has a packet for a port of its own, so that only the groups' links limit what they move.
class CrossbarGroups : public ::testing::TestWithParam<bool> {
 protected:
  /// Packets that each of six ports moves in 1200 cycles; ports 0 to 3 are of group 0, port 4 of group 1 and
  /// port 5 of none.
  std::vector<unsigned> moved(unsigned flits, unsigned group_flits) const {
    CrossbarSwitch::Config config{6, 6, 3, 4, 4};
    (GetParam() ? config.input_groups : config.output_groups) = {0, 0, 0, 0, 1, CrossbarSwitch::kNoGroup};
    config.group_flits = group_flits;
    CrossbarSwitch sw(config);
    std::vector<unsigned> count(6, 0);
    for (Cycle now = 1; now <= 1210; ++now) {
      for (unsigned i = 0; i < 6; ++i)
        while (sw.can_push(i)) sw.push(i, packet(i, flits), now + 1);
      sw.evaluate(now);
      for (std::uint64_t bits = sw.deliverable()[0]; bits; bits &= bits - 1) {
        const unsigned o = __builtin_ctzll(bits);
        sw.pop(o, now);
        if (now > 10) ++count[o];
      }
    }
    return count;
  }
};

TEST_P(CrossbarGroups, ShareTheirLinkEvenly) {
  struct Row {
    unsigned flits, group_flits, in_group_0, alone;  // packets a port
  };
  const std::vector<Row> rows = {
      {1, 1, 300, 1200},  // four ports share one flit a cycle
      {1, 3, 900, 1200},  // three
      {1, 4, 1200, 1200}, {4, 1, 75, 300},  {4, 2, 150, 300},
      {4, 3, 225, 300},   {4, 4, 300, 300}, {3, 2, 200, 400},  // a packet may straddle cycles
  };
  for (const Row& row : rows) {
    const std::vector<unsigned> count = moved(row.flits, row.group_flits);
    for (unsigned port = 0; port < 4; ++port)
      EXPECT_NEAR(count[port], row.in_group_0, row.in_group_0 * 0.02 + 2)
          << row.flits << " flits, links of " << row.group_flits << ", port " << port;
    for (unsigned port = 4; port < 6; ++port) EXPECT_NEAR(count[port], row.alone, 2) << row.flits << " flits";
  }
}
INSTANTIATE_TEST_SUITE_P(Side, CrossbarGroups, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Inputs" : "Outputs"; });

class NextEvent : public ::testing::TestWithParam<unsigned> {};

TEST_P(NextEvent, NeverSkipsWork) {
  // Ticking only at next_event gives the same deliveries as ticking at every cycle.
  std::mt19937_64 random(7);
  std::vector<std::tuple<Cycle, unsigned, Packet>> load;
  Cycle when = 1;
  for (unsigned k = 0; k < 500; ++k) {
    when += random() % 40 == 0 ? 3000 : random() % 3;
    load.push_back({when, static_cast<unsigned>(random() % 6),
                    packet(static_cast<unsigned>(random() % 5), 1 + static_cast<unsigned>(random() % 5), k)});
  }
  const auto deliver = [&](bool every_cycle) {
    CrossbarSwitch::Config config{6, 5, 7, 1000, 4};
    if (GetParam() == 1) config.input_groups = {0, 0, 0, 1, 1, CrossbarSwitch::kNoGroup};
    if (GetParam() == 2) config.output_groups = {0, 0, 0, 1, 1};
    CrossbarSwitch sw(config);
    std::vector<std::pair<Cycle, unsigned>> out;
    std::size_t next = 0;
    for (Cycle now = 1; now < when + 5000;) {
      sw.evaluate(now);
      const auto d = sw.deliverable();
      for (std::uint64_t bits = d[0]; bits; bits &= bits - 1) {
        const unsigned o = __builtin_ctzll(bits);
        out.push_back({now, sw.front(o).port});
        sw.pop(o, now);
      }
      while (next < load.size() && std::get<0>(load[next]) <= now) {
        sw.push(std::get<1>(load[next]), std::get<2>(load[next]), now + 1);
        ++next;
      }
      Cycle step = now + 1;
      if (!every_cycle) {
        step = sw.next_event(now);
        if (next < load.size()) step = std::min(step, std::max(std::get<0>(load[next]), now + 1));
        for (auto w : sw.deliverable())
          if (w) step = now + 1;
        if (step == kNever) break;
      }
      now = step;
    }
    return out;
  };
  const auto all = deliver(true);
  EXPECT_EQ(all.size(), 500u);
  EXPECT_EQ(all, deliver(false));
}
INSTANTIATE_TEST_SUITE_P(Groups, NextEvent, ::testing::Values(0u, 1u, 2u));

// ---- AddressMap

AddressMapConfig map_config(unsigned banks, unsigned channels, const char* hash, unsigned interleave = 256) {
  AddressMapConfig c;
  c.banks = banks;
  c.channels = channels;
  c.hash = hash;
  c.interleave_bytes = interleave;
  return c;
}

TEST(AddressMap, IsABijectionWithDenseLocalSpaces) {
  for (const AddressMapConfig& config :
       {map_config(48, 24, "xor"), map_config(48, 24, "none"), map_config(16, 16, "xor"),
        map_config(16, 16, "none"), map_config(1, 1, "xor"), map_config(22, 11, "xor", 512)}) {
    const AddressMap map(config);
    const std::uint64_t rows = 300, first_row = 1000;
    std::vector<std::vector<int>> seen(config.banks, std::vector<int>(rows, 0));
    std::vector<std::vector<int>> channel_seen(config.channels,
                                               std::vector<int>(rows * map.banks_per_channel(), 0));
    for (std::uint64_t chunk = first_row * config.banks; chunk < (first_row + rows) * config.banks; ++chunk) {
      const std::uint64_t address = chunk * config.interleave_bytes + 37;
      const unsigned bank = map.bank_of(address);
      ASSERT_LT(bank, config.banks);
      const std::uint64_t local = map.bank_local(address);
      EXPECT_EQ(local % config.interleave_bytes, 37u);
      ++seen[bank].at(local / config.interleave_bytes - first_row);
      EXPECT_EQ(map.device_address(bank, local), address);
      const unsigned channel = map.channel_of(address);
      EXPECT_EQ(channel, map.channel_of_bank(bank));
      ++channel_seen[channel].at(map.channel_local(address) / config.interleave_bytes -
                                 first_row * map.banks_per_channel());
    }
    for (const auto& bank : seen)
      for (int count : bank) ASSERT_EQ(count, 1);
    for (const auto& channel : channel_seen)
      for (int count : channel) ASSERT_EQ(count, 1);
  }
}

TEST(AddressMap, PlainOrderDealsChunksInTurnAndKeepsChunksWhole) {
  const AddressMap map(map_config(48, 24, "none"));
  for (unsigned chunk = 0; chunk < 200; ++chunk) {
    EXPECT_EQ(map.bank_of(chunk * 256), chunk % 48);
    EXPECT_EQ(map.bank_of(chunk * 256 + 255), chunk % 48);
    EXPECT_EQ(map.channel_of(chunk * 256), chunk % 48 / 2);
  }
}

// A stride of all banks hits one bank without the hash and spreads with it.
TEST(AddressMap, HashSpreadsStridesOfTheBankCount) {
  for (unsigned banks : {16u, 48u}) {
    const AddressMap plain(map_config(banks, banks, "none")), hashed(map_config(banks, banks, "xor"));
    std::map<unsigned, int> a, b;
    for (unsigned k = 0; k < 1024; ++k) {
      ++a[plain.bank_of(std::uint64_t{k} * banks * 256)];
      ++b[hashed.bank_of(std::uint64_t{k} * banks * 256)];
    }
    EXPECT_EQ(a.size(), 1u);
    EXPECT_EQ(b.size(), banks);
    for (const auto& [bank, count] : b) EXPECT_LT(count, 3 * 1024 / int(banks)) << "bank " << bank;
  }
}

}  // namespace
}  // namespace warpvp
