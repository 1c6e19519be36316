#pragma once
// A library in GPGPU-Sim's place that notes what it is called for. Device memory is the host's.

#include <string>
#include <vector>

namespace warpvp::gpgpusim {

/// All calls since the last time, a line each.
std::vector<std::string> take_calls();

}  // namespace warpvp::gpgpusim
