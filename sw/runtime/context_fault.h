#pragma once
// How a host program learns that its context has ended by a fault, and what the driver does about one.

#include <stdexcept>
#include <string>

namespace warpvp {
class HostInterface;
}

namespace warpvp::rt {

struct RuntimeServices;

/// Thrown by calls of a Runtime once its context has faulted and others go on (as cudaErrorIllegalAddress,
/// which every call gives from then on). Nothing of the context is under way any more: kernels have left the
/// device, what waited in queues never ran, and nobody writes to the program's arrays. `what()` is the fault
/// in one line.
class ContextFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The driver's handler of a fault of `context`, on a thread of the host of its own: kills the queues of the
/// context and then the context at the work distributor, and leaves `why` for the program.
void end_context(HostInterface& host, RuntimeServices& services, unsigned context, const std::string& why);

}  // namespace warpvp::rt
