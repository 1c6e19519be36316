#pragma once
// The face of the controller that divides CTAs and memory bandwidth among kernels that run together. Types
// register themselves (registry kind "bandwidth_controller") and are chosen by `bandwidth_controller.type` in
// YAML. It reaches everything through the register bus: it is told which kernels come and go by the work
// distributor (WATCHER), and sets limits of CTAs there and quotas in the SMs' miss queues.
//
//   register bus -> registers   window of regmap::bandwidth: notices, and what it has decided
//   bus -> register bus         what it reads of kernels and SMs, and what it sets

#include <memory>
#include <string>
#include <systemc>
#include <tlm>

#include "base/block.h"
#include "base/fault.h"
#include "base/sm_resources.h"
#include "base/stats.h"
#include "interconnect/clock_domain.h"
#include "interconnect/register_block.h"
#include "modules/bandwidth/bandwidth_model.h"

namespace warpvp {

class BandwidthController : public sc_core::sc_module {
 public:
  explicit BandwidthController(sc_core::sc_module_name name) : sc_module(name) {}
  virtual tlm::tlm_target_socket<>& registers_socket() = 0;
  virtual tlm::tlm_initiator_socket<>& bus_socket() = 0;
  virtual const RegisterBlock& register_block() const = 0;
  virtual void stats(StatVisitor& v) const = 0;
};

/// Where a controller stands. What is referred to outlives it.
struct BandwidthControllerPlace {
  ClockDomain& clock;  ///< of the SMs
  FaultSink& faults;
  const SmResources& resources;  ///< of each SM
  unsigned sms = 1;
  Cycle credit_interval = 0;  ///< of the SMs' miss queues; 0: they give no credits
  unsigned line_bytes = 128;                                       ///< of the L2
  unsigned header_bytes = 32;                                      ///< of a reply on the network
  double network_bytes_per_second = 0, dram_bytes_per_second = 0;  ///< that can be sustained; 0: not limited
};

/// A configured type of controller, made by the registry from YAML.
class BandwidthControllerType {
 public:
  static constexpr const char* kKind = "bandwidth_controller";
  virtual ~BandwidthControllerType() = default;
  /// Visits what BandwidthController::stats of this type visits, with any values: for the reference.
  virtual void visit_stats(StatVisitor&) const {}
  /// What must hold between the type's fields and the SMs' credit_interval.
  virtual void check(Cycle /*credit_interval*/, const RequireField&) const {}
  /// nullptr: there is none.
  virtual std::unique_ptr<BandwidthController> build(const char* name,
                                                     const BandwidthControllerPlace& place) const = 0;
};

}  // namespace warpvp
