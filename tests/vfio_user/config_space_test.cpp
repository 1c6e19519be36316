// The configuration space as a bus driver walks through it.
#include "modules/vfio_user/config_space.h"

#include <gtest/gtest.h>

#include <map>

namespace warpvp::vfio_user {
namespace {

ConfigSpace space() {
  ConfigSpace::Shape shape;
  shape.bar0_bytes = 1u << 28;
  shape.bar2_bytes = std::uint64_t{1} << 33;
  shape.bar4_bytes = 4096;
  shape.vectors = 32;
  shape.msix_pending = 0x800;
  return ConfigSpace(shape);
}

template <class T>
T get(const ConfigSpace& space, std::uint64_t at) {
  T value = 0;
  EXPECT_TRUE(space.read(at, &value, sizeof value));
  return value;
}
template <class T>
void put(ConfigSpace& space, std::uint64_t at, T value) {
  EXPECT_TRUE(space.write(at, &value, sizeof value));
}

TEST(ConfigSpace, SaysWhatItIs) {
  const ConfigSpace s = space();
  EXPECT_EQ(get<std::uint16_t>(s, 0), 0x1b36);
  EXPECT_EQ(get<std::uint16_t>(s, 2), 0x7770);
  EXPECT_EQ(get<std::uint32_t>(s, 8) >> 8, 0x12'0000u) << "a processing accelerator";
  EXPECT_EQ(get<std::uint8_t>(s, 0x0e), 0) << "an ordinary header, one function";
}

// PCI Local Bus Specification 3.0, section 6.2.5.1: write ones, read back, and the lowest bit that stays says
// the size.
TEST(ConfigSpace, TellsTheSizesOfItsBars) {
  ConfigSpace s = space();
  for (const unsigned at : {0x10, 0x14, 0x18, 0x1c, 0x20, 0x24}) put(s, at, 0xffff'ffffu);
  EXPECT_EQ(get<std::uint32_t>(s, 0x10), 0xf000'0000u) << "256 MiB, 32 bits";
  EXPECT_EQ(get<std::uint32_t>(s, 0x14), 0u);
  EXPECT_EQ(get<std::uint64_t>(s, 0x18), 0xffff'fffe'0000'000cu) << "8 GiB, 64 bits, prefetchable";
  EXPECT_EQ(get<std::uint32_t>(s, 0x20), 0xffff'f000u);
  EXPECT_EQ(get<std::uint32_t>(s, 0x24), 0u);
}

TEST(ConfigSpace, HasThreeCapabilities) {
  const ConfigSpace s = space();
  EXPECT_EQ(get<std::uint16_t>(s, 6) & 0x10, 0x10);
  std::map<unsigned, unsigned> found;  // by id: place
  for (unsigned at = get<std::uint8_t>(s, 0x34); at != 0; at = get<std::uint8_t>(s, at + 1)) {
    ASSERT_TRUE(found.emplace(get<std::uint8_t>(s, at), at).second) << "the list goes round";
    ASSERT_GE(at, 0x40u);
  }
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(get<std::uint16_t>(s, found.at(0x01) + 2) & 7, 3) << "power management 1.2";
  EXPECT_EQ(get<std::uint16_t>(s, found.at(0x10) + 2), 2) << "a PCI Express endpoint";
  const unsigned msix = found.at(0x11);
  EXPECT_EQ(get<std::uint16_t>(s, msix + 2), 31) << "32 vectors, off";
  EXPECT_EQ(get<std::uint32_t>(s, msix + 4), 4u) << "the table at the beginning of BAR 4";
  EXPECT_EQ(get<std::uint32_t>(s, msix + 8), 0x804u);
}

TEST(ConfigSpace, LetsOnlyChangeWhatMayBeChanged) {
  ConfigSpace s = space();
  put<std::uint32_t>(s, 0, 0);
  EXPECT_EQ(get<std::uint32_t>(s, 0), 0x7770'1b36u);
  EXPECT_FALSE(s.bus_master());
  EXPECT_FALSE(s.memory_enabled());
  put<std::uint16_t>(s, 4, 0xffff);
  EXPECT_EQ(get<std::uint16_t>(s, 4), 0x0506);
  EXPECT_TRUE(s.bus_master());
  EXPECT_TRUE(s.memory_enabled());
  EXPECT_FALSE(s.msix_enabled());
  put<std::uint16_t>(s, 0xa2, 0xffff);
  EXPECT_EQ(get<std::uint16_t>(s, 0xa2), 0xc01f);
  EXPECT_TRUE(s.msix_enabled());
  s.reset();
  EXPECT_EQ(get<std::uint16_t>(s, 4), 0);
  EXPECT_FALSE(s.msix_enabled());
}

TEST(ConfigSpace, AsksForAResetOfTheFunction) {
  ConfigSpace s = space();
  EXPECT_EQ(get<std::uint32_t>(s, 0x54) >> 28 & 1, 1u) << "Device Capabilities: it can";
  const auto control = get<std::uint16_t>(s, 0x58);
  put<std::uint16_t>(s, 0x58, control | 0x8000);
  EXPECT_TRUE(s.reset_asked());
  EXPECT_EQ(get<std::uint16_t>(s, 0x58), control) << "the bit reads as zero";
  put<std::uint16_t>(s, 0x58, control);
  EXPECT_FALSE(s.reset_asked());
  put<std::uint8_t>(s, 0x59, 0x80);
  EXPECT_TRUE(s.reset_asked()) << "a byte alone";
  put<std::uint8_t>(s, 0x5a, 0x80);
  EXPECT_FALSE(s.reset_asked()) << "the next one";
}

TEST(ConfigSpace, EndsAt4096) {
  ConfigSpace s = space();
  std::uint64_t word = 0;
  EXPECT_TRUE(s.read(4088, &word, 8));
  EXPECT_FALSE(s.read(4089, &word, 8));
  EXPECT_FALSE(s.write(4096, &word, 1));
  EXPECT_FALSE(s.read(~std::uint64_t{0}, &word, 8));
}

}  // namespace
}  // namespace warpvp::vfio_user
