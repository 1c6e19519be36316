// Work of the CPU that traces count: what is read and refused, which value of a rate counts, and what the
// shipped files have.
#include "platform/config/cpu_rates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "platform/config/application_config.h"
#include "platform/config/yaml_document.h"
#include "tests/config/folder.h"

namespace warpvp {
namespace {

using testing::HasSubstr;

class Rates : public testing::Test {
 protected:
  Rates() {
    folder_.write("rates.yaml",
                  "rates:\n  call: {ns: 2000, low: 800, high: 5000, unit: call, source: s}\n"
                  "  byte: {ns: 4, low: 1, high: 10, unit: byte, source: s}\n");
  }
  ApplicationFile read(const std::string& steps, const std::string& rates = "rates: rates.yaml\n") {
    return load_application(folder_.write("trace.yaml", rates + "steps:\n" + steps));
  }
  std::string refusal(const std::string& steps, const std::string& rates = "rates: rates.yaml\n") {
    try {
      read(steps, rates);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  }
  static CpuRateChoice choice(const std::string& yaml) {
    CpuRateChoice out;
    out.load(parse_override("x=" + yaml, ".").value, "workload.cpu_rates");
    return out;
  }
  Folder folder_;
};

TEST_F(Rates, AreAddedUpOverTheKindsOfWork) {
  const ApplicationFile file = read("  - cpu: {call: 3, byte: 500}\n  - cpu_us: 7\n");
  EXPECT_DOUBLE_EQ(file.trace.steps[0].us, 3 * 2 + 500 * 0.004);
  EXPECT_DOUBLE_EQ(file.trace.steps[1].us, 7);
}

TEST_F(Rates, TheChoiceSettlesEachRate) {
  ApplicationFile file = read(
      "  - cpu: {call: 1, byte: 1000}\n  - repeat: 2\n    steps:\n      - cpu: {call: 1}\n"
      "  - cpu_us: 7\n");
  const auto times = [&](const std::string& yaml) {
    set_cpu_phases(file.trace.steps, file.rates, choice(yaml));
    return std::vector<double>{file.trace.steps[0].us, file.trace.steps[1].body[0].us,
                               file.trace.steps[2].us};
  };
  EXPECT_EQ(times("low"), (std::vector<double>{1.8, 0.8, 7}));
  EXPECT_EQ(times("high"), (std::vector<double>{15, 5, 7}));
  EXPECT_EQ(times("{call: 100}"), (std::vector<double>{4.1, 0.1, 7}));
  EXPECT_EQ(times("{call: high, all: low}"), (std::vector<double>{6, 5, 7}));
  EXPECT_EQ(times("stated"), (std::vector<double>{6, 2, 7})) << "as they were read";
}

TEST_F(Rates, TheSameChoiceIsTheSameText) {
  EXPECT_EQ(choice("{b: 1, a: low}").text(), choice("{a: low, b: 1}").text());
  EXPECT_EQ(choice("low").text(), choice("{all: low}").text());
  EXPECT_TRUE(choice("stated").stated());
  EXPECT_FALSE(choice("{a: stated}").stated());
  EXPECT_THROW(choice("sometimes"), InputError);
  EXPECT_THROW(choice("{all: 3}"), InputError) << "units differ";
  EXPECT_THROW(choice("{a: -1}"), InputError);
}

TEST_F(Rates, WhatIsWrongIsRefusedWithItsPlace) {
  EXPECT_THAT(refusal("  - cpu: {call: 1}\n", ""), HasSubstr("the trace names no 'rates'"));
  EXPECT_THAT(refusal("  - cpu: {cal: 1}\n"), HasSubstr("nearest: 'call'"));
  EXPECT_THAT(refusal("  - cpu: {}\n"), HasSubstr("{RATE: AMOUNT, ..}"));
  EXPECT_THAT(refusal("  - cpu: {call: -1}\n"), HasSubstr("steps.0.cpu.call"));
  EXPECT_THAT(refusal("  - cpu: {call: 1}\n    cpu_us: 3\n"), HasSubstr("one call a step"));
  EXPECT_THAT(refusal("  - cpu: {call: 1}\n", "rates: none.yaml\n"), HasSubstr("no file"));
  const auto file = [&](const std::string& rate) {
    folder_.write("other.yaml", "rates:\n  call: " + rate + "\n");
    return refusal("  - cpu: {call: 1}\n", "rates: other.yaml\n");
  };
  EXPECT_THAT(file("{ns: 1, low: 2, high: 3, unit: u, source: s}"), HasSubstr("is not from 'low' to 'high'"));
  EXPECT_THAT(file("{ns: 4, low: 2, high: 3, unit: u, source: s}"), HasSubstr("is not from 'low' to 'high'"));
  EXPECT_THAT(file("{ns: 2, low: 2, high: 3, unit: u}"), HasSubstr("source"));
}

double amount(const std::vector<apps::TraceStep>& steps, const std::string& rate) {
  double sum = 0;
  for_each_trace_step(steps, [&](const apps::TraceStep& step, std::uint64_t times) {
    for (const auto& [name, n] : step.work)
      if (name == rate) sum += n * static_cast<double>(times);
  });
  return sum;
}

// Every phase of Parboil's is counted and not a time; each application sets up one context, in its first or
// second step.
TEST(ParboilsCpu, IsCountedEverywhere) {
  for (const std::string& name : applications_in("parboil", "")) {
    const ApplicationFile file = load_application(find_application(name, "/", ""));
    EXPECT_THAT(file.rates.file.resolved, testing::EndsWith("configs/rates/core-i7-930.yaml")) << name;
    EXPECT_EQ(amount(file.trace.steps, "context"), 1) << name;
    EXPECT_GE(amount(file.trace.steps, "allocation"), 2) << name;
    for_each_trace_step(file.trace.steps, [&](const apps::TraceStep& step, std::uint64_t) {
      if (step.kind == apps::TraceStep::Kind::kCpu) {
        EXPECT_FALSE(step.work.empty()) << name << " " << step.place;
      }
    });
    // Every rate is a range from two sides, and says where it comes from.
    for (const auto& [rate, value] : file.rates.by_name) {
      EXPECT_LT(value.low, value.high) << rate;
      EXPECT_TRUE(!value.source.empty() && !value.unit.empty()) << rate;
    }
  }
}

// Amounts that follow from the sources' loops and table II's launches.
TEST(ParboilsCpu, AmountsAreThoseOfTheLoops) {
  const auto of = [](const std::string& name, const std::string& rate) {
    return amount(load_application(find_application("parboil/" + name, "/", "")).trace.steps, rate);
  };
  EXPECT_EQ(of("sad", "stdio_byte"), 2.0 * 6 * 120 * 41 * 33 * 33 + 8) << "six rows of macroblocks";
  EXPECT_EQ(of("lbm", "stdio_item"), 3.0 * 120 * 120 * 150) << "three floats a cell";
  EXPECT_EQ(of("lbm", "lattice_cell"), 3.0 * 120 * 120 * 150) << "statistics twice, and the velocity";
  EXPECT_EQ(of("sgemm", "text_float"), 1024.0 * 1056);
  EXPECT_EQ(of("bfs", "text_integer"), 2 * 1e6 + 1);
  EXPECT_EQ(of("stencil", "file_byte"), 512.0 * 512 * 64 * 4 + 4);
  EXPECT_EQ(of("mri_gridding", "gridded_sample"), 2655910 + 26559)
      << "all on the CPU, and those that found no bin";
  EXPECT_EQ(of("mri_gridding", "floor"), 3.0 * 2655910);
  EXPECT_EQ(std::ceil(2655910 / 512.0), 5188) << "table II's CTAs of binning";
}

}  // namespace
}  // namespace warpvp
