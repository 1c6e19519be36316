#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

void WorkDistributorStats::stats(StatVisitor& v) const {
  v.value("kernels", kernels, "kernels", "Kernels completed.");
  v.value("refused", refused, "kernels",
          "Kernels refused: dimensions that are not allowed, or a CTA that no SM can hold.");
  v.value("ctas_issued", ctas_issued, "CTAs", "CTAs sent to SMs.");
  v.value("ctas_done", ctas_done, "CTAs", "CTAs completed.");
  v.value("most_resident", most_resident, "kernels", "Most kernels that were in the distributor at once.");
  v.value("busy_sm_cycles", busy_sm_cycles, "cycles", "Cycles with a CTA, summed over SMs.");
  v.value("setups", setups, "set-ups", "Times that an SM was set up for another kernel or context.");
  v.value("reservations", reservations, "reservations",
          "Times that an SM was reserved for another kernel while it had CTAs of one.");
  v.value("drain_cycles", drain_cycles, "cycles",
          "From the reservation of an SM until its last CTA had ended, summed.");
}

}  // namespace warpvp
