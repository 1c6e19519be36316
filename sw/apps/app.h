#pragma once
// A host program: a class registered under a name that YAML uses (`workload: {app: vector_add, params:
// {...}}`). It declares its parameters like every configured part, runs on the HostCpu's thread, and checks
// its results against a CPU computation of its own.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "base/registry.h"
#include "sw/runtime/runtime.h"

namespace warpvp::apps {

/// What an app is given besides the device.
struct AppContext {
  std::uint64_t seed = 1;
  std::string kernel_folder;  ///< where the shipped PTX lies, with a trailing slash
  /// A number of result.json as it stands now, by its key; nothing where there is none (yet). For what
  /// measures a part of a run: it takes no simulated time, and no device has it. Empty where nobody keeps a
  /// result.
  std::function<std::optional<double>(const std::string& key)> statistic = {};
};

/// Outcome of the check against the CPU reference.
struct AppResult {
  bool verified = false;
  /// When it differs: first difference, "c[17] = 3, expected 4 (12 of 1024 differ)". Otherwise empty, or what a
  /// microbenchmark measured: "31.50 cycles a step (8064 cycles, 256 steps)".
  std::string message;
  bool checked = true;  ///< false: there was nothing to compare with
  /// What it measured, name and number, for result.json.
  std::vector<std::pair<std::string, double>> measured = {};
};

class App {
 public:
  static constexpr const char* kKind = "app";
  virtual ~App() = default;
  virtual AppResult run(rt::Runtime& device, const AppContext& context) = 0;
  /// As a process it is told of a fault of its own (ContextFault), even where no other one could go on.
  virtual bool handles_faults() const { return false; }
  /// Files whose content decides what it does: a result is good as long as they stay as they are.
  virtual std::vector<std::string> files() const { return {}; }
};

}  // namespace warpvp::apps
