#pragma once
// Operands of generated programs: pools of general registers that any instruction may overwrite.

#include <string>

#include "tests/ptx_reference/forms.h"
#include "tests/ptx_reference/random.h"
#include "tests/ptx_reference/text.h"

namespace warpvp::reference {

/// Registers that hold values: of 16, 32 and 64 bits, f32, f64, predicates.
struct Pools {
  static constexpr unsigned kHalves = 8, kWords = 12, kLongs = 8, kFloats = 8, kDoubles = 6, kPredicates = 6;
  static const char* declarations();
};

/// A register of the type, or of a pool that may stand in for it.
std::string any_register(Random& random, Type type);
std::string any_predicate(Random& random);
/// A constant of the type.
std::string constant(Random& random, Type type);
/// A random instruction of the form, without guard.
std::string instruction(Random& random, const Form& form);
/// "@%p1 ", "@!%p1 " or, mostly, nothing.
std::string maybe_guard(Random& random);

}  // namespace warpvp::reference
