#pragma once
// `plugins:` of a run file: shared libraries that bring parts of their own (docs/swapping-a-module.md).

#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

struct PluginList : CustomValue {
  std::vector<PathValue> files;

  void load(const Setting& setting, const std::string& path) override;
  Setting print(const PrintStyle& style) const override;
  std::string syntax() const override;

  /// Loads the plugins that the whole tree of a run names, so that their parts are known when the rest of it
  /// is checked. InputError at the first one that cannot be loaded.
  static void load_named_in(const Setting& tree);
};

}  // namespace warpvp
