// Admission "open": the load/store unit takes what comes, from whichever kernel.

#include "base/registry.h"
#include "modules/sm/memory/memory_admission.h"

namespace warpvp {
namespace {

class OpenAdmission : public MemoryAdmission {
 public:
  bool limits() const override { return false; }
  bool admits(unsigned) const override { return true; }
  void taken(const AdmittedAccess&, Cycle) override {}
  void done(const AdmittedAccess&, Cycle) override {}
};

WARPVP_REGISTER_POLICY(MemoryAdmission, OpenAdmission, "open",
                       "The load/store unit takes what comes, from whichever kernel.");

}  // namespace
}  // namespace warpvp
