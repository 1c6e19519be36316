#pragma once
// What this program was built from, and how.

#include <string>

namespace warpvp {

struct BuildInfo {
  std::string version;     ///< of warpvp
  std::string commit;      ///< of the source tree, in hexadecimal; "unknown" outside of a git checkout
  bool modified = false;   ///< the tree's files differed from that commit
  std::string build_type;  ///< CMake's, with sanitizers: "Release", "RelWithDebInfo, address"
  std::string compiler;    ///< "GNU 12.2.0"
  std::string systemc;     ///< "2.3.4"
};

/// The commit is read from warpvp.commit beside the program, which the build writes
/// (cmake/write_commit.cmake), or from commit.txt beside the data of an installation.
BuildInfo build_info();

}  // namespace warpvp
