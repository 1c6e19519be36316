#pragma once
// `output.instructions`: what each instruction of the run's kernels did, as instructions.csv; and counting of
// instructions by launch.

#include <string>

namespace warpvp {

class Platform;

/// Has all SMs that execute instructions count by instruction. Before the run.
void profile_instructions(Platform& platform);

/// Has them count by launch what they execute (SmLaunchCounters::executed). Before the run.
void count_executed(Platform& platform);

/// The counts of all SMs, brought up to date: a line of headings, then one line an instruction in the order
/// of the kernels' first launches and of their code. Columns: kernel, file, line (of the PTX file), pc (its
/// index in the code), text, issued, threads, divergent, and warp-cycles by reason
/// (modules/sm/instruction_profile.h).
std::string instructions_csv(const Platform& platform);

}  // namespace warpvp
