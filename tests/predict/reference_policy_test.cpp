// The SM's warp schedulers against the predictor's references, which share no code with them, under random
// readiness, arrivals, ends and pauses.

#include "predict/reference_policy.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/sm_policies/policy_maker.h"

namespace warpvp::predict {
namespace {

using Values = std::map<std::string, std::string>;

struct Pair {
  std::string name;
  Values values;
};

PolicyChoice choice_of(const Pair& pair) {
  PolicyChoice choice(pair.name.c_str());
  choice.load = [values = pair.values](const std::function<void(FieldVisitor&)>& fields) {
    test::ValueSetter setter(values);
    fields(setter);
  };
  return choice;
}

std::vector<Pair> pairs() {
  std::vector<Pair> all{{"lrr", {}},
                        {"lrr", {{"greedy", "true"}}},
                        {"gtlrr", {}},
                        {"gto", {}},
                        {"gto", {{"greedy_survives_idle", "true"}}},
                        {"gtlo", {}},
                        {"oldest", {}},
                        {"icount", {}},
                        {"lrr_kernels_gto", {}},
                        {"qaws", {}},
                        {"qaws", {{"switch_on", "stall"}}},
                        {"two_level", {{"active_warps", "2"}, {"patience", "3"}}},
                        {"two_level", {{"active_warps", "3"}, {"order", "gto"}}}};
  for (const char* selection : {"round_robin", "oldest", "icount"})
    for (const char* mode : {"strict", "loose", "greedy", "adaptive"})
      all.push_back({"select", {{"selection", selection}, {"mode", mode}, {"lead", "3"}}});
  return all;
}

std::string name_of(const Pair& pair) {
  std::string name = pair.name;
  for (const auto& [key, value] : pair.values) name += "_" + value;
  return name;
}

class References : public ::testing::TestWithParam<Pair> {};

TEST_P(References, PickAsThePoliciesDo) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto chance = [&](unsigned in) { return random() % in == 0; };
    const auto policy = Registry<WarpSchedulerPolicy>::instance().make(choice_of(GetParam()));
    const auto reference = make_reference(choice_of(GetParam()));
    ASSERT_NE(reference, nullptr);
    const unsigned places = 1 + random() % 12;
    WarpMask resident = 0;
    std::uint8_t buffered[64] = {};
    std::uint64_t age = 0;
    IssueView view;
    view.cycle = random() % 100;
    for (unsigned step = 0; step < 4000; ++step) {
      view.cycle += chance(6) ? 1 + random() % 40 : 1;
      for (unsigned w = 0; w < places; ++w) {
        const WarpMask bit = WarpMask{1} << w;
        if (!(resident & bit) && chance(20)) {
          const WarpInfo info{age++, static_cast<std::uint32_t>(random() % 3), w,
                              static_cast<std::uint32_t>(1 + random() % 3), 0};
          policy->warp_started(w, info);
          reference->warp_started(w, info);
          resident |= bit;
        } else if ((resident & bit) && chance(120)) {
          policy->warp_finished(w);
          reference->warp_finished(w);
          resident &= ~bit;
        }
        buffered[w] = static_cast<std::uint8_t>(random() % 4);
      }
      view.resident = resident;
      view.held = resident & random() & random() & random();
      view.ready = resident & ~view.held & random() & random();
      view.long_stalled = resident & ~view.held & ~view.ready & random();
      view.buffered = buffered;
      if (view.ready == 0) continue;
      const unsigned wanted = reference->pick(view);
      ASSERT_EQ(policy->pick(view), wanted) << "at edge " << view.cycle;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, References, ::testing::ValuesIn(pairs()),
                         [](const auto& info) { return name_of(info.param); });

// A policy that joins the project needs a reference of its own, or `predict` could not show its faults. A
// policy that somebody adds for himself needs none: then `predict` follows the policy itself, and says so.
TEST(References, ExistForEveryPolicyOfTheProject) {
  for (const char* name :
       {"gtlo", "gtlrr", "gto", "icount", "lrr", "lrr_kernels_gto", "oldest", "qaws", "select", "two_level"})
    EXPECT_NE(make_reference(PolicyChoice(name)), nullptr) << name;
}

}  // namespace
}  // namespace warpvp::predict
