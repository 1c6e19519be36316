#pragma once
// The one door between lowering and execution.

#include "ptx/program.h"

namespace warpvp::ptx {

/// The function that executes `inst` with modifiers `m`, or nullptr when that combination is not legal PTX or
/// not supported: lowering then refuses the module, naming the instruction. May rewrite `inst.aux`, and may
/// depend on inst.opcode, unit-independent operand counts and memory fields, which are filled before the
/// call. Control flow (bra, brx, call, ret, exit) returns a valid function too; `Warp::step` gives
/// Inst::effect precedence.
///
/// Source operands of one instruction all have the width of its type, except where the PTX ISA says otherwise
/// (shift amounts, bit positions and masks are 32-bit). Immediates come as constant rows of that width,
/// already converted. Predicate operands come as kPred; a constant predicate does not exist.
///
/// Operands as execution expects them (PTX order; absent optional ones keep their slot with kind kNone, `_`
/// destinations too; Inst::wide tells the width of every register and constant):
///
///   setp              dst p, q|kNone; src a, b, c|kNone (predicate)     set: dst d; src a, b, c|kNone
///   video             dst d; src a, b, c (missing in some); Inst::aux: VideoSelectors of ptx/video.h
///   alloca_           dst d; src size; the alignment, or 0, in Inst::aux. stacksave: dst d; stackrestore: src a
///   createpolicy      dst d; src fraction (optional) or, for cvt, the access property
///   cvt_pack          dst d; src a, b, c (8 bits and less); Modifiers::pack_bits, pack_signed
///   lop3              dst d, p|kNone; src a, b, c, q|kNone (predicate); the table in Inst::aux
///   add3, lea         machine code only: a sum of three with signs, a sum with a shifted first; see Inst::aux
///   mov               plain, or pack (src_count > 1), or unpack (dst_count > 1), or Modifiers::special
///                     without sources. With Inst::depot: d = src[0] + depot base of the frame (address of
///                     a .local or function .param variable).
///   tex, tld4         dst 4, kNone for `_`, and a residency predicate if any; src descriptor address
///   (64-bit),
///                     coordinates, layer first; Modifiers::geometry, src_type the coordinates' type, gather
///   suld, sust        dst of suld the elements; src descriptor address, coordinates, and the elements of
///   sust
///                     (Inst::source); Modifiers::geometry, surface_clamp; access_bytes, vector
///   txq, suq, istypep dst; src descriptor address or handle; Modifiers::query
///   cvta, isspacep    Inst::space names the space
///   ld, ldu           dst elements; src[0] address register or constant, or kNone
///   st                src[0] address as above, then the elements
///   ld/st of .param   Space::kParam. Kernel arguments: offset into the argument block. With Inst::depot:
///                     the frame's depot; a caller reaches its callee's frame at its own offset
///                     Inst::frame_param_bytes of that call, so arguments and results need no copying.
///   ld/st of .local   without address register and with Inst::depot: frame-relative. With an address
///                     register: it holds what `mov` with Inst::depot gave.
///   atom, red         dst d (atom; kNone for `_`); src address, b, c (cas). On vectors: as many d and b. bar.red etc.: Modifiers::bar
///   call              indirect: src[0] function address
///   brx               src[0] index
///   bar, barrier      src id, thread count|kNone, predicate|kNone (red); dst of red: register or predicate.
///                     bar.warp.sync: src mask
///   vote              dst; src predicate, member mask (sync)
///   match             dst d, p|kNone; src a, member mask
///   elect             dst d|kNone, p; src member mask
///   shfl              dst d, p|kNone; src a, b, c, member mask (sync)
///   redux             dst d; src a, member mask; the operation in Modifiers::atom
///   cp_async          copy: src shared address, global address, source size or ignore predicate|kNone;
///                     access_bytes the copy size, Inst::offset added to the shared address, Inst::aux
///                     (signed) to the global one. commit and wait: no operands, the group count in Inst::aux
///   vprintf           dst result|kNone; src format, arguments (generic addresses in registers: lowering
///                     loads them from the depot)
///   heap_malloc       dst result (64-bit); src bytes (64-bit)
///   heap_free         src address (64-bit)
///   trap              aux 0: trap; aux 1: __assertfail with src message, file, line (32-bit), function
///   dp2a, dp4a        types of a and b in Modifiers::type and src_type; dp2a: lo/hi in Modifiers::mul
///   slct, set, cvt    second type in Modifiers::src_type
///   bmsk, szext       clamp or wrap in Modifiers::shift
ExecFn select_exec(Inst& inst, const Modifiers& m);
/// That of a machine instruction that takes time and computes nothing (Inst::is_part).
ExecFn part_exec();

/// Instruction-set level the execution functions were compiled for. All give bit-identical results. kNative:
/// those of kAvx512, and programs become code of the host (ptx/native/native_code.h).
enum class IsaLevel { kBaseline, kAvx2, kAvx512, kNative };
/// The level select_exec uses: the best this host has, unless the environment variable WARPVP_ISA (baseline,
/// avx2, avx512, native) names a lower one when the process first asks. Throws InputError for an unknown or
/// unavailable name.
IsaLevel isa_level();
/// Selects a level for the programs lowered from now on; false if this host or build lacks it.
bool set_isa_level(IsaLevel level);

}  // namespace warpvp::ptx
