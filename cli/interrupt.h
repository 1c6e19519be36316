#pragma once
#include <atomic>

namespace warpvp {

/// Turns SIGINT and SIGTERM into a flag that the simulation polls. A second signal, more than a second later,
/// ends the program at once; before, it belongs to the first: `timeout` sends two, to the program and to its
/// process group.
const std::atomic<bool>& watch_for_interrupts();

}  // namespace warpvp
