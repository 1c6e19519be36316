#pragma once
// The typed intermediate form of a PTX module, as the parser leaves it: names resolved to indices, operands
// checked against the types of their instruction, text otherwise kept one to one. `disassemble`
// (ptx/disassemble.h) turns it back into PTX that parses to the same form.

#include <cstdint>
#include <string>
#include <vector>

#include "ptx/opcodes.h"
#include "ptx/program.h"

namespace warpvp::ptx {
struct OpcodeForm;  // ptx/opcode_table.h
}

namespace warpvp::ptx::ir {

/// A place in the PTX text, counted from 1.
struct Location {
  std::uint32_t line = 0, column = 0;
};

/// A virtual register. Names are unique in their function (a shadowing name of a nested scope is renamed).
struct Register {
  std::string name;
  Type type = Type::kNone;
  Location where;
  bool constant = false;  ///< machine code: an entry of the constant bank, LegalFunction::constants
};

/// An instruction operand.
struct Operand {
  enum class Kind : std::uint8_t {
    kNone,
    kRegister,  ///< `index` into Function::registers
    kInteger,   ///< `bits`: two's complement, 64 bits
    kSingle,    ///< `bits`: an IEEE single (0f...)
    kDouble,    ///< `bits`: an IEEE double (0d... or decimal)
    kVariable,  ///< address of a variable + `offset`; `index` and `module_scope` say which
    kFunction,  ///< address of function `index` of the module
    kAddress,   ///< [base + offset]; `base` says what `index` is
    kSpecial,   ///< `index` is a SpecialRegister
    kSink,      ///< _
    kVector,    ///< {a, b, ...} in `elements`
    kPair,      ///< a|b in `elements`
  };
  enum class Base : std::uint8_t { kAbsolute, kRegister, kVariable };
  Kind kind = Kind::kNone;
  Base base = Base::kAbsolute;
  bool negated = false;       ///< !p, or -a in a video instruction
  bool module_scope = false;  ///< variables: Module::variables, else Function::variables
  int index = -1;
  std::int64_t offset = 0;
  std::uint64_t bits = 0;
  std::vector<Operand> elements;
  std::string selector;  ///< of a video instruction: "h1" in a.h1
  Location where;
};

enum class Linkage : std::uint8_t { kNone, kVisible, kExtern, kWeak, kCommon };

/// A module-scope or function-scope variable, or a formal parameter in .param space.
struct Variable {
  std::string name;
  Space space = Space::kNone;
  Linkage linkage = Linkage::kNone;
  Type type = Type::kNone;
  unsigned vector = 1;                    ///< .v2, .v4
  std::vector<std::uint64_t> dimensions;  ///< 0: unsized (extern arrays)
  std::uint32_t alignment = 1;
  std::uint64_t bytes = 0;
  bool is_pointer = false;  ///< parameter with .ptr
  bool is_texture = false;  ///< .texref: of type .b64, 64 bytes for the descriptor
  bool is_managed = false;  ///< .attribute(.managed)
  std::string attributes;   ///< ".ptr .global .align 4" of a parameter, as PTX text
  bool initialised = false;
  std::vector<std::uint8_t> initial;  ///< exactly `bytes` when `initialised`
  struct Relocation {
    std::uint64_t offset = 0;
    int index = -1;  ///< of a module variable, or of a function
    bool is_function = false, generic = false;
    std::int64_t addend = 0;
    std::uint8_t bytes = 8;
    std::uint8_t shift = 0;  ///< the bytes of `address >> shift`: 0xff00(name) is one byte with shift 8
  };
  std::vector<Relocation> relocations;
  /// "file:line:column: message" of why it is not supported; empty if it is. Nothing else is known of it
  /// then.
  std::string refusal;
  Location where;
};

/// A formal parameter or return value: a register or a .param variable of its function.
struct Formal {
  bool is_register = false;
  int index = -1;
};

/// Signature of an indirect call: `.callprototype`, or the functions `.calltargets` lists.
struct CallShape {
  std::string name;
  bool is_targets = false;
  std::vector<int> targets;               ///< is_targets: functions
  std::vector<Variable> returns, params;  ///< otherwise (register formals appear with space kNone)
  bool noreturn = false;
};

/// What of the machine instructions of one PTX instruction those of an earlier one have done already.
enum class Shared : std::uint8_t {
  kNone,
  kDivisor,   ///< all that depends on the divisor alone, or the scaled argument of a sine or cosine
  kQuotient,  ///< the division of the same numbers
};

/// Machine instructions of control flow before an instruction (ptx/machine/convergence.h).
struct ControlBefore {
  std::uint8_t ends = 0;    ///< BSYNC: as many divergent regions end here
  std::uint8_t nops = 0;    ///< NOP
  std::uint8_t begins = 0;  ///< BMOV and BSSY: as many begin
  unsigned instructions() const { return ends + nops + 2u * begins; }
};

struct Instruction {
  Opcode opcode{};
  const OpcodeForm* form =
      nullptr;  ///< the row of the opcode table it matched; null for internal instructions
  Modifiers modifiers;
  std::string mnemonic;  ///< with suffixes, "ld.global.u32"
  Space space = Space::kNone;
  CacheOp cache = CacheOp::kNone;
  bool is_volatile = false, uniform = false;
  std::uint8_t vector = 1;

  int guard = -1;  ///< predicate register of @p
  bool guard_negated = false;
  /// Guarded, and where the guard is false nobody reads what its destinations held before: machine code only.
  bool fresh = false;
  Shared shared = Shared::kNone;  ///< machine code only
  ControlBefore control;          ///< machine code only
  std::vector<Operand>
      operands;  ///< PTX order; empty for control flow except brx (index) and indirect call (callee)
  std::uint8_t dst_count = 0;  ///< leading operands that are written

  int label = -1;                           ///< bra: index into Function::labels
  int table = -1;                           ///< brx: index into Function::tables
  int callee = -1;                          ///< call: function; -1 when indirect
  int shape = -1;                           ///< indirect call: index into Function::shapes
  std::vector<Operand> returns, arguments;  ///< call: registers, constants or variables in .param space
  Location where;
};

struct Label {
  std::string name;
  std::uint32_t position = 0;  ///< index of the instruction it precedes; may be code.size()
  Location where;
  bool no_unroll = false;  ///< .pragma "nounroll": a loop that begins here stays one
};

struct BranchTable {
  std::string name;
  std::vector<int> labels;
  std::uint32_t position = 0;  ///< where the directive stood
};

struct Function {
  std::string name;
  Linkage linkage = Linkage::kNone;
  bool is_entry = false, has_body = false, noreturn = false;
  std::vector<Formal> returns, params;
  std::vector<Register> registers;
  std::vector<Variable> variables;  ///< parameters first
  std::vector<Label> labels;        ///< by position
  std::vector<BranchTable> tables;
  std::vector<CallShape> shapes;
  std::vector<Instruction> code;
  std::uint32_t max_threads[3] = {0, 0, 0}, required_threads[3] = {0, 0, 0};
  std::uint32_t min_ctas_per_sm = 0, max_registers = 0;
  /// "file:line:column: message" of the first thing in it that is malformed or not supported; empty if it can
  /// run. The body is empty then.
  std::string refusal;
  bool signature_known = true;  ///< false: its header is refused, nothing but name and place is known
  Location where;
};

struct Module {
  std::string file;
  unsigned version_major = 0, version_minor = 0;
  std::string target;  ///< "sm_70", with options after commas
  unsigned address_bits = 64;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

}  // namespace warpvp::ptx::ir
