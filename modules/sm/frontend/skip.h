#pragma once
// Instructions that a front end leaves out: which may be, and what becomes of them. docs/sm.md, section
// "Instructions that are skipped", says when.

#include <cstdint>

#include "ptx/program.h"

namespace warpvp {

/// What is done about an instruction that a front end has left out.
enum class Skip : std::uint8_t {
  kCompute,  ///< its values are computed, in no time
  kDrop,     ///< nothing: the front end knows that it has no effect on the warp
};

/// It may be left out: it does nothing but yield values to its own lanes. Stores, atomics, copies, text, the
/// heap, branches, barriers, fences, exits and what lanes exchange may not.
inline bool skippable(const ptx::Inst& inst) {
  switch (inst.effect) {
    case ptx::Effect::kNone:
      return inst.opcode != ptx::Opcode::vprintf && inst.opcode != ptx::Opcode::heap_malloc &&
             inst.opcode != ptx::Opcode::heap_free;
    case ptx::Effect::kMemory:
      return inst.dst_count != 0 && !inst.is_store && !inst.is_atomic && !inst.is_async;
    default:
      return false;
  }
}

}  // namespace warpvp
