#include "platform/run/reported_fault.h"

#include <fmt/format.h>

#include <algorithm>

#include "interconnect/outstanding.h"
#include "interconnect/policy_contract.h"

namespace warpvp {

DeviceFault reported_fault(const sc_core::sc_report& report) {
  DeviceFault fault;
  const std::string type = report.get_msg_type();
  fault.what = type == kBrokenContract || type == kFailedAccess
                   ? report.get_msg()
                   : fmt::format("{}: {}", report.get_msg_type(), report.get_msg());
  // Thrown by a block outside of its edges: all that is known is whose process it was.
  if (type == sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_ && report.get_process_name() != nullptr)
    fault.what = fmt::format("{} threw {}", process_title(report.get_process_name()), report.get_msg());
  std::replace(fault.what.begin(), fault.what.end(), '\n', ' ');
  return fault;
}

}  // namespace warpvp
