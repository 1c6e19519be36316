#pragma once
// Random choices, and operand values that matter.

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace warpvp::reference {

/// Draw one number a statement, or several in the order that the language states: what real GPUs answered is
/// stored by seed, and compilers evaluate arguments in orders of their own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() { return engine_(); }
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[engine_() % all.size()];
  }

  /// Mostly values at which integer instructions turn.
  std::uint64_t integer(int width);
  /// Mostly values at which floating-point instructions turn; the encoding of f32 or f64.
  std::uint64_t real(int width);

 private:
  std::mt19937_64 engine_;
};

/// Replaces every {a|b} of the pattern by one of its choices.
std::string choose(Random& random, const std::string& pattern);
/// The pattern with every combination of its choices, the last varying fastest.
std::vector<std::string> expansions(const std::string& pattern);

}  // namespace warpvp::reference
