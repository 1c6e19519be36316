#pragma once
// What the instructions of the core do, one row each. Only for hart_run.cpp, which makes its cases of the
// rows.
//
// `a` and `b`: the registers rs1 and rs2; `i`: the immediate; `pc`: of the instruction; all of them without a
// sign. `sign` gives a value its sign. An atomic operation finds the word in memory in `a`.

#include <algorithm>
#include <cstdint>

namespace warpvp::riscv {

constexpr std::int32_t sign(std::uint32_t value) { return static_cast<std::int32_t>(value); }
constexpr std::int64_t sign_wide(std::uint32_t value) { return sign(value); }

// A division by zero has all ones for its quotient and the dividend for its remainder. The quotient that has
// no room wraps.
constexpr std::uint32_t divided(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? ~0u : static_cast<std::uint32_t>(sign_wide(a) / sign(b));
}
constexpr std::uint32_t remainder_of(std::uint32_t a, std::uint32_t b) {
  return b == 0 ? a : static_cast<std::uint32_t>(sign_wide(a) % sign(b));
}

// clang-format off

/// row(op, value): rd gets the value, in 32 bits.
#define WARPVP_RISCV_COMPUTED(row) \
  row(kLui, i) \
  row(kAuipc, pc + i) \
  row(kAddi, a + i) \
  row(kSlti, sign(a) < sign(i)) \
  row(kSltiu, a < i) \
  row(kXori, a ^ i) \
  row(kOri, a | i) \
  row(kAndi, a & i) \
  row(kSlli, a << i) \
  row(kSrli, a >> i) \
  row(kSrai, sign(a) >> i) \
  row(kAdd, a + b) \
  row(kSub, a - b) \
  row(kSll, a << (b & 31)) \
  row(kSlt, sign(a) < sign(b)) \
  row(kSltu, a < b) \
  row(kXor, a ^ b) \
  row(kSrl, a >> (b & 31)) \
  row(kSra, sign(a) >> (b & 31)) \
  row(kOr, a | b) \
  row(kAnd, a & b) \
  row(kMul, a * b) \
  row(kMulh, (sign_wide(a) * sign_wide(b)) >> 32) \
  row(kMulhsu, (sign_wide(a) * std::int64_t{b}) >> 32) \
  row(kMulhu, (std::uint64_t{a} * b) >> 32) \
  row(kDiv, divided(a, b)) \
  row(kDivu, b == 0 ? ~0u : a / b) \
  row(kRem, remainder_of(a, b)) \
  row(kRemu, b == 0 ? a : a % b)

/// row(op, condition): a branch, which is taken if the condition holds.
#define WARPVP_RISCV_BRANCHES(row) \
  row(kBeq, a == b) \
  row(kBne, a != b) \
  row(kBlt, sign(a) < sign(b)) \
  row(kBge, sign(a) >= sign(b)) \
  row(kBltu, a < b) \
  row(kBgeu, a >= b)

/// row(op, type): a load of what the type says, extended as it says.
#define WARPVP_RISCV_LOADS(row) \
  row(kLb, std::int8_t) \
  row(kLh, std::int16_t) \
  row(kLw, std::int32_t) \
  row(kLbu, std::uint8_t) \
  row(kLhu, std::uint16_t)

/// row(op, type): a store.
#define WARPVP_RISCV_STORES(row) \
  row(kSb, std::uint8_t) \
  row(kSh, std::uint16_t) \
  row(kSw, std::uint32_t)

/// row(op, value): the word in memory gets the value, and rd what the word was.
#define WARPVP_RISCV_ATOMICS(row) \
  row(kAmoswap, b) \
  row(kAmoadd, a + b) \
  row(kAmoxor, a ^ b) \
  row(kAmoand, a & b) \
  row(kAmoor, a | b) \
  row(kAmomin, sign(a) < sign(b) ? a : b) \
  row(kAmomax, sign(a) > sign(b) ? a : b) \
  row(kAmominu, std::min(a, b)) \
  row(kAmomaxu, std::max(a, b))

// clang-format on

}  // namespace warpvp::riscv
