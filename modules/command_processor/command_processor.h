#pragma once
// The command processor: hardware queues, and either a fixed hardware sequencer or a core with firmware that
// decides which queue's packet starts next.
//
// Its face is the same either way: registers on the register bus (queues, doorbells, completion mailboxes),
// accesses to the register bus and to device memory, posted writes to host memory over PCIe.

#include <functional>
#include <memory>
#include <string>

#include "base/fault.h"
#include "base/stats.h"
#include "interconnect/register_bus.h"
#include "interconnect/register_directory.h"
#include "modules/command_processor/config.h"
#include "modules/command_processor/core/core_types.h"
#include "modules/command_processor/devices/performance_counters.h"
#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

class DecisionLog;
class FirmwareMachine;
class HardwareSequencer;

class CommandProcessor : public sc_core::sc_module {
  QueueController queues_;

 public:
  /// `slots`: kernel status registers of the work distributor; `dma_engines`: copies that can run at once.
  /// `print` takes what the firmware's console shows (`console: terminal`). `make_core` overrides
  /// config.type. Throws InputError for files that cannot be read or written.
  CommandProcessor(sc_core::sc_module_name name, const CommandProcessorConfig& config, unsigned slots,
                   unsigned dma_engines, ClockDomain& domain, FaultSink& faults,
                   std::function<void(const std::string&)> print = {}, const CoreFactory& make_core = {});
  ~CommandProcessor() override;

  tlm_utils::simple_target_socket<QueueController>& registers;  ///< window of regmap::cp
  tlm_utils::simple_initiator_socket<QueueController>& bus;     ///< distributor and DMA registers
  InitiatorPort& memory;                                        ///< device memory, with values
  InitiatorPort& host;                                          ///< posted writes to host memory

  /// Binds all of it to the register bus, except `memory` and `host`.
  void connect(RegisterBus& bus);
  /// Where firmware's performance counters come from; ignored without firmware.
  void connect(PerformanceCounter counter, std::function<std::uint64_t()> read);
  void add_observer(QueueObserver& observer) { queues_.add_observer(observer); }

  const QueueStats& statistics() const { return queues_.statistics(); }
  /// statistics(), and those of the core.
  void stats(StatVisitor& v) const;
  const QueueController& queues() const { return queues_; }
  /// The core that runs the firmware; nullptr: type `hardware`.
  FirmwareCore* core();
  /// Names of registers; holds the command processor's own, others are added by whoever has them.
  RegisterDirectory& directory() { return directory_; }
  /// One line for each queue that is not empty or has stopped, and where the firmware is. For messages about
  /// hangs.
  std::string describe() const;

 private:
  void send_to_console(char byte);
  void flush_console();
  void end_of_simulation() override { flush_console(); }

  RegisterDirectory directory_;
  std::unique_ptr<DecisionLog> decisions_;
  std::function<void(const std::string&)> print_;
  std::string console_line_;
  std::unique_ptr<HardwareSequencer> hardware_;
  std::unique_ptr<FirmwareMachine> firmware_;
};

}  // namespace warpvp
