#pragma once
// What a register is: name, place, width, who may do what, and what happens then. Blocks put specifications
// into a RegisterBlock (register_block.h), policies into the window of their block (policy_context.h).

#include <cstdint>
#include <functional>
#include <string>

namespace warpvp {

enum class RegisterAccess : std::uint8_t { kReadOnly, kWriteOnly, kReadWrite };

/// One register, or `count` equal registers `stride` bytes apart (arrays of structures interleave freely),
/// each of them `repeat` values in a row.
struct RegisterSpec {
  std::string name;
  std::uint64_t offset = 0;
  unsigned width = 4;  ///< bytes: 4 or 8; offset and stride are multiples of 4
  unsigned count = 1;
  std::uint64_t stride = 0;  ///< bytes; at least width when count > 1
  RegisterAccess access = RegisterAccess::kReadWrite;
  std::uint64_t reset = 0;
  std::string doc;
  /// Value returned for element `index`; without it, the stored value. Must have no side effects, since debug
  /// reads use it too. With `repeat`, `index` counts values: element * repeat + place in the row.
  std::function<std::uint64_t(unsigned index)> read = {};
  /// Called after element `index` was stored.
  std::function<void(unsigned index, std::uint64_t value)> write = {};
  /// Whether element `index` may be written now; if not, the whole access is refused (generic error). Without
  /// it: always.
  std::function<bool(unsigned index)> may_write = {};
  /// 8-byte registers only: each 4-byte half may also be accessed on its own, as 32-bit cores must. The value
  /// that `write` gets then has the other half as it was stored.
  bool halves = false;
  unsigned repeat = 1;
};

/// The register, accessible in halves if it has any.
inline RegisterSpec in_halves(RegisterSpec spec) {
  spec.halves = spec.width == 8;
  return spec;
}

}  // namespace warpvp
