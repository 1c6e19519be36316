#include "modules/command_processor/native/native_core.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sw/firmware/include/native.h"

namespace warpvp {

namespace {

NativeCore* the_core = nullptr;
constexpr std::size_t kStackBytes = 256 * 1024;  // a device may do a lot within an access

const fw_policy* find_policy(const std::string& name) {
  for (unsigned i = 0; i < fw_native_policy_count; ++i)
    if (name == fw_native_policies[i].name) return fw_native_policies[i].policy;
  throw std::logic_error("no policy " + name);
}

}  // namespace

NativeCore::NativeCore(sc_core::sc_module_name name, CoreSurroundings surroundings, const std::string& policy,
                       std::uint64_t progress_limit, std::uint64_t native_limit, bool assisted)
    : FirmwareCore(name, std::move(surroundings)),
      guard_(kStackBytes, native_limit),
      policy_name_(policy),
      policy_(find_policy(policy)),
      assisted_(assisted),
      progress_limit_(progress_limit) {
  if (the_core != nullptr)
    throw std::logic_error(std::string(this->name()) + ": the firmware runs natively once in a process");
  the_core = this;
  SC_HAS_PROCESS(NativeCore);
  SC_THREAD(run);
  set_stack_size(kStackBytes);
}

NativeCore::~NativeCore() { the_core = nullptr; }

NativeCore& NativeCore::running() { return *the_core; }

std::vector<std::string> NativeCore::policies() {
  std::vector<std::string> names;
  for (unsigned i = 0; i < fw_native_policy_count; ++i) names.push_back(fw_native_policies[i].name);
  return names;
}

void NativeCore::run() {
  try {
    const std::string why = guard_.run(assisted_ ? fw_assist : fw_run, policy_);
    halted_ = true;
    if (!why.empty()) report(why);
  } catch (const Stopped&) {
  }
}

// ---- Accesses

void NativeCore::access(bool write, std::uint32_t address, void* data, unsigned bytes) {
  wait(sc_core::SC_ZERO_TIME);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_response_status status = bus.access(write, address, data, bytes, delay);
  if (halted_) stop_for_ever();
  if (progress_limit_ != 0 && ++idle_accesses_ > progress_limit_)
    fail(fmt::format(
        "no progress: more than {} accesses to devices without sleep or a store to one other than "
        "console, timer and interrupt controller (core.progress_limit)",
        progress_limit_));
  if (status != tlm::TLM_OK_RESPONSE)
    fail(fmt::format("{} access fault at address {:#x}", write ? "store" : "load", address));
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
}

std::uint32_t NativeCore::load(std::uint32_t address) {
  const FirmwareGuard::Outside outside(guard_);
  std::uint32_t value = 0;
  access(false, address, &value, sizeof value);
  return value;
}

void NativeCore::store(std::uint32_t address, std::uint32_t value) {
  const FirmwareGuard::Outside outside(guard_);
  access(true, address, &value, sizeof value);
  if (counts_as_progress(address)) idle_accesses_ = 0;
}

void NativeCore::burst(bool write, std::uint32_t address, std::uint32_t* data, unsigned words) {
  const FirmwareGuard::Outside outside(guard_);
  if (words == 0 || words > FW_BURST_WORDS)
    fail(fmt::format("burst of {} words at address {:#x}; allowed: 1 to {}", words, address, FW_BURST_WORDS));
  access(write, address, data, words * sizeof *data);
  if (write && counts_as_progress(address)) idle_accesses_ = 0;
}

// ---- Sleep

void NativeCore::enable_wakeup() { enabled_ = bit_of(Interrupt::kTimer) | bit_of(Interrupt::kExternal); }

bool NativeCore::timer_expired() const { return (lines_.visible(now()) & bit_of(Interrupt::kTimer)) != 0; }

bool NativeCore::can_wake() const {
  const auto holds = [](const std::function<bool()>& condition) { return !condition || condition(); };
  return ((enabled_ & bit_of(Interrupt::kTimer)) != 0 && holds(surroundings_.timer_armed)) ||
         ((enabled_ & bit_of(Interrupt::kExternal)) != 0 && holds(surroundings_.external_enabled));
}

bool NativeCore::rests() const {
  if (halted_) return true;
  return asleep_ && (lines_.levels() & enabled_) == 0 && surroundings_.timer_armed &&
         !surroundings_.timer_armed();
}

void NativeCore::sleep() {
  const FirmwareGuard::Outside outside(guard_);
  if ((lines_.visible(now()) & enabled_) != 0) return;
  idle_accesses_ = 0;
  asleep_since_ = now();
  asleep_ = true;
  while ((lines_.levels() & enabled_) == 0) {
    if (!can_wake() && surroundings_.work_pending && surroundings_.work_pending())
      fail("asleep for ever: no interrupt is enabled that could come, while work is pending");
    wait(interrupt_ | work_);
  }
  wait(sc_core::SC_ZERO_TIME);  // others may be about to raise their interrupts at this instant
  lines_.show(now());
  asleep_ = false;
  slept_ += now() - asleep_since_;
}

void NativeCore::set_interrupt(Interrupt line, bool level) {
  lines_.set(static_cast<unsigned>(line), level, now());
  if (level && asleep_ && (enabled_ & bit_of(line)) != 0) interrupt_.notify();
}

// ---- Messages

void NativeCore::report(const std::string& what) {
  DeviceFault fault;
  fault.what = fmt::format("firmware (native, policy {}): {}", policy_name_, what);
  fault.detail = describe_surroundings();
  surroundings_.faults->raise(std::move(fault));
}

void NativeCore::halt(std::uint32_t code) {
  report(gave_up(code));
  halted_ = true;
}

void NativeCore::fail(const std::string& what) {
  report(what);
  stop_for_ever();
}

void NativeCore::stop_for_ever() {
  halted_ = true;
  throw Stopped{};
}

std::string NativeCore::describe() const {
  return fmt::format("firmware (native, policy {}) {}", policy_name_,
                     halted_   ? "has stopped"
                     : asleep_ ? "sleeps"
                               : "executes");
}

void NativeCore::stats(StatVisitor& v) const {
  const std::uint64_t until = now();
  const std::uint64_t asleep = slept_ + (asleep_ ? until - asleep_since_ : 0);
  NativeCoreStats stats;
  stats.sleeping = until == 0 ? 0.0 : static_cast<double>(asleep) / static_cast<double>(until);
  stats.device_accesses = bus.accesses();
  stats.stats(v);
}

void NativeCoreStats::stats(StatVisitor& v) const {
  v.value("sleeping", sleeping, "share", "Share of time spent in wfi.");
  v.value("device_accesses", device_accesses, "accesses", "Loads and stores outside local memory.");
}

}  // namespace warpvp

extern "C" {

std::uint32_t hal_read32(std::uint32_t address) { return warpvp::NativeCore::running().load(address); }
void hal_write32(std::uint32_t address, std::uint32_t value) {
  warpvp::NativeCore::running().store(address, value);
}
void hal_read_burst(std::uint32_t address, std::uint32_t* to, unsigned words) {
  warpvp::NativeCore::running().burst(false, address, to, words);
}
void hal_write_burst(std::uint32_t address, const std::uint32_t* from, unsigned words) {
  warpvp::NativeCore::running().burst(true, address, const_cast<std::uint32_t*>(from), words);
}
void hal_enable_wakeup(void) { warpvp::NativeCore::running().enable_wakeup(); }
void hal_sleep(void) { warpvp::NativeCore::running().sleep(); }
bool hal_timer_expired(void) { return warpvp::NativeCore::running().timer_expired(); }
// The write does not return: the core is told to halt and stops.
void hal_halt(fw_halt code) {
  for (;;) hal_write32(SYSCTL_HALT, code);
}
}
