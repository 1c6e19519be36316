#include "modules/host/pcie_link.h"

namespace warpvp {

void PcieStats::stats(StatVisitor& v) const {
  v.value("to_device_bytes", to_device_bytes, "bytes", "Payload sent to the device.");
  v.value("to_host_bytes", to_host_bytes, "bytes", "Payload sent to the host.");
  v.value("to_device_wire_bytes", to_device_wire_bytes, "bytes", "Payload and headers sent to the device.");
  v.value("to_host_wire_bytes", to_host_wire_bytes, "bytes", "Payload and headers sent to the host.");
  v.value("transfers", transfers, "transfers", "Requests carried, in both directions.");
}

}  // namespace warpvp
