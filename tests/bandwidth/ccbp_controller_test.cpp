// CcbpController between the register bus and a scripted device, whose kernels use bandwidth by formulas: it
// must find out what they are, give them what Algorithm 1 says, and keep to it when they come and go.

#include "modules/bandwidth/ccbp_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <cmath>
#include <cstring>
#include <map>
#include <memory>

#include "base/registry.h"
#include "tests/apps/parameters.h"
#include "tests/bandwidth/controller_wiring.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

namespace wd = regmap::wd;
namespace rate = regmap::sm::miss_queue;
using ::testing::ElementsAre;

/// A kernel of the device: what it would do in an interval on one SM with so many CTAs.
struct ScriptedKernel {
  wd::KernelSlotImage image;
  double requests_per_cta = 0, rf = 1, df = 0;
  double ipc_per_cta = 1;  ///< warp instructions in a cycle on an SM, in proportion to what it is granted
};

/// Work distributor and SMs as far as the controller sees them.
class ScriptedDevice : public sc_core::sc_module {
 public:
  static constexpr unsigned kSms = 2;
  static constexpr double kInterval = 200;

  ScriptedDevice(sc_core::sc_module_name name, ClockDomain& clock)
      : sc_module(name), distributor("distributor"), sms("sms"), bus("bus"), clock_(clock) {
    distributor.register_b_transport(this, &ScriptedDevice::b_transport);
    sms.register_b_transport(this, &ScriptedDevice::b_transport);
  }
  tlm_utils::simple_target_socket<ScriptedDevice> distributor, sms;
  tlm_utils::simple_initiator_socket<ScriptedDevice> bus;

  struct Running {
    const ScriptedKernel* kernel = nullptr;
    std::uint32_t limit = ~0u, quota = rate::kNoQuota, drains = 0;
    bool held = true;
    double requests = 0, demand = 0, instructions = 0;
  };
  std::map<unsigned, Running> slots;
  std::vector<std::string> diary;  ///< what was written, in words
  Cycle surplus_until = 0;         ///< all have 16 CTAs on each SM until then

  void start(unsigned slot, const ScriptedKernel& kernel, std::uint32_t launch) {
    advance();
    Running& r = slots[slot];
    // Counters go on: they are the slot's.
    r.kernel = &kernel;
    r.limit = ~0u;
    r.held = true;
    notify(bus, watcher_, {slot, launch, 0, 0});
  }
  void end(unsigned slot, std::uint32_t launch) {
    advance();
    slots[slot].kernel = nullptr;
    notify(bus, watcher_, {slot, launch, 1, 0});
  }
  /// Time goes on for all that run.
  void advance() {
    const Cycle now = clock_.now();
    const auto cycles = static_cast<double>(now - since_);
    since_ = now;
    for (auto& [slot, r] : slots) {
      if (r.kernel == nullptr || r.held) continue;
      const double ctas = std::min<std::uint32_t>(r.limit, 16);
      const double wanted = r.kernel->requests_per_cta * ctas;
      const std::uint32_t quota = r.quota & rate::kNoQuota;
      const double sent = quota == rate::kNoQuota ? wanted : std::min<double>(wanted, quota);
      r.requests += sent * cycles / kInterval;
      r.demand += wanted * cycles / kInterval;
      r.instructions += r.kernel->ipc_per_cta * ctas * (wanted > 0 ? sent / wanted : 1) * cycles;
    }
  }

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    advance();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    const std::uint64_t a = p.get_address();
    const bool write = p.is_write();
    std::uint64_t value = 0;
    if (write) std::memcpy(&value, p.get_data_ptr(), std::min(8u, p.get_data_length()));
    if (a == wd::kBase + wd::kWatcher) {
      watcher_ = value;
    } else if (a >= wd::slot(0) && a < wd::slot(wd::kMaxSlots)) {
      const auto slot = static_cast<unsigned>((a - wd::slot(0)) / wd::kSlotStride);
      of_slot(slot, a - wd::slot(slot), p, static_cast<std::uint32_t>(value));
    } else {
      const auto sm = static_cast<unsigned>((a - regmap::sm::kBase) / regmap::sm::kStride);
      ASSERT_LT(sm, kSms);
      of_sm(sm, a - regmap::sm::window(sm), p, static_cast<std::uint32_t>(value));
    }
  }
  void of_slot(unsigned slot, std::uint64_t offset, tlm::tlm_generic_payload& p, std::uint32_t value) {
    Running& r = slots[slot];
    switch (offset) {
      case 0:
        std::memcpy(p.get_data_ptr(), &r.kernel->image, sizeof(wd::KernelSlotImage));
        break;
      case wd::kSlotLimitDrains:
        r.drains = value;
        break;
      case wd::kSlotDone:
      case wd::kSlotIssued: {
        const std::uint64_t ctas =
            offset == wd::kSlotIssued && clock_.now() < surplus_until ? kSms * std::uint64_t{16} : 0;
        std::memcpy(p.get_data_ptr(), &ctas, sizeof ctas);
        break;
      }
      case wd::kSlotCtaLimit:
        r.limit = value;
        diary.push_back("limit " + std::to_string(slot) + " " +
                        std::to_string(static_cast<std::int32_t>(value)));
        break;
      case wd::kSlotHold:
        r.held = value != 0;
        diary.push_back("go " + std::to_string(slot));
        break;
      default:
        ADD_FAILURE() << "slot offset " << offset;
    }
  }
  void of_sm(unsigned sm, std::uint64_t offset, tlm::tlm_generic_payload& p, std::uint32_t value) {
    if (offset >= regmap::sm::kInstructions) {
      const auto total = static_cast<std::uint64_t>(
          slots[static_cast<unsigned>(offset - regmap::sm::kInstructions) / 8].instructions);
      std::memcpy(p.get_data_ptr(), &total, sizeof total);
      return;
    }
    const auto slot = static_cast<unsigned>((offset - rate::of_slot(0)) / rate::kStride);
    Running& r = slots[slot];
    if (p.is_write()) {
      r.quota = value;
      if (sm == 0)
        diary.push_back("quota " + std::to_string(slot) + " " + std::to_string(value & rate::kNoQuota) +
                        (value & rate::kLatencySensitive ? " LS" : ""));
      return;
    }
    const double rf = r.kernel ? r.kernel->rf : 0, df = r.kernel ? r.kernel->df : 0;
    // 32 bits that wrap: those of kDram while rf and df are measured.
    const std::uint32_t base = 0u - 3'000u;
    const std::uint32_t row[5] = {
        base + static_cast<std::uint32_t>(r.requests), base + static_cast<std::uint32_t>(r.requests * rf),
        base + static_cast<std::uint32_t>(r.requests), base + static_cast<std::uint32_t>(r.requests * df),
        base + static_cast<std::uint32_t>(r.demand)};
    ASSERT_EQ(p.get_data_length(), sizeof row);
    std::memcpy(p.get_data_ptr(), row, sizeof row);
  }

  ClockDomain& clock_;
  Cycle since_ = 0;
  std::uint64_t watcher_ = 0;
};

struct ControllerBench : sc_core::sc_module {
  FaultSink faults;
  SmResources resources = small_sm();
  ClockDomain clock{"clock", 1000};
  RegisterBus bus{"bus", RegisterBusConfig{20}};
  ScriptedDevice device{"device", clock};
  std::unique_ptr<BandwidthController> controller;

  static BandwidthControllerPlace place(ControllerBench& b) {
    BandwidthControllerPlace p{b.clock, b.faults, b.resources};
    p.sms = ScriptedDevice::kSms;
    p.credit_interval = static_cast<Cycle>(ScriptedDevice::kInterval);
    p.line_bytes = 128;
    p.header_bytes = 32;
    // 20 requests of an SM in an interval fill the network, 10 DRAM accesses fill DRAM.
    p.network_bytes_per_second = 20 * 2 * 160 / 200e-9;
    p.dram_bytes_per_second = 10 * 2 * 128 / 200e-9;
    return p;
  }
  static CcbpConfig config() {
    CcbpConfig c;
    c.adjust = false;
    c.combination = "throttle";
    return c;
  }
  explicit ControllerBench(const CcbpConfig& config = ControllerBench::config(),
                           sc_core::sc_module_name name = "bench")
      : sc_module(name), controller(std::make_unique<CcbpController>("controller", config, place(*this))) {
    wire(bus, device, *controller);
  }
  explicit ControllerBench(const PolicyChoice& type, sc_core::sc_module_name name = "bench")
      : sc_module(name),
        controller(
            Registry<BandwidthControllerType>::instance().make(type)->build("controller", place(*this))) {
    wire(bus, device, *controller);
  }
  void run(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * clock.period()); }
  StatMap stats() const {
    StatMap map;
    controller->stats(map);
    return map;
  }
};

ScriptedKernel kernel(std::uint64_t object, double requests_per_cta, double rf, double df) {
  ScriptedKernel k;
  k.image.kernel_object = object;
  k.image.block[0] = 32;
  k.image.registers_per_thread = 16;
  k.requests_per_cta = requests_per_cta;
  k.rf = rf;
  k.df = df;
  return k;
}
// Of 20 units each: a CTA of them takes so many of the network, and of DRAM.
const ScriptedKernel kSensitive = kernel(0x1000, 0.45, 1, 0.5);  // 0.45, 0.45
const ScriptedKernel kDram = kernel(0x2000, 1.9, 1, 1.1);        // 1.9, 4.18
const ScriptedKernel kNetwork = kernel(0x3000, 2.9, 1, 0.15);    // 2.9, 0.87

CcbpKernel exactly(BandwidthType type, double network, double dram, unsigned measured) {
  CcbpKernel k;
  k.type = type;
  k.needs = cta_needs(SmResources(), 32, 16, 0, 0);
  k.needs.most_ctas = 16;
  const double cap = type == BandwidthType::kLatencySensitive ? 1e9 : 20;
  for (unsigned n = 0; n <= 16; ++n) {
    k.network.push_back(n <= measured ? network * n
                                      : std::max(network * measured, std::min(cap, network * n)));
    k.dram.push_back(n <= measured ? dram * n : std::max(dram * measured, std::min(cap, dram * n)));
  }
  return k;
}

TEST(CcbpController, FindsOutTypesAndGivesWhatAlgorithm1Says) {
  ControllerBench b;
  b.run(10);
  b.device.start(4, kSensitive, 1);
  b.device.start(2, kDram, 2);
  b.device.start(7, kNetwork, 3);
  // 50K, 20K and 20K, then five numbers of CTAs of two kernels, 20K each.
  b.run(90'000 + 2 * 5 * 20'000 + 5'000);
  ASSERT_FALSE(b.faults.faulted()) << b.faults.fault()->what;
  const StatMap stats = b.stats();
  EXPECT_EQ(stats["phase"], 6) << "settled";
  EXPECT_EQ(stats["kernel_1.type"], 0);
  EXPECT_EQ(stats["kernel_2.type"], 2);
  EXPECT_EQ(stats["kernel_3.type"], 1);
  EXPECT_NEAR(stats["kernel_2.df"], 1.1, 0.01);
  EXPECT_NEAR(stats["kernel_2.even_rate"], 10 / 3.0 / 1.1, 0.05);
  EXPECT_NEAR(stats["kernel_3.even_rate"], 20 / 3.0, 0.05);
  const auto wanted = ccbp_allocate({exactly(BandwidthType::kLatencySensitive, 0.45, 0.45, 16),
                                     exactly(BandwidthType::kDramIntensive, 1.9, 4.18, 5),
                                     exactly(BandwidthType::kNetworkIntensive, 2.9, 0.87, 5)},
                                    b.resources, CcbpOptions());
  EXPECT_EQ(b.device.slots[4].limit, wanted[0].ctas);
  EXPECT_EQ(b.device.slots[2].limit, wanted[1].ctas);
  EXPECT_EQ(b.device.slots[7].limit, wanted[2].ctas);
  // Units of the network are requests; a DRAM access is two of its units, 1.1 a request.
  EXPECT_EQ(b.device.slots[4].quota,
            static_cast<std::uint32_t>(std::ceil(wanted[0].network)) | rate::kLatencySensitive);
  EXPECT_EQ(b.device.slots[2].quota, static_cast<std::uint32_t>(wanted[1].dram / 2 / 1.1));
  EXPECT_EQ(b.device.slots[7].quota, static_cast<std::uint32_t>(wanted[2].network));
}

// The detection as section 5.4 has it, in the order of what is set.
TEST(CcbpController, DetectsUnderEvenSharesAndThrottlesBandwidthIntensiveKernelsAlone) {
  ControllerBench b;
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.device.diary.clear();
  b.run(300'000);
  EXPECT_THAT(
      b.device.diary,
      ElementsAre("limit 0 -1", "quota 0 65535", "go 0", "limit 1 -1", "quota 1 65535", "go 1",  // they come
                  "limit 0 8", "quota 0 65535", "limit 1 8", "quota 1 65535",                    // even CTAs
                  "limit 0 8", "quota 0 10", "limit 1 8", "quota 1 10",  // even bandwidth: IREven
                  "limit 1 1", "quota 1 65535", "limit 1 2", "quota 1 65535", "limit 1 3", "quota 1 65535",
                  "limit 1 4", "quota 1 65535", "limit 1 5", "quota 1 65535", "limit 1 6", "quota 1 65535",
                  "limit 1 7", "quota 1 65535", "limit 1 8", "quota 1 65535", "limit 1 8", "quota 1 10",
                  // 11 and 5 of 16 CTAs; 4.95 and 14 of 20 requests.
                  "limit 0 11", "quota 0 5 LS", "limit 1 5", "quota 1 14"));
}

TEST(CcbpController, LatencySensitiveKernelsCanGoWithoutAQuota) {
  CcbpConfig config = ControllerBench::config();
  config.ration_sensitive = false;
  ControllerBench b(config);
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.device.diary.clear();
  b.run(300'000);
  ASSERT_GE(b.device.diary.size(), 4u);
  // As above but for the quota, also that of the other kernel, which has what Algorithm 1 leaves it.
  EXPECT_THAT(std::vector<std::string>(b.device.diary.end() - 4, b.device.diary.end()),
              ElementsAre("limit 0 11", "quota 0 65535 LS", "limit 1 5", "quota 1 14"));
}

// What is measured while CTAs of the first kernel keep the others out says nothing of these.
void expect_warm_up_after(std::uint32_t patience, Cycle waited) {
  CcbpConfig config = ControllerBench::config();
  config.drain_cycles = patience;
  ControllerBench b(config);
  b.device.surplus_until = 400'000;
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.run(waited + 40'000);
  EXPECT_EQ(b.stats()["phase"], 1);
  b.run(20'000);
  EXPECT_EQ(b.stats()["phase"], 2) << "after 50,000 cycles more";
}
TEST(CcbpController, DetectionWaitsForCtasAboveTheEvenShare) { expect_warm_up_after(1'000'000, 400'000); }
TEST(CcbpController, DetectionDoesNotWaitForEver) { expect_warm_up_after(100'000, 100'000); }

TEST(CcbpController, ALaterLaunchOfAKernelHasItsTermsBeforeItGoes) {
  ControllerBench b;
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.run(300'000);
  const auto before = b.device.slots[1];
  b.device.end(1, 2);
  b.run(1000);
  b.device.diary.clear();
  b.device.start(9, kNetwork, 3);  // another register
  b.run(1000);
  EXPECT_THAT(b.device.diary, ElementsAre("limit 9 " + std::to_string(before.limit),
                                          "quota 9 " + std::to_string(before.quota), "go 9"));
  EXPECT_EQ(b.stats()["detections"], 1) << "it is the same kernel";
}

TEST(CcbpController, WhoStaysAwayLeavesTheMix) {
  CcbpConfig config = ControllerBench::config();
  config.absent_cycles = 10'000;
  ControllerBench b(config);
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.run(300'000);
  b.device.end(1, 2);
  b.run(9'000);
  EXPECT_NE(b.device.slots[0].limit, ~0u) << "it may come back";
  b.run(2'000);
  EXPECT_EQ(b.device.slots[0].limit, ~0u) << "alone: no limits";
  EXPECT_EQ(b.device.slots[0].quota, rate::kNoQuota);
  b.device.start(1, kNetwork, 3);
  b.run(20'000);
  EXPECT_EQ(b.stats()["detections"], 1) << "what was found out about both still holds";
  EXPECT_NE(b.device.slots[0].limit, ~0u);
}

TEST(CcbpController, ANewKernelIsLookedInto) {
  ControllerBench b;
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.run(60'000);  // in the middle of the detection
  b.device.start(2, kDram, 3);
  b.run(400'000);
  EXPECT_EQ(b.stats()["detections"], 2);
  EXPECT_EQ(b.stats()["phase"], 6);
  EXPECT_EQ(b.stats()["kernel_3.type"], 2);
}

// Section 5.5: the priority is lowered while the goal rises. A CTA of the latency-sensitive kernel is worth
// 1/16 of its speed alone, one request of the other 1/20.
class CcbpGoal : public testing::TestWithParam<bool> {};
TEST_P(CcbpGoal, ThePriorityIsAdjustedUntilTheGoalIsGreatest) {
  const bool harmonic = GetParam();
  CcbpConfig config = ControllerBench::config();
  config.adjust = true;
  const std::string goal = harmonic ? "hspeedup" : "wspeedup";
  config.goal = SpeedupGoal(goal, {16 * 2 * 1000, 16 * 2 * 1000});
  ControllerBench b(config);
  b.run(10);
  b.device.start(0, kSensitive, 1);
  b.device.start(1, kNetwork, 2);
  b.run(2'000'000);
  const StatMap stats = b.stats();
  EXPECT_EQ(stats["phase"], 6);
  EXPECT_GE(stats["windows"], 2) << "one that is better or worse than the first";
  EXPECT_LE(stats["prior_lsk"], 1);
  EXPECT_GT(stats["goal"], 0);
  // No priority that was not tried is better, by the device's own formulas.
  const auto goal_of = [&](double prior) {
    CcbpOptions options;
    options.prior_lsk = prior;
    const auto shares = ccbp_allocate({exactly(BandwidthType::kLatencySensitive, 0.45, 0.45, 16),
                                       exactly(BandwidthType::kNetworkIntensive, 2.9, 0.87, 8)},
                                      b.resources, options);
    const double first = shares[0].ctas / 16.0;
    const double wanted = 2.9 * shares[1].ctas;
    const double second = shares[1].ctas / 16.0 * std::min(1.0, std::floor(shares[1].network) / wanted);
    return harmonic ? 2 / (1 / first + 1 / second) : first + second;
  };
  EXPECT_NEAR(stats["goal"], goal_of(stats["prior_lsk"]), 0.02) << goal;
  EXPECT_GE(stats["goal"] + 0.02, goal_of(1.0)) << goal;
}

INSTANTIATE_TEST_SUITE_P(Goals, CcbpGoal, testing::Bool());

TEST(CcbpController, KernelsThatDoNotFitTogetherEndTheRun) {
  ControllerBench b;
  ScriptedKernel large = kSensitive, other = kNetwork;
  large.image.block[0] = other.image.block[0] = 288;  // 512 threads hold one of them
  b.run(10);
  b.device.start(0, large, 1);
  b.device.start(1, other, 2);
  b.run(600'000);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_NE(b.faults.fault()->what.find("has no room for one CTA of each of the 2 kernels"),
            std::string::npos);
}

TEST(FixedController, GivesQuotasAndSaysWhoGoesFirst) {
  ControllerBench b(choose("fixed", {{"ctas", "11 5"}, {"quotas", "0 14"}, {"sensitive", "1"}}));
  b.run(10);
  b.device.start(4, kSensitive, 1);
  b.device.start(2, kDram, 2);
  b.device.start(7, kNetwork, 3);
  b.run(1000);
  ASSERT_FALSE(b.faults.faulted()) << b.faults.fault()->what;
  EXPECT_THAT(b.device.diary, ElementsAre("limit 4 11", "quota 4 65535 LS", "go 4", "limit 2 5", "quota 2 14",
                                          "go 2", "limit 7 -1", "quota 7 65535", "go 7"));
}

}  // namespace
}  // namespace warpvp::test
