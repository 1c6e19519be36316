// Calls, local memory and initialised data, executed: what lowering lays out is what execution finds.

#include <cstring>

#include "ptx/exec/functional_runner.h"
#include "support.h"

namespace warpvp::ptx {
namespace {

class Calls : public testing::Test {
 protected:
  void load(const std::string& text, const std::string& name) {
    module_ = Module::parse(text, name);
    module_->place([&](const GlobalVariable& g) { return address_[g.name] = memory_.allocate(g.bytes); },
                   [&](std::uint64_t a, const std::vector<std::uint8_t>& bytes) {
                     memory_.write(a, bytes.data(), bytes.size());
                   });
  }
  template <typename... Args>
  void run(const std::string& entry, unsigned threads, unsigned dynamic_shared, const Args&... args) {
    const auto p = module_->entry(entry);
    std::vector<std::uint8_t> block(p->param_bytes);
    std::size_t i = 0;
    const auto put = [&](const auto& a) {
      ASSERT_LT(i, p->params.size());
      ASSERT_EQ(p->params[i].bytes, sizeof a);
      std::memcpy(block.data() + p->params[i++].offset, &a, sizeof a);
    };
    (put(args), ...);
    const FunctionalResult r =
        FunctionalRunner(memory_).run(*p, {1, 1, 1}, {threads, 1, 1}, block, dynamic_shared);
    ASSERT_TRUE(r.ok()) << r.fault->what;
  }
  template <typename T>
  std::vector<T> read(std::uint64_t a, std::size_t n) {
    std::vector<T> v(n);
    memory_.read(a, v.data(), n * sizeof(T));
    return v;
  }

  FlatMemory memory_{1 << 20};
  std::unique_ptr<Module> module_;
  std::map<std::string, std::uint64_t> address_;
};

struct Record {
  int a;
  double b;
  char c[5];
};

TEST_F(Calls, StructuresByValue) {
  load(read_file("tests/ptx_front/data/calls.ptx"), "calls.ptx");
  const std::uint64_t out = memory_.allocate(64 * 8);
  const Record r{100, 0.25, {1, 2, 3, 4, 9}};
  run("structures", 64, 0, r, out);
  const auto v = read<double>(out, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(v[static_cast<std::size_t>(i)], 100 + i + 0.5 + i + 9) << i;
}

unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

TEST_F(Calls, DivergentRecursion) {
  load(read_file("tests/ptx_front/data/calls.ptx"), "calls.ptx");
  const std::uint64_t out = memory_.allocate(40 * 8);
  run("recursion", 40, 0, out);
  const auto v = read<unsigned>(out, 80);
  for (unsigned i = 0; i < 40; ++i) {
    unsigned factorial = 1;
    for (unsigned k = 2; k <= i % 7; ++k) factorial *= k;
    EXPECT_EQ(v[2 * i], factorial) << i;
    EXPECT_EQ(v[2 * i + 1], ackermann(i % 3, i % 4)) << i;
  }
}

TEST_F(Calls, ThroughAFunctionTable) {
  load(read_file("tests/ptx_front/data/calls.ptx"), "calls.ptx");
  const int weights[8] = {1, 10, 100, 1000, 5, 6, 7, 8};
  memory_.write(address_.at("weights"), weights, sizeof weights);
  const std::uint64_t out = memory_.allocate(32 * 4);
  run("indirect", 32, 0, out);
  const auto v = read<int>(out, 32);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(v[static_cast<std::size_t>(i)], (i & 1 ? i * i : 2 * i) + 33 + weights[i & 7]) << i;
}

TEST_F(Calls, LocalArraysAndSwitch) {
  load(read_file("tests/ptx_front/data/calls.ptx"), "calls.ptx");
  std::vector<int> in(128);
  for (int i = 0; i < 128; ++i) in[static_cast<std::size_t>(i)] = (i * 7919 + 13) % 4096;
  const std::uint64_t a = memory_.allocate(512), out = memory_.allocate(512);
  memory_.write(a, in.data(), 512);
  run("local_array", 64, 0, a, out, 50);
  auto v = read<int>(out, 64);
  for (int t = 0; t < 64; ++t) {
    int counts[16] = {}, sum = 0;
    for (int k = 0; k < 50; ++k) ++counts[(in[static_cast<std::size_t>(k)] + t) & 15];
    for (const int c : counts)
      sum = static_cast<int>(static_cast<unsigned>(sum) * 3u + static_cast<unsigned>(c));
    EXPECT_EQ(v[static_cast<std::size_t>(t)], sum) << t;
  }
  run("dispatch", 128, 512, a, out, 25);
  v = read<int>(out, 128);
  for (int t = 0; t < 128; ++t) {
    int x = in[static_cast<std::size_t>(127 - t)];
    for (int k = 0; k < 25; ++k) {
      if (x == 1000) continue;
      if (x > 5000) break;
      switch (x & 7) {
        case 0:
          x += 3;
          break;
        case 1:
          x *= 3;
          break;
        case 2:
          x ^= 5;
          [[fallthrough]];
        case 3:
          x += 7;
          break;
        case 4:
          x = x / 3 + 1;
          break;
        case 5:
          x = x % 1001;
          break;
        default:
          x += k;
      }
    }
    EXPECT_EQ(v[static_cast<std::size_t>(t)], x) << t;
  }
}

// Parameters in registers, arguments set up around other calls, results read late or in another block: shapes
// compilers do not write but PTX allows.
TEST_F(Calls, UnusualArgumentPassing) {
  load(kHeader +
           ".func (.reg .u32 r) add(.reg .u32 a, .reg .u32 b) { add.u32 r, a, b; ret; }\n"
           ".func (.param .u32 r, .param .u64 s) both(.param .u32 a, .param .align 8 .b8 t[12]) {\n"
           "  .reg .u32 %a<5>; .reg .u64 %d;\n"
           "  ld.param.u32 %a1, [a]; ld.param.u32 %a2, [t]; ld.param.u32 %a3, [t+8]; sub.u32 %a4, %a1, %a2;\n"
           "  st.param.u32 [r], %a4; cvt.u64.u32 %d, %a3; st.param.u64 [s], %d; ret; }\n"
           ".entry k(.param .u64 out) {\n"
           "  .reg .u32 %r<20>; .reg .u64 %d<9>; .reg .pred %p;\n"
           "  .param .u32 a; .param .align 8 .b8 t[12]; .param .u32 r; .param .u64 s;\n"
           "  mov.u32 %r1, %tid.x; ld.param.u64 %d1, [out]; mul.wide.u32 %d2, %r1, 16; add.u64 %d1, %d1, "
           "%d2;\n"
           "  st.param.u32 [a], %r1;\n"  // set up before another call ...
           "  call (%r2), add, (%r1, 100);\n"
           "  st.param.u32 [t], %r2; st.param.u32 [t+4], 0;\n"
           "  setp.gt.u32 %p, %r1, 15;\n"
           "  @%p bra BIG;\n"
           "  st.param.u32 [t+8], 7; bra CALL;\n"  // ... and in two blocks
           "BIG: st.param.u32 [t+8], 9;\n"
           "CALL: call (r, s), both, (a, t);\n"
           "  call (%r3), add, (%r2, %r2);\n"  // results read behind another call
           "  ld.param.u32 %r4, [r]; ld.param.u64 %d3, [s];\n"
           "  @%p call (%r3), add, (%r3, 1);\n"
           "  st.global.u32 [%d1], %r4; st.global.u32 [%d1+4], %r3; st.global.u64 [%d1+8], %d3; ret; }\n",
       "unusual.ptx");
  const std::uint64_t out = memory_.allocate(32 * 16);
  run("k", 32, 0, out);
  const auto v = read<std::uint32_t>(out, 128);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(v[4 * i], static_cast<std::uint32_t>(-100)) << i;
    EXPECT_EQ(v[4 * i + 1], 2 * (i + 100) + (i > 15 ? 1 : 0)) << i;
    EXPECT_EQ(v[4 * i + 2], i > 15 ? 9u : 7u) << i;
    EXPECT_EQ(v[4 * i + 3], 0u) << i;
  }
}

TEST_F(Calls, AddressesOfParametersAndLocals) {
  load(
      kHeader +
          ".func (.param .u32 r) sum(.param .align 4 .b8 t[12]) {\n"
          "  .reg .u64 %d<4>; .reg .u32 %a<5>; .local .u32 copy[3];\n"
          "  mov.u64 %d1, t; ld.param.u32 %a1, [%d1+4]; cvta.local.u64 %d2, %d1; ld.u32 %a2, [%d2+8];\n"
          "  mov.u64 %d3, copy; st.local.u32 [%d3+4], %a1; ld.local.u32 %a1, [copy+4]; add.u32 %a3, %a1, "
          "%a2; st.param.u32 [r], %a3; ret; }\n"
          ".entry k(.param .u64 out, .param .align 4 .b8 s[12]) {\n"
          "  .reg .u32 %r<9>; .reg .u64 %d<9>; .local .align 4 .b8 mine[12]; .param .align 4 .b8 t[12]; "
          ".param .u32 r;\n"
          "  mov.u64 %d1, s; ld.param.u32 %r1, [%d1+8]; cvta.param.u64 %d2, %d1; ld.u32 %r2, [%d2];\n"
          "  mov.u32 %r3, %tid.x; st.local.u32 [mine+8], %r3; mov.u64 %d3, mine; ld.local.u32 %r4, [%d3+8];\n"
          "  st.param.u32 [t], 0; st.param.u32 [t+4], %r4; st.param.u32 [t+8], %r1; call (r), sum, (t); "
          "ld.param.u32 %r5, [r];\n"
          "  add.u32 %r5, %r5, %r2; ld.param.u64 %d4, [out]; mad.wide.u32 %d4, %r3, 4, %d4; st.global.u32 "
          "[%d4], %r5; ret; }\n",
      "addresses.ptx");
  const std::uint64_t out = memory_.allocate(32 * 4);
  struct Three {
    std::uint32_t v[3];
  };
  run("k", 32, 0, out, Three{{5000, 60, 700}});
  const auto v = read<std::uint32_t>(out, 32);
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(v[i], i + 700 + 5000) << i;
}

}  // namespace
}  // namespace warpvp::ptx
