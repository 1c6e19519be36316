#pragma once
// The selectors of one instruction-set level. The files of this folder are compiled once per level
// (levels.cmake) with WARPVP_EXEC_LEVEL naming a namespace; ptx/exec/select.cpp picks between them.
// Everything those files define lies in that namespace (or is a static of it), so that no code built for a
// higher level can be linked in place of baseline code.

#include "ptx/program.h"

#define WARPVP_DECLARE_SELECTORS(level)                  \
  namespace warpvp::ptx::level {                         \
  ExecFn select_integer(Inst& inst, const Modifiers& m); \
  ExecFn select_bits(Inst& inst, const Modifiers& m);    \
  ExecFn select_float(Inst& inst, const Modifiers& m);   \
  ExecFn select_rounded(Inst& inst, const Modifiers& m); \
  ExecFn select_approx(Inst& inst, const Modifiers& m);  \
  ExecFn select_compare(Inst& inst, const Modifiers& m); \
  ExecFn select_convert(Inst& inst, const Modifiers& m); \
  ExecFn select_move(Inst& inst, const Modifiers& m);    \
  ExecFn select_memory(Inst& inst, const Modifiers& m);  \
  ExecFn select_half(Inst& inst, const Modifiers& m);    \
  ExecFn select_shuffle(Inst& inst, const Modifiers& m); \
  }

#ifdef WARPVP_EXEC_LEVEL
WARPVP_DECLARE_SELECTORS(WARPVP_EXEC_LEVEL)
#endif
