// The CPU references of jobs with deadlines against closed forms and published examples.
#include "sw/apps/reference_jobs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpvp::apps {
namespace {

using reference::Route;

TEST(Reference, LstmOfOneCellByHand) {
  // Weights zero: input, forget and output gates are the sigmoids of their biases, the candidate a tanh.
  reference::LstmLayer layer{1, std::vector<float>(8, 0.0f), {0.0f, 100.0f, 100.0f, 0.5f}};
  // The input gate is one half, the forget gate one: the cell grows by tanh(0.5) / 2 a step.
  const double cell = 3 * std::tanh(0.5) / 2;
  EXPECT_NEAR(reference::lstm(layer, {1, 1, 1})[0], std::tanh(cell), 1e-6);
  // A weight from the input to the candidate: its sign goes to the state.
  layer.bias[3] = 0;
  layer.weights[3] = 2;
  EXPECT_NEAR(reference::lstm(layer, {-1})[0], std::tanh(std::tanh(-2.0) / 2), 1e-6);
  // A weight from the state to the candidate counts from the second step on.
  layer.weights[7] = 1;
  const double first = std::tanh(std::tanh(2.0) / 2);
  EXPECT_NEAR(reference::lstm(layer, {1, 0})[0], std::tanh(std::tanh(2.0) / 2 + std::tanh(first) / 2), 1e-6);
}

TEST(Reference, TheLongestRouteWins) {
  const std::uint64_t a = 0x20010db8'00000000ull;
  const std::vector<Route> routes = {{a, 32, 1}, {a | 0x00010000, 48, 2}, {a | 0x00010001, 64, 3}};
  EXPECT_EQ(reference::longest_match(routes, {a, a | 0x00010000, a | 0x00010001, a | 0x00020001, 1}),
            (std::vector<std::uint32_t>{1, 2, 3, 1, 0}));
}

TEST(Reference, GmmOfEqualComponentsIsOnePlusTheLogarithmOfTheirNumber) {
  reference::Mixtures set{
      1, 4, 2, std::vector<float>(8, 0.5f), std::vector<float>(8, 1.0f), std::vector<float>(4, -3.0f)};
  // Each has 2^(-3 - 2 * 0.25); four of them add two to the logarithm.
  EXPECT_NEAR(reference::gmm_scores(set, {1.0f, 0.0f})[0], -3 - 0.5 + 2, 1e-6);
  EXPECT_NEAR(reference::gmm_scores(set, {0.5f, 0.5f})[0], -1, 1e-6);
}

TEST(Reference, PortersExamplesOfStepOne) {
  // Porter, "An algorithm for suffix stripping", Program 14(3), 1980: the examples of steps 1a to 1c.
  const std::vector<std::pair<std::string, std::string>> words = {
      {"caresses", "caress"},  {"ponies", "poni"},    {"ties", "ti"},      {"caress", "caress"},
      {"cats", "cat"},         {"feed", "feed"},      {"agreed", "agree"}, {"plastered", "plaster"},
      {"bled", "bled"},        {"motoring", "motor"}, {"sing", "sing"},    {"conflated", "conflate"},
      {"troubled", "trouble"}, {"sized", "size"},     {"hopping", "hop"},  {"tanned", "tan"},
      {"falling", "fall"},     {"hissing", "hiss"},   {"fizzed", "fizz"},  {"failing", "fail"},
      {"filing", "file"},      {"happy", "happi"},    {"sky", "sky"}};
  for (const auto& [word, stem] : words) EXPECT_EQ(reference::porter_step1(word), stem);
}

}  // namespace
}  // namespace warpvp::apps
