// `warpvp calibrate bandwidth`: figures that can be, on the small machine.

#include <gtest/gtest.h>

#include "platform/platform_config.h"
#include "study/calibrate_bandwidth.h"
#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

RunFile small(const std::vector<std::string>& settings) {
  RunFile file = RunFile::from_tree(Setting::mapping(), ConfigSearch::standard());
  file.apply({"platform=small"});
  file.apply(settings);
  return file;
}

TEST(Calibrate, FiguresLieBetweenNothingAndThePeaks) {
  const BandwidthFigures figures = measure_bandwidth(small({}));
  EXPECT_DOUBLE_EQ(figures.network_peak, 4 * 32 * 1.2e9);
  EXPECT_DOUBLE_EQ(figures.dram_peak, 2 * 27.2e9);
  ASSERT_EQ(figures.patterns.size(), 9u);
  for (const PatternFigures& p : figures.patterns) {
    const bool dram = p.pattern.rfind("DRAM", 0) == 0, ideal = p.pattern.find("ideal") != std::string::npos;
    EXPECT_TRUE(ideal ? p.network == 0 : p.network > 0 && p.network <= 1.0001) << p.pattern << p.network;
    EXPECT_TRUE(dram ? p.dram > 0.3 && p.dram < 1 : p.dram < 0.01) << p.pattern << p.dram;
  }
  // Loads of the SMs that part the banks between them meet nowhere; a packet of 128 bytes has four flits
  // here.
  EXPECT_GT(figures.of("L2 own bank").network, 0.99);
  EXPECT_LT(figures.of(kNetworkPattern).network, figures.of("L2 own bank").network);
  EXPECT_NEAR(figures.of(kNetworkPattern).reply_bytes / figures.of(kNetworkPattern).replies, 128, 1);
  EXPECT_LT(figures.of("DRAM random").dram, figures.of("DRAM stream").dram);

  // Without the switch nothing is held up by what wants another SM.
  const BandwidthFigures ideal = measure_bandwidth(small({"platform.crossbar=ideal"}));
  EXPECT_EQ(ideal.network_peak, 0);
  const auto payload = [](const BandwidthFigures& f, const std::string& pattern) {
    return f.of(pattern).replies / f.of(pattern).seconds;
  };
  EXPECT_GT(payload(ideal, "L2 stream"), 1.05 * payload(figures, kNetworkPattern));
}

TEST(Calibrate, WritesAPlatformWithTheFigures) {
  const ScratchFolder scratch;
  const std::string file = (scratch / "calibrated.yaml").string();
  const Finished run = run_program({"calibrate", "bandwidth", "--platform", "small", "--write", file});
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("network peak: 153.6 GB/s = 4 L2 bank ports x 32 B x 1200 MHz\n"), std::string::npos)
      << run.out;
  const std::string written = read_text(file);
  const std::string key = "sustainable_bandwidth:\n  network: ";
  const std::size_t at = written.find(key);
  ASSERT_NE(at, std::string::npos) << written;
  const std::string network = written.substr(at + key.size(), 5);
  const Finished config = run_program({"config", file});
  ASSERT_EQ(config.status, 0) << config.err;
  const std::string shown = config.out.substr(config.out.find("sustainable_bandwidth:"));
  EXPECT_EQ(std::stod(shown.substr(shown.find("network: ") + 9)), std::stod(network)) << shown;
  EXPECT_NE(std::stod(network), PlatformConfig().sustainable_bandwidth.network);
  EXPECT_EQ(run_app(file, "vector_add", scratch / "run", {}).status, 0);
  // Once more, the same to the letter.
  const std::string again = (scratch / "again.yaml").string();
  ASSERT_EQ(run_program({"calibrate", "bandwidth", "--platform", "small", "--write", again}).status, 0);
  EXPECT_EQ(read_text(again), written);
}

TEST(Calibrate, WrongInputIsOneLine) {
  const ScratchFolder scratch;
  const std::string plain = scratch.file("file", "");
  const std::string isolated =
      scratch.file("isolated.yaml", "extends: small\nsm: {memory: {model: isolated}}\n");
  const std::string ideal = scratch.file("ideal.yaml", "extends: small\ncrossbar: ideal\n");
  const std::string perfect = scratch.file("perfect.yaml", "extends: small\nl2: perfect\n");
  const struct {
    std::vector<std::string> words;
    std::string message;
  } cases[] = {
      {{"-p", "no_such"}, "no_such"},
      {{"-p", isolated}, "sm.memory.model is isolated: no load reaches the network"},
      {{"-p", perfect}, "l2 is perfect: no load reaches DRAM"},
      {{"-p", ideal, "-w", (scratch / "w.yaml").string()},
       "the crossbar of platform " + ideal + " has no peak bandwidth"},
      {{"-p", "small", "-w", plain + "/w.yaml"}, plain},
      {{"-p", "small", "-w", (scratch / "").string()}, "is a folder"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> words = {"calibrate", "bandwidth"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    const Finished run = run_program(words);
    EXPECT_EQ(run.status, 2) << c.message;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_NE(run.err.find(c.message), std::string::npos) << run.err;
    EXPECT_EQ(run.out, "");
  }
}

}  // namespace
}  // namespace warpvp::test
