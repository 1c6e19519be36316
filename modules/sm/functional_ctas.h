#pragma once
// CTAs that compute what they compute on any SM and know no cycles: warps step in turns of so many
// instructions. The SM of `sm.type: functional` consists of them; that of `sm.type: cycle` has some beside
// those in its pipeline where kernels are sampled (fast_forward.h).

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/cycle.h"
#include "base/fault.h"
#include "base/sm_resources.h"
#include "interconnect/launch.h"
#include "modules/sm/instruction_source.h"
#include "modules/sm/saved_ctas.h"
#include "modules/sm/statistics.h"
#include "ptx/program.h"

namespace warpvp {

class FunctionalCtas : private InstructionSource::EffectClient {
 public:
  /// Told what comes of the steps, within run().
  class Client {
   public:
    virtual ~Client() = default;
    /// The last warp of the CTA, which none follows, has exited, `executed` instructions after the beginning
    /// of run(). Its slot is free afterwards. How many run() is to execute at most; it returns if it has.
    virtual std::uint64_t cta_ended(unsigned slot, std::uint64_t executed) = 0;
    /// An instruction was a fault: `fault` has all but the number of the SM. run() returns.
    virtual void cta_failed(unsigned slot, DeviceFault fault) = 0;
  };
  struct Warp {
    ptx::InstructionStream* stream = nullptr;  ///< nullptr: it is yet to begin, or has exited
    unsigned place = 0;                        ///< warp slot, of a stream
    bool begun = false;
    bool at_barrier = false;
    bool at_exchange = false;  ///< waits for exchange()
    bool lives() const { return stream != nullptr || !begun; }
  };
  struct Cta {
    CtaLaunch record;
    std::shared_ptr<const ptx::Program> program;  ///< nullptr: the slot is free
    SmLaunchCounters* counters = nullptr;         ///< of instructions alone
    std::vector<Warp> warps;
    unsigned live = 0;
    bool begun = false;
    std::uint64_t turn = 0;    ///< its warps' turns since they have passed a barrier; 0: as any
    std::uint32_t before = 0;  ///< CTAs that it has followed in its slot, by its record's `followers`
  };
  /// A CTA between two SMs.
  struct Saved : SavedCta {
    std::unique_ptr<SavedInstructions> instructions;
    std::vector<bool> at_barrier;  // by warp
  };

  /// When what CTAs do to memory reaches it, and other SMs.
  enum class Exchange {
    kAtOnce,  ///< within run(), which is called for one SM after the other
    kLater,   ///< within exchange(); run() may be called for several SMs at the same time
  };

  /// For so many CTAs and warps at a time. `client` outlives it.
  FunctionalCtas(std::unique_ptr<InstructionSource> source, const SmResources& resources, Exchange exchange,
                 Client& client);

  /// From the next run() on. Requires that exchange() has followed the last one, if it was to.
  void exchange_from_now(Exchange exchange);

  InstructionSource& source() { return *source_; }
  /// By slot.
  const std::vector<Cta>& ctas() const { return ctas_; }
  /// There are a free slot and so many free places of warps.
  bool has_room(unsigned warps) const;
  /// Puts a CTA of `warps` warps into a free slot, from the start or from `state`; returns the slot.
  /// `counters` count its instructions and outlive it.
  unsigned start(const CtaLaunch& record, std::shared_ptr<const ptx::Program> program, unsigned warps,
                 SmLaunchCounters& counters, Saved* state = nullptr);
  /// Executes `most` instructions at edge `now`, of all warps in turns, from where the last call ended, so
  /// that none waits for ever behind others that wait for it; returns how many. Fewer: no warp can go on, or
  /// the client was told of a fault, or wanted it. `turn`: instructions of a warp, at most, before the next
  /// one has its turn; the more, the less often registers come anew to the host's near caches. Behind a
  /// barrier turns are short at first, as all warps go on together on a chip.
  std::uint64_t run(Cycle now, std::uint64_t most, std::uint64_t turn);
  /// In the last run() warps looked at what others may have changed, or let others go first.
  bool polled() const { return polled_; }
  /// With Exchange::kLater, after each run(), for one SM after the other: what it has done to memory happens.
  /// A store has been seen by the SM itself since it was executed; a warp that has executed anything else
  /// that others may notice, an atomic or printf, has waited for this. The client may be told of a fault.
  void exchange();
  /// It has stored something that others may see.
  bool acted_outside(unsigned slot) const { return ctas_[slot].begun && source_->acted_outside(slot); }
  /// Takes the CTA out of its slot, with what it needs to go on.
  std::unique_ptr<Saved> take(unsigned slot);
  /// At most `lines` lines of what warps wait for, of SM `sm`; `lines` is less afterwards.
  std::string describe_waiting(unsigned sm, unsigned& lines) const;

 private:
  // A CTA, and each of its warps, begins with its first turn: registers and shared memory are made where the
  // last ones were, which the host's near caches have, and not those of all that wait for a turn.
  void begin(unsigned slot, unsigned index);
  /// Instructions of the warp whose turn it is, until the run is over. Its turn is over if none of it is left
  /// then.
  void run_turn(unsigned slot, unsigned index);
  void exited(unsigned slot, Warp& warp);
  /// The next CTA of the grid takes the place of one that has ended.
  void follow(unsigned slot);
  void free_slot(unsigned slot);
  void failed(unsigned slot, const Warp& warp, ptx::Pc pc);
  void effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) override;

  const std::unique_ptr<InstructionSource> source_;
  Exchange exchange_;
  Client& client_;
  std::vector<Cta> ctas_;
  unsigned free_ctas_;
  unsigned free_places_;              // of warps
  std::vector<unsigned> free_warps_;  // places that no stream has; last given back, first taken
  // Where the next run() goes on.
  unsigned turn_ = 0;                                  // slot whose warps have their turns
  unsigned next_warp_ = 0;                             // which of them has its turn
  std::uint64_t turn_left_ = 0;                        // of that turn; 0: it is yet to begin
  std::uint64_t turn_had_ = 0;                         // of that turn
  bool turn_polls_ = false;                            // in that turn
  std::uint64_t visit_had_ = 0;                        // by all warps of the CTA whose warps have their turns
  bool visit_polls_ = false, passed_barrier_ = false;  // so have they
  // Of the run under way.
  std::uint64_t executed_ = 0, most_ = 0;
  bool goes_on() const { return executed_ < most_ && !stops_; }
  bool stops_ = false, failed_ = false, polled_ = false;
};

}  // namespace warpvp
