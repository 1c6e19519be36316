// Application traces in YAML: what is read, what is refused and where, and that writing and reading are
// inverse.
#include "platform/config/application_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace warpvp {
namespace {

namespace fs = std::filesystem;
using apps::TraceStep;
using testing::HasSubstr;
using Kind = TraceStep::Kind;

class Applications : public testing::Test {
 protected:
  Applications() : folder_(fs::temp_directory_path() / ("applications_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    write("profiles.yaml",
          "kernels:\n"
          "  tiny: {threads: 64, registers: 20, shared_bytes: 256, cta_us: 2}\n"
          "  vast: {threads: 256, registers: 32, cta_us: 10}\n"
          "  cycles: {threads: 32, registers: 16, cta_cycles: 500}\n");
  }
  ~Applications() override { fs::remove_all(folder_); }
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  ApplicationFile read(const std::string& text) { return load_application(write("trace.yaml", text)); }
  std::string refusal(const std::string& text) {
    try {
      read(text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
  fs::path folder_;
};

TEST_F(Applications, EveryStepIsRead) {
  const ApplicationFile file = read(
      "profiles: profiles.yaml\n"
      "streams: [2, -1]\n"
      "steps:\n"
      "  - cpu_us: 12.5\n"
      "  - copy_to_device: {bytes: 100}\n"
      "  - copy_to_host: {kib: 3}\n"
      "    stream: 1\n"
      "  - copy_on_device: {mib: 0.5}\n"
      "  - fill: {bytes: 7}\n"
      "  - repeat: 3\n"
      "    steps:\n"
      "      - launch: {kernel: tiny, ctas: [4, 2]}\n"
      "      - launch: {kernel: vast, ctas: 6, registers: 40, threads: [16, 8], shared_bytes: 64}\n"
      "        stream: 2\n"
      "  - record: 5\n"
      "    stream: 2\n"
      "  - wait: 5\n"
      "  - synchronize: {event: 5}\n"
      "  - synchronize: {stream: 1}\n"
      "  - synchronize: true\n");
  EXPECT_EQ(file.trace.name, "trace");
  EXPECT_EQ(file.trace.stream_priorities, (std::vector<int>{2, -1}));
  const std::vector<TraceStep>& s = file.trace.steps;
  ASSERT_EQ(s.size(), 11u);
  EXPECT_EQ(s[0].us, 12.5);
  EXPECT_EQ(s[1].bytes, 100u);
  EXPECT_FALSE(s[1].stream);
  EXPECT_EQ(s[2].bytes, 3072u);
  EXPECT_EQ(s[2].stream, 1u);
  EXPECT_EQ(s[3].bytes, 524288u);
  EXPECT_EQ(s[4].kind, Kind::kFill);
  ASSERT_EQ(s[5].body.size(), 2u);
  EXPECT_EQ(s[5].times, 3u);
  const apps::TraceLaunch& tiny = s[5].body[0].launch;
  EXPECT_EQ(tiny.grid[1], 2u);
  EXPECT_EQ(tiny.block[0], 64u);
  EXPECT_EQ(tiny.registers, 20u);
  EXPECT_EQ(tiny.shared_bytes, 256u);
  const apps::TraceLaunch& vast = s[5].body[1].launch;
  EXPECT_EQ(vast.block[1], 8u);
  EXPECT_EQ(vast.registers, 40u);
  EXPECT_EQ(vast.shared_bytes, 64u);
  EXPECT_EQ(s[6].event, 5u);
  EXPECT_EQ(s[8].kind, Kind::kSynchronizeEvent);
  EXPECT_EQ(s[9].stream, 1u);
  EXPECT_FALSE(s[10].stream);
  // 24 CTAs of 2 us and 18 of 10 us.
  EXPECT_DOUBLE_EQ(file.mean_cta_us, (24 * 2.0 + 18 * 10.0) / 42);
}

TEST_F(Applications, StampsBecomeTheTimesBetweenCalls) {
  const ApplicationFile file = read(
      "steps:\n"
      "  - {copy_to_device: {bytes: 8}, start_us: 10, end_us: 15}\n"
      "  - {launch: {kernel: k, ctas: 1, threads: 32}, start_us: 15, end_us: 16}\n"
      "  - {synchronize: true, start_us: 20.5, end_us: 30}\n");
  const std::vector<TraceStep>& s = file.trace.steps;
  ASSERT_EQ(s.size(), 5u);
  EXPECT_EQ(s[0].us, 10);
  EXPECT_EQ(s[1].kind, Kind::kCopyToDevice);
  EXPECT_EQ(s[2].kind, Kind::kLaunch);
  EXPECT_EQ(s[3].us, 4.5);
  EXPECT_EQ(file.mean_cta_us, 0);  // nobody knows
}

TEST_F(Applications, AKernelWithoutATimeInMicrosecondsMakesTheMeanUnknown) {
  EXPECT_EQ(read("profiles: profiles.yaml\nsteps:\n  - launch: {kernel: cycles, ctas: 2}\n").mean_cta_us, 0);
}

TEST_F(Applications, ProfilesMayBeOfShapesOfLaunches) {
  write("shapes.yaml",
        "kernels:\n  k@2x64: {threads: 64, registers: 20, cta_us: 5}\n"
        "  k@3x64: {threads: 64, registers: 24, cta_us: 7}\n  k@3x32: {threads: 32, registers: 28, cta_us: "
        "9}\n");
  const std::string head = "profiles: shapes.yaml\nsteps:\n";
  const ApplicationFile file =
      read(head + "  - launch: {kernel: k, ctas: 2}\n  - launch: {kernel: k, ctas: [1, 3], threads: 32}\n");
  EXPECT_EQ(file.trace.steps[0].launch.block[0], 64u);  // the only one with two CTAs
  EXPECT_EQ(file.trace.steps[0].launch.registers, 20u);
  EXPECT_EQ(file.trace.steps[1].launch.registers, 28u);
  EXPECT_NEAR(file.mean_cta_us, (2 * 5 + 3 * 9) / 5.0, 1e-9);
  for (const char* wrong :
       {"{kernel: k, ctas: 3}", "{kernel: k, ctas: 4}", "{kernel: k, ctas: 2, threads: 32}"})
    try {
      read(head + "  - launch: " + wrong + "\n");
      ADD_FAILURE() << wrong;
    } catch (const InputError& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("no profile of kernel 'k' for launches of")) << wrong;
    }
}

TEST_F(Applications, AProfileFileIsReadAsThePlatformReadsIt) {
  write("wrong.yaml", "kernels:\n  k: {threads: 64, cta_us: 5, cta_cycles: 3}\n");
  try {
    read("profiles: wrong.yaml\nsteps:\n  - launch: {kernel: k, ctas: 2}\n");
    ADD_FAILURE();
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("either cta_us or cta_cycles"));
  }
}

TEST_F(Applications, WritingAndReadingAreInverse) {
  const ApplicationFile first = read(
      "streams: [0, 3]\n"
      "steps:\n"
      "  - cpu_us: 0.125\n"
      "  - copy_to_host: {bytes: 12}\n"
      "  - repeat: 2\n"
      "    steps:\n"
      "      - launch: {kernel: a_b$1, ctas: [2, 3, 4], threads: [8, 4], registers: 33, shared_bytes: 4}\n"
      "        stream: 2\n"
      "  - record: 0\n"
      "    stream: 2\n"
      "  - wait: 0\n"
      "    stream: 1\n"
      "  - synchronize: {event: 0}\n"
      "  - synchronize: {stream: 1}\n"
      "  - synchronize: true\n");
  const std::string text = application_yaml(first.trace, "a comment");
  EXPECT_THAT(text, HasSubstr("# a comment\n"));
  const ApplicationFile second = read(text);
  EXPECT_EQ(application_yaml(second.trace, ""), application_yaml(first.trace, ""));
  EXPECT_EQ(second.trace.steps[2].body[0].launch.grid[2], 4u);
  EXPECT_EQ(second.trace.stream_priorities, first.trace.stream_priorities);
}

TEST_F(Applications, WhatIsWrongIsSaidWithItsPlace) {
  const auto expect = [&](const std::string& text, const std::string& place,
                          const std::vector<std::string>& parts) {
    const std::string message = refusal(text);
    EXPECT_THAT(message, HasSubstr("trace.yaml:" + place)) << text;
    for (const std::string& part : parts) EXPECT_THAT(message, HasSubstr(part)) << text;
    EXPECT_THAT(message, HasSubstr("; allowed: ")) << text;
  };
  expect("steps:\n  - cpu_us: -1\n", "2:13", {"'steps.0.cpu_us' is '-1'", "at least 0"});
  expect("steps:\n  - launch: {kernel: k, ctas: 0, threads: 32}\n", "2:31", {"steps.0.launch.ctas"});
  expect("steps:\n  - launch: {kernel: k, ctas: 1}\n", "2:13", {"threads' is missing"});
  expect("steps:\n  - launch: {kernel: 7k, ctas: 1, threads: 1}\n", "2:22", {"no digit first"});
  expect("profiles: profiles.yaml\nsteps:\n  - launch: {kernel: tinny, ctas: 1}\n", "3:22",
         {"no profile of kernel 'tinny'", "did you mean 'tiny'?", "cycles, tiny, vast"});
  expect("profiles: nowhere.yaml\nsteps: []\n", "1:11", {"no file"});
  expect("steps:\n  - lunch: {kernel: k}\n", "2:5", {"says no call", "nearest: 'launch'"});
  expect("steps:\n  - launch: {kernel: k, ctas: 1, threads: 1, grid: 3}\n", "2:46", {"unknown key 'grid'"});
  expect("steps:\n  - {cpu_us: 1, synchronize: true}\n", "2:5", {"one call a step"});
  expect("steps:\n  - copy_to_device: 7\n", "2:21", {"{bytes: N}, {kib: N} or {mib: N}"});
  expect("steps:\n  - wait: 3\n", "2:11", {"event 3 is recorded nowhere before"});
  expect("steps:\n  - repeat: 2\n", "2:5", {"steps' is missing"});
  expect("step: []\n", "1:1", {"unknown key 'step'", "nearest: 'steps'"});
  expect(
      "steps:\n  - {synchronize: true, start_us: 0, end_us: 10}\n"
      "  - {synchronize: true, start_us: 9, end_us: 12}\n",
      "3:35",
      {"before the end of the call before, 10 us at", "trace.yaml:2:5", "calls overlap", "at least 10"});
  expect("steps:\n  - {synchronize: true, start_us: 5, end_us: 4}\n", "2:46", {"before its start_us, 5"});
  expect("steps:\n  - {synchronize: true, start_us: 5}\n", "2:5", {"one of start_us and end_us"});
}

TEST_F(Applications, NamesAreFoundInFolders) {
  const std::string lbm = std::string(WARPVP_SOURCE) + "/configs/applications/parboil/lbm.yaml";
  EXPECT_EQ(fs::canonical(find_application("parboil/lbm", "/", "here")), fs::canonical(lbm));
  EXPECT_EQ(find_application(lbm, "/", "here"), lbm);
  try {
    find_application("parboil/lmb", "/", "run.yaml:3:4");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("run.yaml:3:4: no file 'lmb'"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'lbm'?"));
  }
  EXPECT_EQ(applications_in("parboil", "here").size(), 11u);
  EXPECT_THROW(applications_in("nothing", "here"), InputError);
}

}  // namespace
}  // namespace warpvp
