// Hart::run: the instructions that need nothing but registers and local memory. operations.h says what each
// does.

#include <algorithm>
#include <cstring>

#include "modules/command_processor/riscv/hart.h"
#include "modules/command_processor/riscv/operations.h"

namespace warpvp::riscv {

// Part of the loop of `run`.
#define WARPVP_IN_LOOP inline __attribute__((always_inline))

// ---- Local memory

WARPVP_IN_LOOP void Hart::log(std::uint32_t offset) {
  Undo& entry = undo_[undo_count_++];
  entry.offset = offset & ~3u;
  std::memcpy(&entry.word, local_ + entry.offset, 4);
}

template <class T>
WARPVP_IN_LOOP void Hart::store_local(std::uint32_t offset, T value) {
  log(offset);
  const std::uint32_t last = offset + sizeof value - 1;
  if ((offset ^ last) & ~3u) log(last);  // misaligned, over two words
  std::memcpy(local_ + offset, &value, sizeof value);
  if (has_code_[offset >> kLineShift] | has_code_[last >> kLineShift]) invalidate(offset, sizeof value);
}

template <class T>
WARPVP_IN_LOOP bool Hart::load(const Decoded& d, Stop& why) {
  const std::uint32_t address = s_.x[d.rs1] + static_cast<std::uint32_t>(d.immediate);
  const std::uint32_t offset = address - base_;
  if ((address & (sizeof(T) - 1)) != 0 && !takes_misaligned(offset, sizeof(T))) {
    why = trap(Cause::kLoadMisaligned, address);
    return false;
  }
  if (offset >= size_) {
    access_ = {address, 0, sizeof(T), false, false};
    why = Stop::kDevice;
    return false;
  }
  T value;
  std::memcpy(&value, local_ + offset, sizeof value);
  s_.x[d.rd] = static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  return true;
}

template <class T>
WARPVP_IN_LOOP bool Hart::store(const Decoded& d, Stop& why) {
  const std::uint32_t address = s_.x[d.rs1] + static_cast<std::uint32_t>(d.immediate);
  const std::uint32_t offset = address - base_;
  if ((address & (sizeof(T) - 1)) != 0 && !takes_misaligned(offset, sizeof(T))) {
    why = trap(Cause::kStoreMisaligned, address);
    return false;
  }
  if (offset >= size_) {
    access_ = {address, static_cast<T>(s_.x[d.rs2]), sizeof(T), true, false};
    why = Stop::kDevice;
    return false;
  }
  store_local(offset, static_cast<T>(s_.x[d.rs2]));
  return true;
}

#define WARPVP_ATOMIC(op, value)               \
  case Op::op:                                 \
    store_local(offset, std::uint32_t{value}); \
    break;

// An atomic operation outside local memory is an access fault: no device here takes one.
bool Hart::atomic_instruction(const Decoded& d) {
  const std::uint32_t address = s_.x[d.rs1], offset = address - base_;
  if ((address & 3) != 0) {
    trap(d.op == Op::kLr ? Cause::kLoadMisaligned : Cause::kStoreMisaligned, address);
    return false;
  }
  if (offset >= size_) {
    trap(d.op == Op::kLr ? Cause::kLoadAccess : Cause::kStoreAccess, address);
    return false;
  }
  std::uint32_t a = 0;
  std::memcpy(&a, local_ + offset, 4);
  const std::uint32_t b = s_.x[d.rs2];
  switch (d.op) {
    case Op::kLr:
      s_.reserved = true;
      s_.reservation = address;
      break;
    case Op::kSc: {
      const bool success = s_.reserved && s_.reservation == address;
      if (success) store_local(offset, b);
      s_.reserved = false;
      s_.x[d.rd] = success ? 0 : 1;
      return true;
    }
      WARPVP_RISCV_ATOMICS(WARPVP_ATOMIC)
    default:
      break;
  }
  s_.x[d.rd] = a;
  return true;
}

// ---- Instructions

// Those of the CSRs through which interrupts act, and of those that start a burst, end the run.
bool Hart::csr_in_run(const Decoded& d, Stop& why) {
  if (d.immediate == csr::kMstatus || d.immediate == csr::kMie || d.immediate == csr::kMip) {
    why = Stop::kSystem;
    return false;
  }
  if (d.op == Op::kCsrrw && (d.immediate == csr::kMburstread || d.immediate == csr::kMburstwrite)) {
    why = Stop::kBurst;
    return false;
  }
  why = Stop::kTrap;
  return csr_instruction(d);
}

// Cases of the loop below for rows of operations.h.
#define WARPVP_COMPUTE(op, value)                                    \
  case Op::op: {                                                     \
    [[maybe_unused]] const std::uint32_t a = x[d.rs1], b = x[d.rs2]; \
    x[d.rd] = static_cast<std::uint32_t>(value);                     \
    break;                                                           \
  }
#define WARPVP_BRANCH(op, condition)                                          \
  case Op::op: {                                                              \
    const std::uint32_t a = x[d.rs1], b = x[d.rs2];                           \
    const bool taken = condition;                                             \
    go_on(pc + (taken ? i : d.length), taken ? costs_.branch_taken : d.cost); \
    continue;                                                                 \
  }
#define WARPVP_LOAD(op, type)                   \
  case Op::op:                                  \
    if (!load<type>(d, why)) return leave(why); \
    break;
#define WARPVP_STORE(op, type)                   \
  case Op::op:                                   \
    if (!store<type>(d, why)) return leave(why); \
    break;
#define WARPVP_CASE(op, value) case Op::op:

Hart::Stop Hart::run(std::uint64_t instructions, std::uint64_t cycle_limit) {
  std::uint32_t* const x = s_.x;
  std::uint32_t pc = s_.pc;
  std::uint64_t cycles = s_.cycles, retired = s_.retired;
  const std::uint64_t last =
      retired + std::min<std::uint64_t>(instructions, (undo_.size() - undo_count_) / kUndoPerInstruction);

  const auto leave = [&](Stop why) {
    s_.pc = pc;
    s_.cycles = cycles;
    s_.retired = retired;
    return why;
  };
  const auto go_on = [&](std::uint32_t next, std::uint32_t cost) {
    pc = next;
    cycles += cost;
    ++retired;
  };

  Stop why = Stop::kTrap;
  for (;;) {
    if (retired == last || cycles >= cycle_limit) return leave(Stop::kLimit);
    const std::uint32_t offset = pc - base_;
    if (offset >= size_) return leave(trap(Cause::kFetchAccess, pc));
    const Decoded& d = code_[offset >> 1];
    const auto i = static_cast<std::uint32_t>(d.immediate);
    switch (d.op) {
      WARPVP_RISCV_COMPUTED(WARPVP_COMPUTE)
      WARPVP_RISCV_BRANCHES(WARPVP_BRANCH)
      WARPVP_RISCV_LOADS(WARPVP_LOAD)
      WARPVP_RISCV_STORES(WARPVP_STORE)
      WARPVP_RISCV_ATOMICS(WARPVP_CASE)
      case Op::kLr:
      case Op::kSc:
        if (!atomic_instruction(d)) return leave(Stop::kTrap);
        break;
      case Op::kJal:
        x[d.rd] = pc + d.length;
        go_on(pc + i, d.cost);
        continue;
      case Op::kJalr: {
        const std::uint32_t target = (x[d.rs1] + i) & ~1u;
        x[d.rd] = pc + d.length;
        go_on(target, d.cost);
        continue;
      }
      case Op::kFence:
      case Op::kFenceI:
        break;
      case Op::kCsrrw:
      case Op::kCsrrs:
      case Op::kCsrrc:
      case Op::kCsrrwi:
      case Op::kCsrrsi:
      case Op::kCsrrci:
        leave(Stop::kTrap);  // for counters
        if (!csr_in_run(d, why)) return why;
        break;
      case Op::kEcall:
        return leave(trap(Cause::kMachineCall, 0));
      case Op::kEbreak:
        return leave(trap(Cause::kBreakpoint, pc));
      case Op::kMret:
      case Op::kWfi:
        return leave(Stop::kSystem);
      case Op::kIllegal:  // or not decoded yet
        if (decode_at(pc)) continue;
        return leave(Stop::kTrap);
    }
    go_on(pc + d.length, d.cost);
  }
}

}  // namespace warpvp::riscv
