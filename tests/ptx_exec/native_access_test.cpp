// Accesses to memory as code of the host (ptx/native): as instruction by instruction.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <tuple>

#include "ptx/exec/slice_stores.h"
#include "ptx/exec/stretches.h"
#include "tests/ptx_exec/native_harness.h"
#include "tests/ptx_exec/one_warp.h"

namespace warpvp::ptx::testing {
namespace {

// Blocks, single elements and what is gathered, in two allocations in turns and in shared memory, by all
// lanes and by some; and what is beyond them, or between elements.
TEST_F(NativeCodeTest, AccessesAreThoseOfTheirFunctions) {
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 out, .param .u64 index, .param .u64 a, .param .u64 b, .param .u32 "
      "lanes)\n{\n"
      ".reg .pred %p<4>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.shared .align 8 .b8 tile[2048];\n"
      "ld.param.u64 %rd1, [out];\nld.param.u64 %rd2, [index];\nld.param.u64 %rd3, [a];\nld.param.u64 %rd4, "
      "[b];\n"
      "ld.param.u32 %r1, [lanes];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %rd5, %r2, 128;\nadd.u64 %rd1, %rd1, "
      "%rd5;\n"
      "mul.wide.u32 %rd5, %r2, 8;\nadd.u64 %rd2, %rd2, %rd5;\n"
      // Four elements a thread in shared memory: 1000 + their place.
      "mov.u32 %r3, tile;\nshl.b32 %r4, %r2, 4;\nadd.u32 %r5, %r3, %r4;\nshl.b32 %r6, %r2, 2;\nadd.u32 %r6, "
      "%r6, 1000;\n"
      "st.shared.u32 [%r5], %r6;\nadd.u32 %r6, %r6, 1;\nst.shared.u32 [%r5+4], %r6;\nadd.u32 %r6, %r6, 1;\n"
      "st.shared.u32 [%r5+8], %r6;\nadd.u32 %r6, %r6, 1;\nst.shared.u32 [%r5+12], %r6;\nbar.sync 0;\n"
      "shr.u32 %r7, %r1, %r2;\nand.b32 %r7, %r7, 1;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra done;\n"
      "ld.global.u64 %rd6, [%rd2];\nadd.u64 %rd7, %rd3, %rd6;\nadd.u64 %rd8, %rd4, %rd6;\n"
      "ld.global.u32 %r8, [%rd7+-4];\nld.global.u32 %r9, [%rd8];\nadd.u64 %rd8, %rd8, %rd6;\nld.global.u64 "
      "%rd9, [%rd8];\n"
      "ld.global.u32 %r10, [%rd7];\ncvt.u32.u64 %r11, %rd6;\nadd.u32 %r11, %r11, %r3;\nld.shared.u32 %r12, "
      "[%r11];\n"
      "add.u32 %r13, %r8, %r9;\nand.b32 %r11, %r11, 0xfffffff8;\nld.shared.u64 %rd10, [%r11];\n"
      "ld.global.u8 %r17, [%rd7];\nmul.wide.u32 %rd11, %r2, 2;\nadd.u64 %rd11, %rd3, %rd11;\nld.global.s16 "
      "%r18, [%rd11];\nld.shared.s8 %r19, [%r11];\n"
      "st.global.u32 [%rd1+36], %r17;\nst.global.u32 [%rd1+40], %r18;\nst.global.u32 [%rd1+44], %r19;\n"
      "st.global.u32 [%rd1], %r8;\nst.global.u32 [%rd1+4], %r9;\nst.global.u64 [%rd1+8], %rd9;\n"
      "st.global.u32 [%rd1+16], %r10;\nst.global.u32 [%rd1+20], %r12;\nst.global.u64 [%rd1+24], %rd10;\n"
      "st.global.u32 [%rd1+32], %r13;\n"
      // Lanes collide where several have one index.
      "cvt.u32.u64 %r14, %rd6;\nadd.u32 %r14, %r14, %r3;\nst.shared.u32 [%r14+512], %r8;\n"
      "st.shared.u64 [%r11+1024], %rd9;\nadd.u32 %r15, %r8, 1;\ndone:\nbar.sync 0;\nshl.b32 %r4, %r2, 6;\n"
      "add.u32 %r5, %r3, %r4;\n";
  for (unsigned word = 0; word < 16; ++word)
    text += fmt::format("ld.shared.u32 %r16, [%r5+{}];\nst.global.u32 [%rd1+{}], %r16;\n", 4 * word,
                        64 + 4 * word);
  text += "ret;\n}\n";
  // The last word of all addresses.
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  const std::function<std::uint64_t(unsigned)> shapes[] = {
      [](unsigned l) { return 4 + 4 * l; },
      [](unsigned l) { return 4 + 4 * (l % 16); },
      [](unsigned l) { return 4 + 4 * (l / 16); },
      [](unsigned) { return 20u; },
      [](unsigned l) { return 4 + 8 * (31 - l); },
      [](unsigned l) { return 4 + 4 * (l * 7 % 32); },
      [](unsigned l) { return l == 9 ? 40u : 4 + 4 * l; },
      [](unsigned l) { return l == 20 ? 1u << 20 : 4 + 4 * l; },  // beyond
      [](unsigned l) { return l == 3 ? 2u : 4 + 4 * l; },         // between elements
      [](unsigned l) { return l == 30 ? kTop : 4 + 4 * l; },
      [](unsigned) { return kTop; },
      [](unsigned l) { return l == 20 || l == 25 ? 6u : 4 + 4 * (l * 7 % 32); },
      [](unsigned) { return 6u; },
      [](unsigned l) { return 2048 - 128 + 4 * l + 32; }};  // over the end
  unsigned faults = 0;
  for (const auto& shape : shapes) {
    for (const std::uint32_t lanes : {~0u, 0xffff0000u, 0x0000ffffu, 0x80000001u, 0x5a5a5a5au, 0x12f0a7c3u}) {
      std::string said[2];
      std::vector<std::uint32_t> results[2];
      for (const bool whole : {false, true}) {
        PtxModule m(text);
        m.runner().whole_turns = whole;
        std::vector<std::uint32_t> a(512), b(1024);
        for (unsigned i = 0; i < a.size(); ++i) a[i] = 5000 + i * i * 0x9e3779b1u;
        for (unsigned i = 0; i < b.size(); ++i) b[i] = 9000 + 3 * i;
        const std::uint64_t out = m.buffer(std::vector<std::uint32_t>(32 * 32)), at_a = m.buffer(a),
                            at_b = m.buffer(b), at_index = m.buffer(std::vector<std::uint64_t>(32, 4));
        // Loads read by themselves where they have read before.
        ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, out, at_index, at_a, at_b, ~0u).ok());
        std::vector<std::uint64_t> index(32);
        for (unsigned l = 0; l < 32; ++l) index[l] = shape(l) == kTop ? 0 - at_a : shape(l);
        m.memory().write(at_index, index.data(), index.size() * sizeof(index[0]));
        const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, out, at_index, at_a, at_b, lanes);
        said[whole] = r.ok() ? "" : r.fault->summary();
        results[whole] = m.read<std::uint32_t>(out, 32 * 32);
      }
      faults += !said[0].empty();
      EXPECT_EQ(said[0], said[1]) << "lanes " << lanes;
      EXPECT_EQ(results[0], results[1]) << "lanes " << lanes;
    }
  }
  EXPECT_GE(faults, 10u);
  EXPECT_LE(faults, 60u);
}

/// A kernel whose lanes access `place`, a range of its own of 1024 bytes for the 32 lanes in global and in
/// shared memory and for each lane in local memory, where `index` says; `lanes` do.
std::string accesses(const std::string& space, const std::string& type, unsigned elements, bool wide) {
  const std::string reg = type == "f64" ? "%d" : type == "u8" || type == "s16" ? "%h" : "%r";
  const std::string store_type = type == "s16" ? "u16" : type;
  std::string vector = elements == 1 ? "" : fmt::format(".v{}", elements), to, from;
  for (unsigned k = 0; k < elements; ++k) {
    to += fmt::format("{}{}{}", k ? ", " : "", reg, k + 1);
    from += fmt::format("{}{}{}", k ? ", " : "", reg, k + 1);
  }
  if (elements > 1) {
    to = "{" + to + "}";
    from = "{" + from + "}";
  }
  const std::string address = space == "global" ? "%rd6" : wide ? "%rd8" : "%r20";
  std::string text =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 data, .param .u64 index, .param .u64 out, .param .u32 lanes)\n{\n"
      ".reg .pred %p<4>;\n.reg .b16 %h<8>;\n.reg .b32 %r<40>;\n.reg .b64 %rd<20>;\n.reg .f64 %d<8>;\n"
      ".shared .align 16 .b8 tile[1024];\n.local .align 16 .b8 own[1024];\n"
      "ld.param.u64 %rd1, [data];\nld.param.u64 %rd2, [index];\nld.param.u64 %rd3, [out];\n"
      "ld.param.u32 %r10, [lanes];\nmov.u32 %r11, %tid.x;\nmul.wide.u32 %rd4, %r11, 4;\n"
      "add.u64 %rd2, %rd2, %rd4;\nmul.wide.u32 %rd5, %r11, 256;\nadd.u64 %rd3, %rd3, %rd5;\n"
      "ld.global.s32 %r12, [%rd2];\ncvt.s64.s32 %rd7, %r12;\nadd.u64 %rd6, %rd1, %rd7;\n"
      "mov.u32 %r13, tile;\nmov.u64 %rd9, own;\n";
  // Each byte of what is accessed is known: that of shared and local memory is a copy of the data.
  text +=
      "mov.u32 %r14, 0;\nmov.u64 %rd10, %rd1;\nmov.u32 %r15, %r13;\nmov.u64 %rd11, %rd9;\nfill:\n"
      "ld.global.u32 %r16, [%rd10];\nst.shared.u32 [%r15], %r16;\nadd.u32 %r17, %r16, %r11;\n"
      "st.local.u32 [%rd11], %r17;\nadd.u64 %rd10, %rd10, 4;\nadd.u32 %r15, %r15, 4;\n"
      "add.u64 %rd11, %rd11, 4;\nadd.u32 %r14, %r14, 1;\nsetp.lt.u32 %p1, %r14, 256;\n@%p1 bra fill;\n"
      "bar.sync 0;\nadd.u32 %r20, %r12, %r13;\ncvt.u64.u32 %rd8, %r13;\nadd.u64 %rd8, %rd8, %rd7;\n";
  if (space == "local")
    text += "cvt.u32.u64 %r20, %rd9;\nadd.u32 %r20, %r20, %r12;\nadd.u64 %rd8, %rd9, %rd7;\n";
  text += "shr.u32 %r18, %r10, %r11;\nand.b32 %r18, %r18, 1;\nsetp.eq.u32 %p2, %r18, 0;\n@%p2 bra done;\n";
  for (unsigned k = 0; k < elements; ++k)
    text += type == "f64" ? fmt::format("mov.f64 %d{}, 0d0000000000000000;\n", k + 1)
                          : fmt::format("mov.b{} {}{}, 0;\n", reg == "%h" ? 16 : 32, reg, k + 1);
  text += fmt::format("ld.{}{}.{} {}, [{}+16];\n", space, vector, type, to, address);
  for (unsigned k = 0; k < elements; ++k) {
    if (type == "f64")
      text += fmt::format("mov.b64 %rd12, %d{};\n", k + 1);
    else
      text += reg == "%h" ? fmt::format("cvt.s64.s16 %rd12, %h{};\n", k + 1)
                          : fmt::format("cvt.u64.u32 %rd12, %r{};\n", k + 1);
    text += fmt::format("st.global.u64 [%rd3+{}], %rd12;\nadd.u64 %rd12, %rd12, %rd4;\n", 8 * k);
    if (type == "f64")
      text += fmt::format("mov.b64 %d{}, %rd12;\n", k + 1);
    else
      text += fmt::format("cvt.u{}.u64 {}{}, %rd12;\n", reg == "%h" ? 16 : 32, reg, k + 1);
  }
  text +=
      fmt::format("st.{}{}.{} [{}+32], {};\ndone:\nbar.sync 0;\n", space, vector, store_type, address, from);
  // What there is then, some of it: shared memory in turns of lanes, local memory from where each is.
  for (unsigned word = 0; word < 8; ++word)
    text += fmt::format(
        "mad.lo.u32 %r21, %r11, 32, {0};\nadd.u32 %r22, %r21, %r13;\nld.shared.u32 %r23, [%r22];\n"
        "st.global.u32 [%rd3+{1}], %r23;\nadd.u64 %rd13, %rd9, {2};\nld.local.u32 %r24, [%rd13];\n"
        "st.global.u32 [%rd3+{3}], %r24;\n",
        4 * word, 64 + 4 * word, 4 * word + 32, 96 + 4 * word);
  return text + "ret;\n}\n";
}

// Loads and stores of every space, of vectors, and of addresses of both widths, by all lanes and by some,
// lane by lane, together and beyond: as instruction by instruction.
TEST_F(NativeCodeTest, AccessesOfEverySpaceAndShapeAreThoseOfTheirFunctions) {
  struct Kind {
    const char *space, *type;
    unsigned elements, bytes;
    bool wide;
  };
  std::vector<Kind> kinds;
  for (const char* const space : {"global", "shared", "local"}) {
    for (const auto& [type, elements, bytes] :
         {std::tuple("u8", 1u, 1u), std::tuple("s8", 1u, 1u), std::tuple("u16", 1u, 2u),
          std::tuple("s16", 1u, 2u), std::tuple("u32", 1u, 4u), std::tuple("f64", 1u, 8u),
          std::tuple("u32", 2u, 8u), std::tuple("u32", 4u, 16u), std::tuple("f64", 2u, 16u),
          std::tuple("u8", 2u, 2u), std::tuple("u8", 4u, 4u), std::tuple("s8", 2u, 2u),
          std::tuple("s8", 4u, 4u), std::tuple("s16", 2u, 4u), std::tuple("u16", 4u, 8u)})
      for (const bool wide : {false, true})
        if (wide || space[0] != 'g') kinds.push_back({space, type, elements, bytes, wide});
  }
  unsigned faults = 0, runs = 0;
  for (const Kind& kind : kinds) {
    const std::string text = accesses(kind.space, kind.type, kind.elements, kind.wide);
    const int step = static_cast<int>(kind.bytes);
    const std::function<int(int)> shapes[] = {[&](int l) { return l * step; },
                                              [&](int) { return 3 * step; },
                                              [&](int l) { return l / 16 * step; },
                                              [&](int l) { return (31 - l) * step; },
                                              [&](int l) { return l * 7 % 32 * step; },
                                              [&](int l) { return 1024 - (1 + l * 7 % 32) * step; },
                                              [&](int l) { return l == 9 ? 2 * step : l * step; },
                                              [&](int l) { return l == 20 ? 1 << 20 : l * step; },
                                              [&](int l) { return l == 20 ? -(1 << 20) : l * step; },
                                              [&](int l) { return l * step + (l == 3 && step > 1); }};
    for (const auto& shape : shapes) {
      for (const std::uint32_t lanes : {~0u, 0x0000fff0u, 0x80000001u, 0x12f0a7c3u}) {
        std::string said[2];
        std::vector<std::uint32_t> results[2], data[2];
        for (const bool whole : {false, true}) {
          PtxModule m(text);
          m.runner().whole_turns = whole;
          std::vector<std::uint32_t> contents(256);
          for (unsigned i = 0; i < contents.size(); ++i) contents[i] = 0x01020304u + i * 0x9e3779b1u;
          const std::uint64_t at = m.buffer(contents), out = m.buffer(std::vector<std::uint32_t>(32 * 64)),
                              at_index = m.buffer(std::vector<std::int32_t>(32));
          // Accesses know where they have been before.
          ASSERT_TRUE(m.run("k", {}, {32, 1, 1}, 0, at, at_index, out, ~0u).ok());
          std::vector<std::int32_t> index(32);
          for (int l = 0; l < 32; ++l) index[static_cast<unsigned>(l)] = shape(l);
          m.memory().write(at_index, index.data(), index.size() * sizeof(index[0]));
          const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, at, at_index, out, lanes);
          said[whole] = r.ok() ? "" : r.fault->summary();
          results[whole] = m.read<std::uint32_t>(out, 32 * 64);
          data[whole] = m.read<std::uint32_t>(at, 256);
        }
        ++runs;
        faults += !said[0].empty();
        const std::string what = fmt::format("{}.{} of {}, wide {}, lanes {:x}", kind.space, kind.type,
                                             kind.elements, kind.wide, lanes);
        ASSERT_EQ(said[0], said[1]) << what;
        ASSERT_EQ(results[0], results[1]) << what;
        ASSERT_EQ(data[0], data[1]) << what;
      }
    }
  }
  EXPECT_GT(faults, runs / 12);
  EXPECT_LT(faults, runs / 3);
}

// Stores that are kept for a slice's end: loads see them, those of the places they knew before too.
TEST_F(NativeCodeTest, SeesStoresThatAreKept) {
  for (const char* const store : {"st.global.u32 [%rd3], %r3;\n", "st.global.v2.u32 [%rd3], {%r3, %r4};\n"}) {
    PtxModule m(
        native_kernel("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\n"
                      "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r2, 0;\nloop:\nld.global.u32 %r3, [%rd3];\n"
                      "add.u32 %r3, %r3, 5;\nmov.u32 %r4, %r3;\n" +
                      std::string(store) +
                      "ld.global.u32 %r5, [%rd3];\nadd.u32 %r6, %r6, %r5;\nadd.u32 %r2, %r2, 1;\n"
                      "setp.lt.u32 %p1, %r2, 4;\n@%p1 bra loop;\nst.global.u32 [%rd3+4], %r6;\n"));
    OneWarp one(m, "k", true);
    SliceStores stores(m.memory().host, m.memory().origin);
    one.env.stores = &stores;
    const std::vector<std::uint32_t> hundreds(64, 100);
    m.memory().write(one.out, hundreds.data(), 4 * hundreds.size());
    for (unsigned round = 0; round < 2; ++round) {
      one.start(0);
      InstructionTally tally;
      while (!one.warp.exited()) ASSERT_NE(one.warp.run(1000, tally), StepKind::kFault) << one.fault.what;
      EXPECT_TRUE(one.cta.acted_outside());
      EXPECT_EQ(m.read<std::uint32_t>(one.out, 1)[0], 100 + 20 * round);
      stores.write();
      const std::vector<std::uint32_t> got = m.read<std::uint32_t>(one.out, 64);
      for (unsigned lane = 0; lane < 32; ++lane) {
        ASSERT_EQ(got[2 * lane], 120 + 20 * round) << lane;
        ASSERT_EQ(got[2 * lane + 1], 4 * (100 + 20 * round) + 5 + 10 + 15 + 20) << lane;
      }
    }
  }
}

// Stores by the journal, of blocks, of some lanes, of places apart, and loads of another allocation: none of
// them looks for stores, memory has nothing of it before, and all afterwards. What is not a block is called.
TEST_F(NativeCodeTest, KeepsStoresInTheJournal) {
  for (const char* const lanes : {"0", "5", "31"})
    for (const char* const type : {"u8", "u16", "u32", "u64", "v2.u32", "v4.u32", "v2.u64"})
      for (const char* const apart : {"1", "3"}) {
        SCOPED_TRACE(fmt::format("lanes from {}, {}, {} apart", lanes, type, apart));
        const std::string what = type;
        const bool vector = what[0] == 'v', wide = what.find("64") != std::string::npos;
        const std::string value = wide ? "%rd7" : "%r3";
        const unsigned bytes = (what.find('8') != std::string::npos    ? 1u
                                : what.find("16") != std::string::npos ? 2u
                                : wide                                 ? 8u
                                                                       : 4u) *
                               (vector ? what[1] - '0' : 1u);
        const std::string list =
            !vector ? value
                    : "{" + value + (what[1] == '2' ? "" : ", " + value + ", " + value) + ", " + value + "}";
        PtxModule m(native_kernel(fmt::format(
            "ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nld.global.u64 %rd5, [%rd1];\n"
            "mov.u32 %r2, 0;\nmul.lo.u32 %r4, %r1, {0};\nmul.wide.u32 %rd2, %r4, {1};\n"
            "add.u64 %rd3, %rd1, %rd2;\nadd.u64 %rd3, %rd3, 4096;\nmul.wide.u32 %rd4, %r1, 4;\n"
            "add.u64 %rd6, %rd5, %rd4;\nsetp.lt.u32 %p1, %r1, {2};\n@%p1 ret;\n"
            "loop:\nld.global.u32 %r3, [%rd6];\nadd.u32 %r3, %r3, %r2;\ncvt.u64.u32 %rd7, %r3;\n"
            "st.global.{3} [%rd3], {4};\nadd.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 9;\n@%p1 bra loop;\n",
            apart, bytes, lanes, type, list)));
        std::vector<std::uint32_t> read(32);
        for (unsigned lane = 0; lane < 32; ++lane) read[lane] = 1000 * lane;
        const std::uint64_t from = m.buffer(read);
        OneWarp one(m, "k", true);
        SliceStores stores(m.memory().host, m.memory().origin);
        one.env.stores = &stores;
        m.memory().write(one.out, &from, sizeof from);
        constexpr unsigned kWords = 1024 + 32 * 3 * 4;
        const std::vector<std::uint8_t> pattern(4 * (kWords - 1024), 0xa5);
        m.memory().write(one.out + 4096, pattern.data(), pattern.size());
        const std::vector<std::uint32_t> before = m.read<std::uint32_t>(one.out, kWords);
        one.start(0);
        InstructionTally tally;
        while (!one.warp.exited()) ASSERT_NE(one.warp.run(1000, tally), StepKind::kFault) << one.fault.what;
        EXPECT_TRUE(one.cta.acted_outside());
        EXPECT_EQ(m.read<std::uint32_t>(one.out, kWords), before);
        EXPECT_EQ(stores.looked(), 0u);
        stores.write();
        std::vector<std::byte> expected(4 * kWords);
        std::memcpy(expected.data(), before.data(), expected.size());
        for (unsigned lane = static_cast<unsigned>(std::stoul(lanes)); lane < 32; ++lane)
          for (unsigned element = 0; element < (vector ? what[1] - '0' : 1u); ++element) {
            const std::uint64_t last = read[lane] + 8;
            const unsigned each = bytes / (vector ? what[1] - '0' : 1u);
            std::memcpy(&expected[4096 + lane * bytes * (apart[0] - '0') + element * each], &last, each);
          }
        const std::vector<std::uint32_t> got = m.read<std::uint32_t>(one.out, kWords);
        EXPECT_EQ(std::memcmp(got.data(), expected.data(), expected.size()), 0);
      }
}

// A CTA whose stores all go where others have stored before.
TEST_F(NativeCodeTest, TellsThatACtaHasStored) {
  for (const char* const index : {"%r1", "%r2"}) {  // a block, and places apart
    PtxModule m(
        native_kernel("ld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\nmul.lo.u32 %r2, %r1, %r1;\n"
                      "mul.wide.u32 %rd2, " +
                      std::string(index) + ", 4;\nadd.u64 %rd3, %rd1, %rd2;\nst.global.u32 [%rd3], %r1;\n"));
    OneWarp one(m, "k", false);
    for (unsigned round = 0; round < 2; ++round) {
      one.start(0);
      EXPECT_FALSE(one.cta.acted_outside());
      InstructionTally tally;
      while (!one.warp.exited()) ASSERT_NE(one.warp.run(1000, tally), StepKind::kFault);
      EXPECT_TRUE(one.cta.acted_outside()) << round;
    }
  }
}

// A kernel without local memory that accesses some.
TEST_F(NativeCodeTest, LocalAccessesNeedLocalMemory) {
  for (const char* const text :
       {"ld.local.u32 %r3, [%rd2];\n", "ld.local.u8 %r3, [%rd2];\n", "st.local.f64 [%rd2], %rd2;\n"}) {
    PtxModule m(
        std::string(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                    ".reg .b32 %r<8>;\n.reg .b64 %rd<8>;\nmov.u64 %rd2, 8;\nmov.u32 %r1, %tid.x;\n"
                    "mad.wide.u32 %rd2, %r1, 8, %rd2;\n") +
        text + "add.u32 %r4, %r3, 1;\nld.param.u64 %rd1, [out];\nst.global.u32 [%rd1], %r4;\nret;\n}\n");
    const std::uint64_t out = m.buffer(std::vector<std::uint32_t>{1});
    const FunctionalResult r = m.run("k", {}, {32, 1, 1}, 0, out);
    ASSERT_FALSE(r.ok());
    EXPECT_NE(r.fault->summary().find("out-of-bounds local"), std::string::npos) << r.fault->summary();
  }
}

}  // namespace
}  // namespace warpvp::ptx::testing
