#pragma once
// What code keeps all along, in registers of the host that calls preserve. Private to ptx/native.

#include <xbyak/xbyak.h>

namespace warpvp::ptx::native {

inline const Xbyak::Reg64 kFrame(Xbyak::Operand::RBX), kRows(Xbyak::Operand::R12),
    kConstants(Xbyak::Operand::R13), kPreds(Xbyak::Operand::R14);
inline const Xbyak::Reg32 kActive(Xbyak::Operand::R15D);

}  // namespace warpvp::ptx::native
