#include "ptx/exec/instruction_stream.h"

namespace warpvp::ptx {

InstructionStream::~InstructionStream() = default;

StepKind InstructionStream::run(std::uint64_t, InstructionTally& tally, bool) {
  const Inst& inst = next();
  tally.last = pc();
  const StepKind kind = step();
  if (kind != StepKind::kFault) tally.add(inst, executed());
  return kind;
}

void InstructionStream::copy_done(std::uint32_t) {}

StepKind InstructionStream::skip() {
  return step() == StepKind::kFault ? StepKind::kFault : StepKind::kNormal;
}

}  // namespace warpvp::ptx
