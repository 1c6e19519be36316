// What others see of the core: debuggers, observers, fault messages, statistics.
#include <fmt/format.h>

#include <algorithm>

#include "interconnect/register_map.h"
#include "modules/command_processor/observe/core_observation.h"
#include "modules/command_processor/riscv_core/riscv_core.h"

namespace warpvp {

using riscv::Op;

// ---- Execution under observation: instruction by instruction, nothing ahead of time

void RiscvCore::execute_observed() {
  wait_until_due(false);
  if (take_interrupt()) return;
  check_progress();
  hart_->set_lines(lines_.visible(now()));
  if (debugger_ != nullptr) debugger_->before_instruction();
  riscv::Step step = prepare_step();
  for (riscv::InstructionObserver* observer : observers_)
    if (const std::string why = observer->objection(step); !why.empty()) fail(why);

  const std::uint64_t retired = hart_->retired(), due_before = hart_->cycles();
  note_start();
  hart_->begin(1);
  stop_ = hart_->run(instruction_allowance(1));
  const bool from_device = stop_ == Hart::Stop::kDevice || stop_ == Hart::Stop::kBurst;
  const After after = carry_out(stop_);
  if (hart_->retired() != retired) {
    if (stop_ == Hart::Stop::kDevice) step.loaded = loaded_;
    step.rd_value = hart_->x(step.instruction.rd);
    step.next_pc = hart_->pc();
    step.cycles = from_device ? hart_->cycles()
                              : hart_->cycles() - due_before;  // an access to a device restarts the count
    if (step.instruction.op == Op::kSc) step.stores = hart_->result(step.instruction.rd) == 0;
    if (debugger_ != nullptr && step.loads) debugger_->accessed(step.address, step.bytes, false);
    if (debugger_ != nullptr && step.stores) debugger_->accessed(step.address, step.bytes, true);
    for (riscv::InstructionObserver* observer : observers_) observer->executed(step);
  }
  if (after == After::kSleep) sleep();
}

riscv::Step RiscvCore::prepare_step() const {
  riscv::Step step;
  step.time_fs = now();
  step.pc = hart_->pc();
  const std::optional<riscv::Instruction> instruction = hart_->instruction_at(step.pc);
  if (!instruction) return step;
  step.instruction = *instruction;
  switch (instruction->op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb:
      step.bytes = 1;
      break;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh:
      step.bytes = 2;
      break;
    default:
      step.bytes = 4;
      break;
  }
  switch (instruction->op) {
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu:
    case Op::kLr:
      step.loads = true;
      break;
    case Op::kSb:
    case Op::kSh:
    case Op::kSw:
    case Op::kSc:
      step.stores = true;
      break;
    default:
      step.loads = step.stores = instruction->op >= Op::kAmoswap && instruction->op <= Op::kAmomaxu;
      break;
  }
  if (!step.loads && !step.stores) {
    step.bytes = 0;
    return step;
  }
  step.address = hart_->x(instruction->rs1) + static_cast<std::uint32_t>(instruction->immediate);
  if (step.stores) step.stored = hart_->x(instruction->rs2) & (~0u >> (32 - 8 * step.bytes));
  if (step.loads && hart_->is_local(step.address, step.bytes))
    hart_->read_local(step.address, &step.loaded, step.bytes);
  return step;
}

// ---- DebugTarget

std::vector<DebugTarget::Csr> RiscvCore::csrs() const {
  std::vector<Csr> all;
  for (std::uint16_t number = 0; number < 0x1000; ++number)
    if (hart_->read_csr(number)) all.push_back({riscv::csr_name(number), number});
  return all;
}

std::size_t RiscvCore::read_memory(std::uint32_t address, void* buffer, std::size_t bytes) {
  auto* to = static_cast<unsigned char*>(buffer);
  if (!hart_->is_local(address, 1)) return debug_bus(false, address, to, bytes);
  const auto n = static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes, hart_->local_bytes() - (address - hart_->local_base())));
  hart_->read_local(address, to, n);
  return n;
}

std::size_t RiscvCore::write_memory(std::uint32_t address, const void* buffer, std::size_t bytes) {
  if (!hart_->is_local(address, 1)) {
    const auto* const from = static_cast<const unsigned char*>(buffer);
    std::vector<unsigned char> copy(from, from + bytes);  // GDB writes no bytes to see if it may
    return debug_bus(true, address, copy.data(), bytes);
  }
  const auto n = static_cast<std::uint32_t>(
      std::min<std::size_t>(bytes, hart_->local_bytes() - (address - hart_->local_base())));
  hart_->write_local(address, buffer, n);
  return n;
}

bool RiscvCore::reset() {
  if (halted_) return false;
  load_image();
  hart_->restart(image_.entry());
  handlers_ = 0;
  progress_mark_ = hart_->retired();
  return true;
}

// Registers are as wide as the core's accesses, so in pieces as a core would make.
std::size_t RiscvCore::debug_bus(bool write, std::uint32_t address, unsigned char* buffer,
                                 std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    const std::uint32_t at = address + static_cast<std::uint32_t>(done);
    unsigned piece = 4;
    while (at % piece != 0 || piece > bytes - done) piece /= 2;
    const bool to_register = write && piece == 4 && at < regmap::core::kApertureBase;
    if (to_register ? !write_register_of_device(at, buffer + done, piece)
                    : bus.debug(write, at, buffer + done, piece) != piece)
      break;
    done += piece;
  }
  return done;
}

// A register acts when it is written, so this is an access as a store makes it, but for its time.
bool RiscvCore::write_register_of_device(std::uint32_t address, unsigned char* data, unsigned bytes) {
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  return bus.access(true, address, data, bytes, delay) == tlm::TLM_OK_RESPONSE;
}

// ---- Messages

std::string RiscvCore::place(std::uint32_t pc) const {
  const std::string symbol = image_.describe(pc);
  return symbol.empty() ? fmt::format("{:#010x}", pc) : fmt::format("{} ({:#010x})", symbol, pc);
}

std::string RiscvCore::describe() const {
  if (!hart_) return "firmware has not started";
  return fmt::format("firmware {} {}",
                     halted_   ? "has stopped in"
                     : asleep_ ? "sleeps after wfi before"
                               : "executes",
                     place(hart_->pc()));
}

void RiscvCore::halt(std::uint32_t code) {
  std::string what = gave_up(code);
  if ((handlers_ & 1) != 0)
    what += fmt::format("; it was handling {} in {}, mtval {:#010x}",
                        cause_text(static_cast<riscv::Cause>(*hart_->read_csr(riscv::csr::kMcause))),
                        place(*hart_->read_csr(riscv::csr::kMepc)), *hart_->read_csr(riscv::csr::kMtval));
  report(what, {});
  halted_ = true;
}

void RiscvCore::report(const std::string& what, std::optional<std::uint32_t> address) {
  if (debugger_ != nullptr) debugger_->faulted(what);
  const std::uint32_t pc = hart_->pc();
  const std::optional<riscv::Instruction> instruction = hart_->instruction_at(pc);
  DeviceFault fault;
  fault.what = fmt::format("firmware in {}{}: {}", place(pc),
                           instruction ? ", " + riscv::disassemble(*instruction, pc) : std::string{}, what);
  if (address) fault.address = *address;
  fault.detail = fmt::format("registers: ra {}, sp {:#010x}\n", place(hart_->x(1)), hart_->x(2));
  fault.detail += describe_surroundings();
  surroundings_.faults->raise(std::move(fault));
}

void RiscvCore::fail(const std::string& what, std::optional<std::uint32_t> address) {
  report(what, address);
  stop_for_ever();
}

void RiscvCore::stop_for_ever() {
  halted_ = true;
  throw Stopped{};
}

void RiscvCore::stats(StatVisitor& v) const {
  const std::uint64_t until = now();
  RiscvCoreStats stats;
  stats.instructions = noted_at_ == until ? retired_before_ : hart_->retired();
  stats.cycles = until / period_;
  const std::uint64_t asleep = slept_ + (asleep_ ? until - asleep_since_ : 0);
  stats.sleeping = until == 0 ? 0.0 : static_cast<double>(asleep) / static_cast<double>(until);
  stats.device_accesses = bus.accesses();
  stats.interrupts = interrupts_;
  stats.exceptions = exceptions_;
  if (observation_) stats.stack = observation_->stack();
  stats.stats(v);
}

void RiscvCoreStats::stats(StatVisitor& v) const {
  v.value("instructions", instructions, "instructions", "Instructions of the firmware executed.");
  v.value("cycles", cycles, "cycles", "Cycles of the core's clock that passed, asleep or not.");
  v.value("sleeping", sleeping, "share", "Share of time spent in wfi.");
  v.value("device_accesses", device_accesses, "accesses", "Loads and stores outside local memory.");
  v.value("interrupts", interrupts, "interrupts", "Interrupts taken; those that only end wfi do not count.");
  v.value("exceptions", exceptions, "exceptions", "Exceptions taken.");
  v.when(stack.has_value(), "with `platform.command_processor.core.checks`",
         [&] { stack.value_or(StackUse{}).stats(v); });
}

void RiscvCore::finish() {
  if (!hart_ || finished_) return;
  finished_ = true;
  take_back_what_is_ahead();
  if (observation_) observation_->finish(now());
  observers_.clear();
}

}  // namespace warpvp
