#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

void KernelRecord::stats(StatVisitor& v) const {
  const auto us = [](const sc_core::sc_time& t) { return t.to_seconds() * 1e6; };
  v.value("ctas", ctas, "", "CTAs of the grid");
  v.value("launched_cycle", launched, "cycles", "written to a kernel status register");
  v.value("launched_us", us(launched_at), "us", "written to a kernel status register");
  if (first_cta != kNever) {
    v.value("first_cta_cycle", first_cta, "cycles", "first CTA sent to an SM");
    v.value("first_cta_us", us(first_cta_at), "us", "first CTA sent to an SM");
  }
  if (finished()) {
    v.value("end_cycle", ended, "cycles", "last CTA done");
    v.value("end_us", us(ended_at), "us", "last CTA done");
  }
  v.value("occupancy_ctas", std::uint64_t{needs.most_ctas}, "", "CTAs that fit one SM");
}

void WorkDistributorStats::stats(StatVisitor& v) const {
  v.value("kernels", kernels, "", "kernels completed");
  v.value("refused", refused, "", "kernels refused");
  v.value("ctas_issued", ctas_issued, "", "CTAs launched");
  v.value("ctas_done", ctas_done, "", "CTAs done");
  v.value("most_resident", most_resident, "", "most kernels resident at once");
}

}  // namespace warpvp
