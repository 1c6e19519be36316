#pragma once
// What a user may have observed of the core, put together from the configuration.

#include <memory>
#include <optional>
#include <string>

#include "modules/command_processor/observe/config.h"
#include "modules/command_processor/observe/function_profile.h"
#include "modules/command_processor/observe/instruction_trace.h"
#include "modules/command_processor/observe/memory_checks.h"
#include "modules/command_processor/observe/stack_use.h"

namespace warpvp {

class CoreObservation {
 public:
  /// `image` must live as long. Throws InputError for a file that cannot be written.
  CoreObservation(const CoreObservationConfig& config, const riscv::ElfImage& image, std::uint32_t local_base,
                  std::uint32_t local_bytes, std::uint64_t period_fs);

  /// Calls `add` with each observer, in the order in which they shall be called.
  template <class Add>
  void for_each(Add add) {
    if (checks_) add(static_cast<riscv::InstructionObserver&>(*checks_));
    if (trace_) add(static_cast<riscv::InstructionObserver&>(*trace_));
    if (profile_) add(static_cast<riscv::InstructionObserver&>(*profile_));
  }

  /// Writes what is written at the end of a run; `end_fs`: simulated time. Throws InputError if that fails.
  void finish(std::uint64_t end_fs);
  /// With memory checks.
  std::optional<StackUse> stack() const;

 private:
  CoreObservationConfig config_;
  std::unique_ptr<riscv::MemoryChecks> checks_;
  std::unique_ptr<riscv::InstructionTrace> trace_;
  std::unique_ptr<riscv::FunctionProfile> profile_;
};

}  // namespace warpvp
