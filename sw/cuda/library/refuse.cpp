#include "sw/cuda/library/refuse.h"

#include <cstdio>
#include <mutex>
#include <set>
#include <string>

#include "sw/cuda/library/program.h"

namespace warpvp::cuda {

void tell_refused(const char* function) {
  static auto* const mutex = new std::mutex;
  static auto* const said = new std::set<std::string>;
  const std::lock_guard<std::mutex> lock(*mutex);
  if (said->insert(function).second) {
    fflush(stdout);
    fprintf(stderr, "warpvp: %s is not offered (docs/cuda.md has what is)\n", function);
  }
}

cudaError_t refuse(const char* function) {
  tell_refused(function);
  return done(kNotSupported);
}

}  // namespace warpvp::cuda
