#pragma once
// What programs of the time of CUDA 2 take from the header `cutil.h` of its SDK, which newer ones lack: for
// the programs of tools/cuda-suites.toml that include it.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CUDA_SAFE_CALL_NO_SYNC(call)                                                           \
  do {                                                                                         \
    const cudaError_t e_ = (call);                                                             \
    if (e_ != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      std::exit(EXIT_FAILURE);                                                                 \
    }                                                                                          \
  } while (0)
#define CUDA_SAFE_CALL(call) CUDA_SAFE_CALL_NO_SYNC(call)
#define CUT_SAFE_CALL(call)                                                   \
  do {                                                                        \
    if (!(call)) {                                                            \
      std::fprintf(stderr, "%s:%d: cutil call failed\n", __FILE__, __LINE__); \
      std::exit(EXIT_FAILURE);                                                \
    }                                                                         \
  } while (0)
#define CUT_CHECK_ERROR(text)                        \
  do {                                               \
    CUDA_SAFE_CALL_NO_SYNC(cudaGetLastError());      \
    CUDA_SAFE_CALL_NO_SYNC(cudaDeviceSynchronize()); \
  } while (0)
#define CUT_DEVICE_INIT(...) CUDA_SAFE_CALL_NO_SYNC(cudaSetDevice(0))
#define CUT_EXIT(...) std::exit(EXIT_SUCCESS)
#define CUT_BANK_CHECKER(array, index) array[index]

enum CUTBoolean { CUTFalse, CUTTrue };

struct CutTimer {
  double ms = 0;
  unsigned runs = 0;
  std::chrono::steady_clock::time_point began;
};
inline std::vector<CutTimer>& cut_timers() {
  static std::vector<CutTimer> timers;
  return timers;
}
inline CUTBoolean cutCreateTimer(unsigned* timer) {
  *timer = static_cast<unsigned>(cut_timers().size());
  cut_timers().emplace_back();
  return CUTTrue;
}
inline CUTBoolean cutDeleteTimer(unsigned) { return CUTTrue; }
inline CUTBoolean cutResetTimer(unsigned timer) {
  cut_timers()[timer] = {};
  return CUTTrue;
}
inline CUTBoolean cutStartTimer(unsigned timer) {
  cut_timers()[timer].began = std::chrono::steady_clock::now();
  return CUTTrue;
}
inline CUTBoolean cutStopTimer(unsigned timer) {
  CutTimer& t = cut_timers()[timer];
  t.ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - t.began).count();
  ++t.runs;
  return CUTTrue;
}
inline float cutGetTimerValue(unsigned timer) { return static_cast<float>(cut_timers()[timer].ms); }
inline float cutGetAverageTimerValue(unsigned timer) {
  const CutTimer& t = cut_timers()[timer];
  return static_cast<float>(t.runs ? t.ms / t.runs : 0);
}
inline CUTBoolean cutCheckCmdLineFlag(int argc, const char** argv, const char* flag) {
  for (int i = 1; i < argc; ++i)
    if (std::string("--") + flag == argv[i] || std::string("-") + flag == argv[i]) return CUTTrue;
  return CUTFalse;
}
inline CUTBoolean cutGetCmdLineArgumenti(int argc, const char** argv, const char* name, int* value) {
  const std::string start = std::string(name) + "=";
  for (int i = 1; i < argc; ++i) {
    const char* const word = argv[i] + std::strspn(argv[i], "-");
    if (start.compare(0, start.size(), word, std::min(start.size(), std::strlen(word))) != 0) continue;
    *value = std::atoi(word + start.size());
    return CUTTrue;
  }
  return CUTFalse;
}
inline CUTBoolean cutCompareub(const unsigned char* reference, const unsigned char* data, unsigned length) {
  return std::memcmp(reference, data, length) == 0 ? CUTTrue : CUTFalse;
}
