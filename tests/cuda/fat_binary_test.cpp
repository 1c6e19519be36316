// The reader of fat binaries: what it finds, what it chooses, and what it says of damage.

#include "sw/cuda/server/fat_binary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/error.h"
#include "sw/cuda/server/child_process.h"
#include "sw/cuda/server/source_lines.h"
#include "tests/cuda/fat_binary_writer.h"

namespace warpvp::cuda {
namespace {

using test::FatBinaryWriter;
using test::Packing;
using testing::HasSubstr;

std::string ptx(const std::string& target) {
  return ".version 7.0\n.target " + target + "\n// " + std::string(500, 'x') + "\n";
}
std::string chosen(const FatBinaryWriter& writer, std::uint32_t capability) {
  const std::vector<std::uint8_t> bytes = writer.bytes();
  return ptx_for("a.cu", bytes.data(), bytes.size(), capability);
}
std::string refusal(const std::vector<std::uint8_t>& bytes) {
  try {
    ptx_for("a.cu", bytes.data(), bytes.size(), 70);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FatBinary, PtxComesOutAsItWentIn) {
  for (const Packing packing : {Packing::kPlain, Packing::kLz4, Packing::kZstd})
    EXPECT_EQ(chosen(FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, ptx("sm_70"), packing), 70),
              ptx("sm_70"));
}

TEST(FatBinary, EntriesAreReadInOrder) {
  const std::vector<std::uint8_t> bytes = FatBinaryWriter()
                                              .add(FatBinaryWriter::kMachineCode, 80,
                                                   "\x7f"
                                                   "ELF",
                                                   Packing::kPlain)
                                              .add(FatBinaryWriter::kPtx, 80, ptx("sm_80"), Packing::kZstd)
                                              .bytes();
  const std::vector<FatBinaryEntry> entries = read_fat_binary("a.cu", bytes.data(), bytes.size());
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].kind, FatBinaryEntry::kMachineCode);
  EXPECT_EQ(entries[0].architecture, 80u);
  EXPECT_EQ(entries[1].kind, FatBinaryEntry::kPtx);
}

// The highest that the device has; else the lowest above.
TEST(FatBinary, TheBestPtxForTheDeviceIsTaken) {
  FatBinaryWriter writer;
  for (const char* target : {"52", "60", "75", "90"})
    writer.add(FatBinaryWriter::kPtx, static_cast<std::uint32_t>(std::stoi(target)),
               ptx(std::string("sm_") + target), Packing::kLz4);
  EXPECT_EQ(chosen(writer, 70), ptx("sm_60"));
  EXPECT_EQ(chosen(writer, 75), ptx("sm_75"));
  EXPECT_EQ(chosen(writer, 100), ptx("sm_90"));
  EXPECT_EQ(chosen(writer, 35), ptx("sm_52"));
}

TEST(FatBinary, WithoutPtxTheFlagOfTheCompilerIsNamed) {
  const std::string said = refusal(FatBinaryWriter()
                                       .add(FatBinaryWriter::kMachineCode, 80,
                                            "\x7f"
                                            "ELF",
                                            Packing::kPlain)
                                       .bytes());
  EXPECT_THAT(said, HasSubstr("a.cu: no PTX in it, but machine code of sm 80"));
  EXPECT_THAT(said, HasSubstr("-gencode arch=compute_75,code=compute_75"));
}

TEST(FatBinary, TheTargetOfPtxIsItsArchitecture) {
  EXPECT_EQ(architecture_of(".version 8.0\n.target sm_80\n"), 80u);
  EXPECT_EQ(architecture_of(".version 8.0\n.target sm_100a, debug\n"), 100u);
  EXPECT_EQ(architecture_of(".version 8.0\n.target debug\n sm_80"), 0u);
  EXPECT_EQ(architecture_of(""), 0u);
}

TEST(FatBinary, PtxAloneIsTakenAsItIs) {
  const std::string text = ptx("sm_70");
  EXPECT_EQ(ptx_for("a.cu", reinterpret_cast<const std::uint8_t*>(text.c_str()), text.size() + 1, 70), text);
}

TEST(FatBinary, WhatIsNoneIsRefused) {
  EXPECT_THAT(refusal({}), HasSubstr("neither a fat binary nor PTX"));
  EXPECT_THAT(refusal({1, 2, 3, 4, 5, 6, 7, 8}), HasSubstr("neither a fat binary nor PTX"));
}

TEST(FatBinary, EveryCutIsNoticed) {
  const std::vector<std::uint8_t> whole =
      FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, ptx("sm_70"), Packing::kZstd).bytes();
  for (std::size_t bytes = 4; bytes < whole.size(); ++bytes)
    EXPECT_NE(
        refusal(std::vector<std::uint8_t>(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes))),
        "")
        << bytes;
}

// Changed bytes either still give PTX or are refused; nothing else comes of them.
TEST(FatBinary, DamagedOnesDoNoHarm) {
  for (const Packing packing : {Packing::kPlain, Packing::kLz4, Packing::kZstd}) {
    const std::vector<std::uint8_t> whole =
        FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, ptx("sm_70"), packing).bytes();
    std::mt19937 random(7);
    for (int i = 0; i < 3000; ++i) {
      std::vector<std::uint8_t> changed = whole;
      for (int n = 1 + static_cast<int>(random() % 3); n > 0; --n)
        changed[random() % std::min<std::size_t>(changed.size(), 160)] = static_cast<std::uint8_t>(random());
      refusal(changed);
    }
  }
}

TEST(SourceLines, AreThoseOfTheLastLocOfTheFunction) {
  const std::string ptx =
      ".entry a()\n{\n.loc 2 10 1\nadd;\nadd;\n.loc 1 11 4\nret;\n}\n.entry b()\n{\nret;\n}\n.file 1 "
      "\"a.cu\"\n.file 2 \"b b.h\"\n";
  EXPECT_EQ(source_of(ptx, 5), "b b.h:10");
  EXPECT_EQ(source_of(ptx, 7), "a.cu:11");
  EXPECT_EQ(source_of(ptx, 11), "");  // of another function
  EXPECT_EQ(source_of(ptx, 2), "");
  EXPECT_EQ(source_of("", 3), "");
}

TEST(SourceLines, NamesAreThoseOfTheSource) {
  EXPECT_EQ(plain_name("_Z5scaleIfLi3EEvPT_i"), "void scale<float, 3>(float*, int)");
  EXPECT_EQ(plain_name("add"), "add");
}

TEST(CudaArguments, WordsAreSplitAsAShellDoes) {
  EXPECT_EQ(split_words("-n  100 'two words' \"a \\\" b\" c\\ d ''"),
            (std::vector<std::string>{"-n", "100", "two words", "a \" b", "c d", ""}));
  EXPECT_EQ(split_words(""), std::vector<std::string>());
  EXPECT_THROW(split_words("'open"), InputError);
}

}  // namespace
}  // namespace warpvp::cuda
