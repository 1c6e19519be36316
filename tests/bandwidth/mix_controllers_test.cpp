// Controllers "drf", "fixed" with parts of the device, and "warped_slicer" between the register bus and a
// scripted device, whose kernels issue by formulas: what limits they set on which SM, and when.

#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>

#include "base/dominant_share.h"
#include "base/registry.h"
#include "tests/apps/parameters.h"
#include "tests/bandwidth/controller_wiring.h"
#include "tests/support/stat_map.h"

namespace warpvp::test {
namespace {

namespace wd = regmap::wd;

/// A kernel and the warp instructions that it issues in 1000 cycles on an SM with so many CTAs.
struct CurveKernel {
  wd::KernelSlotImage image;
  std::function<std::uint64_t(std::uint32_t)> issues;
};

class CurveDevice : public sc_core::sc_module {
 public:
  static constexpr unsigned kSms = 8;
  CurveDevice(sc_core::sc_module_name name, ClockDomain& clock)
      : sc_module(name), distributor("distributor"), sms("sms"), bus("bus"), clock_(clock) {
    distributor.register_b_transport(this, &CurveDevice::b_transport);
    sms.register_b_transport(this, &CurveDevice::b_transport);
  }
  tlm_utils::simple_target_socket<CurveDevice> distributor, sms;
  tlm_utils::simple_initiator_socket<CurveDevice> bus;

  struct Running {
    const CurveKernel* kernel = nullptr;
    std::uint32_t limits[kSms] = {};
    bool drains[kSms] = {};
    std::uint64_t issued[kSms] = {};
    std::uint64_t resident = 0;  ///< CTAs on all SMs
    std::uint32_t limit_sm = wd::kAllSms, limit_drains = 0;
    bool held = true;
  };
  std::map<unsigned, Running> slots;
  bool first_may_issue = true;  ///< false: what runs in slot 0 issues nothing

  void start(unsigned slot, const CurveKernel& kernel) {
    advance();
    Running& r = slots[slot];
    r.kernel = &kernel;
    std::fill(std::begin(r.limits), std::end(r.limits), regmap::sm::kNoCtaLimit);
    r.held = true;
    notify(bus, watcher_, {slot, ++launches_, 0, 0});
  }
  void advance() {
    const Cycle now = clock_.now(), passed = now - since_;
    since_ = now;
    for (auto& [slot, r] : slots)
      for (unsigned sm = 0; sm < kSms && r.kernel != nullptr && !r.held; ++sm)
        if (slot != 0 || first_may_issue)
          r.issued[sm] += r.kernel->issues(std::min<std::uint32_t>(r.limits[sm], 16)) * passed;
  }

 private:
  void b_transport(tlm::tlm_generic_payload& p, sc_core::sc_time&) {
    advance();
    p.set_response_status(tlm::TLM_OK_RESPONSE);
    const std::uint64_t a = p.get_address();
    std::uint64_t value = 0;
    if (p.is_write()) std::memcpy(&value, p.get_data_ptr(), std::min(8u, p.get_data_length()));
    if (a == wd::kBase + wd::kWatcher) {
      watcher_ = value;
    } else if (a < regmap::sm::kBase) {
      const auto slot = static_cast<unsigned>((a - wd::slot(0)) / wd::kSlotStride);
      of_slot(slots[slot], a - wd::slot(slot), p, static_cast<std::uint32_t>(value));
    } else {
      const auto sm = static_cast<unsigned>((a - regmap::sm::kBase) / regmap::sm::kStride);
      const std::uint64_t offset = a - regmap::sm::window(sm);
      ASSERT_GE(offset, regmap::sm::kInstructions) << "nothing else is read, and nothing rationed";
      const std::uint64_t total =
          slots[static_cast<unsigned>(offset - regmap::sm::kInstructions) / 8].issued[sm] / 1000;
      std::memcpy(p.get_data_ptr(), &total, sizeof total);
    }
  }
  static void of_slot(Running& r, std::uint64_t offset, tlm::tlm_generic_payload& p, std::uint32_t value) {
    switch (offset) {
      case 0:
        std::memcpy(p.get_data_ptr(), &r.kernel->image, sizeof r.kernel->image);
        break;
      case wd::kSlotIssued:
        std::memcpy(p.get_data_ptr(), &r.resident, sizeof r.resident);
        break;
      case wd::kSlotDone:
        break;
      case wd::kSlotLimitDrains:
        r.limit_drains = value;
        break;
      case wd::kSlotLimitSm:
        r.limit_sm = value;
        break;
      case wd::kSlotCtaLimit:
        for (unsigned sm = 0; sm < kSms; ++sm)
          if (r.limit_sm == wd::kAllSms || r.limit_sm == sm) {
            r.limits[sm] = value;
            r.drains[sm] = r.limit_drains != 0;
          }
        break;
      case wd::kSlotHold:
        r.held = value != 0;
        break;
      default:
        ADD_FAILURE() << "slot offset " << offset;
    }
  }

  ClockDomain& clock_;
  Cycle since_ = 0;
  std::uint64_t watcher_ = 0;
  std::uint32_t launches_ = 0;
};

struct MixBench : sc_core::sc_module {
  FaultSink faults;
  SmResources resources = small_sm();
  ClockDomain clock{"clock", 1000};
  RegisterBus bus{"bus", RegisterBusConfig{20}};
  CurveDevice device{"device", clock};
  std::unique_ptr<BandwidthController> controller;

  explicit MixBench(const PolicyChoice& type, sc_core::sc_module_name name = "bench") : sc_module(name) {
    BandwidthControllerPlace place{clock, faults, resources};
    place.sms = CurveDevice::kSms;
    controller = Registry<BandwidthControllerType>::instance().make(type)->build("controller", place);
    wire(bus, device, *controller);
  }
  void run(Cycle cycles) { sc_core::sc_start(static_cast<double>(cycles) * clock.period()); }
  std::vector<std::uint32_t> limits(unsigned slot) {
    return {std::begin(device.slots[slot].limits), std::end(device.slots[slot].limits)};
  }
  StatMap stats() const {
    StatMap map;
    controller->stats(map);
    return map;
  }
};

CurveKernel curve_kernel(std::uint64_t object, unsigned threads,
                         std::function<std::uint64_t(std::uint32_t)> issues) {
  CurveKernel k;
  k.image.kernel_object = object;
  k.image.block[0] = threads;
  k.image.registers_per_thread = 16;
  k.issues = std::move(issues);
  return k;
}
/// Twice as much with twice the CTAs, up to 16.
const CurveKernel kScales = curve_kernel(0x1000, 32, [](std::uint32_t ctas) { return 100 * ctas; });
/// As much as it can have with two CTAs, and less with more.
const CurveKernel kPeaks = curve_kernel(0x2000, 32, [](std::uint32_t ctas) {
  return ctas <= 2 ? 300 * ctas : 600 - 10 * std::min<std::uint32_t>(ctas, 50);
});
const CurveKernel kLarge = curve_kernel(0x3000, 128, [](std::uint32_t ctas) { return 100 * ctas; });

const std::vector<std::uint32_t> kUnlimited(CurveDevice::kSms, regmap::sm::kNoCtaLimit);
std::vector<std::uint32_t> everywhere(std::uint32_t ctas) {
  return std::vector<std::uint32_t>(CurveDevice::kSms, ctas);
}

TEST(WarpedSlicerController, MeasuresEachNumberOfCtasOnAnSmOfItsOwnAndFillsByTheCurves) {
  MixBench b(choose("warped_slicer", {{"warm_up_cycles", "20000"}, {"sample_cycles", "5000"}}));
  b.run(10);
  b.device.start(3, kScales);
  b.run(100);
  EXPECT_EQ(b.limits(3), kUnlimited) << "alone it has no limit";
  b.device.start(5, kPeaks);
  b.run(10'000);
  // Half of the SMs each, 1 to 4 CTAs on them; those of the others leave, those above a number wait.
  EXPECT_EQ(b.limits(3), (std::vector<std::uint32_t>{1, 2, 3, 4, 0, 0, 0, 0}));
  EXPECT_EQ(b.limits(5), (std::vector<std::uint32_t>{0, 0, 0, 0, 1, 2, 3, 4}));
  EXPECT_FALSE(b.device.slots[3].drains[2]);
  EXPECT_TRUE(b.device.slots[3].drains[6]);
  b.run(25'000);
  EXPECT_EQ(b.limits(3), (std::vector<std::uint32_t>{5, 6, 7, 8, 0, 0, 0, 0}));
  b.run(3 * 25'000);
  // kPeaks has its best with 2 CTAs; what it leaves of 16 is for kScales.
  EXPECT_EQ(b.limits(3), everywhere(14));
  EXPECT_EQ(b.limits(5), everywhere(2));
  EXPECT_TRUE(b.device.slots[3].drains[0]);
  EXPECT_EQ(b.stats()["samples"], 4);
  EXPECT_NEAR(b.stats()["settled_at"], 4 * 25'000, 4000);
  EXPECT_EQ(b.stats()["kernel_2.ctas"], 2);
  EXPECT_NEAR(b.stats()["least_performance"], 14 / 16.0, 0.02);
  EXPECT_FALSE(b.faults.faulted());
}

TEST(WarpedSlicerController, WaitsForKernelsThatDoNotIssueYetAndGivesThemUp) {
  MixBench b(
      choose("warped_slicer", {{"warm_up_cycles", "20000"}, {"sample_cycles", "5000"}, {"tries", "3"}}));
  b.run(10);
  b.device.first_may_issue = false;
  b.device.start(0, kScales);
  b.device.start(5, kPeaks);
  b.run(60'000);
  EXPECT_EQ(b.stats()["samples"], 2) << "of the same numbers of CTAs";
  EXPECT_EQ(b.limits(0)[0], 1u);
  b.run(4 * 3 * 25'000);
  EXPECT_EQ(b.stats()["samples"], 12);
  // Of the one nothing is known, and it has the one CTA that every kernel has.
  EXPECT_EQ(b.limits(0), everywhere(1));
  EXPECT_EQ(b.limits(5), everywhere(2));
}

TEST(DrfController, GivesCombinationsOfDominantShares) {
  MixBench b(choose("drf", {}));
  b.run(10);
  b.device.start(0, kScales);
  b.run(1000);
  EXPECT_EQ(b.limits(0), kUnlimited);
  EXPECT_EQ(b.stats()["settled_at"], 0);
  b.device.slots[0].resident = 8 * CurveDevice::kSms + 1;  // one more than it is to have
  b.device.start(1, kLarge);
  b.run(1000);
  // Of 512 threads a CTA takes 32 or 128: three large ones are 3/4, four small ones 1/4.
  const auto wanted = fair_cta_combination(
      b.resources, {cta_needs(b.resources, 32, 16, 0, 0), cta_needs(b.resources, 128, 16, 0, 0)});
  EXPECT_EQ(wanted, (std::vector<std::uint32_t>{8, 2}));
  EXPECT_EQ(b.limits(0), everywhere(8));
  EXPECT_EQ(b.limits(1), everywhere(2));
  b.run(20'000);
  EXPECT_EQ(b.stats()["settled_at"], 0);
  b.device.slots[0].resident = 8 * CurveDevice::kSms;
  b.run(6'000);
  EXPECT_GT(b.stats()["settled_at"], 20'000);
  b.device.slots[0].resident = 0;
  b.device.start(2, kScales);
  b.run(1000);
  EXPECT_NE(b.limits(0), everywhere(8)) << "three share";
}

// An SM has room for 16 CTAs of 32 threads, or 4 of 128. kPeaks is best with two CTAs whatever kScales has.
TEST(CtaSearchController, TriesAllThatFitsAndKeepsTheBest) {
  MixBench b(choose("cta_search", {{"settle_cycles", "2000"}, {"sample_cycles", "4000"}}));
  b.run(10);
  b.device.start(0, kScales);
  b.run(1000);
  EXPECT_EQ(b.limits(0), kUnlimited);
  b.device.start(1, kPeaks);
  b.run(3000);
  EXPECT_EQ(b.limits(0), everywhere(1)) << "the first combination";
  EXPECT_EQ(b.limits(1), everywhere(1));
  b.run(8000);
  EXPECT_EQ(b.limits(1), everywhere(2)) << "the second one";
  b.run(130 * 8000);
  EXPECT_EQ(b.stats()["combinations"], 15 * 16 / 2) << "pairs of numbers from 1 with a sum of at most 16";
  EXPECT_EQ(b.stats()["searches"], 1);
  EXPECT_EQ(b.limits(0), everywhere(14));
  EXPECT_EQ(b.limits(1), everywhere(2));
  EXPECT_TRUE(b.device.slots[0].drains[0]);
  // Of the most that each has with any combination, 15 CTAs and 2.
  EXPECT_NEAR(b.stats()["harmonic.speedup"], 2 / (15.0 / 14 + 1), 0.01);
  EXPECT_NEAR(b.stats()["weighted.speedup"], 14.0 / 15 + 1, 0.01);
  EXPECT_EQ(b.stats()["weighted.kernel_2.ctas"], 2);
  EXPECT_FALSE(b.faults.faulted());
}

TEST(CtaSearchController, WaitsForCtasOfTheCombinationBefore) {
  MixBench b(choose("cta_search",
                    {{"settle_cycles", "2000"}, {"sample_cycles", "4000"}, {"drain_cycles", "50000"}}));
  b.run(10);
  b.device.slots[1].resident = CurveDevice::kSms + 1;  // one too many
  b.device.start(0, kScales);
  b.device.start(1, kPeaks);
  b.run(30'000);
  EXPECT_EQ(b.stats()["combinations"], 0);
  b.device.slots[1].resident = CurveDevice::kSms;
  b.run(5000);
  b.device.slots[0].resident = 1000;  // these never end
  b.run(4000);
  EXPECT_EQ(b.stats()["combinations"], 1);
  b.run(45'000);
  EXPECT_EQ(b.stats()["combinations"], 1);
  b.run(15'000);
  EXPECT_EQ(b.stats()["combinations"], 2);
}

// Of what each has alone a CTA of the first is 1/16, of the second 1/4, and takes four times the room: alike,
// so that the harmonic speedup is highest where both have half. By the weighted one, with a second kernel
// that is worth five times that, it has most.
class CtaSearchGoal : public testing::TestWithParam<bool> {};
TEST_P(CtaSearchGoal, Decides) {
  const bool harmonic = GetParam();
  MixBench b(choose("cta_search", {{"settle_cycles", "2000"},
                                   {"sample_cycles", "4000"},
                                   {"goal", harmonic ? "hspeedup" : "wspeedup"},
                                   {"alone_ipc", harmonic ? "12800 3200" : "12800 640"}}));
  b.run(10);
  b.device.start(0, kScales);
  b.device.start(1, kLarge);
  b.run(40 * 8000);
  EXPECT_EQ(b.stats()["combinations"], 12 + 8 + 4);
  EXPECT_EQ(b.limits(0), everywhere(harmonic ? 8 : 4));
  EXPECT_EQ(b.limits(1), everywhere(harmonic ? 2 : 3));
}
INSTANTIATE_TEST_SUITE_P(Goals, CtaSearchGoal, testing::Bool());

TEST(CtaSearchController, HasSettledWhenTheBestIsInForce) {
  MixBench b(choose("cta_search", {{"settle_cycles", "2000"}, {"sample_cycles", "4000"}}));
  b.run(10);
  b.device.start(0, kScales);
  b.device.start(1, kLarge);
  b.run(143'500);
  ASSERT_EQ(b.stats()["combinations"], 23) << "the last one is being tried";
  b.device.slots[0].resident = 1000;
  b.run(26'000);
  EXPECT_EQ(b.stats()["combinations"], 24);
  EXPECT_EQ(b.stats()["settled_at"], 0);
  b.device.slots[0].resident = 0;
  b.run(6000);
  EXPECT_GT(b.stats()["settled_at"], 143'500 + 26'000);
}

TEST(CtaSearchController, HasNotSettledIfCtasStayLongerThanItWaits) {
  MixBench b(choose("cta_search",
                    {{"settle_cycles", "2000"}, {"sample_cycles", "4000"}, {"drain_cycles", "10000"}}));
  b.run(10);
  b.device.slots[0].resident = 1000;  // they never end
  b.device.start(0, kScales);
  b.device.start(1, kLarge);
  b.run(30 * 20'000);
  EXPECT_EQ(b.stats()["searches"], 1);
  EXPECT_EQ(b.stats()["settled_at"], 0);
}

TEST(CtaSearchController, SearchesDividedSms) {
  MixBench b(
      choose("cta_search", {{"settle_cycles", "2000"}, {"sample_cycles", "4000"}, {"spatial", "true"}}));
  b.run(10);
  b.device.start(0, kPeaks);
  b.device.start(1, kLarge);
  b.run(70 * 8000);
  EXPECT_EQ(b.stats()["combinations"], 16 * 4);
  EXPECT_EQ(b.limits(0), (std::vector<std::uint32_t>{2, 2, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(b.limits(1), (std::vector<std::uint32_t>{0, 0, 0, 0, 4, 4, 4, 4}));
}

TEST(CtaSearchController, SaysWhenThereAreTooMany) {
  MixBench b(choose("cta_search", {{"most_combinations", "119"}}));
  b.run(10);
  b.device.start(0, kScales);
  b.device.start(1, kPeaks);
  b.run(3000);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_NE(b.faults.fault()->what.find("more combinations of CTAs fit on an SM than "
                                        "bandwidth_controller.most_combinations; allowed: fewer kernels"),
            std::string::npos)
      << b.faults.fault()->what;
}

TEST(FixedController, DividesSms) {
  MixBench b(choose("fixed", {{"spatial", "2"}, {"ctas", "5 2"}}));
  b.run(10);
  b.device.start(4, kScales);
  b.device.start(1, kLarge);
  b.run(1000);
  EXPECT_EQ(b.limits(4), (std::vector<std::uint32_t>{5, 5, 5, 5, 0, 0, 0, 0}));
  EXPECT_EQ(b.limits(1), (std::vector<std::uint32_t>{0, 0, 0, 0, 2, 2, 2, 2}));
  EXPECT_FALSE(b.faults.faulted());
}

TEST(FixedController, SaysWhatDoesNotFitInAPart) {
  MixBench b(choose("fixed", {{"spatial", "2"}, {"ctas", "16 5"}}));
  b.run(10);
  b.device.start(4, kScales);
  b.device.start(1, kLarge);
  b.run(1000);
  ASSERT_TRUE(b.faults.faulted());
  EXPECT_NE(b.faults.fault()->what.find("5 CTAs of kernel 2 do not fit on an SM, which has room for 4"),
            std::string::npos)
      << b.faults.fault()->what;
}

}  // namespace
}  // namespace warpvp::test
