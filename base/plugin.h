#pragma once
// The mark of a plugin: a shared library whose parts register themselves when the program loads it. The mark
// says what the plugin was built against; the program reads it from the file before it loads anything.
//
// warpvp_add_plugin (find_package(warpvp)) puts the mark into a plugin by itself. Whoever builds otherwise
// writes WARPVP_PLUGIN once, in one source file, compiled as all others of the plugin are.

#include <fmt/core.h>
#include <sysc/kernel/sc_ver.h>

#include "base/abi_version.h"
#include "base/sanitizers.h"

// Containers of the checking library have another layout.
#ifdef _GLIBCXX_DEBUG
#define WARPVP_ABI_CONTAINERS "checked"
#else
#define WARPVP_ABI_CONTAINERS "plain"
#endif

#define WARPVP_ABI_DIGITS(x) #x
#define WARPVP_ABI_NUMBER(x) WARPVP_ABI_DIGITS(x)

/// What program and plugin must agree about: words "name=value" with blanks between. The C++ standard is not
/// among them: with one compiler ABI and one libstdc++ classes have the same layout in each.
#define WARPVP_ABI \
  "warpvp=" WARPVP_ABI_VERSION " headers=" WARPVP_ABI_HEADERS                                     \
  " compiler-abi=" WARPVP_ABI_NUMBER(__GXX_ABI_VERSION)                                           \
  " libstdc++=" WARPVP_ABI_NUMBER(_GLIBCXX_RELEASE) "." WARPVP_ABI_NUMBER(_GLIBCXX_USE_CXX11_ABI) \
  " containers=" WARPVP_ABI_CONTAINERS " systemc=" WARPVP_ABI_NUMBER(SC_VERSION_MAJOR) "."        \
  WARPVP_ABI_NUMBER(SC_VERSION_MINOR) "." WARPVP_ABI_NUMBER(SC_VERSION_PATCH)                     \
  " fmt=" WARPVP_ABI_NUMBER(FMT_VERSION) " sanitizer=" WARPVP_SANITIZER

/// The ELF section that holds the mark.
#define WARPVP_ABI_SECTION ".warpvp_abi"

#define WARPVP_PLUGIN                                                                 \
  extern "C" __attribute__((section(WARPVP_ABI_SECTION), used, visibility("hidden"))) \
  const char warpvp_plugin_mark[] = WARPVP_ABI
