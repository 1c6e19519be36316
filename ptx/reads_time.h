#pragma once
// What cannot be told from registers and memory.

#include "ptx/program.h"

namespace warpvp::ptx {

/// It yields the clock or the time.
inline bool reads_time(const Inst& inst) {
  if (inst.opcode != Opcode::mov || inst.depot || inst.src_count > 1 ||
      inst.src[0].kind != OperandKind::kNone)
    return false;
  const auto from = static_cast<SpecialRegister>(inst.aux);
  return from >= SpecialRegister::clock && from <= SpecialRegister::globaltimer_hi;
}

}  // namespace warpvp::ptx
