#pragma once
// The face of what makes the instructions that an SM's warps execute (`sm.instructions`): PTX today, a
// recorded trace or lowered code some day. The pipeline sees streams (ptx/exec/instruction_stream.h); who is
// in which CTA, what barriers let go, and what instructions do to things that SMs share are the source's.

#include <memory>
#include <string>

#include "base/cycle.h"
#include "base/stats.h"
#include "interconnect/launch.h"
#include "ptx/exec/instruction_stream.h"

namespace warpvp {

struct SmConfig;
struct SmContext;
struct SmServices;

/// A CTA between two SMs, as its source keeps it.
class SavedInstructions {
 public:
  virtual ~SavedInstructions() = default;
};

class InstructionSource {
 public:
  virtual ~InstructionSource() = default;

  /// A CTA of `program` starts in slot `slot` of the SM, where none is.
  virtual void start_cta(unsigned slot, const ptx::Program& program, const CtaLaunch& record) = 0;
  /// Its warp `index` starts in warp slot `place`. The stream lives until another warp starts there.
  virtual ptx::InstructionStream& start_warp(unsigned slot, unsigned index, unsigned place) = 0;
  /// The stream at `place` has exited, and nobody has it any more; the same of a CTA.
  virtual void end_warp(unsigned /*place*/) {}
  virtual void end_cta(unsigned /*slot*/) {}
  /// What the CTA in `slot` has done is out of this SM: a store, an atomic, text, the device's heap. One that
  /// has done nothing of it can start again.
  virtual bool acted_outside(unsigned /*slot*/) const { return true; }
  /// Takes the CTA out of `slot`, its warps with it: what they need to go on. Nothing of it is under way.
  /// nullptr: this source cannot, and the CTA stays.
  virtual std::unique_ptr<SavedInstructions> save_cta(unsigned /*slot*/) { return nullptr; }
  /// Puts a CTA into `slot`, where none is. Its warps follow by restore_warp(), those that had not exited.
  virtual void restore_cta(unsigned /*slot*/, SavedInstructions&) {}
  virtual ptx::InstructionStream* restore_warp(unsigned /*slot*/, unsigned /*index*/, unsigned /*place*/) {
    return nullptr;
  }
  /// Warps of the CTA, by index, that blocked at a barrier and were let go since the last call. Asked after
  /// every step of an instruction with Effect::kBarrier or kExit.
  virtual std::uint64_t take_released(unsigned slot) = 0;
  /// Why the last step, or the last effect that failed, was a fault.
  virtual const ptx::ExecFault& fault() const = 0;

  /// CTAs that start from now on find memory through the page tables at `page_table` and textures in the
  /// table at `texture_table`; 0: without. None of another address space is there.
  virtual void set_address_space(std::uint64_t /*page_table*/, std::uint64_t /*texture_table*/) {}

  /// A CTA of the program may wait for what another one does.
  virtual bool looks_for_others(const ptx::Program&) const { return true; }

  /// Before the first step of an edge.
  virtual void begin_edge(Cycle now) = 0;
  /// The SM commits: what the steps of this edge do outside the SM happens now, in their order. An effect
  /// that cannot take place is a fault of the instruction at `pc`.
  class EffectClient {
   public:
    virtual ~EffectClient() = default;
    virtual void effect_failed(const ptx::InstructionStream& stream, ptx::Pc pc) = 0;
  };
  virtual void apply_effects(EffectClient& client) = 0;
  // How steps are made from now on; nothing is put off where that changes.
  /// All steps are made in commits: what they do outside the SM may happen in them. apply_effects() follows
  /// nevertheless.
  virtual void act_at_once() {}
  /// All steps of a slice of time are made while other SMs make theirs, in any order; apply_effects() follows
  /// each slice. A store need not wait for it to let its warp go on; what is put off does.
  virtual void step_slices() {}
  /// So far in such a slice: how often steps have taken longer than they would have at once.
  virtual std::uint64_t hindered() const { return put_off(); }
  /// Between such slices: where there have been stores says nothing of where there will be.
  virtual void forget_stores() {}
  /// Effects that have been put off and have to take place before their warps step again.
  virtual std::size_t put_off() const { return 0; }

  // ---- for an SM that is ahead of the rest of the device (`platform.evaluation.window`)

  /// Whether edges can be stepped before the device comes to them; and that they will be from now on.
  virtual bool can_step_ahead() const { return false; }
  virtual void step_ahead() {}
  /// As apply_effects(), of the edges up to `now`.
  virtual void apply_effects_until(EffectClient& client, Cycle /*now*/) { apply_effects(client); }
  /// Edge of the oldest effect that has not taken place; kNever: there is none.
  virtual Cycle next_effect() const { return kNever; }

  /// Turns taken from paths of divergent warps that looped while others waited.
  virtual std::uint64_t path_switches() const { return 0; }
  /// What the source counts.
  virtual void stats(StatVisitor&) const {}
};

/// Of the group of its statistics.
inline constexpr const char kInstructionSourceSentence[] = "What the source of instructions counts.";

/// A registered type of source. What is referred to outlives it.
class InstructionSourceType {
 public:
  static constexpr const char* kKind = "instruction_source";
  virtual ~InstructionSourceType() = default;
  virtual std::unique_ptr<InstructionSource> build(const SmConfig& config, const SmServices& services,
                                                   const SmContext& context) const = 0;
};

}  // namespace warpvp
