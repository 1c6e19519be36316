#include "sw/runtime/device_properties.h"

#include <gtest/gtest.h>

namespace warpvp::rt {
namespace {

DeviceProperties some() {
  DeviceProperties p;
  p.image_version = 3;
  p.sms = 80;
  p.queues = 128;
  p.sm_clock_mhz = 1455.25;
  p.local_bytes = std::uint64_t{5} << 40;
  p.memory_bytes_per_second = 1.0 / 3;
  p.machine_code = true;
  p.sm.warps = 48;
  p.sm.shared_options_kib = {0, 8, 96};
  p.sm.shared_grows = "when_empty";
  p.runtime.call_ns = 0.1;
  p.runtime.device_name = "a name=with signs";
  return p;
}

TEST(DeviceProperties, TextSaysAllOfThem) {
  const std::string text = properties_text(some());
  EXPECT_NE(text.find("sms=80\n"), std::string::npos) << text;
  EXPECT_NE(text.find("sm.shared_options_kib=0,8,96\n"), std::string::npos) << text;
  const DeviceProperties read = properties_of_text(text);
  EXPECT_EQ(properties_text(read), text);
  EXPECT_EQ(read.local_bytes, some().local_bytes);
  EXPECT_EQ(read.memory_bytes_per_second, some().memory_bytes_per_second);
  EXPECT_EQ(read.sm.shared_options_kib, some().sm.shared_options_kib);
  EXPECT_EQ(read.runtime.device_name, "a name=with signs");
  EXPECT_TRUE(read.machine_code);
  EXPECT_FALSE(read.firmware);
}

TEST(DeviceProperties, FitTheirRegisters) {
  EXPECT_LT(properties_text(some()).size(), regmap::ep::kPropertiesBytes - 256);
}

std::string refusal(const std::string& text) {
  try {
    properties_of_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(DeviceProperties, ADeviceOfAnotherVersionIsRefused) {
  std::string text = properties_text(some());
  EXPECT_EQ(refusal(text + "newer=1\n"), "");
  EXPECT_EQ(refusal(text.substr(text.find('\n') + 1)),
            "the device does not say its 'image_version': it is of another version");
  text.replace(text.find("sm.warps=48"), 11, "sm.warps=x8");
  EXPECT_EQ(refusal(text), "the device says 'x8' of its 'sm.warps'; expected: a whole number");
}

}  // namespace
}  // namespace warpvp::rt
