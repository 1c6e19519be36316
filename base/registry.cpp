#include "base/registry.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <numeric>
#include <typeinfo>

#include "base/plugin_registrations.h"

namespace warpvp {

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i - 1] != candidate[j - 1]);
        diagonal = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

std::string join_names(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

std::vector<RegistryEntryInfo>& all_registry_entries() {
  static std::vector<RegistryEntryInfo> entries;
  return entries;
}

namespace {

/// A platform asks for thousands of parts, and hardly a run has plugins.
bool any_of_plugins = false;

/// The plugin's file that registered the part; null for one of our own.
const std::string* plugin_of_part(const std::string& kind, const std::string& name) {
  if (!any_of_plugins) return nullptr;
  for (const RegistryEntryInfo& entry : all_registry_entries())
    if (!entry.plugin.empty() && entry.kind == kind && entry.name == name) return &entry.plugin;
  return nullptr;
}

}  // namespace

std::string part_title(const std::string& kind, const std::string& name) {
  const std::string* const plugin = plugin_of_part(kind, name);
  return kind + " '" + name + "'" + (plugin ? " of the plugin " + *plugin : std::string());
}

thread_local MadeParts* MadeParts::current_ = nullptr;

void MadeParts::add(const std::string& kind, const std::string& name) {
  if (!plugin_of_part(kind, name)) return;
  const std::string title = part_title(kind, name);
  if (std::find(titles_.begin(), titles_.end(), title) == titles_.end()) titles_.push_back(title);
}

std::string MadeParts::text() const {
  return titles_.empty() ? std::string() : " (with " + join_names(titles_) + ")";
}

std::string thrown_text() {
  std::string text;
  try {
    throw;
  } catch (const std::exception& error) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> type(
        abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
    text = std::string(type ? type.get() : typeid(error).name()) + ": " + error.what();
  } catch (const char* words) {
    text = words;
  } catch (const std::string& words) {
    text = words;
  } catch (...) {
    const std::type_info* const type = abi::__cxa_current_exception_type();
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> readable(
        type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, &status) : nullptr, std::free);
    text = readable ? "an object of type " + std::string(readable.get()) : "what is no C++ object";
  }
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

void throw_part_failure(const std::string& title, const char* when) {
  try {
    throw;
  } catch (const InputError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const PartFailure&) {
    throw;
  } catch (const abi::__forced_unwind&) {
    throw;
  } catch (...) {
    throw PartFailure(title + " threw " + thrown_text() + when);
  }
}

PartMakers::PartMakers(const char* kind) : kind_(kind) {}
PartMakers::~PartMakers() = default;

void PartMakers::add(const std::string& name, const std::string& doc,
                     std::function<void(FieldVisitor&)> params, Maker maker, const char* source) {
  if (add_registry_entry({kind_, name, doc, std::move(params), source})) makers_[name] = std::move(maker);
}

std::vector<std::string> PartMakers::names() const {
  std::vector<std::string> out;
  for (const auto& [name, maker] : makers_) out.push_back(name);
  return out;
}

bool PartMakers::contains(const std::string& name) const { return makers_.count(name) != 0; }

void* PartMakers::make(const PolicyChoice& choice, const void* context) const {
  auto it = makers_.find(choice.name);
  if (it == makers_.end()) {
    const std::string near = nearest_name(choice.name, names());
    throw InputError((choice.place.empty() ? "" : choice.place + ": ") + "unknown " + kind_ + " '" +
                     choice.name + "'; allowed: " + join_names(names()) +
                     (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  MadeParts::note(kind_, choice.name);
  try {
    return it->second(choice, context);
  } catch (...) {
    throw_part_failure(part_title(kind_, choice.name), " when it was made");
  }
}

namespace {
PluginRegistrations* under_way = nullptr;
}  // namespace

PluginRegistrations::PluginRegistrations(std::string file) : file_(std::move(file)) { under_way = this; }
PluginRegistrations::~PluginRegistrations() { under_way = nullptr; }

bool add_registry_entry(RegistryEntryInfo entry) {
  if (under_way) {
    entry.plugin = under_way->file();
    entry.source = entry.plugin + " (" + entry.source + ")";
  }
  for (const RegistryEntryInfo& other : all_registry_entries()) {
    if (other.kind != entry.kind || other.name != entry.name) continue;
    const std::string message = entry.kind + " '" + entry.name + "' is registered twice: in " + other.source +
                                " and in " + entry.source;
    if (under_way) {
      // Nothing may be thrown through the dynamic linker, which runs a plugin's registrations.
      under_way->note_clash(message);
      return false;
    }
    // Registrations run before main(), where nobody catches.
    std::fprintf(stderr, "warpvp: %s; give one of them another name\n", message.c_str());
    std::_Exit(static_cast<int>(ExitCode::kBadInput));
  }
  any_of_plugins |= !entry.plugin.empty();
  all_registry_entries().push_back(std::move(entry));
  if (under_way) under_way->note_added();
  return true;
}

}  // namespace warpvp
