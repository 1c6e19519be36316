#pragma once
// The part of the command processor that runs firmware: a core, the devices around it, and its port to the
// queues.

#include <functional>
#include <memory>
#include <string>

#include "base/fault.h"
#include "interconnect/register_bus.h"
#include "interconnect/register_directory.h"
#include "modules/command_processor/config.h"
#include "modules/command_processor/core_types.h"
#include "modules/command_processor/devices/host_mailbox.h"
#include "modules/command_processor/devices/interrupt_controller.h"
#include "modules/command_processor/devices/performance_counters.h"
#include "modules/command_processor/devices/system_control.h"
#include "modules/command_processor/devices/timer.h"
#include "modules/command_processor/devices/uart.h"
#include "modules/command_processor/hardware/assisted_sequencer.h"
#include "modules/command_processor/queues/scheduler_port.h"

namespace warpvp {

class FirmwareMachine : public sc_core::sc_module {
 public:
  /// `send`: takes what the firmware writes to its console. `directory` names registers in messages and gets
  /// the machine's own; it outlives the machine.
  FirmwareMachine(sc_core::sc_module_name name, const CommandProcessorConfig& config, QueueController& queues,
                  const CoreFactory& make_core, FaultSink& faults, RegisterDirectory& directory,
                  std::function<void(char)> send, const DeviceFacts& device);

  /// Puts the devices on the bus, and the core behind it.
  void connect(RegisterBus& bus);
  FirmwareCore& core() { return *core_; }
  const FirmwareCore& core() const { return *core_; }
  PerformanceCounters& counters() { return counters_; }
  /// What decides which packet starts next.
  Sequencer& sequencer();
  std::uint32_t late_ticks() const { return control_.late_ticks(); }
  const std::vector<std::uint32_t>& reported() const { return control_.reported(); }

 private:
  void wire();

  QueueController& queues_;
  SchedulerPort port_;
  std::unique_ptr<AssistedSequencer> assisted_;  // type assisted
  Uart uart_;
  Timer timer_;
  InterruptController interrupts_;
  HostMailbox mailbox_;
  PerformanceCounters counters_;
  SystemControl control_;
  std::unique_ptr<FirmwareCore> core_;
};

}  // namespace warpvp
