#include "platform/run/firmware_debugger.h"

#include <fmt/format.h>

#include <cstring>

#include "interconnect/register_map.h"
#include "modules/command_processor/core/firmware_core.h"
#include "platform/build/platform.h"

namespace warpvp {

namespace {

namespace cp = regmap::cp;
namespace wd = regmap::wd;

FirmwareCore& core_to_debug(Platform& platform) {
  FirmwareCore* core = platform.command_processor().core();
  if (core == nullptr || core->debug_target() == nullptr)
    throw InputError(fmt::format(
        "--gdb needs a core whose instructions can be stopped, and platform.command_processor.type is "
        "'{}'; allowed: riscv",
        platform.config().command_processor.type.name));
  return *core;
}

/// Registers as a debugger reads them: no time passes, nothing happens.
class DebugReader {
 public:
  explicit DebugReader(CoreBus& bus) : bus_(bus) {}
  std::uint32_t u32(std::uint64_t address) {
    std::uint32_t value = 0;
    bus_.debug(false, static_cast<std::uint32_t>(address), &value, sizeof value);
    return value;
  }
  std::uint64_t u64(std::uint64_t address) { return u32(address) | std::uint64_t{u32(address + 4)} << 32; }

 private:
  CoreBus& bus_;
};

}  // namespace

std::string queue_table(CoreBus& bus) {
  static constexpr const char* kStates[] = {"off", "empty", "active", "head waits", "stopped"};
  DebugReader registers(bus);
  std::string rows;
  const std::uint32_t queues = registers.u32(cp::kBase + cp::kQueueCount);
  for (unsigned q = 0; q < queues; ++q) {
    const std::uint64_t base = cp::queue(q);
    const std::uint32_t state = registers.u32(base + cp::kState);
    if (state == static_cast<std::uint32_t>(cp::QueueState::kOff)) continue;
    const auto error = static_cast<cp::QueueError>(registers.u32(base + cp::kError));
    rows += fmt::format("{:>5}  {:<10}  {:>8}  {:>7}  {:>8}  {:>8}  {:>9}  {}\n", q, kStates[state],
                        static_cast<std::int32_t>(registers.u32(base + cp::kPriority)),
                        registers.u32(base + cp::kContext), registers.u64(base + cp::kReadIndex),
                        registers.u64(base + cp::kWriteIndex), registers.u32(base + cp::kInFlight),
                        error == cp::QueueError::kNone
                            ? std::string()
                            : fmt::format("packet {}: {}", registers.u64(base + cp::kErrorIndex),
                                          cp::queue_error_text(error)));
  }
  if (rows.empty()) return fmt::format("none of the {} queues is mapped\n", queues);
  return fmt::format("{:>5}  {:<10}  {:>8}  {:>7}  {:>8}  {:>8}  {:>9}  {}\n", "queue", "state", "priority",
                     "context", "read", "write", "in flight", "error") +
         rows;
}

std::string distributor_table(CoreBus& bus) {
  static constexpr const char* kStatus[] = {"free", "running", "never fits", "dimensions", "busy"};
  DebugReader registers(bus);
  const auto read = [&](std::uint64_t offset) { return registers.u32(wd::kBase + offset); };
  std::string text = fmt::format("CTAS_ISSUED {}\n", registers.u64(wd::kBase + wd::kCtasIssued));
  std::string rows;
  for (unsigned s = 0; s < read(wd::kSlotCount); ++s) {
    const std::uint64_t base = wd::slot(s);
    wd::KernelSlotImage image;
    for (unsigned at = 0; at < sizeof image; at += 4) {
      const std::uint32_t word = registers.u32(base + at);
      std::memcpy(reinterpret_cast<unsigned char*>(&image) + at, &word, sizeof word);
    }
    const std::uint32_t status = registers.u32(base + wd::kSlotStatus);
    if (status == static_cast<std::uint32_t>(wd::SlotStatus::kFree)) continue;
    rows +=
        fmt::format("{:>4}  {:<10}  {:>6}  {:>6}  {:>8}  {:>4}  {:>12}  {:>12}  {:>6}  {:>6}\n", s,
                    kStatus[status], image.launch_id, image.stream, image.priority, image.job,
                    image.deadline_ns, fmt::format("{}x{}x{}", image.grid[0], image.grid[1], image.grid[2]),
                    registers.u64(base + wd::kSlotIssued), registers.u64(base + wd::kSlotDone));
  }
  if (rows.empty())
    text += "all kernel status registers are free\n";
  else
    text += fmt::format("{:>4}  {:<10}  {:>6}  {:>6}  {:>8}  {:>4}  {:>12}  {:>12}  {:>6}  {:>6}\n", "slot",
                        "status", "launch", "stream", "priority", "job", "deadline ns", "grid", "issued",
                        "done") +
            rows;
  text += fmt::format("{:>4}  {:>9}  {:>12}  {:>10}  {:>14}  {:>11}  {:>12}\n", "SM", "free CTAs",
                      "free threads", "free warps", "free registers", "free shared", "running CTAs");
  for (unsigned sm = 0; sm < read(wd::kSmCount); ++sm) {
    const std::uint64_t offset = wd::kSms + sm * wd::kSmStride;
    text += fmt::format("{:>4}  {:>9}  {:>12}  {:>10}  {:>14}  {:>11}  {:>12}\n", sm,
                        read(offset + wd::kFreeCtas), read(offset + wd::kFreeThreads),
                        read(offset + wd::kFreeWarps), read(offset + wd::kFreeRegisters),
                        read(offset + wd::kFreeShared), read(offset + wd::kRunningCtas));
  }
  return text;
}

FirmwareDebugger::FirmwareDebugger(Simulation& simulation, const DebugRequest& request,
                                   const std::atomic<bool>* interrupted)
    : server_(*core_to_debug(simulation.platform()).debug_target(), [&] {
        FirmwareCore& core = core_to_debug(simulation.platform());
        GdbServerOptions options;
        options.port = request.port;
        options.wait = request.wait;
        options.interrupted = interrupted;
        options.kill = [this, &simulation] {
          killed_ = true;
          simulation.stop();
        };
        options.monitor = {
            {"queues", "State of every mapped queue.", [&core] { return queue_table(core.bus); }},
            {"distributor", "Kernel and SM status registers of the work distributor.",
             [&core] { return distributor_table(core.bus); }},
            {"reset", "Starts the firmware anew at its entry point; queues and devices stay as they are.",
             [&core]() -> std::string {
               return core.debug_target()->reset() ? "the core is at its entry point\n"
                                                   : "the core has stopped\n";
             }},
            {"time", "Simulated time, and the SMs' clock.",
             [&simulation] {
               return fmt::format("{:.3f} us, SM cycle {}\n", simulation.now().to_seconds() * 1e6,
                                  simulation.cycle());
             }},
        };
        return options;
      }()) {
  core_to_debug(simulation.platform()).attach(&server_);
  simulation.attach_client(*this);
}

}  // namespace warpvp
