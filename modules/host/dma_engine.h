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
#include "interconnect/device_memory.h"
#include "interconnect/register_block.h"

namespace warpvp {

struct DmaStats {
  std::uint64_t copies = 0, bytes = 0, failed = 0;
  double busy_us = 0;
  std::uint64_t memory_reads = 0, memory_writes = 0;  ///< requests sent to the crossbar
  std::uint64_t memory_read_bytes = 0, memory_written_bytes = 0;
  void stats(StatVisitor& v) const;
};

class DmaEngine : public sc_core::sc_module {
 public:
  explicit DmaEngine(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_target_socket<>& registers_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& bus_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& link_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& memory_socket() = 0;
  virtual const RegisterBlock& register_block() const = 0;
  virtual DmaStats statistics() const = 0;
  virtual bool busy() const = 0;
  /// How far the copy under way is; empty when there is none. For messages about hangs.
  virtual std::string describe() const = 0;
};

/// Where an engine stands. What is referred to outlives it.
struct DmaPlace {
  unsigned index = 0;
  DeviceMemory& memory;
  FaultSink& faults;
  std::uint32_t line_bytes = 128;  ///< longest request to device memory; none may cross a multiple of it
};

/// A configured type of DMA engine, made by the registry from YAML; builds each engine.
class DmaEngineType {
 public:
  static constexpr const char* kKind = "dma_engine";
  virtual ~DmaEngineType() = default;
  virtual std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const = 0;
};

}  // namespace warpvp
