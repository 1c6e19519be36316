#pragma once
// A control path with a runtime on it, and modules without any PTX.

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "sw/runtime/runtime_impl.h"
#include "tests/control/rig.h"
#include "tests/control/scripted_ptx.h"

namespace warpvp::test {

inline ptx::KernelFacts add_kernel() {
  ptx::KernelFacts k;
  k.name = "add";
  k.file = "a.ptx";
  k.code_bytes = 160;
  k.parameters = {{"add_param_0", ".u64", 0, 8}, {"add_param_1", ".u32", 8, 4}};
  k.parameter_bytes = 12;
  k.registers_per_thread = 20;
  k.static_shared_bytes = 1024;
  k.barriers = 1;
  return k;
}

struct Machine : ControlPath {
  explicit Machine(sc_core::sc_module_name name, const Options& options = {}) : ControlPath(name, options) {
    ScriptedModule module;
    module.kernels = {add_kernel(), add_kernel(), add_kernel()};
    module.kernels[1].name = "limited";
    module.kernels[1].max_threads = 64;
    module.kernels[2].name = "exact";
    module.kernels[2].required_block[0] = 32;
    module.kernels[2].required_block[1] = 2;
    module.kernels[2].required_block[2] = 1;
    ScriptedVariable zeroed, table, texture;
    zeroed.variable.name = "counter";
    zeroed.variable.bytes = 16;
    table.variable.name = "table";
    table.variable.bytes = 4;
    table.value = {1, 2, 3, 4};
    texture.variable.name = "image";
    texture.variable.is_texture = true;
    texture.variable.bytes = texture.variable.alignment = ptx::kTextureBytes;
    module.variables = {zeroed, table, texture};
    scripted_modules()["a.ptx"] = module;
    services = std::make_unique<rt::RuntimeServices>(
        rt::RuntimeServices{faults, launches, jobs, options.resources, options.sms, options.processor.queues,
                            config, &scripted_loader()});
  }
  void program(std::function<void(rt::Runtime&)> body) {
    run([this, body](HostInterface& host) {
      services->config = config;
      rt::RuntimeImpl runtime(host, *services);
      body(runtime);
    });
  }
  /// The record of a launch by its name in the directory.
  const KernelRecord& record(const std::string& launch) {
    for (const KernelRecord& r : distributor.records())
      if (launches.launches()[r.launch_id].name == launch) return r;
    throw std::runtime_error("no launch " + launch);
  }
  rt::LaunchDirectory launches;
  rt::JobDirectory jobs;
  rt::RuntimeConfig config;
  std::unique_ptr<rt::RuntimeServices> services;
};

inline rt::LaunchOptions named(const std::string& name) {
  rt::LaunchOptions o;
  o.name = name;
  return o;
}

}  // namespace warpvp::test
