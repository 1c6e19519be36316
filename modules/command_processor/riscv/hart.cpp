#include "modules/command_processor/riscv/hart.h"

#include <algorithm>
#include <cstring>

namespace warpvp::riscv {

Hart::Hart(std::uint8_t* local, std::uint32_t base, std::uint32_t bytes, const RiscvCosts& costs,
           bool misaligned_traps)
    : local_(local),
      base_(base),
      size_(bytes),
      costs_(costs),
      misaligned_traps_(misaligned_traps),
      code_(bytes / 2),
      has_code_((bytes >> kLineShift) + 1),
      undo_(kUndoPerInstruction) {}

void Hart::reset(std::uint32_t pc) {
  s_ = State{};
  s_.pc = pc;
  lines_ = 0;
  undo_count_ = 0;
}

void Hart::restart(std::uint32_t pc) {
  const std::uint64_t cycles = s_.cycles, retired = s_.retired;
  reset(pc);
  s_.cycles = cycles;
  s_.retired = retired;
}

void Hart::set_origin(std::uint64_t fs, std::uint64_t period_fs) {
  origin_fs_ = fs;
  period_fs_ = period_fs;
  origin_cycle_ = fs / period_fs;
  s_.cycles = 0;
}

// ---- Code

std::uint16_t Hart::cost_of(const Instruction& i) const {
  if (i.encoding == Instruction::kNoEncoding) return 0;
  std::uint32_t cost = 0;
  switch (encodings()[i.encoding].cost) {
    case CostClass::kAlu:
      cost = costs_.alu;
      break;
    case CostClass::kMultiply:
      cost = costs_.multiply;
      break;
    case CostClass::kDivide:
      cost = costs_.divide;
      break;
    case CostClass::kLoad:
      cost = costs_.load;
      break;
    case CostClass::kStore:
      cost = costs_.store;
      break;
    case CostClass::kBranch:  // not taken
      cost = costs_.branch;
      break;
    case CostClass::kJump:
      cost = costs_.jump;
      break;
    case CostClass::kSystem:
      cost = costs_.csr;
      break;
    case CostClass::kAtomic:
      cost = costs_.atomic;
      break;
  }
  return static_cast<std::uint16_t>(cost);
}

std::optional<Instruction> Hart::instruction_at(std::uint32_t pc) const {
  std::uint32_t raw = 0;
  if (!is_local(pc, 2)) return std::nullopt;
  std::memcpy(&raw, local_ + (pc - base_), 2);
  if (!is_compressed(raw)) {
    if (!is_local(pc, 4)) return std::nullopt;
    std::memcpy(&raw, local_ + (pc - base_), 4);
  }
  return decode(raw);
}

// Decodes what is at `pc`, which is local. False, with the exception to raise, if that cannot be executed.
bool Hart::decode_at(std::uint32_t pc) {
  const std::optional<Instruction> i = instruction_at(pc);
  if (!i) {
    exception_ = {Cause::kFetchAccess, pc + 2};  // the half that is missing
    return false;
  }
  if (i->op == Op::kIllegal) {
    exception_ = {Cause::kIllegalInstruction, i->raw};
    return false;
  }
  Decoded& d = code_[(pc - base_) >> 1];
  d.op = i->op;
  d.rd = i->rd == 0 ? kSink : i->rd;
  d.rs1 = i->rs1;
  d.rs2 = i->rs2;
  d.immediate = i->immediate;
  d.cost = cost_of(*i);
  d.length = i->length;
  const std::uint32_t offset = pc - base_;
  has_code_[offset >> kLineShift] = has_code_[(offset + d.length - 1) >> kLineShift] = 1;
  return true;
}

void Hart::invalidate(std::uint32_t offset, std::uint32_t bytes) {
  if (bytes == 0) return;
  const std::uint32_t last = (offset + bytes - 1) >> 1;
  // The instruction before may reach into what was written.
  for (std::uint32_t h = (offset >> 1) - (offset >= 2 ? 1 : 0); h <= last; ++h) code_[h].op = Op::kIllegal;
}

// ---- Local memory

void Hart::read_local(std::uint32_t address, void* data, std::uint32_t bytes) const {
  std::memcpy(data, local_ + (address - base_), bytes);
}

void Hart::write_local(std::uint32_t address, const void* data, std::uint32_t bytes) {
  if (bytes == 0) return;  // `data` may be null then, as of a segment without bytes in its file
  std::memcpy(local_ + (address - base_), data, bytes);
  invalidate(address - base_, bytes);
}

inline void Hart::log(std::uint32_t offset) {
  Undo& entry = undo_[undo_count_++];
  entry.offset = offset & ~3u;
  std::memcpy(&entry.word, local_ + entry.offset, 4);
}

template <class T>
inline void Hart::store_local(std::uint32_t offset, T value) {
  log(offset);
  const std::uint32_t last = offset + sizeof value - 1;
  if ((offset ^ last) & ~3u) log(last);  // misaligned, over two words
  std::memcpy(local_ + offset, &value, sizeof value);
  if (has_code_[offset >> kLineShift] | has_code_[last >> kLineShift]) invalidate(offset, sizeof value);
}

void Hart::begin(std::uint64_t instructions) {
  mark_ = s_;
  undo_count_ = 0;
  if (undo_.size() < kUndoPerInstruction * instructions) undo_.resize(kUndoPerInstruction * instructions);
}

void Hart::undo() {
  while (undo_count_ > 0) {
    const Undo& entry = undo_[--undo_count_];
    std::memcpy(local_ + entry.offset, &entry.word, 4);
    if (has_code_[entry.offset >> kLineShift]) invalidate(entry.offset, 4);
  }
  s_ = mark_;
}

// ---- Instructions

Hart::Stop Hart::run(std::uint64_t instructions, std::uint64_t cycle_limit) {
  using S = std::int32_t;
  std::uint32_t* const x = s_.x;
  std::uint32_t pc = s_.pc;
  std::uint64_t cycles = s_.cycles, retired = s_.retired;
  const std::uint64_t last =
      retired + std::min<std::uint64_t>(instructions, (undo_.size() - undo_count_) / kUndoPerInstruction);
  Stop stop = Stop::kLimit;

  const auto leave = [&](Stop why) {
    s_.pc = pc;
    s_.cycles = cycles;
    s_.retired = retired;
    stop = why;
  };
  const auto trap = [&](Cause cause, std::uint32_t value) {
    exception_ = {cause, value};
    leave(Stop::kTrap);
  };
  // A load or store of T: false when it is not for local memory or traps, and the loop is to be left.
  const auto load = [&](const Decoded& d, auto zero) {
    using T = decltype(zero);
    const std::uint32_t address = x[d.rs1] + static_cast<std::uint32_t>(d.immediate);
    const std::uint32_t offset = address - base_;
    if ((address & (sizeof(T) - 1)) != 0 && !takes_misaligned(offset, sizeof(T))) {
      trap(Cause::kLoadMisaligned, address);
      return false;
    }
    if (offset >= size_) {
      access_ = {address, 0, sizeof(T), false, false};
      leave(Stop::kDevice);
      return false;
    }
    T value;
    std::memcpy(&value, local_ + offset, sizeof value);
    x[d.rd] = static_cast<std::uint32_t>(static_cast<S>(value));
    return true;
  };
  const auto store = [&](const Decoded& d, auto zero) {
    using T = decltype(zero);
    const std::uint32_t address = x[d.rs1] + static_cast<std::uint32_t>(d.immediate);
    const std::uint32_t offset = address - base_;
    if ((address & (sizeof(T) - 1)) != 0 && !takes_misaligned(offset, sizeof(T))) {
      trap(Cause::kStoreMisaligned, address);
      return false;
    }
    if (offset >= size_) {
      access_ = {address, static_cast<T>(x[d.rs2]), sizeof(T), true, false};
      leave(Stop::kDevice);
      return false;
    }
    store_local(offset, static_cast<T>(x[d.rs2]));
    return true;
  };

  for (;;) {
    if (retired == last || cycles >= cycle_limit) {
      leave(Stop::kLimit);
      return stop;
    }
    const std::uint32_t offset = pc - base_;
    if (offset >= size_) {
      trap(Cause::kFetchAccess, pc);
      return stop;
    }
    const Decoded& d = code_[offset >> 1];
    const auto immediate = static_cast<std::uint32_t>(d.immediate);
    bool taken = false;
    switch (d.op) {
      case Op::kIllegal:
        if (decode_at(pc)) continue;
        leave(Stop::kTrap);
        return stop;
      case Op::kLui:
        x[d.rd] = immediate;
        break;
      case Op::kAuipc:
        x[d.rd] = pc + immediate;
        break;
      case Op::kJal:
        x[d.rd] = pc + d.length;
        pc += immediate;
        cycles += d.cost;
        ++retired;
        continue;
      case Op::kJalr: {
        const std::uint32_t target = (x[d.rs1] + immediate) & ~1u;
        x[d.rd] = pc + d.length;
        pc = target;
        cycles += d.cost;
        ++retired;
        continue;
      }
      case Op::kBeq:
        taken = x[d.rs1] == x[d.rs2];
        goto branch;
      case Op::kBne:
        taken = x[d.rs1] != x[d.rs2];
        goto branch;
      case Op::kBlt:
        taken = static_cast<S>(x[d.rs1]) < static_cast<S>(x[d.rs2]);
        goto branch;
      case Op::kBge:
        taken = static_cast<S>(x[d.rs1]) >= static_cast<S>(x[d.rs2]);
        goto branch;
      case Op::kBltu:
        taken = x[d.rs1] < x[d.rs2];
        goto branch;
      case Op::kBgeu:
        taken = x[d.rs1] >= x[d.rs2];
        goto branch;
      branch:
        pc += taken ? immediate : d.length;
        cycles += taken ? costs_.branch_taken : d.cost;
        ++retired;
        continue;
      case Op::kLb:
        if (!load(d, std::int8_t{})) return stop;
        break;
      case Op::kLh:
        if (!load(d, std::int16_t{})) return stop;
        break;
      case Op::kLw:
        if (!load(d, std::int32_t{})) return stop;
        break;
      case Op::kLbu:
        if (!load(d, std::uint8_t{})) return stop;
        break;
      case Op::kLhu:
        if (!load(d, std::uint16_t{})) return stop;
        break;
      case Op::kSb:
        if (!store(d, std::uint8_t{})) return stop;
        break;
      case Op::kSh:
        if (!store(d, std::uint16_t{})) return stop;
        break;
      case Op::kSw:
        if (!store(d, std::uint32_t{})) return stop;
        break;
      case Op::kAddi:
        x[d.rd] = x[d.rs1] + immediate;
        break;
      case Op::kSlti:
        x[d.rd] = static_cast<S>(x[d.rs1]) < d.immediate;
        break;
      case Op::kSltiu:
        x[d.rd] = x[d.rs1] < immediate;
        break;
      case Op::kXori:
        x[d.rd] = x[d.rs1] ^ immediate;
        break;
      case Op::kOri:
        x[d.rd] = x[d.rs1] | immediate;
        break;
      case Op::kAndi:
        x[d.rd] = x[d.rs1] & immediate;
        break;
      case Op::kSlli:
        x[d.rd] = x[d.rs1] << immediate;
        break;
      case Op::kSrli:
        x[d.rd] = x[d.rs1] >> immediate;
        break;
      case Op::kSrai:
        x[d.rd] = static_cast<std::uint32_t>(static_cast<S>(x[d.rs1]) >> immediate);
        break;
      case Op::kAdd:
        x[d.rd] = x[d.rs1] + x[d.rs2];
        break;
      case Op::kSub:
        x[d.rd] = x[d.rs1] - x[d.rs2];
        break;
      case Op::kSll:
        x[d.rd] = x[d.rs1] << (x[d.rs2] & 31);
        break;
      case Op::kSlt:
        x[d.rd] = static_cast<S>(x[d.rs1]) < static_cast<S>(x[d.rs2]);
        break;
      case Op::kSltu:
        x[d.rd] = x[d.rs1] < x[d.rs2];
        break;
      case Op::kXor:
        x[d.rd] = x[d.rs1] ^ x[d.rs2];
        break;
      case Op::kSrl:
        x[d.rd] = x[d.rs1] >> (x[d.rs2] & 31);
        break;
      case Op::kSra:
        x[d.rd] = static_cast<std::uint32_t>(static_cast<S>(x[d.rs1]) >> (x[d.rs2] & 31));
        break;
      case Op::kOr:
        x[d.rd] = x[d.rs1] | x[d.rs2];
        break;
      case Op::kAnd:
        x[d.rd] = x[d.rs1] & x[d.rs2];
        break;
      case Op::kFence:
      case Op::kFenceI:
        break;
      case Op::kMul:
        x[d.rd] = x[d.rs1] * x[d.rs2];
        break;
      case Op::kMulh:
        x[d.rd] = static_cast<std::uint32_t>(
            (std::int64_t{static_cast<S>(x[d.rs1])} * std::int64_t{static_cast<S>(x[d.rs2])}) >> 32);
        break;
      case Op::kMulhsu:
        x[d.rd] = static_cast<std::uint32_t>(
            (std::int64_t{static_cast<S>(x[d.rs1])} * std::int64_t{x[d.rs2]}) >> 32);
        break;
      case Op::kMulhu:
        x[d.rd] = static_cast<std::uint32_t>((std::uint64_t{x[d.rs1]} * x[d.rs2]) >> 32);
        break;
      case Op::kDiv: {
        const auto a = static_cast<S>(x[d.rs1]), b = static_cast<S>(x[d.rs2]);
        x[d.rd] = b == 0 ? ~0u : static_cast<std::uint32_t>(std::int64_t{a} / b);  // the overflow wraps
        break;
      }
      case Op::kDivu:
        x[d.rd] = x[d.rs2] == 0 ? ~0u : x[d.rs1] / x[d.rs2];
        break;
      case Op::kRem: {
        const auto a = static_cast<S>(x[d.rs1]), b = static_cast<S>(x[d.rs2]);
        x[d.rd] = b == 0 ? x[d.rs1] : static_cast<std::uint32_t>(std::int64_t{a} % b);
        break;
      }
      case Op::kRemu:
        x[d.rd] = x[d.rs2] == 0 ? x[d.rs1] : x[d.rs1] % x[d.rs2];
        break;
      case Op::kLr:
      case Op::kSc:
      case Op::kAmoswap:
      case Op::kAmoadd:
      case Op::kAmoxor:
      case Op::kAmoand:
      case Op::kAmoor:
      case Op::kAmomin:
      case Op::kAmomax:
      case Op::kAmominu:
      case Op::kAmomaxu:
        leave(Stop::kTrap);
        if (!atomic_instruction(d)) return stop;
        break;
      case Op::kCsrrw:
      case Op::kCsrrs:
      case Op::kCsrrc:
      case Op::kCsrrwi:
      case Op::kCsrrsi:
      case Op::kCsrrci:
        leave(Stop::kTrap);
        if (d.immediate == csr::kMstatus || d.immediate == csr::kMie || d.immediate == csr::kMip) {
          stop = Stop::kSystem;
          return stop;
        }
        if (d.op == Op::kCsrrw && (d.immediate == csr::kMburstread || d.immediate == csr::kMburstwrite)) {
          stop = Stop::kBurst;
          return stop;
        }
        if (!csr_instruction(d)) return stop;
        break;
      case Op::kEcall:
        trap(Cause::kMachineCall, 0);
        return stop;
      case Op::kEbreak:
        trap(Cause::kBreakpoint, pc);
        return stop;
      case Op::kMret:
      case Op::kWfi:
        leave(Stop::kSystem);
        return stop;
    }
    pc += d.length;
    cycles += d.cost;
    ++retired;
  }
}

// False, with the exception to raise, if it traps. An atomic operation outside local memory is an access
// fault: no device here takes one.
bool Hart::atomic_instruction(const Decoded& d) {
  const std::uint32_t address = s_.x[d.rs1], offset = address - base_;
  if ((address & 3) != 0) {
    exception_ = {d.op == Op::kLr ? Cause::kLoadMisaligned : Cause::kStoreMisaligned, address};
    return false;
  }
  if (offset >= size_) {
    exception_ = {d.op == Op::kLr ? Cause::kLoadAccess : Cause::kStoreAccess, address};
    return false;
  }
  std::uint32_t old = 0;
  std::memcpy(&old, local_ + offset, 4);
  const std::uint32_t operand = s_.x[d.rs2];
  const auto a = static_cast<std::int32_t>(old), b = static_cast<std::int32_t>(operand);
  std::uint32_t value = 0;
  switch (d.op) {
    case Op::kLr:
      s_.reserved = true;
      s_.reservation = address;
      s_.x[d.rd] = old;
      return true;
    case Op::kSc: {
      const bool success = s_.reserved && s_.reservation == address;
      if (success) store_local(offset, operand);
      s_.reserved = false;
      s_.x[d.rd] = success ? 0 : 1;
      return true;
    }
    case Op::kAmoswap:
      value = operand;
      break;
    case Op::kAmoadd:
      value = old + operand;
      break;
    case Op::kAmoxor:
      value = old ^ operand;
      break;
    case Op::kAmoand:
      value = old & operand;
      break;
    case Op::kAmoor:
      value = old | operand;
      break;
    case Op::kAmomin:
      value = a < b ? old : operand;
      break;
    case Op::kAmomax:
      value = a > b ? old : operand;
      break;
    case Op::kAmominu:
      value = std::min(old, operand);
      break;
    default:
      value = std::max(old, operand);
      break;
  }
  store_local(offset, value);
  s_.x[d.rd] = old;
  return true;
}

void Hart::finish_access(std::uint32_t loaded) {
  const Decoded d = current();
  switch (d.op) {
    case Op::kLb:
      s_.x[d.rd] = static_cast<std::uint32_t>(static_cast<std::int8_t>(loaded));
      break;
    case Op::kLh:
      s_.x[d.rd] = static_cast<std::uint32_t>(static_cast<std::int16_t>(loaded));
      break;
    case Op::kLw:
      s_.x[d.rd] = loaded;
      break;
    case Op::kLbu:
      s_.x[d.rd] = static_cast<std::uint8_t>(loaded);
      break;
    case Op::kLhu:
      s_.x[d.rd] = static_cast<std::uint16_t>(loaded);
      break;
    default:  // a store
      break;
  }
  s_.pc += d.length;
  s_.cycles += d.cost;
  ++s_.retired;
}

Hart::Burst Hart::pending_burst() const {
  const Decoded& d = current();
  return {s_.x[d.rs1], s_.burst_local, s_.burst_words, d.immediate == csr::kMburstwrite};
}

void Hart::finish_burst() {
  const Decoded d = current();
  s_.x[d.rd] = 0;
  s_.pc += d.length;
  s_.cycles += d.cost + std::uint64_t{costs_.burst_word} * s_.burst_words;
  ++s_.retired;
}

Hart::System Hart::execute_system() {
  const Decoded d = current();
  if (d.op == Op::kMret) {
    s_.pc = s_.mepc;
    s_.interrupts = s_.previous_interrupts;
    s_.previous_interrupts = true;
  } else {
    if (d.op != Op::kWfi) csr_instruction(d);  // of mstatus, mie or mip: allowed always
    s_.pc += d.length;
  }
  s_.cycles += d.cost;
  ++s_.retired;
  return d.op == Op::kMret ? System::kReturn : d.op == Op::kWfi ? System::kWait : System::kCsr;
}

void Hart::enter_exception(const Exception& exception) {
  enter_trap(static_cast<std::uint32_t>(exception.cause), exception.value, false);
}

void Hart::enter_interrupt(unsigned line) { enter_trap(0x80000000u | line, 0, (s_.mtvec & 1) != 0); }

void Hart::enter_trap(std::uint32_t cause, std::uint32_t value, bool vectored) {
  s_.mepc = s_.pc;
  s_.mcause = cause;
  s_.mtval = value;
  s_.previous_interrupts = s_.interrupts;
  s_.interrupts = false;
  s_.reserved = false;  // or a handler's lr.w and sc.w could lend theirs to the code it interrupted
  s_.pc = (s_.mtvec & ~3u) + (vectored ? 4 * (cause & 0x7fffffffu) : 0);
  s_.cycles += costs_.trap;
}

}  // namespace warpvp::riscv
