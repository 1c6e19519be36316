#pragma once
// Latencies that depend on who yields an operand and who needs it (`sm.latency.special_operand`,
// `other_pipe`): which unit wrote each row of a sub-core's warps, beside their scoreboards, which are no
// larger for it. Made only where one of them is set.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "modules/sm/config.h"
#include "modules/sm/issue/scoreboard.h"
#include "modules/sm/stage_signals.h"

namespace warpvp {

class OperandLatencies {
 public:
  OperandLatencies(const LatencyConfig& latency, std::size_t warps)
      : longest_(std::max(latency.special_operand, latency.other_pipe)), pipes_of_(warps) {
    for (const ptx::Unit unit : {ptx::Unit::kInt, ptx::Unit::kFp32})
      later_for_[port(ptx::Unit::kSfu)][pipe_of(port(unit))] = later_for_constants_[pipe_of(port(unit))] =
          latency.special_operand;
    later_for_[port(ptx::Unit::kInt)][kFp32] = later_for_[port(ptx::Unit::kFp32)][kInt] = latency.other_pipe;
  }
  static bool any(const LatencyConfig& latency) {
    return latency.special_operand != 0 || latency.other_pipe != 0;
  }
  /// Of what was there so long ago or longer nothing is later.
  Cycle longest() const { return longest_; }

  /// The place `warp` has another warp, which has written nothing.
  void reset(unsigned warp) { pipes_of_[warp].clear(); }
  /// `inst` of that warp has started on `unit`, of StageSignals::started_on.
  void written(unsigned warp, const ptx::Inst& inst, unsigned row_base, unsigned unit) {
    for (unsigned i = 0; i < inst.written_rows; ++i) row_written(warp, row_base + inst.writes[i], unit);
  }
  /// The same of one row of the warp.
  void row_written(unsigned warp, std::size_t row, unsigned unit) {
    std::vector<Pipe>& pipes = pipes_of_[warp];
    if (row >= pipes.size()) pipes.resize(row + row / 2 + 16, kNeither);
    pipes[row] = pipe_of(unit);
  }
  /// The edge at which `inst`, which goes to `port`, has all rows that it needs, or overwrites; no load of
  /// one is awaited. 0: it always had.
  Cycle clear_at(unsigned warp, const ptx::Inst& inst, unsigned row_base, unsigned port,
                 const Scoreboard& scoreboard) const {
    const Later& later = later_for(inst, port);
    if (later == Later{}) return 0;
    const std::vector<Pipe>& pipes = pipes_of_[warp];
    Cycle t = 0;
    const auto look = [&](std::size_t row) {
      if (row >= pipes.size() || later[pipes[row]] == 0) return;
      const Cycle edge = scoreboard.row_at(row);
      if (edge) t = std::max(t, edge + later[pipes[row]]);
    };
    for (unsigned i = 0; i < inst.read_rows; ++i) look(row_base + inst.reads[i]);
    for (unsigned i = 0; i < inst.written_rows; ++i) look(row_base + inst.writes[i]);
    return t;
  }

  // By how much later than its edge `inst`, which goes to `port`, has a row:
  /// one of the warp's own,
  Cycle later_own(const ptx::Inst& inst, unsigned port, unsigned warp, std::size_t row) const {
    const std::vector<Pipe>& pipes = pipes_of_[warp];
    return row < pipes.size() ? later_for(inst, port)[pipes[row]] : 0;
  }
  /// one that `unit` has written.
  Cycle later_of(const ptx::Inst& inst, unsigned port, unsigned unit) const {
    return later_for(inst, port)[pipe_of(unit)];
  }

 private:
  enum Pipe : std::uint8_t { kNeither, kInt, kFp32 };
  using Later = std::array<std::uint32_t, 3>;  // by the pipe that wrote a row

  const Later& later_for(const ptx::Inst& inst, unsigned port) const {
    return inst.effect == ptx::Effect::kMemory && !inst.accesses_data() ? later_for_constants_
                                                                        : later_for_[port];
  }
  static constexpr unsigned port(ptx::Unit unit) { return static_cast<unsigned>(unit); }
  static constexpr Pipe pipe_of(unsigned unit) {
    return unit == port(ptx::Unit::kInt) ? kInt : unit == port(ptx::Unit::kFp32) ? kFp32 : kNeither;
  }

  const Cycle longest_;
  std::array<Later, StageSignals::kPorts> later_for_{};  // by the port of the instruction that needs it
  Later later_for_constants_{};                          // of loads of constants and parameters
  std::vector<std::vector<Pipe>> pipes_of_;  // of each row of each warp; what is beyond was not written
};

}  // namespace warpvp
