#pragma once
// The text that `warpvp ptx FILE` prints.

#include <cstdint>
#include <string>
#include <vector>

#include "base/sm_resources.h"
#include "ptx/code_options.h"

namespace warpvp::ptx {

enum class CfgStyle : std::uint8_t { kNone, kText, kDot };

struct ReportOptions {
  CfgStyle cfg = CfgStyle::kNone;
  std::string entry;                                                   ///< only this kernel; empty: all
  const SmResources* sm = nullptr;                                     ///< occupancy on this SM; null: none
  std::string platform_name;                                           ///< named beside the occupancy
  std::vector<std::uint32_t> block_sizes = {64, 128, 256, 512, 1024};  ///< .reqntid and .maxntid limit them
  std::uint32_t dynamic_shared_bytes = 0;
  CodeOptions code;  ///< kMachine: machine code, compared with the code in the text's own order
};

struct Report {
  std::string text;
  unsigned usable = 0, refused = 0;  ///< kernels in it
};

/// Per kernel: registers (and where the most are live), predicates, shared and local memory, instructions,
/// parameters, control flow, occupancy; for one that is refused the reason. With CfgStyle::kDot the text is
/// Graphviz and nothing else (refused kernels are comments). Throws InputError for bad PTX, and for an
/// `entry` that is unknown or refused.
Report report(const std::string& text, const std::string& file, const ReportOptions& options);

}  // namespace warpvp::ptx
