// Every stage of a sub-core, and what its warps execute, can be another: each is replaced here by one of the
// test's own, registered by name as a plugin's would be, and the SM then does what that one says.

#include "base/registry.h"
#include "interconnect/policy_contract.h"
#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

// ---- a front end without time: every instruction is at the head at once, fetched for nothing

class InstantFrontEnd : public FrontEnd {
 public:
  explicit InstantFrontEnd(const StageContext& context) : FrontEnd(context.signals, context.warps, 1) {}
  void warp_started(unsigned warp, const WarpInfo&, const ptx::Program&, const AccessOwner&,
                    FetchCounters&) override {
    redirect(warp, 0);
  }
  void warp_finished(unsigned warp) override { signals_.heads &= ~(WarpMask{1} << warp); }
  void selected(unsigned warp, Cycle) override { redirect(warp, head(warp) + 1); }
  void redirect(unsigned warp, ptx::Pc pc) override {
    ibuffers_.clear(warp);
    ibuffers_.push(warp, pc);
    signals_.heads |= WarpMask{1} << warp;
  }
  WarpMask line_filled(std::uint64_t) override { return 0; }
  WarpMask deliver(Cycle) override { return 0; }
  void fetch(Cycle) override {}
  WarpMask missing() const override { return 0; }
  WarpMask starved(WarpMask, WarpMask) const override { return 0; }
};
struct Instant : FrontEndType {
  std::unique_ptr<FrontEnd> build(const StageContext& context) const override {
    return std::make_unique<InstantFrontEnd>(context);
  }
};
WARPVP_REGISTER_POLICY(FrontEndType, Instant, "test_instant", "For tests.");

const char* const kShortLoop = R"(
  .reg .u32 %r<4>;
  .reg .pred %p;
  mov.u32 %r1, 0;
AGAIN:
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, 3;
  @%p bra AGAIN;
  ret;
)";

TEST(Stages, AFrontEndCanBeAnother) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  SmBench bench(config);
  bench.run(kShortLoop, 32);
  // One instruction an edge, whatever was taken.
  EXPECT_EQ(bench.text(), "0:0.0 1:0.1 2:0.2 3:0.3 4:0.1 5:0.2 6:0.3 7:0.1 8:0.2 9:0.3 10:0.4");
  EXPECT_EQ(bench.sm.counters().fetch.fetches, 0u);
}

// ---- an issue stage that issues two warps an edge

class TwoWarps : public IssueStage {
 public:
  explicit TwoWarps(StageSignals& signals) : signals_(signals) {}
  void warp_started(unsigned, const WarpInfo&) override {}
  void warp_finished(unsigned) override {}
  void issue(Cycle now, IssueClient& client) override {
    WarpMask left = signals_.ready;
    for (unsigned i = 0; i < 2 && left; ++i, left &= left - 1)
      client.issue(static_cast<unsigned>(__builtin_ctzll(left)), now);
  }

 protected:
  StageSignals& signals_;
};
template <class Stage>
struct TypeOf : IssueStageType {
  std::unique_ptr<IssueStage> build(const StageContext& context, const FrontEnd&) const override {
    return std::make_unique<Stage>(context.signals);
  }
};
using TwoWarpsType = TypeOf<TwoWarps>;
WARPVP_REGISTER_POLICY(IssueStageType, TwoWarpsType, "test_two_warps", "For tests.");

TEST(Stages, AnIssueStageCanBeAnother) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.issue = "test_two_warps";
  SmBench bench(config);
  // Both moves write one row, and the second warp's starts an edge later on the unit that they share.
  bench.run("  .reg .u32 %r<4>;\n  mov.u32 %r1, 1;\n  mov.u32 %r2, 2;\n  ret;\n", 96);
  EXPECT_EQ(bench.text(), "0:0.0 0:1.0 1:0.1 1:2.0 2:0.2 2:1.1 3:1.2 4:2.1 5:2.2");
}

/// Issues a warp that is ready twice at one edge.
class Twice : public TwoWarps {
 public:
  using TwoWarps::TwoWarps;
  void issue(Cycle now, IssueClient& client) override {
    for (unsigned i = 0; i < 2; ++i)
      client.issue(static_cast<unsigned>(__builtin_ctzll(signals_.ready)), now);
  }
};
using TwiceType = TypeOf<Twice>;
WARPVP_REGISTER_POLICY(IssueStageType, TwiceType, "test_twice", "For tests.");

TEST(Stages, AWarpIssuesOnceAnEdge) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.issue = "test_twice";
  SmBench bench(config);
  const std::string what = bench.complaint(kShortLoop, 32);
  EXPECT_NE(what.find("issue_stage"), std::string::npos) << what;
  EXPECT_NE(what.find("test_twice"), std::string::npos) << what;
  EXPECT_NE(what.find("for the second time at an edge"), std::string::npos) << what;
  EXPECT_NE(what.find("SM 0, scheduler 0, SM cycle"), std::string::npos) << what;
}

// ---- operands without a register file, and units that take seven cycles for everything

TEST(Stages, AnOperandStageCanBeAnother) {
  std::uint64_t conflicts[2];
  for (const char* type : {"collectors", "ideal"}) {
    SmConfig config = plain_sm();
    config.operands.banks = 1;
    config.operands.collectors = 1;
    config.operands.type = type;
    LooseStage loose(type, config);
    StageSignals& signals = loose.signals;
    const auto stage =
        Registry<OperandStageType>::instance().make(config.operands.type)->build(loose.context);
    ptx::Inst inst;
    inst.read_rows = 3;
    inst.reads[0] = 0;
    inst.reads[1] = 1;
    inst.reads[2] = 2;
    const bool ideal = config.operands.type.name == "ideal";
    conflicts[ideal] = 0;
    EXPECT_EQ(stage->collect(inst, 0, 0, 10, conflicts[ideal]), ideal ? 11u : 13u);
    stage->leave(20);
    EXPECT_EQ(signals.operands_free_from <= 12, ideal);
  }
  EXPECT_EQ(conflicts[0], 2u);
  EXPECT_EQ(conflicts[1], 0u);
}

class SevenCycles : public ExecuteStage {
 public:
  explicit SevenCycles(StageSignals& signals) : ExecuteStage(signals) {}
  Cycle start(const ptx::Inst&, Cycle collected) override { return collected; }
  Cycle result_at(const ptx::Inst&, Cycle start) const override { return start - 1 + 7; }
};
struct SevenCyclesType : ExecuteStageType {
  std::unique_ptr<ExecuteStage> build(const StageContext& context) const override {
    return std::make_unique<SevenCycles>(context.signals);
  }
};
WARPVP_REGISTER_POLICY(ExecuteStageType, SevenCyclesType, "test_seven_cycles", "For tests.");

TEST(Stages, TheUnitsCanBeOthers) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.execute = "test_seven_cycles";
  SmBench bench(config);
  bench.run("  .reg .u32 %r<4>;\n  mov.u32 %r1, 1;\n  add.u32 %r2, %r1, 2;\n  add.u32 %r3, %r2, 2;\n  ret;\n",
            32);
  EXPECT_EQ(bench.text(), "0:0.0 7:0.1 14:0.2 15:0.3");
}

// ---- warps that execute no PTX: they go through the program as a script says, and touch one line of memory

struct ScriptedStream : ptx::InstructionStream {
  ptx::StepKind step() override {
    executed_ = active_;
    const ptx::Inst& inst = next();
    const std::vector<ptx::Pc>& script = *script_;
    exited_ = at_ + 1 == script.size();
    if (!exited_) pc_ = script[++at_];
    if (exited_) return ptx::StepKind::kExited;
    if (inst.effect != ptx::Effect::kMemory) return ptx::StepKind::kNormal;
    access_->space = ptx::Space::kGlobal;
    access_->lanes = 1;
    access_->bytes = 4;
    access_->store = access_->atomic = access_->async = false;
    access_->returns_value = true;
    access_->shared_lanes = 0;
    access_->cache_op = 0;
    access_->address[0] = DeviceMemory::kBase;
    return ptx::StepKind::kMemory;
  }
  void begin(const ptx::Program& program, const std::vector<ptx::Pc>& script, ptx::MemoryAccess& access) {
    code_ = program.code.data();
    script_ = &script;
    access_ = &access;
    active_ = ~0u;
    exited_ = false;
    pc_ = script[0];
  }
  const std::vector<ptx::Pc>* script_ = nullptr;
  std::size_t at_ = 0;
};

class Scripted : public InstructionSource, public InstructionSourceType {
 public:
  std::unique_ptr<InstructionSource> build(const SmConfig&, const SmServices&,
                                           const SmContext&) const override {
    return std::make_unique<Scripted>();
  }
  void start_cta(unsigned, const ptx::Program& program, const CtaLaunch&) override { program_ = &program; }
  ptx::InstructionStream& start_warp(unsigned, unsigned, unsigned) override {
    stream_.begin(*program_, script_, access_);
    return stream_;
  }
  std::uint64_t take_released(unsigned) override { return 0; }
  const ptx::ExecFault& fault() const override { return fault_; }
  void begin_edge(Cycle) override {}
  void apply_effects(EffectClient&) override {}

 private:
  // Twice round a loop that PTX would leave at once, with one load.
  const std::vector<ptx::Pc> script_ = {0, 1, 2, 3, 1, 2, 3, 1, 4, 5};
  const ptx::Program* program_ = nullptr;
  ScriptedStream stream_;
  ptx::MemoryAccess access_;
  ptx::ExecFault fault_;
};
WARPVP_REGISTER_POLICY(InstructionSourceType, Scripted, "test_scripted", "For tests.");

TEST(Stages, WarpsNeedNotExecutePtx) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.instructions = "test_scripted";
  config.memory.model = "isolated";
  SmBench bench(config);
  std::string issued;
  bench.load(R"(
    .reg .u32 %r<4>; .reg .u64 %rd<2>; .reg .pred %p;
    mov.u32 %r1, 0;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p, %r1, 0;
    @%p bra NOWHERE;
NOWHERE:
    ld.global.u32 %r2, [%rd1];
    ret;
  )",
             32);
  bench.run_again();
  std::vector<int> pcs;
  for (const SmBench::Issue& issue : bench.issues) pcs.push_back(issue.pc);
  EXPECT_EQ(pcs, (std::vector<int>{0, 1, 2, 3, 1, 2, 3, 1, 4, 5}));
  EXPECT_EQ(bench.ctas_done, 1u);
  EXPECT_EQ(bench.sm.counters().issued, 10u);
}

}  // namespace
}  // namespace warpvp::test
