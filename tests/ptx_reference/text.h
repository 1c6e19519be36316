#pragma once
// The reference's own reading of PTX text: the subset that the program generator and the cases of this folder
// write. It shares nothing with the front end of the platform.

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpvp::reference {

/// The reference cannot read or run the text.
struct ReferenceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A PTX type such as u32, b64, f32, pred or s16x2.
struct Type {
  char kind = 0;        ///< u s b f p, or 0: no type
  int bits = 0;         ///< of one element
  bool packed = false;  ///< two elements in 32 bits
  bool is_signed() const { return kind == 's'; }
  bool is_float() const { return kind == 'f'; }
  explicit operator bool() const { return kind != 0; }
};
/// The type called so; without one when the word names none.
Type type_named(const std::string& word);

/// What an instruction says before its operands: "setp", "lt", "and", "s32".
struct Opcode {
  std::vector<std::string> parts;
  const std::string& name() const { return parts[0]; }
  bool has(const char* word) const;
  /// The types among the parts, in order.
  std::vector<Type> types() const;
  std::string text() const;
};

struct Operand {
  enum class Kind { kRegister, kImmediate, kSymbol, kSpecial, kMemory, kVector, kSink, kLabel, kList };
  Kind kind = Kind::kSink;
  int index = -1;              ///< register, or base register of a memory operand
  bool negated = false;        ///< !%p
  std::uint64_t value = 0;     ///< immediate; offset of a memory operand or a symbol
  std::string name;            ///< symbol, special register, label
  std::vector<Operand> parts;  ///< elements of a vector or of an argument list
  int pair = -1;               ///< register behind '|', or -1
  std::string predicate_sink;  ///< "_" when the pair is not wanted
};

struct Instruction {
  int guard = -1;  ///< predicate register
  bool guard_negated = false;
  Opcode op;
  std::vector<Operand> operands;
  std::string source;  ///< for messages
};

struct Parameter {
  std::string name;
  int bytes = 0;
  int offset = 0;
};

struct Function {
  std::string name;
  bool is_entry = false;
  std::vector<Type> registers;
  std::map<std::string, int> register_index;
  std::vector<Parameter> parameters;  ///< of the function, and those declared in its body for calls
  std::size_t inputs = 0,
              results = 0;  ///< parameters [0, results) come back, [results, results + inputs) go in
  int parameter_bytes = 0;
  std::vector<Instruction> code;
  std::map<std::string, int> labels;
  std::map<std::string, std::vector<std::string>> branch_targets;
  const Parameter* parameter(const std::string& name) const;
};

/// A variable in a state space; shared and local ones hold their offset from the start of the space.
struct Variable {
  std::string space;
  std::uint64_t bytes = 0, offset = 0;
  std::vector<std::uint8_t> initial;
};

struct Text {
  std::map<std::string, Function> functions;
  std::map<std::string, Variable> variables;
  std::uint64_t shared_bytes = 0, local_bytes = 0, const_bytes = 0;
};

/// Throws ReferenceError for what is outside the subset.
Text read_text(const std::string& source);

}  // namespace warpvp::reference
