#pragma once
// The face of address translation. Types register themselves (registry kind "mmu") and are chosen by
// `mmu.type` in YAML. What an SM asks of memory carries virtual addresses; behind the MMU they are addresses
// of device memory.
//
//   SM -> in(sm)   out(sm) -> crossbar
//   tables() -> crossbar            what it reads of page tables

#include <memory>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/stats.h"
#include "interconnect/address_spaces.h"
#include "interconnect/clock_domain.h"
#include "interconnect/device_memory.h"
#include "interconnect/launch_counters.h"
#include "interconnect/link_binder.h"

namespace warpvp {

/// Of one launch, or of all.
struct MmuCounters {
  std::uint64_t hits = 0;            ///< requests whose page was in the TLB of their SM
  std::uint64_t misses = 0;          ///< requests that waited for their page; hits + misses: all
  std::uint64_t page_misses = 0;     ///< pages that an SM's TLB asked the shared TLB for
  std::uint64_t waiting_cycles = 0;  ///< summed over requests: from arrival until their page was known
  std::uint64_t shared_hits = 0;     ///< of page_misses: found in the shared TLB
  std::uint64_t walks = 0;           ///< walks through page tables
  std::uint64_t walk_reads = 0;      ///< reads of page tables
  std::uint64_t walk_cycles = 0;     ///< summed over walks: from the shared TLB's request to its answer

  MmuCounters& operator+=(const MmuCounters& o);
  void stats(StatVisitor& v) const;
};

class Mmu : public sc_core::sc_module {
 public:
  explicit Mmu(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_target_socket<>& in(unsigned sm) = 0;
  virtual tlm::tlm_initiator_socket<>& out(unsigned sm) = 0;
  virtual tlm::tlm_initiator_socket<>& tables() = 0;
  /// The page tables that it walks.
  virtual AddressSpaces& spaces() = 0;
  /// Of one launch, added up over all parts.
  virtual MmuCounters at(std::uint32_t launch) const = 0;
  /// Of everything.
  virtual MmuCounters total() const = 0;
};

/// Where an MMU stands. What is referred to outlives it.
struct MmuPlace {
  ClockDomain& clock;    ///< of the SMs
  DeviceMemory& memory;  ///< page tables lie there
  LinkBinder& links;     ///< binds the links within
  unsigned sms = 1;
};

/// A configured type of MMU, made by the registry from YAML.
class MmuType {
 public:
  static constexpr const char* kKind = "mmu";
  virtual ~MmuType() = default;
  /// nullptr: there is no translation, and SMs are bound to the crossbar.
  virtual std::unique_ptr<Mmu> build(const char* name, const MmuPlace& place) const = 0;
};

}  // namespace warpvp
