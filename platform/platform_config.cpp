#include "platform/platform_config.h"

#include <fmt/format.h>

#include "modules/dram/memory_channel.h"

namespace warpvp {

void PlatformConfig::fields(FieldVisitor& v) {
  v.field("sms", sms, "", "Streaming multiprocessors.", Constraint::range(1, regmap::wd::kMaxSms));
  v.field("sm_clock_mhz", sm_clock_mhz, "MHz", "Clock of SMs, work distributor and command processor.",
          Constraint::range(1, 100000));
  v.field("check_protocol", check_protocol,
          "Put a TLM-2.0 base-protocol checker on every link; the first violation ends the run.");
  v.group("sm", sm, "Each streaming multiprocessor.");
  v.group("work_distributor", work_distributor, "Kernel slots and CTA dispatch.");
  v.group("command_processor", command_processor, "Queues and packets.");
  v.group("crossbar", crossbar, "Network between SMs and L2.");
  v.group("address_map", address_map, "L2 banks and memory channels.");
  v.group("l2", l2, "Each L2 bank.");
  v.policy("dram", MemoryChannelType::kKind, dram, "What stands behind the L2 banks.");
  v.group("memory", memory, "Device memory.");
  v.group("host", host, "Host CPU.");
  v.group("pcie", pcie, "Link between host and device.");
  v.group("dma", dma, "Copy engines.");
  v.group("hub", hub, "How host and command processor reach device memory.");
  v.group("runtime", runtime, "Host API library.");
  v.group("register_bus", register_bus, "Control registers' bus.");

  // Relations between blocks. A request must fit a line of what it is sent to.
  const auto fits = [&](std::uint32_t line, const char* whose) {
    v.require(line <= l2.line_bytes, "l2.line_bytes",
              fmt::format("{} is less than the {} bytes of {}: requests would not fit a line", l2.line_bytes,
                          line, whose));
  };
  if (sm.memory.model != "isolated") {
    if (sm.memory.l1.size_kib != 0) fits(sm.memory.l1.line_bytes, "sm.memory.l1.line_bytes");
    fits(sm.memory.instruction.line_bytes, "sm.memory.instruction_cache.line_bytes");
    fits(sm.memory.constant.line_bytes, "sm.memory.constant_cache.line_bytes");
  }
  v.require(address_map.channels == 0 || address_map.banks / address_map.channels <= 64, "address_map.banks",
            fmt::format("{} banks on {} channels; allowed: at most 64 L2 banks a channel", address_map.banks,
                        address_map.channels));
}

}  // namespace warpvp
