#pragma once
// Traces as text, one item a line, so that a static analyser can write them. docs/predict.md has the format.

#include <iosfwd>
#include <string>

#include "predict/trace.h"

namespace warpvp::predict {

void write_trace(std::ostream& out, const Trace& trace);
/// Reads what write_trace writes. `name` is the file's, for messages. InputError `name:line: what is wrong;
/// what is allowed`.
Trace read_trace(std::istream& in, const std::string& name);
/// Opens the file first; InputError if it cannot be read.
Trace read_trace_file(const std::string& name);

}  // namespace warpvp::predict
