// The base-protocol checker as a link monitor. The first violation is a device fault that names rule, link
// and time, and it ends the run there and then: by an exception through whoever made the call, since what
// follows a violation need not end by itself (a hang, an assertion).

#include <fmt/format.h>

#include <stdexcept>

#include "base/registry.h"
#include "interconnect/link_monitor.h"
#include "interconnect/protocol_checker.h"

namespace warpvp {
namespace {

class CheckerMonitor final : public LinkMonitor {
 public:
  CheckerMonitor(sc_core::sc_module_name name, const LinkPlace& place)
      : LinkMonitor(name), checker_("checker") {
    checker_.forbid_waiting = place.kind == LinkKind::kControl;
    checker_.on_violation = [link = place.link, &faults = place.faults](const ProtocolChecker::Violation& v) {
      DeviceFault fault;
      fault.what = fmt::format("violation of the TLM base protocol on link {} at {:.3f} ns: {}", link,
                               v.time.to_seconds() * 1e9, name_of(v.rule));
      fault.address = v.address;
      const std::string summary = fault.summary();
      faults.raise(std::move(fault));
      throw std::runtime_error(summary);
    };
  }
  tlm::tlm_target_socket<>& target() override { return checker_.target; }
  tlm::tlm_initiator_socket<>& initiator() override { return checker_.initiator; }

 private:
  ProtocolChecker checker_;
};

class CheckerType final : public LinkMonitorType {
 public:
  std::unique_ptr<LinkMonitor> build(const char* name, const LinkPlace& place) override {
    return std::make_unique<CheckerMonitor>(name, place);
  }
};

WARPVP_REGISTER_POLICY(LinkMonitorType, CheckerType, "protocol_checker",
                       "Ends the run at the first violation of the TLM-2.0 base protocol.");

}  // namespace
}  // namespace warpvp
