#pragma once
// The face of the command processor: it reads packets out of queues in device memory and starts what they ask
// for. Types register themselves (registry kind "command_processor") and are chosen by
// `command_processor.type` in YAML.
//
//   register bus -> registers   queues, doorbells, completion mailboxes: window of regmap::cp
//   bus -> register bus         kernels to the work distributor, copies to the DMA engines
//   memory -> memory hub        rings, packets, signals, with values
//   host -> PCIe link           posted writes to host memory

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "base/stats.h"
#include "interconnect/clock_domain.h"
#include "interconnect/register_bus.h"
#include "interconnect/register_directory.h"
#include "interconnect/register_map.h"
#include "modules/command_processor/device_facts.h"
#include "modules/command_processor/devices/performance_counter.h"
#include "modules/command_processor/queues/queue_observer.h"
#include "modules/command_processor/queues/queue_stats.h"

namespace warpvp {

class FirmwareCore;
struct ParsedPacket;

/// Looks at what queues ask for, where packets come from outside.
class PacketGate {
 public:
  virtual ~PacketGate() = default;
  /// A packet that was read from a queue and is in order. It may be changed, but for its type; what is
  /// returned stops the queue, unless it is kNone.
  virtual regmap::cp::QueueError admit(unsigned queue, ParsedPacket& packet) = 0;
  /// admit() gives kernels the numbers of their launches. False: those that have none are counted.
  virtual bool numbers_launches() const = 0;
  /// Carries out a kLoad packet, when its turn has come.
  struct LoadCommand {
    std::uint64_t text = 0, bytes = 0, record = 0;  ///< device addresses
    unsigned context = 0;
  };
  virtual void load(unsigned queue, const LoadCommand& command) = 0;
  /// The value of a signal of the queue may be posted to that bus address.
  virtual bool may_post(unsigned queue, std::uint64_t bus_address) = 0;
};

class CommandProcessor : public sc_core::sc_module {
 public:
  explicit CommandProcessor(sc_core::sc_module_name name) : sc_module(name) {}

  /// Binds its registers, and whatever reads and writes those of others, to the register bus.
  virtual void connect(RegisterBus& bus) = 0;
  virtual tlm::tlm_initiator_socket<>& memory_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& host_socket() = 0;
  /// Where firmware's performance counters come from; ignored without firmware.
  virtual void connect(PerformanceCounter counter, std::function<std::uint64_t()> read) {}
  /// Packets are looked at by `gate`, which outlives the command processor. A type that reads no packets
  /// needs none.
  virtual void set_gate(PacketGate& /*gate*/) {}
  /// It outlives the command processor.
  virtual void add_observer(QueueObserver& observer) = 0;

  virtual const QueueStats& statistics() const = 0;
  /// statistics(), and what else the type counts.
  virtual void stats(StatVisitor& v) const { statistics().stats(v); }
  /// When the doorbell of a launch's packet was rung; nullptr: not yet, or not known.
  virtual const sc_core::sc_time* doorbell_of_launch(std::uint32_t launch) const { return nullptr; }
  /// The core that runs firmware; nullptr: there is none.
  virtual FirmwareCore* core() { return nullptr; }
  /// All that was announced is complete and reported, whatever firmware does meanwhile. A type that cannot
  /// tell says so always.
  virtual bool at_rest() const { return true; }
  /// Names of registers, for messages; whoever has registers adds them.
  RegisterDirectory& directory() { return directory_; }
  /// One line for each queue that is not empty or has stopped, and where the firmware is. For messages about
  /// hangs.
  virtual std::string describe() const = 0;

 private:
  RegisterDirectory directory_;
};

/// Where a command processor stands. What is referred to outlives it.
struct CommandProcessorPlace {
  ClockDomain& clock;
  FaultSink& faults;
  unsigned queues = 128;
  unsigned slots = 32;                                 ///< kernel status registers of the work distributor
  unsigned dma_engines = 2;                            ///< copies that can run at once
  std::function<void(const std::string&)> print = {};  ///< takes what a firmware's console shows
  std::filesystem::path folder = {};                   ///< in which files that a run writes belong
  DeviceFacts device = {};                             ///< for firmware
};

/// A configured type of command processor, made by the registry from YAML.
class CommandProcessorType {
 public:
  static constexpr const char* kKind = "command_processor";
  virtual ~CommandProcessorType() = default;
  /// Visits what `CommandProcessor::stats` of this type may visit, with any values: for the reference of all
  /// statistics.
  virtual void visit_stats(StatVisitor& v) const { QueueStats().stats(v); }
  /// Throws InputError for files that cannot be read or written.
  virtual std::unique_ptr<CommandProcessor> build(const char* name,
                                                  const CommandProcessorPlace& place) const = 0;
};

}  // namespace warpvp
