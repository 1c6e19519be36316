#include "ptx/exec/instruction_stream.h"

namespace warpvp::ptx {

InstructionStream::~InstructionStream() = default;

StepKind InstructionStream::skip() {
  return step() == StepKind::kFault ? StepKind::kFault : StepKind::kNormal;
}

}  // namespace warpvp::ptx
