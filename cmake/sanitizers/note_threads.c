// Preloaded into a test and the programs that it starts: writes a byte to the file WARPVP_THREADS where a thread begins
// that computes. One that begins with all signals blocked only watches for the end of the program (base/end_guard.cpp).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

typedef int (*Create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  const char* const file = getenv("WARPVP_THREADS");
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, NULL, &blocked);
  const int watches = sigismember(&blocked, SIGTERM) && sigismember(&blocked, SIGPROF) && sigismember(&blocked, SIGUSR2);
  if (file != NULL && !watches) {
    const int out = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (out < 0 || write(out, "t", 1) != 1) abort();
    close(out);
  }
  return ((Create)dlsym(RTLD_NEXT, "pthread_create"))(thread, attributes, run, argument);
}
