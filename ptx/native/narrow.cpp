// Arithmetic, logic and moves of 16-bit types, as ptx/exec/ops has them: computed with 32 bits and extended,
// as the type says, to the register's.

#include "ptx/native/lane_code.h"

namespace warpvp::ptx::native {

bool translate_narrow(LaneCode& c, const Inst& inst, const Modifiers& m) {
  if (m.type != Type::b16 && m.type != Type::u16 && m.type != Type::s16) return false;
  const Opcode op = inst.opcode;
  const bool one = op == Opcode::mov || op == Opcode::not_;
  const bool logic = op == Opcode::and_ || op == Opcode::or_ || op == Opcode::xor_;
  const bool arithmetic =
      op == Opcode::add || op == Opcode::sub || (op == Opcode::mul && m.mul == MulMode::lo);
  if ((!one && !logic && !arithmetic) || m.sat || m.special != 0 || inst.depot) return false;
  if (inst.dst_count != 1 || !is_register(inst.dst[0]) || wide_destination(inst)) return false;
  if (inst.src_count != (one ? 1 : 2)) return false;
  for (unsigned i = 0; i < inst.src_count; ++i)
    if (!is_value(inst.src[i]) || wide_source(inst, i)) return false;
  c.each_block(inst.dst[0], false, [&](unsigned block) {
    const Xbyak::Zmm a = c.in(inst.src[0], block, false), r = c.temporary();
    if (op == Opcode::mov) {
      c.vmovdqa64(r, a);
    } else if (op == Opcode::not_) {
      c.vpternlogd(r, a, a, 0x55);
    } else {
      const Xbyak::Zmm b = c.in(inst.src[1], block, false);
      switch (op) {
        case Opcode::and_:
          c.vpandd(r, a, b);
          break;
        case Opcode::or_:
          c.vpord(r, a, b);
          break;
        case Opcode::xor_:
          c.vpxord(r, a, b);
          break;
        case Opcode::add:
          c.vpaddd(r, a, b);
          break;
        case Opcode::sub:
          c.vpsubd(r, a, b);
          break;
        default:
          c.vpmulld(r, a, b);
      }
    }
    c.extend(r, 16, is_signed(m.type), false);
    return r;
  });
  return true;
}

}  // namespace warpvp::ptx::native
