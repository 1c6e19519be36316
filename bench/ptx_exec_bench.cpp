// Nanoseconds per warp instruction of functional execution, at every instruction-set level this machine has.
// Each program is a loop over the instruction measured, run by one full warp; what is timed is Warp::step.

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "ptx/exec/functional_runner.h"
#include "ptx/exec/select.h"

namespace warpvp::ptx {
namespace {

constexpr unsigned kUnroll = 64;

/// A program put together by hand: `body` repeated, then a branch back to its start.
class LoopProgram {
 public:
  explicit LoopProgram(FlatMemory& memory) : memory_(memory) {
    program_.name = "loop";
    program_.rows = 16;
    program_.preds = 2;
  }
  Inst& add(Opcode opcode, const Modifiers& m, Operand dst, std::initializer_list<Operand> src,
            std::uint16_t wide = 0) {
    Inst inst;
    inst.opcode = opcode;
    inst.dst[0] = dst;
    inst.dst_count = 1;
    for (const Operand& o : src) inst.src[inst.src_count++] = o;
    inst.wide = wide;
    if (opcode == Opcode::ld) {
      inst.effect = Effect::kMemory;
      inst.space = Space::kGlobal;
      inst.access_bytes = 4;
    }
    inst.exec = select_exec(inst, m);
    program_.code.push_back(inst);
    return program_.code.back();
  }
  void close_loop() {
    Inst branch;
    branch.opcode = Opcode::bra;
    branch.effect = Effect::kBranch;
    branch.target = 0;
    branch.reconverge = static_cast<Pc>(program_.code.size() + 1);
    program_.code.push_back(branch);
  }
  void run(benchmark::State& state) {
    close_loop();
    ExecEnv env;
    ExecFault fault;
    env.global = &memory_;
    env.fault = &fault;
    Cta cta;
    cta.start(program_, env, {}, {32, 1, 1}, {}, 0, 0, 1, nullptr);
    Warp warp;
    warp.launch(cta, 0);
    // Addresses for loads in rows 8 and 9; small floats elsewhere.
    const std::uint64_t buffer = memory_.allocate(4096);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      const std::uint64_t address = buffer + 4 * lane;
      std::memcpy(reinterpret_cast<char*>(warp.row(8)) + 8 * lane, &address, 8);
      for (unsigned r = 0; r < 8; ++r) warp.row(r)[lane] = 0x3f800000u + lane * 1024 + r;
    }
    warp.pred(0) = 0x55555555;
    const std::size_t steps = program_.code.size();
    for (auto _ : state) {
      for (std::size_t i = 0; i < steps; ++i) benchmark::DoNotOptimize(warp.step());
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * steps));
    state.counters["time/inst"] =
        benchmark::Counter(static_cast<double>(state.iterations() * steps),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }

 private:
  FlatMemory& memory_;
  Program program_;
};

Operand reg(unsigned row) { return {OperandKind::kReg, false, static_cast<std::uint16_t>(row)}; }
Operand pred(unsigned p) { return {OperandKind::kPred, false, static_cast<std::uint16_t>(p)}; }

using Fill = void (*)(LoopProgram&, unsigned);
void fill_add(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::s32;
  p.add(Opcode::add, m, reg(i % 4), {reg((i + 1) % 4), reg(4)});
}
void fill_fma(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::f32;
  m.rounding = Rounding::rn;
  p.add(Opcode::fma, m, reg(i % 4), {reg(4), reg(5), reg(i % 4)});
}
void fill_setp(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::s32;
  m.compare = Compare::lt;
  p.add(Opcode::setp, m, pred(i % 2), {reg(i % 4), reg(4)});
}
void fill_ld(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::f32;
  p.add(Opcode::ld, m, reg(i % 4), {reg(8)}, 1u << kMaxDst);
}
void fill_guarded(LoopProgram& p, unsigned i) {  // predicate 0 holds in every other lane
  Modifiers a;
  a.type = Type::s32;
  p.add(Opcode::add, a, reg(i % 4), {reg((i + 1) % 4), reg(4)}).guard = pred(0);
}
void fill_div(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::f32;
  m.rounding = Rounding::rn;
  p.add(Opcode::div, m, reg(i % 4), {reg(4), reg(5)});
}
void fill_sin(LoopProgram& p, unsigned i) {
  Modifiers m;
  m.type = Type::f32;
  m.rounding = Rounding::approx;
  p.add(Opcode::sin, m, reg(i % 4), {reg(4)});
}
void fill_nothing(LoopProgram&, unsigned) {}

void measure(benchmark::State& state, Fill fill, unsigned count) {
  FlatMemory memory(1 << 20);
  if (!set_isa_level(static_cast<IsaLevel>(state.range(0)))) {
    state.SkipWithError("this machine does not have that level");
    return;
  }
  LoopProgram program(memory);
  for (unsigned i = 0; i < count; ++i) fill(program, i);
  program.run(state);
}

#define WARPVP_BENCH(name, fill, count) \
  BENCHMARK_CAPTURE(measure, name, fill, count)->ArgName("level")->DenseRange(0, 2)
WARPVP_BENCH(add_s32, fill_add, kUnroll);
WARPVP_BENCH(fma_f32, fill_fma, kUnroll);
WARPVP_BENCH(setp_s32, fill_setp, kUnroll);
WARPVP_BENCH(ld_global_coalesced, fill_ld, kUnroll);
WARPVP_BENCH(add_s32_guarded, fill_guarded, kUnroll);
WARPVP_BENCH(div_f32, fill_div, kUnroll);
WARPVP_BENCH(sin_f32, fill_sin, kUnroll);
WARPVP_BENCH(branch_loop, fill_nothing, 0u);

}  // namespace
}  // namespace warpvp::ptx

BENCHMARK_MAIN();
