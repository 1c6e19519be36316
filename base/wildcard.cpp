#include "base/wildcard.h"

namespace warpvp {

bool matches_pattern(const std::string& pattern, const std::string& name, char stop) {
  // The usual greedy match: on a mismatch, let the last `*` take one character more.
  std::size_t p = 0, n = 0, star = std::string::npos, taken = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string::npos && (stop == '\0' || name[taken] != stop)) {
      p = star + 1;
      n = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace warpvp
