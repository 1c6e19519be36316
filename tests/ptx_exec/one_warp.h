#pragma once
// One warp of a CTA, which a test has step or run.

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {

struct OneWarp {
  static constexpr std::size_t kBytes = 16384;

  /// Warp 0 of a CTA of `entry`, whose one argument is `out`, kBytes of zeros in the module's memory.
  OneWarp(PtxModule& module, const std::string& entry, bool defer, unsigned threads = kWarpSize)
      : program(module.entry(entry)), module_(module), threads_(threads) {
    module.memory().heap_bytes = 1 << 16;
    env.global = &module.memory();
    env.fault = &fault;
    env.print = [this](const std::string& s, unsigned) { printed += s; };
    env.defer_effects = defer;
    out = module.buffer(std::vector<std::uint8_t>(kBytes));
    start(0);
  }
  /// Warp `index` of a new CTA.
  void start(unsigned index) {
    std::uint8_t arguments[sizeof out];
    std::memcpy(arguments, &out, sizeof out);
    cta.start(*program, env, {1, 1, 1}, {threads_, 1, 1}, {0, 0, 0}, 0, 0, 1, arguments);
    warp.launch(cta, index);
  }
  std::vector<std::uint8_t> memory() { return module_.read<std::uint8_t>(out, kBytes); }

  ExecEnv env;
  ExecFault fault;
  std::string printed;
  std::uint64_t out = 0;
  std::shared_ptr<Program> program;
  Cta cta;
  Warp warp;

 private:
  PtxModule& module_;
  unsigned threads_;
};

}  // namespace warpvp::ptx::testing
