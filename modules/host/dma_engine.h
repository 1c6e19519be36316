#pragma once
// The face of a DMA engine: it moves bytes between host memory and device memory, within device memory, or
// fills device memory. Types register themselves (registry kind "dma_engine") and are chosen by `dma.type` in
// YAML.
//
//   register bus -> registers   one copy, window of regmap::dma
//   bus -> register bus         a CopyDone record to the command processor when the copy has ended
//   link -> PCIe link           host memory
//   memory -> crossbar          device memory

#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "base/stats.h"
#include "interconnect/address_spaces.h"
#include "interconnect/device_memory.h"
#include "interconnect/register_block.h"
#include "interconnect/register_map.h"

namespace warpvp {

struct DmaStats {
  std::uint64_t copies = 0, bytes = 0, failed = 0;
  double busy_us = 0;
  std::uint64_t memory_reads = 0, memory_writes = 0;  ///< requests sent to the crossbar
  std::uint64_t memory_read_bytes = 0, memory_written_bytes = 0;
  /// Of types with an engine for each direction that all channels share.
  double to_device_busy_us = 0, to_host_busy_us = 0, on_device_busy_us = 0;
  std::uint64_t bursts = 0, switches = 0, overtakings = 0;
  void stats(StatVisitor& v) const;
};

enum class CopyDirection : std::uint8_t { kToDevice, kToHost, kOnDevice };

/// A copy or a fill.
struct CopyRecord {
  unsigned engine = 0;
  std::uint64_t source = 0, destination = 0;  ///< of the register map: host bus or device memory
  std::uint64_t bytes = 0;
  bool fill = false;    ///< no source
  bool failed = false;  ///< at its end
  sc_core::sc_time begun;
  int priority = 0;
  CopyDirection direction() const {
    if (!fill && regmap::is_host_bus(source)) return CopyDirection::kToDevice;
    return regmap::is_host_bus(destination) ? CopyDirection::kToHost : CopyDirection::kOnDevice;
  }
};

/// An engine that several channels share has bursts under way without a break, so many until now.
struct EngineStretch {
  CopyDirection direction = CopyDirection::kOnDevice;
  sc_core::sc_time since;
  std::uint64_t bursts = 0;
};

/// Tells the command processor that a copy has ended. A device fault if the record is refused, as nobody
/// would ever learn of it.
void report_copy_done(tlm::tlm_initiator_socket<>& bus, regmap::cp::CopyDone done, FaultSink& faults);

/// Told about copies, for timelines, at the time of the event.
class CopyObserver {
 public:
  virtual ~CopyObserver() = default;
  virtual void copy_begin(const CopyRecord&) {}
  virtual void copy_end(const CopyRecord&) {}
  /// A more urgent copy takes the engine that the copy's channel shares; and the copy's next burst comes.
  virtual void copy_overtaken(const CopyRecord&) {}
  virtual void copy_goes_on(const CopyRecord&) {}
  virtual void engine_works(const EngineStretch&) {}
  virtual void engine_rests(const EngineStretch&) {}
};

class DmaEngine : public sc_core::sc_module {
 public:
  explicit DmaEngine(sc_core::sc_module_name name) : sc_module(name) {}
  /// nullptr: nobody. It outlives the engine or is taken back.
  void set_observer(CopyObserver* observer) { observer_ = observer; }
  virtual tlm::tlm_target_socket<>& registers_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& bus_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& link_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& memory_socket() = 0;
  virtual const RegisterBlock& register_block() const = 0;
  virtual DmaStats statistics() const = 0;
  /// Grows with what copies do, and cheap: whether anything happens is asked often.
  virtual std::uint64_t activity() const {
    const DmaStats stats = statistics();
    return stats.copies + stats.bytes + stats.failed;
  }
  virtual bool busy() const = 0;
  /// How far the copy under way is; empty when there is none. For messages about hangs.
  virtual std::string describe() const = 0;

 protected:
  /// For types to tell of a copy that begins, and that has ended.
  void tell_begin(const CopyRecord& copy) {
    if (observer_) observer_->copy_begin(copy);
  }
  void tell_end(const CopyRecord& copy) {
    if (observer_) observer_->copy_end(copy);
  }
  CopyObserver* observer() const { return observer_; }

 private:
  CopyObserver* observer_ = nullptr;
};

/// Where an engine stands. What is referred to outlives it.
struct DmaPlace {
  unsigned index = 0;
  DeviceMemory& memory;
  FaultSink& faults;
  std::uint32_t line_bytes = 128;  ///< longest request to device memory; none may cross a multiple of it
  const AddressSpaces* spaces = nullptr;  ///< nullptr: no translation
};

/// A configured type of DMA engine, made by the registry from YAML; builds each engine.
class DmaEngineType {
 public:
  static constexpr const char* kKind = "dma_engine";
  virtual ~DmaEngineType() = default;
  virtual std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const = 0;
};

}  // namespace warpvp
