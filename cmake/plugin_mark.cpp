// The mark of a plugin: warpvp_add_plugin compiles it with the plugin's own options.
#include "base/plugin.h"

WARPVP_PLUGIN;
