#include "modules/command_processor/config.h"

namespace warpvp {

void CommandProcessorConfig::fields(FieldVisitor& v) {
  v.field(
      "firmware", firmware,
      "Firmware of the cores: a name of sw/firmware/prebuilt, which is that of its policy, or an ELF file (a "
      "path with a slash, or a name that ends in .elf).");
  v.field("parsers", parsers, "", "Packets parsed at once, each from a queue of its own.",
          Constraint::range(1, 64));
  v.field("parse_ns", parse_ns, "ns", "Time to decode a packet, beyond reading it from memory.",
          Constraint::at_least(0));
  v.field(
      "parse_interval_ns", parse_interval_ns, "ns",
      "Parsers take up packets only at multiples of this time (LAX section 6.4: 2 us); 0: whenever they are "
      "free.",
      Constraint::at_least(0));
  v.field("dispatch_ns", dispatch_ns, "ns",
          "Type `hardware`: least time between two commands started. Firmware takes the time it takes.",
          Constraint::at_least(0));
  v.field(
      "signal_poll_ns", signal_poll_ns, "ns",
      "How often a waiting barrier packet looks at its signals for changes made by the host; 0: only when a "
      "packet completes or its queue's doorbell is rung again.",
      Constraint::at_least(0));
  v.field("decisions", decisions,
          "File that gets a line for each scheduling decision: forward, take, stop, complete; empty: none. "
          "Relative to the run's folder.");
  v.field("parameters", parameters, "", "Numbers for the firmware's policy; at most 8.");
  v.require(parameters.size() <= regmap::sysctl::kParameterCount, "parameters", "must be at most 8 numbers");
  v.field("period_us", period_us, "us",
          "Policies mlfq, srf, prema and lax: how often they look at all jobs anew (LAX section 6.2: 100 us).",
          Constraint::range(1, 1e6));
  v.field("ageing_us", ageing_us, "us",
          "Policy priority: a packet that has waited this long goes before those that are greater in priority by "
          "1 and have just come; 0: however long it waits, the greater goes first.",
          Constraint::range(0, 1e6));
  v.field("assisted_core", assisted_core,
          "Type `assisted`: what runs the firmware beside the hardware that starts packets.",
          Constraint::words({"riscv", "native"}));
  v.field(
      "console", console,
      "Where the firmware's console output goes: terminal, none, or a file (relative to the run's folder).");
  v.field("console_input", console_input, "File whose bytes the firmware's console receives; empty: none.");
  v.group("core", core, "The core that runs the firmware.");
}

}  // namespace warpvp
