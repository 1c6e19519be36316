#pragma once
// The register bus: an address decoder between any number of initiators and the windows of its targets.
// Loosely timed: every access is a b_transport that adds the bus's fixed latency and never waits, so that it
// can be called from methods as well as threads. (An initiator that speaks the approximately timed protocol
// is converted by its socket.)

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <systemc>
#include <tlm>
#include <vector>

#include "base/fields.h"
#include "interconnect/link_binder.h"

namespace warpvp {

struct RegisterBusConfig {
  double latency_ns = 20;
  void fields(FieldVisitor& v) {
    v.field(
        "latency_ns", latency_ns, "ns",
        "Time one access spends on the bus: after it a write has arrived, or the answer to a read is back.",
        Constraint::at_least(0));
  }
};

class RegisterBus : public sc_core::sc_module {
 public:
  using TargetSocket = tlm_utils::simple_target_socket_tagged<RegisterBus>;
  using InitiatorSocket = tlm_utils::simple_initiator_socket<RegisterBus>;

  RegisterBus(sc_core::sc_module_name name, const RegisterBusConfig& config);
  /// `binder` binds what connect_initiator and connect_target are given; it outlives the bus's construction.
  RegisterBus(sc_core::sc_module_name name, const RegisterBusConfig& config, LinkBinder& binder);
  ~RegisterBus() override;

  /// A socket for one more initiator. Called, as add_target, in the constructor of the module around the bus.
  TargetSocket& add_initiator(const std::string& name);
  /// A socket for one more target at [base, base + bytes). Its accesses arrive with addresses relative to
  /// `base`, or absolute ones if `keep_address`. Throws std::logic_error when windows overlap.
  InitiatorSocket& add_target(const std::string& name, std::uint64_t base, std::uint64_t bytes,
                              bool keep_address = false);

  /// add_initiator and add_target with the socket bound through the binder, as link "bus_from_NAME" or
  /// "bus_to_NAME".
  void connect_initiator(const std::string& name, tlm::tlm_initiator_socket<>& socket);
  void connect_target(const std::string& name, std::uint64_t base, std::uint64_t bytes,
                      tlm::tlm_target_socket<>& socket, bool keep_address = false);

  std::uint64_t accesses() const { return accesses_; }

 private:
  struct Window {
    std::uint64_t base, bytes;
    bool keep_address;
    std::unique_ptr<InitiatorSocket> socket;
  };

  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  Window* window_of(std::uint64_t address);

  sc_core::sc_time latency_;
  LinkBinder& binder_;
  std::vector<std::unique_ptr<TargetSocket>> initiators_;
  std::vector<Window> windows_;  // by base
  std::size_t last_ = 0;         // of them: the one found last, as accesses come in runs
  std::uint64_t accesses_ = 0;
};

}  // namespace warpvp
