#include "modules/command_processor/devices/system_control.h"

#include "interconnect/device_memory.h"

namespace warpvp {

namespace sysctl = regmap::sysctl;

SystemControl::SystemControl(sc_core::sc_module_name name, const Facts& facts)
    : Device(name, "System control", sysctl::kBytes, "The machine around the core, and its apertures.") {
  const auto ro = RegisterAccess::kReadOnly;
  block_.add({"QUEUES", sysctl::kQueues, 4, 1, 0, ro, facts.queues, "Hardware queues."});
  block_.add({"SLOTS", sysctl::kSlots, 4, 1, 0, ro, facts.slots, "Kernel status registers."});
  block_.add({"ENGINES", sysctl::kEngines, 4, 1, 0, ro, facts.engines, "DMA engines."});
  block_.add({"CLOCK_KHZ", sysctl::kClockKhz, 4, 1, 0, ro, facts.clock_khz, "Clock of the core."});
  block_.add({"SIGNAL_POLL_NS", sysctl::kSignalPollNs, 4, 1, 0, ro, facts.signal_poll_ns,
              "How often to look at the signals of waiting barrier packets; 0: only when told (event 4)."});
  block_.add({"HALT",
              sysctl::kHalt,
              4,
              1,
              0,
              RegisterAccess::kWriteOnly,
              0,
              "The firmware gives up with this code: a device fault, which ends the simulation.",
              {},
              [this](unsigned, std::uint64_t value) {
                if (on_halt) on_halt(static_cast<std::uint32_t>(value));
              }});
  block_.add({"MSIP",
              sysctl::kSoftware,
              4,
              1,
              0,
              RegisterAccess::kReadWrite,
              0,
              "Bit 0: the core's software interrupt.",
              {},
              [this](unsigned, std::uint64_t value) {
                if (on_software) on_software((value & 1) != 0);
              }});
  const RegisterBlock::Id id = block_.add(in_halves({"APERTURE",
                                                     sysctl::kApertures,
                                                     8,
                                                     sysctl::kApertureCount,
                                                     8,
                                                     RegisterAccess::kReadWrite,
                                                     DeviceMemory::kBase,
                                                     "Bus address that the core sees at 0xc000'0000 + n * "
                                                     "0x1000'0000. At reset device memory, its first GiB in "
                                                     "all.",
                                                     {},
                                                     [this](unsigned i, std::uint64_t value) {
                                                       if (on_aperture) on_aperture(i, value);
                                                     }}));
  for (unsigned i = 0; i < sysctl::kApertureCount; ++i)
    block_.set(id, DeviceMemory::kBase + std::uint64_t{i} * regmap::core::kApertureBytes, i);
  block_.add({"PARAMETER", sysctl::kParameters, 4, sysctl::kParameterCount, 4, ro, 0,
              "Numbers for the policy (command_processor.parameters).",
              [parameters = facts.parameters](unsigned i) { return std::uint64_t{parameters[i]}; }});
  block_.add({"PERIOD_NS", sysctl::kPeriodNs, 4, 1, 0, ro, facts.period_ns,
              "Period of policies that work by the clock (command_processor.period_us)."});
  block_.add({"AGEING_NS", sysctl::kAgeingNs, 4, 1, 0, ro, facts.ageing_ns,
              "Time of waiting that is worth a priority of 1 (command_processor.ageing_us); 0: none is."});
  late_ticks_ = block_.add({"LATE_TICKS", sysctl::kLateTicks, 4, 1, 0, RegisterAccess::kReadWrite, 0,
                            "Periods that passed without the policy's tick, which firmware counts here."});
  block_.add({"ASSISTED", sysctl::kAssisted, 4, 1, 0, ro, facts.assisted ? 1u : 0u,
              "1: hardware starts packets in the order of RANK (type assisted)."});
  const DeviceFacts& device = facts.device;
  block_.add({"SM_CLOCK_KHZ", sysctl::kSmClockKhz, 4, 1, 0, ro, device.sm_clock_khz, "Clock of the SMs."});
  block_.add({"CREDIT_CYCLES", sysctl::kCreditCycles, 4, 1, 0, ro, device.credit_cycles,
              "SM cycles in which a kernel has its quota of requests (MISS_QUEUE_QUOTA of the SMs); 0: their "
              "miss queues know none."});
  block_.add(
      {"LINE_BYTES", sysctl::kLineBytes, 4, 1, 0, ro, device.line_bytes, "Bytes of a line of the L2."});
  block_.add({"REPLY_HEADER_BYTES", sysctl::kReplyHeaderBytes, 4, 1, 0, ro, device.reply_header_bytes,
              "Bytes that a reply on the network has beside the line."});
  block_.add(
      in_halves({"NETWORK_RATE", sysctl::kNetworkRate, 8, 1, 0, ro, device.network_rate,
                 "Bytes a second that the network from the L2 to the SMs can sustain (sustainable_bandwidth "
                 "of the platform); 0: not limited."}));
  block_.add(in_halves({"DRAM_RATE", sysctl::kDramRate, 8, 1, 0, ro, device.dram_rate,
                        "Bytes a second that DRAM can sustain (likewise); 0: not limited."}));
  block_.add({"REPORT", sysctl::kReport, 4, sysctl::kReportCount, 4, RegisterAccess::kReadWrite, 0,
              "Whatever the firmware's policy wants to tell; at the end result.json has it.",
              [this](unsigned i) { return i < reported_.size() ? std::uint64_t{reported_[i]} : 0; },
              [this](unsigned i, std::uint64_t value) {
                if (reported_.size() <= i) reported_.resize(i + 1);
                reported_[i] = static_cast<std::uint32_t>(value);
              }});
}

}  // namespace warpvp
