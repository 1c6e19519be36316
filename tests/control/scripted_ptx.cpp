#include "tests/control/scripted_ptx.h"

#include "base/error.h"

namespace warpvp::test {
namespace {

class Loaded : public ptx::LoadableModule {
 public:
  explicit Loaded(const ScriptedModule& module) : module_(module) {
    for (const ScriptedVariable& v : module.variables) {
      variables_.push_back(v.variable);
      variables_.back().has_value = !v.value.empty();
    }
  }
  const std::vector<ptx::ModuleVariable>& variables() const override { return variables_; }
  const ptx::ModuleVariable& variable(const std::string& name) const override {
    for (const ptx::ModuleVariable& v : variables_)
      if (v.name == name) return v;
    throw InputError("a.ptx: no variable '" + name + "'");
  }
  void place(const std::function<std::uint64_t(const ptx::ModuleVariable&)>& address_of,
             const std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)>& write) override {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      const std::uint64_t at = address_of(variables_[i]);
      if (variables_[i].has_value) write(at, module_.variables[i].value);
    }
  }
  ptx::KernelFacts kernel(const std::string& name) const override {
    for (const ptx::KernelFacts& k : module_.kernels)
      if (k.name == name) return k;
    throw InputError("no entry '" + name + "'");
  }
  std::vector<std::uint8_t> image(const std::string& name, std::uint64_t code_address) override {
    return scripted_image(name, code_address);
  }

 private:
  ScriptedModule module_;
  std::vector<ptx::ModuleVariable> variables_;
};

class Loader : public ptx::ModuleLoader {
 public:
  std::unique_ptr<ptx::LoadableModule> load(const std::string& path) const override {
    const auto it = scripted_modules().find(path);
    if (it == scripted_modules().end()) throw InputError(path + ": cannot be read");
    return std::make_unique<Loaded>(it->second);
  }
  /// Text that names a registered module stands for it.
  std::unique_ptr<ptx::LoadableModule> parse(const std::string& name,
                                             const std::string& text) const override {
    if (scripted_modules().count(text) == 0) throw InputError(name + ":1:1: not to be parsed");
    return load(text);
  }
};

}  // namespace

std::map<std::string, ScriptedModule>& scripted_modules() {
  static std::map<std::string, ScriptedModule> modules;
  return modules;
}

const ptx::ModuleLoader& scripted_loader() {
  static const Loader loader;
  return loader;
}

std::vector<std::uint8_t> scripted_image(const std::string& kernel, std::uint64_t code_address) {
  const std::string text = kernel + " at " + std::to_string(code_address);
  return {text.begin(), text.end()};
}

}  // namespace warpvp::test
