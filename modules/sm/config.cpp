#include "modules/sm/config.h"

#include <algorithm>

namespace warpvp {

void LatencyConfig::fields(FieldVisitor& v) {
  const Constraint c = Constraint::range(1, 900);
  v.field("move", move, "cycles", "Moves, selects and address conversions.", c);
  v.field("int_add", int_add, "cycles", "Integer addition, minimum, maximum.", c);
  v.field("int_mul", int_mul, "cycles", "Integer multiplication and multiply-add.", c);
  v.field("int_div", int_div, "cycles", "Integer division and remainder.", c);
  v.field("logic", logic, "cycles", "Logic, shifts and bit fields.", c);
  v.field("compare", compare, "cycles", "Comparisons (set, setp).", c);
  v.field("convert", convert, "cycles", "Conversions between types.", c);
  v.field("fp_add", fp_add, "cycles", "Single-precision addition, minimum, maximum.", c);
  v.field("fp_mul", fp_mul, "cycles", "Single-precision multiplication.", c);
  v.field("fp_fma", fp_fma, "cycles", "Single-precision fused multiply-add.", c);
  v.field("fp_div", fp_div, "cycles", "Single-precision division and reciprocal.", c);
  v.field("fp_sqrt", fp_sqrt, "cycles", "Single-precision square root.", c);
  v.field("special", special, "cycles", "Approximate sine, cosine, logarithm, exponential and the like.", c);
  v.field("dp_add", dp_add, "cycles", "Double-precision addition.", c);
  v.field("dp_fma", dp_fma, "cycles", "Double-precision multiplication and multiply-add.", c);
  v.field("dp_div", dp_div, "cycles", "Double-precision division and square root.", c);
  v.field("vote", vote, "cycles", "Votes and activemask.", c);
  v.field("match", match, "cycles", "Searches for lanes with the same value; an H200's.", c);
  v.field("redux", redux, "cycles", "Reductions of a warp's values to one; an H200's.", c);
  v.field("shuffle", shuffle, "cycles", "Warp shuffles.", c);
  v.field("control", control, "cycles",
          "From the issue of a branch, call or return to the next issue of its warp, at least. Fetching the "
          "target of a taken one goes on meanwhile.",
          c);
  v.field("guard", guard, "cycles",
          "Cycles that a predicate takes longer to guard an instruction than to be one of its operands.",
          Constraint::range(0, 900));
  v.field("address", address, "cycles",
          "Cycles that a result of arithmetic takes longer to be an operand of an access to global, shared "
          "or local memory, which reads the register file where other units have bypasses.",
          Constraint::range(0, 900));
  v.field(
      "special_operand", special_operand, "cycles",
      "Cycles that a result of the integer or the single-precision unit takes longer to be an operand of the "
      "special-function unit, or the address of a load of constants, than one of arithmetic.",
      Constraint::range(0, 900));
  v.field("other_pipe", other_pipe, "cycles",
          "Cycles that a result of the integer unit takes longer to be an operand of the single-precision "
          "unit than of its own, and the other way.",
          Constraint::range(0, 900));
  v.field("tensor", tensor, "cycles",
          "Matrix products: from issue to the earliest issue of a dependent instruction, beyond the cycles "
          "that they "
          "occupy the unit for.",
          c);
  v.field("barrier", barrier, "cycles",
          "From a barrier's completion to the next issue of the released warps.", c);
}

std::uint32_t LatencyConfig::of(ptx::OpClass c) const {
  using ptx::OpClass;
  switch (c) {
    case OpClass::kMove:
      return move;
    case OpClass::kIntAdd:
      return int_add;
    case OpClass::kIntMul:
      return int_mul;
    case OpClass::kIntDiv:
      return int_div;
    case OpClass::kLogic:
    case OpClass::kShiftLeft:
      return logic;
    case OpClass::kCompare:
      return compare;
    case OpClass::kGuard:
      return compare + guard;
    case OpClass::kConvert:
      return convert;
    case OpClass::kFpAdd:
      return fp_add;
    case OpClass::kFpMul:
      return fp_mul;
    case OpClass::kFpFma:
      return fp_fma;
    case OpClass::kFpDiv:
      return fp_div;
    case OpClass::kFpSqrt:
      return fp_sqrt;
    case OpClass::kSpecial:
      return special;
    case OpClass::kDpAdd:
      return dp_add;
    case OpClass::kDpFma:
      return dp_fma;
    case OpClass::kDpDiv:
      return dp_div;
    case OpClass::kVote:
      return vote;
    case OpClass::kMatch:
      return match;
    case OpClass::kRedux:
      return redux;
    case OpClass::kShuffle:
      return shuffle;
    case OpClass::kBarrier:
      return barrier;
    case OpClass::kTensorHalf:
    case OpClass::kTensorSingle:
    case OpClass::kTensorDouble:
    case OpClass::kTensorByte:
    case OpClass::kTensorFloat8:
    case OpClass::kTensorNibble:
    case OpClass::kTensorBit:
      return tensor;
    case OpClass::kControl:
    case OpClass::kMemory:
    case OpClass::kCount:
      break;
  }
  return control;
}

void PipesConfig::fields(FieldVisitor& v) {
  const Constraint c = Constraint::words({"int", "fp32", "either"});
  v.field("move", move, "Moves, selects and address conversions.", c);
  v.field("int_add", int_add, "Integer addition, minimum, maximum.", c);
  v.field("int_mul", int_mul, "Integer multiplication and multiply-add.", c);
  v.field("logic", logic, "Logic, shifts to the right and bit fields.", c);
  v.field("shift_left", shift_left, "Shifts to the left.", c);
  v.field("compare", compare, "Comparisons of integers, and selections.", c);
  v.field("shuffle", shuffle,
          "Warp shuffles; on the path to the load/store unit they take turns with memory instructions and "
          "wait while that unit takes no more.",
          Constraint::words({"int", "lsu"}));
  v.field("fp_compare", fp_compare, "Comparisons, minimum and maximum of single precision.",
          Constraint::words({"int", "fp32"}));
}

const std::string& PipesConfig::of(ptx::OpClass c) const {
  using ptx::OpClass;
  static const std::string fixed = "int";
  switch (c) {
    case OpClass::kMove:
      return move;
    case OpClass::kIntAdd:
      return int_add;
    case OpClass::kIntMul:
      return int_mul;
    case OpClass::kLogic:
      return logic;
    case OpClass::kShiftLeft:
      return shift_left;
    case OpClass::kCompare:
    case OpClass::kGuard:
      return compare;
    case OpClass::kShuffle:
      return shuffle;
    default:
      return fixed;
  }
}

void SmConfig::fields(FieldVisitor& v) {
  v.field("schedulers", schedulers, "",
          "Sub-cores, each with one issue scheduler; `warp_placement` deals warps to them.",
          Constraint::range(1, 8));
  v.policy("instructions", "instruction_source", instructions, "What warps execute.");
  v.policy("issue", "issue_stage", issue, "How many warps issue at an edge, and how they are found.");
  v.policy("warp_scheduler", "warp_scheduler", warp_scheduler, "Which ready warp issues next.");
  v.field("oracle", oracle,
          "Observe the scheduling: count the edges at which the warp scheduler would have chosen otherwise "
          "had no "
          "I-buffer been empty (SWaS paper, section VI-A4).");
  v.field(
      "warp_placement", warp_placement,
      "Where a CTA's warps go: in_turn deals them to the sub-cores in turn and goes on where the last CTA "
      "ended; "
      "rotate does so from the sub-core after the one at which the last CTA began.",
      Constraint::words({"in_turn", "rotate"}));
  v.field("cta_launch_latency", cta_launch_latency, "cycles", "From the launch record to the first fetch.",
          Constraint::range(1, 10000));
  v.field("warp_exit", warp_exit,
          "When a warp that has exited is gone, and with the last one of a CTA its place on the SM: "
          "stores_taken, when the load/store unit has taken its stores; stores_acknowledged, when the memory "
          "has answered them all.",
          Constraint::words({"stores_taken", "stores_acknowledged"}));
  v.field("barrier_interval", barrier_interval, "cycles",
          "Cycles for which the arrival of a warp at a barrier occupies the unit that all barriers of the SM "
          "share; 0: as many at a time as come, and the last one goes on at once.",
          Constraint::range(0, 16));
  v.group("divergence", divergence, "How the divergent paths of a warp share it.");
  v.group("frontend", frontend, "Instruction fetch of each sub-core.");
  v.group("operands", operands, "Register file and operand collectors of each sub-core.");
  v.policy("execute", "execute_stage", execute, "Execution units of each sub-core.");
  v.group("int_unit", int_unit, "Integer unit.");
  v.group("fp32_unit", fp32_unit, "Single-precision unit.");
  v.group("fp64_unit", fp64_unit, "Double-precision unit.");
  v.group("sfu_unit", sfu_unit, "Special-function unit.");
  v.group("lsu_unit", lsu_unit, "Path to the load/store unit.");
  v.group("control_unit", control_unit, "Branch unit.");
  v.group("tensor_unit", tensor_unit,
          "Unit for products of matrices (mma). The defaults are a sub-core's share of an A100, whatever the "
          "platform: PTX "
          "for chips without such a unit has no such products.");
  v.group("pipes", pipes,
          "Which unit of a sub-core executes a class of integer operations: int, fp32, or either, the one "
          "that is free "
          "first.");
  v.group("latency", latency, "Latency of each operation class.");
  v.group("memory", memory, "Load/store unit, caches and shared memory.");
  v.group("context_switch", context_switch,
          "What taking CTAs off the SM costs (work_distributor.preemption).");
}

void SmConfig::check(const RequireField& require) const {
  require(resources.adaptive() == (memory.l1.unified_kib != 0), "memory",
          "l1.unified_kib and resources.shared_options_kib go together: set both, or 0 and [] for a fixed "
          "division");
  if (memory.l1.unified_kib != 0 && resources.adaptive()) {
    const L1Config& l1 = memory.l1;
    require(
        l1.size_kib != 0 && l1.size_kib * 1024 + resources.shared_bytes == l1.unified_kib * 1024, "memory",
        "l1.size_kib must be what resources.shared_bytes leaves of l1.unified_kib (" +
            std::to_string(l1.unified_kib) +
            " KiB); for an L1 of another size set l1.unified_kib: 0 and resources.shared_options_kib: []");
    bool whole = true;
    for (std::uint32_t option : resources.shared_options_kib)
      whole = whole && option < l1.unified_kib && l1.size_kib != 0 && l1.sets() != 0 &&
              (l1.unified_kib - option) * 1024 % (l1.sets() * l1.line_bytes) == 0;
    require(whole, "resources",
            "each of shared_options_kib must leave the L1 a whole number of ways, at least one");
  }
  require(resources.warps % schedulers == 0, "schedulers", "must divide resources.warps");
  require(resources.warps / schedulers <= 64, "schedulers", "each can have at most 64 of resources.warps");
}

const UnitConfig& SmConfig::unit(ptx::Unit u) const {
  switch (u) {
    case ptx::Unit::kInt:
      return int_unit;
    case ptx::Unit::kFp32:
      return fp32_unit;
    case ptx::Unit::kFp64:
      return fp64_unit;
    case ptx::Unit::kSfu:
      return sfu_unit;
    case ptx::Unit::kLsu:
      return lsu_unit;
    case ptx::Unit::kControl:
    case ptx::Unit::kTensor:
    case ptx::Unit::kCount:
      break;
  }
  return control_unit;
}

}  // namespace warpvp
