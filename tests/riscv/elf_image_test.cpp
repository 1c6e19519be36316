// Executables of firmware: what is taken from them, and what is refused with which remedy.

#include "modules/command_processor/riscv/elf_image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>

#include "base/error.h"
#include "tests/support/elf_file.h"

namespace warpvp::riscv {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t kImageBase = 0x8000'0000, kImageBytes = 0x1'0000;

ElfFile sample() {
  ElfFile file;
  file.entry = kImageBase;
  file.sections = {{".text", kImageBase, {1, 2, 3, 4, 5, 6, 7, 8}, true},
                   {".data", kImageBase + 0x100, {9, 10}, false}};
  file.symbols = {{"start", kImageBase, 4, STT_FUNC},
                  {"main", kImageBase + 4, 4, STT_FUNC},
                  {"table", kImageBase + 0x100, 2, STT_OBJECT}};
  return file;
}

std::string message(const std::function<void()>& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string refusal(const std::vector<std::uint8_t>& content) {
  return message([&] { ElfImage::parse(content, "fw.elf"); });
}
Elf32_Ehdr& header(std::vector<std::uint8_t>& content) {
  return *reinterpret_cast<Elf32_Ehdr*>(content.data());
}
Elf32_Phdr& segment(std::vector<std::uint8_t>& content, unsigned i) {
  return reinterpret_cast<Elf32_Phdr*>(content.data() + sizeof(Elf32_Ehdr))[i];
}

TEST(ElfImage, TakesSegmentsEntryAndSymbols) {
  const ElfImage image = ElfImage::parse(sample().content(), "fw.elf");
  image.check_fits(kImageBase, kImageBytes);
  EXPECT_EQ(image.entry(), kImageBase);
  ASSERT_EQ(image.segments().size(), 2u);
  EXPECT_EQ(image.segments()[0].address, kImageBase);
  EXPECT_EQ(image.segments()[0].bytes, (std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(image.segments()[1].address, kImageBase + 0x100);
  EXPECT_EQ(image.segments()[1].memory_bytes, 2u);
  ASSERT_EQ(image.sections().size(), 2u);
  EXPECT_EQ(image.sections()[0].name, ".text");
  EXPECT_TRUE(image.sections()[0].code);
  EXPECT_EQ(image.find("table"), kImageBase + 0x100);
  EXPECT_EQ(image.find("nothing"), std::nullopt);
}

TEST(ElfImage, NamesAddresses) {
  const ElfImage image = ElfImage::parse(sample().content(), "fw.elf");
  EXPECT_EQ(image.describe(kImageBase), "start");
  EXPECT_EQ(image.describe(kImageBase + 2), "start+0x2");
  EXPECT_EQ(image.describe(kImageBase + 6), "main+0x2");
  EXPECT_EQ(image.describe(kImageBase + 8), "") << "after the last function";
  EXPECT_EQ(image.describe(kImageBase - 1), "");
  EXPECT_EQ(image.describe(kImageBase + 0x100), "") << "data is not code";
}

TEST(ElfImage, KeepsZerosBehindAFilledPartApart) {
  auto content = sample().content();
  segment(content, 1).p_memsz = 0x800;
  const ElfImage image = ElfImage::parse(content, "fw.elf");
  EXPECT_EQ(image.segments()[1].memory_bytes, 0x800u);
  EXPECT_EQ(image.segments()[1].bytes.size(), 2u);
}

TEST(ElfImage, ReadsTheCheckedInFirmware) {
  const ElfImage image = ElfImage::load("sw/firmware/prebuilt/rr.elf");
  image.check_fits(kImageBase, 256 * 1024);
  const auto main = image.find("main");
  ASSERT_TRUE(main);
  EXPECT_EQ(image.describe(*main), "main");
  EXPECT_FALSE(image.describe(image.entry()).empty());
}

TEST(ElfImage, RefusesWhatIsNotOne) {
  for (const std::vector<std::uint8_t>& content :
       {std::vector<std::uint8_t>{}, {'#', '!', '/', 'b', 'i', 'n'}, std::vector<std::uint8_t>(100, 0x7f)})
    EXPECT_THAT(refusal(content),
                AllOf(StartsWith("fw.elf: not an ELF file"), HasSubstr("riscv64-unknown-elf-gcc")));
  EXPECT_THAT(message([] { ElfImage::load("no/such/file.elf"); }),
              StartsWith("cannot read no/such/file.elf: No such file or directory; give the path"));
  EXPECT_THAT(message([] { ElfImage::load("/"); }), StartsWith("cannot read /: it is a folder; give the"));
  EXPECT_THAT(message([] { ElfImage::load("/dev/zero"); }),
              StartsWith("cannot read /dev/zero: it is a device"));
}

TEST(ElfImage, RefusesOtherKinds) {
  auto content = sample().content();
  header(content).e_ident[EI_CLASS] = ELFCLASS64;
  EXPECT_THAT(refusal(content), HasSubstr("64-bit"));
  content = sample().content();
  header(content).e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_THAT(refusal(content), HasSubstr("big-endian"));
  content = sample().content();
  header(content).e_machine = EM_ARM;
  EXPECT_THAT(refusal(content), AllOf(HasSubstr("another machine"), HasSubstr("-march=rv32imac")));
  content = sample().content();
  header(content).e_type = ET_REL;
  EXPECT_THAT(refusal(content), HasSubstr("not a linked executable"));
  content = sample().content();
  header(content).e_flags = 0x2;
  EXPECT_THAT(refusal(content), AllOf(HasSubstr("floating-point"), HasSubstr("-mabi=ilp32")));
}

TEST(ElfImage, RefusesSegmentsThatOverlap) {
  auto content = sample().content();
  segment(content, 1).p_paddr = kImageBase + 7;
  EXPECT_THAT(refusal(content),
              HasSubstr("segments overlap: 8 bytes at 0x80000000 and 2 bytes at 0x80000007"));
  segment(content, 1).p_paddr = kImageBase + 8;
  EXPECT_EQ(message([&] { ElfImage::parse(content, "fw.elf"); }), "no error");
  segment(content, 0).p_memsz = 0x20000000;  // zeros count too
  EXPECT_THAT(refusal(content), HasSubstr("segments overlap"));
}

TEST(ElfImage, RefusesDamage) {
  auto content = sample().content();
  segment(content, 0).p_filesz = segment(content, 0).p_memsz = 0x7fffffff;
  EXPECT_THAT(refusal(content), HasSubstr("beyond the end of the file"));
  content = sample().content();
  segment(content, 0).p_offset = 0xffffffff;
  EXPECT_THAT(refusal(content), HasSubstr("beyond the end of the file"));
  content = sample().content();
  segment(content, 0).p_memsz = 0xffffffff;
  EXPECT_THAT(refusal(content), HasSubstr("beyond 32-bit addresses"));
  ElfFile greedy = sample();  // every segment asks for nearly all of the file
  greedy.sections.resize(300, {"s", kImageBase, std::vector<std::uint8_t>(4096), false});
  content = greedy.content();
  for (unsigned i = 0; i < 300; ++i) {
    segment(content, i).p_offset = 0;
    segment(content, i).p_filesz = segment(content, i).p_memsz = static_cast<Elf32_Word>(content.size());
  }
  EXPECT_THAT(refusal(content), HasSubstr("more than 256 MiB to load"));
  content = sample().content();
  header(content).e_phnum = 0;
  EXPECT_THAT(refusal(content), HasSubstr("nothing to load"));
  content.resize(20);
  EXPECT_THAT(refusal(content), StartsWith("fw.elf: "));
}

TEST(ElfImage, MustFitLocalMemoryAndStartInIt) {
  const ElfImage image = ElfImage::parse(sample().content(), "fw.elf");
  EXPECT_THAT(message([&] { image.check_fits(kImageBase, 0x101); }),
              AllOf(HasSubstr("segment of 2 bytes at 0x80000100"), HasSubstr("outside local memory"),
                    HasSubstr("0x80000000 to 0x80000100"), HasSubstr("local_kib")));
  EXPECT_THAT(message([&] { image.check_fits(kImageBase + 0x1000, kImageBytes); }),
              HasSubstr("segment of 8 bytes"));
  EXPECT_THAT(message([&] { image.check_fits(0, kImageBytes); }), HasSubstr("outside local memory"));
  for (const std::uint32_t entry : {0u, kImageBase + 8, kImageBase + 1, kImageBase + 0x5000}) {
    ElfFile file = sample();
    file.entry = entry;
    EXPECT_THAT(
        message([&] { ElfImage::parse(file.content(), "fw.elf").check_fits(kImageBase, kImageBytes); }),
        AllOf(HasSubstr("entry point"), HasSubstr("ENTRY()")));
  }
}

// Whatever is in the file, it is read or refused.
TEST(ElfImage, TakesOrRefusesAnything) {
  std::mt19937 rng(6);
  const auto good = sample().content();
  unsigned refused = 0;
  for (unsigned i = 0; i < 20'000; ++i) {
    auto content = good;
    for (unsigned n = 1 + rng() % 4; n > 0; --n) {
      // Mostly where the structure is: headers at both ends.
      const std::size_t at = rng() % 3 == 0   ? rng() % content.size()
                             : rng() % 2 == 0 ? rng() % (sizeof(Elf32_Ehdr) + 2 * sizeof(Elf32_Phdr))
                                              : content.size() - 1 - rng() % (6 * sizeof(Elf32_Shdr));
      content[at] = static_cast<std::uint8_t>(rng() % 3 == 0 ? 0xff : rng());
    }
    if (rng() % 8 == 0) content.resize(rng() % content.size());
    try {
      const ElfImage image = ElfImage::parse(content, "fw.elf");
      image.describe(image.entry());
      image.check_fits(kImageBase, kImageBytes);
    } catch (const InputError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000u);
}

}  // namespace
}  // namespace warpvp::riscv
