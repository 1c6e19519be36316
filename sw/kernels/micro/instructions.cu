// Latency and rate of each class of instruction. `second` depends on a parameter, so that no assembler can know the result.

#include "micro.h"

#define U32 static_cast<unsigned>(rounds) | 1u
#define U64 static_cast<uint64_t>(rounds) | 1u
#define F32 static_cast<float>(rounds) * 0x1p-20f + 1.0f
#define F64 static_cast<double>(rounds) * 0x1p-20 + 1.0

// Two additions are one instruction of three operands on chips since Volta: half the number there.
MICRO_INSTRUCTION(add_s32, unsigned, "r", U32, U32, "add.s32 %0, %0, %1;")
MICRO_INSTRUCTION(mul_lo_s32, unsigned, "r", U32, U32, "mul.lo.s32 %0, %0, %1;")
MICRO_INSTRUCTION(mad_lo_s32, unsigned, "r", U32, U32, "mad.lo.s32 %0, %0, %1, %1;")
MICRO_INSTRUCTION(shf_b32, unsigned, "r", U32, U32, "shf.l.wrap.b32 %0, %0, %1, 7;")
MICRO_INSTRUCTION(shl_b32, unsigned, "r", U32, stride, "shl.b32 %0, %0, %1;")
MICRO_INSTRUCTION(min_s32, unsigned, "r", U32, U32, "min.s32 %0, %0, %1;")
MICRO_INSTRUCTION(prmt_b32, unsigned, "r", U32, U32, "prmt.b32 %0, %0, %1, 0x3541;")
MICRO_INSTRUCTION(bfe_u32, unsigned, "r", U32, stride, "bfe.u32 %0, %0, %1, 31;")
MICRO_INSTRUCTION(popc_b32, unsigned, "r", U32, U32, "popc.b32 %0, %0;")
MICRO_INSTRUCTION(brev_b32, unsigned, "r", U32, U32, "brev.b32 %0, %0;")
MICRO_INSTRUCTION(add_s64, uint64_t, "l", U64, U64, "add.s64 %0, %0, %1;")
MICRO_INSTRUCTION(mul_lo_s64, uint64_t, "l", U64, U64, "mul.lo.s64 %0, %0, %1;")
MICRO_INSTRUCTION(div_u32, unsigned, "r", U32 | 0x80000000u, U32, "div.u32 %0, %0, %1;")
MICRO_INSTRUCTION(add_f32, float, "f", F32, F32, "add.rn.f32 %0, %0, %1;")
MICRO_INSTRUCTION(mul_f32, float, "f", F32, F32, "mul.rn.f32 %0, %0, %1;")
MICRO_INSTRUCTION(fma_f32, float, "f", F32, F32, "fma.rn.f32 %0, %0, %1, %1;")
MICRO_INSTRUCTION(min_f32, float, "f", F32, F32, "min.f32 %0, %0, %1;")
MICRO_INSTRUCTION(div_f32, float, "f", F32, F32, "div.rn.f32 %0, %0, %1;")
MICRO_INSTRUCTION(sqrt_f32, float, "f", F32, F32, "sqrt.rn.f32 %0, %0;")
MICRO_INSTRUCTION(lg2_approx_f32, float, "f", F32, F32, "lg2.approx.ftz.f32 %0, %0;")
MICRO_INSTRUCTION(rsqrt_approx_f32, float, "f", F32, F32, "rsqrt.approx.ftz.f32 %0, %0;")
MICRO_INSTRUCTION(ex2_approx_f32, float, "f", F32, F32, "ex2.approx.ftz.f32 %0, %0;")
MICRO_INSTRUCTION(sin_approx_f32, float, "f", F32, F32, "sin.approx.ftz.f32 %0, %0;")
MICRO_INSTRUCTION(add_f64, double, "d", F64, F64, "add.rn.f64 %0, %0, %1;")
MICRO_INSTRUCTION(mul_f64, double, "d", F64, F64, "mul.rn.f64 %0, %0, %1;")
MICRO_INSTRUCTION(fma_f64, double, "d", F64, F64, "fma.rn.f64 %0, %0, %1, %1;")
MICRO_INSTRUCTION(div_f64, double, "d", F64, F64, "div.rn.f64 %0, %0, %1;")
// Lanes begin with different words, or there would be nothing to exchange; in the end all hold that of the last lane.
MICRO_INSTRUCTION(shfl_b32, unsigned, "r", rounds + lane_id(), U32, "shfl.sync.down.b32 %0, %0, 1, 31, -1;")
// Two instructions each: 256 a round.
MICRO_INSTRUCTION(setp_selp, unsigned, "r", U32, U32,
                  "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %0, %1, p;}")
MICRO_INSTRUCTION(cvt_f32_s32, unsigned, "r", U32, U32, "{.reg .f32 f; cvt.rn.f32.s32 f, %0; cvt.rzi.s32.f32 %0, f;}")
