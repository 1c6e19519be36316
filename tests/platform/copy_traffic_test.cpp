// What copies and commands do to the memory system, as results say it: the arrows of the drawings, counted at
// both ends.

#include <gtest/gtest.h>

#include "tests/platform/program.h"

namespace warpvp::test {
namespace {

nlohmann::json run_to_end(const ScratchFolder& scratch, const std::string& name, const std::string& platform,
                          const std::string& app, std::vector<std::string> settings = {}) {
  settings.push_back("platform.check_protocol=true");
  const Finished run = run_app(platform, app, scratch / name, settings);
  EXPECT_EQ(run.status, 0) << run.err;
  return read_json(scratch / name / "result.json");
}

std::uint64_t count(const nlohmann::json& part, const std::string& key) {
  return part.at(key).get<std::uint64_t>();
}

TEST(CopyTraffic, WhatEachStationSawIsWhatTheOneBeforeSent) {
  const ScratchFolder scratch;
  const auto r = run_to_end(scratch, "a", "small", "vector_add");
  const auto &dma = r["control"]["dma"], &hub = r["control"]["hub"], &pcie = r["control"]["pcie"];
  const auto &copies = r["traffic"]["copies"], &commands = r["traffic"]["commands"];
  // Host -> PCIe -> hub: posted writes and doorbells; command processor -> hub.
  EXPECT_GT(count(hub, "host_writes"), 0u);
  EXPECT_GT(count(hub, "host_registers"), 0u);
  EXPECT_GT(count(hub, "processor_reads"), 0u);
  EXPECT_GT(count(hub, "processor_writes"), 0u);
  // Copies: PCIe -> engines -> crossbar -> L2.
  EXPECT_EQ(count(dma, "memory_written_bytes") + count(dma, "memory_read_bytes"), count(dma, "bytes"));
  EXPECT_EQ(count(copies["noc"]["request"], "packets"),
            count(dma, "memory_reads") + count(dma, "memory_writes"));
  EXPECT_EQ(count(copies["noc"]["reply"], "packets"), count(copies["noc"]["request"], "packets"));
  EXPECT_EQ(count(copies["l2"], "reads"), count(dma, "memory_reads"));
  EXPECT_EQ(count(copies["l2"], "writes"), count(dma, "memory_writes"));
  EXPECT_GE(count(pcie, "to_device_bytes"), count(dma, "memory_written_bytes"));
  // Commands: hub -> crossbar -> L2.
  EXPECT_EQ(count(commands["noc"]["request"], "packets"),
            count(hub, "memory_reads") + count(hub, "memory_writes"));
  EXPECT_EQ(count(commands["l2"], "reads"), count(hub, "memory_reads"));
  EXPECT_EQ(count(commands["l2"], "writes"), count(hub, "memory_writes"));
}

TEST(CopyTraffic, KernelsCopiesAndCommandsMakeTheTotals) {
  const ScratchFolder scratch;
  const auto r = run_to_end(scratch, "a", "small", "stream", {"workload.params.elements=65536"});
  const auto& t = r["traffic"];
  const auto sum = [&](const std::string& station, const std::string& key) {
    std::uint64_t total = 0;
    for (const char* whose : {"kernels", "copies", "commands"}) total += count(t[whose][station], key);
    return total;
  };
  for (const char* key : {"accesses", "reads", "writes", "hits", "misses", "fill_reads", "writebacks"})
    EXPECT_EQ(sum("l2", key), count(r["l2"], key)) << key;
  for (const char* key : {"reads", "writes", "read_bytes", "written_bytes"})
    EXPECT_EQ(sum("dram", key), count(r["dram"], key)) << key;
  std::uint64_t kernels = 0;
  for (const auto& kernel : r["kernels"]) kernels += count(kernel["l2"], "accesses");
  EXPECT_EQ(kernels, count(t["kernels"]["l2"], "accesses"));
  EXPECT_GT(count(t["copies"]["dram"], "written_bytes"), 0u);  // 2 MiB do not fit 384 KiB
  // The share of peak bandwidth is the kernels' own.
  const auto& dram = t["kernels"]["dram"];
  EXPECT_LT(r["dram"]["bandwidth_share"].get<double>(), 1.0);
  EXPECT_GT(count(dram, "read_bytes"), 0u);
}

TEST(CopyTraffic, AKernelFindsInTheL2WhatWasCopied) {
  const ScratchFolder scratch;
  const auto fits = run_to_end(scratch, "fits", "small", "vector_add", {"workload.params.count=16384"});
  const auto small = run_to_end(scratch, "not", "small", "vector_add",
                                {"workload.params.count=16384", "platform.l2.bank_kib=12"});
  // Two inputs of 64 KiB; the rest is code.
  EXPECT_LT(count(fits["kernels"][0]["dram"], "read_bytes"), 4096u);
  EXPECT_GT(count(small["kernels"][0]["dram"], "read_bytes"), 120u * 1024);
  EXPECT_LT(count(fits["kernels"][0], "execution_cycles"), count(small["kernels"][0], "execution_cycles"));
}

TEST(CopyTraffic, CopiesMayBeLeftOutOfIt) {
  const ScratchFolder scratch;
  for (const std::string type : {"chunked", "burst"}) {
    const auto r = run_to_end(scratch, type, "small", "vector_add",
                              {"workload.params.count=16384", "platform.dma.type=" + type,
                               "platform.dma.traffic=false"});
    EXPECT_TRUE(r["verified"].get<bool>());
    EXPECT_EQ(count(r["traffic"]["copies"]["noc"]["request"], "packets"), 0u);
    EXPECT_EQ(count(r["traffic"]["copies"]["l2"], "accesses"), 0u);
    EXPECT_GE(count(r["control"]["dma"], "bytes"), 3u * 16384 * 4);
    // Nobody has brought the inputs into the L2.
    EXPECT_GE(count(r["kernels"][0]["dram"], "read_bytes"), 2u * 16384 * 4);
  }
}

TEST(CopyTraffic, ASlowMemorySlowsCopiesOnThePlatform) {
  const ScratchFolder scratch;
  const auto run = [&](const std::string& name, const std::string& bytes) {
    const auto r = run_to_end(scratch, name, "small", "stream",
                              {"workload.params.elements=65536",
                               "platform.dram={name: fixed_latency, bytes_per_cycle: " + bytes + "}"});
    return r["kernels"][0]["launch_us"].get<double>();  // the copies come before
  };
  EXPECT_GT(run("slow", "1"), 2 * run("fast", "0"));
}

TEST(CopyTraffic, EveryPlatformAndMemoryCarriesIt) {
  const ScratchFolder scratch;
  unsigned n = 0;
  for (const char* platform : {"small", "ccbp_gpu", "vortex_sm", "titan_v"})
    for (const char* dram : {"", "platform.dram=fixed_latency"}) {
      std::vector<std::string> settings{"workload.params.count=5000"};
      if (*dram) settings.push_back(dram);
      if (platform == std::string("titan_v")) settings.push_back("platform.sms=4");
      const auto r = run_to_end(scratch, std::to_string(n++), platform, "vector_add", settings);
      EXPECT_TRUE(r["verified"].get<bool>()) << platform;
      EXPECT_EQ(count(r["traffic"]["copies"]["l2"], "accesses"),
                count(r["control"]["dma"], "memory_reads") + count(r["control"]["dma"], "memory_writes"));
    }
}

}  // namespace
}  // namespace warpvp::test
