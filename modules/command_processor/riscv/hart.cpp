#include "modules/command_processor/riscv/hart.h"

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

// ---- What `run` leaves to the owner

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
