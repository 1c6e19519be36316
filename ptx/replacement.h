#pragma once
// What takes the place of a PTX instruction that is made of others, as legalise() adds it.

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

inline ir::Operand register_operand(int index) {
  ir::Operand o;
  o.kind = ir::Operand::Kind::kRegister;
  o.index = index;
  return o;
}
inline ir::Operand integer_operand(std::uint64_t bits) {
  ir::Operand o;
  o.kind = ir::Operand::Kind::kInteger;
  o.bits = bits;
  return o;
}

struct Replacement {
  std::function<int(Type)> new_register;
  std::function<bool(int)> is_wide;  ///< whether that register has 64 bits
  /// An instruction with the first of `operands` as destination, or none; under the guard of what it
  /// replaces if `guarded`. What it returns may be changed until the next one is added.
  std::function<ir::Instruction&(const char* mnemonic, const std::vector<std::string_view>& suffixes,
                                 std::vector<ir::Operand> operands, bool has_destination, bool guarded)>
      add;
};

}  // namespace warpvp::ptx
