#pragma once
// The face of the network between SMs (and other requesters) and L2 banks. Types register themselves
// (registry kind "crossbar") and are chosen by `crossbar.type` in YAML.
//
//   in(0..) -> out(0..banks-1), by the bank of the address; responses return to the port of their request

#include <memory>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/stats.h"
#include "interconnect/address_map.h"
#include "interconnect/clock_domain.h"
#include "interconnect/launch_counters.h"

namespace warpvp {

/// Traffic of one direction.
struct CrossbarCounters {
  std::uint64_t packets = 0;
  std::uint64_t flits = 0;
  std::uint64_t queueing_cycles = 0;  ///< summed over packets: from being visible to the switch to the grant

  CrossbarCounters& operator+=(const CrossbarCounters& o) {
    packets += o.packets;
    flits += o.flits;
    queueing_cycles += o.queueing_cycles;
    return *this;
  }
  void stats(StatVisitor& v) const;
};

struct CrossbarLaunchCounters {
  CrossbarCounters request, reply;

  CrossbarLaunchCounters& operator+=(const CrossbarLaunchCounters& o) {
    request += o.request;
    reply += o.reply;
    return *this;
  }
  void stats(StatVisitor& v) const;
};

class Crossbar : public sc_core::sc_module {
 public:
  explicit Crossbar(sc_core::sc_module_name name) : sc_module(name) {}
  /// Socket of requester `port`: the sharing ones first, then those with an input of their own.
  virtual tlm::tlm_target_socket<>& in(unsigned port) = 0;
  /// Socket towards L2 bank `bank`.
  virtual tlm::tlm_initiator_socket<>& out(unsigned bank) = 0;
  virtual const PerLaunch<CrossbarLaunchCounters>& launches() const = 0;
  virtual void stats(StatVisitor& v) const { launches().total().stats(v); }
};

/// Where a crossbar stands. What is referred to outlives it.
struct CrossbarPlace {
  ClockDomain& clock;
  const AddressMap& map;       ///< one output for each of its banks
  unsigned sharing_ports = 1;  ///< requesters that may share inputs: SMs
  unsigned own_ports = 0;      ///< requesters with an input each: copy engines, hub
};

/// What a crossbar moves at most from the banks to the SMs: its narrowest place, there.
struct ReplyPeak {
  unsigned flit_bytes = 0;         ///< 0: the type does not say
  unsigned ports = 0;              ///< 0: no limit
  unsigned flits = 1;              ///< that each of them moves in a cycle
  const char* place = "no limit";  ///< "L2 bank ports"
  double bytes_per_cycle() const { return static_cast<double>(flit_bytes) * ports * flits; }
};

/// A configured type of crossbar, made by the registry from YAML.
class CrossbarType {
 public:
  static constexpr const char* kKind = "crossbar";
  virtual ~CrossbarType() = default;
  /// Visits what `Crossbar::stats` of this type visits, with any values: for the reference of all statistics.
  virtual void visit_stats(StatVisitor& v) const { CrossbarLaunchCounters().stats(v); }
  /// Of a crossbar between so many banks and SMs; by default unknown and without limit.
  virtual ReplyPeak reply_peak(unsigned /*banks*/, unsigned /*sms*/) const { return {}; }
  /// Bytes that the header of a reply takes on top of its data.
  virtual unsigned reply_header_bytes() const { return 0; }
  virtual std::unique_ptr<Crossbar> build(const char* name, const CrossbarPlace& place) const = 0;
};

/// Flits of a packet (CCBP table 1, section 5.3): a header, and the data of writes and atomics on their way
/// there, of reads on their way back. Without a flit of its own the header travels beside the first flit of
/// data.
unsigned request_flits(const tlm::tlm_generic_payload& payload, unsigned flit_bytes, bool header_flit = true);
unsigned reply_flits(const tlm::tlm_generic_payload& payload, unsigned flit_bytes, bool header_flit = true);

}  // namespace warpvp
