#pragma once
// A memory side without contention (`sm.memory.model: isolated`): every memory instruction takes a time that
// depends on itself alone, and any number of them can be under way. These are the latencies in isolation that
// the analysis of a schedule takes as given (SWaS paper, section III-A, items i, iii and iv).
//
// The instruction cache keeps its real tags. A miss takes a fixed time, and warps that miss on a line under
// way wait for the same fill.

#include <functional>
#include <memory>

#include "modules/sm/memory/memory_side.h"

namespace warpvp {

/// `instruction_miss_latency` and the like come from `config.isolated`; shared memory, constants and
/// parameters take the times of `config` as if nothing else were under way and constants always hit.
std::unique_ptr<MemorySide> make_isolated_memory(const char* name, const MemorySideConfig& config,
                                                 unsigned warps, MemoryClient& memory, FetchClient& fetch);

}  // namespace warpvp
