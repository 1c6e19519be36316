#include "sw/apps/micro_matrix.h"

namespace warpvp::apps {
namespace {

// A product adds to a sum of its own: %a is its first element, %ax1 and on the others, which no other copy
// has. The factors are the same for all and change in no round.
#define SUMS(type, r)                                                            \
  "  .reg ." type " %a" #r "x<8>;\n  mov.b32 %a" #r "x1, %rounds; mov.b32 %a" #r \
  "x2, %rounds;\n"                                                               \
  "  mov.b32 %a" #r "x3, %rounds; mov.b32 %a" #r "x4, %rounds; mov.b32 %a" #r    \
  "x5, %rounds;\n"                                                               \
  "  mov.b32 %a" #r "x6, %rounds; mov.b32 %a" #r "x7, %rounds;\n"
#define FACTORS                                                                                             \
  "  .reg .b32 %m<8>;\n  mov.b32 %m0, %rounds; mov.b32 %m1, %rounds; mov.b32 %m2, %rounds;\n"               \
  "  mov.b32 %m3, %rounds; mov.b32 %m4, %rounds; mov.b32 %m5, %rounds; mov.b32 %m6, %rounds; mov.b32 %m7, " \
  "%rounds;\n"
#define PREPARED(type, first)                                                                               \
  FACTORS SUMS(type, 0) SUMS(type, 1) SUMS(type, 2) SUMS(type, 3) SUMS(type, 4) SUMS(type, 5) SUMS(type, 6) \
      SUMS(type, 7) "  mov.b32 %b, " first ";\n"
constexpr const char* kReal = PREPARED("f32", "%rounds");
constexpr const char* kWords = PREPARED("b32", "%rounds");
constexpr const char* kIntegers = PREPARED("s32", "%rounds");
// Two of each four elements, the first and the second.
constexpr const char* kSparse = PREPARED("f32", "%rounds") "  mov.b32 %m7, 0x44444444;\n";
constexpr const char* kSparseIntegers = PREPARED("s32", "%rounds") "  mov.b32 %m7, 0x44444444;\n";
#undef PREPARED
#undef FACTORS
#undef SUMS

#define DOUBLE_SUMS(r) \
  "  .reg .f64 %a" #r "x<4>;\n  mov.f64 %a" #r "x1, %b; mov.f64 %a" #r "x2, %b; mov.f64 %a" #r "x3, %b;\n"
constexpr const char* kDouble = "  cvt.rn.f64.u32 %b, %rounds;\n" DOUBLE_SUMS(0) DOUBLE_SUMS(1) DOUBLE_SUMS(2)
    DOUBLE_SUMS(3) DOUBLE_SUMS(4) DOUBLE_SUMS(5) DOUBLE_SUMS(6) DOUBLE_SUMS(7);
#undef DOUBLE_SUMS

#define FOUR "{%a,%ax1,%ax2,%ax3}"
#define TWO "{%a,%ax1}"
#define A4 "{%m0,%m1,%m2,%m3}"
#define A2 "{%m0,%m1}"
#define B4 "{%m4,%m5,%m6,%m7}"
#define B2 "{%m4,%m5}"
#define B1 "{%m4}"
#define MMA(suffixes, sums, a, b) "mma.sync.aligned." suffixes " " sums ", " a ", " b ", " sums ";"
#define SPARSE(suffixes, sums, a, b) \
  "mma.sp::ordered_metadata.sync.aligned." suffixes " " sums ", " a ", " b ", " sums ", %m7, 0;"

// A tile of which every word is the tile's address: what a load gives is where the next one loads from.
constexpr const char* kTile = R"(  .shared .align 16 .b8 tile[512];
  .reg .b32 %mine;
  mov.u32 %b, tile;
  mov.u32 %lane, %laneid;
  mad.lo.u32 %mine, %lane, 4, %b;
  st.shared.b32 [%mine], %b;
  bar.sync 0;
)";

}  // namespace

std::vector<MicroInstruction> micro_matrix_instructions() {
  const auto newest = [](MicroInstruction i) {
    i.head = ".version 8.5\n.target sm_90\n.address_size 64\n";
    return i;
  };
  return {
      newest({"mma_f32_f16", "f32", kReal, nullptr, MMA("m16n8k16.row.col.f32.f16.f16.f32", FOUR, A4, B2)}),
      newest({"mma_f32_f16_k8", "f32", kReal, nullptr, MMA("m16n8k8.row.col.f32.f16.f16.f32", FOUR, A2, B1)}),
      newest({"mma_f16_f16", "b32", kWords, nullptr, MMA("m16n8k16.row.col.f16.f16.f16.f16", TWO, A4, B2)}),
      newest(
          {"mma_f32_bf16", "f32", kReal, nullptr, MMA("m16n8k16.row.col.f32.bf16.bf16.f32", FOUR, A4, B2)}),
      newest({"mma_f32_tf32", "f32", kReal, nullptr, MMA("m16n8k8.row.col.f32.tf32.tf32.f32", FOUR, A4, B2)}),
      newest(
          {"mma_f32_tf32_k4", "f32", kReal, nullptr, MMA("m16n8k4.row.col.f32.tf32.tf32.f32", FOUR, A2, B1)}),
      // Otherwise the chip's assembler, which makes other instructions of it, multiplies once for all copies.
      newest({"mma_f32_e4m3", "f32", kReal, nullptr,
              "{.reg .b32 q; mov.b32 q, %a; " MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", FOUR,
                                                  "{q,%m1,%m2,%m3}", B2) "}",
              2}),
      newest({"mma_s32_s8", "s32", kIntegers, nullptr, MMA("m16n8k32.row.col.s32.s8.s8.s32", FOUR, A4, B2)}),
      newest(
          {"mma_s32_s8_k16", "s32", kIntegers, nullptr, MMA("m16n8k16.row.col.s32.s8.s8.s32", FOUR, A2, B1)}),
      newest({"mma_s32_s4", "s32", kIntegers, nullptr, MMA("m16n8k64.row.col.s32.s4.s4.s32", FOUR, A4, B2)}),
      newest({"mma_s32_b1", "s32", kIntegers, nullptr,
              MMA("m16n8k256.row.col.s32.b1.b1.s32.and.popc", FOUR, A4, B2)}),
      newest(
          {"mma_f64", "f64", kDouble, nullptr, MMA("m8n8k4.row.col.f64.f64.f64.f64", TWO, "{%b}", "{%b}")}),
      newest({"mma_f64_k16", "f64", kDouble, nullptr,
              MMA("m16n8k16.row.col.f64.f64.f64.f64", FOUR, "{%b,%b,%b,%b,%b,%b,%b,%b}", "{%b,%b,%b,%b}")}),
      newest({"mma_f32_f16_volta", "f32", kReal, nullptr,
              MMA("m8n8k4.row.col.f32.f16.f16.f32", "{%a,%ax1,%ax2,%ax3,%ax4,%ax5,%ax6,%ax7}", A2, B2)}),
      newest({"mma_sp_f32_f16", "f32", kSparse, nullptr,
              SPARSE("m16n8k32.row.col.f32.f16.f16.f32", FOUR, A4, B4)}),
      newest({"mma_sp_s32_s8", "s32", kSparseIntegers, nullptr,
              SPARSE("m16n8k64.row.col.s32.s8.s8.s32", FOUR, A4, B4)}),
      newest({"ldmatrix_x1", "b32", kTile, nullptr, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%a}, [%a];", 1,
              0}),
      newest({"ldmatrix_x4", "b32", kTile, nullptr,
              "{.reg .b32 x, y, z; ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%a,x,y,z}, [%a];}", 1, 0}),
      newest({"movmatrix", "b32", kWords, nullptr, "movmatrix.sync.aligned.m8n8.trans.b16 %a, %a;"}),
      newest({"redux_add_u32", "u32", kWords, nullptr, "redux.sync.add.u32 %a, %a, -1;"}),
      newest({"match_any_b32", "b32", kWords, nullptr, "match.any.sync.b32 %a, %a, -1;"}),
      newest({"fma_f16x2", "b32", kWords, nullptr, "fma.rn.f16x2 %a, %a, %b, %b;"}),
      newest({"fma_bf16x2", "b32", kWords, nullptr, "fma.rn.bf16x2 %a, %a, %b, %b;"}),
      newest({"ex2_f16x2", "b32", kWords, nullptr, "ex2.approx.f16x2 %a, %a;"}),
      newest({"tanh_f32", "f32", kReal, nullptr, "tanh.approx.f32 %a, %a;"}),
      newest({"dp4a_s32", "u32", kWords, nullptr, "dp4a.s32.s32 %a, %a, %b, %b;"}),
  };
}

}  // namespace warpvp::apps
