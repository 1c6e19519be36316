#include "ptx/exec/own_stores.h"

namespace warpvp::ptx {

OwnStores::~OwnStores() = default;

}  // namespace warpvp::ptx
