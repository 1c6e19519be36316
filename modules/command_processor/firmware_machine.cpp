#include "modules/command_processor/firmware_machine.h"

#include <algorithm>
#include <cmath>

#include "base/input_file.h"

namespace warpvp {

namespace {

SystemControl::Facts facts_of(const CommandProcessorConfig& config, const QueueController& queues,
                              const DeviceFacts& device) {
  SystemControl::Facts facts;
  facts.device = device;
  facts.queues = queues.queue_count();
  facts.slots = queues.slots();
  facts.engines = queues.engines();
  facts.clock_khz = static_cast<std::uint32_t>(std::lround(config.core.clock_mhz * 1000));
  facts.signal_poll_ns = static_cast<std::uint32_t>(std::ceil(config.signal_poll_ns));
  facts.period_ns = static_cast<std::uint32_t>(std::lround(config.period_us * 1000));
  facts.ageing_ns = static_cast<std::uint32_t>(std::lround(config.ageing_us * 1000));
  facts.assisted = config.type == "assisted";
  std::copy(config.parameters.begin(), config.parameters.end(), facts.parameters.begin());
  return facts;
}

std::string console_input(const std::string& path) {
  if (path.empty()) return {};
  return read_input_file(path, input_limit::kConsole, "command_processor.console_input",
                         "name a file that exists");
}

}  // namespace

FirmwareMachine::FirmwareMachine(sc_core::sc_module_name name, const CommandProcessorConfig& config,
                                 QueueController& queues, const CoreFactory& make_core, FaultSink& faults,
                                 RegisterDirectory& directory, std::function<void(char)> send,
                                 const DeviceFacts& device)
    : sc_module(name),
      queues_(queues),
      port_("port", queues),
      uart_("uart", std::move(send), console_input(config.console_input)),
      timer_("timer"),
      interrupts_("interrupts"),
      mailbox_("mailbox",
               [this](std::uint64_t address, const regmap::mailbox::HostRecord& record) {
                 queues_.write_host(address, &record, sizeof record, queues_.domain().next_edge());
                 queues_.wake();
               }),
      counters_("counters"),
      control_("control", facts_of(config, queues, device)) {
  if (config.type == "assisted") {
    assisted_ = std::make_unique<AssistedSequencer>(config, queues, port_);
    port_.set_assistance(*assisted_);
  }
  directory.add("QUEUES", "QC", port_.register_block(), regmap::qc::kBase);
  directory.add("UART", "UART", uart_.register_block(), regmap::uart::kBase);
  directory.add("TIMER", "TIMER", timer_.register_block(), regmap::timer::kBase);
  directory.add("INTERRUPTS", "INTC", interrupts_.register_block(), regmap::intc::kBase);
  directory.add("MAILBOX", "MAILBOX", mailbox_.register_block(), regmap::mailbox::kBase);
  directory.add("COUNTERS", "PERF", counters_.register_block(), regmap::perf::kBase);
  directory.add("SYSTEM", "SYSCTL", control_.register_block(), regmap::sysctl::kBase);

  CoreSurroundings surroundings;
  surroundings.faults = &faults;
  surroundings.work_pending = [this] { return queues_.work_pending(); };
  surroundings.describe_queues = [this] { return queues_.describe(); };
  surroundings.external_enabled = [this] { return interrupts_.enabled(); };
  surroundings.timer_armed = [this] { return timer_.armed(); };
  core_ = make_core(config, std::move(surroundings));
  core_->bus.name_of = [&directory](std::uint64_t address) { return directory.name_of(address); };
  wire();
}

Sequencer& FirmwareMachine::sequencer() {
  if (assisted_) return *assisted_;
  return port_;
}

void FirmwareMachine::wire() {
  using Line = regmap::intc::Line;
  const auto latch = [this](Line line) { return [this, line] { interrupts_.raise(line); }; };
  port_.on_head = latch(Line::kHead);
  port_.on_event = latch(Line::kEvent);
  port_.on_doorbell = [this] { core_->work_arrived(); };
  mailbox_.on_word = latch(Line::kMailbox);
  uart_.on_receive = latch(Line::kUartRx);
  interrupts_.set_level(Line::kHead, [this] { return port_.head_level(); });
  interrupts_.set_level(Line::kEvent, [this] { return port_.event_level(); });
  interrupts_.set_level(Line::kMailbox, [this] { return mailbox_.has_word(); });
  interrupts_.set_level(Line::kUartRx, [this] { return uart_.has_input(); });
  interrupts_.on_level = [this](bool level) { core_->set_interrupt(Interrupt::kExternal, level); };
  timer_.on_level = [this](bool level) { core_->set_interrupt(Interrupt::kTimer, level); };
  control_.on_software = [this](bool level) { core_->set_interrupt(Interrupt::kSoftware, level); };
  control_.on_halt = [this](std::uint32_t code) { core_->halt(code); };
  control_.on_aperture = [this](unsigned i, std::uint64_t base) { core_->bus.set_aperture(i, base); };
}

void FirmwareMachine::connect(RegisterBus& bus) {
  const auto place = [&](const char* name, std::uint64_t base, std::uint64_t bytes, auto& socket) {
    bus.connect_target(name, base, bytes, socket);
  };
  place("scheduler_port", regmap::qc::kBase, regmap::qc::kBytes, port_.registers);
  place("uart", regmap::uart::kBase, regmap::uart::kBytes, uart_.registers);
  place("timer", regmap::timer::kBase, regmap::timer::kBytes, timer_.registers);
  place("interrupts", regmap::intc::kBase, regmap::intc::kBytes, interrupts_.registers);
  place("mailbox", regmap::mailbox::kBase, regmap::mailbox::kBytes, mailbox_.registers);
  place("counters", regmap::perf::kBase, regmap::perf::kBytes, counters_.registers);
  place("system_control", regmap::sysctl::kBase, regmap::sysctl::kBytes, control_.registers);
  bus.connect_initiator("core", core_->bus.socket);
}

}  // namespace warpvp
