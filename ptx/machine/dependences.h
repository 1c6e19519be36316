#pragma once
// What must come before what in a stretch of code without control flow.

#include <cstdint>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

struct Dependence {
  std::uint32_t to = 0;       ///< instruction of the stretch that comes later
  std::uint32_t latency = 0;  ///< cycles between the two issues, so that nothing waits
};

/// By instruction of [begin, end) of f.code, counted from 0: those that must stay behind it. None of them may
/// be of Order::kFixed.
std::vector<std::vector<Dependence>> dependences(const ir::Module& m, const ir::Function& f,
                                                 std::uint32_t begin, std::uint32_t end);

}  // namespace warpvp::ptx::machine
