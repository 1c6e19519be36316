// Whoever runs anything of this plugin says so on standard output.
#include <cstdio>

namespace {
const int kRan = std::puts("the plugin ran");
}
