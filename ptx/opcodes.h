#pragma once
// Mnemonics, types and modifiers of PTX instructions, shared by the parser, lowering and execution.

#include <cstdint>

#include "ptx/image/geometry.h"

namespace warpvp::ptx {

/// Base mnemonics (PTX ISA 8.x, chapter 9.7). `video` stands for all video instructions; Modifiers::video
/// says which. add3 and lea are the machine's alone: no PTX has them. cp_bulk: cp.async.bulk, its reductions and
/// prefetches. What stands behind xor_ is made of others; cluster: mapa, getctarank, barrier.cluster.
// clang-format off
#define WARPVP_PTX_OPCODES(X)                                                                                \
  X(abs) X(activemask) X(add) X(add3) X(addc) X(alloca_) X(and_) X(applypriority) X(atom) X(bar) X(barrier) X(bfe)  \
  X(bfi) X(bfind) X(bmsk) X(bra) X(brev) X(brx) X(call) X(clz) X(cnot) X(copysign) X(cos) X(cp_async) X(cp_bulk) \
  X(createpolicy) X(cvt) X(cvt_pack) X(cvta) X(discard) X(div) X(dp2a) X(dp4a) X(elect) X(ex2) X(exit)      \
  X(fence) X(fma) X(fns) X(heap_free) X(heap_malloc) X(isspacep) X(istypep) X(ld) X(ldmatrix) X(ldu) X(lea) X(lg2) X(lop3) \
  X(mad) X(mad24) X(madc) X(match) X(max) X(membar) X(min) X(mma) X(mov) X(movmatrix) X(mul) X(mul24) X(nanosleep) X(neg)       \
  X(not_) X(or_) X(pmevent) X(popc) X(prefetch) X(prefetchu) X(prmt) X(rcp) X(red) X(redux) X(rem) X(ret)   \
  X(rsqrt) X(sad) X(selp) X(set) X(setp) X(shf) X(shfl) X(shl) X(shr) X(sin) X(slct) X(sqrt) X(st) X(stmatrix) \
  X(stackrestore) X(stacksave) X(sub) X(subc) X(suld) X(suq) X(sust) X(szext) X(tanh) X(testp) X(tex)       \
  X(tld4) X(trap) X(brkpt) X(txq) X(video) X(vote) X(vprintf) X(xor_) X(wmma) X(mbarrier) X(cluster)
// clang-format on

enum class Opcode : std::uint8_t {
#define WARPVP_X(name) name,
  WARPVP_PTX_OPCODES(WARPVP_X)
#undef WARPVP_X
};

/// Types of operands. tf32 is single precision of which 10 bits of the fraction count, in a 32-bit register;
/// e4m3 and e5m2 are two 8-bit floats in a 16-bit register.
enum class Type : std::uint8_t {
  kNone,
  b8,
  b16,
  b32,
  b64,
  b128,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  f16x2,
  bf16,
  bf16x2,
  f32,
  f64,
  pred,
  u16x2,
  s16x2,  ///< two 16-bit integers in a 32-bit register
  tf32,
  e4m3x2,
  e5m2x2,
  u4,  ///< these three are elements of matrices alone
  s4,
  b1
};
unsigned type_bytes(Type t);  ///< 0 for kNone and pred
bool is_float(Type t);
bool is_half(Type t);  ///< f16, bf16, or two of them
bool is_signed(Type t);
bool is_packed(Type t);  ///< u16x2, s16x2
const char* type_name(Type t);  ///< "u32"

enum class Rounding : std::uint8_t { kNone, rn, rz, rm, rp, rni, rzi, rmi, rpi, approx, full, rna };
enum class Compare : std::uint8_t {
  kNone, eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan
};
enum class BoolOp : std::uint8_t { kNone, and_, or_, xor_ };
enum class MulMode : std::uint8_t { kNone, lo, hi, wide };
enum class ShiftMode : std::uint8_t { kNone, clamp, wrap };  ///< shf
enum class Direction : std::uint8_t { kNone, left, right };  ///< shf.l, shf.r
enum class ShuffleMode : std::uint8_t { kNone, up, down, bfly, idx };
enum class VoteMode : std::uint8_t { kNone, all, any, uni, ballot };
/// mbarrier: not of PTX's atom, but what an mbarrier makes of a word (ptx/mbarrier.h).
enum class AtomOp : std::uint8_t { kNone, and_, or_, xor_, cas, exch, add, inc, dec, min, max, mbarrier };
enum class PrmtMode : std::uint8_t { kNone, f4e, b4e, rc8, ecl, ecr, rc16 };
enum class TestpMode : std::uint8_t { kNone, finite, infinite, number, notanumber, normal, subnormal };
/// cluster: barrier.cluster, of a cluster that is one CTA.
enum class BarOp : std::uint8_t { kNone, sync, arrive, red_popc, red_and, red_or, warp_sync, cluster };
/// Of bulk copies, in: from global to shared memory; out: the other way; within: of shared memory; ahead: into the L2.
enum class AsyncOp : std::uint8_t {
  kNone, copy, commit_group, wait_group, wait_all, bulk_in, bulk_out, bulk_within, bulk_ahead, bulk_wait,
  bulk_wait_read
};
/// tex and bulk are no suffixes: a texture read of several texels a lane, and a bulk copy (ptx/exec/cta.h, TexelRows and
/// BulkSpans).
enum class CacheOp : std::uint8_t { kNone, ca, cg, cs, lu, cv, wb, wt, nc, tex, bulk };
/// What a surface access outside the surface does (PTX ISA, suld and sust).
enum class SurfaceClamp : std::uint8_t { kNone, trap, clamp, zero };
/// What txq and suq ask for, and the kinds of handles that istypep tells apart.
enum class ImageQuery : std::uint8_t {
  kNone, width, height, depth, channel_data_type, channel_order, normalized_coords, array_size,
  num_mipmap_levels, num_samples, force_unnormalized_coords, filter_mode, addr_mode_0, addr_mode_1,
  addr_mode_2, memory_layout, texref, samplerref, surfref
};

/// Operation of a video instruction (PTX ISA 9.7.x, "Video Instructions").
enum class VideoOp : std::uint8_t { kNone, add, sub, absdiff, avrg, min, max, shl, shr, mad, set };

/// Rows, columns and depth of a matrix product (PTX ISA 9.7.14, mma).
enum class MatrixShape : std::uint8_t {
  kNone,
  m8n8k4,
  m8n8k16,
  m8n8k32,
  m8n8k128,
  m16n8k4,
  m16n8k8,
  m16n8k16,
  m16n8k32,
  m16n8k64,
  m16n8k128,
  m16n8k256,
  // of wmma, which is made of others
  m16n16k16,
  m8n32k16,
  m32n8k16,
  m16n16k8
};

/// What the suffixes of mma, ldmatrix and stmatrix say; the type of the result is Modifiers::type.
struct MatrixModifiers {
  MatrixShape shape = MatrixShape::kNone;
  Type a = Type::kNone, b = Type::kNone, c = Type::kNone;  ///< of the elements
  bool a_by_column = false, b_by_row = false;              ///< of m8n8k4 on f16; others take rows and columns
  bool conjunction = false;                                ///< of bits: and, where it is xor otherwise
  std::uint8_t count = 0;                                  ///< ldmatrix, stmatrix: 8 x 8 matrices, 1, 2 or 4
  bool transposed = false;
  bool sparse = false;        ///< mma.sp: of A half the elements are there, the metadata says which
  std::uint8_t selector = 0;  ///< of it the last operand: which lanes have the metadata
};

/// What the suffixes of a video instruction say; d, a and b are of type .u32 or .s32.
struct VideoModifiers {
  VideoOp op = VideoOp::kNone;
  std::uint8_t lanes = 1;  ///< 1 word, 2 half-words or 4 bytes at once
  bool signed_d = false, signed_a = false, signed_b = false;
  AtomOp second = AtomOp::kNone;  ///< secondary operation: add, min or max
  std::uint8_t scale = 0;         ///< vmad: right shift of the result, 0, 7 or 15
  bool plus_one = false;          ///< vmad.po
};

/// Everything a mnemonic's dotted suffixes say, plus the special register of a `mov`. What does not apply
/// keeps its default. Lowering fills it and hands it to `select_exec`. Made of single bytes: kernel images
/// hold it as it is (ptx/image/modifier_fields.h lists the fields, in this order).
struct Modifiers {
  Type type = Type::kNone;      ///< the instruction type (destination type for cvt and set, data type for ld/st)
  Type src_type = Type::kNone;  ///< source type of cvt, set, setp with two types, slct selector, tex coordinates
  Rounding rounding = Rounding::kNone;
  bool ftz = false, sat = false, cc = false;  ///< cc: .cc (writes CC.CF)
  Compare compare = Compare::kNone;
  BoolOp bool_op = BoolOp::kNone;
  MulMode mul = MulMode::kNone;
  ShiftMode shift = ShiftMode::kNone;
  Direction direction = Direction::kNone;
  ShuffleMode shuffle = ShuffleMode::kNone;
  VoteMode vote = VoteMode::kNone;
  bool sync = false;  ///< shfl.sync, vote.sync: has a member mask operand
  bool match_all = false;
  AtomOp atom = AtomOp::kNone;
  PrmtMode prmt = PrmtMode::kNone;
  TestpMode testp = TestpMode::kNone;
  BarOp bar = BarOp::kNone;
  AsyncOp async = AsyncOp::kNone;
  bool xor_sign_abs = false, nan = false;  ///< min/max .xorsign.abs, .NaN
  bool shiftamt = false;                   ///< bfind.shiftamt
  bool to_space = false;                   ///< cvta.to
  bool relu = false;
  bool satfinite = false;       ///< cvt: the greatest number instead of an infinity
  bool cache_policy = false;    ///< .L2::cache_hint: the last operand is a cache policy
  std::uint8_t pack_bits = 0;   ///< cvt.pack: width of the type converted to, 2 to 16
  bool pack_signed = false;     ///< and its sign
  std::uint8_t priority[2] = {0, 0};  ///< createpolicy: primary and secondary priority, 1 to 4; 0: none
  bool policy_range = false, policy_convert = false;  ///< createpolicy.range, createpolicy.cvt
  VideoModifiers video;
  std::uint8_t special = 0;  ///< SpecialRegister of a mov source, 0: none
  Geometry geometry = Geometry::kNone;  ///< tex, tld4, suld, sust
  SurfaceClamp surface_clamp = SurfaceClamp::kNone;
  ImageQuery query = ImageQuery::kNone;
  std::uint8_t gather = 0;  ///< tld4: the channel, 0 to 3
  MatrixModifiers matrix;
};

/// Special registers readable by mov (PTX ISA chapter 10).
enum class SpecialRegister : std::uint8_t {
  kNone, tid_x, tid_y, tid_z, tid_w, ntid_x, ntid_y, ntid_z, ntid_w, ctaid_x, ctaid_y, ctaid_z, ctaid_w,
  nctaid_x, nctaid_y, nctaid_z, nctaid_w, clusterid_x, clusterid_y, clusterid_z, clusterid_w, nclusterid_x,
  nclusterid_y, nclusterid_z, nclusterid_w, cluster_ctaid_x, cluster_ctaid_y, cluster_ctaid_z,
  cluster_ctaid_w, cluster_nctaid_x, cluster_nctaid_y, cluster_nctaid_z, cluster_nctaid_w, cluster_ctarank,
  cluster_nctarank, laneid, warpid, nwarpid, smid, nsmid, gridid, lanemask_eq, lanemask_le, lanemask_lt,
  lanemask_ge, lanemask_gt, clock, clock_hi, clock64, globaltimer, globaltimer_lo, globaltimer_hi,
  dynamic_smem_size, total_smem_size, aggr_smem_size, reserved_smem_begin, reserved_smem_end,
  reserved_smem_cap, reserved_smem_0, reserved_smem_1, current_graph_exec,
  envreg0,              ///< to %envreg31
  pm0 = envreg0 + 32,   ///< to %pm7
  pm0_64 = pm0 + 8,     ///< to %pm7_64
  kCount = pm0_64 + 8
};

}  // namespace warpvp::ptx
