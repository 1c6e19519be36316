// Registers that policies declare, written by a host program over PCIe and the register bus while it runs.

#include <gtest/gtest.h>

#include "base/data_folder.h"
#include "interconnect/host_interface.h"
#include "interconnect/register_map.h"
#include "tests/simulation/support.h"

namespace warpvp::test {
namespace {

constexpr unsigned kWays = 3;

/// An L2 of two banks of 8 KiB, from which a kernel on 32 KiB must drop lines.
Simulation with_partition(const std::string& replacement) {
  return Simulation::from_text(
      "platform: {extends: small, address_map: {banks: 2}, l2: {bank_kib: 8, associativity: 4, "
      "replacement: " +
      replacement + "}}\n");
}

/// Has quotas written to all banks first, if asked to; then doubles an array, twice.
apps::AppResult double_twice(rt::Runtime& device, bool writes_quotas) {
  apps::AppResult result{true, ""};
  if (writes_quotas) {
    for (unsigned bank = 0; bank < 2; ++bank) {
      const std::uint64_t ways =
          regmap::l2::window(bank) + regmap::l2::policy_window("replacement").base + 4 * 0;
      std::uint32_t has = kWays;
      device.host().write(ways, &has, 4);
      has = 0;
      device.host().read(ways, &has, 4);
      EXPECT_EQ(has, kWays) << "bank " << bank;
    }
  }
  constexpr std::uint32_t kCount = 4096;
  std::vector<float> data(kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) data[i] = static_cast<float>(i);
  const rt::DevicePtr x = device.malloc(4 * kCount), sum = device.malloc(4 * kCount);
  device.copy_to_device(x, data.data(), 4 * kCount);
  const rt::Kernel kernel =
      device.kernel(device.load_module(data_folder("sw/kernels") / "vector_add.ptx"), "vector_add");
  for (int round = 0; round < 2; ++round)
    device.launch(kernel, rt::Dim3(kCount / 128), rt::Dim3(128), rt::Args::of(x, x, sum, kCount));
  device.copy_to_host(data.data(), sum, 4 * kCount);
  for (std::uint32_t i = 0; i < kCount; ++i)
    result.verified = result.verified && data[i] == 2 * static_cast<float>(i);
  return result;
}

nlohmann::json run(const std::string& replacement, bool writes_quotas) {
  Simulation simulation = with_partition(replacement);
  simulation.attach_program(
      "doubles", [writes_quotas](rt::Runtime& device) { return double_twice(device, writes_quotas); });
  const auto result = nlohmann::json::parse(run_at_once(simulation));
  EXPECT_TRUE(simulation.outcome().verified);
  return result;
}

nlohmann::json run_in_child(const std::string& replacement, bool writes_quotas) {
  return nlohmann::json::parse(in_child([&] { return run(replacement, writes_quotas).dump(); }));
}

TEST(RegisterBus, TheHostGivesWaysOfEveryBankOfTheL2) {
  const auto none = run_in_child("way_partition", false);
  const auto in_yaml = run_in_child("{name: way_partition, ways: [3]}", false);
  ASSERT_NE(none["l2"]["hits"], in_yaml["l2"]["hits"]) << "quotas change nothing here";
  const auto by_host = run("way_partition", true);
  EXPECT_EQ(by_host["l2"]["hits"], in_yaml["l2"]["hits"]);
}

}  // namespace
}  // namespace warpvp::test
