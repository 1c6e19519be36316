// Execution in time: running ahead, devices, interrupts, sleep.
#include "modules/command_processor/riscv_core/riscv_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "interconnect/register_map.h"
#include "modules/command_processor/observe/core_observation.h"

namespace warpvp {

using riscv::Cause;
using riscv::InterruptLines;

namespace {


}  // namespace

RiscvCore::RiscvCore(sc_core::sc_module_name name, const RiscvCoreConfig& config,
                     CoreSurroundings surroundings, riscv::ElfImage image)
    : FirmwareCore(name, std::move(surroundings)),
      instructions("instructions"),
      data("data"),
      config_(config),
      image_(std::move(image)),
      local_("local", regmap::core::kLocalBase, config.local_kib * 1024),
      period_(sc_core::sc_time(std::round(1e9 / config.clock_mhz), sc_core::SC_FS).value()) {
  image_.check_fits(regmap::core::kLocalBase, config.local_kib * 1024);
  if (config.observe.any()) {
    observation_ = std::make_unique<CoreObservation>(config.observe, image_, regmap::core::kLocalBase,
                                                     config.local_kib * 1024, period_);
    observation_->for_each([this](riscv::InstructionObserver& observer) { add_observer(observer); });
  }
  instructions.bind(local_.instructions);
  data.bind(local_.data);
  SC_HAS_PROCESS(RiscvCore);
  SC_THREAD(run);
  set_stack_size(256 * 1024);  // a device may do a lot within an access, and so may a debugger
}

RiscvCore::~RiscvCore() = default;

void RiscvCore::end_of_elaboration() {
  const std::uint64_t base = regmap::core::kLocalBase, last = base + config_.local_kib * 1024 - 1;
  const auto direct = [&](tlm_utils::simple_initiator_socket<RiscvCore>& socket) {
    tlm::tlm_generic_payload payload;
    payload.set_address(base);
    tlm::tlm_dmi dmi;
    if (!socket->get_direct_mem_ptr(payload, dmi) || !dmi.is_read_write_allowed() ||
        dmi.get_start_address() > base || dmi.get_end_address() < last)
      throw std::logic_error(std::string(name()) + ": local memory must grant direct access to all of it");
    return dmi.get_dmi_ptr() + (base - dmi.get_start_address());
  };
  unsigned char* const memory = direct(data);
  if (direct(instructions) != memory)
    throw std::logic_error(std::string(this->name()) + ": instructions and data must share local memory");
  hart_.emplace(memory, regmap::core::kLocalBase, config_.local_kib * 1024, config_.costs,
                config_.misaligned_traps);
  load_image();
  hart_->reset(image_.entry());
  set_origin(0);
}

void RiscvCore::load_image() {
  for (const riscv::ElfImage::Segment& segment : image_.segments())
    hart_->write_local(segment.address, segment.bytes.data(),
                       static_cast<std::uint32_t>(segment.bytes.size()));
}

void RiscvCore::run() {
  try {
    for (;;) {
      if (observed()) {
        execute_observed();
      } else {
        execute_ahead();
      }
    }
  } catch (const Stopped&) {
  }
}

void RiscvCore::execute_ahead() {
  note_start();
  hart_->begin(config_.quantum);
  const std::uint64_t interrupt = takeable_from();
  stop_ = hart_->run(instruction_allowance(config_.quantum), cycles_until(interrupt));
  wait_until_due(true);
  if (take_interrupt()) return;
  check_progress();
  if (carry_out(stop_) == After::kSleep) sleep();
}

// Lets simulated time catch up with the hart. An interrupt that arrives meanwhile may have to come before
// instructions that were executed ahead: then they are taken back and repeated up to where it is seen.
void RiscvCore::wait_until_due(bool repeat_for_interrupts) {
  ahead_ = repeat_for_interrupts;
  while (now() < due()) {
    wait(sc_core::sc_time::from_value(due() - now()), interrupt_);
    if (!repeat_for_interrupts || now() >= due()) continue;
    const std::uint64_t interrupt = takeable_from();
    if (interrupt == InterruptLines::kNever) continue;
    hart_->undo();
    stop_ = hart_->run(instruction_allowance(config_.quantum), cycles_until(interrupt));
  }
  ahead_ = false;
}

/// Instructions that start now or later are not yet executed, as far as statistics go: which of two things
/// that happen at the end of the simulation comes first must not show.
void RiscvCore::note_start() {
  if (noted_at_ == now()) return;
  noted_at_ = now();
  retired_before_ = hart_->retired();
}

// The run ended at a time to which the hart was ahead. It may go on from there, while what is unanswered is
// awaited.
void RiscvCore::take_back_what_is_ahead() {
  if (!ahead_ || now() >= due()) return;
  hart_->undo();
  stop_ = hart_->run(instruction_allowance(config_.quantum), cycles_until(now()));
}

/// From when on the hart could take an interrupt, as things are.
std::uint64_t RiscvCore::takeable_from() const {
  return hart_->interrupts_enabled() ? lines_.high_from(hart_->enabled_lines()) : InterruptLines::kNever;
}

/// The hart's cycle count at its first instruction that starts at `time` or later.
std::uint64_t RiscvCore::cycles_until(std::uint64_t time) const {
  if (time == InterruptLines::kNever) return time;
  return time <= origin_ ? 0 : (time - origin_ + period_ - 1) / period_;
}

std::uint64_t RiscvCore::instruction_allowance(std::uint64_t wanted) const {
  if (config_.progress_limit == 0) return wanted;
  const std::uint64_t used = hart_->retired() - progress_mark_;
  return used > config_.progress_limit ? 0 : std::min(wanted, config_.progress_limit - used + 1);
}

void RiscvCore::check_progress() {
  if (config_.progress_limit != 0 && hart_->retired() - progress_mark_ > config_.progress_limit)
    fail(
        fmt::format("no progress: more than {} instructions without sleep or a store to a device other than "
                    "console, timer and interrupt controller (core.progress_limit)",
                    config_.progress_limit));
}

// ---- What happens at its own time

RiscvCore::After RiscvCore::carry_out(Hart::Stop stop) {
  note_start();
  switch (stop) {
    case Hart::Stop::kLimit:
      break;
    case Hart::Stop::kDevice:
      return access_device();
    case Hart::Stop::kBurst:
      return access_in_burst();
    case Hart::Stop::kTrap:
      raise_exception(hart_->pending_exception());
      break;
    case Hart::Stop::kSystem:
      hart_->set_lines(lines_.visible(now()));
      switch (hart_->execute_system()) {
        case Hart::System::kWait:
          return After::kSleep;
        case Hart::System::kReturn:
          handlers_ >>= 1;
          break;
        case Hart::System::kCsr:
          break;
      }
      break;
  }
  return After::kGoOn;
}

RiscvCore::After RiscvCore::access_device() {
  const Hart::Access access = hart_->pending_access();
  wait(sc_core::SC_ZERO_TIME);
  std::uint32_t value = access.value;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_response_status status =
      bus.access(access.store, access.address, &value, access.bytes, delay);
  if (halted_) stop_for_ever();
  set_origin(now() + delay.value());
  if (status != tlm::TLM_OK_RESPONSE) {
    raise_exception({access.store ? Cause::kStoreAccess : Cause::kLoadAccess, access.address});
    return After::kGoOn;
  }
  loaded_ = value;
  hart_->finish_access(value);
  if (access.store && counts_as_progress(access.address)) progress_mark_ = hart_->retired();
  return After::kGoOn;
}

// What it may not do is an access fault at its instruction: too many words, or what lies not in local memory.
RiscvCore::After RiscvCore::access_in_burst() {
  const Hart::Burst burst = hart_->pending_burst();
  const std::uint32_t bytes = 4 * burst.words;
  const Hart::Exception fault{burst.write ? Cause::kStoreAccess : Cause::kLoadAccess, burst.address};
  if (burst.words == 0 || burst.words > Hart::kBurstWords || burst.address % 4 != 0 || burst.local % 4 != 0 ||
      !hart_->is_local(burst.local, bytes)) {
    raise_exception(fault);
    return After::kGoOn;
  }
  wait(sc_core::SC_ZERO_TIME);
  std::array<std::uint32_t, Hart::kBurstWords> data{};
  if (burst.write) hart_->read_local(burst.local, data.data(), bytes);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_response_status status = bus.access(burst.write, burst.address, data.data(), bytes, delay);
  if (halted_) stop_for_ever();
  set_origin(now() + delay.value());
  if (status != tlm::TLM_OK_RESPONSE) {
    raise_exception(fault);
    return After::kGoOn;
  }
  if (!burst.write) hart_->write_local(burst.local, data.data(), bytes);
  hart_->finish_burst();
  if (burst.write && counts_as_progress(burst.address)) progress_mark_ = hart_->retired();
  return After::kGoOn;
}

void RiscvCore::raise_exception(const Hart::Exception& exception) {
  const bool has_address = exception.cause != Cause::kIllegalInstruction &&
                           exception.cause != Cause::kMachineCall && exception.cause != Cause::kBreakpoint;
  const std::optional<std::uint32_t> address =
      has_address ? std::optional<std::uint32_t>(exception.value) : std::nullopt;
  if (!hart_->has_handler())
    fail(fmt::format("{} without a trap handler (mtvec was never written)", cause_text(exception.cause)),
         address);
  if (handlers_ != 0 && !nested_exceptions_)
    fail(fmt::format("double fault: {} in the handler of an exception (the first: {}, in {})",
                     cause_text(exception.cause),
                     cause_text(static_cast<Cause>(*hart_->read_csr(riscv::csr::kMcause))),
                     place(*hart_->read_csr(riscv::csr::kMepc))),
         address);
  for (riscv::InstructionObserver* observer : observers_)
    if (const std::string why = observer->objection(exception.cause, exception.value); !why.empty())
      fail(why);
  const std::uint32_t pc = hart_->pc();
  ++exceptions_;
  handlers_ = handlers_ << 1 | 1;
  hart_->enter_exception(exception);
  tell_trapped(static_cast<std::uint32_t>(exception.cause), exception.value, pc);
}

// At an instruction's own time, before it.
bool RiscvCore::take_interrupt() {
  if (!hart_->interrupts_enabled()) return false;
  const std::uint32_t pending = lines_.visible(now()) & hart_->enabled_lines();
  if (pending == 0) return false;
  // In this order, by the privileged architecture, section 3.1.9.
  for (const Interrupt line : {Interrupt::kExternal, Interrupt::kSoftware, Interrupt::kTimer}) {
    if ((pending & bit_of(line)) == 0) continue;
    if (!hart_->has_handler())
      fail(fmt::format("interrupt {} without a trap handler (mtvec was never written)",
                       static_cast<unsigned>(line)));
    const std::uint32_t pc = hart_->pc();
    ++interrupts_;
    handlers_ <<= 1;
    hart_->enter_interrupt(static_cast<unsigned>(line));
    tell_trapped(0x8000'0000u | static_cast<unsigned>(line), 0, pc);
    break;
  }
  return true;
}

void RiscvCore::tell_trapped(std::uint32_t cause, std::uint32_t value, std::uint32_t pc) {
  for (riscv::InstructionObserver* observer : observers_)
    observer->trapped({now(), pc, cause, value, hart_->pc()});
}

// ---- Sleep

// wfi has been executed. It is over at once if an enabled interrupt is pending, whether or not it can be
// taken.
void RiscvCore::sleep() {
  wait_until_due(false);
  const std::uint32_t enabled = hart_->enabled_lines();
  if ((lines_.visible(now()) & enabled) != 0) return;
  progress_mark_ = hart_->retired();
  asleep_since_ = now();
  asleep_ = true;
  const auto awake = [&] { return (lines_.levels() & enabled) != 0; };
  do {
    while (!awake()) {
      const auto& pending = surroundings_.work_pending;
      if (!can_wake() && pending && pending()) {
        hart_->set_pc(hart_->pc() - 4);  // the wfi is to blame
        fail("asleep for ever: wfi with no interrupt enabled that could come, while work is pending");
      }
      wait(interrupt_ | work_);
    }
    wait(sc_core::SC_ZERO_TIME);  // lines may change once more at this instant
  } while (!awake());
  lines_.show(now());
  asleep_ = false;
  slept_ += now() - asleep_since_;
  set_origin(now());
  hart_->add_cycles(config_.costs.wake);
}

bool RiscvCore::can_wake() const {
  const auto holds = [](const std::function<bool()>& condition) { return !condition || condition(); };
  const std::uint32_t enabled = hart_->enabled_lines();
  return (enabled & bit_of(Interrupt::kSoftware)) != 0 ||
         ((enabled & bit_of(Interrupt::kTimer)) != 0 && holds(surroundings_.timer_armed)) ||
         ((enabled & bit_of(Interrupt::kExternal)) != 0 && holds(surroundings_.external_enabled));
}

bool RiscvCore::rests() const {
  if (halted_) return true;
  return asleep_ && (lines_.levels() & hart_->enabled_lines()) == 0 && surroundings_.timer_armed &&
         !surroundings_.timer_armed();
}

void RiscvCore::work_arrived() { work_.notify(); }

void RiscvCore::set_interrupt(Interrupt line, bool level) {
  lines_.set(static_cast<unsigned>(line), level, now());
  if (level && hart_ && (hart_->enabled_lines() & bit_of(line)) != 0 &&
      (asleep_ || hart_->interrupts_enabled()))
    interrupt_.notify();
}

}  // namespace warpvp
