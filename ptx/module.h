#pragma once
// The face of the PTX library: text in, executable kernels out.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/code_options.h"
#include "ptx/program.h"

namespace warpvp::ptx {

class Lowering;
namespace ir {
struct Module;
}

/// A loaded PTX module. Kernels are lowered when they are first asked for: programs have hundreds, and launch
/// a few.
class Module {
 public:
  Module();
  ~Module();

  /// Parses PTX text. `file` names it in messages. Nothing is accepted that would execute wrongly:
  /// what is malformed at module level throws InputError ("file:line:column: ..."); what is malformed or
  /// unsupported in a function or a variable's type refuses the kernels that can reach it, see `refused`.
  static std::unique_ptr<Module> parse(const std::string& text, const std::string& file,
                                       const CodeOptions& options = {});
  /// Reads and parses a file; InputError if it cannot be read.
  static std::unique_ptr<Module> load(const std::string& path, const CodeOptions& options = {});

  /// The kernels that can run, by name.
  std::vector<std::string> entries() const;
  /// Kernels that cannot run, with the "file:line:column: message" of why.
  const std::map<std::string, std::string>& refused() const;
  /// The same for variables: they have no place in globals().
  const std::map<std::string, std::string>& refused_variables() const { return refused_variables_; }
  /// The kernel of that name, mangled or as C++ writes it (names_meant in ptx/demangle.h). InputError saying
  /// why if the kernel is refused, or naming the entries (and the nearest) if there is none of that name. An
  /// empty name: the only entry there is.
  std::shared_ptr<Program> entry(const std::string& name) const;
  /// Variables the loader must place, in source order.
  const std::vector<GlobalVariable>& globals() const { return globals_; }
  /// Tells where each of globals() lies; patches constant banks and branch/function tables. `address_of` is
  /// asked once for every variable; `write` is handed the initial contents after relocation. Call once,
  /// before any kernel runs. Kernels that are asked for later are patched then.
  void place(const std::function<std::uint64_t(const GlobalVariable&)>& address_of,
             const std::function<void(std::uint64_t address, const std::vector<std::uint8_t>& bytes)>& write);

 private:
  friend class Lowering;
  /// Lowers a kernel that has not been yet: afterwards it is in programs_ or in refused_.
  void lower(const std::string& name) const;
  void lower_all() const;
  /// Applies the patches from these on.
  void patch(std::size_t first, std::size_t first_preset) const;

  std::vector<GlobalVariable> globals_;
  std::string file_;
  std::map<std::string, std::string> refused_variables_;
  // The parsed text and what lowers it, until all kernels are lowered; those that are not yet, with their index in
  // source_->functions; and what the others have become.
  mutable std::unique_ptr<ir::Module> source_;
  mutable std::unique_ptr<Lowering> lowering_;
  mutable std::map<std::string, int> waiting_;
  mutable std::map<std::string, std::shared_ptr<Program>> programs_;
  mutable std::map<std::string, std::string> refused_;
  /// Constant-bank rows that hold the address of a global symbol, to be patched by place().
  struct SymbolPatch {
    Program* program;
    std::uint32_t row;
    std::string symbol;
    std::int64_t addend;
    bool is_64_bit;
  };
  mutable std::vector<SymbolPatch> patches_;
  /// Presets that come from constant memory: place() adds the address of the symbol to theirs.
  struct PresetPatch {
    Program* program;
    std::size_t preset;
    std::string symbol;
  };
  mutable std::vector<PresetPatch> preset_patches_;
  // Once place() has been called.
  bool placed_ = false;
  std::map<std::string, std::uint64_t> addresses_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> const_ranges_;
};

}  // namespace warpvp::ptx
