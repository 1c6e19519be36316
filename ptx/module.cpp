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
  auto module = std::make_unique<Module>();
  module->file_ = file;
  module->source_ = std::make_unique<ir::Module>(parse_module(text, file));
  const ir::Module& m = *module->source_;
  module->lowering_ = std::make_unique<Lowering>(m, *module, options);
  for (std::size_t f = 0; f < m.functions.size(); ++f)
    if (m.functions[f].is_entry && m.functions[f].has_body)
      module->waiting_[m.functions[f].name] = static_cast<int>(f);
  return module;
}

Module::Module() = default;
Module::~Module() = default;

void Module::lower(const std::string& name) const {
  const auto waiting = waiting_.find(name);
  if (waiting == waiting_.end()) return;
  const Activity reading("reading", file_);
  const int function = waiting->second;
  waiting_.erase(waiting);
  const std::size_t first = patches_.size(), first_preset = preset_patches_.size();
  lowering_->entry(function);
  const auto made = programs_.find(name);
  if (placed_ && made != programs_.end()) {
    made->second->const_ranges = const_ranges_;
    patch(first, first_preset);
  }
  if (!waiting_.empty()) return;
  lowering_ = nullptr;
  source_ = nullptr;
}

void Module::lower_all() const {
  while (!waiting_.empty()) lower(std::string(waiting_.begin()->first));
}

std::unique_ptr<Module> Module::load(const std::string& path, const CodeOptions& options) {
  const Activity reading("reading", path);
  return parse(read_input_file(path, input_limit::kPtx), path, options);
}

const std::map<std::string, std::string>& Module::refused() const {
  lower_all();
  return refused_;
}

std::vector<std::string> Module::entries() const {
  lower_all();
  std::vector<std::string> names;
  for (const auto& [name, program] : programs_) names.push_back(name);
  return names;
}

std::shared_ptr<Program> Module::entry(const std::string& name) const {
  lower(name);
  const auto found = programs_.find(name);
  if (found != programs_.end()) return found->second;
  const auto refusal = refused_.find(name);
  if (refusal != refused_.end()) throw InputError(refusal->second);
  std::set<std::string> names;
  for (const auto& [other, program] : programs_) names.insert(other);
  for (const auto& [other, reason] : refused_) names.insert(other);
  for (const auto& [other, function] : waiting_) names.insert(other);
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
  placed_ = true;
  for (const GlobalVariable& g : globals_) {
    const std::uint64_t address = addresses_[g.name] = address_of(g);
    if (g.space == Space::kConst) const_ranges_.emplace_back(address, address + g.bytes);
  }
  for (const auto& [name, program] : programs_) program->const_ranges = const_ranges_;
  for (const GlobalVariable& g : globals_) {
    std::vector<std::uint8_t> bytes = g.initial;
    bytes.resize(g.bytes, 0);
    for (const GlobalVariable::Relocation& r : g.relocations) {
      // Generic addresses of global and constant memory are the addresses themselves.
      const std::uint64_t value = (addresses_.at(r.symbol) + static_cast<std::uint64_t>(r.addend)) >> r.shift;
      for (unsigned k = 0; k < r.bytes; ++k)
        bytes[r.offset + k] = static_cast<std::uint8_t>(value >> (8 * k));
    }
    write(addresses_.at(g.name), bytes);
  }
  patch(0, 0);
}

void Module::patch(std::size_t first, std::size_t first_preset) const {
  for (std::size_t k = first_preset; k < preset_patches_.size(); ++k) {
    const PresetPatch& p = preset_patches_[k];
    p.program->presets[p.preset].address += addresses_.at(p.symbol);
  }
  for (std::size_t k = first; k < patches_.size(); ++k) {
    const SymbolPatch& p = patches_[k];
    const std::uint64_t value = addresses_.at(p.symbol) + static_cast<std::uint64_t>(p.addend);
    std::uint32_t* words = p.program->constants.data() + static_cast<std::size_t>(p.row) * kWarpSize;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      words[2 * lane] = static_cast<std::uint32_t>(value);
      words[2 * lane + 1] = static_cast<std::uint32_t>(value >> 32);
    }
  }
}

}  // namespace warpvp::ptx
