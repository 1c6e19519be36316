// What loading a kernel's image takes, and that it is there.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "interconnect/kernel_descriptor.h"
#include "tests/control/runtime_machine.h"

namespace warpvp::test {
namespace {

using rt::Args;
using rt::Dim3;

/// What looking up a kernel takes, the first time and the second, in ns; with the image checked.
std::pair<double, double> loading_took(const std::string& how) {
  Machine m("machine");
  m.config.load_images = how;
  std::pair<double, double> took;
  m.program([&](rt::Runtime& device) {
    const auto module = device.load_module("a.ptx");
    const auto look_up = [&] {
      const SimTime before = device.host().now();
      device.kernel(module, "add");
      return ns(device.host().now()) - ns(before);
    };
    took.first = look_up();
    took.second = look_up();
    device.launch(device.kernel(module, "add"), Dim3(1), Dim3(32), Args::of(std::uint64_t{0}, 0u));
    device.synchronize();
    KernelDescriptor descriptor;
    std::memcpy(&descriptor, m.memory.at(m.sms.launches.at(0).record.kernel_object), sizeof descriptor);
    const std::vector<std::uint8_t> image = scripted_image("add", descriptor.code_address);
    EXPECT_EQ(std::memcmp(m.memory.at(descriptor.image_address), image.data(), image.size()), 0);
  });
  return took;
}

TEST(Runtime, AnImageIsThereInNoTime) { EXPECT_EQ(loading_took("free"), std::make_pair(0.0, 0.0)); }

TEST(Runtime, OrIsCopiedOnceAndWaitedFor) {
  const auto [first, second] = loading_took("timed");
  EXPECT_GT(first, 1000);
  EXPECT_EQ(second, 0);
}

}  // namespace
}  // namespace warpvp::test
