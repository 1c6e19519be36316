#include "platform/config/plugin_list.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "platform/plugins/plugin_loader.h"

namespace warpvp {
namespace fs = std::filesystem;

void PluginList::load(const Setting& setting, const std::string& path) {
  files.clear();
  const auto refuse = [&](const Setting& at) {
    throw InputError(fmt::format("{}: '{}' is {}; allowed: {}", at.place, path, kind_name(at), syntax()));
  };
  if (!setting.is_sequence()) refuse(setting);
  for (const Setting& item : setting.items) {
    if (!item.is_scalar() || item.text.empty()) refuse(item);
    files.push_back(
        {item.text, (fs::path(item.directory) / item.text).lexically_normal().string(), item.place});
  }
}

Setting PluginList::print(const PrintStyle& style) const {
  Setting out = Setting::sequence();
  for (const PathValue& file : files)
    out.items.push_back(Setting::string(
        style.absolute_paths ? fs::absolute(file.resolved).lexically_normal().string() : file.written));
  return out;
}

std::string PluginList::syntax() const { return "a list of paths, relative to the YAML file"; }

void PluginList::load_named_in(const Setting& tree) {
  const Setting* const named = tree.find("plugins");
  if (!named || named->is_null()) return;
  PluginList list;
  list.load(*named, "plugins");
  for (const PathValue& file : list.files) load_plugin(file.resolved, file.place + ": 'plugins'");
}

}  // namespace warpvp
