#pragma once
// What takes the place of a PTX instruction that is made of others, as legalise() adds it.

#include <functional>
#include <string_view>
#include <vector>

#include "ptx/ir.h"

namespace warpvp::ptx {

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
