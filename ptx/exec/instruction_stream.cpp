#include "ptx/exec/instruction_stream.h"

namespace warpvp::ptx {

InstructionStream::~InstructionStream() = default;

}  // namespace warpvp::ptx
