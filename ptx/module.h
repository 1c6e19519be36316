#pragma once
// The face of the PTX library: text in, executable kernels out.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/program.h"

namespace warpvp::ptx {

/// A loaded PTX module.
class Module {
 public:
  /// Parses and lowers PTX text. `file` names it in messages. Throws InputError ("file:line:column: ...") for
  /// anything malformed or unsupported: nothing is accepted that would execute wrongly.
  static std::unique_ptr<Module> parse(const std::string& text, const std::string& file);
  /// Reads and parses a file; InputError if it cannot be read.
  static std::unique_ptr<Module> load(const std::string& path);

  std::vector<std::string> entries() const;
  /// InputError naming the entries (and the nearest) if there is none of that name.
  std::shared_ptr<Program> entry(const std::string& name) const;
  /// Variables the loader must place, in source order.
  const std::vector<GlobalVariable>& globals() const { return globals_; }
  /// Tells where each of globals() lies; patches constant banks and branch/function tables. `address_of` is
  /// asked once for every variable; `write` is handed the initial contents after relocation. Call once, before
  /// any kernel runs.
  void place(const std::function<std::uint64_t(const GlobalVariable&)>& address_of,
             const std::function<void(std::uint64_t address, const std::vector<std::uint8_t>& bytes)>& write);

 private:
  friend class Lowering;
  std::vector<GlobalVariable> globals_;
  std::map<std::string, std::shared_ptr<Program>> programs_;
  /// Constant-bank rows that hold the address of a global symbol, to be patched by place().
  struct SymbolPatch {
    Program* program;
    std::uint32_t row;
    std::string symbol;
    std::int64_t addend;
    bool is_64_bit;
  };
  std::vector<SymbolPatch> patches_;
};

}  // namespace warpvp::ptx
