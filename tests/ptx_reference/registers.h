#pragma once
// Operands of generated programs: pools of general registers that any instruction may overwrite.

#include <functional>
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

/// A register of a pool (but predicates), and where its value lies in a thread's input.
struct InputRegister {
  const char* type;  ///< "b64", "f64", "b32", "f32", "b16"
  std::string name;
  unsigned offset = 0, bytes = 0;
};
/// In the order of their places.
void for_each_input(const std::function<void(const InputRegister&)>& visit);
/// "ld.global.TYPE NAME, [BASE+OFFSET];" with the thread's input at `base`.
std::string load_of(const InputRegister& r, const char* base);
/// Loads all of them, and makes the predicates of the first words.
std::string load_all_registers(const char* base);
/// "setp.gt.s32 %pI, %rI, ..;", the first value of predicate `i`.
std::string first_predicate(unsigned i);

/// A register of the type, or of a pool that may stand in for it.
std::string any_register(Random& random, Type type);
std::string any_predicate(Random& random);
/// A constant of the type.
std::string constant(Random& random, Type type);
/// A random instruction of the form, without guard.
std::string instruction(Random& random, const Form& form);
/// The same with the choices of the opcode made; `operands` as Form::operands.
std::string instruction(Random& random, const std::string& opcode, const char* operands);
/// Whether an operand is a constant that is a NaN.
bool has_nan_constant(const std::string& instruction);
/// "@%p1 ", "@!%p1 " or, mostly, nothing.
std::string maybe_guard(Random& random);

}  // namespace warpvp::reference
