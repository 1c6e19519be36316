#pragma once
// Runs native firmware so that whatever it does ends with a sentence, not with the process: a crash (an
// invalid access, a division by zero, a full stack, abort), a loop without an access to the platform, and
// exit are caught and leave the firmware where it stands.
//
// Signals are caught on a stack of their own, and only while firmware code runs: what the platform does
// within an access is as it would be without the guard. Builds with sanitizers leave crashes to the
// sanitizer.

#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>

struct fw_policy;

namespace warpvp {

class FirmwareGuard {
 public:
  /// `stack_bytes`: of the thread that calls run(). `block_limit`: basic blocks that the firmware may enter
  /// between two accesses to the platform; 0: no limit.
  FirmwareGuard(std::size_t stack_bytes, std::uint64_t block_limit);
  ~FirmwareGuard();
  FirmwareGuard(const FirmwareGuard&) = delete;
  FirmwareGuard& operator=(const FirmwareGuard&) = delete;

  /// Runs the firmware, a loop with its policy, to its end. Returns what ended it; empty: it returned. Exceptions thrown by what it
  /// calls pass through. Once in a process at a time.
  std::string run(void (*loop)(const fw_policy*), const fw_policy* policy);

  /// While it lives the firmware has called the platform.
  class Outside {
   public:
    explicit Outside(FirmwareGuard& guard) : guard_(guard) { guard_.leave(); }
    ~Outside() { guard_.enter(); }
    Outside(const Outside&) = delete;
    Outside& operator=(const Outside&) = delete;

   private:
    FirmwareGuard& guard_;
  };

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static constexpr std::size_t kSignalStackBytes = 64 * 1024;

  static void on_signal(int signal, siginfo_t* info, void* context);
  static void on_stop(int why, int status);
  void enter();
  void leave() { inside_ = 0; }
  void catch_signals();
  void release_signals();
  [[noreturn]] void jump_out();
  std::string describe() const;

  const std::size_t stack_bytes_;
  const std::uint64_t block_limit_;
  std::unique_ptr<unsigned char[]> signal_stack_;
  stack_t stack_before_{};
  struct sigaction before_[sizeof kSignals / sizeof kSignals[0]]{};
  sigjmp_buf start_;
  const char* stack_top_ = nullptr;
  volatile std::sig_atomic_t inside_ = 0;  // firmware code runs
  // What ended it.
  int signal_ = 0;  // 0: it stopped by itself
  const void* address_ = nullptr;
  int stop_ = 0, status_ = 0;
};

}  // namespace warpvp
