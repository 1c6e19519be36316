#include "modules/work_distributor/work_distributor.h"

namespace warpvp {

void WorkDistributorStats::stats(StatVisitor& v) const {
  v.value("kernels", kernels, "kernels", "Kernels completed.");
  v.value("refused", refused, "kernels",
          "Kernels refused: dimensions that are not allowed, or a CTA that no SM can hold.");
  v.value("ctas_issued", ctas_issued, "CTAs", "CTAs sent to SMs.");
  v.value("ctas_done", ctas_done, "CTAs", "CTAs completed.");
  v.value("most_resident", most_resident, "kernels", "Most kernels that were in the distributor at once.");
}

}  // namespace warpvp
