#include "ptx/image/ptx_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/registry.h"
#include "ptx/demangle.h"
#include "ptx/image/image_writer.h"
#include "ptx/module.h"

namespace warpvp::ptx {
namespace {

class PtxModule : public LoadableModule {
 public:
  PtxModule(std::string file, std::unique_ptr<Module> module)
      : file_(std::move(file)), module_(std::move(module)) {
    for (const GlobalVariable& v : module_->globals())
      variables_.push_back({v.name, v.bytes, v.alignment, v.is_texture, !v.initial.empty(), v.is_managed});
  }

  const std::vector<ModuleVariable>& variables() const override { return variables_; }
  const ModuleVariable& variable(const std::string& name) const override;
  void place(const std::function<std::uint64_t(const ModuleVariable&)>& address_of,
             const std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)>& write) override {
    std::size_t next = 0;  // Module::place asks in order
    module_->place([&](const GlobalVariable&) { return address_of(variables_[next++]); }, write);
  }
  KernelFacts kernel(const std::string& name) const override;
  std::vector<std::uint8_t> image(const std::string& name, std::uint64_t code_address) override {
    Program& program = *module_->entry(name);
    program.code_address = code_address;
    return image::write_image(program);
  }

 private:
  std::string file_;
  std::unique_ptr<Module> module_;
  std::vector<ModuleVariable> variables_;
};

const ModuleVariable& PtxModule::variable(const std::string& name) const {
  std::vector<std::string> names;
  for (const ModuleVariable& v : variables_) {
    if (v.name == name) return v;
    names.push_back(v.name);
  }
  std::sort(names.begin(), names.end());
  const auto refusal = module_->refused_variables().find(name);
  if (refusal != module_->refused_variables().end()) throw InputError(refusal->second);
  const std::vector<std::string> meant = names_meant(names, name);
  if (meant.size() == 1) return variable(meant[0]);
  if (meant.size() > 1)
    throw InputError(fmt::format("{}: '{}' names {} variables; say which: {}", file_, name, meant.size(),
                                 join_names(meant)));
  const std::string near = nearest_name(name, names);
  throw InputError(fmt::format("{}: no variable '{}'; it has: {}{}", file_, name,
                               names.empty() ? "none" : join_names(names),
                               near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

KernelFacts PtxModule::kernel(const std::string& name) const {
  const Program& p = *module_->entry(name);
  KernelFacts facts;
  facts.name = p.name;
  facts.file = p.file;
  for (const Param& param : p.params)
    facts.parameters.push_back({param.name, param.type, param.offset, param.bytes});
  facts.parameter_bytes = p.param_bytes;
  facts.registers_per_thread = p.registers_per_thread;
  facts.static_shared_bytes = p.static_shared_bytes;
  facts.barriers = p.barriers;
  facts.local_bytes_per_thread = p.depot_bytes;
  facts.max_threads = p.max_threads;
  for (int k = 0; k < 3; ++k) facts.required_block[k] = p.required_block[k];
  facts.code_bytes = p.code.size() * std::uint64_t{Program::kInstBytes};
  facts.uses_heap = p.uses_heap;
  return facts;
}

class PtxLoader : public ModuleLoader {
 public:
  explicit PtxLoader(const CodeOptions& options) : options_(options) {}
  std::unique_ptr<LoadableModule> load(const std::string& path) const override {
    return std::make_unique<PtxModule>(path, Module::load(path, options_));
  }
  std::unique_ptr<LoadableModule> parse(const std::string& name, const std::string& text) const override {
    return std::make_unique<PtxModule>(name, Module::parse(text, name, options_));
  }

 private:
  CodeOptions options_;
};

}  // namespace

std::unique_ptr<ModuleLoader> make_ptx_loader(const CodeOptions& options) {
  return std::make_unique<PtxLoader>(options);
}

}  // namespace warpvp::ptx
