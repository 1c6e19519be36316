#pragma once
// Which sanitizer this file is compiled for, however the compiler says so (GCC: a macro; clang: a feature).
//
// WARPVP_SANITIZER is its name, or "none"; WARPVP_HAS_ASAN and WARPVP_HAS_TSAN are 0 or 1.

#if defined(__SANITIZE_ADDRESS__)
#define WARPVP_HAS_ASAN 1
#elif defined(__SANITIZE_THREAD__)
#define WARPVP_HAS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WARPVP_HAS_ASAN 1
#elif __has_feature(thread_sanitizer)
#define WARPVP_HAS_TSAN 1
#endif
#endif

#ifndef WARPVP_HAS_ASAN
#define WARPVP_HAS_ASAN 0
#endif
#ifndef WARPVP_HAS_TSAN
#define WARPVP_HAS_TSAN 0
#endif

#if WARPVP_HAS_ASAN
#define WARPVP_SANITIZER "address"
#elif WARPVP_HAS_TSAN
#define WARPVP_SANITIZER "thread"
#else
#define WARPVP_SANITIZER "none"
#endif
