// Policy ccbp on scripted registers: SMs whose kernels use bandwidth by formulas. It must find out what they
// are, give them what Algorithm 1 says in the order of section 5.4, and keep to it when they come and go.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bandwidth/mix.h"
#include "bandwidth/phases.h"
#include "modules/bandwidth/ccbp_allocation.h"
#include "tests/firmware/scripted_machine.h"

namespace warpvp::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What a kernel would do in an interval on one SM with so many CTAs.
struct Behaviour {
  double requests_per_cta = 0, rf = 1, df = 0;
  std::uint32_t threads = 32;
};
// Of 20 units each: a CTA of them takes so many of the network, and of DRAM.
const std::map<std::uint32_t, Behaviour> kBehaviours = {
    {1, {0.45, 1, 0.5}},       // 0.45, 0.45: latency-sensitive
    {2, {1.9, 1, 1.1}},        // 1.9, 4.18: DRAM
    {3, {2.9, 1, 0.15}},       // 2.9, 0.87: network
    {4, {0.45, 1, 0.5, 288}},  // one of these fills an SM
    {5, {2.9, 1, 0.15, 288}},
};
constexpr std::uint32_t kSensitive = 1, kDram = 2, kNetwork = 3;

/// The machine's SMs, at 1 GHz, so that a cycle is a ns. Each has room for 16 CTAs of a warp.
class Device {
 public:
  static constexpr unsigned kSms = 2, kSlots = 4, kMost = 16;
  static constexpr double kInterval = 200;

  Device() : m(8, kSlots) {
    m.more_registers = [this](std::uint32_t a, std::uint32_t& v) { return read(a, v); };
    m.more_writes = [this](std::uint32_t a, std::uint32_t v) { return write(a, v); };
    m.parameters[1] = 2 | 4;  // priorLSK stays, CTAs above limits wait
  }

  ScriptedMachine m;
  std::vector<std::string> diary;
  std::map<unsigned, std::uint32_t> reports;
  std::map<unsigned, std::uint32_t> limits, quotas;  ///< by slot, as they are
  std::uint64_t surplus_until = 0;                   ///< all have 16 CTAs on each SM until then
  std::uint32_t credit_cycles = 200;
  std::uint64_t watcher = 0;
  std::uint64_t monitor_reads = 0;

  /// `launches` of a kernel, one after the other, of so many ns each.
  void push(unsigned queue, std::uint32_t kernel, std::uint64_t run_ns, unsigned launches = 1) {
    ScriptedPacket packet;
    packet.kernel = kernel;
    packet.run_ns = run_ns;
    m.push(queue, std::vector<ScriptedPacket>(launches, packet));
  }
  void run(std::uint64_t until) {
    if (begun_) {
      m.resume(until);
    } else {
      m.run(policy("ccbp"), until);
    }
    begun_ = true;
  }
  std::uint32_t report(unsigned word) { return reports[word]; }
  std::uint32_t of_kernel(unsigned number, unsigned what) {
    return reports[BW_REPORT_KERNEL + 3 * number + what];
  }

 private:
  struct Counters {
    double requests = 0, demand = 0, instructions = 0;
    bool held = false;
  };

  /// Time goes on for all that run.
  void advance() {
    const auto cycles = static_cast<double>(m.now - since_);
    since_ = m.now;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      Counters& c = counters_[slot];
      if (!m.runs(slot) || c.held) continue;
      const Behaviour& b = kBehaviours.at(m.in_slot(slot).kernel);
      const double ctas = std::min<std::uint32_t>(limit(slot), kMost), wanted = b.requests_per_cta * ctas;
      const std::uint32_t quota = quotas.count(slot) ? quotas[slot] & BW_NO_QUOTA : BW_NO_QUOTA;
      const double sent = quota == BW_NO_QUOTA ? wanted : std::min<double>(wanted, quota);
      c.requests += sent * cycles / kInterval;
      c.demand += wanted * cycles / kInterval;
      c.instructions += ctas * sent / wanted * cycles;
    }
  }
  std::uint32_t limit(unsigned slot) { return limits.count(slot) ? limits[slot] : BW_NO_LIMIT; }

  static bool in(std::uint32_t a, std::uint32_t base, std::uint32_t bytes) {
    return a >= base && a - base < bytes;
  }

  bool read(std::uint32_t a, std::uint32_t& v) {
    advance();
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      if (in(a, WD_KSR_KERNEL_OBJECT(slot), 28)) {
        v = a == WD_KSR_KERNEL_OBJECT(slot) ? m.in_slot(slot).kernel << 6 : 0;
        return true;
      }
      if (in(a, WD_KSR_CTA_THREADS(slot), 24)) {
        const std::uint32_t threads = kBehaviours.at(m.in_slot(slot).kernel).threads;
        const std::uint32_t needs[] = {threads, threads / 32, 512 * threads / 32, 0, 0, 512 / threads};
        v = needs[(a - WD_KSR_CTA_THREADS(slot)) / 4];
        return true;
      }
      if (in(a, WD_KSR_ISSUED(slot), 16)) {
        v = a == WD_KSR_ISSUED(slot) ? 7 + (m.now < surplus_until ? kSms * kMost : 0)
            : a == WD_KSR_DONE(slot) ? 7
                                     : 0;
        return true;
      }
    }
    if (in(a, SM_BASE, kSms * SM_STRIDE)) return of_sm(a, v);
    if (in(a, WD_SMSR_FREE_CTAS(0), 24)) {
      const std::uint32_t room[] = {16, 512, 16, 65536, 98304, 512};
      v = room[(a - WD_SMSR_FREE_CTAS(0)) / 4];
      return true;
    }
    // 20 requests of an SM in an interval fill the network, 10 DRAM accesses fill DRAM.
    const std::uint64_t network = 20ull * kSms * 160 * 1'000'000'000 / 200,
                        dram = 10ull * kSms * 128 * 1'000'000'000 / 200;
    const std::map<std::uint32_t, std::uint64_t> facts = {{SYSCTL_SM_CLOCK_KHZ, 1'000'000},
                                                          {SYSCTL_CREDIT_CYCLES, credit_cycles},
                                                          {SYSCTL_LINE_BYTES, 128},
                                                          {SYSCTL_REPLY_HEADER_BYTES, 32},
                                                          {SYSCTL_NETWORK_RATE, network},
                                                          {SYSCTL_NETWORK_RATE + 4, network >> 32},
                                                          {SYSCTL_DRAM_RATE, dram},
                                                          {SYSCTL_DRAM_RATE + 4, dram >> 32},
                                                          {WD_SM_COUNT, kSms},
                                                          {WD_WATCHER, watcher},
                                                          {WD_WATCHER + 4, watcher >> 32}};
    const auto found = facts.find(a);
    if (found == facts.end()) return false;
    v = static_cast<std::uint32_t>(found->second);
    return true;
  }

  bool of_sm(std::uint32_t a, std::uint32_t& v) {
    const std::uint32_t offset = (a - SM_BASE) % SM_STRIDE;
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      const Counters& c = counters_[slot];
      if (in(offset, SM_INSTRUCTIONS(0, slot) - SM_BASE, 8)) {
        v = static_cast<std::uint32_t>(c.instructions);
        return true;
      }
      const std::uint32_t row = SM_CCBP_MISS_QUEUE_REQUESTS(0, slot) - SM_BASE;
      if (!in(offset, row, 20)) continue;
      monitor_reads += offset == row;
      const Behaviour& b = kBehaviours.at(m.in_slot(slot).kernel);
      // 32 bits that wrap while rf and df are measured.
      const std::uint32_t base = 0u - 1000u;
      const double counts[] = {c.requests, c.requests * b.rf, c.requests, c.requests * b.df, c.demand};
      v = base + static_cast<std::uint32_t>(counts[(offset - row) / 4]);
      return true;
    }
    return false;
  }

  bool write(std::uint32_t a, std::uint32_t value) {
    advance();
    if (in(a, SYSCTL_REPORT(0), 128)) {
      reports[(a - SYSCTL_REPORT(0)) / 4] = value;
      return true;
    }
    for (unsigned slot = 0; slot < kSlots; ++slot) {
      const std::string of = " " + std::to_string(slot) + " ";
      if (a == WD_KSR_START(slot)) {
        limits.erase(slot);
        m.at(m.now + m.in_slot(slot).run_ns - 1, [this] { advance(); });  // until its end it counts
        diary.push_back("start " + std::to_string(slot));
      } else if (a == WD_KSR_HOLD(slot)) {
        counters_[slot].held = value != 0;
        diary.push_back((value ? "hold " : "go ") + std::to_string(slot));
      } else if (a == WD_KSR_CTA_LIMIT(slot)) {
        EXPECT_TRUE(m.runs(slot)) << "the distributor forgets limits of what does not run";
        limits[slot] = value;
        diary.push_back("limit" + of + std::to_string(static_cast<std::int32_t>(value)) +
                        (drains_[slot] ? " drains" : ""));
      } else if (a == WD_KSR_LIMIT_DRAINS(slot)) {
        drains_[slot] = value;
      }
      for (unsigned sm = 0; sm < kSms; ++sm) {
        if (a != SM_CCBP_MISS_QUEUE_QUOTA(sm, slot)) continue;
        if (sm == 0) {
          quotas[slot] = value;
          diary.push_back("quota" + of + std::to_string(value & BW_NO_QUOTA) +
                          (value & BW_LATENCY_BIT ? " LS" : ""));
        } else {
          EXPECT_EQ(quotas[slot], value) << "every SM has the same";
        }
        return true;
      }
    }
    return false;
  }

  std::map<unsigned, Counters> counters_;
  std::map<unsigned, std::uint32_t> drains_;
  std::uint64_t since_ = 0;
  bool begun_ = false;
};

CcbpKernel exactly(BandwidthType type, double network, double dram, unsigned measured) {
  CcbpKernel k;
  k.type = type;
  k.needs.threads = 32;
  k.needs.warps = 1;
  k.needs.registers = 512;
  k.needs.most_ctas = 16;
  const double cap = type == BandwidthType::kLatencySensitive ? 1e9 : 20;
  for (unsigned n = 0; n <= 16; ++n) {
    k.network.push_back(n <= measured ? network * n
                                      : std::max(network * measured, std::min(cap, network * n)));
    k.dram.push_back(n <= measured ? dram * n : std::max(dram * measured, std::min(cap, dram * n)));
  }
  return k;
}

TEST(FirmwareCcbp, FindsOutTypesAndGivesWhatAlgorithm1Says) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kDram, 9'000'000);
  d.push(2, kNetwork, 9'000'000);
  // 50K, 20K and 20K, then five numbers of CTAs of two kernels, 20K each, and the accesses between them.
  d.run(310'000);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
  EXPECT_EQ(d.of_kernel(0, 0), BW_LATENCY_SENSITIVE);
  EXPECT_EQ(d.of_kernel(1, 0), BW_DRAM_INTENSIVE);
  EXPECT_EQ(d.of_kernel(2, 0), BW_NETWORK_INTENSIVE);
  SmResources sm;
  sm.ctas = sm.warps = 16;
  sm.threads = 512;
  const auto wanted = ccbp_allocate({exactly(BandwidthType::kLatencySensitive, 0.45, 0.45, 16),
                                     exactly(BandwidthType::kDramIntensive, 1.9, 4.18, 5),
                                     exactly(BandwidthType::kNetworkIntensive, 2.9, 0.87, 5)},
                                    sm, CcbpOptions());
  for (unsigned k = 0; k < 3; ++k) {
    EXPECT_EQ(d.limits[k], wanted[k].ctas) << k;
    EXPECT_EQ(d.of_kernel(k, 1), wanted[k].ctas) << k;
  }
  // Units of the network are requests; a DRAM access is two of its units, 1.1 a request.
  EXPECT_EQ(d.quotas[0], static_cast<std::uint32_t>(std::ceil(wanted[0].network)) | BW_LATENCY_BIT);
  EXPECT_EQ(d.quotas[1], static_cast<std::uint32_t>(wanted[1].dram / 2 / 1.1));
  EXPECT_EQ(d.quotas[2], static_cast<std::uint32_t>(wanted[2].network));
}

// The detection as section 5.4 has it, in the order of what is set. What a register has is not written again.
TEST(FirmwareCcbp, DetectsUnderEvenSharesAndThrottlesBandwidthIntensiveKernelsAlone) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 9'000'000);
  d.run(400'000);
  EXPECT_THAT(
      d.diary,
      ElementsAre("start 0",                                        // alone: no terms
                  "hold 1", "start 1", "limit 1 8 drains", "go 1",  // an even share from its first CTA on
                  "limit 0 8 drains",                               // and for the other one
                  "quota 0 10", "quota 1 10",                       // even bandwidth: IREven
                  "limit 1 1", "quota 1 65535", "limit 1 2", "limit 1 3", "limit 1 4", "limit 1 5",
                  "limit 1 6", "limit 1 7", "limit 1 8", "quota 1 10",
                  // 11 and 5 of 16 CTAs; 4.95 and 14 of 20 requests.
                  "limit 0 11", "quota 0 5 LS", "limit 1 5", "quota 1 14"));
}

// What a measurement costs: an access to each SM and kernel at both ends.
TEST(FirmwareCcbp, AMeasurementReadsEachMonitorTwice) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 9'000'000);
  d.run(95'000);  // rf and df, types
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_USE);
  EXPECT_EQ(d.monitor_reads, 2u * 2 * 2 * Device::kSms);
  d.run(400'000);  // eight numbers of CTAs of one kernel
  EXPECT_EQ(d.monitor_reads, (8u + 8 * 2) * Device::kSms);
  const std::uint64_t settled = d.m.accesses;
  d.run(1'000'000);
  EXPECT_LE(d.m.accesses, settled + 1) << "settled, it sleeps";
}

void expect_warm_up_after(std::uint64_t surplus_until, std::uint64_t waited) {
  Device d;
  d.surplus_until = surplus_until;
  d.push(0, kSensitive, 9'900'000);
  d.push(1, kNetwork, 9'900'000);
  d.run(waited + 45'000);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_WARM_UP);
  d.run(waited + 60'000);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_FACTORS) << "after 50,000 cycles more";
}
TEST(FirmwareCcbp, DetectionWaitsForCtasAboveTheEvenShare) { expect_warm_up_after(400'000, 400'000); }
TEST(FirmwareCcbp, DetectionDoesNotWaitForEver) { expect_warm_up_after(9'000'000, 2'000'000); }

// The lengths of phases are the platform's to scale.
TEST(FirmwareCcbp, PhasesMayBeShorter) {
  Device d;
  d.m.parameters[2] = 50;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 9'000'000);
  d.run(45'000 + 8 * 10'000 + 10'000);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
  EXPECT_EQ(d.of_kernel(0, 1), 11u);
  EXPECT_EQ(d.of_kernel(1, 1), 5u);
}

TEST(FirmwareCcbp, TwoLaunchesAtATimeAreTwoKernels) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 9'000'000);
  d.m.at(440'000, [&] { d.push(5, kNetwork, 9'000'000); });
  d.run(441'000);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_WARM_UP);
  EXPECT_EQ(d.report(BW_REPORT_KERNELS), 3u);
  EXPECT_EQ(d.limits[2], 5u) << "a third of 16";
}

TEST(FirmwareCcbp, ARelaunchIsTheSameKernel) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 130'000, 20);
  d.run(600'000);
  ASSERT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
  EXPECT_EQ(d.report(BW_REPORT_DETECTIONS), 1u);
  EXPECT_EQ(d.of_kernel(1, 0), BW_NETWORK_INTENSIVE) << "windows that several launches share";
  EXPECT_EQ(d.of_kernel(1, 1), 5u);
  d.diary.clear();
  d.run(740'000);
  EXPECT_THAT(d.diary, ElementsAre("hold 1", "start 1", "limit 1 5", "go 1")) << "its quota is there already";
  EXPECT_EQ(d.report(BW_REPORT_DETECTIONS), 1u);
}

// Launches of 7,000 cycles, several in each window. Between them is a tenth of the time in which nothing is
// sent, so use looks smaller by that.
TEST(FirmwareCcbp, WindowsAddUpTheLaunchesThatTheyMeet) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 7'000, 60);
  d.run(400'000);
  ASSERT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
  EXPECT_EQ(d.of_kernel(1, 0), BW_NETWORK_INTENSIVE);
  EXPECT_GE(d.of_kernel(1, 1), 5u);
  EXPECT_LE(d.of_kernel(1, 1), 6u);
}

// A kernel that comes back into another slot finds that slot's quota, and gets its own.
TEST(FirmwareCcbp, TermsFollowAKernelIntoAnotherSlot) {
  Device d;
  d.push(0, kSensitive, 9'000'000);
  d.push(1, kNetwork, 450'000);
  d.run(460'000);
  ASSERT_EQ(d.report(BW_REPORT_DETECTIONS), 1u);
  d.push(1, kNetwork, 9'000'000);
  d.diary.clear();
  d.run(470'000);
  EXPECT_THAT(d.diary, ElementsAre("hold 1", "start 1", "limit 1 5", "go 1"));
  EXPECT_EQ(d.quotas[1], 14u);
}

TEST(FirmwareCcbp, WhoStaysAwayLeavesTheMix) {
  Device d;
  d.m.parameters[3] = 10'000;
  d.push(0, kSensitive, 9'900'000);
  d.push(1, kNetwork, 450'000);
  d.run(460'000);
  EXPECT_EQ(d.limits[0], 11u) << "it may come back";
  d.run(465'000);
  EXPECT_EQ(d.limits[0], BW_NO_LIMIT) << "alone: no limits";
  EXPECT_EQ(d.quotas[0], BW_NO_QUOTA);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_ALONE);
  d.push(1, kNetwork, 9'000'000);
  d.run(480'000);
  EXPECT_EQ(d.report(BW_REPORT_DETECTIONS), 1u) << "what was found out about both still holds";
  EXPECT_LT(d.report(BW_REPORT_SETTLED_CYCLE), 400'000u) << "after the detection, not now";
  EXPECT_EQ(d.limits[0], 11u);
  EXPECT_EQ(d.limits[1], 5u);
}

TEST(FirmwareCcbp, AThirdKernelBeginsTheDetectionAnew) {
  Device d;
  d.push(0, kSensitive, 9'900'000);
  d.push(1, kNetwork, 9'900'000);
  d.m.at(60'000, [&] { d.push(2, kDram, 9'900'000); });  // in the middle of a measurement
  d.run(500'000);
  EXPECT_EQ(d.report(BW_REPORT_DETECTIONS), 2u);
  EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
  EXPECT_EQ(d.of_kernel(2, 0), BW_DRAM_INTENSIVE);
  EXPECT_EQ(d.report(BW_REPORT_KERNELS), 3u);
}

// Section 5.5: the priority is lowered while the goal rises, and the best one stays.
TEST(FirmwareCcbp, ThePriorityIsAdjustedUntilTheGoalIsGreatest) {
  for (const bool weighted : {false, true}) {
    Device d;
    d.m.parameters[1] = 4 | (weighted ? 1 : 0);
    d.m.parameters[4] = d.m.parameters[5] = 32'000;  // 16 CTAs of two SMs
    d.push(0, kSensitive, 9'900'000);
    d.push(1, kNetwork, 9'900'000);
    d.run(2'000'000);
    EXPECT_EQ(d.report(BW_REPORT_PHASE), BW_SETTLED);
    EXPECT_GE(d.report(BW_REPORT_WINDOWS), 2u) << "one that is better or worse than the first";
    SmResources sm;
    sm.ctas = sm.warps = 16;
    sm.threads = 512;
    const auto shares_at = [&](unsigned tenths) {
      CcbpOptions options;
      options.prior_lsk = tenths / 10.0;
      return ccbp_allocate({exactly(BandwidthType::kLatencySensitive, 0.45, 0.45, 16),
                            exactly(BandwidthType::kNetworkIntensive, 2.9, 0.87, 8)},
                           sm, options);
    };
    const auto goal_of = [&](unsigned tenths) {
      const auto shares = shares_at(tenths);
      const double first = shares[0].ctas / 16.0, wanted = 2.9 * shares[1].ctas;
      const double second = shares[1].ctas / 16.0 * std::min(1.0, std::floor(shares[1].network) / wanted);
      return weighted ? first + second : 2 / (1 / first + 1 / second);
    };
    const auto settled = shares_at(d.report(BW_REPORT_PRIOR_TENTHS));
    EXPECT_EQ(d.limits[0], settled[0].ctas) << weighted;
    EXPECT_EQ(d.limits[1], settled[1].ctas) << weighted;
    const double goal = d.report(BW_REPORT_GOAL) / 1000.0;
    EXPECT_NEAR(goal, goal_of(d.report(BW_REPORT_PRIOR_TENTHS)), 0.02) << weighted;
    EXPECT_GE(goal + 0.02, goal_of(10)) << weighted;
  }
}

TEST(FirmwareCcbp, KernelsThatDoNotFitTogetherEndTheRun) {
  Device d;
  d.push(0, 4, 9'000'000);
  d.push(1, 5, 9'000'000);
  d.run(1'000'000);
  EXPECT_EQ(d.m.halted, FW_HALT_POLICY);
  EXPECT_THAT(d.m.console,
              HasSubstr("an SM has no room for one CTA of each of the 2 kernels that run at once"));
}

TEST(FirmwareCcbp, SaysWhatItCannotWorkWith) {
  {
    Device d;
    d.credit_cycles = 0;
    d.run(10'000);
    EXPECT_THAT(d.m.console, HasSubstr("set sm.memory.l1.miss_queue: ccbp"));
  }
  {
    Device d;
    d.watcher = 0x500000;
    d.push(0, kSensitive, 1000);
    d.run(10'000);
    EXPECT_THAT(d.m.console, HasSubstr("set bandwidth_controller: none"));
  }
  {
    Device d;
    d.m.parameters[0] = 1001;
    d.run(10'000);
    EXPECT_THAT(d.m.console, HasSubstr("at most 1000 units"));
  }
}

}  // namespace
}  // namespace warpvp::test
