#pragma once
// Which operands of shuffles are known: compilers keep their distances and limits in registers that are
// constants. A row is known where the last mov to it, on each way there, has one constant.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "ptx/program.h"
#include "ptx/program_flow.h"

namespace warpvp::ptx {

class KnownRows {
 public:
  explicit KnownRows(const Program& program);
  /// To before the instruction at `pc`, which is of the program's code.
  void go_to(Pc pc);
  /// Past an instruction.
  void pass(const Inst& inst) { pass(inst, here_); }
  /// Here, what all lanes have that are active: of a constant of 32 bits, or of a row that a shuffle reads
  /// and that is known.
  std::optional<std::uint32_t> value(const Operand& operand) const;

 private:
  using Values = std::map<std::uint16_t, std::uint32_t>;  // by row
  void pass(const Inst& inst, Values& values) const;
  std::uint32_t constant(const Operand& operand) const {
    return program_.constants[std::size_t{operand.index} * kWarpSize];
  }

  const Program& program_;
  const ProgramFlow flow_;
  std::set<std::uint16_t> wanted_;           // rows that shuffles read
  std::vector<std::optional<Values>> into_;  // by block; nullopt: nothing leads there
  Values here_;
};

}  // namespace warpvp::ptx
