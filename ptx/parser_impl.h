#pragma once
// The recursive-descent parser behind parser.h: state shared by its parts. Private to ptx/parser*.cpp.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "ptx/ir.h"
#include "ptx/lexer.h"
#include "ptx/opcode_table.h"

namespace warpvp::ptx {

/// Something well formed that is not supported. At module level it refuses the declaration it stands in and
/// what uses that, where other errors refuse the module.
class Unsupported : public InputError {
 public:
  using InputError::InputError;
};

class Parser {
 public:
  Parser(const std::string& text, const std::string& file);
  ir::Module run();

 private:
  // What a name of a scope stands for.
  struct Entity {
    enum class Kind : std::uint8_t { kRegister, kVector, kVariable, kLabel, kTable, kShape };
    Kind kind;
    int index;  ///< of a vector: its first register
    unsigned count = 1;
    bool of_family = false;  ///< declared by a family, when first used
  };
  // `.reg .u32 %r<100>` declares a family of which members become registers when first used.
  struct Family {
    std::string prefix;
    std::uint64_t count;
    Type type;
    unsigned vector;
    ir::Location where;
  };
  struct Scope {
    std::unordered_map<std::string, Entity> names;
    std::vector<Family> families;
    ir::Location where;
  };
  // A use of a label that may be declared further down: patched when the scope it was seen in closes.
  struct PendingLabel {
    std::string name;
    std::size_t depth;  ///< number of scopes open at the use, lowered as they close
    ir::Location where;
    int instruction = -1;            ///< bra or brx in `code`
    int table = -1, table_slot = 0;  ///< or an entry of a .branchtargets list
  };
  struct ModuleName {
    bool is_function;
    int index;
  };
  // A constant expression's value.
  struct Value {
    bool is_double = false, is_single = false;
    std::uint64_t bits = 0;
    ir::Location where;
  };

  // ---- tokens (parser.cpp)
  const Token& peek(std::size_t ahead = 0) const;
  const Token& next();
  bool at(std::string_view punctuation) const;
  bool at_dotted(std::string_view name) const;
  bool accept(std::string_view punctuation);
  bool accept_dotted(std::string_view name);
  void expect(std::string_view punctuation, const char* after);
  std::string expect_name(const char* what);
  std::uint64_t expect_integer(const char* what);
  [[noreturn]] void fail(ir::Location where, const std::string& message) const;
  [[noreturn]] void fail_here(const std::string& message) const;
  [[noreturn]] void unsupported(ir::Location where, const std::string& message) const;
  [[noreturn]] void unsupported_here(const std::string& message) const;
  std::string describe(const Token& t) const;

  // ---- what is not supported refuses what needs it (parser_refusal.cpp)
  void skip_statement(std::size_t begin);
  void skip_braces(ir::Location where, const char* what);
  void refuse_function(const std::string& message);
  void refuse_function(ir::Location where, const std::string& message);
  void refuse_statement(std::size_t begin, const std::string& message);
  void refuse_variables(std::size_t begin, const std::string& message);
  void refuse_header(std::size_t begin, const std::string& message);
  void check_signature(int function) const;
  bool cluster_directive();

  // ---- module scope (parser.cpp)
  void module_item();
  void version();
  void skip_section();
  void skip_loc();
  void module_variables(ir::Linkage linkage);
  void module_variable_list(ir::Linkage linkage);
  void alias();
  void resolve_aliases();
  void module_variable(ir::Variable v);
  void textures(ir::Linkage linkage);
  void function(ir::Linkage linkage, bool is_entry);
  void header();
  void formals(std::vector<ir::Formal>& list, bool is_entry, bool is_return);
  ir::Formal formal(bool is_entry);
  void check_redeclaration(const ir::Function& earlier, ir::Function& now);
  void performance_directives();
  /// Takes `.pragma` and its strings; whether "nounroll" is among them.
  bool pragma_forbids_unrolling();
  void pragma_in_body();
  /// Whether it was `.managed`.
  bool skip_attribute();
  void declare_module(const std::string& name, ModuleName entity, ir::Location where);

  // ---- declarations (parser_values.cpp)
  struct TypePrefix {
    Type type = Type::kNone;
    unsigned vector = 1;
    std::uint32_t alignment = 0;
  };
  /// Of a register it may be .b128.
  TypePrefix type_prefix(bool of_register = false);
  ir::Variable declarator(const TypePrefix& prefix, Space space, ir::Linkage linkage, std::string name,
                          ir::Location where);
  void initialiser(ir::Variable& v);
  void initial_level(ir::Variable& v, std::size_t level, std::uint64_t& element, std::uint64_t limit);
  void initial_value(ir::Variable& v, std::uint64_t element);
  void initial_address(ir::Variable& v, std::uint64_t element);
  void finish_size(ir::Variable& v);

  // ---- constant expressions (parser_values.cpp)
  Value expression();
  Value binary(int level);
  Value unary();
  Value primary();
  std::int64_t integer_expression(const char* what);
  bool starts_expression() const;

  // ---- function bodies (parser_body.cpp)
  void body(ir::Function& f);
  void block();
  void statement();
  void open_scope();
  void close_scope();
  void register_declaration();
  void variable_declaration(Space space, ir::Linkage linkage);
  void label_or_directive(const std::string& name, ir::Location where);
  void branch_targets(const std::string& name, ir::Location where);
  void call_targets(const std::string& name, ir::Location where);
  void call_prototype(const std::string& name, ir::Location where);
  void prototype_formals(std::vector<ir::Variable>& list);
  const Entity* find(const std::string& name);
  void declare(const std::string& name, Entity entity, ir::Location where);
  static bool is_member(const Family& family, const std::string& name);
  void declare_family(Family family);
  std::string unique_name(const std::string& name);
  int add_register(const std::string& name, Type type, ir::Location where);
  Entity add_registers(const std::string& name, Type type, unsigned vector, ir::Location where);

  // ---- instructions (parser_body.cpp, parser_operands.cpp)
  void instruction();
  void move_halves(ir::Instruction&& i);
  void branch(ir::Instruction& i);
  void call(ir::Instruction& i);
  void call_operands(std::vector<ir::Operand>& list);
  void check_call(const ir::Instruction& i);
  ir::Operand operand();
  ir::Operand simple_operand();
  ir::Operand address();
  ir::Operand video_operand();
  ir::Operand register_operand(const Entity& e, ir::Location where);
  ir::Operand constant_operand();
  ir::Operand name_operand(bool texture_allowed = false);
  // ---- textures and surfaces (parser_textures.cpp)
  static bool is_image_access(Opcode opcode);
  void image_operands(ir::Instruction& i);
  ir::Operand image_handle(const ir::Instruction& i);
  void check_coordinates(const ir::Instruction& i, ir::Operand& o, bool gradient);

  void check_operands(ir::Instruction& i);
  void check_operand(ir::Instruction& i, ir::Operand& o, const OperandSpec& spec);
  void check_scalar(const ir::Instruction& i, const ir::Operand& o, Type type, bool wider_allowed,
                    bool destination);
  void check_move(ir::Instruction& i);
  void check_vector_move(ir::Instruction& i);
  void check_fragment(const ir::Instruction& i, const ir::Operand& o);
  void check_video(ir::Instruction& i);
  void check_constants(ir::Instruction& i);
  void check_memory(ir::Instruction& i);
  void check_predicate(const ir::Instruction& i, const ir::Operand& o, bool destination);
  bool register_fits(Type reg, Type type, bool wider_allowed) const;
  const ir::Variable& variable(const ir::Operand& o) const;
  void add_instruction(ir::Instruction&& i);

  std::string text_, file_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  ir::Module module_;
  std::unordered_map<std::string, ModuleName> module_names_;
  ir::Function* function_ = nullptr;
  std::vector<Scope> scopes_;
  bool module_no_unroll_ = false, function_no_unroll_ = false;
  std::unordered_map<std::string, int> used_names_;  // of the current function; values: next suffix to try
  std::vector<PendingLabel> pending_;
  struct Alias {
    int alias, aliasee;  ///< functions
  };
  std::vector<Alias> aliases_;
  int depth_ = 0;  // of nested expressions
};

}  // namespace warpvp::ptx
