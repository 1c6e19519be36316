// Where the policies of an SM stand: what they are told of their place, what they declare on the bus, what
// they hear of kernels, CTAs and the L1, and what they count.

#include "base/registry.h"
#include "interconnect/policy_contract.h"
#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

namespace smr = regmap::sm;

/// The oldest ready warp, unless a register holds one back; and a diary.
class Diarist : public WarpPolicy<Diarist>, private SmListener {
 public:
  explicit Diarist(const SmContext& context) : context_(context) {
    context.listen(*this, {SmEvent::kKernels, SmEvent::kCtas, SmEvent::kL1Accesses, SmEvent::kL1Evictions});
    RegisterSpec held{"HELD", 4, 4, 1, 0, RegisterAccess::kReadWrite, 0, "Warps that may not issue."};
    held.write = [this](unsigned, std::uint64_t value) {
      held_ = value;
      diary().push_back("held " + std::to_string(value) + " at " + std::to_string(context_.now()));
    };
    context.registers.add(std::move(held));
    places().push_back(context.place + ", " + std::to_string(context.warps) + " of " +
                       std::to_string(context.sub_cores) + " x, " + std::to_string(context.kernel_slots) +
                       " slots, " + std::to_string(context.period_fs) + " fs, " + context.kind + " " +
                       context.name);
  }
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView& view) override {
    ++picks_;
    memory_ |= view.memory != 0;
    const WarpMask may = view.ready & ~held_;
    return may ? static_cast<unsigned>(__builtin_ctzll(may)) : kNoWarp;
  }
  void stats(StatVisitor& v) const override {
    v.value("picks", picks_, "", "How often it was asked.");
    v.value("saw_memory", std::uint64_t{memory_}, "", "Of them, with a memory instruction.");
  }

  static std::vector<std::string>& diary() {
    static std::vector<std::string> lines;
    return lines;
  }
  static std::vector<std::string>& places() {
    static std::vector<std::string> lines;
    return lines;
  }

 private:
  void kernel_started(const KernelHere& k, Cycle) override { note("kernel +" + std::to_string(k.launch)); }
  void kernel_ended(const KernelHere& k, Cycle) override { note("kernel -" + std::to_string(k.launch)); }
  void cta_started(const CtaHere& c, Cycle) override { note("cta +" + std::to_string(c.warps)); }
  void cta_ended(const CtaHere& c, Cycle) override { note(c.preempted ? "cta off" : "cta -"); }
  void l1_accessed(const L1Access& a, Cycle) override {
    static const char* const kWords[] = {"hit", "reserved", "miss"};
    note(std::string(kWords[static_cast<unsigned>(a.result)]) + (a.store ? " store" : "") + " by " +
         std::to_string(context_.position(a.owner.warp)));
  }
  void l1_evicted(const L1Eviction& e, Cycle) override {
    note("out " + std::to_string(context_.position(e.filler.warp)) + " for " +
         std::to_string(context_.position(e.evictor.warp)));
  }
  void note(const std::string& what) {
    if (context_.sub_core == 0) diary().push_back(what);
  }

  const SmContext context_;
  WarpMask held_ = 0;
  std::uint64_t picks_ = 0;
  bool memory_ = false;
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, Diarist, "diarist", "For tests.");

SmConfig diarist_sm(unsigned schedulers = 1) {
  SmConfig config = plain_sm();
  config.schedulers = schedulers;
  config.warp_scheduler = "diarist";
  Diarist::diary().clear();
  Diarist::places().clear();
  return config;
}

constexpr const char* kTwoIndependentMoves = ".reg .u32 %r<4>;\nmov.u32 %r0, 1;\nmov.u32 %r1, 2;\nret;\n";

TEST(Contexts, APolicyKnowsWhereItStands) {
  SmBench bench(diarist_sm(2));
  const SmConfig config = plain_sm();
  ASSERT_EQ(Diarist::places().size(), 2u);
  for (unsigned s = 0; s < 2; ++s)
    EXPECT_EQ(Diarist::places()[s], "SM 0, scheduler " + std::to_string(s) + ", " +
                                        std::to_string(config.resources.warps / 2) +
                                        " of 2 x, 32 slots, 1000000 fs, warp_scheduler diarist");
}

TEST(Contexts, KernelsAndCtasAreTold) {
  SmBench bench(diarist_sm());
  bench.run(kTwoIndependentMoves, 64);
  EXPECT_EQ(Diarist::diary(), (std::vector<std::string>{"kernel +0", "cta +2", "cta -", "kernel -0"}));
}

TEST(Contexts, CtasThatAreTakenOffAreToldToo) {
  SmBench bench(diarist_sm());
  bench.load(
      ".reg .pred %p; .reg .u32 %r<2>;\nmov.u32 %r0, 0;\nAGAIN:\nadd.u32 %r0, %r0, 1;\nsetp.ne.u32 %p, %r0, "
      "0;\n"
      "@%p bra AGAIN;\nret;\n",
      32);
  bench.launch();
  sc_core::sc_start(200 * bench.clock.period());
  EXPECT_EQ(bench.write(smr::kPreempt, static_cast<std::uint32_t>(Preemption::kFlush)), tlm::TLM_OK_RESPONSE);
  sc_core::sc_start(200 * bench.clock.period());
  EXPECT_EQ(Diarist::diary(), (std::vector<std::string>{"kernel +0", "cta +1", "cta off", "kernel -0"}));
}

// Two lines of one set of a cache with one way: each load throws the other's line out.
TEST(Contexts, WhatTheL1DoesIsTold) {
  SmConfig config = diarist_sm();
  config.memory.l1.size_kib = 4;
  config.memory.l1.associativity = 1;
  SmBench bench(config);
  bench.run(R"(
    .reg .u64 %rd<4>; .reg .u32 %r<4>;
    mov.u64 %rd0, 4294967296;
    ld.global.u32 %r0, [%rd0];
    add.u32 %r1, %r0, 1;
    ld.global.u32 %r1, [%rd0+8];
    add.u32 %r2, %r1, 1;
    ld.global.u32 %r2, [%rd0+4096];
    add.u32 %r3, %r2, 1;
    st.global.u32 [%rd0+4096], %r3;
    ret;
  )",
            32);
  EXPECT_EQ(Diarist::diary(),
            (std::vector<std::string>{"kernel +0", "cta +1", "miss by 0", "hit by 0", "out 0 for 0",
                                      "miss by 0", "hit store by 0", "cta -", "kernel -0"}));
}

// A policy's register lies in its own part of the SM's window; a write acts at the first edge after it.
TEST(Contexts, APolicysRegisterActsAtTheNextEdge) {
  SmBench bench(diarist_sm());
  const std::uint64_t held = smr::policy_window("warp_scheduler", 0).base + 4;
  EXPECT_EQ(bench.sm.register_block().name_of(held), "WARP_SCHEDULER0_HELD");
  bench.load(kTwoIndependentMoves, 32);
  bench.launch();
  EXPECT_EQ(bench.write(held, 1, 3.5 * bench.clock.period()), tlm::TLM_OK_RESPONSE);
  EXPECT_EQ(bench.read(held), 1u) << "the register has it at once";
  sc_core::sc_start(1000 * bench.clock.period());
  EXPECT_EQ(bench.ctas_done, 0u) << "its only warp is held back";
  EXPECT_EQ(bench.write(held, 0), tlm::TLM_OK_RESPONSE);
  sc_core::sc_start(1000 * bench.clock.period());
  EXPECT_EQ(bench.ctas_done, 1u);
  ASSERT_GE(Diarist::diary().size(), 2u);
  EXPECT_EQ(Diarist::diary()[0].rfind("held 1 at 4", 0), 0u) << Diarist::diary()[0];
}

TEST(Contexts, WhatPoliciesCountIsSummedOverSubCores) {
  SmBench bench(diarist_sm(2));
  bench.run(kTwoIndependentMoves, 128);
  StatMap stats;
  bench.sm.policy_stats(stats);
  EXPECT_EQ(stats["warp_scheduler.picks"], 12) << "four warps with three instructions";
  EXPECT_EQ(stats["warp_scheduler.saw_memory"], 0);
}

TEST(Contexts, PoliciesThatCountNothingShowNothing) {
  SmBench bench(plain_sm());
  StatMap nothing;
  bench.sm.policy_stats(nothing);
  EXPECT_TRUE(nothing.values.empty());
}

/// Declares a register where it may not.
class TooFar : public WarpPolicy<TooFar> {
 public:
  explicit TooFar(const SmContext& context) {
    context.registers.add({"FAR", 0xfc + 4, 4, 1, 0, RegisterAccess::kReadWrite, 0, "Beyond its window."});
  }
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView&) override { return kNoWarp; }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, TooFar, "too_far", "For tests.");

TEST(Contexts, ARegisterBeyondItsWindowIsRefused) {
  SmConfig config = plain_sm();
  config.warp_scheduler = "too_far";
  try {
    SmBench bench(config);
    FAIL() << "no complaint";
  } catch (const PartFailure& e) {
    EXPECT_EQ(std::string(e.what()),
              "warp_scheduler 'too_far' threw std::logic_error: register FAR ends at byte 260 of its "
              "policy's window; "
              "allowed: up to 256 when it was made");
  }
}

/// Throws when it hears of a CTA.
class Startled : public WarpPolicy<Startled>, private SmListener {
 public:
  explicit Startled(const SmContext& context) { context.listen(*this, {SmEvent::kCtas}); }
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  unsigned pick(const IssueView& view) override { return static_cast<unsigned>(__builtin_ctzll(view.ready)); }

 private:
  void cta_started(const CtaHere&, Cycle) override { throw std::runtime_error("a CTA"); }
};
WARPVP_REGISTER_POLICY(WarpSchedulerPolicy, Startled, "startled", "For tests.");

TEST(Contexts, WhatAListenerThrowsNamesItsPolicy) {
  SmConfig config = plain_sm();
  config.warp_scheduler = "startled";
  SmBench bench(config);
  const std::string what = bench.complaint(kTwoIndependentMoves, 32);
  EXPECT_NE(what.find("warp_scheduler policy 'startled'"), std::string::npos) << what;
  EXPECT_NE(what.find("a CTA"), std::string::npos) << what;
}

}  // namespace
}  // namespace warpvp::test
