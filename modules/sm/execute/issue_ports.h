#pragma once
// Through which port an instruction goes to its unit: most classes of operations have one unit; integer
// classes may have the single-precision unit, or a choice, and shuffles the path of memory instructions
// (`sm.pipes`).

#include <array>
#include <cstdint>

#include "modules/sm/config.h"
#include "modules/sm/stage_signals.h"

namespace warpvp {

class IssuePorts {
 public:
  explicit IssuePorts(const PipesConfig& pipes) : fp_compares_on_int_(pipes.fp_compare == "int") {
    for (unsigned c = 0; c < of_class_.size(); ++c) {
      const std::string& unit = pipes.of(static_cast<ptx::OpClass>(c));
      of_class_[c] =
          static_cast<std::uint8_t>(unit == "either" ? StageSignals::kEitherPort : port(unit_of(unit)));
    }
  }

  /// StageSignals::kEitherPort, or the number of a unit.
  unsigned of(const ptx::Inst& inst) const {
    if (inst.unit == ptx::Unit::kInt) return of_class_[static_cast<unsigned>(inst.op_class)];
    return port(fp_compares_on_int_ && fp_compares(inst) ? ptx::Unit::kInt : inst.unit);
  }

 private:
  static bool fp_compares(const ptx::Inst& inst) {
    return inst.unit == ptx::Unit::kFp32 &&
           (inst.op_class == ptx::OpClass::kCompare || inst.op_class == ptx::OpClass::kGuard ||
            inst.opcode == ptx::Opcode::min || inst.opcode == ptx::Opcode::max);
  }
  static ptx::Unit unit_of(const std::string& word) {
    return word == "fp32" ? ptx::Unit::kFp32 : word == "lsu" ? ptx::Unit::kLsu : ptx::Unit::kInt;
  }
  static constexpr unsigned port(ptx::Unit unit) { return static_cast<unsigned>(unit); }
  const bool fp_compares_on_int_;
  std::array<std::uint8_t, static_cast<unsigned>(ptx::OpClass::kCount)> of_class_;
};

}  // namespace warpvp
