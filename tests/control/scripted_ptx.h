#pragma once
// A stand-in for the PTX library in tests of the runtime, so that they test the control path alone: "loading"
// a path yields the module that the test has registered under it. Defines the members of ptx::Module;
// programs that include it do not link the PTX library.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ptx/program.h"

namespace warpvp::test {

struct ScriptedModule {
  std::vector<ptx::GlobalVariable> globals;
  std::vector<ptx::Program> programs;
};
/// What ptx::Module::load finds, by path, and ptx::Module::parse, by text.
std::map<std::string, ScriptedModule>& scripted_modules();

inline ptx::Param param(const std::string& name, const std::string& type, unsigned offset, unsigned bytes) {
  ptx::Param p;
  p.name = name;
  p.type = type;
  p.offset = offset;
  p.bytes = bytes;
  p.alignment = bytes;
  return p;
}

}  // namespace warpvp::test
