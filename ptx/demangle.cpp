#include "ptx/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace warpvp::ptx {

namespace {

/// Position of the first `c` outside of angle brackets, or npos.
std::size_t outside(const std::string& text, char c) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == c && depth == 0) return i;
    depth += (text[i] == '<') - (text[i] == '>' && (i == 0 || text[i - 1] != '-'));
  }
  return std::string::npos;
}

std::string packed(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// A demangled name without its type.
std::string untyped(std::string text) {
  // "(anonymous namespace)" is no list of parameters.
  const std::string anonymous = "(anonymous namespace)";
  for (std::size_t at; (at = text.find(anonymous)) != std::string::npos;)
    text.replace(at, anonymous.size(), "{anonymous}");
  // Only templates have their result's type in front.
  const std::size_t blank = outside(text.substr(0, outside(text, '(')), ' ');
  return blank == std::string::npos ? text : text.substr(blank + 1);
}

/// The forms of a demangled name, from whole to short: with its type, without it, without parameters, without
/// template arguments.
std::vector<std::string> forms(const std::string& name) {
  const std::string whole = demangled(name);
  if (whole == name) return {whole};
  const std::string text = untyped(whole), plain = text.substr(0, outside(text, '('));
  return {packed(whole), packed(text), packed(plain), packed(plain.substr(0, plain.find('<')))};
}

}  // namespace

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && name.rfind("_Z", 0) == 0 ? std::string(text.get()) : name;
}

std::string short_name(const std::string& name) {
  const std::string whole = demangled(name);
  if (whole == name) return name;
  const std::string text = untyped(whole);
  return text.substr(0, outside(text, '('));
}

std::vector<std::string> names_meant(const std::vector<std::string>& names, const std::string& wanted) {
  if (std::find(names.begin(), names.end(), wanted) != names.end()) return {wanted};
  const std::string text = packed(wanted);
  std::vector<std::string> found;
  if (text.empty()) return found;
  for (std::size_t form = 0; form < 4 && found.empty(); ++form)
    for (const std::string& name : names) {
      const std::vector<std::string> all = forms(name);
      if (form < all.size() && all[form] == text) found.push_back(name);
    }
  return found;
}

}  // namespace warpvp::ptx
