#pragma once
// How many registers a thread may use without fewer threads fitting an SM.

#include "ptx/code_options.h"
#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// The most registers a thread of kernel or function `f` may have so that no block size (a multiple of a warp
/// that .maxntid and .reqntid allow) has fewer CTAs on an SM than with `registers` (so .minnctapersm keeps
/// holding, too): registers come in units, and few of them limit nothing. Never more than the chip's limit
/// for a thread or .maxnreg.
unsigned registers_without_loss(const ir::Function& f, const SmResources& sm, unsigned registers);

}  // namespace warpvp::ptx::machine
