#pragma once
// The face of the memory side of an SM (`sm.memory.model`), what serves its memory instructions and its
// fetches. A plain C++ object driven by the SM's own tick; only its port has a socket.

#include <functional>
#include <memory>
#include <string>

#include "base/cycle.h"
#include "base/fields.h"
#include "base/stats.h"
#include "interconnect/ports.h"
#include "modules/sm/memory/backing.h"
#include "modules/sm/memory/memory_counters.h"
#include "modules/sm/memory/memory_request.h"

namespace warpvp {

/// A fetch of a sub-core.
struct InstructionFetch {
  std::uint64_t address = 0;
  std::uint64_t end = 0;  ///< of the program: nothing is asked for ahead from there on
  AccessOwner owner;
  unsigned sub_core = 0;
};

/// State of a CTA on its way between the SM and device memory.
struct StateMove {
  bool write = false;
  std::uint64_t address = 0, bytes = 0;
  AccessOwner owner;
  std::uint32_t requests = 1;  ///< lines under way at once
};

class ClockDomain;  // interconnect/clock_domain.h

/// How far an SM may be ahead of the device.
struct AheadPlace {
  ClockDomain& clock;
  unsigned id = 0;     ///< of the SM there
  unsigned edges = 0;  ///< so many later than it comes an answer is seen
};

class MemorySide {
 public:
  virtual ~MemorySide() = default;

  /// Room for one more warp instruction of this kernel slot. False is the LSU_full stall.
  virtual bool can_accept(unsigned kernel_slot) const = 0;
  /// While it is false it stays so until the next edge at which this side has work.
  virtual bool refuses_until_it_works() const { return false; }
  /// Takes an instruction at edge `now`; requires can_accept(). First work on it happens at the next edge.
  virtual void accept(const MemoryRequest& request, Cycle now) = 0;
  /// The warp has stores, reductions or atomics that are not acknowledged yet. A fence waits until not.
  virtual bool stores_outstanding(unsigned warp) const = 0;

  /// Looks up the line of an instruction. Returns true on a hit (the SM applies the hit latency); on a miss
  /// the line is requested and `instruction_line_filled` of the fetch client is called when it is there.
  virtual bool fetch(const InstructionFetch& fetch, Cycle now) = 0;
  /// Where a line is for which a warp of the sub-core waits, for messages: words that go on from "a line
  /// that".
  virtual std::string line_whereabouts(unsigned sub_core, std::uint64_t line_address) const = 0;

  virtual void evaluate(Cycle now) = 0;
  virtual void commit(Cycle now) = 0;
  /// As Clocked::progress().
  virtual std::uint64_t progress() const { return 0; }
  /// Next edge at which there is work without further input; kNever when only waiting for responses.
  virtual Cycle next_work(Cycle now) const = 0;

  // ---- for an SM that is ahead of the rest of the device (`platform.evaluation.window`)

  /// From now on edges are evaluated and committed before the device comes to them, and requests leave by
  /// send(). False: this type cannot do that.
  virtual bool step_ahead(const AheadPlace&) { return false; }
  /// The device has come to edge `now`: a request that was committed at it or before leaves, if the link is
  /// free.
  virtual void send(Cycle /*now*/) {}
  /// Next edge at which send() has something to do, after `now`; kNever: none, or the link has to come free
  /// first.
  virtual Cycle next_send(Cycle /*now*/) const { return kNever; }
  /// Something waits for a link of which nobody knows when it comes free.
  virtual bool waits_for_link() const { return false; }

  virtual tlm::tlm_initiator_socket<>& socket() = 0;
  virtual void stats(StatVisitor& v) const = 0;
  /// Counters of one launch, to be summed over SMs; nullptr if it never ran here.
  virtual const SmMemoryCounters* launch_counters(std::uint32_t launch) const = 0;
  /// A kernel begins: L1 and constant cache drop what they hold. Dirty lines of a write-back L1 are queued
  /// for writing; fills under way complete. The instruction caches stay.
  virtual void invalidate() = 0;
  /// The instruction caches drop what they hold; fills under way complete.
  virtual void invalidate_instructions() = 0;
  /// Requests that are made from now on name the page tables at `root`, and `context` as the one whose these
  /// are; also those that belong to no kernel, as lines that are written back. If there were other tables,
  /// all caches drop what they hold first, and dirty lines go to where they belong.
  virtual void set_page_table(std::uint16_t context, std::uint64_t root, Cycle now) = 0;
  /// Called with a request's answer when no page was mapped at its address.
  std::function<void(const tlm::tlm_generic_payload&)> on_page_fault;
  /// The L1 gets `bytes` of the array that it divides with shared memory, and drops what it holds if that is
  /// a change. Only with L1Config::unified_kib.
  virtual void resize_l1(std::uint32_t bytes) = 0;
  /// Moves the state of a CTA from edge `now` on, past the caches; requires state_moved().
  virtual void move_state(const StateMove& move, Cycle now) = 0;
  /// All of it has been answered.
  virtual bool state_moved() const = 0;
  /// Bytes of the L1 data cache at present; 0: there is none.
  virtual std::uint32_t l1_bytes() const = 0;
  /// Nothing in flight.
  virtual bool idle() const = 0;
};

/// Who is told when instructions arrive: the fetch side of the SM.
class FetchClient {
 public:
  virtual ~FetchClient() = default;
  static constexpr unsigned kAllSubCores = ~0u;
  /// For warps of the sub-core, or of all.
  virtual void instruction_line_filled(std::uint64_t line_address, unsigned sub_core) = 0;
};

struct MemorySideConfig;  // modules/sm/memory/memory_side_config.h
class SmContexts;         // modules/sm/sm_context.h
class SmEvents;           // modules/sm/sm_events.h

/// What a memory side is built from. All that is referred to outlives it.
struct MemorySidePlace {
  const char* name;                ///< of its port
  const MemorySideConfig& config;  ///< copied where it is kept
  unsigned sm = 0;
  unsigned sub_cores = 1;
  unsigned warps = 0;  ///< warp slots of the SM
  MemoryClient& memory;
  FetchClient& fetch;
  std::function<void()>
      wake;  ///< called from socket callbacks when a sleeping SM has to tick at the next edge
  const SmContexts& contexts;  ///< for its policies; only while it is built
  const SmEvents& events;      ///< what it does is told here
  SmBacking backing = {};      ///< the memory system behind it
};

/// A registered type of memory side.
class MemorySideType {
 public:
  static constexpr const char* kKind = "memory_side";
  virtual ~MemorySideType() = default;
  virtual std::unique_ptr<MemorySide> build(const MemorySidePlace& place) const = 0;
  /// Its accesses reach the L2, in whose lines they must fit.
  virtual bool reaches_l2() const { return true; }
};

}  // namespace warpvp
