#pragma once
// Computes the schedule of one SM from traces, without simulating the SM: what an offline analysis would do
// that is given each warp's instructions with their latencies in isolation (SWaS paper, section III-A).
//
// With the coordinated front end nothing else is needed: the selected warp always has an instruction or a
// NOP, so the policy, the operands' times and the foreseeable misses and branches decide everything. For a
// front end whose fetch and issue decide apart, the best that can be said is what the policy intends: the
// schedule of buffers that are never empty.

#include <vector>

#include "modules/sm/config.h"
#include "predict/schedule.h"
#include "predict/trace.h"

namespace warpvp::predict {

enum class BufferModel {
  kCoordinated,  ///< FIFOs with NOPs, real instruction cache (`frontend.mode: coordinated`)
  kAlwaysFull    ///< from the first arrival on, every warp has its next instruction
};

class Predictor {
 public:
  /// `config` with `memory.model: isolated`, whose instruction cache is the one looked at.
  Predictor(const SmConfig& config, BufferModel buffers) : config_(config), buffers_(buffers) {}

  /// The schedule of the CTAs of `trace` that run on `sm`. InputError when they do not fit or wait for each
  /// other for ever.
  Schedule run(const Trace& trace, unsigned sm) const;

 private:
  SmConfig config_;
  BufferModel buffers_;
};

}  // namespace warpvp::predict
