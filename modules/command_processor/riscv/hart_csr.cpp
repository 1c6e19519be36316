// Control and status registers of the hart.
#include "modules/command_processor/riscv/hart.h"

namespace warpvp::riscv {

namespace {

// The sources of interrupts there are in machine mode: software, timer, external.
constexpr std::uint32_t kLines = 1u << 3 | 1u << 7 | 1u << 11;
// RV32, extensions A, C, I and M. Extensions cannot be switched off.
constexpr std::uint32_t kMisaValue = 1u << 30 | 1u << 0 | 1u << 2 | 1u << 8 | 1u << 12;
constexpr std::uint32_t kInhibitCycle = 1u << 0, kInhibitInstret = 1u << 2;

constexpr bool within(std::uint16_t number, std::uint16_t first, std::uint16_t count) {
  return number >= first && number < first + count;
}
// What exists and is always zero: event counters, of which this hart counts none; triggers, of which it has
// none; physical memory protection, whose sixteen entries cannot be switched on, so that of them only the
// first address holds what is written.
constexpr bool is_zero(std::uint16_t n) {
  return within(n, csr::kMhpmevent3, 29) || within(n, csr::kMhpmcounter3, 29) ||
         within(n, csr::kMhpmcounter3h, 29) || within(n, csr::kTselect, 4) || within(n, csr::kPmpcfg0, 4) ||
         within(n, csr::kPmpaddr0 + 1, 15);
}
constexpr bool is_read_only(std::uint16_t n) { return (n >> 10) == 3; }

constexpr std::uint64_t join(std::uint32_t high, std::uint32_t low) {
  return std::uint64_t{high} << 32 | low;
}
constexpr std::uint32_t high_half(std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); }
constexpr std::uint32_t low_half(std::uint64_t v) { return static_cast<std::uint32_t>(v); }

}  // namespace

std::uint64_t Hart::counter(std::uint32_t bit) const {
  const std::uint64_t offset = bit == kInhibitCycle ? s_.cycle_offset : s_.instret_offset;
  if (s_.mcountinhibit & bit) return offset;
  return offset + (bit == kInhibitCycle ? clock() : s_.retired);
}

// Makes the counter `value` when it has counted `ahead` more.
void Hart::set_counter(std::uint32_t bit, std::uint64_t value, std::uint64_t ahead) {
  std::uint64_t& offset = bit == kInhibitCycle ? s_.cycle_offset : s_.instret_offset;
  const std::uint64_t counted = bit == kInhibitCycle ? clock() : s_.retired;
  offset = s_.mcountinhibit & bit ? value : value - counted - ahead;
}

void Hart::set_inhibit(std::uint32_t value) {
  const std::uint64_t cycles = counter(kInhibitCycle), instret = counter(kInhibitInstret);
  s_.mcountinhibit = value & (kInhibitCycle | kInhibitInstret);
  set_counter(kInhibitCycle, cycles, 0);
  set_counter(kInhibitInstret, instret, 0);
}

std::optional<std::uint32_t> Hart::read_csr(std::uint16_t n) const {
  const auto time_ns = [this] { return (origin_fs_ + s_.cycles * period_fs_) / 1'000'000; };
  switch (n) {
    case csr::kMstatus:
      return kMstatusMpp | (s_.interrupts ? kMstatusMie : 0) | (s_.previous_interrupts ? kMstatusMpie : 0);
    case csr::kMisa:
      return kMisaValue;
    case csr::kMie:
      return s_.mie;
    case csr::kMtvec:
      return s_.mtvec;
    case csr::kMscratch:
      return s_.mscratch;
    case csr::kMepc:
      return s_.mepc;
    case csr::kMcause:
      return s_.mcause;
    case csr::kMtval:
      return s_.mtval;
    case csr::kMip:
      return lines_ & kLines;
    case csr::kPmpaddr0:
      return s_.pmpaddr0;
    case csr::kMburstlocal:
      return s_.burst_local;
    case csr::kMburstwords:
      return s_.burst_words;
    case csr::kMcountinhibit:
      return s_.mcountinhibit;
    case csr::kMcycle:
    case csr::kCycle:
      return low_half(counter(kInhibitCycle));
    case csr::kMcycleh:
    case csr::kCycleh:
      return high_half(counter(kInhibitCycle));
    case csr::kMinstret:
    case csr::kInstret:
      return low_half(counter(kInhibitInstret));
    case csr::kMinstreth:
    case csr::kInstreth:
      return high_half(counter(kInhibitInstret));
    case csr::kTime:
      return low_half(time_ns());
    case csr::kTimeh:
      return high_half(time_ns());
    case csr::kMburstread:  // written by csrrw only, which ends a run
    case csr::kMburstwrite:
    case csr::kMstatush:
    case csr::kMvendorid:
    case csr::kMarchid:
    case csr::kMimpid:
    case csr::kMhartid:
    case csr::kMconfigptr:
      return 0;
    default:
      if (is_zero(n)) return 0;
      return std::nullopt;
  }
}

// Writes as an instruction does that takes `cycles` and counts for `instructions`: counters have the value
// when it is over.
bool Hart::write_csr_after(std::uint16_t n, std::uint32_t value, std::uint64_t cycles,
                           std::uint64_t instructions) {
  if (is_read_only(n) || !read_csr(n)) return false;
  switch (n) {
    case csr::kMstatus:
      s_.interrupts = (value & kMstatusMie) != 0;
      s_.previous_interrupts = (value & kMstatusMpie) != 0;
      break;
    case csr::kMie:
      s_.mie = value & kLines;
      break;
    case csr::kMtvec:
      s_.mtvec = value & ~2u;  // modes 2 and 3 are reserved
      s_.handler_set = true;
      break;
    case csr::kMscratch:
      s_.mscratch = value;
      break;
    case csr::kMepc:
      s_.mepc = value & ~1u;
      break;
    case csr::kMcause:
      s_.mcause = value;
      break;
    case csr::kMtval:
      s_.mtval = value;
      break;
    case csr::kPmpaddr0:
      s_.pmpaddr0 = value;
      break;
    case csr::kMburstlocal:
      s_.burst_local = value;
      break;
    case csr::kMburstwords:
      s_.burst_words = value;
      break;
    case csr::kMcountinhibit:
      set_inhibit(value);
      break;
    case csr::kMcycle:
      set_counter(kInhibitCycle, join(high_half(counter(kInhibitCycle)), value), cycles);
      break;
    case csr::kMcycleh:
      set_counter(kInhibitCycle, join(value, low_half(counter(kInhibitCycle))), 0);
      break;
    case csr::kMinstret:
      set_counter(kInhibitInstret, join(high_half(counter(kInhibitInstret)), value), instructions);
      break;
    case csr::kMinstreth:
      set_counter(kInhibitInstret, join(value, low_half(counter(kInhibitInstret))), instructions);
      break;
    default:  // misa, mip, mstatush and what is_zero: writes have no effect
      break;
  }
  return true;
}

// False, with the exception to raise, if there is no such CSR or it may not be written.
bool Hart::csr_instruction(const Decoded& d) {
  const auto number = static_cast<std::uint16_t>(d.immediate);
  const bool from_register = d.op == Op::kCsrrw || d.op == Op::kCsrrs || d.op == Op::kCsrrc;
  const std::uint32_t operand = from_register ? s_.x[d.rs1] : d.rs1;
  const bool exchanges = d.op == Op::kCsrrw || d.op == Op::kCsrrwi;
  const bool sets = d.op == Op::kCsrrs || d.op == Op::kCsrrsi;
  const std::optional<std::uint32_t> old = read_csr(number);
  const std::uint32_t value = !old ? 0 : exchanges ? operand : sets ? *old | operand : *old & ~operand;
  // Setting or clearing no bits is not a write.
  const bool writes = exchanges || d.rs1 != 0;
  if (!old || (writes && !write_csr_after(number, value, d.cost, 1))) {
    exception_ = {Cause::kIllegalInstruction, instruction_at(s_.pc)->raw};
    return false;
  }
  s_.x[d.rd] = *old;
  return true;
}

}  // namespace warpvp::riscv
