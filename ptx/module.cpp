#include "ptx/module.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "base/end_guard.h"
#include "base/error.h"
#include "base/input_file.h"
#include "ptx/demangle.h"
#include "ptx/lowering.h"
#include "ptx/parser.h"

namespace warpvp::ptx {
namespace {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Program::locate(Pc pc) const {
  if (pc >= code.size()) return fmt::format("{}: pc {}", file, pc);
  return fmt::format("{}:{}: {}", file, code[pc].line, texts[code[pc].ir_index]);
}

std::unique_ptr<Module> Module::parse(const std::string& text, const std::string& file,
                                      const CodeOptions& options) {
  const ir::Module m = parse_module(text, file);
  auto module = std::make_unique<Module>();
  module->file_ = file;
  Lowering(m, *module, options).run();
  return module;
}

std::unique_ptr<Module> Module::load(const std::string& path, const CodeOptions& options) {
  const Activity reading("reading", path);
  return parse(read_input_file(path, input_limit::kPtx), path, options);
}

std::vector<std::string> Module::entries() const {
  std::vector<std::string> names;
  for (const auto& [name, program] : programs_) names.push_back(name);
  return names;
}

std::shared_ptr<Program> Module::entry(const std::string& name) const {
  const auto found = programs_.find(name);
  if (found != programs_.end()) return found->second;
  const auto refusal = refused_.find(name);
  if (refusal != refused_.end()) throw InputError(refusal->second);
  std::set<std::string> names;
  for (const auto& [other, program] : programs_) names.insert(other);
  for (const auto& [other, reason] : refused_) names.insert(other);
  if (names.empty())
    throw InputError(fmt::format("{}: no kernel '{}': the module has no .entry", file_, name));
  if (name.empty() && names.size() == 1) return entry(*names.begin());
  const std::vector<std::string> meant = names_meant({names.begin(), names.end()}, name);
  if (meant.size() == 1) return entry(meant[0]);
  if (meant.size() > 1) {
    std::string all;
    for (const std::string& other : meant) all += (all.empty() ? "" : ", ") + demangled(other);
    throw InputError(fmt::format("{}: '{}' names {} kernels; say which: {}", file_, name, meant.size(), all));
  }
  std::string list, nearest;
  std::size_t best = static_cast<std::size_t>(-1);
  for (const std::string& other : names) {
    const std::string shown = short_name(other);
    list += (list.empty() ? "" : ", ") + shown;
    const std::size_t distance = edit_distance(name, shown);
    if (distance < best) {
      best = distance;
      nearest = shown;
    }
  }
  throw InputError(
      fmt::format("{}: no kernel '{}'; did you mean '{}'? It has: {}", file_, name, nearest, list));
}

void Module::place(const std::function<std::uint64_t(const GlobalVariable&)>& address_of,
                   const std::function<void(std::uint64_t, const std::vector<std::uint8_t>&)>& write) {
  std::map<std::string, std::uint64_t> addresses;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> const_ranges;
  for (const GlobalVariable& g : globals_) {
    const std::uint64_t address = addresses[g.name] = address_of(g);
    if (g.space == Space::kConst) const_ranges.emplace_back(address, address + g.bytes);
  }
  for (const auto& [name, program] : programs_) program->const_ranges = const_ranges;
  for (const GlobalVariable& g : globals_) {
    std::vector<std::uint8_t> bytes = g.initial;
    bytes.resize(g.bytes, 0);
    for (const GlobalVariable::Relocation& r : g.relocations) {
      // Generic addresses of global and constant memory are the addresses themselves.
      const std::uint64_t value = (addresses.at(r.symbol) + static_cast<std::uint64_t>(r.addend)) >> r.shift;
      for (unsigned k = 0; k < r.bytes; ++k)
        bytes[r.offset + k] = static_cast<std::uint8_t>(value >> (8 * k));
    }
    write(addresses.at(g.name), bytes);
  }
  for (const PresetPatch& p : preset_patches_) p.program->presets[p.preset].address += addresses.at(p.symbol);
  for (const SymbolPatch& p : patches_) {
    const std::uint64_t value = addresses.at(p.symbol) + static_cast<std::uint64_t>(p.addend);
    std::uint32_t* words = p.program->constants.data() + static_cast<std::size_t>(p.row) * kWarpSize;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      words[2 * lane] = static_cast<std::uint32_t>(value);
      words[2 * lane + 1] = static_cast<std::uint32_t>(value >> 32);
    }
  }
}

}  // namespace warpvp::ptx
