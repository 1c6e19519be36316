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
  v.value("preemptions", preemptions, "preemptions",
          "Of the reservations, those that made CTAs leave before their ends.");
  v.value("preemption_cycles", preemption_cycles, "cycles",
          "From such a reservation until the SM was empty, summed.");
  v.value("ctas_saved", ctas_saved, "CTAs", "CTAs that left their SM with their state saved.");
  v.value("ctas_dropped", ctas_dropped, "CTAs", "CTAs that left their SM and began again.");
  v.value("ctas_killed", ctas_killed, "CTAs", "CTAs that left their SM because their context had ended.");
}

}  // namespace warpvp
