#pragma once
// The face of one bank of the L2. Types register themselves (registry kind "l2") and are chosen by `l2.type`
// in YAML. Values live in DeviceMemory; a bank decides times only.
//
//   crossbar -> in    requests that never cross a line
//   out -> channel    what the bank does not answer by itself
//
// Each response says in MemExtension::dram_accesses how many DRAM accesses the request caused (CCBP
// section 6.3).

#include <memory>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/stats.h"
#include "interconnect/address_map.h"
#include "interconnect/cache/prefetching.h"
#include "interconnect/clock_domain.h"
#include "interconnect/device_memory.h"
#include "interconnect/launch_counters.h"
#include "interconnect/policy_context.h"
#include "interconnect/transaction.h"

namespace warpvp {

struct L2Counters {
  std::uint64_t accesses = 0;
  std::uint64_t reads = 0, writes = 0, atomics = 0;
  std::uint64_t hits =
      0;  ///< everything wanted was valid, or a write that covers whole sectors of a line present
  std::uint64_t merges = 0;           ///< joined fills under way
  std::uint64_t misses = 0;           ///< the rest: accesses = hits + merges + misses
  std::uint64_t fill_reads = 0;       ///< reads sent to DRAM
  std::uint64_t writebacks = 0;       ///< dirty lines written back, counted to the launch that was the cause
  std::uint64_t cleaned = 0;          ///< of these: before their room was needed
  std::uint64_t written_through = 0;  ///< writes sent to DRAM at once
  std::uint64_t recalls = 0;          ///< sent to L1s, counted to the launch that needed the room
  PrefetchCounters prefetch;
  // As profilers of chips count: sectors of 32 bytes of loads and stores (global, local, texture), without
  // instructions, constants, atomics, copies and commands.
  std::uint64_t read_hit_sectors = 0;    ///< valid, or on their way already
  std::uint64_t read_miss_sectors = 0;   ///< had to be fetched
  std::uint64_t write_hit_sectors = 0;   ///< accepted without a fetch
  std::uint64_t write_miss_sectors = 0;  ///< had to be fetched first

  /// Counts a request in the four above, if it is of those. `missed`: of the 32-byte sectors it touches, how
  /// many had to be fetched.
  void count_sectors(const tlm::tlm_generic_payload& payload, AccessKind kind, unsigned missed);
  /// How many 32-byte sectors `bytes` from `address` on touch.
  static unsigned sectors_touched(std::uint64_t address, std::uint64_t bytes) {
    return static_cast<unsigned>((address + bytes - 1) / 32 - address / 32 + 1);
  }

  L2Counters& operator+=(const L2Counters& o);
  void stats(StatVisitor& v) const;
};

class L2Bank : public sc_core::sc_module {
 public:
  explicit L2Bank(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_target_socket<>& in() = 0;
  virtual tlm::tlm_initiator_socket<>& out() = 0;
  /// Window of regmap::l2: the registers of its policies. nullptr: there are none.
  virtual tlm::tlm_target_socket<>* registers_socket() { return nullptr; }
  virtual const PerLaunch<L2Counters>& launches() const = 0;
  virtual void stats(StatVisitor& v) const { launches().total().stats(v); }
};

/// Where a bank stands. What is referred to outlives it.
struct L2Place {
  ClockDomain& clock;
  DeviceMemory& memory;
  const AddressMap& map;
  unsigned bank = 0;               ///< of the map
  std::uint32_t line_bytes = 128;  ///< longest request; power of two
  std::uint64_t seed = 1;          ///< of everything random in the run
  unsigned sms = 0;                ///< that may hold lines in L1s
  unsigned kernel_slots = 1;       ///< of the device
  /// Nothing is prefetched across the bounds of pages of this size; power of two.
  std::uint64_t page_bytes = kPageBytes;
  /// Where there is no address translation: NVIDIA's large page.
  static constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;
  /// Edges that an answer spends with its requester before it is seen, where the request says so
  /// (MemExtension::seen_later): it leaves so much earlier.
  unsigned reply_edges = 0;
};

/// A configured type of L2, made by the registry from YAML; builds each bank.
class L2Type {
 public:
  static constexpr const char* kKind = "l2";
  virtual ~L2Type() = default;
  /// What must hold between the type's fields and the platform's `line_bytes`.
  virtual void check(std::uint32_t line_bytes, const RequireField&) const {}
  /// Visits what `L2Bank::stats` of this type visits, with any values: for the reference of all statistics.
  virtual void visit_stats(StatVisitor& v) const { L2Counters().stats(v); }
  /// As SmType::visit_policy_registers.
  virtual void visit_policy_registers(const ShowPolicyRegisters&) const {}
  /// Reads of kind AccessKind::kRecall that an SM has to keep open at a bank of which it holds lines in its
  /// L1 (modules/l2/recalls.h); 0: banks recall nothing.
  virtual unsigned recalls_at_once() const { return 0; }
  /// The least number of edges from a request to its answer, less one; L2Place::reply_edges is at most this.
  virtual unsigned shortest_answer() const { return 0; }
  /// What a bank holds; 0: without a bound.
  virtual std::uint64_t bank_bytes() const { return 0; }
  virtual std::unique_ptr<L2Bank> build(const char* name, const L2Place& place) const = 0;
};

}  // namespace warpvp
