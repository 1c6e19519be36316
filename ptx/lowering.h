#pragma once
// Intermediate form to executable programs.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/cfg.h"
#include "ptx/legalise.h"
#include "ptx/liveness.h"
#include "ptx/loops.h"
#include "ptx/module.h"
#include "ptx/regalloc.h"

namespace warpvp::ptx {

/// A function ready to be placed in programs.
struct FunctionCode {
  int index = -1;  ///< in the module
  LegalFunction legal;
  std::unique_ptr<ControlFlowGraph> cfg;
  Liveness liveness;
  Allocation allocation;
  std::vector<std::uint64_t>
      variable_offset;              ///< in the frame: .local and .param variables; entries: see Param
  std::uint64_t frame_bytes = 0;    ///< multiple of 16
  std::uint64_t operand_bytes = 0;  ///< of its calls, above the frame: at most, a multiple of 16
  /// Where in the program's code of this function an instruction begins, with what expands it; one more for
  /// the end.
  std::vector<Pc> position;
  std::vector<ClosedLoops> loops;  ///< by instruction
  std::uint8_t units = 0;          ///< of a loop that holds all of the function
  std::vector<int> callees;        ///< direct, in order of first call
  bool has_indirect_call = false;
  unsigned live_at_calls = 0;  ///< 32-bit registers alive across a call, at most
};

/// Lowers kernels of a module into `module`, whose variables it enters at once.
class Lowering {
 public:
  Lowering(const ir::Module& m, Module& module, const CodeOptions& options);
  /// The kernel m.functions[function]; one that cannot be executed is entered as refused.
  void entry(int function);

 private:
  // The program being built.
  struct Building {
    Program* program = nullptr;
    std::vector<int> functions;  ///< entry first
    std::uint8_t units = 0;      ///< what an iteration of a loop counts that calls any of them
    std::map<int, Pc> start;     ///< by function
    std::map<std::pair<int, int>, std::uint64_t> shared;  ///< (function or -1, variable): offset
    std::map<std::pair<std::uint64_t, bool>, std::uint16_t> constants;
    std::map<std::pair<int, std::int64_t>, std::uint16_t> symbols;  ///< (module variable, addend)
    std::map<std::string, std::uint32_t> modifiers;  ///< by their bytes: index into Program::modifiers
  };

  void globals();
  void find_refused_variables();
  FunctionCode& code_of(int function);
  std::unique_ptr<FunctionCode> make_code(int function) const;
  void place_instructions(FunctionCode& c) const;
  void frame_layout(FunctionCode& c) const;
  void find_taken_addresses();
  void build_entry(int function);
  void collect_functions(int entry);
  void shared_layout();
  void preset(const FunctionCode& c, const ConstantOperand& constant);
  void emit(int function);
  void emit_instruction(const FunctionCode& c, const ir::Instruction& i, std::uint32_t index, Pc base);
  void operands(const FunctionCode& c, const ir::Instruction& i, Inst& inst);
  void machine_operands(const FunctionCode& c, const ir::Instruction& i, Inst& inst);
  void address(const FunctionCode& c, const ir::Instruction& i, const ir::Operand& o, Inst& inst,
               unsigned slot);
  void move_source(const FunctionCode& c, const ir::Instruction& i, const ir::Operand& o, Inst& inst);
  void scalar(const FunctionCode& c, const ir::Operand& o, Type type, Inst& inst, bool destination,
              unsigned slot);
  void control(const FunctionCode& c, const ir::Instruction& i, std::uint32_t index, Pc base, Inst& inst);
  void read_write_sets(const FunctionCode& c, const ir::Instruction& i, Inst& inst);
  void sizes();
  /// At whose multiples a shared or constant variable lies.
  std::uint32_t alignment_of(const ir::Variable& v) const;
  std::uint64_t function_address(int function) const;
  std::uint32_t modifiers(const Modifiers& m);
  std::uint16_t constant(std::uint64_t bits, bool wide);
  std::uint16_t symbol(const ir::Operand& o);
  std::uint16_t new_constant_row(bool wide);
  [[noreturn]] void fail(ir::Location where, const std::string& message) const;

  const ir::Module& m_;
  Module& module_;
  const CodeOptions options_;
  std::vector<std::unique_ptr<FunctionCode>> functions_;
  std::vector<std::string> refusal_;           ///< of functions, as far as known
  std::vector<std::string> variable_refusal_;  ///< of module variables
  std::vector<bool> address_taken_;
  std::vector<int> number_;  ///< by function: its index among the functions that are no entries
  Building b_;
};

/// A constant as the low bits of a row of its type: floating point converted to it, integers cut to it.
std::uint64_t constant_bits(const ir::Operand& o, Type type);

/// Unit and class by which an instruction is timed.
void classify(const ir::Instruction& i, bool in_entry, Inst& inst);

}  // namespace warpvp::ptx
