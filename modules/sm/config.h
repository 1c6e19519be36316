#pragma once
// Configuration of one streaming multiprocessor (`sm:` in a platform file).

#include <cstdint>

#include "base/block.h"
#include "base/fields.h"
#include "base/sm_resources.h"
#include "modules/sm/context_switch_config.h"
#include "modules/sm/execute/product_times.h"
#include "modules/sm/memory/memory_side_config.h"
#include "ptx/program.h"

namespace warpvp {

/// Timing of one execution unit of a sub-core.
struct UnitConfig {
  std::uint32_t initiation_interval = 2;  ///< cycles between two warp instructions
  std::uint32_t queue = 2;  ///< warp instructions that may wait for the unit beyond the running one

  UnitConfig(std::uint32_t ii = 2) : initiation_interval(ii) {}
  void fields(FieldVisitor& v) {
    v.field("initiation_interval", initiation_interval, "cycles",
            "Cycles between two warp instructions: 32 lanes divided by the unit's width.",
            Constraint::range(1, 64));
    v.field("queue", queue, "instructions", "Warp instructions that may wait in collectors for this unit.",
            Constraint::range(0, 16));
  }
};

/// Cycles from issue to the earliest issue of a dependent instruction, without conflicts, per operation
/// class.
struct LatencyConfig {
  std::uint32_t move = 4, int_add = 4, int_mul = 4, int_div = 40, logic = 4, compare = 4, convert = 6;
  std::uint32_t fp_add = 4, fp_mul = 4, fp_fma = 4, fp_div = 30, fp_sqrt = 30, special = 18;
  std::uint32_t dp_add = 8, dp_fma = 8, dp_div = 60;
  std::uint32_t vote = 8, match = 28, redux = 44, shuffle = 22, control = 1, barrier = 10, tensor = 17;
  std::uint32_t guard = 0, address = 0, special_operand = 0, other_pipe = 0;

  void fields(FieldVisitor& v);
  /// Latency of a class; kMemory has none here (the memory side says when it is done).
  std::uint32_t of(ptx::OpClass c) const;
};

/// Which units of a sub-core execute the classes of integer operations: `int`, `fp32`, or `either`, whichever
/// is free first (the integer unit if both are). Shuffles: `int`, or `lsu`, the path to the load/store unit.
/// Comparisons of single precision: `fp32`, or `int`.
struct PipesConfig {
  std::string move = "int", int_add = "int", int_mul = "int", logic = "int", shift_left = "int",
              compare = "int", shuffle = "int", fp_compare = "fp32";

  void fields(FieldVisitor& v);
  /// The word for a class; `int` for those that have no choice.
  const std::string& of(ptx::OpClass c) const;
};

/// The instruction fetch of each sub-core.
struct FrontendConfig {
  PolicyChoice mode = "separate";
  PolicyChoice fetch_scheduler = "oldest";
  std::uint32_t ibuffer_entries = 4;
  std::uint32_t fetch_width = 2;
  std::uint32_t hit_latency = 3;
  std::uint32_t decode_latency = 1;

  bool coordinated() const { return mode.name == "coordinated"; }
  /// Edges from an instruction's fetch to its earliest issue.
  std::uint32_t depth() const { return hit_latency + decode_latency; }
  void fields(FieldVisitor& v) {
    v.policy("mode", "front_end", mode, "Who decides what is fetched.");
    v.policy("fetch_scheduler", "fetch_scheduler", fetch_scheduler,
             "Which warp fetches next; not asked in coordinated mode.");
    v.field("ibuffer_entries", ibuffer_entries, "instructions", "I-buffer depth of each warp.",
            Constraint::range(1, 16));
    v.field("fetch_width", fetch_width, "instructions",
            "Consecutive instructions of one line delivered by one fetch.", Constraint::range(1, 16));
    v.field("hit_latency", hit_latency, "cycles", "Instruction-cache hit latency; fetches are pipelined.",
            Constraint::range(1, 63));
    v.field("decode_latency", decode_latency, "cycles",
            "From an instruction's arrival to its earliest issue: one fetched at edge c can issue at c + "
            "hit_latency + "
            "decode_latency.",
            Constraint::range(1, 63));
    v.require(fetch_width <= ibuffer_entries, "fetch_width", "must not exceed ibuffer_entries");
    v.require(!coordinated() || fetch_width == 1, "fetch_width",
              "must be 1 in coordinated mode, which fetches one instruction for each one it issues; set "
              "fetch_width: 1 "
              "or mode: separate");
    v.require(!coordinated() || ibuffer_entries >= depth(), "ibuffer_entries",
              "is too short for coordinated mode, which needs hit_latency + decode_latency entries; set "
              "ibuffer_entries: " +
                  std::to_string(depth()) + " or mode: separate");
  }
};

/// The banked register file and operand collectors of each sub-core.
struct OperandConfig {
  PolicyChoice type = "collectors";
  std::uint32_t banks = 4, collectors = 8, read_window = 1;
  void fields(FieldVisitor& v) {
    v.policy("type", "operand_stage", type, "How instructions get their operands.");
    v.field("banks", banks, "", "Register-file banks of a sub-core; one 32-lane row a cycle each.",
            Constraint::range(1, 64));
    v.field("collectors", collectors, "", "Collector units of a sub-core.", Constraint::range(1, 32));
    v.field("read_window", read_window, "cycles",
            "Cycles of reading that the units' latencies include: rows read in the first so many cycles "
            "after an issue "
            "delay nothing.",
            Constraint::range(1, 8));
  }
};

/// How the divergent paths of a warp share it; see docs/ptx.md, section Divergence.
struct DivergenceConfig {
  bool independent_threads = true;
  std::uint32_t switch_after = 64;

  void fields(FieldVisitor& v) {
    v.field("independent_threads", independent_threads,
            "Every path of a divergent warp makes progress, and threads of one warp can wait for each other, "
            "as on "
            "compute capability 7.0 and later. Otherwise a path runs until it reconverges, and waiting for "
            "threads on "
            "another path is a fault.");
    v.field("switch_after", switch_after, "iterations",
            "With independent_threads: iterations of a loop that may be waiting for other threads after "
            "which a path "
            "that has not run meanwhile has its turn; 64 times as many of a loop with plain loads only.",
            Constraint::range(1, 1000000));
  }
};

struct SmConfig {
  std::uint32_t schedulers = 4;
  PolicyChoice instructions = "ptx";
  PolicyChoice issue = "single";
  PolicyChoice warp_scheduler = "gto";
  bool oracle = false;
  SmResources resources;  ///< the platform's
  DivergenceConfig divergence;
  std::string warp_placement = "in_turn";
  std::uint32_t cta_launch_latency = 20;
  std::string warp_exit = "stores_taken";
  std::uint32_t barrier_interval = 0;
  FrontendConfig frontend;
  OperandConfig operands;
  PolicyChoice execute = "pipelined";
  UnitConfig int_unit{2}, fp32_unit{2}, fp64_unit{4}, sfu_unit{8}, lsu_unit{1}, control_unit{1};
  TensorConfig tensor_unit;
  PipesConfig pipes;
  LatencyConfig latency;
  MemorySideConfig memory;
  ContextSwitchConfig context_switch;

  /// All but `resources`, which the platform has for every type of SM.
  void fields(FieldVisitor& v);
  /// What must hold between the rest and `resources`.
  void check(const RequireField& require) const;
  const UnitConfig& unit(ptx::Unit u) const;
};

}  // namespace warpvp
