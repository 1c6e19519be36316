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

inline ptx::Program add_program() {
  ptx::Program p;
  p.name = "add";
  p.file = "a.ptx";
  p.code.resize(10);
  p.params = {param("add_param_0", ".u64", 0, 8), param("add_param_1", ".u32", 8, 4)};
  p.param_bytes = 12;
  p.registers_per_thread = 20;
  p.static_shared_bytes = 1024;
  p.barriers = 1;
  return p;
}

struct Machine : ControlPath {
  explicit Machine(sc_core::sc_module_name name, const Options& options = {}) : ControlPath(name, options) {
    ScriptedModule module;
    module.programs = {add_program(), add_program(), add_program()};
    module.programs[1].name = "limited";
    module.programs[1].max_threads = 64;
    module.programs[2].name = "exact";
    module.programs[2].required_block[0] = 32;
    module.programs[2].required_block[1] = 2;
    module.programs[2].required_block[2] = 1;
    ptx::GlobalVariable zeroed, table, texture;
    zeroed.name = "counter";
    zeroed.bytes = 16;
    table.name = "table";
    table.bytes = 4;
    table.initial = {1, 2, 3, 4};
    texture.name = "image";
    texture.is_texture = true;
    texture.bytes = texture.alignment = ptx::kTextureBytes;
    module.globals = {zeroed, table, texture};
    scripted_modules()["a.ptx"] = module;
    services = std::make_unique<rt::RuntimeServices>(rt::RuntimeServices{memory, kernels, faults, launches,
                                                                         jobs, options.resources, options.sms,
                                                                         options.processor.queues, config});
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
  ptx::KernelStore kernels;
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
