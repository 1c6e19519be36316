#include "sw/apps/micro_code.h"

#include <fmt/format.h>

#include "sw/apps/micro_matrix.h"

namespace warpvp::apps {
namespace {

// Operands depend on a parameter, so that no assembler can know a result.
constexpr const char* kOdd = "  or.b32 %b, %rounds, 1;\n";
constexpr const char* kOddLong = "  or.b32 %odd, %rounds, 1;\n  cvt.u64.u32 %b, %odd;\n";
constexpr const char* kAboveOne = R"(  cvt.rn.f32.u32 %b, %rounds;
  mul.rn.f32 %b, %b, 0f35800000;
  add.rn.f32 %b, %b, 1.0;
)";
constexpr const char* kAboveOneDouble = R"(  cvt.rn.f64.u32 %b, %rounds;
  mul.rn.f64 %b, %b, 0d3EB0000000000000;
  add.rn.f64 %b, %b, 1.0;
)";
constexpr const char* kFirstOdd = "  or.b32 %a0, %rounds, 1;\n";
constexpr const char* kFirstLarge = "  or.b32 %a0, %rounds, 0x80000001;\n";
constexpr const char* kFirstByLane = "  mov.u32 %a0, %laneid;\n  add.s32 %a0, %a0, %rounds;\n";

constexpr unsigned kRegisters = 8;  // of a rate: as many copies are independent

constexpr const char* kHead = ".version 7.5\n.target sm_70\n.address_size 64\n";
constexpr const char* kParameters = R"((
  .param .u32 rounds,
  .param .u32 stride,
  .param .u64 memory,
  .param .u64 times,
  .param .u64 sink
))";

// The loop is, block for block, what clang makes of measure() in sw/kernels/micro/micro.h, so that as much of
// it is in these figures as in those of the entries that are compiled.
constexpr const char* kEntry = R"(
.visible .entry {name}{parameters}
{{
  .reg .pred %warm, %again, %no, %none, %last, %writes;
  .reg .u32 %rounds, %odd, %more, %cta, %threads, %thread, %index, %lane, %two, %before, %after;
  .reg .u64 %sink, %times, %start, %end, %t<8>, %high;
  .reg .{type} %b, %a<{registers}>;
  .reg .{bits} %x<{registers}>, %y<{registers}>, %z<{registers}>;
{stride}  ld.param.u32 %rounds, [rounds];
  ld.param.u64 %t0, [sink];
  cvta.to.global.u64 %sink, %t0;
  ld.param.u64 %t1, [times];
  cvta.to.global.u64 %times, %t1;
{operands}  mov.u32 %threads, %ntid.x;
  mov.b32 %more, 1;
  mov.pred %warm, -1;
  mov.u32 %thread, %tid.x;
  mov.pred %no, 0;
{copy}  bra.uni PASS;
END:
  mov.u64 %end, %clock64;
  mov.pred %warm, %no;
  mov.u32 %more, %rounds;
  @%again bra PASS;
  bra.uni DONE;
PASS:
  .pragma "nounroll";
  mov.pred %again, %warm;
  bar.sync 0;
  mov.u64 %start, %clock64;
  setp.eq.s32 %none, %more, 0;
  @%none bra END;
ROUND:
  .pragma "nounroll";
{round}  add.s32 %more, %more, -1;
  setp.eq.s32 %last, %more, 0;
  @%last bra END;
  bra.uni ROUND;
DONE:
  mov.u32 %cta, %ctaid.x;
  mad.lo.s32 %index, %cta, %threads, %thread;
  and.b32 %lane, %thread, 31;
  setp.eq.s32 %writes, %lane, 0;
  @%writes bra TIMES;
  bra.uni SINK;
TIMES:
  shr.u32 %two, %index, 4;
  or.b32 %after, %two, 1;
  mul.wide.u32 %t2, %after, 8;
  add.s64 %t3, %times, %t2;
  and.b32 %before, %two, 0x0ffffffe;
  mul.wide.u32 %t4, %before, 8;
  add.s64 %t5, %times, %t4;
  st.global.u64 [%t5], %start;
  st.global.u64 [%t3], %end;
SINK:
{fold}  mul.wide.u32 %t6, %index, 4;
  add.s64 %t7, %sink, %t6;
  st.global.{stored} [%t7], {result};
  ret;
}}
)";

// The first pass is one round, to fill the caches.
constexpr const char* kStraight = R"(
.visible .entry instruction_cache{parameters}
{{
  .reg .pred %more, %quiet;
  .reg .u32 %rounds, %after, %stretch, %cta, %threads, %thread, %index, %lane, %warp;
  .reg .u64 %start, %end, %sink, %times, %offset, %at;
  .reg .f32 %a<{registers}>, %z;
stretches: .branchtargets {labels};
  ld.param.u32 %rounds, [rounds];
  ld.param.u32 %stretch, [stride];
  sub.u32 %stretch, {last}, %stretch;
  cvt.rn.f32.u32 %z, %rounds;
{first}  mov.u32 %cta, %ctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mad.lo.u32 %index, %cta, %threads, %thread;
  mov.u32 %after, %rounds;
  mov.u32 %rounds, 1;
PASS:
  bar.sync 0;
  mov.u64 %start, %clock64;
ROUND:
  brx.idx %stretch, stretches;
{stretches}  sub.u32 %rounds, %rounds, 1;
  setp.ne.u32 %more, %rounds, 0;
  @%more bra ROUND;
  mov.u64 %end, %clock64;
  mov.u32 %rounds, %after;
  mov.u32 %after, 0;
  setp.ne.u32 %more, %rounds, 0;
  @%more bra PASS;
{fold}  ld.param.u64 %sink, [sink];
  cvta.to.global.u64 %sink, %sink;
  mul.wide.u32 %offset, %index, 4;
  add.s64 %sink, %sink, %offset;
  st.global.f32 [%sink], %a0;
  and.b32 %lane, %thread, 31;
  setp.ne.u32 %quiet, %lane, 0;
  @%quiet bra DONE;
  shr.u32 %warp, %index, 5;
  ld.param.u64 %times, [times];
  cvta.to.global.u64 %times, %times;
  mul.wide.u32 %at, %warp, 16;
  add.s64 %times, %times, %at;
  st.global.u64 [%times], %start;
  st.global.u64 [%times+8], %end;
DONE:
  ret;
}}
)";

bool is_wide(const MicroInstruction& i) { return i.type[1] == '6'; }
bool is_real(const MicroInstruction& i) { return i.type[0] == 'f'; }

/// A copy, with the register %a`a`.
std::string copy(const MicroInstruction& instruction, unsigned a) {
  std::string text = instruction.text;
  const std::string with = fmt::format("%a{}", a);
  for (std::size_t at = 0; (at = text.find("%a", at)) != std::string::npos; at += with.size())
    text.replace(at, 2, with);
  return "  " + text + "\n";
}

/// What a thread leaves behind of its `registers` results: all of their bits in one word.
struct Fold {
  std::string code, result, stored = "u32";
};
Fold fold(const MicroInstruction& instruction, unsigned registers) {
  const char* bits = is_wide(instruction) ? "b64" : "b32";
  if (registers == 1 && std::string_view(instruction.type) == "f32") return {"", "%a0", "f32"};
  Fold fold;
  for (unsigned r = 0; is_real(instruction) && r < registers; ++r)
    fold.code += fmt::format("  mov.{} %x{}, %a{};\n", bits, r, r);
  const char* from = is_real(instruction) ? "%x" : "%a";
  fold.result = fmt::format("{}0", from);
  for (unsigned r = 1; r < registers; ++r) {
    fold.code += fmt::format("  xor.{} %y{}, {}{}, {};\n", bits, r, from, r, fold.result);
    fold.result = fmt::format("%y{}", r);
  }
  if (!is_wide(instruction)) return fold;
  // The upper half into the lower one. Of moved words clang adds all but the first two once more instead of
  // their sum: the code takes as long as what it made.
  std::string half = "%high";
  fold.code += fmt::format("  shr.u64 %high, {}, 32;\n", fold.result);
  if (is_real(instruction) && registers > 1) fold.result = "%y1";
  for (unsigned r = registers - 1; is_real(instruction) && r > 1; --r) {
    fold.code += fmt::format("  xor.b64 %z{0}, {1}, %x{0};\n", r, half);
    half = fmt::format("%z{}", r);
  }
  fold.code += fmt::format("  xor.b64 %y0, {}, {};\n", fold.result, half);
  fold.result = "%y0";
  return fold;
}

std::string entry(const MicroInstruction& instruction, const char* form, unsigned registers) {
  const char* add = is_real(instruction)   ? (is_wide(instruction) ? "rn.f64" : "rn.f32")
                    : is_wide(instruction) ? "s64"
                                           : "s32";
  std::string operands = instruction.second ? instruction.second : "";
  if (instruction.first) operands += instruction.first;
  for (unsigned r = 1; r < registers; ++r)
    operands += fmt::format("  add.{} %a{}, {}, {}{};\n", add, r, instruction.first ? "%a0" : "%b",
                            r * instruction.apart, is_real(instruction) ? ".0" : "");
  std::string round;
  for (unsigned c = 0; c < kMicroCopies; ++c) round += copy(instruction, c % registers);
  const Fold end = fold(instruction, registers);
  return fmt::format(
      kEntry, fmt::arg("name", fmt::format("{}_{}", instruction.name, form)),
      fmt::arg("parameters", kParameters), fmt::arg("type", instruction.type),
      fmt::arg("bits", is_wide(instruction) ? "b64" : "b32"), fmt::arg("registers", registers),
      fmt::arg("stride", instruction.second ? "" : "  ld.param.u32 %b, [stride];\n"),
      fmt::arg("operands", operands),
      fmt::arg("copy", instruction.first ? "" : fmt::format("  mov.{} %a0, %b;\n", instruction.type)),
      fmt::arg("round", round), fmt::arg("fold", end.code), fmt::arg("stored", end.stored),
      fmt::arg("result", end.result));
}

}  // namespace

const std::vector<MicroInstruction>& micro_instructions() {
  static const std::vector<MicroInstruction> all = [] {
    std::vector<MicroInstruction> basic = {
        // Two additions are one instruction of three operands on chips since Volta: half the number there.
        {"add_s32", "u32", kOdd, nullptr, "add.s32 %a, %a, %b;"},
        {"mul_lo_s32", "u32", kOdd, nullptr, "mul.lo.s32 %a, %a, %b;"},
        {"mad_lo_s32", "u32", kOdd, nullptr, "mad.lo.s32 %a, %a, %b, %b;"},
        {"shf_b32", "u32", kOdd, nullptr, "shf.l.wrap.b32 %a, %a, %b, 7;"},
        {"shl_b32", "u32", nullptr, kFirstOdd, "shl.b32 %a, %a, %b;"},
        {"min_s32", "u32", kOdd, nullptr, "min.s32 %a, %a, %b;"},
        {"prmt_b32", "u32", kOdd, nullptr, "prmt.b32 %a, %a, %b, 0x3541;"},
        {"bfe_u32", "u32", nullptr, kFirstOdd, "bfe.u32 %a, %a, %b, 31;"},
        {"popc_b32", "u32", kOdd, nullptr, "popc.b32 %a, %a;"},
        {"brev_b32", "u32", kOdd, nullptr, "brev.b32 %a, %a;"},
        {"add_s64", "u64", kOddLong, nullptr, "add.s64 %a, %a, %b;"},
        {"mul_lo_s64", "u64", kOddLong, nullptr, "mul.lo.s64 %a, %a, %b;"},
        {"div_u32", "u32", kOdd, kFirstLarge, "div.u32 %a, %a, %b;"},
        {"add_f32", "f32", kAboveOne, nullptr, "add.rn.f32 %a, %a, %b;"},
        {"mul_f32", "f32", kAboveOne, nullptr, "mul.rn.f32 %a, %a, %b;"},
        {"fma_f32", "f32", kAboveOne, nullptr, "fma.rn.f32 %a, %a, %b, %b;"},
        {"min_f32", "f32", kAboveOne, nullptr, "min.f32 %a, %a, %b;"},
        {"div_f32", "f32", kAboveOne, nullptr, "div.rn.f32 %a, %a, %b;"},
        {"sqrt_f32", "f32", kAboveOne, nullptr, "sqrt.rn.f32 %a, %a;"},
        {"lg2_approx_f32", "f32", kAboveOne, nullptr, "lg2.approx.ftz.f32 %a, %a;"},
        {"rsqrt_approx_f32", "f32", kAboveOne, nullptr, "rsqrt.approx.ftz.f32 %a, %a;"},
        {"ex2_approx_f32", "f32", kAboveOne, nullptr, "ex2.approx.ftz.f32 %a, %a;"},
        {"sin_approx_f32", "f32", kAboveOne, nullptr, "sin.approx.ftz.f32 %a, %a;"},
        {"add_f64", "f64", kAboveOneDouble, nullptr, "add.rn.f64 %a, %a, %b;"},
        {"mul_f64", "f64", kAboveOneDouble, nullptr, "mul.rn.f64 %a, %a, %b;"},
        {"fma_f64", "f64", kAboveOneDouble, nullptr, "fma.rn.f64 %a, %a, %b, %b;"},
        {"div_f64", "f64", kAboveOneDouble, nullptr, "div.rn.f64 %a, %a, %b;"},
        // Lanes begin with different words, or there would be nothing to exchange; in the end all hold the
        // last
        // lane's.
        {"shfl_b32", "u32", kOdd, kFirstByLane, "shfl.sync.down.b32 %a, %a, 1, 31, -1;"},
        {"setp_selp", "u32", kOdd, nullptr, "{.reg .pred p; setp.lt.u32 p, %a, %b; selp.b32 %a, %a, %b, p;}",
         2},
        {"cvt_f32_s32", "u32", kOdd, nullptr, "{.reg .f32 f; cvt.rn.f32.s32 f, %a; cvt.rzi.s32.f32 %a, f;}",
         2},
    };
    const std::vector<MicroInstruction> newer = micro_matrix_instructions();
    basic.insert(basic.end(), newer.begin(), newer.end());
    return basic;
  }();
  return all;
}

std::string micro_ptx(const MicroInstruction& instruction) {
  return (instruction.head ? instruction.head : kHead) + entry(instruction, "chain", 1) +
         entry(instruction, "rate", kRegisters);
}

std::string instruction_cache_ptx() {
  std::string stretches, labels;
  for (unsigned s = 0; s < kMicroStretches; ++s) {
    labels += fmt::format("{}S{}", s == 0 ? "" : ", ", s);
    stretches += fmt::format("S{}:\n", s);
    for (unsigned i = 0; i < kMicroCopies; ++i)
      stretches += fmt::format("  add.f32 %a{0}, %a{0}, %z;\n", i % kRegisters);
  }
  std::string first, fold;
  for (unsigned r = 0; r < kRegisters; ++r) first += fmt::format("  mov.f32 %a{}, %z;\n", r);
  for (unsigned r = 1; r < kRegisters; ++r) fold += fmt::format("  add.f32 %a0, %a0, %a{};\n", r);
  return kHead + fmt::format(kStraight, fmt::arg("parameters", kParameters), fmt::arg("labels", labels),
                             fmt::arg("last", kMicroStretches), fmt::arg("registers", kRegisters),
                             fmt::arg("first", first), fmt::arg("stretches", stretches),
                             fmt::arg("fold", fold));
}

}  // namespace warpvp::apps
