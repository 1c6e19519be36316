#include "base/registry.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>

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

void add_registry_entry(RegistryEntryInfo entry) {
  for (const RegistryEntryInfo& other : all_registry_entries()) {
    if (other.kind != entry.kind || other.name != entry.name) continue;
    // Registrations run before main(), where nobody catches.
    std::fprintf(stderr,
                 "warpvp: %s '%s' is registered twice: in %s and in %s; give one of them another name\n",
                 entry.kind.c_str(), entry.name.c_str(), other.source.c_str(), entry.source.c_str());
    std::_Exit(static_cast<int>(ExitCode::kBadInput));
  }
  all_registry_entries().push_back(std::move(entry));
}

}  // namespace warpvp
