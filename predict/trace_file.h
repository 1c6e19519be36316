#pragma once
// Traces as text, one item a line, so that a static analyser can write them. docs/predict.md has the format.

#include <cstdint>
#include <iosfwd>
#include <string>

#include "predict/trace.h"

namespace warpvp::predict {

namespace trace_limit {
inline constexpr std::size_t kLineBytes = 64 * 1024;
/// Of all warps together; a line may stand for as many as its program has instructions.
inline constexpr std::uint64_t kSteps = std::uint64_t{1} << 28;
}  // namespace trace_limit

void write_trace(std::ostream& out, const Trace& trace);
/// Reads what write_trace writes. `name` is the file's, for messages. InputError `name:line: what is wrong;
/// what is allowed`.
Trace read_trace(std::istream& in, const std::string& name, std::uint64_t most_steps = trace_limit::kSteps);
/// Opens the file first; InputError if it cannot be read.
Trace read_trace_file(const std::string& name);

}  // namespace warpvp::predict
