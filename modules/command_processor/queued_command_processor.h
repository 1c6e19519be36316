#pragma once
// `command_processor.type: hardware, riscv, native`: hardware queues, and either a fixed hardware sequencer
// or a core with firmware that decides which queue's packet starts next.
//
// Its face is the same either way: registers on the register bus (queues, doorbells, completion mailboxes),
// accesses to the register bus and to device memory, posted writes to host memory over PCIe.

#include <functional>
#include <memory>
#include <string>

#include "base/outlook.h"
#include "modules/command_processor/command_processor.h"
#include "modules/command_processor/config.h"
#include "modules/command_processor/core_types.h"
#include "modules/command_processor/queues/queue_controller.h"

namespace warpvp {

class DecisionLog;
class FirmwareMachine;
class HardwareSequencer;

class QueuedCommandProcessor : public CommandProcessor, public Foreseeing {
  QueueController queues_;

 public:
  /// `slots`: kernel status registers of the work distributor; `dma_engines`: copies that can run at once.
  /// `print` takes what the firmware's console shows (`console: terminal`). `make_core` overrides
  /// config.type. Throws InputError for files that cannot be read or written.
  QueuedCommandProcessor(sc_core::sc_module_name name, const CommandProcessorConfig& config, unsigned slots,
                         unsigned dma_engines, ClockDomain& domain, FaultSink& faults,
                         std::function<void(const std::string&)> print = {},
                         const CoreFactory& make_core = {}, const DeviceFacts& device = {});
  ~QueuedCommandProcessor() override;

  tlm_utils::simple_target_socket<QueueController>& registers;  ///< window of regmap::cp
  tlm_utils::simple_initiator_socket<QueueController>& bus;     ///< distributor and DMA registers
  InitiatorPort& memory;                                        ///< device memory, with values
  InitiatorPort& host;                                          ///< posted writes to host memory

  void connect(RegisterBus& bus) override;
  tlm::tlm_initiator_socket<>& memory_socket() override { return memory.socket; }
  tlm::tlm_initiator_socket<>& host_socket() override { return host.socket; }
  void connect(PerformanceCounter counter, std::function<std::uint64_t()> read) override;
  void add_observer(QueueObserver& observer) override { queues_.add_observer(observer); }
  const QueueStats& statistics() const override { return queues_.statistics(); }
  void stats(StatVisitor& v) const override;
  const sc_core::sc_time* doorbell_of_launch(std::uint32_t launch) const override {
    return queues_.doorbell_of_launch(launch);
  }
  FirmwareCore* core() override;
  std::string describe() const override;
  Outlook outlook() const override;
  bool at_rest() const override;
  void set_gate(PacketGate& gate) override { queues_.set_gate(gate); }
  const QueueController& queues() const { return queues_; }

 private:
  void send_to_console(char byte);
  void flush_console();
  void end_of_simulation() override { flush_console(); }

  std::unique_ptr<DecisionLog> decisions_;
  std::function<void(const std::string&)> print_;
  std::string console_line_;
  std::unique_ptr<HardwareSequencer> hardware_;
  std::unique_ptr<FirmwareMachine> firmware_;
};

}  // namespace warpvp
