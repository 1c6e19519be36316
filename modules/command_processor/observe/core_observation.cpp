#include "modules/command_processor/observe/core_observation.h"

#include <fmt/format.h>

#include <fstream>

#include "base/error.h"

namespace warpvp {

namespace {

[[noreturn]] void cannot_write(const char* field, const std::string& file) {
  throw InputError(
      fmt::format("command_processor.core.{}: '{}' cannot be written; allowed: a file in a folder "
                  "that can be written",
                  field, file));
}

}  // namespace

CoreObservation::CoreObservation(const CoreObservationConfig& config, const riscv::ElfImage& image,
                                 std::uint32_t local_base, std::uint32_t local_bytes, std::uint64_t period_fs)
    : config_(config) {
  if (config.checks) checks_ = std::make_unique<riscv::MemoryChecks>(image, local_base, local_bytes);
  if (!config.trace.empty()) {
    trace_ = std::make_unique<riscv::InstructionTrace>(config.trace, image);
    if (!trace_->good()) cannot_write("trace", config.trace);
  }
  if (!config.profile.empty()) {
    profile_ = std::make_unique<riscv::FunctionProfile>(image, period_fs);
    if (!std::ofstream(config.profile))
      cannot_write("profile", config.profile);  // before the run, not after it
  }
}

void CoreObservation::finish(std::uint64_t end_fs) {
  if (trace_ && !trace_->finish()) cannot_write("trace", config_.trace);
  if (!profile_) return;
  std::ofstream file(config_.profile);
  file << riscv::profile_text(*profile_, end_fs);
  file.close();
  if (!file) cannot_write("profile", config_.profile);
}

std::optional<StackUse> CoreObservation::stack() const {
  if (!checks_) return {};
  return StackUse{checks_->stack_bytes(), checks_->stack_high_water().value_or(0)};
}

void StackUse::stats(StatVisitor& v) const {
  v.value("stack_bytes", bytes, "bytes",
          "Size of the firmware's stack; 0: the firmware does not say (__stack_limit, __stack_top).");
  v.value("stack_high_water", high_water, "bytes", "Most of the firmware's stack in use at any time.");
}

}  // namespace warpvp
