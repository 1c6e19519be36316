// No scheduler on the host: each job goes to its queue as it arrives, and the device decides.
#include "sw/schedulers/host_scheduler.h"

namespace warpvp::sched {
namespace {

class DeviceDecides : public HostScheduler {
 public:
  void arrived(JobHost& host, unsigned job) override { host.launch(job, host.kernels_of(job), 0); }
};

WARPVP_REGISTER_POLICY(HostScheduler, DeviceDecides, "device",
                       "Each job goes to its queue when it arrives; the command processor decides");

}  // namespace
}  // namespace warpvp::sched
