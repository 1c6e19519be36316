// Images that are damaged or made up: each is refused with one line, and none reads beyond its bytes. Under
// `make asan` these tests look at every access.

#include <cstring>
#include <functional>
#include <random>

#include "ptx/image/modifier_fields.h"
#include "support.h"

namespace warpvp::ptx::image {
namespace {

/// A kernel with something in every section.
std::vector<std::uint8_t> rich_image() {
  const auto module = kernel(
      ".reg .u32 %r<4>; .reg .u64 %d<4>; .reg .pred %p;\n.local .b32 scratch[8];\n.shared .b32 s[32];\n"
      "ts: .branchtargets A, B;\n"
      "ld.param.u64 %d0, [p];\nld.const.u32 %r0, [table];\nmov.u64 %d1, f;\nmov.u32 %r1, %tid.x;\n"
      "setp.lt.u32 %p, %r1, 1;\nst.local.u32 [scratch], %r1;\nst.shared.u32 [s], %r1;\nbar.sync 0;\n"
      "shfl.sync.idx.b32 %r3, %r1, 0, 31, 0xffffffff;\n"
      "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r1, %r3}, {%r1}, {%r3}, {%r1, %r3};\n"
      "@%p brx.idx %r1, ts;\n"
      "A: call (%r2), f, (%r0);\nB: st.global.u32 [%d0], %r2;\nret;",
      ".param .u64 p",
      ".const .u32 table[4] = {1, 2, 3, 4};\n"
      ".func (.reg .u32 %out) f(.reg .u32 %in) { add.u32 %out, %in, 0x12345; ret; }");
  return write_image(*module->entry("k"));
}

std::uint64_t number(const std::vector<std::uint8_t>& bytes, std::size_t at, unsigned count) {
  std::uint64_t v = 0;
  for (unsigned i = 0; i < count; ++i) v |= std::uint64_t{bytes[at + i]} << (8 * i);
  return v;
}

/// Reads a copy that ends where `bytes` end, so that a sanitizer sees what goes beyond. One line, or "".
std::string outcome(const std::vector<std::uint8_t>& bytes) {
  const std::string why = refusal(std::vector<std::uint8_t>(bytes));
  EXPECT_EQ(why.find('\n'), std::string::npos);
  return why;
}

TEST(DamagedImage, AnyByteChangedIsFound) {
  const std::vector<std::uint8_t> good = rich_image();
  ASSERT_EQ(refusal(good), "");
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const std::uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<std::uint8_t> bad = good;
      bad[at] ^= flip;
      EXPECT_NE(outcome(bad), "") << at;
    }
  }
}

TEST(DamagedImage, AnyLengthIsRefused) {
  const std::vector<std::uint8_t> good = rich_image();
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_NE(outcome({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
}

// With a checksum that fits the damage: read or refused, never more. What is read is an image again.
TEST(DamagedImage, MadeUpImagesAreReadOrRefused) {
  const std::vector<std::uint8_t> good = rich_image();
  std::mt19937_64 random(31);
  unsigned read_ones = 0;
  for (unsigned round = 0; round < 40000; ++round) {
    std::vector<std::uint8_t> bad = good;
    for (unsigned n = 1 + random() % 3; n != 0; --n) {
      const std::size_t at = random() % bad.size();
      switch (random() % 4) {
        case 0:
          bad[at] = static_cast<std::uint8_t>(random());
          break;
        case 1:
          bad[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
          break;
        case 2:
          bad[at] = 0xff;
          break;
        default:
          std::swap(bad[at], bad[random() % bad.size()]);
          break;
      }
    }
    sign(bad);
    if (!outcome(bad).empty()) continue;
    ++read_ones;
    EXPECT_EQ(write_image(*read(bad)).size() % kSectionAlignment, 0u);
  }
  EXPECT_GT(read_ones, 0u);  // names, texts and lines may be anything
}

TEST(DamagedImage, HugeCountsTakeNoMemory) {
  const std::vector<std::uint8_t> good = rich_image();
  for (std::uint32_t s = 0; s < kSections; ++s) {
    const auto at = static_cast<std::size_t>(number(good, kHeaderBytes + s * kEntryBytes + 4, 4));
    if (at + 4 > good.size()) continue;
    std::vector<std::uint8_t> bad = good;
    std::memset(bad.data() + at, 0xff, 4);
    sign(bad);
    const auto section = static_cast<Section>(s + 1);
    if (section == Section::kStrings || section == Section::kLines)
      continue;  // text and line numbers: anything goes
    EXPECT_NE(outcome(bad), "") << s + 1;
  }
}

TEST(DamagedImage, TheHeaderSaysWhatItIs) {
  const std::vector<std::uint8_t> good = rich_image();
  const auto changed = [&](const std::function<void(std::vector<std::uint8_t>&)>& change) {
    std::vector<std::uint8_t> bad = good;
    change(bad);
    return outcome(bad);
  };
  EXPECT_EQ(changed([](auto& b) { b[0] = 'E'; }), "it does not begin with the magic number");
  EXPECT_EQ(changed([](auto& b) { b[4] = 9; }), "it is of version 9, this device takes version 3");
  EXPECT_EQ(changed([](auto& b) { b.back() ^= 1; }), "its checksum is wrong");
  EXPECT_EQ(changed([](auto& b) { b.resize(40); }), "there is no room for its header");
  EXPECT_EQ(
      changed([](auto& b) { b[kTotalAt + 2] = 0x70; }),
      "its length of " + std::to_string(good.size() % 65536 + 0x70'0000) + " bytes is beyond its memory");
}

/// The image of a changed program.
std::string changed(const std::function<void(Program&)>& change) {
  const auto module = kernel(
      ".reg .u32 %r<4>; .reg .u64 %d; .reg .pred %p;\nld.param.u64 %d, [p];\nmov.u32 %r0, 5;\n"
      "setp.lt.u32 %p, %r0, 1;\n@%p bra A;\nadd.u32 %r1, %r0, 7;\nst.global.u32 [%d], %r1;\nA: ret;",
      ".param .u64 p");
  Program& program = *module->entry("k");
  change(program);
  return refusal(write_image(program));
}

TEST(DamagedImage, WhatWouldLeadOutOfBoundsIsNamed) {
  const struct {
    const char* why;
    std::function<void(Program&)> change;
  } cases[] = {
      {"", [](Program&) {}},
      {"instruction 3 has a target beyond the code", [](Program& p) { p.code[3].target = 7; }},
      {"instruction 3 has a place to meet beyond the code", [](Program& p) { p.code[3].reconverge = 100; }},
      {"instruction 4 has a register beyond its frame",
       [](Program& p) { p.code[4].src[0].index = static_cast<std::uint16_t>(p.rows); }},
      {"instruction 4 has a constant beyond the bank", [](Program& p) { p.code[4].src[1].index = 200; }},
      {"instruction 2 has a predicate that there is not", [](Program& p) { p.code[2].dst[0].index = 9; }},
      {"instruction 3 has a guard that is no predicate",
       [](Program& p) { p.code[3].guard.kind = OperandKind::kReg; }},
      {"instruction 1 has a constant as its result",
       [](Program& p) { p.code[1].dst[0].kind = OperandKind::kConst; }},
      {"instruction 5 has a 64-bit register in an odd row", [](Program& p) { ++p.code[5].src[0].index; }},
      {"instruction 5 has a vector of no allowed length", [](Program& p) { p.code[5].vector = 8; }},
      {"instruction 5 has a text that there is not", [](Program& p) { p.code[5].ir_index = 99; }},
      {"instruction 5 has modifiers that there are not", [](Program& p) { p.code[5].modifiers = 99; }},
      {"instruction 1 has modifiers that do not fit it",
       [](Program& p) { p.modifiers[p.code[1].modifiers].type = Type::pred; }},
      {"instruction 3 has an effect that is not its opcode's",
       [](Program& p) { p.code[3].effect = Effect::kMemory; }},
      {"instruction 1 has an effect that is not its opcode's",
       [](Program& p) { p.code[1].effect = Effect::kBranch; }},
      {"its code does not end",
       [](Program& p) {
         p.code.pop_back();
         p.code[3].target = 0;
         p.code[3].reconverge = kNoPc;
       }},
      {"it has no instructions", [](Program& p) { p.code.clear(); }},
      {"its code lies outside device memory", [](Program& p) { p.code_address = 0x1000; }},
      {"a parameter lies beyond the arguments", [](Program& p) { p.params[0].offset = 4; }},
      {"it needs 70000 rows of registers, at most 65535 are allowed", [](Program& p) { p.rows = 70000; }},
      {"it needs 0 registers per thread, 1 to 255 are allowed",
       [](Program& p) { p.registers_per_thread = 0; }},
      {"a function leads beyond the code", [](Program& p) { p.functions.push_back(500); }},
      {"a range of constant memory lies outside device memory",
       [](Program& p) { p.const_ranges.emplace_back(0, 16); }},
      {"a preset register does not come from constant memory",
       [](Program& p) {
         PresetRow preset;
         preset.in_memory = true;
         preset.bytes = 4;
         preset.address = kMemory.base;
         p.presets.push_back(preset);
       }},
      {"a preset register has another one's row",
       [](Program& p) {
         PresetRow preset;
         preset.bytes = 4;
         p.presets = {preset, preset};
       }},
  };
  for (const auto& c : cases) EXPECT_EQ(changed(c.change), c.why);
}

TEST(DamagedImage, ModifierFieldsAreAllBytes) {
  std::size_t bytes = 0;
  visit_modifier_bytes([&](std::size_t at, std::uint8_t) { EXPECT_EQ(at, bytes++); });
  EXPECT_EQ(bytes, sizeof(Modifiers));
}

TEST(MadeUpProgram, HasTheFragmentsOfItsProducts) {
  const auto with = [](const std::function<void(Program&)>& change) {
    const auto module = kernel(
        ".reg .b32 %r<4>; .reg .f64 %d<4>;\n"
        "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};\n"
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d0, %d1}, {%d2}, {%d3}, {%d0, %d1};\nret;",
        "");
    Program& program = *module->entry("k");
    change(program);
    return outcome(write_image(program));
  };
  EXPECT_EQ(with([](Program&) {}), "");
  EXPECT_EQ(with([](Program& p) { p.fragments.pop_back(); }),
            "instruction 1 has a fragment that there is not");
  EXPECT_EQ(with([](Program& p) { p.code[0].table = 0xffffffff; }),
            "instruction 0 has a fragment that there is not");
  EXPECT_EQ(with([](Program& p) { p.fragments[2] = 999; }), "instruction 0 has a register beyond its frame");
  EXPECT_EQ(with([](Program& p) { ++p.fragments.back(); }),
            "instruction 1 has a 64-bit register in an odd row");
}

}  // namespace
}  // namespace warpvp::ptx::image
