#pragma once
// An SC_ERROR that left the model, as the device fault that it is.

#include <systemc>

#include "base/fault.h"

namespace warpvp {

/// A module met what its contract excludes (an error response, say).
DeviceFault reported_fault(const sc_core::sc_report& report);

}  // namespace warpvp
