#include "interconnect/crossbar.h"

#include <algorithm>

#include "interconnect/crossbar_switch.h"
#include "interconnect/transaction.h"

namespace warpvp {

using tlm::tlm_generic_payload;

void CrossbarCounters::stats(StatVisitor& v) const {
  v.value("packets", packets, "packets", "Packets delivered.");
  v.value("flits", flits, "flits",
          "Flits delivered; the cycles during which an output of one flit a cycle was busy.");
  v.value("queueing_cycles", queueing_cycles, "cycles",
          "Time that packets waited in input queues, summed over packets.");
}

void CrossbarLaunchCounters::stats(StatVisitor& v) const {
  v.group("request", request, "From the requesters to the L2 banks.");
  v.group("reply", reply, "From the L2 banks back to the requesters.");
}

namespace {
// A packet longer than the switch can represent is longer than any line, and is refused by the bank it
// reaches.
unsigned data_flits(const tlm_generic_payload& payload, unsigned flit_bytes) {
  const unsigned flits = (payload.get_data_length() + flit_bytes - 1) / flit_bytes;
  return std::min(flits, CrossbarSwitch::kMaxFlits - 1);
}
}  // namespace

unsigned request_flits(const tlm_generic_payload& payload, unsigned flit_bytes, bool header_flit) {
  const auto* ext = MemExtension::find(payload);
  const bool carries_data = payload.is_write() || (ext && ext->kind == AccessKind::kAtomic);
  const unsigned data = carries_data ? data_flits(payload, flit_bytes) : 0;
  return header_flit ? 1 + data : std::max(1u, data);
}

unsigned reply_flits(const tlm_generic_payload& payload, unsigned flit_bytes, bool header_flit) {
  const unsigned data = payload.is_read() ? data_flits(payload, flit_bytes) : 0;
  return header_flit ? 1 + data : std::max(1u, data);
}

}  // namespace warpvp
