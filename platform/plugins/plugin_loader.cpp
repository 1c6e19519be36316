#include "platform/plugins/plugin_loader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/plugin_registrations.h"
#include "platform/plugins/plugin_mark.h"

namespace warpvp {
namespace fs = std::filesystem;

namespace {

/// What dlerror() says, without the file's name in front, and with the name of a missing symbol as it is
/// written in C++.
std::string reason(std::string message, const std::string& file) {
  if (message.rfind(file + ": ", 0) == 0) message.erase(0, file.size() + 2);
  const std::string missing = "undefined symbol: ";
  if (message.rfind(missing, 0) != 0) return "cannot be loaded: " + message;
  std::string symbol = message.substr(missing.size());
  symbol = symbol.substr(0, symbol.find_first_of(" ,\t\n"));
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> readable(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return fmt::format("needs {}, which neither warpvp nor the plugin has", readable ? readable.get() : symbol);
}

}  // namespace

void load_plugin(const fs::path& file, const std::string& place) {
  static std::set<std::string> loaded;
  std::error_code error;
  const std::string path = fs::weakly_canonical(fs::absolute(file), error).string();
  if (loaded.count(path) != 0) return;
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{}plugin {} {}", place.empty() ? "" : place + ": ", file.string(), what));
  };
  const std::string different = compare_marks(read_plugin_mark(file, place), program_mark());
  if (!different.empty())
    refuse(fmt::format("was built for another warpvp ({}); build it again for this one", different));
  PluginRegistrations registrations(file.string());
  // Local: plugins do not see each other's symbols. Never closed, as registered parts are code of the plugin.
  if (!dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) refuse(reason(dlerror(), path));
  if (!registrations.clash().empty())
    refuse(fmt::format("cannot be used: {}; give one of them another name", registrations.clash()));
  if (registrations.added() == 0) refuse("registers nothing; end its parts in a WARPVP_REGISTER_ line");
  loaded.insert(path);
}

}  // namespace warpvp
