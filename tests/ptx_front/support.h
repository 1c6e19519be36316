#pragma once
// Shared by the tests of the PTX front end.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "ptx/module.h"
#include "ptx/parser.h"

namespace warpvp::ptx {

inline const std::string kHeader = ".version 7.5\n.target sm_70\n.address_size 64\n";

/// One line of registers of every kind.
inline constexpr const char* kRegisters =
    ".reg .u32 %r<9>; .reg .u64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>; .reg .b16 "
    "%h<9>;\n";

/// A module of one kernel `k` whose body begins at line 6, column 1. It has a 64-bit parameter `p`.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return kHeader + before + ".visible .entry k(.param .u64 p)\n{\n" + body + "\n}\n";
}

/// A module with `declarations` from line 4 on, and a kernel that needs variable `name`.
inline std::string using_variable(const std::string& name, const std::string& declarations) {
  return kernel(".reg .u64 %rd; mov.u64 %rd, " + name + "; ret;", declarations + "\n");
}

inline ir::Module parse(const std::string& text) { return parse_module(text, "t.ptx"); }

/// The message of the InputError that parsing and lowering `text` throws, or that looking up its first
/// refused kernel does; empty if none.
inline std::string error_of(const std::string& text) {
  try {
    const std::unique_ptr<Module> module = Module::parse(text, "t.ptx");
    for (const auto& [name, reason] : module->refused()) module->entry(name);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Every PTX file checked in: the shipped kernels and those of these tests. Tests run in the repository root.
inline std::vector<std::filesystem::path> ptx_files() {
  std::vector<std::filesystem::path> files;
  for (const char* folder : {"sw/kernels", "tests/ptx_front/data"}) {
    if (!std::filesystem::exists(folder)) continue;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() == ".ptx") files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace warpvp::ptx
