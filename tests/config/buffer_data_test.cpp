#include "platform/config/buffer_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/config/folder.h"

namespace warpvp {
namespace {

template <class T>
std::vector<T> as(const std::vector<std::uint8_t>& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
  return out;
}

template <class T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  std::vector<std::uint8_t> out(values.size() * sizeof(T));
  std::memcpy(out.data(), values.data(), out.size());
  return out;
}

BufferConfig buffer(const char* type, std::uint64_t count, BufferContents::Kind kind,
                    std::vector<std::string> values = {}) {
  BufferConfig b;
  b.type = type;
  b.count = count;
  b.init.kind = kind;
  b.init.values = std::move(values);
  return b;
}

using Kind = BufferContents::Kind;

TEST(BufferData, ZeroIotaFillValues) {
  EXPECT_EQ(as<float>(initial_contents("a", buffer("f32", 3, Kind::kIota), 1)),
            (std::vector<float>{0, 1, 2}));
  EXPECT_EQ(as<std::uint16_t>(initial_contents("a", buffer("u16", 2, Kind::kZero), 1)),
            (std::vector<std::uint16_t>{0, 0}));
  EXPECT_EQ(as<std::int8_t>(initial_contents("a", buffer("s8", 2, Kind::kFill, {"-128"}), 1)),
            (std::vector<std::int8_t>{-128, -128}));
  EXPECT_EQ(as<double>(initial_contents("a", buffer("f64", 2, Kind::kValues, {"0.1", "-inf"}), 1)),
            (std::vector<double>{0.1, -HUGE_VAL}));
  EXPECT_EQ(as<std::uint64_t>(
                initial_contents("a", buffer("u64", 1, Kind::kValues, {"18446744073709551615"}), 1))[0],
            18446744073709551615ull);
}

TEST(BufferData, RangesOfTypes) {
  std::vector<std::uint8_t> out;
  EXPECT_TRUE(append_element(ElementType::kU8, "255", out));
  EXPECT_FALSE(append_element(ElementType::kU8, "256", out));
  EXPECT_FALSE(append_element(ElementType::kU8, "-1", out));
  EXPECT_TRUE(append_element(ElementType::kS8, "-128", out));
  EXPECT_FALSE(append_element(ElementType::kS8, "-129", out));
  EXPECT_FALSE(append_element(ElementType::kS8, "128", out));
  EXPECT_TRUE(append_element(ElementType::kS64, "-9223372036854775808", out));
  EXPECT_FALSE(append_element(ElementType::kS64, "9223372036854775808", out));
  EXPECT_FALSE(append_element(ElementType::kU32, "1.5", out));
  EXPECT_FALSE(append_element(ElementType::kF32, "1e39", out));
  EXPECT_TRUE(append_element(ElementType::kF64, "1e39", out));
  EXPECT_EQ(out.size(), 1u + 1 + 8 + 8);
}

TEST(BufferData, RandomIsRepeatableInRangeAndDependsOnSeedAndName) {
  BufferConfig b = buffer("s32", 2000, Kind::kRandom);
  b.min = -3;
  b.max = 3;
  const auto values = as<std::int32_t>(initial_contents("a", b, 1));
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -3);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 3);  // both ends are reached
  EXPECT_EQ(values, as<std::int32_t>(initial_contents("a", b, 1)));
  EXPECT_NE(values, as<std::int32_t>(initial_contents("a", b, 2)));
  EXPECT_NE(values, as<std::int32_t>(initial_contents("b", b, 1)));
  b.seed = 7;
  EXPECT_EQ(initial_contents("a", b, 1), initial_contents("b", b, 2));
  // SplitMix64 seeded with 7: the first number over 2^64, by the published recurrence.
  BufferConfig f = buffer("f64", 1, Kind::kRandom);
  f.seed = 7;
  std::uint64_t z = 7 + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  z ^= z >> 31;
  EXPECT_EQ(as<double>(initial_contents("a", f, 1))[0], std::ldexp(static_cast<double>(z >> 11), -53));
}

TEST(BufferData, Files) {
  const Folder folder;
  BufferConfig b = buffer("u8", 3, Kind::kFile);
  b.init.file.resolved = folder.write("x.bin", std::string("\x01\x00\xff", 3)).string();
  EXPECT_EQ(initial_contents("a", b, 1), (std::vector<std::uint8_t>{1, 0, 255}));
}

TEST(Compare, ToleranceIsRelativeAboveOneAndAbsoluteBelow) {
  const auto got = bytes_of<float>({1000.5f, 0.0005f, 5});
  const auto want = bytes_of<float>({1000.0f, 0.0f, 5});
  EXPECT_EQ(compare_contents("c", ElementType::kF32, got, want, 1e-3).differing, 0u);
  const Comparison tight = compare_contents("c", ElementType::kF32, got, want, 1e-4);
  EXPECT_EQ(tight.differing, 2u);
  EXPECT_EQ(tight.first_differing, 0u);
  EXPECT_EQ(tight.message,
            "buffer 'c' differs at element 0: got 1000.5, expected 1000 (2 of 3 elements differ)");
}

TEST(Compare, NansZerosAndIntegers) {
  const float nan = std::nanf("");
  EXPECT_EQ(compare_contents("c", ElementType::kF32, bytes_of<float>({nan, 0.0f}),
                             bytes_of<float>({-nan, -0.0f}), 0)
                .differing,
            0u);
  EXPECT_EQ(
      compare_contents("c", ElementType::kF32, bytes_of<float>({nan}), bytes_of<float>({1}), 100).differing,
      1u);
  // Neighbours that a double cannot tell apart still differ.
  const auto a = bytes_of<std::uint64_t>({(1ull << 60) + 1});
  const auto b = bytes_of<std::uint64_t>({1ull << 60});
  EXPECT_EQ(compare_contents("c", ElementType::kU64, a, b, 0).message,
            "buffer 'c' differs at element 0: got 1152921504606846977, expected 1152921504606846976");
  EXPECT_EQ(compare_contents("c", ElementType::kS8, {0xff}, {0x01}, 0).message,
            "buffer 'c' differs at element 0: got -1, expected 1");
  EXPECT_EQ(compare_contents("c", ElementType::kU8, {1, 2}, {1}, 0).differing, 1u);
}

}  // namespace
}  // namespace warpvp
