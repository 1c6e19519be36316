// BARs as memory of the process, with files in their place.
#include "sw/runtime/mapped_bars.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "interconnect/register_map.h"

namespace warpvp::rt {
namespace {

namespace ep = regmap::ep;
using Bar = DeviceLink::Bar;

class Bars : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kBytes = 0x2000;

  Bars() {
    for (const int file : files_) EXPECT_EQ(ftruncate(file, 0x4000), 0);
    EXPECT_TRUE(bars_.map(Bar::kRegisters, files_[0], kBytes, 0));
    EXPECT_TRUE(bars_.map(Bar::kMemory, files_[1], kBytes, 0x1000));
  }
  ~Bars() override {
    for (const int file : files_) close(file);
  }
  std::string in_file(unsigned bar, std::uint64_t at, std::size_t bytes) {
    std::string data(bytes, '\0');
    EXPECT_EQ(pread(files_[bar], data.data(), bytes, static_cast<off_t>(at)), static_cast<ssize_t>(bytes));
    return data;
  }
  std::uint64_t word_in_file(std::uint64_t at) {
    std::uint64_t word = 0;
    std::memcpy(&word, in_file(0, at, sizeof word).data(), sizeof word);
    return word;
  }

  const int files_[2] = {memfd_create("bar0", 0), memfd_create("bar2", 0)};
  MappedBars bars_;
};

TEST_F(Bars, HaveWhatIsWrittenThere) {
  bars_.write(Bar::kRegisters, 0x104, "abcdefghijkl", 12);
  EXPECT_EQ(in_file(0, 0x104, 12), "abcdefghijkl");
  bars_.write(Bar::kMemory, 0x13, "0123456789abcdefg", 17);
  EXPECT_EQ(in_file(1, 0x1013, 17), "0123456789abcdefg");
  char back[18] = {};
  bars_.read(Bar::kMemory, 0x13, back, 17);
  EXPECT_STREQ(back, "0123456789abcdefg");
}

TEST_F(Bars, WriteMemoryInBursts) {
  bars_.burst_to_memory(0x45, "0123456789", 10, false);
  EXPECT_EQ(in_file(0, ep::kBurstData, 16), std::string("0123456789\0\0\0\0\0\0", 16));
  EXPECT_EQ(word_in_file(ep::kMemoryBurst), std::uint64_t{10} << 48 | 0x45);
  bars_.burst_to_memory(0x45, "0123456789", 10, true);
  EXPECT_EQ(word_in_file(ep::kMemoryBurst), std::uint64_t{1} << 63 | std::uint64_t{10} << 48 | 0x45);
  bars_.burst_to_registers(0x40'0040, "a record", 8);
  EXPECT_EQ(word_in_file(ep::kBurst), std::uint64_t{8} << 32 | 0x40'0040);
}

TEST_F(Bars, EndWhereTheyEnd) {
  std::uint64_t word = 0;
  EXPECT_NO_THROW(bars_.read(Bar::kMemory, kBytes - 8, &word, 8));
  EXPECT_THROW(bars_.read(Bar::kMemory, kBytes - 7, &word, 8), TransportError);
  EXPECT_THROW(bars_.write(Bar::kRegisters, kBytes, &word, 4), TransportError);
  EXPECT_THROW(bars_.write(Bar::kRegisters, ~std::uint64_t{3}, &word, 8), TransportError);
  EXPECT_THROW(bars_.burst_to_memory(kBytes - 4, &word, 8, false), TransportError);
  std::vector<char> much(ep::kBurstBytes + 1);
  EXPECT_THROW(bars_.burst_to_memory(0, much.data(), much.size(), false), TransportError);
}

TEST_F(Bars, RegistersHaveWordsOnly) {
  std::uint64_t word = 0;
  EXPECT_THROW(bars_.read(Bar::kRegisters, 0x102, &word, 4), TransportError);
  EXPECT_THROW(bars_.write(Bar::kRegisters, 0x100, &word, 2), TransportError);
}

TEST(MappedBars, SayWhatCannotBeMapped) {
  MappedBars bars;
  EXPECT_FALSE(bars.map(Bar::kRegisters, -1, 4096, 0));
}

}  // namespace
}  // namespace warpvp::rt
