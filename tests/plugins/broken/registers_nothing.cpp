#include "base/registry.h"
