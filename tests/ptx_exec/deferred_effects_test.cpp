// Instructions that act on what SMs share can be put off (ExecEnv::defer_effects): the step leaves memory,
// heap and text alone, `Warp::apply` does the rest, and the outcome is that of a run that puts nothing off.

#include "tests/ptx_exec/one_warp.h"

namespace warpvp::ptx::testing {
namespace {

struct DeferredCase {
  const char* name;
  const char*
      body;  ///< %rd1: 4096 bytes of the thread's own CTA; %rd2: the thread's 16 of them; %r1: its number
  unsigned put_off = 1;  ///< instructions put off
};
const DeferredCase kCases[] = {
    {"store", "st.global.u32 [%rd2], %r1;"},
    {"vector_store", "st.global.v2.u32 [%rd2], {%r1, %r1};"},
    {"generic_store", "st.u16 [%rd2], 7;"},
    {"guarded_store", "setp.lt.u32 %p, %r1, 5; @%p st.global.u32 [%rd2], %r1;"},
    {"reduction", "red.global.add.u32 [%rd1], %r1;"},
    {"vector_reduction", "red.global.v2.f32.add [%rd2], {0f3f800000, 0f40000000};"},
    {"atomic", "atom.global.add.u32 %r2, [%rd1], 3; st.global.u32 [%rd2+4], %r2;", 2},
    {"generic_atomic", "atom.cas.b32 %r2, [%rd1], 0, 9; st.global.u32 [%rd2+4], %r2;", 2},
    {"printf",
     "{ .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %rd3, text; cvta.global.u64 %rd3, %rd3; "
     "st.param.b64 [f], %rd3; st.param.b64 [a], 0; call (r), vprintf, (f, a); ld.param.b32 %r2, [r]; }"
     "st.global.u32 [%rd2], %r2;",
     2},
    {"malloc_and_free",
     "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call (r), malloc, (n); ld.param.b64 %rd3, [r]; }"
     "st.u32 [%rd3], %r1; { .param .b64 b; st.param.b64 [b], %rd3; call free, (b); }",
     3},
    // Private to the SM: nothing is put off.
    {"shared_store", "mov.u32 %r2, shared; st.shared.u32 [%r2], %r1;", 0},
    {"shared_atomic", "mov.u32 %r2, shared; atom.shared.add.u32 %r3, [%r2], %r1;", 0},
    {"local_store", "st.local.u32 [local], %r1;", 0},
    {"load", "ld.global.u32 %r2, [%rd2];", 0},
};

std::string module_text(const char* body) {
  return std::string(
             ".version 8.1\n.target sm_90\n.address_size 64\n"
             ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 a);\n"
             ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
             ".extern .func free (.param .b64 b);\n"
             ".global .align 1 .b8 text[3] = {104, 105, 0};\n"
             ".visible .entry k (.param .u64 out)\n{\n"
             ".reg .u32 %r<8>; .reg .u64 %rd<8>; .reg .f32 %f<2>; .reg .f64 %d<2>; .reg .pred %p;\n"
             ".shared .align 4 .b8 shared[16]; .local .align 4 .b8 local[16];\n"
             "ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mad.wide.u32 %rd2, %r1, 16, %rd1;\n") +
         body + "\nret;\n}\n";
}

class DeferredEffects : public ::testing::TestWithParam<DeferredCase> {};

TEST_P(DeferredEffects, HappenWhenTheyAreApplied) {
  const std::string text = module_text(GetParam().body);
  PtxModule now_module(text), later_module(text);
  OneWarp now(now_module, "k", false), later(later_module, "k", true);
  while (!now.warp.exited()) ASSERT_NE(now.warp.step(), StepKind::kFault) << now.fault.what;

  unsigned put_off = 0, changed = 0;
  while (!later.warp.exited()) {
    const auto before = later.memory();
    const std::string printed = later.printed;
    ASSERT_NE(later.warp.step(), StepKind::kFault) << later.fault.what;
    EXPECT_EQ(later.memory(), before);
    EXPECT_EQ(later.printed, printed);
    ASSERT_LE(later.env.pending.size(), 1u);
    for (const PendingEffect& effect : later.env.pending) {
      ++put_off;
      EXPECT_EQ(effect.warp, &later.warp);
      EXPECT_TRUE(Warp::apply(effect));
      EXPECT_TRUE(later.env.defer_effects);
    }
    changed += later.memory() != before || later.printed != printed;
    later.env.pending.clear();
  }
  EXPECT_EQ(put_off, GetParam().put_off);
  if (put_off == 1) {
    EXPECT_EQ(changed, 1u);
  }
  EXPECT_EQ(later.memory(), now.memory());
  EXPECT_EQ(later.printed, now.printed);
}

INSTANTIATE_TEST_SUITE_P(Instructions, DeferredEffects, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DeferredEffects, AFaultOfAnAccessIsFoundByItsStep) {
  PtxModule module(module_text("mov.u64 %rd2, 64; st.global.u32 [%rd2], %r1;"));
  OneWarp one(module, "k", true);
  StepKind kind = StepKind::kNormal;
  while (kind != StepKind::kFault && !one.warp.exited()) kind = one.warp.step();
  EXPECT_EQ(kind, StepKind::kFault);
  EXPECT_STREQ(one.fault.what, "global store through a null pointer");
  EXPECT_TRUE(one.env.pending.empty());
}

TEST(DeferredEffects, AFaultOfTheHeapIsFoundWhenApplied) {
  PtxModule module(module_text("{ .param .b64 b; st.param.b64 [b], %rd2; call free, (b); }"));
  OneWarp one(module, "k", true);
  while (one.env.pending.empty()) ASSERT_NE(one.warp.step(), StepKind::kFault);
  const PendingEffect effect = one.env.pending.front();
  EXPECT_FALSE(Warp::apply(effect));
  EXPECT_STREQ(one.fault.what, "free of a pointer that device malloc did not give, or that was freed before");
  EXPECT_NE(one.program->locate(effect.pc).find("free"), std::string::npos);
}

/// Applies what a warp has put off; whether that was anything.
bool apply_all(OneWarp& one) {
  const bool any = !one.env.pending.empty();
  for (const PendingEffect& effect : one.env.pending) EXPECT_TRUE(Warp::apply(effect));
  one.env.pending.clear();
  return any;
}

// A warp that steps on by itself stops where others are concerned, and counts as much as one that is stepped.
TEST(WarpRun, StopsAtWhatConcernsOthers) {
  const std::string text = module_text(
      "add.f32 %f1, %f1, %f1; atom.global.add.u32 %r2, [%rd1], 3; setp.lt.u32 %p, %r1, 5;"
      "@%p fma.rn.f64 %d1, %d1, %d1, %d1; bar.sync 0; nanosleep.u32 10; add.u32 %r3, %r1, %r2;"
      "st.global.f64 [%rd2], %d1; st.global.f32 [%rd2+8], %f1; st.global.u32 [%rd2+12], %r3;");
  PtxModule stepped_module(text), run_module(text);
  OneWarp stepped(stepped_module, "k", true), run(run_module, "k", true);

  InstructionTally expected;
  std::vector<Pc> stops;
  while (!stepped.warp.exited()) {
    const Inst& inst = stepped.warp.next();
    const Pc pc = stepped.warp.pc();
    ASSERT_NE(stepped.warp.step(), StepKind::kFault);
    expected.add(inst, stepped.warp.executed());
    if (apply_all(stepped) || inst.effect == Effect::kBarrier || inst.effect == Effect::kYield ||
        stepped.warp.exited())
      stops.push_back(pc);
  }
  ASSERT_EQ(stops.size(), 1u + 1 + 1 + 3 + 1);
  EXPECT_EQ(expected.thread_instructions, 32 * (expected.warp_instructions - 1) + 5);
  EXPECT_EQ(expected.flops[0], 32u);
  EXPECT_EQ(expected.flops[1], 2u * 5);

  InstructionTally tally;
  EXPECT_NE(run.warp.run(1, tally), StepKind::kFault);
  EXPECT_EQ(tally.warp_instructions, 1u);
  for (const Pc stop : stops) {
    ASSERT_NE(run.warp.run(1000, tally), StepKind::kFault);
    EXPECT_EQ(tally.last, stop);
    apply_all(run);
  }
  EXPECT_TRUE(run.warp.exited());
  EXPECT_EQ(tally.warp_instructions, expected.warp_instructions);
  EXPECT_EQ(tally.thread_instructions, expected.thread_instructions);
  EXPECT_EQ(tally.flops[0], expected.flops[0]);
  EXPECT_EQ(tally.flops[1], expected.flops[1]);
  EXPECT_EQ(run.memory(), stepped.memory());
}

// A loop that waits for others reads in one of these ways, or executes an atomic whose result it asks for.
TEST(WarpRun, TellsOfPolls) {
  const std::pair<const char*, bool> cases[] = {
      {"ld.volatile.global.u32 %r2, [%rd1];", true},
      {"ld.acquire.gpu.global.u32 %r2, [%rd1];", true},
      {"ld.relaxed.gpu.global.u32 %r2, [%rd1];", true},
      {"atom.global.add.u32 %r2, [%rd1], 3;", false},
      {"atom.global.add.u32 %r2, [%rd1], 3; st.global.u32 [%rd1], %r2;", true},
      {"red.global.add.u32 [%rd1], 3;", false},
      {"ld.global.u32 %r2, [%rd1];", false},
      {"st.volatile.global.u32 [%rd1], %r1;", false},
      {"add.u32 %r2, %r1, 1;", false}};
  for (const auto& [text, polls] : cases) {
    PtxModule module(module_text(text));
    OneWarp one(module, "k", false);
    InstructionTally tally;
    while (!one.warp.exited()) ASSERT_NE(one.warp.run(1000, tally), StepKind::kFault) << text;
    EXPECT_EQ(tally.polls, polls) << text;
  }
}

TEST(WarpRun, DoesNotCountAFault) {
  PtxModule module(module_text("add.u32 %r2, %r1, 1; mov.u64 %rd2, 64; ld.global.u32 %r2, [%rd2];"));
  OneWarp one(module, "k", true);
  InstructionTally tally;
  EXPECT_EQ(one.warp.run(1000, tally), StepKind::kFault);
  EXPECT_EQ(one.program->code[tally.last].opcode, Opcode::ld);
  EXPECT_EQ(tally.warp_instructions, tally.last);
}

}  // namespace
}  // namespace warpvp::ptx::testing
