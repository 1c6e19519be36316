// The decoder and the disassembler against binutils, and against an assembler made from the same table.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "modules/command_processor/riscv/instruction.h"
#include "tests/riscv/assembler.h"

namespace warpvp::riscv {
namespace {

/// Words that are instances of an entry of the table, with operands drawn at random.
std::vector<std::uint32_t> instances(std::uint16_t entry, unsigned count, std::mt19937& rng) {
  const Encoding& e = encodings()[entry];
  std::vector<std::uint32_t> words;
  while (words.size() < count) {
    const std::uint32_t noise = is_compressed(e.match) ? rng() & 0xffff : rng();
    const std::uint32_t word = e.match | (noise & ~e.mask);
    if (decode(word).encoding == entry) words.push_back(word);
  }
  return words;
}

TEST(Decoder, KnowsEveryEntryOfTheTable) {
  std::mt19937 rng(1);
  for (std::uint16_t e = 0; e < encodings().size(); ++e)
    for (const std::uint32_t word : instances(e, 50, rng)) {
      const Instruction i = decode(word);
      EXPECT_EQ(i.op, encodings()[e].op);
      EXPECT_EQ(i.raw, word);
      EXPECT_EQ(i.length, is_compressed(word) ? 2 : 4);
    }
}

TEST(Decoder, TakesOnlyTheFirstTwoBytesOfACompressedInstruction) {
  EXPECT_EQ(decode(0xffff0001).raw, 1u);
  EXPECT_EQ(decode(0xffff0001).length, 2);
}

TEST(Decoder, IsTotal) {
  std::mt19937 rng(2);
  unsigned illegal = 0;
  for (unsigned i = 0; i < 200'000; ++i) {
    const Instruction instruction = decode(rng());
    illegal += instruction.op == Op::kIllegal;
    EXPECT_FALSE(disassemble(instruction, 0x80000000).empty());
    EXPECT_LT(instruction.rd, 32);
    EXPECT_LT(instruction.rs1, 32);
    EXPECT_LT(instruction.rs2, 32);
  }
  EXPECT_GT(illegal, 10'000u);
}

TEST(Disassembler, WritesWhatAnAssemblerReads) {
  std::mt19937 rng(3);
  for (std::uint16_t e = 0; e < encodings().size(); ++e) {
    if (is_compressed(encodings()[e].match)) continue;
    for (std::uint32_t word : instances(e, 50, rng)) {
      // Fields that fences ignore are not written; sets of none have no name.
      if (encodings()[e].op == Op::kFence && encodings()[e].format == Format::kFence) word &= 0x0ff0707f;
      if (encodings()[e].format == Format::kNone) word = encodings()[e].match;
      const std::string text = disassemble(decode(word), test::Assembler::kBase);
      EXPECT_EQ(test::Assembler(text).words().at(0), word) << text;
    }
  }
}

TEST(Disassembler, NamesWhatIsNoInstruction) {
  EXPECT_EQ(disassemble(decode(0), 0), ".2byte 0x0000");
  EXPECT_EQ(disassemble(decode(0xffffffff), 0), ".4byte 0xffffffff");
}

TEST(Disassembler, ShowsTargetsAsAddresses) {
  EXPECT_EQ(disassemble(decode(0xff5ff06f), 0x80000010), "jal zero,80000004");
  EXPECT_EQ(disassemble(decode(0xfe0008e3), 0x80000010), "beq zero,zero,80000000");
  EXPECT_EQ(disassemble(decode(0xbfc5), 0x80000010), "c.j 80000000");
}

// ---- Against objdump

/// objdump's text for words that lie one after the other from address 0, by address; tabs are spaces and its
/// comments are gone.
std::map<std::uint32_t, std::string> objdump(const std::vector<std::uint32_t>& words) {
  const std::string file = ::testing::TempDir() + "/riscv_words.bin";
  std::ofstream out(file, std::ios::binary);
  for (const std::uint32_t word : words)
    out.write(reinterpret_cast<const char*>(&word), is_compressed(word) ? 2 : 4);
  out.close();
  std::map<std::uint32_t, std::string> lines;
  FILE* pipe = popen((WARPVP_RISCV_OBJDUMP " -D -b binary -m riscv:rv32 -M no-aliases " + file).c_str(), "r");
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) {
    std::string line = buffer;
    const auto colon = line.find(":\t");
    if (colon == std::string::npos || line[0] != ' ') continue;
    const auto address = static_cast<std::uint32_t>(std::stoul(line.substr(0, colon), nullptr, 16));
    const auto text_at = line.find('\t', colon + 2);
    if (text_at == std::string::npos) continue;
    std::string text = line.substr(text_at + 1);
    text = text.substr(0, text.find(" #"));
    for (char& c : text)
      if (c == '\t') c = ' ';
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
    lines[address] = text;
  }
  pclose(pipe);
  return lines;
}

TEST(Disassembler, AgreesWithObjdump) {
  if (std::string(WARPVP_RISCV_OBJDUMP).empty())
    GTEST_SKIP() << "riscv64-unknown-elf-objdump was not found; tools/install-packages firmware installs it";
  std::mt19937 rng(4);
  std::vector<std::uint32_t> words;
  for (std::uint16_t e = 0; e < encodings().size(); ++e) {
    const std::string name = encodings()[e].name;
    for (std::uint32_t word : instances(e, 60, rng)) {
      const Instruction i = decode(word);
      // Where objdump 2.40 has ways of its own: hints, nop, reserved fields of fences, CSRs by other names.
      if (name == "c.nop" ||
          (is_compressed(word) && i.rd == 0 && i.op != Op::kSw && i.op != Op::kBeq && i.op != Op::kBne &&
           i.op != Op::kJal && i.op != Op::kJalr && i.op != Op::kEbreak))
        continue;
      if (name == "c.addi" && i.immediate == 0) continue;
      if ((name == "c.slli" || name == "c.srli" || name == "c.srai") && i.immediate == 0) continue;
      if (encodings()[e].op == Op::kFence && encodings()[e].format == Format::kFence) word &= 0x0ff0707f;
      if (encodings()[e].op == Op::kFence && encodings()[e].format == Format::kFence && word == 0x0000000f)
        continue;
      if (encodings()[e].format == Format::kNone) word = encodings()[e].match;
      if (encodings()[e].format == Format::kCsr || encodings()[e].format == Format::kCsrImmediate) {
        static constexpr std::uint32_t kNamed[] = {
            0x300, 0x301, 0x304, 0x305, 0x320, 0x340, 0x341, 0x342, 0x343, 0x344, 0xb00, 0xb02,
            0xb80, 0xb82, 0xb03, 0xb9f, 0x323, 0x33f, 0xc00, 0xc01, 0xc02, 0xc80, 0xc81, 0xc82,
            0xf11, 0xf12, 0xf13, 0xf14, 0x3a0, 0x3bf, 0x7a0, 0x7a1, 0x7a2, 0x7a3, 0x7c4};
        word = (word & 0x000fffff) | kNamed[rng() % std::size(kNamed)] << 20;
      }
      words.push_back(word);
    }
  }
  const auto expected = objdump(words);
  std::map<std::string, unsigned> compared;
  std::uint32_t pc = 0;
  for (const std::uint32_t word : words) {
    const Instruction i = decode(word);
    ASSERT_TRUE(expected.count(pc)) << std::hex << pc << " " << word;
    std::string theirs = expected.at(pc);
    // In a file without symbols it marks targets as hexadecimal.
    const bool jumps = i.op == Op::kJal || (i.op >= Op::kBeq && i.op <= Op::kBgeu);
    if (const auto prefix = theirs.rfind("0x"); jumps && prefix != std::string::npos) theirs.erase(prefix, 2);
    EXPECT_EQ(disassemble(i, pc), theirs) << std::hex << word;
    ++compared[encodings()[i.encoding].name];
    pc += i.length;
  }
  EXPECT_EQ(compared.size(), encodings().size() - 1);  // all but c.nop
}

}  // namespace
}  // namespace warpvp::riscv
