// What of a client's memory the device reaches.
#include "modules/vfio_user/dma_regions.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <string>
#include <vector>

namespace warpvp::vfio_user {
namespace {

constexpr std::uint64_t kLimit = std::uint64_t{1} << 40;
constexpr std::uint32_t kBoth = DmaMap::kReadable | DmaMap::kWriteable;

FileDescriptor memory_file(std::uint64_t bytes) {
  FileDescriptor file(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

DmaMap region(std::uint64_t address, std::uint64_t bytes, std::uint32_t flags = kBoth,
              std::uint64_t offset = 0) {
  return {sizeof(DmaMap), flags, offset, address, bytes};
}

bool nobody(bool, std::uint64_t, std::uint8_t*, std::size_t) {
  ADD_FAILURE() << "no message is needed";
  return false;
}

TEST(DmaRegions, ReachAFileAcrossItsPages) {
  FileDescriptor file = memory_file(0x3000), same(dup(file.get()));
  DmaRegions regions;
  ASSERT_EQ(regions.add(region(0x10000, 0x2000, kBoth, 0x1000), std::move(file), kLimit), 0);
  std::vector<std::uint8_t> data = {1, 2, 3, 4};
  ASSERT_TRUE(regions.access(true, 0x10ffe, data.data(), 4, nobody));
  std::uint8_t there[4] = {};
  ASSERT_EQ(pread(same.get(), there, 4, 0x1ffe), 4);
  EXPECT_EQ(there[0], 1);
  EXPECT_EQ(there[3], 4);
  std::uint8_t back[4] = {};
  ASSERT_TRUE(regions.access(false, 0x10ffe, back, 4, nobody));
  EXPECT_EQ(back[2], 3);
}

TEST(DmaRegions, EndWhereTheyEnd) {
  DmaRegions regions;
  ASSERT_EQ(regions.add(region(0x1000, 0x1000), memory_file(0x1000), kLimit), 0);
  std::uint8_t data[8] = {};
  EXPECT_TRUE(regions.access(false, 0x1ff8, data, 8, nobody));
  EXPECT_FALSE(regions.access(false, 0x1ff9, data, 8, nobody));
  EXPECT_FALSE(regions.access(false, 0xfff, data, 1, nobody));
  ASSERT_EQ(regions.add(region(0x2000, 0x1000), memory_file(0x1000), kLimit), 0);
  EXPECT_TRUE(regions.access(false, 0x1ff9, data, 8, nobody)) << "the next one follows";
}

TEST(DmaRegions, AreOpenInTheirDirectionsOnly) {
  DmaRegions regions;
  ASSERT_EQ(regions.add(region(0, 0x1000, DmaMap::kReadable), memory_file(0x1000), kLimit), 0);
  ASSERT_EQ(regions.add(region(0x1000, 0x1000, DmaMap::kWriteable), memory_file(0x1000), kLimit), 0);
  std::uint8_t byte = 0;
  EXPECT_TRUE(regions.access(false, 0, &byte, 1, nobody));
  EXPECT_FALSE(regions.access(true, 0, &byte, 1, nobody));
  EXPECT_FALSE(regions.access(false, 0x1000, &byte, 1, nobody));
  EXPECT_TRUE(regions.access(true, 0x1000, &byte, 1, nobody));
}

TEST(DmaRegions, RefuseWhatCannotBe) {
  DmaRegions regions;
  const auto add = [&](const DmaMap& map) { return regions.add(map, FileDescriptor(), kLimit); };
  EXPECT_EQ(add(region(0x1000, 0)), EINVAL);
  EXPECT_EQ(add(region(0x1001, 0x1000)), EINVAL);
  EXPECT_EQ(add(region(0x1000, 0x1001)), EINVAL);
  EXPECT_EQ(add(region(0x1000, 0x1000, 0)), EINVAL);
  EXPECT_EQ(add(region(kLimit - 0x1000, 0x2000)), EINVAL);
  EXPECT_EQ(add(region(0x1000, ~std::uint64_t{0xfff})), EINVAL);
  ASSERT_EQ(add(region(0x4000, 0x4000)), 0);
  EXPECT_EQ(add(region(0x4000, 0x4000)), EEXIST);
  EXPECT_EQ(add(region(0x7000, 0x1000)), EEXIST);
  EXPECT_EQ(add(region(0x3000, 0x2000)), EEXIST);
  EXPECT_EQ(add(region(0x8000, 0x1000)), 0);
  EXPECT_EQ(regions.add(region(0x10000, 0x2000), memory_file(0x1000), kLimit), EINVAL)
      << "the file is too short";
  EXPECT_EQ(regions.add(region(0x10000, 0x1000), FileDescriptor(open("/dev/zero", O_RDWR)), kLimit), EINVAL);
  FileDescriptor file = memory_file(0x1000);
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  EXPECT_EQ(regions.add(region(0x10000, 0x1000), FileDescriptor(open(path.c_str(), O_RDONLY)), kLimit),
            EACCES);
}

// As VFIO unmaps: whatever lies in the range, which may be nothing, and no region by a part.
TEST(DmaRegions, CloseAsWholes) {
  DmaRegions regions;
  for (const std::uint64_t at : {0x1000, 0x4000, 0x6000})
    ASSERT_EQ(regions.add(region(at, 0x2000), memory_file(0x2000), kLimit), 0);
  std::uint64_t removed = 7;
  EXPECT_EQ(regions.remove(0x1000, 0x1000, removed), EINVAL);
  EXPECT_EQ(regions.remove(0x2000, 0x1000, removed), EINVAL);
  EXPECT_EQ(regions.remove(0x2000, 0x10000, removed), EINVAL) << "the first by a part";
  EXPECT_EQ(regions.remove(0, 0x7000, removed), EINVAL) << "the last by a part";
  EXPECT_EQ(regions.remove(0x1000, 0, removed), EINVAL);
  EXPECT_EQ(regions.remove(0x1000, ~std::uint64_t{0}, removed), EINVAL) << "round the end";
  EXPECT_EQ(regions.size(), 3u);
  EXPECT_EQ(regions.remove(0x3000, 0x1000, removed), 0) << "between two";
  EXPECT_EQ(removed, 0u);
  EXPECT_EQ(regions.remove(0x1000, 0x2000, removed), 0);
  EXPECT_EQ(removed, 0x2000u);
  std::uint8_t byte = 0;
  EXPECT_FALSE(regions.access(false, 0x1000, &byte, 1, nobody));
  EXPECT_TRUE(regions.access(false, 0x4000, &byte, 1, nobody));
  EXPECT_EQ(regions.remove(0, std::uint64_t{1} << 63, removed), 0);
  EXPECT_EQ(removed, 0x4000u);
  EXPECT_EQ(regions.size(), 0u);
  ASSERT_EQ(regions.add(region(0x1000, 0x2000), memory_file(0x2000), kLimit), 0);
  EXPECT_EQ(regions.clear(), 0x2000u);
  EXPECT_EQ(regions.size(), 0u);
}

// A mapped file that its owner shortens would kill who touches it.
TEST(DmaRegions, SurviveAFileThatIsCutOff) {
  FileDescriptor file = memory_file(0x2000), same(dup(file.get()));
  DmaRegions regions;
  ASSERT_EQ(regions.add(region(0, 0x2000), std::move(file), kLimit), 0);
  ASSERT_EQ(ftruncate(same.get(), 0x1000), 0);
  std::uint8_t data[16] = {};
  EXPECT_TRUE(regions.access(false, 0xff0, data, 16, nobody));
  EXPECT_FALSE(regions.access(false, 0xff8, data, 16, nobody));
}

TEST(DmaRegions, AskTheClientWhereThereIsNoFile) {
  DmaRegions regions;
  ASSERT_EQ(regions.add(region(0x1000, 0x1000), FileDescriptor(), kLimit), 0);
  std::uint64_t asked_at = 0;
  std::uint8_t data[4] = {};
  EXPECT_TRUE(regions.access(false, 0x1100, data, 4,
                             [&](bool write, std::uint64_t at, std::uint8_t* to, std::size_t n) {
                               EXPECT_FALSE(write);
                               EXPECT_EQ(n, 4u);
                               asked_at = at;
                               to[0] = 7;
                               return true;
                             }));
  EXPECT_EQ(asked_at, 0x1100u);
  EXPECT_EQ(data[0], 7);
  EXPECT_FALSE(regions.access(false, 0x1100, data, 4,
                              [](bool, std::uint64_t, std::uint8_t*, std::size_t) { return false; }));
}

}  // namespace
}  // namespace warpvp::vfio_user
