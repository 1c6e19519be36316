#pragma once
// Pass: several narrow accesses to memory become one wide one.

#include "ptx/ir.h"

namespace warpvp::ptx::machine {

/// Makes vector accesses of 8 and 16 bytes out of loads, or out of stores, of one block that touch
/// neighbouring words: same space, base register, guard and cache operator, each byte touched once, at an
/// address that is proven to be a multiple of the width. Loads move up to the first of them, stores down to
/// the last one; nothing that must stay in order with them may lie between. Volatile, relaxed, acquiring and
/// releasing accesses and atomics stay as they are. No byte is touched that was not touched before.
void merge_accesses(const ir::Module& m, ir::Function& f);

}  // namespace warpvp::ptx::machine
