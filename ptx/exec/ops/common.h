#pragma once
// Selectors of instructions that exist once, for all instruction-set levels. Private to ptx/exec.

#include "ptx/program.h"

namespace warpvp::ptx {

ExecFn select_atomic(Inst& inst, const Modifiers& m);       ///< atom, red
ExecFn select_async(Inst& inst, const Modifiers& m);        ///< cp.async
ExecFn select_bulk(Inst& inst, const Modifiers& m);         ///< cp.async.bulk, its reductions and prefetches
ExecFn select_prefetch(Inst& inst, const Modifiers& m);     ///< prefetch, prefetchu
ExecFn select_warp(Inst& inst, const Modifiers& m);         ///< vote, match, shfl, redux, elect, activemask
ExecFn select_texture(Inst& inst, const Modifiers& m);      ///< tex, tld4
ExecFn select_surface(Inst& inst, const Modifiers& m);      ///< suld, sust
ExecFn select_image_query(Inst& inst, const Modifiers& m);  ///< txq, suq, istypep
ExecFn select_product(Inst& inst, const Modifiers& m);      ///< mma
ExecFn select_matrix_move(Inst& inst, const Modifiers& m);  ///< ldmatrix, stmatrix, movmatrix
ExecFn select_video(Inst& inst, const Modifiers& m);        ///< vadd, vabsdiff4, ...
ExecFn select_stack(Inst& inst, const Modifiers& m);        ///< alloca, stacksave, stackrestore
ExecFn select_policy(Inst& inst, const Modifiers& m);       ///< createpolicy
ExecFn select_system(Inst& inst, const Modifiers& m);  ///< trap, brkpt, vprintf, and what changes no value

}  // namespace warpvp::ptx
