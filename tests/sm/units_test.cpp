// Where warps go, which unit takes what, how long a branch holds its warp, and how many warps a barrier takes
// at a time.

#include "tests/sm/sm_bench.h"

namespace warpvp::test {
namespace {

// ---- sm.warp_placement

struct Placement {
  const char* rule;
  unsigned threads;
  std::vector<std::string> sub_cores;  ///< of the warps of each CTA
};
void PrintTo(const Placement& p, std::ostream* out) { *out << p.rule << " " << p.threads; }

class WarpPlacement : public ::testing::TestWithParam<Placement> {};

TEST_P(WarpPlacement, DealsWarpsToSubCores) {
  const Placement& p = GetParam();
  SmConfig config = plain_sm();
  config.schedulers = 4;
  config.resources.warps = 32;
  config.warp_placement = p.rule;
  SmBench bench(config);
  bench.load("  ret;\n", p.threads);
  for (std::size_t i = 0; i < p.sub_cores.size(); ++i) bench.run_again();
  std::vector<std::string> found;
  for (const std::vector<std::uint16_t>& cta : bench.placed) {
    found.emplace_back();
    for (const std::uint16_t slot : cta) found.back() += static_cast<char>('0' + slot % 4);
  }
  EXPECT_EQ(found, p.sub_cores);
}

INSTANTIATE_TEST_SUITE_P(Rules, WarpPlacement,
                         ::testing::Values(Placement{"in_turn", 128, {"0123", "0123", "0123"}},
                                           Placement{"in_turn", 192, {"012301", "230123", "012301"}},
                                           Placement{"rotate", 128, {"0123", "1230", "2301", "3012", "0123"}},
                                           Placement{"rotate", 32, {"0", "1", "2", "3", "0"}},
                                           Placement{"rotate", 64, {"01", "12", "23", "30", "01"}},
                                           Placement{"rotate", 192, {"012301", "123012", "230123"}}));

// ---- sm.pipes

struct Pipe {
  const char* name;
  void (*set)(PipesConfig& pipes);
  const char* body;
  const char* issues;
};
void PrintTo(const Pipe& p, std::ostream* out) { *out << p.name; }

class Pipes : public ::testing::TestWithParam<Pipe> {};

// Each unit takes an instruction every second edge, the path to the load/store unit every fourth, and none to
// wait; nothing else holds an instruction back.
TEST_P(Pipes, LeadToTheUnitsThatAreNamed) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.int_unit = config.fp32_unit = UnitConfig(2);
  config.int_unit.queue = config.fp32_unit.queue = 0;
  config.lsu_unit = UnitConfig(4);
  config.lsu_unit.queue = 0;
  config.latency.int_mul = config.latency.logic = config.latency.fp_add = config.latency.shuffle = 1;
  GetParam().set(config.pipes);
  SmBench bench(config);
  bench.run(std::string("  .reg .u32 %r<9>;\n  .reg .f32 %f<9>;\n  .reg .pred %p;\n") + GetParam().body +
                "  ret;\n",
            32);
  EXPECT_EQ(bench.text(), GetParam().issues);
}

constexpr const char* kMoves = "mov.u32 %r1, 1; mov.u32 %r2, 1; mov.u32 %r3, 1; mov.u32 %r4, 1;\n";
constexpr const char* kMultiplyAndAdd =
    "mul.lo.u32 %r1, %r5, 3; add.f32 %f1, %f5, %f5; mul.lo.u32 %r2, %r5, 3; add.f32 %f2, %f5, %f5;\n";
constexpr const char* kShifts =
    "shl.b32 %r1, %r5, 3; shl.b32 %r2, %r5, 3; shr.u32 %r3, %r5, 3; shr.u32 %r4, %r5, 3;\n";

constexpr const char* kFpCompares =
    "add.f32 %f1, %f5, %f5; setp.lt.f32 %p, %f5, %f6; min.f32 %f2, %f5, %f6; max.f32 %f3, %f5, %f6; mul.f32 "
    "%f4, %f5, "
    "%f6;\n";

constexpr const char* kShuffles =
    "shfl.sync.idx.b32 %r1, %r5, 0, 31, -1; add.u32 %r2, %r5, 1; shfl.sync.idx.b32 %r3, %r5, 0, 31, -1; "
    "add.u32 %r4, %r5, 1;\n";

INSTANTIATE_TEST_SUITE_P(
    Classes, Pipes,
    ::testing::Values(
        Pipe{"moves_to_int", [](PipesConfig&) {}, kMoves, "0:0.0 2:0.1 4:0.2 6:0.3 7:0.4"},
        Pipe{"moves_to_either", [](PipesConfig& p) { p.move = "either"; }, kMoves,
             "0:0.0 1:0.1 2:0.2 3:0.3 4:0.4"},
        Pipe{"multiplications_to_int", [](PipesConfig&) {}, kMultiplyAndAdd, "0:0.0 1:0.1 2:0.2 3:0.3 4:0.4"},
        Pipe{"multiplications_to_fp32", [](PipesConfig& p) { p.int_mul = "fp32"; }, kMultiplyAndAdd,
             "0:0.0 2:0.1 4:0.2 6:0.3 7:0.4"},
        Pipe{"multiplications_to_either", [](PipesConfig& p) { p.int_mul = "either"; }, kMultiplyAndAdd,
             "0:0.0 1:0.1 2:0.2 3:0.3 4:0.4"},
        Pipe{"only_shifts_to_the_left", [](PipesConfig& p) { p.shift_left = "either"; }, kShifts,
             "0:0.0 1:0.1 2:0.2 4:0.3 5:0.4"},
        Pipe{"int_first_of_either", [](PipesConfig& p) { p.move = "either"; },
             "mov.u32 %r1, 1; add.u32 %r2, %r5, 1;\n", "0:0.0 2:0.1 3:0.2"},
        Pipe{"then_fp32", [](PipesConfig& p) { p.move = "either"; },
             "add.u32 %r2, %r5, 1; mov.u32 %r1, 1; add.f32 %f1, %f5, %f5;\n", "0:0.0 1:0.1 3:0.2 4:0.3"},
        Pipe{"additions_logic_comparisons", [](PipesConfig& p) { p.int_add = p.logic = p.compare = "fp32"; },
             "mov.u32 %r1, 1; add.u32 %r2, %r5, 1; and.b32 %r3, %r5, 1; setp.eq.u32 %p, %r5, 1;\n",
             "0:0.0 1:0.1 3:0.2 5:0.3 6:0.4"},
        Pipe{"fp_comparisons_to_fp32", [](PipesConfig&) {}, kFpCompares,
             "0:0.0 2:0.1 4:0.2 6:0.3 8:0.4 9:0.5"},
        Pipe{"fp_comparisons_to_int", [](PipesConfig& p) { p.fp_compare = "int"; }, kFpCompares,
             "0:0.0 1:0.1 3:0.2 5:0.3 6:0.4 7:0.5"},
        Pipe{"shuffles_to_int", [](PipesConfig&) {}, kShuffles, "0:0.0 2:0.1 4:0.2 6:0.3 7:0.4"},
        Pipe{"shuffles_to_lsu", [](PipesConfig& p) { p.shuffle = "lsu"; }, kShuffles,
             "0:0.0 1:0.1 4:0.2 5:0.3 6:0.4"}),
    [](const auto& info) { return info.param.name; });

// ---- sm.latency.control

struct Branch {
  const char* front_end;
  unsigned latency;
  const char* issues;
};
void PrintTo(const Branch& b, std::ostream* out) { *out << b.front_end << " " << b.latency; }

class ControlLatency : public ::testing::TestWithParam<Branch> {};

// One branch is taken, one is not. Fetching the target takes four edges, at the same time.
TEST_P(ControlLatency, HoldsTheWarp) {
  SmConfig config = plain_sm();
  config.frontend.mode = GetParam().front_end;
  config.latency.control = GetParam().latency;
  SmBench bench(config);
  const char* const body = R"(
    .reg .u32 %r<4>; .reg .pred %p;
    mov.u32 %r1, 0;
    bra NEXT;
    mov.u32 %r1, 1;
NEXT:
    setp.eq.u32 %p, %r1, 1;
    @%p bra NEXT;
    mov.u32 %r1, 1;
    ret;
  )";
  bench.run(body, 32);
  bench.issues.clear();  // now the instruction cache has it
  bench.run_again();
  EXPECT_EQ(bench.text(), GetParam().issues);
}

INSTANTIATE_TEST_SUITE_P(Latencies, ControlLatency,
                         ::testing::Values(Branch{"test_instant", 1, "0:0.0 1:0.1 2:0.3 3:0.4 4:0.5 5:0.6"},
                                           Branch{"test_instant", 5, "0:0.0 1:0.1 6:0.3 7:0.4 12:0.5 13:0.6"},
                                           Branch{"separate", 1, "0:0.0 1:0.1 5:0.3 6:0.4 7:0.5 8:0.6"},
                                           Branch{"separate", 3, "0:0.0 1:0.1 5:0.3 6:0.4 9:0.5 10:0.6"},
                                           Branch{"separate", 7, "0:0.0 1:0.1 8:0.3 9:0.4 16:0.5 17:0.6"}));

// ---- sm.latency.guard

class GuardLatency : public ::testing::TestWithParam<bool> {};

TEST_P(GuardLatency, IsWhatAPredicateTakesLongerToGuardThanToBeAnOperand) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.latency.compare = 4;
  config.latency.guard = GetParam() ? 8 : 0;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<4>; .reg .pred %p<3>;
    setp.eq.u32 %p1, %r1, 1;
    selp.u32 %r2, 1, 2, %p1;
    setp.eq.u32 %p2, %r1, 1;
    @%p2 mov.u32 %r3, 1;
    @%p2 bra END;
END:
    ret;
  )",
            32);
  EXPECT_EQ(bench.text(),
            GetParam() ? "0:0.0 4:0.1 5:0.2 17:0.3 18:0.4 19:0.5" : "0:0.0 4:0.1 5:0.2 9:0.3 10:0.4 11:0.5");
}

INSTANTIATE_TEST_SUITE_P(WithAndWithout, GuardLatency, ::testing::Bool());

// ---- sm.latency.address

class AddressLatency : public ::testing::TestWithParam<bool> {};

// What a load yields is not later for another one.
TEST_P(AddressLatency, IsWhatArithmeticTakesLongerToReachMemoryInstructions) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.latency.int_add = 4;
  config.latency.address = GetParam() ? 4 : 0;
  SmBench bench(config);
  bench.run(R"(
    .reg .u32 %r<9>; .shared .align 4 .b8 tile[256];
    mov.u32 %r1, tile;
    add.u32 %r2, %r1, 4;
    add.u32 %r3, %r2, 4;
    ld.shared.u32 %r4, [%r3];
    ld.shared.u32 %r5, [%r4];
    ret;
  )",
            32);
  EXPECT_EQ(bench.text(),
            GetParam() ? "0:0.0 1:0.1 5:0.2 13:0.3 38:0.4 39:0.5" : "0:0.0 1:0.1 5:0.2 9:0.3 34:0.4 35:0.5");
}

INSTANTIATE_TEST_SUITE_P(WithAndWithout, AddressLatency, ::testing::Bool());

// ---- sm.latency.special_operand, sm.latency.other_pipe

struct Chain {
  const char* name;
  const char* body;
  const char* issues;  ///< without the latencies
  const char* later;   ///< with 20 and 3 cycles
};
void PrintTo(const Chain& c, std::ostream* out) { *out << c.name; }

class OperandLatency : public ::testing::TestWithParam<std::tuple<Chain, bool>> {};

// Results of the integer and the single-precision unit are there after four edges, those of the special
// functions after ten.
TEST_P(OperandLatency, IsThatOfProducerAndConsumer) {
  const auto& [chain, set] = GetParam();
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.sfu_unit = UnitConfig(1);
  config.latency.move = config.latency.int_add = config.latency.fp_add = config.latency.fp_fma = 4;
  config.latency.int_mul = config.latency.compare = 4;
  config.latency.special = config.latency.convert = 10;
  config.pipes.int_mul = "fp32";
  config.pipes.logic = "either";
  config.pipes.fp_compare = "int";
  if (set) {
    config.latency.special_operand = 20;
    config.latency.other_pipe = 3;
  }
  SmBench bench(config);
  bench.run(std::string(".reg .u32 %r<9>; .reg .f32 %f<9>; .reg .pred %p;\n") + chain.body + "ret;\n", 32);
  EXPECT_EQ(bench.text(), set ? chain.later : chain.issues);
}

INSTANTIATE_TEST_SUITE_P(
    Chains, OperandLatency,
    ::testing::Combine(
        ::testing::Values(
            Chain{"int_to_int", "add.u32 %r1, %r2, 1; add.u32 %r3, %r1, 1;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 4:0.1 5:0.2"},
            Chain{"fp32_to_fp32", "add.f32 %f1, %f2, %f2; add.f32 %f3, %f1, %f1;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 4:0.1 5:0.2"},
            Chain{"int_to_fp32", "add.u32 %r1, %r2, 1; mul.lo.u32 %r3, %r1, 3;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 7:0.1 8:0.2"},
            Chain{"fp32_to_int", "mul.lo.u32 %r3, %r1, 3; add.u32 %r1, %r3, 1;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 7:0.1 8:0.2"},
            Chain{"fp32_to_comparison", "add.f32 %f1, %f2, %f2; setp.lt.f32 %p, %f1, %f2;\n",
                  "0:0.0 4:0.1 5:0.2", "0:0.0 7:0.1 8:0.2"},
            Chain{"minimum_to_minimum", "min.f32 %f1, %f2, %f3; max.f32 %f4, %f1, %f2;\n",
                  "0:0.0 4:0.1 5:0.2", "0:0.0 4:0.1 5:0.2"},
            Chain{"int_to_special", "add.u32 %r1, %r2, 1; cvt.rn.f32.u32 %f1, %r1;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 24:0.1 25:0.2"},
            Chain{"fp32_to_special", "add.f32 %f1, %f2, %f2; ex2.approx.ftz.f32 %f3, %f1;\n",
                  "0:0.0 4:0.1 5:0.2", "0:0.0 24:0.1 25:0.2"},
            Chain{"special_to_special_and_fp32",
                  "ex2.approx.ftz.f32 %f1, %f2; ex2.approx.ftz.f32 %f3, %f1; add.f32 %f4, %f3, %f3;\n",
                  "0:0.0 10:0.1 20:0.2 21:0.3", "0:0.0 10:0.1 20:0.2 21:0.3"},
            // The latest of several operands counts, each with its own way.
            Chain{"several", "add.u32 %r1, %r5, 1; mul.lo.u32 %r2, %r5, 3; mad.lo.u32 %r3, %r1, %r2, %r2;\n",
                  "0:0.0 1:0.1 5:0.2 6:0.3", "0:0.0 1:0.1 7:0.2 8:0.3"},
            Chain{"overwritten", "mul.lo.u32 %r3, %r1, 3; add.u32 %r3, %r1, 1;\n", "0:0.0 4:0.1 5:0.2",
                  "0:0.0 7:0.1 8:0.2"},
            // As an operand's user it is on the unit of the operand; its result is of the one that it ran on,
            // the integer unit unless that is taken.
            Chain{
                "of_either_unit",
                "mul.lo.u32 %r3, %r1, 3; and.b32 %r4, %r3, 7; mul.lo.u32 %r5, %r4, 3; add.u32 %r6, %r4, 1;\n",
                "0:0.0 4:0.1 8:0.2 9:0.3 10:0.4", "0:0.0 4:0.1 11:0.2 12:0.3 13:0.4"}),
        ::testing::Bool()),
    [](const auto& info) {
      return std::string(std::get<0>(info.param).name) + (std::get<1>(info.param) ? "_later" : "_as_ever");
    });

// ---- sm.barrier_interval

struct Arrivals {
  unsigned interval;
  const char* issued;  ///< edge:warp.instruction
};
void PrintTo(const Arrivals& a, std::ostream* out) { *out << a.interval; }

class BarrierInterval : public ::testing::TestWithParam<Arrivals> {};

// Three warps arrive one edge after the other. They go on two edges after the unit has seen the last of them;
// without a unit the last one goes on at once.
TEST_P(BarrierInterval, IsHowLongAnArrivalTakes) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.barrier_interval = GetParam().interval;
  SmBench bench(config);
  bench.run(".reg .u32 %r<4>;\nbar.sync 0;\nmov.u32 %r1, 1;\nret;\n", 96);
  EXPECT_EQ(bench.text(), GetParam().issued);
}

INSTANTIATE_TEST_SUITE_P(
    Intervals, BarrierInterval,
    ::testing::Values(Arrivals{0, "0:0.0 1:1.0 2:2.0 3:2.1 4:0.1 5:1.1 6:2.2 7:0.2 8:1.2"},
                      Arrivals{1, "0:0.0 1:1.0 2:2.0 4:0.1 5:1.1 6:2.1 7:0.2 8:1.2 9:2.2"},
                      Arrivals{4, "0:0.0 1:1.0 2:2.0 13:0.1 14:1.1 15:2.1 16:0.2 17:1.2 18:2.2"}));

// Two CTAs of a warp each arrive one edge apart; the second one's turn comes when the first one's is over.
TEST(BarrierUnit, IsThatOfAllCtas) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.barrier_interval = 8;
  SmBench bench(config);
  bench.load(".reg .u32 %r<4>;\nbar.sync 0;\nmov.u32 %r1, 1;\nret;\n", 32);
  bench.launch();
  bench.launch();
  sc_core::sc_start(1000 * bench.clock.period());
  EXPECT_EQ(bench.text(), "0:0.0 1:0.0 9:0.1 10:0.2 17:0.1 18:0.2");
}

// ---- sm.tensor_unit

struct Products {
  const char* name;
  const char* body;
  const char* issues;
};
void PrintTo(const Products& p, std::ostream* out) { *out << p.name; }

class TensorUnit : public ::testing::TestWithParam<Products> {};

// m16n8k16 are 2048 multiply-adds, 8 cycles of a unit that makes 256 a cycle; a dependent waits for 20 more.
TEST_P(TensorUnit, TakesAsLongAsTheMultiplyAddsNeed) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.tensor_unit.half = 256;
  config.tensor_unit.byte = 512;
  config.tensor_unit.single = 128;
  config.tensor_unit.queue = 0;
  config.latency.tensor = 20;
  SmBench bench(config);
  bench.run(std::string("  .reg .f32 %d<9>;\n  .reg .b32 %r<9>;\n") + GetParam().body + "  ret;\n", 32);
  EXPECT_EQ(bench.text(), GetParam().issues);
}

#define MMA_F16(d) \
  "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {" d "}, {%r0,%r1,%r2,%r3}, {%r4,%r5}, {" d "};\n"
INSTANTIATE_TEST_SUITE_P(
    Shapes, TensorUnit,
    ::testing::Values(
        Products{"independent", MMA_F16("%d0,%d1,%d2,%d3") MMA_F16("%d4,%d5,%d6,%d7"), "0:0.0 8:0.1 9:0.2"},
        Products{"a chain", MMA_F16("%d0,%d1,%d2,%d3") MMA_F16("%d0,%d1,%d2,%d3"), "0:0.0 28:0.1 29:0.2"},
        Products{"half as deep, and bytes",
                 "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%d0,%d1,%d2,%d3}, {%r0,%r1}, {%r4}, "
                 "{%d0,%d1,%d2,%d3};\n"
                 "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0,%r1,%r2,%r3}, {%r0,%r1,%r2,%r3}, "
                 "{%r4,%r5}, {%r0,%r1,%r2,%r3};\n"
                 "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%d4,%d5,%d6,%d7}, {%r5,%r6,%r7,%r8}, "
                 "{%r5,%r6}, {%d4,%d5,%d6,%d7};\n",
                 "0:0.0 4:0.1 12:0.2 13:0.3"},
        Products{"floats of 8 bits",
                 "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {%d0,%d1,%d2,%d3}, {%r0,%r1,%r2,%r3}, "
                 "{%r4,%r5}, {%d0,%d1,%d2,%d3};\n" MMA_F16("%d4,%d5,%d6,%d7"),
                 "0:0.0 8:0.1 9:0.2"}),
    [](const auto& info) {
      std::string name = info.param.name;
      for (char& c : name) c = c == ' ' || c == ',' ? '_' : c;
      return name;
    });

// Times that somebody has measured: m16n8k16 occupies the unit for 6 and a half cycles, and a dependent waits
// for 24.
TEST(MeasuredProducts, AddUpFractionsAndHaveTheirOwnLatency) {
  SmConfig config = plain_sm();
  config.frontend.mode = "test_instant";
  config.tensor_unit.half = 1;
  config.tensor_unit.queue = 0;
  config.tensor_unit.products = {{"dense", {"m16n8k16", "f16", false, 6.5, 24}}};
  const std::string registers = "  .reg .f32 %d<16>;\n  .reg .b32 %r<9>;\n";
  SmBench chain(config), independent(config);
  chain.run(registers + MMA_F16("%d0,%d1,%d2,%d3") MMA_F16("%d0,%d1,%d2,%d3") "  ret;\n", 32);
  EXPECT_EQ(chain.text(), "0:0.0 24:0.1 25:0.2");
  independent.run(registers + MMA_F16("%d0,%d1,%d2,%d3") MMA_F16("%d4,%d5,%d6,%d7")
                                  MMA_F16("%d8,%d9,%d10,%d11") MMA_F16("%d12,%d13,%d14,%d15") "  ret;\n",
                  32);
  EXPECT_EQ(independent.text(), "0:0.0 7:0.1 13:0.2 20:0.3 21:0.4");
}

// As many multiply-adds, and another type, or sparse ones: by the rate.
TEST(MeasuredProducts, AreOfOneTypeAndDenseOrSparse) {
  TensorConfig config;
  config.half = config.byte = 256;
  config.products = {{"dense", {"m16n8k16", "f16", false, 6.5, 24}},
                     {"sparse", {"m16n8k64", "s8", true, 9, 30}}};
  const ProductTimes times(config, 20);
  const auto of = [&](ptx::OpClass c, std::uint8_t size) {
    ptx::Inst inst;
    inst.op_class = c;
    inst.access_bytes = size;
    const ProductTimes::Time& time = times.of(inst);
    return std::pair(time.interval, time.latency);
  };
  using Time = std::pair<std::uint32_t, std::uint32_t>;
  EXPECT_EQ(of(ptx::OpClass::kTensorHalf, 11), Time(6 * 64 + 32, 24));
  EXPECT_EQ(of(ptx::OpClass::kTensorHalf, 11 | ptx::kSparseProduct), Time(8 * 64, 28));
  EXPECT_EQ(of(ptx::OpClass::kTensorHalf, 10), Time(4 * 64, 24));
  EXPECT_EQ(of(ptx::OpClass::kTensorByte, 12), Time(16 * 64, 36));
  EXPECT_EQ(of(ptx::OpClass::kTensorByte, 12 | ptx::kSparseProduct), Time(9 * 64, 30));
}
#undef MMA_F16

}  // namespace
}  // namespace warpvp::test
