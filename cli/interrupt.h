#pragma once
#include <atomic>

namespace warpvp {

/// Turns SIGINT and SIGTERM into a flag that the simulation polls. A second signal ends the program at once.
const std::atomic<bool>& watch_for_interrupts();

}  // namespace warpvp
