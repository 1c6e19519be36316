// Completes what the sanitizers are told of SystemC's coroutines.
//
// SC_THREADs run on stacks of their own (QuickThreads), and a sanitizer has to be told of each switch.
// SystemC 2.3.4 tells AddressSanitizer when a thread yields, but not when one ends, and never where the main
// stack lies. After that an exception leaves stale marks that ASan reports as errors, and the leak check
// fails on its way through the stack. ThreadSanitizer is told nothing, and mixes up call stacks. The kernel
// library is prebuilt, so this library, linked before it, stands in for the functions of its coroutine
// package that switch; each makes the announcement that is missing. Built only when WARPVP_SANITIZE is set.
// Later SystemC versions (3.0) have other internals and tell ASan all it needs themselves.
#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#define WARPVP_YIELD "_ZN7sc_core13sc_cor_pkg_qt5yieldEPNS_6sc_corE"
#define WARPVP_ABORT "_ZN7sc_core13sc_cor_pkg_qt5abortEPNS_6sc_corE"

namespace {

template <class Function>
Function real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "systemc_fibers: no %s in the SystemC library\n", name);
    std::abort();
  }
  return reinterpret_cast<Function>(found);
}

using Switch = void (*)(void* package, void* next);

}  // namespace

extern "C" void warpvp_yield(void* package, void* next) __asm__(WARPVP_YIELD);
extern "C" void warpvp_abort(void* package, void* next) __asm__(WARPVP_ABORT);

#if WARPVP_FIBERS_OF_TSAN  // and not instrumented: the stack of calls that TSan keeps belongs to the fiber

#include <sanitizer/tsan_interface.h>

#include <unordered_map>

namespace {

// Coroutines are known by their address; the first one left is the main thread's.
void* fiber_of(void* coroutine) {
  static auto* const known = new std::unordered_map<void*, void*>;
  void*& fiber = (*known)[coroutine];
  if (fiber == nullptr) fiber = __tsan_create_fiber(0);
  return fiber;
}

void* const main_fiber = __tsan_get_current_fiber();
void* main_coroutine = nullptr;

void announce(void* package, void* next) {
  if (main_coroutine == nullptr) {
    using GetMain = void* (*)(void*);
    static const auto get_main = real<GetMain>("_ZN7sc_core13sc_cor_pkg_qt8get_mainEv");
    main_coroutine = get_main(package);
  }
  __tsan_switch_to_fiber(next == main_coroutine ? main_fiber : fiber_of(next), 0);
}

}  // namespace

void warpvp_yield(void* package, void* next) {
  static const auto yield = real<Switch>(WARPVP_YIELD);
  announce(package, next);
  yield(package, next);
}

void warpvp_abort(void* package, void* next) {
  static const auto abort_to = real<Switch>(WARPVP_ABORT);
  announce(package, next);
  abort_to(package, next);
}

#else

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

namespace {

// sc_cor_qt as seen from outside. The main thread's has no stack.
struct Coroutine {
  void* vtable;
  std::size_t stack_bytes;
  void* stack;
  void* stack_pointer;
};

struct MainStack {
  void* bottom = nullptr;
  std::size_t bytes = 0;
  MainStack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    pthread_attr_getstack(&attributes, &bottom, &bytes);
    pthread_attr_destroy(&attributes);
  }
};
const MainStack main_stack;

void leave_for(const Coroutine& next) {
  __sanitizer_start_switch_fiber(nullptr, next.stack ? next.stack : main_stack.bottom,
                                 next.stack ? next.stack_bytes : main_stack.bytes);
}

Coroutine* entered = nullptr;

void arrive() { __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr); }

}  // namespace

void warpvp_yield(void* package, void* next) {
  static const auto yield = real<Switch>(WARPVP_YIELD);
  entered = static_cast<Coroutine*>(next);
  yield(package, next);
}

void warpvp_abort(void* package, void* next) {
  static const auto abort_to = real<Switch>(WARPVP_ABORT);
  leave_for(*static_cast<Coroutine*>(next));
  abort_to(package, next);
}

// The kernel calls the next two on the stack entered.
extern "C" void* sc_cor_qt_aborthelp(void*, void*, void*) {
  arrive();
  return nullptr;
}

extern "C" void* sc_cor_qt_yieldhelp(void* stack_pointer, void* left, void*) {
  static_cast<Coroutine*>(left)->stack_pointer = stack_pointer;
  arrive();
  if (entered->stack == nullptr) {  // announced by the kernel as a stack of no bytes: put that right
    leave_for(*entered);
    arrive();
  }
  return nullptr;
}

#endif
