#include "modules/command_processor/native/firmware_guard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "base/sanitizers.h"
#include "sw/firmware/include/native.h"
#include "sw/firmware/native/guard.h"

namespace warpvp {

namespace {

FirmwareGuard* the_guard = nullptr;

const char* signal_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV, an invalid access";
    case SIGBUS:
      return "SIGBUS, an invalid access";
    case SIGFPE:
      return "SIGFPE, a division by zero or an overflow";
    case SIGILL:
      return "SIGILL, an illegal instruction";
    case SIGABRT:
      return "SIGABRT, abort or a failed assertion";
  }
  return "a signal";
}

}  // namespace

FirmwareGuard::FirmwareGuard(std::size_t stack_bytes, std::uint64_t block_limit)
    : stack_bytes_(stack_bytes), block_limit_(block_limit) {}

FirmwareGuard::~FirmwareGuard() {
  if (the_guard == this) release_signals();
}

void FirmwareGuard::enter() {
  fw_native_blocks_left = block_limit_ != 0 ? block_limit_ : std::numeric_limits<std::uint64_t>::max();
  inside_ = 1;
}

std::string FirmwareGuard::run(void (*loop)(const fw_policy*), const fw_policy* policy) {
  char here = 0;
  stack_top_ = &here;
  catch_signals();
  // Nothing between this frame and what jumps out of the firmware has a destructor: it is all C.
  if (sigsetjmp(start_, 1) != 0) {
    leave();
    release_signals();
    return describe();
  }
  try {
    enter();
    loop(policy);
  } catch (...) {
    leave();
    release_signals();
    throw;
  }
  leave();
  release_signals();
  return {};
}

void FirmwareGuard::catch_signals() {
  the_guard = this;
  fw_native_stopped = [](fw_native_stop why, int status) { on_stop(why, status); };
#if !WARPVP_HAS_ASAN && !WARPVP_HAS_TSAN  // crashes are the sanitizer's
  signal_stack_ = std::make_unique<unsigned char[]>(kSignalStackBytes);
  stack_t stack{};
  stack.ss_sp = signal_stack_.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, &stack_before_);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &before_[i]);
#endif
}

void FirmwareGuard::release_signals() {
  the_guard = nullptr;
  fw_native_stopped = nullptr;
  if (!signal_stack_) return;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
  signal_stack_.reset();
}

void FirmwareGuard::on_signal(int signal, siginfo_t* info, void*) {
  FirmwareGuard* const guard = the_guard;
  // A crash says where it happened; abort sends the signal to its own process.
  const bool ours = info->si_code > 0 || (signal == SIGABRT && info->si_pid == getpid());
  if (guard != nullptr && guard->inside_ != 0 && ours) {
    guard->signal_ = signal;
    guard->address_ = info->si_addr;
    guard->jump_out();
  }
  // Not the firmware's: goes on as if nobody had asked for it.
  for (std::size_t i = 0; guard != nullptr && i < std::size(kSignals); ++i)
    if (kSignals[i] == signal) sigaction(signal, &guard->before_[i], nullptr);
  if (info->si_code <= 0) raise(signal);
}

void FirmwareGuard::on_stop(int why, int status) {
  FirmwareGuard* const guard = the_guard;
  if (guard == nullptr || guard->inside_ == 0) return;
  guard->signal_ = 0;
  guard->stop_ = why;
  guard->status_ = status;
  guard->jump_out();
}

void FirmwareGuard::jump_out() {
  inside_ = 0;
  siglongjmp(start_, 1);
}

std::string FirmwareGuard::describe() const {
  if (signal_ == 0 && stop_ == FW_NATIVE_LOOPS)
    return fmt::format(
        "no progress: more than {} basic blocks without an access to a device or sleep (core.native_limit)",
        block_limit_);
  if (signal_ == 0)
    return status_ < 0 ? "it called abort" : fmt::format("it called exit with status {}", status_);
  if (signal_ == SIGABRT) return fmt::format("crashed: {}", signal_name(signal_));
  // The lowest page of a stack is never to be touched; a large frame may reach beyond it.
  const auto* fault = static_cast<const char*>(address_);
  const auto below = static_cast<std::size_t>(stack_top_ - fault);
  const bool overflow = signal_ == SIGSEGV && fault < stack_top_ && below + 16 * 1024 > stack_bytes_ &&
                        below < stack_bytes_ + 64 * 1024;
  return fmt::format("crashed: {} at address {:#x}{}", signal_name(signal_),
                     reinterpret_cast<std::uintptr_t>(address_),
                     overflow ? fmt::format(", beyond its stack of {} KiB", stack_bytes_ / 1024) : "");
}

}  // namespace warpvp
