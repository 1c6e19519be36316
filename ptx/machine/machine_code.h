#pragma once
// From PTX in its own order to code like that of the chip's assembler: the passes and their order.

#include "ptx/code_options.h"
#include "ptx/legalise.h"

namespace warpvp::ptx::machine {

/// Rewrites a function that `legalise` made. Results are those of PTX, bit for bit, with the same faults; how
/// often and in which order things are computed is not. Every instruction keeps the line of PTX it came from.
void make_machine_code(const ir::Module& m, LegalFunction& legal, const CodeOptions& options);

}  // namespace warpvp::ptx::machine
