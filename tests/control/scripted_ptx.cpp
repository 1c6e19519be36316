#include "tests/control/scripted_ptx.h"

#include "base/error.h"
#include "ptx/module.h"

namespace warpvp::test {
std::map<std::string, ScriptedModule>& scripted_modules() {
  static std::map<std::string, ScriptedModule> modules;
  return modules;
}
}  // namespace warpvp::test

namespace warpvp::ptx {

std::unique_ptr<Module> Module::load(const std::string& path, const CodeOptions&) {
  const auto it = test::scripted_modules().find(path);
  if (it == test::scripted_modules().end()) throw InputError(path + ": cannot be read");
  auto module = std::make_unique<Module>();
  module->globals_ = it->second.globals;
  for (const Program& p : it->second.programs) module->programs_[p.name] = std::make_shared<Program>(p);
  return module;
}

/// Text that names a registered module stands for it.
std::unique_ptr<Module> Module::parse(const std::string& text, const std::string& file,
                                      const CodeOptions& options) {
  if (test::scripted_modules().count(text) == 0) throw InputError(file + ":1:1: not to be parsed");
  return load(text, options);
}

std::shared_ptr<Program> Module::entry(const std::string& name) const {
  const auto it = programs_.find(name);
  if (it == programs_.end()) throw InputError("no entry '" + name + "'");
  return it->second;
}

void Module::place(const std::function<std::uint64_t(const GlobalVariable&)>& address_of,
                   const std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)>& write) {
  for (const GlobalVariable& g : globals_) {
    const std::uint64_t at = address_of(g);
    if (!g.initial.empty()) write(at, g.initial);
  }
}

}  // namespace warpvp::ptx
