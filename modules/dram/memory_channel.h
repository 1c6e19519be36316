#pragma once
// What stands behind the L2 banks of one memory channel. Types of channel register themselves (registry kind
// "dram_channel") and are chosen by name in YAML: a third party's memory is one file with a
// MemoryChannelType.

#include <memory>
#include <systemc>
#include <tlm>

#include "base/stats.h"
#include "interconnect/address_map.h"
#include "interconnect/clock_domain.h"
#include "interconnect/device_memory.h"
#include "interconnect/launch_counters.h"

namespace warpvp {

/// Traffic of one launch at one channel.
struct MemoryCounters {
  std::uint64_t reads = 0, writes = 0;  ///< transactions
  std::uint64_t read_bytes = 0, written_bytes = 0;

  MemoryCounters& operator+=(const MemoryCounters& o) {
    reads += o.reads;
    writes += o.writes;
    read_bytes += o.read_bytes;
    written_bytes += o.written_bytes;
    return *this;
  }
  void stats(StatVisitor& v) const {
    v.value("reads", reads, "requests", "Read transactions.");
    v.value("writes", writes, "requests", "Write transactions.");
    v.value("read_bytes", read_bytes, "bytes", "Bytes read.");
    v.value("written_bytes", written_bytes, "bytes", "Bytes written.");
    v.value("read_sectors", read_bytes / 32, "sectors", "Bytes read, in sectors of 32 bytes.");
    v.value("written_sectors", written_bytes / 32, "sectors", "Bytes written, in sectors of 32 bytes.");
  }
};

class MemoryChannel : public sc_core::sc_module {
 public:
  explicit MemoryChannel(sc_core::sc_module_name name) : sc_module(name) {}
  /// One socket for each L2 bank of the channel. Every socket answers nb_transport (addresses and sizes, no
  /// data), b_transport, transport_dbg and DMI (with data, from DeviceMemory).
  virtual tlm::tlm_target_socket<>& in(unsigned port) = 0;
  virtual const PerLaunch<MemoryCounters>& launches() const = 0;
  virtual void stats(StatVisitor& v) const = 0;
};

/// Where a channel stands. All references outlive it.
struct MemoryChannelPlace {
  ClockDomain& domain;  ///< a domain of the type's clock_mhz()
  DeviceMemory& memory;
  const AddressMap& map;
  unsigned channel = 0;
  unsigned ports = 1;  ///< L2 banks that share the channel
  std::uint64_t seed = 1;      ///< of everything random in the run
  unsigned kernel_slots = 32;  ///< kernels that can run at once
};

/// A configured type of channel, made by the registry from YAML; builds one module for each channel.
class MemoryChannelType {
 public:
  static constexpr const char* kKind = "dram_channel";
  virtual ~MemoryChannelType() = default;
  /// Clock of the domain the channels join.
  virtual double clock_mhz() const = 0;
  /// Peak of one channel; 0: unlimited.
  virtual double peak_bytes_per_second() const = 0;
  /// Data wires of one channel; 0: it has no bus.
  virtual unsigned bus_bits() const { return 0; }
  /// Visits what `MemoryChannel::stats` of this type visits, with any values: for the reference of all
  /// statistics.
  virtual void visit_stats(StatVisitor& v) const { MemoryCounters().stats(v); }
  virtual std::unique_ptr<MemoryChannel> build(const char* name, const MemoryChannelPlace& place) const = 0;
};

}  // namespace warpvp
