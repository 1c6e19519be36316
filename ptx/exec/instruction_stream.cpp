#include "ptx/exec/instruction_stream.h"

namespace warpvp::ptx {

InstructionStream::~InstructionStream() = default;

void InstructionStream::copy_done(std::uint32_t) {}

StepKind InstructionStream::skip() {
  return step() == StepKind::kFault ? StepKind::kFault : StepKind::kNormal;
}

}  // namespace warpvp::ptx
